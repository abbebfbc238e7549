// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/load.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "loaders/asset_paths.h"
#include "loaders/mjcf/read_mjcf.h"
#include "loaders/xml/read_xml.h"
#include "model/joint_layout.h"
#include "systems/library/signals.h"

namespace cenic {
namespace {

const Keyframe& find_keyframe(const LoadedModel& loaded, const std::string& path,
                              const std::string& name) {
  std::vector<std::string> names;
  for (const Keyframe& key : loaded.keyframes) {
    if (key.name == name) return key;
    names.push_back(key.name);
  }
  throw FileError(path, 0,
                  fmt::format("there is no keyframe '{}'; the file has: {}", name,
                              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

LoadedModel load_model(const std::string& path, const LoadOptions& options) {
  const AssetPaths paths(path, options.allowed_folders);
  for (const char* ending : {".urdf", ".sdf", ".yaml", ".yml"}) {
    if (path.ends_with(ending)) {
      throw FileError(path, 0, fmt::format("files of the kind '{}' cannot be read yet", ending));
    }
  }
  LoadedModel loaded = read_mjcf(path, paths);
  loaded.diagnostics.sort();
  loaded.diagnostics.throw_errors();
  if (!options.keyframe.empty()) {
    apply_keyframe(find_keyframe(loaded, path, options.keyframe), loaded, &loaded.spec);
  }
  return loaded;
}

void apply_keyframe(const Keyframe& keyframe, const LoadedModel& loaded, ModelSpec* spec) {
  std::size_t q = 0, v = 0;
  for (BodySpec& body : spec->bodies) {
    for (JointSpec& joint : body.joints) {
      const int nq = detail::num_positions(joint.kind), nv = detail::num_velocities(joint.kind);
      if (q + nq <= keyframe.q.size()) {
        joint.position.assign(&keyframe.q[q], &keyframe.q[q] + nq);
      }
      if (v + nv <= keyframe.v.size()) {
        joint.velocity.assign(&keyframe.v[v], &keyframe.v[v] + nv);
      }
      q += nq, v += nv;
    }
  }
  for (std::size_t i = 0; i < keyframe.ctrl.size(); ++i) {
    const auto system = std::ranges::find(spec->systems, loaded.controls[i], &SystemSpec::name);
    if (system == spec->systems.end()) continue;
    system->system = std::make_shared<HeldInput>(std::vector{keyframe.ctrl[i]});
  }
}

}  // namespace cenic
