// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "sim/model_hash.h"

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>

#include "core/hash.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/hydroelastic/pressure_field.h"
#include "geometry/solid_mesh.h"
#include "multibody/multibody.h"
#include "systems/evaluator.h"

namespace cenic {
namespace {

class Hasher {
 public:
  std::uint64_t value() const { return value_; }

  template <class... Items>
  void operator()(const Items&... items) {
    (add(items), ...);
  }

 private:
  void add_bits(std::uint64_t bits) { value_ = mix(value_ ^ bits); }
  template <class T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void add(T x) { add_bits(static_cast<std::uint64_t>(x)); }
  void add(double x) { add_bits(std::bit_cast<std::uint64_t>(x)); }
  void add(const Vec3& x) { (*this)(x.x, x.y, x.z); }
  void add(const Spatial& x) { (*this)(x.w, x.v); }
  void add(const RigidTransform& X) { (*this)(X.p, X.R.column(0), X.R.column(1), X.R.column(2)); }
  void add(const std::string& text) {
    add(text.size());
    for (const char c : text) {
      add_bits(static_cast<unsigned char>(c));
    }
  }
  template <class Range>
  requires requires(const Range& items) { items[0]; }
  void add(const Range& items) {
    add(items.size());
    for (const auto& item : items) {
      add(item);
    }
  }

  std::uint64_t value_ = 0;
};

void add_geometry(const Geometry& g, Hasher* hash) {
  (*hash)(g.shape.kind, g.shape.size, g.link, g.X_LG, g.collides, g.group, g.mask);
  const Material& m = g.material;
  (*hash)(m.stiffness, m.dissipation, m.static_friction, m.dynamic_friction, m.torsional_friction,
          m.rolling_friction, m.friction_rule, m.friction_dimensions, m.priority);
  if (g.shape.hull) (*hash)(g.shape.hull->vertices);
  if (g.shape.mesh) (*hash)(g.shape.mesh->surface.vertices, g.shape.mesh->surface.triangles);
  if (g.shape.height_field) {
    const HeightField& f = *g.shape.height_field;
    (*hash)(f.rows, f.columns, f.half_x, f.half_y, f.base, f.heights);
  }
  if (g.field) {
    (*hash)(g.field->compliance, g.field->modulus, g.field->foundation, g.field->cells.size());
  }
  if (g.surface_velocity) (*hash)(g.surface_velocity(0), g.surface_velocity(1));
}

// Every coordinate, and every state but what sampled systems hold, which may be no quantity.
void displace(const Model& model, State* state) {
  const std::vector<double> q = state->q;
  integrate_positions(model, q, state->v, 0.1, RotationUpdate::kExponential, state->q);
  for (const System& s : model.systems) {
    for (std::size_t i = 0; i < s.state_names.size() && s.period == 0; ++i) {
      state->z[s.z_start + static_cast<int>(i)] += 0.1 * static_cast<double>(i + 1);
    }
  }
}

void add_systems(const Model& model, Hasher* hash) {
  for (const System& s : model.systems) {
    (*hash)(s.name, s.period, s.offset, s.nu, s.ny, s.nz, s.velocities, s.bodies, s.state_names);
    for (const System::Effort& effort : s.efforts) {
      (*hash)(effort.velocity, effort.limit);
    }
    for (const System::Signal& in : s.inputs) {
      (*hash)(in.source, in.size);
    }
  }
  if (model.systems.empty()) return;
  Measurements measurements;
  measurements.resize(model);
  SystemEvaluator systems(model);
  systems.set_measurements(&measurements);
  State state = make_initial_state(model);
  state.v.assign(model.nv, 1.0);  // gains on velocities show
  systems.set_state(state);
  (*hash)(systems.sample(state.t, state.z));
  std::vector<double> forces(model.nv);
  for (const double t : {0.0, 0.9, 3.7}) {  // and set-points that change
    state.t = t;
    if (t > 0) displace(model, &state);  // and gains on positions and states
    systems.set_state(state);
    (*hash)(systems.evaluate(t, true));
    std::ranges::fill(forces, 0.0);
    systems.add_forces(forces);
    (*hash)(state.z, systems.y(), systems.zdot(), forces);
  }
}

void add_tendon(const Tendon& t, Hasher* hash) {
  (*hash)(t.links, t.lower, t.upper, t.stiffness, t.damping, t.armature);
  for (const Tendon::Part& part : t.parts) {
    (*hash)(part.link, part.coefficient);
  }
  for (const PathBranch& branch : t.branches) {
    (*hash)(branch.divisor, branch.points.size());
    for (const PathPoint& point : branch.points) {
      (*hash)(point.p_B);
    }
    for (const PathObstacle& o : branch.obstacles) {
      (*hash)(o.after, o.X_BG, o.obstacle.radius, o.obstacle.cylinder, o.obstacle.inside,
              o.obstacle.side_G.value_or(Vec3{}));
    }
  }
}

}  // namespace

std::uint64_t calc_model_hash(const Model& model) {
  Hasher hash;
  hash(model.gravity, model.stiction_velocity, model.friction_transition, model.nq, model.nv,
       model.nz, model.ny);
  for (const Link& l : model.links) {
    hash(l.kind, l.parent, l.tree, l.q_start, l.v_start, l.X_PF, l.X_MB, l.axis_F, l.pitch,
         l.gravity_factor, l.M_BBo_B.mass, l.M_BBo_B.mc);
    if (l.curve != nullptr) {
      for (const CurveSegment& segment : l.curve->segments()) {
        hash(segment.length, segment.angle, l.curve->periodic());
      }
    }
    for (int i = 0; i < 3; ++i) {
      hash(l.M_BBo_B.I.column(i));
    }
  }
  for (const Geometry& g : model.geometries) {
    add_geometry(g, &hash);
  }
  for (const JointLimit& l : model.limits) {
    hash(l.link, l.lower, l.upper, l.stiffness, l.damping);
  }
  for (const Tendon& t : model.tendons) {
    add_tendon(t, &hash);
  }
  for (const Constraint& c : model.constraints) {
    hash(c.kind, c.link[0], c.link[1], c.X_LP, c.X_LQ, c.length, c.translation.stiffness,
         c.translation.damping, c.rotation.stiffness, c.rotation.damping, c.polynomial);
    if (c.kind == ConstraintKind::kTendon) hash(c.tendon[0], c.tendon[1]);
  }
  for (const Model::PairOverride& pair : model.pair_materials) {
    const PairMaterial& m = pair.material;
    hash(pair.key, m.stiffness, m.dissipation, m.static_friction, m.dynamic_friction,
         m.torsional_friction, m.rolling_friction);
  }
  hash(model.z0, model.z_weight, model.damping, model.armature, model.stiffness, model.dry_friction,
       model.rest, model.q0, model.v0, model.excluded, model.forced, model.filter_parent_child);
  add_systems(model, &hash);
  return hash.value();
}

}  // namespace cenic
