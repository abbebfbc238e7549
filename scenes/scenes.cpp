// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The list of scenes, and names turned into scenes with messages that help.
#include "scenes/scenes.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/suggest.h"
#include "scenes/scene_definition.h"

namespace cenic {
namespace {

const std::vector<detail::SceneDefinition>& definitions() {
  static const std::vector<detail::SceneDefinition> all = {
      detail::define_hard_clutter(),    detail::define_soft_clutter(),
      detail::define_clutter(),         detail::define_bouncing_ball(),
      detail::define_sliding_block(),   detail::define_box_stack(),
      detail::define_newton_cradle(),   detail::define_spinning_top(),
      detail::define_chain(),           detail::define_double_pendulum(),
      detail::define_conveyor(),        detail::define_four_bar(),
      detail::define_closed_chain(),    detail::define_franka(),
      detail::define_suction_gripper(), detail::define_quadruped(),
      detail::define_cart_pole(),       detail::define_pid_pendulum(),
      detail::define_cylinder(),        detail::define_static_gripper(),
      detail::define_hydro_mesh(),      detail::define_terrain(),
  };
  return all;
}

const detail::SceneDefinition& find_definition(const std::string& name) {
  std::vector<std::string> known;
  for (const detail::SceneDefinition& definition : definitions()) {
    if (definition.info.name == name) return definition;
    known.push_back(definition.info.name);
  }
  throw Error(fmt::format("there is no scene '{}'{}", name, suggest(name, known)));
}

}  // namespace

const std::vector<SceneInfo>& list_scenes() {
  static const std::vector<SceneInfo> infos = [] {
    std::vector<SceneInfo> list;
    for (const detail::SceneDefinition& definition : definitions()) {
      list.push_back(definition.info);
    }
    return list;
  }();
  return infos;
}

ModelSpec make_scene(const std::string& name, const SceneParameters& overrides, std::uint64_t seed,
                     const SceneFiles& files) {
  const detail::SceneDefinition& definition = find_definition(name);
  SceneParameters values;
  std::vector<std::string> known;
  for (const SceneParameter& parameter : definition.info.parameters) {
    values[parameter.name] = parameter.value;
    known.push_back(parameter.name);
  }
  for (const auto& [parameter, value] : overrides) {
    const auto found = values.find(parameter);
    if (found == values.end()) {
      throw Error(fmt::format("scene '{}' has no parameter '{}'{}", name, parameter,
                              suggest(parameter, known)));
    }
    found->second = value;
  }
  SceneFiles paths;
  for (const SceneFile& file : definition.info.files) {
    paths[file.name];
  }
  for (const auto& [file, path] : files) {
    const auto found = paths.find(file);
    if (found == paths.end()) {
      throw Error(fmt::format("scene '{}' takes no file '{}'", name, file));
    }
    found->second = path;
  }
  ModelSpec spec =
      definition.make(detail::SceneArguments(name, std::move(values), std::move(paths), seed));
  spec.name = name;
  return spec;
}

}  // namespace cenic
