// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/read_scenario.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/scenario/compose.h"
#include "loaders/scenario/yaml_reader.h"
#include "systems/library/signals.h"

namespace cenic {
namespace {

using namespace detail;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMaxDepth = 8;         // of scenarios in each other
constexpr std::size_t kMaxBodies = 200'000;  // of a whole

// The models of one scenario, each file read once.
class ModelFiles {
 public:
  ModelFiles(const AssetPaths& paths, const LoadOptions& options, std::vector<std::string> chain,
             YamlSource* source)
      : paths_(paths), options_(options), chain_(std::move(chain)), source_(*source) {}

  // Nullptr: there are errors.
  const LoadedModel* read(const ModelEntry& entry) {
    const AssetPaths::Found found = source_.resources->find_model(entry.file, source_.file);
    if (found.path.empty()) {
      source_.error(entry.place, fmt::format("model '{}': {}", entry.file, found.problem));
      return nullptr;
    }
    if (std::ranges::find(chain_, found.path) != chain_.end()) {
      source_.error(entry.place, fmt::format("'{}' includes itself", entry.file));
      return nullptr;
    }
    if (chain_.size() > kMaxDepth) {
      source_.error(entry.place, fmt::format("scenarios are more than {} deep", kMaxDepth));
      return nullptr;
    }
    const auto [known, is_new] =
        files_.try_emplace(found.path + "\n" + entry.keyframe + "\n" + entry.weld);
    if (is_new) known->second = load(found.path, entry);
    return known->second ? &*known->second : nullptr;
  }

 private:
  std::optional<LoadedModel> load(const std::string& path, const ModelEntry& entry) {
    LoadOptions options = options_;
    options.keyframe = entry.keyframe;
    options.welded = entry.weld;
    options.seed.reset();
    options.allowed_folders.push_back(paths_.main_folder());
    try {
      LoadedModel model = read_model(path, options, chain_);
      source_.diagnostics->append(model.diagnostics);
      if (model.diagnostics.count(Severity::kError) > 0) return std::nullopt;
      return model;
    } catch (const Error& e) {
      source_.error(entry.place, fmt::format("model '{}': {}", entry.file, e.what()));
      return std::nullopt;
    }
  }

  const AssetPaths& paths_;
  const LoadOptions& options_;
  std::vector<std::string> chain_;
  YamlSource& source_;
  std::map<std::string, std::optional<LoadedModel>> files_;
};

// What stands in the file comes after its models.
void add_own(LoadedModel own, LoadedModel* whole) {
  const auto append = [](auto& from, auto* to) {
    to->insert(to->end(), std::move_iterator(from.begin()), std::move_iterator(from.end()));
  };
  append(own.spec.world_geometries, &whole->spec.world_geometries);
  append(own.spec.bodies, &whole->spec.bodies);
  append(own.spec.tendons, &whole->spec.tendons);
  append(own.spec.constraints, &whole->spec.constraints);
  append(own.spec.pairs, &whole->spec.pairs);
  append(own.spec.systems, &whole->spec.systems);
  append(own.spec.wires, &whole->spec.wires);
  append(own.spec.notes, &whole->spec.notes);
  append(own.controls, &whole->controls);
  whole->keyframes = std::move(own.keyframes);
}

// Everything about the world as such.
LoadedModel make_whole(const LoadedModel& own) {
  LoadedModel whole;
  whole.run = own.run;
  whole.spec.name = own.spec.name;
  whole.spec.gravity = own.spec.gravity;
  whole.spec.stiction_velocity = own.spec.stiction_velocity;
  whole.spec.friction_transition = own.spec.friction_transition;
  whole.spec.filter_parent_child = own.spec.filter_parent_child;
  return whole;
}

}  // namespace

LoadedModel read_scenario(const std::string& path, const AssetPaths& paths,
                          const LoadOptions& options, const std::vector<std::string>& chain) {
  Diagnostics diagnostics;
  ResourcePaths resources(paths, options.packages);
  YamlSource source{.file = path, .diagnostics = &diagnostics, .resources = &resources};
  Scenario scenario;
  scenario.own.spec.name = std::filesystem::path(path).stem().string();
  YamlReader reader(read_yaml(path, path), &source);
  describe(reader, scenario);
  reader.finish();

  LoadedModel whole = make_whole(scenario.own);
  std::vector<std::string> files = chain;
  files.push_back(std::filesystem::canonical(path).string());
  ModelFiles models(paths, options, files, &source);
  for (const ModelEntry& entry : scenario.models) {
    const LoadedModel* model = models.read(entry);
    if (model != nullptr) add_model(entry, *model, &source, &whole);
    if (whole.spec.bodies.size() > kMaxBodies) {
      source.error(entry.place, fmt::format("more than {} bodies; include less", kMaxBodies));
      break;
    }
  }
  // What follows from a mistake above is not worth a line of its own.
  const bool complete = diagnostics.count(Severity::kError) == 0;
  add_own(std::move(scenario.own), &whole);
  add_noise_seed(options.seed.value_or(whole.run.seed.value_or(0)), &whole.spec);
  if (complete) apply_to_whole(scenario, &source, &whole);
  whole.diagnostics = std::move(diagnostics);
  return whole;
}

}  // namespace cenic
