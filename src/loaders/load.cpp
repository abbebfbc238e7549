// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/load.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "loaders/asset_paths.h"
#include "loaders/mjcf/read_mjcf.h"
#include "loaders/scenario/read_scenario.h"
#include "loaders/sdf/read_sdf.h"
#include "loaders/urdf/read_urdf.h"
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

// The name of the root element, without reading the file as a whole; empty when there is none.
std::string find_root_name(const std::string& path) {
  constexpr std::size_t kMost = 1 << 16;
  std::string text(kMost, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t start = at + 1;
    if (text.compare(start, 3, "!--") == 0) {
      at = std::min(text.find("-->", start), text.size() - 1);
    } else if (start < text.size() && text[start] != '?' && text[start] != '!') {
      return text.substr(start, text.find_first_of(" \t\r\n/>", start) - start);
    }
  }
  return "";
}

LoadedModel read_by_format(const std::string& path, const AssetPaths& paths,
                           const LoadOptions& options, const std::vector<std::string>& chain) {
  const auto is = [&](std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings, [&](const char* ending) {
      return path.ends_with(ending);
    });
  };
  if (is({".yaml", ".yml"})) return read_scenario(path, paths, options, chain);
  if (is({".urdf", ".xacro"})) return read_urdf(path, paths, options);
  if (is({".sdf", ".world"})) return read_sdf(path, paths, options);
  const std::string root = find_root_name(path);
  if (root == "robot") return read_urdf(path, paths, options);
  if (root == "sdf") return read_sdf(path, paths, options);
  return read_mjcf(path, paths, options);
}

}  // namespace

LoadedModel read_model(const std::string& path, const LoadOptions& options,
                       const std::vector<std::string>& chain) {
  const AssetPaths paths(path, options.allowed_folders);
  LoadedModel loaded = read_by_format(path, paths, options, chain);
  loaded.diagnostics.sort();
  if (!options.keyframe.empty() && loaded.diagnostics.count(Severity::kError) == 0) {
    apply_keyframe(find_keyframe(loaded, path, options.keyframe), loaded, &loaded.spec);
  }
  return loaded;
}

LoadedModel load_model(const std::string& path, const LoadOptions& options) {
  LoadedModel loaded = read_model(path, options);
  loaded.diagnostics.throw_errors();
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
  std::unordered_map<std::string, std::vector<double>> states;
  for (std::size_t i = 0; i < keyframe.ctrl.size(); ++i) {
    states.emplace(loaded.controls[i], std::vector{keyframe.ctrl[i]});
  }
  for (const Keyframe::SystemState& state : keyframe.states) {
    states.emplace(state.system, state.z);
  }
  for (SystemSpec& system : spec->systems) {
    const auto found = states.find(system.name);
    if (found != states.end()) system.initial = found->second;
  }
}

}  // namespace cenic
