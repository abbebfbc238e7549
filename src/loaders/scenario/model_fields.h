// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Keys of what a ModelSpec is made of.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "loaders/scenario/fields.h"

namespace cenic::detail {

// ---- shapes: a geometry has the key of one of them ----

struct SphereFields {
  double radius = 0;
};
struct BoxFields {
  Vec3 half_extents{};
};
struct RoundFields {  // a cylinder or a capsule
  double radius = 0, half_length = 0;
};
struct EllipsoidFields {
  Vec3 semi_axes{};
};
struct HalfSpaceFields {};
// By file, or by numbers.
struct HullFields {
  std::string file{};
  Vec3 scale{1, 1, 1};
  std::vector<Vec3> vertices{};
};
struct MeshFields {
  std::string file{};
  Vec3 scale{1, 1, 1};
  std::vector<Vec3> vertices{};
  std::vector<std::array<int, 3>> triangles{};
  std::vector<std::array<int, 4>> tetrahedra{};
};
struct SurfaceFields {
  std::vector<Vec3> vertices{};
  std::vector<std::array<int, 3>> triangles{};
  std::vector<float> uv{};  // where the three corners of each triangle are in a picture
};
struct HeightFieldFields {
  int rows = 0, columns = 0;
  double half_x = 0, half_y = 0, base = 0;
  std::vector<double> heights{};
};
struct ShapeChoice {
  std::optional<SphereFields> sphere{};
  std::optional<BoxFields> box{};
  std::optional<RoundFields> cylinder{}, capsule{};
  std::optional<EllipsoidFields> ellipsoid{};
  std::optional<HalfSpaceFields> half_space{};
  std::optional<HullFields> convex{};
  std::optional<MeshFields> mesh{};
  std::optional<HeightFieldFields> height_field{};
  std::optional<SurfaceFields> surface{};  // alone, or beside `convex`: what is drawn
};

template <typename A>
void describe(A& a, SphereFields& s) {
  a.field("radius", s.radius, kRequired);
}
template <typename A>
void describe(A& a, BoxFields& s) {
  a.field("half_extents", s.half_extents, kRequired);
}
template <typename A>
void describe(A& a, RoundFields& s) {
  a.field("radius", s.radius, kRequired);
  a.field("half_length", s.half_length, kRequired);
}
template <typename A>
void describe(A& a, EllipsoidFields& s) {
  a.field("semi_axes", s.semi_axes, kRequired);
}
template <typename A>
void describe(A& /*a*/, HalfSpaceFields& /*s*/) {}
template <typename A>
void describe(A& a, HullFields& s) {
  a.field("file", s.file);
  a.field("scale", s.scale);
  a.field("vertices", s.vertices);
}
template <typename A>
void describe(A& a, MeshFields& s) {
  a.field("file", s.file);
  a.field("scale", s.scale);
  a.field("vertices", s.vertices);
  a.field("triangles", s.triangles);
  a.field("tetrahedra", s.tetrahedra);
}
template <typename A>
void describe(A& a, SurfaceFields& s) {
  a.field("vertices", s.vertices, kRequired);
  a.field("triangles", s.triangles, kRequired);
  a.field("uv", s.uv);
}
template <typename A>
void describe(A& a, HeightFieldFields& s) {
  a.field("rows", s.rows, kRequired);
  a.field("columns", s.columns, kRequired);
  a.field("half_x", s.half_x, kRequired);
  a.field("half_y", s.half_y, kRequired);
  a.field("base", s.base, kRequired);
  a.field("heights", s.heights, kRequired);
}
template <typename A>
void describe(A& a, ShapeChoice& s) {
  a.field("sphere", s.sphere);
  a.field("box", s.box);
  a.field("cylinder", s.cylinder);
  a.field("capsule", s.capsule);
  a.field("ellipsoid", s.ellipsoid);
  a.field("half_space", s.half_space);
  a.field("convex", s.convex);
  a.field("mesh", s.mesh);
  a.field("height_field", s.height_field);
  a.field("surface", s.surface);
}

// ---- bodies ----

template <typename A>
void describe(A& a, CurveSegment& s) {
  a.field("length", s.length, kRequired);
  a.field("angle", s.angle);
}
template <typename A>
void describe(A& a, JointSpec& j) {
  a.field("name", j.name);
  a.field("kind", j.kind, kRequired);
  a.field("pose", j.X_BF);
  a.field("axis", j.axis);
  a.field("pitch", j.pitch);
  a.field("curve", j.curve);
  a.field("periodic", j.periodic);
  a.field("damping", j.damping);
  a.field("armature", j.armature);
  a.field("stiffness", j.stiffness);
  a.field("rest", j.rest);
  a.field("dry_friction", j.dry_friction);
  a.field("lower", j.lower, kInfinite);
  a.field("upper", j.upper, kInfinite);
  a.field("limit_stiffness", j.limit_stiffness, kInfinite);
  a.field("limit_damping", j.limit_damping);
  a.field("position", j.position);
  a.field("velocity", j.velocity);
}
template <typename A>
void describe(A& a, Material& m) {
  a.field("stiffness", m.stiffness, kInfinite);
  a.field("dissipation", m.dissipation);
  a.field("static_friction", m.static_friction);
  a.field("dynamic_friction", m.dynamic_friction);
  a.field("torsional_friction", m.torsional_friction);
  a.field("rolling_friction", m.rolling_friction);
  a.field("friction_rule", m.friction_rule);
  a.field("friction_dimensions", m.friction_dimensions);
  a.field("priority", m.priority);
}
template <typename A>
void describe(A& a, PairMaterial& m) {
  a.field("stiffness", m.stiffness, kRequired);
  a.field("dissipation", m.dissipation);
  a.field("static_friction", m.static_friction);
  a.field("dynamic_friction", m.dynamic_friction);
  a.field("torsional_friction", m.torsional_friction);
  a.field("rolling_friction", m.rolling_friction);
}
template <typename A>
void describe(A& a, HydroelasticProperties& h) {
  a.field("compliance", h.compliance, kRequired);
  a.field("modulus", h.modulus);
  a.field("resolution", h.resolution);
  a.field("slab_thickness", h.slab_thickness);
}
template <typename A>
void describe(A& a, BeltVelocity& b) {
  a.field("mean", b.mean);
  a.field("amplitude", b.amplitude);
  a.field("angular_frequency", b.angular_frequency);
  a.field("phase", b.phase);
}
template <typename A>
void describe(A& a, TextureSpec& t) {
  a.field("file", t.file, kRequired);
  a.picture(t);
  a.field("cube", t.cube);
  a.field("repeat", t.repeat);
  a.field("per_metre", t.per_metre);
}
template <typename A>
void describe(A& a, GeometrySpec& g) {
  a.field("name", g.name);
  a.shape(g.shape);
  a.field("pose", g.X_BG);
  a.field("material", g.material);
  a.field("hydroelastic", g.hydroelastic);
  a.field("density", g.density);
  a.field("collides", g.collides);
  a.field("visible", g.visible);
  std::optional<BeltVelocity> belt;
  if (const auto* given = g.surface_velocity.template target<BeltVelocity>()) belt = *given;
  a.field("surface_velocity", belt);
  if (belt) g.surface_velocity = *belt;
  a.field("group", g.group);
  a.field("mask", g.mask);
  a.field("color", g.color);
  std::optional<TextureSpec> texture;
  if (!g.texture.file.empty()) texture = g.texture;
  a.field("texture", texture);
  if (texture) g.texture = *texture;
}
template <typename A>
void describe(A& a, InertiaSpec& i) {
  a.field("mass", i.mass, kRequired);
  a.field("center_of_mass", i.com);
  a.field("moments", i.I_com);
}
template <typename A>
void describe(A& a, BodySpec& b) {
  a.field("name", b.name, kRequired);
  a.field("parent", b.parent);
  a.field("pose", b.X_PB);
  a.field("joints", b.joints);
  a.field("inertia", b.inertia);
  a.field("gravity_compensation", b.gravity_compensation);
  a.field("geometries", b.geometries);
}

// ---- between bodies ----

template <typename A>
void describe(A& a, TendonPart& p) {
  a.field("joint", p.joint, kRequired | kName);
  a.field("coefficient", p.coefficient);
}
template <typename A>
void describe(A& a, PathPoint& p) {
  a.field("body", p.body, kRequired | kName);
  a.field("point", p.p_B);
}
template <typename A>
void describe(A& a, WrapObstacle& o) {
  a.field("radius", o.radius, kRequired);
  a.field("cylinder", o.cylinder);
  a.field("side", o.side_G);
  a.field("inside", o.inside);
}
template <typename A>
void describe(A& a, PathObstacle& o) {
  a.field("after", o.after);
  a.field("body", o.body, kRequired | kName);
  a.field("pose", o.X_BG);
  a.field("obstacle", o.obstacle, kRequired);
}
template <typename A>
void describe(A& a, PathBranch& b) {
  a.field("points", b.points, kRequired);
  a.field("obstacles", b.obstacles);
  a.field("divisor", b.divisor);
}
template <typename A>
void describe(A& a, TendonSpec& t) {
  a.field("name", t.name, kRequired | kName);
  a.field("joints", t.joints);
  a.field("branches", t.branches);
  a.field("lower", t.lower, kInfinite);
  a.field("upper", t.upper, kInfinite);
  a.field("limit_stiffness", t.limit_stiffness, kInfinite);
  a.field("limit_damping", t.limit_damping);
  a.field("armature", t.armature);
}

template <typename A>
void describe(A& a, ConstraintSpec& c) {
  a.field("name", c.name);
  a.field("kind", c.kind, kRequired);
  a.field("a", c.a, kRequired);
  a.field("b", c.b);
  a.field("frame_a", c.X_AP);
  a.field("frame_b", c.X_BQ);
  a.field("length", c.length);
  a.field("stiffness", c.stiffness, kInfinite);
  a.field("damping", c.damping);
  a.field("rotational_stiffness", c.rotational_stiffness, kInfinite);
  a.field("rotational_damping", c.rotational_damping);
  a.field("coordinate_a", c.coordinate_a);
  a.field("coordinate_b", c.coordinate_b);
  a.field("polynomial", c.polynomial);
}
template <typename A>
void describe(A& a, ContactPair& p) {
  a.field("a", p.a, kRequired);
  a.field("b", p.b, kRequired);
  a.field("material", p.material);
}
template <typename A>
void describe(A& a, WireSpec& w) {
  a.field("from", w.from, kRequired);
  a.field("to", w.to, kRequired);
}

// ---- what a file brings along ----

template <typename A>
void describe(A& a, Keyframe::SystemState& s) {
  a.field("system", s.system, kRequired);
  a.field("values", s.z, kRequired);
}
template <typename A>
void describe(A& a, Keyframe& k) {
  a.field("name", k.name, kRequired);
  a.field("time", k.time);
  a.field("q", k.q);
  a.field("v", k.v);
  a.field("ctrl", k.ctrl);
  a.field("states", k.states);
}
template <typename A>
void describe(A& a, RunSettings& r) {
  a.field("duration", r.duration);
  a.field("accuracy", r.accuracy);
  a.field("max_step", r.max_step);
  a.field("fixed_step", r.fixed_step);
  a.field("integrator", r.integrator);
  a.field("error_norm", r.error_norm);
  a.field("contact", r.contact);
  a.field("seed", r.seed);
}

}  // namespace cenic::detail
