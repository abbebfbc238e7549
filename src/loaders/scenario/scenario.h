// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Scenario: what a scenario file says, before its models are read. docs/scenario.md has the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loaders/scenario/model_fields.h"

namespace cenic::detail {

// Where in the file something stands; the reader fills it in.
struct Place {
  int line = 0, column = 0;
};

// Another file, with a name before all of its names.
struct ModelEntry {
  std::string name{}, file{}, keyframe{};
  RigidTransform X_PM{};  // of the model's world in the frame of `attach_to`
  std::string attach_to = kWorldName;
  std::string weld{};  // this body of the model, free there, is fixed here
  Place place{};
};

struct FilterEntry {
  std::string a{}, b{};  // bodies; * stands for any letters
  Place place{};
};

// Replaces what is given in the geometries whose names fit both patterns.
struct MaterialEntry {
  std::string bodies = "*", geometries = "*";
  std::optional<double> stiffness{}, dissipation{}, static_friction{}, dynamic_friction{},
      torsional_friction{}, rolling_friction{};
  std::optional<HydroelasticProperties> hydroelastic{};
  Place place{};
};

struct NumbersEntry {
  std::string name{};
  std::vector<double> values{};
  Place place{};
};
// A map from names to numbers.
struct NumbersByName {
  std::vector<NumbersEntry> entries{};
};

struct OutputEntry {
  SensorOutput output{};
  Place place{};
};

struct Scenario {
  LoadedModel own{};  // what stands in the file itself
  std::vector<ModelEntry> models{};
  std::vector<FilterEntry> filters{};
  std::vector<MaterialEntry> materials{};
  NumbersByName positions{}, velocities{};  // of joints
  std::vector<OutputEntry> outputs{};
};

template <typename A>
void describe(A& a, ModelEntry& m) {
  a.field("name", m.name);
  a.field("file", m.file, kRequired);
  a.field("keyframe", m.keyframe);
  a.field("pose", m.X_PM);
  a.field("attach_to", m.attach_to);
  a.field("weld", m.weld);
}
template <typename A>
void describe(A& a, FilterEntry& f) {
  a.field("a", f.a, kRequired);
  a.field("b", f.b, kRequired);
}
template <typename A>
void describe(A& a, MaterialEntry& m) {
  a.field("bodies", m.bodies);
  a.field("geometries", m.geometries);
  a.field("stiffness", m.stiffness, kInfinite);
  a.field("dissipation", m.dissipation);
  a.field("static_friction", m.static_friction);
  a.field("dynamic_friction", m.dynamic_friction);
  a.field("torsional_friction", m.torsional_friction);
  a.field("rolling_friction", m.rolling_friction);
  a.field("hydroelastic", m.hydroelastic);
}
template <typename A>
void describe(A& a, OutputEntry& o) {
  a.field("name", o.output.name, kRequired);
  a.field("signal", o.output.signal, kRequired);
}
template <typename A>
void describe(A& a, Scenario& s) {
  ModelSpec& spec = s.own.spec;
  a.field("name", spec.name);
  describe(a, s.own.run);
  a.field("gravity", spec.gravity);
  a.field("stiction_velocity", spec.stiction_velocity);
  a.field("friction_transition", spec.friction_transition);
  a.field("filter_parent_child", spec.filter_parent_child);
  a.field("models", s.models);
  a.field("geometries", spec.world_geometries);
  a.field("bodies", spec.bodies);
  a.field("tendons", spec.tendons);
  a.field("constraints", spec.constraints);
  a.field("filters", s.filters);
  a.field("pairs", spec.pairs);
  a.field("materials", s.materials);
  a.field("positions", s.positions);
  a.field("velocities", s.velocities);
  a.field("systems", spec.systems);
  a.field("wires", spec.wires);
  a.field("controls", s.own.controls);
  a.field("outputs", s.outputs);
  a.field("keyframes", s.own.keyframes);
  a.field("notes", spec.notes);
}

}  // namespace cenic::detail
