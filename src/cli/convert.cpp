// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic convert: a scene written to a file, as a scenario or as MJCF.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/output_file.h"
#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "loaders/mjcf/write_mjcf.h"
#include "loaders/scenario/write_scenario.h"

namespace cenic::cli {
namespace {

struct ConvertArguments {
  SceneInput input;
  std::string output;
  bool skip_unknown_systems = false, json = false;
};

bool ends_with_any(const std::string& text, std::initializer_list<const char*> endings) {
  for (const char* ending : endings) {
    if (text.ends_with(ending)) return true;
  }
  return false;
}

// MJCF is written with colours alone.
void note_textures(const ModelSpec& spec, std::vector<WriteNote>* notes) {
  std::vector<std::string> names;
  const auto check = [&](const GeometrySpec& g) {
    if (g.texture.image != nullptr) names.push_back(g.name);
  };
  std::ranges::for_each(spec.world_geometries, check);
  for (const BodySpec& body : spec.bodies) {
    std::ranges::for_each(body.geometries, check);
  }
  if (!names.empty()) notes->push_back({"textures are not written", names});
}

// Beside the scenario: robot_textures for robot.yaml.
std::filesystem::path picture_folder(const std::filesystem::path& output) {
  return output.parent_path() / (output.stem().string() + "_textures");
}

std::string to_scenario(const ConvertArguments& arguments, Scene* scene,
                        std::vector<WriteNote>* notes, std::vector<ScenarioPicture>* pictures) {
  LoadedModel& loaded = scene->loaded;
  loaded.run.duration = scene->info.duration;
  loaded.run.seed.reset();     // it is in the numbers now
  loaded.run.contact.reset();  // so is the kind of contact
  if (arguments.skip_unknown_systems) {
    const std::vector<std::string> names = remove_unwritable_systems(&loaded.spec);
    if (!names.empty()) notes->push_back({"systems that no file can say are left out", names});
  }
  try {
    return write_scenario(loaded, picture_folder(arguments.output).filename(), pictures);
  } catch (const Error& e) {
    throw Error(fmt::format("{}: error: {}; --skip-unknown-systems leaves such systems out",
                            arguments.input.scene, e.what()));
  }
}

void write_file(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void write_pictures(const std::string& output, const std::vector<ScenarioPicture>& pictures) {
  if (pictures.empty()) return;
  const std::filesystem::path folder = picture_folder(output);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  for (const ScenarioPicture& picture : pictures) {
    write_file((folder.parent_path() / picture.file).string(), *picture.image);
  }
}

// All names, or the first few of many.
std::string shorten(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 4;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + std::min(names.size(), kMost));
  const std::size_t left = names.size() - first.size();
  return fmt::format("{}{}", fmt::join(first, ", "),
                     left > 0 ? fmt::format(" and {} more", left) : "");
}

void print_notes(const ConvertArguments& arguments, const std::vector<WriteNote>& notes) {
  for (const WriteNote& note : notes) {
    fmt::print(stderr, "{}: {}: {}\n", arguments.output, note.what, shorten(note.names));
  }
  if (!arguments.json) return;
  nlohmann::ordered_json json;
  json["scene"] = arguments.input.scene;
  json["output"] = arguments.output;
  json["notes"] = nlohmann::ordered_json::array();
  for (const WriteNote& note : notes) {
    json["notes"].push_back({{"what", note.what}, {"names", note.names}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

int convert(const ConvertArguments& arguments) {
  const bool yaml = ends_with_any(arguments.output, {".yaml", ".yml"});
  if (!yaml && !ends_with_any(arguments.output, {".xml", ".mjcf"})) {
    throw UsageError(
        fmt::format("{}: the name of the output ends in .yaml (a scenario) or .xml "
                    "(MJCF)",
                    arguments.output));
  }
  Scene scene = open_scene(arguments.input);
  print_fidelity_summary(arguments.input, scene);
  std::vector<WriteNote> notes;
  std::vector<ScenarioPicture> pictures;
  std::string text;
  if (yaml) {
    text = to_scenario(arguments, &scene, &notes, &pictures);
  } else {
    MjcfText mjcf = write_mjcf(scene.loaded.spec);
    text = std::move(mjcf.text);
    notes = std::move(mjcf.notes);
    note_textures(scene.loaded.spec, &notes);
  }
  write_pictures(arguments.output, pictures);
  write_file(arguments.output, text);
  print_notes(arguments, notes);
  return kDone;
}

}  // namespace

Action add_convert(CLI::App* app) {
  auto a = std::make_shared<ConvertArguments>();
  add_scene_options(app, &a->input, false);
  app->add_option("OUTPUT", a->output, "File to write: .yaml (a scenario) or .xml (MJCF)")
      ->required();
  app->add_flag("--skip-unknown-systems", a->skip_unknown_systems,
                "Leave out systems that no scenario can say, instead of failing");
  app->add_flag("--json", a->json, "Print one JSON object with all that could not be kept");
  return [a] {
    return convert(*a);
  };
}

}  // namespace cenic::cli
