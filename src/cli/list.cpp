// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic list: what there is to choose from.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/verbs.h"
#include "integrators/options.h"
#include "scenes/scenes.h"

namespace cenic::cli {
namespace {

using Json = nlohmann::ordered_json;

void print_json() {
  Json json;
  json["scenes"] = Json::array();
  for (const SceneInfo& scene : list_scenes()) {
    Json parameters = Json::array();
    for (const SceneParameter& p : scene.parameters) {
      parameters.push_back(
          {{"name", p.name}, {"default", p.value}, {"description", p.description}});
    }
    Json files = Json::array();
    for (const SceneFile& f : scene.files) {
      files.push_back({{"name", f.name}, {"description", f.description}});
    }
    json["scenes"].push_back({{"name", scene.name},
                              {"description", scene.description},
                              {"duration", scene.duration},
                              {"parameters", parameters},
                              {"files", files}});
  }
  json["integrators"] = list_integrators();
  json["integrator_options"] = Json::array();
  for (const OptionInfo& option : list_option_infos({})) {
    json["integrator_options"].push_back(option.name);
  }
  fmt::print("{}\n", json.dump(2));
}

void print_text() {
  fmt::print("Scenes (cenic run NAME --set PARAMETER=VALUE)\n");
  for (const SceneInfo& scene : list_scenes()) {
    fmt::print("\n  {}  ({:g} s)\n    {}\n", scene.name, scene.duration, scene.description);
    std::size_t width = 0;
    for (const SceneParameter& p : scene.parameters) {
      width = std::max(width, p.name.size());
    }
    for (const SceneParameter& p : scene.parameters) {
      fmt::print("      {:<{}}  {:>8g}  {}\n", p.name, width, p.value, p.description);
    }
    for (const SceneFile& f : scene.files) {
      fmt::print("      {:<{}}  {:>8}  {}\n", f.name, width, "FILE", f.description);
    }
  }
  fmt::print("\nIntegrators (--integrator NAME)\n  {}\n", fmt::join(list_integrators(), "\n  "));
  fmt::print("\nOptions of the integrators (--set integrator.NAME=VALUE), as 'cenic' has them\n");
  for (const OptionInfo& option : list_option_infos({})) {
    fmt::print("  {:<23}  {:>6}  {}\n", option.name, option.value, option.description);
  }
}

}  // namespace

Action add_list(CLI::App* app) {
  auto json = std::make_shared<bool>(false);
  app->add_flag("--json", *json, "Print one JSON object instead of text");
  return [json] {
    (*json ? print_json : print_text)();
    return static_cast<int>(kDone);
  };
}

}  // namespace cenic::cli
