// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/compose.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "loaders/scenario/placement.h"

namespace cenic::detail {
namespace {

bool is_free(const BodySpec& body) {
  return body.joints.size() == 1 && body.joints[0].kind == JointKind::kFree;
}

RigidTransform pose_of(const std::vector<double>& q) {
  return {to_matrix(normalized(Quat{q[0], q[1], q[2], q[3]})), {q[4], q[5], q[6]}};
}

RigidTransform initial_pose(const BodySpec& body) {
  const std::vector<double>& q = body.joints[0].position;
  return q.size() == 7 ? pose_of(q) : body.X_PB;
}

void move_free_body(const RigidTransform& X, BodySpec* body) {
  JointSpec& joint = body->joints[0];
  for (std::vector<double>* q : {&joint.position, &joint.rest}) {
    if (q->size() != 7) continue;
    const RigidTransform X_WB = X * pose_of(*q);
    const Quat e = to_quaternion(X_WB.R);
    *q = {e.w, e.x, e.y, e.z, X_WB.p.x, X_WB.p.y, X_WB.p.z};
  }
  if (joint.velocity.size() == 6) {
    const std::vector<double>& v = joint.velocity;
    const Vec3 w = X.R * Vec3{v[0], v[1], v[2]}, u = X.R * Vec3{v[3], v[4], v[5]};
    joint.velocity = {w.x, w.y, w.z, u.x, u.y, u.z};
  }
  body->X_PB = X * body->X_PB;
}

// Adds one model.
class Adder {
 public:
  Adder(const ModelEntry& entry, LoadedModel* model, YamlSource* source, LoadedModel* whole)
      : entry_(entry),
        model_(*model),
        spec_(model->spec),
        source_(*source),
        whole_(*whole),
        attached_(entry.attach_to != kWorldName),
        placed_(attached_ || !(entry.X_PM == RigidTransform{})),
        prefix_(entry.name.empty() ? "" : entry.name + "::"),
        placement_(prefix_, placed_ ? prefix_ + kWorldName : kWorldName, entry.X_PM) {}

  void add() {
    if (!check_names()) return;
    report_what_the_scenario_decides();
    weld();
    if (placed_) add_frame();
    add_bodies();
    add_contacts();
    add_systems();
    for (const std::string& note : spec_.notes) {
      whole_.spec.notes.push_back(prefix_ + note);
    }
  }

 private:
  void error(const std::string& what) { source_.error(entry_.place, what); }

  bool check_names() {
    if (entry_.name.find_first_of(".*") != std::string::npos || entry_.name == kWorldName) {
      error(fmt::format("a model cannot be named '{}'; use letters, digits and _", entry_.name));
      return false;
    }
    if (placed_ && entry_.name.empty()) {
      error("a model with a pose, or attached to a body, needs a name; give it one");
      return false;
    }
    return true;
  }

  void report_what_the_scenario_decides() {
    const ModelSpec& whole = whole_.spec;
    const auto report = [&](bool differs, const char* what) {
      if (!differs) return;
      source_.report(
          entry_.place, Severity::kIgnored,
          fmt::format("{} of '{}': the scenario's own holds; set it there", what, entry_.file));
    };
    const RunSettings& run = model_.run;
    report(!(spec_.gravity == whole.gravity), "gravity");
    report(spec_.stiction_velocity != whole.stiction_velocity, "stiction_velocity");
    report(spec_.friction_transition != whole.friction_transition, "friction_transition");
    report(spec_.filter_parent_child != whole.filter_parent_child, "filter_parent_child");
    report(run.duration || run.accuracy || run.max_step || run.fixed_step || run.error_norm ||
               run.contact || !run.integrator.empty(),
           "settings of the run");
  }

  void weld() {
    if (entry_.weld.empty()) return;
    const auto body = std::ranges::find(spec_.bodies, entry_.weld, &BodySpec::name);
    if (body != spec_.bodies.end() && is_free(*body)) {
      body->X_PB = initial_pose(*body);
      body->joints.clear();
      return;
    }
    std::vector<std::string> free;
    for (const BodySpec& b : spec_.bodies) {
      if (is_free(b)) free.push_back(b.name);
    }
    error(fmt::format("'{}' is no free body of '{}' that could be welded; free are: {}",
                      entry_.weld, entry_.file,
                      free.empty() ? "none" : fmt::format("{}", fmt::join(free, ", "))));
  }

  // A body without mass in place of the model's world.
  void add_frame() {
    BodySpec frame;
    frame.name = placement_.name(kWorldName);
    frame.parent = entry_.attach_to;
    frame.X_PB = entry_.X_PM;
    frame.inertia = InertiaSpec{};
    frame.geometries = std::move(spec_.world_geometries);
    spec_.world_geometries.clear();
    rename_geometries(&frame.geometries);
    whole_.spec.bodies.push_back(std::move(frame));
  }

  void rename_geometries(std::vector<GeometrySpec>* geometries) {
    for (GeometrySpec& geometry : *geometries) {
      if (!geometry.name.empty()) geometry.name = prefix_ + geometry.name;
    }
  }

  void add_bodies() {
    rename_geometries(&spec_.world_geometries);
    std::ranges::move(spec_.world_geometries, std::back_inserter(whole_.spec.world_geometries));
    for (BodySpec& body : spec_.bodies) {
      if (is_free(body) && attached_) {
        error(
            fmt::format("'{}' is free and cannot be attached to '{}'; weld it, or place the "
                        "model in the world",
                        body.name, entry_.attach_to));
      } else if (is_free(body)) {
        move_free_body(entry_.X_PM, &body);
      } else {
        body.parent = placement_.name(body.parent);
      }
      body.name = prefix_ + body.name;
      for (JointSpec& joint : body.joints) {
        if (!joint.name.empty()) joint.name = prefix_ + joint.name;
      }
      rename_geometries(&body.geometries);
      whole_.spec.bodies.push_back(std::move(body));
    }
  }

  void add_contacts() {
    for (TendonSpec& tendon : spec_.tendons) {
      Placement placement = placement_;
      describe(placement, tendon);
      whole_.spec.tendons.push_back(std::move(tendon));
    }
    for (ConstraintSpec& c : spec_.constraints) {
      if (!c.name.empty()) c.name = prefix_ + c.name;
      c.a = placement_.name(c.a);
      c.b = placement_.name(c.b);
      whole_.spec.constraints.push_back(std::move(c));
    }
    for (const ContactFilter& f : spec_.exclude) {
      whole_.spec.exclude.push_back({placement_.name(f.a), placement_.name(f.b)});
    }
    for (const ContactPair& p : spec_.pairs) {
      whole_.spec.pairs.push_back({prefix_ + p.a, prefix_ + p.b});
    }
  }

  void add_systems() {
    for (SystemSpec& system : spec_.systems) {
      Placement placement = placement_;
      for_each_system_type([&](auto& type) {
        if (!type.matches(*system.system)) return false;
        type.take(*system.system);
        type.visit(placement);
        system.system = type.make();
        return true;
      });
      if (attached_ && placement.moved_anything()) {
        error(
            fmt::format("system '{}' has directions or a target in the world, which does not "
                        "move with '{}'; place the model in the world",
                        system.name, entry_.attach_to));
      }
      system.name = prefix_ + system.name;
      whole_.spec.systems.push_back(std::move(system));
    }
    for (const WireSpec& wire : spec_.wires) {
      whole_.spec.wires.push_back({prefix_ + wire.from, prefix_ + wire.to});
    }
    for (const std::string& control : model_.controls) {
      whole_.controls.push_back(prefix_ + control);
    }
    for (const SensorOutput& sensor : model_.sensors) {
      whole_.sensors.push_back(
          {sensor.name.empty() ? "" : prefix_ + sensor.name, prefix_ + sensor.signal});
    }
  }

  const ModelEntry& entry_;
  LoadedModel& model_;
  ModelSpec& spec_;
  YamlSource& source_;
  LoadedModel& whole_;
  bool attached_, placed_;
  std::string prefix_;
  Placement placement_;
};

}  // namespace

void add_model(const ModelEntry& entry, LoadedModel model, YamlSource* source, LoadedModel* whole) {
  Adder(entry, &model, source, whole).add();
}

}  // namespace cenic::detail
