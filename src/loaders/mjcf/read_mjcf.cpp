// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/read_mjcf.h"

#include <memory>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "systems/library/signals.h"

namespace cenic {
namespace {

using detail::MjcfInstance;
using detail::MjcfWorld;

// Sections of which nothing is taken over.
void ignore_sections(const MjcfInstance& instance, MjcfWorld* world) {
  struct Section {
    const char *name, *reason;
  };
  static constexpr Section kSections[] = {
      {"visual", "for the eye alone"},
      {"statistic", "for the eye alone"},
      {"size", "memory grows as needed"},
      {"custom", "data of the user"},
      {"deformable", "soft bodies are not known"},
  };
  for (const auto& element : instance.document->root->children) {
    for (const Section& s : kSections) {
      if (element->name != s.name) continue;
      world->ignore(*element, fmt::format("<{}>: {}", s.name, s.reason));
    }
    if (element->name == "extension") {
      for (const auto& plugin : element->children) {
        if (!plugin->read) world->ignore(*plugin, "<plugin>: of plugins, mujoco.pid is known");
      }
    }
    // Options of an attached model are those of the model it is attached to.
    if (instance.attached && element->name == "option" && !element->read) {
      world->ignore(*element, "<option>: that of the main model holds");
    }
  }
}

}  // namespace

LoadedModel read_mjcf(const std::string& path, const AssetPaths& paths,
                      const LoadOptions& options) {
  LoadedModel loaded;
  MjcfWorld world;
  world.diagnostics = &loaded.diagnostics;
  world.paths = &paths;
  world.loaded = &loaded;
  detail::MjcfDocument document = detail::read_document(path, path, paths, &loaded.diagnostics);
  auto main = std::make_unique<MjcfInstance>(&document);
  MjcfInstance* main_instance = main.get();
  world.instances.push_back(std::move(main));
  const XmlAttribute* name = document.root->find("model");
  loaded.spec.name = name != nullptr ? name->value : "model";

  world.options = detail::read_options(*document.root, &loaded.spec, &loaded.diagnostics);
  detail::read_worldbody(main_instance, &world);  // adds instances of attached models
  detail::scale_total_mass(document.compiler, &loaded.spec);
  detail::set_joint_springs(&world);
  detail::set_limit_springs(&world);
  const auto for_each_instance = [&](void (*read)(const MjcfInstance&, MjcfWorld*)) {
    for (const auto& instance : world.instances) {
      read(*instance, &world);
    }
  };
  for_each_instance(detail::read_contact_section);
  for_each_instance(detail::read_tendon_section);
  for_each_instance(detail::read_equality_section);
  detail::free_mocap_bodies(options.mocap, &world);
  for_each_instance(detail::read_actuator_section);
  for_each_instance(detail::read_sensor_section);
  for_each_instance(detail::read_keyframes);
  detail::translate_contacts(&world);
  detail::add_medium(world.options, &loaded.spec);
  for_each_instance(ignore_sections);
  if (options.seed) add_noise_seed(*options.seed, &loaded.spec);

  report_unread(*document.root, &loaded.diagnostics);
  for (const auto& [attached_path, attached] : world.attached) {
    // Bodies that were not asked for are no loss.
    report_unread(*attached->root, &loaded.diagnostics, "body");
  }
  return loaded;
}

}  // namespace cenic
