// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/write_scenario.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "loaders/scenario/yaml_writer.h"

namespace cenic {
namespace {

using namespace detail;  // NOLINT(google-build-using-namespace)

bool is_writable(const ExternalSystem& system) {
  const auto* force = dynamic_cast<const BodyForce*>(&system);
  if (force != nullptr && std::get<0>(force->parameters()).script) return false;
  return for_each_system_type([&](auto& type) {
    return type.matches(system);
  });
}

std::string owner_of(const std::string& port) { return port.substr(0, port.find('.')); }

}  // namespace

std::vector<std::string> find_unwritable(const ModelSpec& spec) {
  std::vector<std::string> names;
  for (const SystemSpec& system : spec.systems) {
    if (!is_writable(*system.system)) names.push_back(fmt::format("system '{}'", system.name));
  }
  const auto check = [&](const std::string& body, const GeometrySpec& g) {
    if (!g.surface_velocity || g.surface_velocity.target<BeltVelocity>() != nullptr) return;
    names.push_back(fmt::format("surface velocity of geometry '{}' of '{}'", g.name, body));
  };
  for (const GeometrySpec& g : spec.world_geometries) {
    check(kWorldName, g);
  }
  for (const BodySpec& body : spec.bodies) {
    for (const GeometrySpec& g : body.geometries) {
      check(body.name, g);
    }
  }
  return names;
}

std::vector<std::string> remove_unwritable_systems(ModelSpec* spec) {
  std::vector<std::string> names;
  std::erase_if(spec->systems, [&](const SystemSpec& system) {
    if (is_writable(*system.system)) return false;
    names.push_back(system.name);
    return true;
  });
  std::erase_if(spec->wires, [&](const WireSpec& wire) {
    return std::ranges::find(names, owner_of(wire.from)) != names.end() ||
           std::ranges::find(names, owner_of(wire.to)) != names.end();
  });
  return names;
}

namespace {

// Gives each picture a file.
class PictureNames {
 public:
  PictureNames(const std::string& folder, std::vector<ScenarioPicture>* pictures)
      : folder_(folder), pictures_(*pictures) {}

  void name(GeometrySpec* geometry) {
    TextureSpec& texture = geometry->texture;
    if (texture.image == nullptr) return;
    const auto known = std::ranges::find_if(pictures_, [&](const ScenarioPicture& picture) {
      return picture.image == texture.image || *picture.image == *texture.image;
    });
    if (known == pictures_.end()) {
      const char* ending = texture.image->starts_with("\x89PNG") ? "png" : "jpg";
      pictures_.push_back(
          {fmt::format("{}/{}.{}", folder_, pictures_.size() + 1, ending), texture.image});
      texture.file = pictures_.back().file;
    } else {
      texture.file = known->file;
    }
  }

 private:
  const std::string& folder_;
  std::vector<ScenarioPicture>& pictures_;
};

}  // namespace

std::string write_scenario(LoadedModel model, const std::string& folder,
                           std::vector<ScenarioPicture>* pictures) {
  PictureNames names(folder, pictures);
  for (GeometrySpec& g : model.spec.world_geometries) {
    names.name(&g);
  }
  for (BodySpec& body : model.spec.bodies) {
    for (GeometrySpec& g : body.geometries) {
      names.name(&g);
    }
  }
  return write_scenario(model);
}

std::string write_scenario(const LoadedModel& model) {
  const std::vector<std::string> unwritable = find_unwritable(model.spec);
  if (!unwritable.empty()) {
    throw Error(
        fmt::format("no file can say what a function computes: {}", fmt::join(unwritable, ", ")));
  }
  Scenario scenario{.own = model}, defaults;
  for (const ContactFilter& filter : model.spec.exclude) {
    scenario.filters.push_back({.a = filter.a, .b = filter.b});
  }
  for (const SensorOutput& output : model.sensors) {
    scenario.outputs.push_back({.output = output});
  }
  return print_yaml(YamlWriter::make_map(scenario, defaults));
}

}  // namespace cenic
