// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Masses of bodies: given, or from their geoms; and MuJoCo's bounds on them.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/body_parts.h"
#include "math/symmetric_eigen.h"

namespace cenic::detail {
namespace {

// Applies f to the principal moments.
template <typename F>
Mat3 change_moments(const Mat3& I, const F& f) {
  std::array<double, 9> A{}, V{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[3 * i + j] = 0.5 * (I(i, j) + I(j, i));
    }
  }
  diagonalize_symmetric(3, A.data(), V.data());
  Vec3 moments{A[0], A[4], A[8]};
  f(&moments);
  Mat3 result;
  for (int k = 0; k < 3; ++k) {
    const Vec3 axis{V[3 * k], V[3 * k + 1], V[3 * k + 2]};
    result = result + moments[k] * outer(axis, axis);
  }
  return result;
}

}  // namespace

void apply_bounds(const MjcfCompiler& compiler, InertiaSpec* inertia) {
  inertia->mass = std::max(inertia->mass, compiler.bound_mass);
  if (compiler.bound_inertia > 0) {
    inertia->I_com = change_moments(inertia->I_com, [&](Vec3* m) {
      *m = cwise_max(*m, {compiler.bound_inertia, compiler.bound_inertia, compiler.bound_inertia});
    });
  }
  if (compiler.balance_inertia) {
    inertia->I_com = change_moments(inertia->I_com, [](Vec3* m) {
      const double sum = m->x + m->y + m->z, largest = std::max({m->x, m->y, m->z});
      if (2 * largest > sum) *m = {sum / 3, sum / 3, sum / 3};
    });
  }
}

void read_inertial(const XmlElement& element, const BodyContext& in, MjcfWorld* world) {
  const Attributes a(element, world->diagnostics);
  const RigidTransform X =
      in.X_BF * read_pose(a, in.instance->document->compiler, world->diagnostics);
  InertiaSpec inertia;
  if (!a.has("mass")) a.error("mass", "<inertial> gives no mass");
  inertia.mass = a.number("mass", 0);
  inertia.com = X.p;
  const std::vector<double> full = a.numbers("fullinertia", 6, 6);
  const std::vector<double> diagonal = a.numbers("diaginertia", 3, 3);
  Mat3 I;
  if (!full.empty()) {
    I = {{{full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}}};
  } else if (!diagonal.empty()) {
    I = Mat3::diagonal({diagonal[0], diagonal[1], diagonal[2]});
  } else if (inertia.mass > 0) {
    a.error("", "<inertial> gives no inertia; write diaginertia or fullinertia");
  }
  if (inertia.mass < 0) {
    a.error("mass", fmt::format("mass is {} kg; give a positive one", inertia.mass));
    return;
  }
  inertia.I_com = inertia.mass > 0 ? X.R * I * transpose(X.R) : Mat3{};
  in.body->given = inertia;
}

void finish_body(const MjcfCompiler& compiler, const OpenBody& open, MjcfWorld* world) {
  BodySpec& body = world->spec().bodies[open.index];
  place_at_reference(open.refs, &body);
  hide_contact_shapes(open.groups, &body.geometries);
  const bool from_geoms = compiler.inertia_from_geom == InertiaFromGeom::kYes ||
                          (compiler.inertia_from_geom == InertiaFromGeom::kAuto && !open.given);
  InertiaSpec inertia;
  if (open.given) inertia = *open.given;  // holds where there are no geoms to weigh
  if (from_geoms) {
    if (open.missing_mass != nullptr) {
      world->report(*open.missing_mass, Severity::kError,
                    "a mesh that the body's mass comes from cannot be read");
    }
    const SpatialInertia& M = open.from_geoms;
    if (M.mass > 0) inertia = {M.mass, M.com(), M.I_com()};
  }
  apply_bounds(compiler, &inertia);
  body.inertia = inertia;
}

void scale_total_mass(const MjcfCompiler& compiler, ModelSpec* spec) {
  if (!(compiler.total_mass > 0)) return;
  double sum = 0;
  const std::vector<double> trees = calc_tree_masses(*spec);
  for (std::size_t b = 0; b < trees.size(); ++b) {
    const bool fused = compiler.fuse_static && !std::isfinite(trees[b]);  // a part of the world
    if (!fused) sum += spec->bodies[b].inertia->mass;
  }
  if (!(sum > 0)) return;
  const double factor = compiler.total_mass / sum;
  for (BodySpec& body : spec->bodies) {
    body.inertia->mass *= factor;
    body.inertia->I_com = factor * body.inertia->I_com;
  }
}

namespace {

// What a spring or damper has beyond its first coefficient.
void add_polynomial(const MjcfJoint& joint, MjcfWorld* world) {
  TransmissionSpringParameters p{.slack_lower = joint.data.springref,
                                 .slack_upper = joint.data.springref};
  if (world->options.springs) p.more_stiffness = joint.data.more_stiffness;
  if (world->options.dampers) p.more_damping = joint.data.more_damping;
  if (p.more_stiffness.empty() && p.more_damping.empty()) return;
  const std::string& name = world->joint(joint).name;
  const bool one_axis =
      joint.data.type == JointType::kHinge || joint.data.type == JointType::kSlide;
  if (name.empty() || !one_axis) {
    world->report(*joint.element, Severity::kApproximated,
                  "stiffness, damping: polynomials by their first coefficient, but of hinges and "
                  "slides with a name");
    return;
  }
  p.transmission.joints = {{name, 1}};
  world->spec().systems.push_back({.name = system_name(name) + ":polynomial",
                                   .system = std::make_shared<TransmissionSpring>(p)});
}

}  // namespace

void set_joint_springs(MjcfWorld* world) {
  for (const MjcfJoint& joint : world->joints) {
    add_polynomial(joint, world);
    if (joint.data.springdamper.empty()) continue;
    const double time = joint.data.springdamper[0], ratio = joint.data.springdamper[1];
    const bool one_axis =
        joint.data.type == JointType::kHinge || joint.data.type == JointType::kSlide;
    if (!(time > 0) || !(ratio > 0) || !one_axis) {
      world->report(*joint.element, Severity::kIgnored,
                    "springdamper: for hinges and slides, with two positive numbers");
      continue;
    }
    const double inertia = calc_joint_inertia(world, joint);
    JointSpec& spec = world->joint(joint);
    if (world->options.springs) spec.stiffness = inertia / (time * time * ratio * ratio);
    if (world->options.dampers) spec.damping = 2 * inertia / time;
  }
}

std::unique_ptr<const Skeleton> make_skeleton(const ModelSpec& spec,
                                              const Transmission& transmission) {
  try {
    return std::make_unique<const Skeleton>(spec, transmission);
  } catch (const Error&) {
    return nullptr;
  }
}

const Skeleton* MjcfWorld::skeleton() {
  if (!skeleton_) skeleton_ = make_skeleton(spec());
  return skeleton_.get();
}

void set_limit_springs(MjcfWorld* world) {
  for (std::size_t j = 0; j < world->joints.size(); ++j) {
    const MjcfJoint& joint = world->joints[j];
    if (!joint.data.limited || !is_soft(joint.data.limit) || world->skeleton() == nullptr) continue;
    const SoftSpring spring = calc_soft_spring(
        joint.data.limit, world->skeleton()->calc_joint_inverse(static_cast<int>(j)));
    JointSpec& spec = world->joint(joint);
    spec.limit_stiffness = spring.stiffness;
    spec.limit_damping = spring.damping;
  }
}

double calc_joint_inertia(MjcfWorld* world, const MjcfJoint& joint) {
  const ModelSpec& spec = world->spec();
  SpatialInertia sum;  // about the world's origin, world axes
  const int n = static_cast<int>(spec.bodies.size());
  for (int b = joint.body; b < n; ++b) {
    // A body and all it carries stand one after the other.
    if (b > joint.body) {
      const auto parent = world->body_index.find(spec.bodies[b].parent);
      if (parent == world->body_index.end() || parent->second < joint.body) break;
    }
    if (!spec.bodies[b].inertia) continue;
    const InertiaSpec& inertia = *spec.bodies[b].inertia;
    const RigidTransform& X = world->X_WB[b];
    sum += SpatialInertia::from_com(inertia.mass, X * inertia.com,
                                    X.R * inertia.I_com * transpose(X.R));
  }
  const JointSpec& j = world->joint(joint);
  if (j.kind == JointKind::kPrismatic) return sum.mass + j.armature;
  const RigidTransform& X = world->X_WB[joint.body];
  const Vec3 axis = X.R * joint.axis_B;
  const SpatialInertia M = shift_inertia(sum, -(X * joint.p_B));
  return dot(axis, M.I * axis) + j.armature;
}

}  // namespace cenic::detail
