// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/frame_sensors.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

bool is_acceleration(FrameQuantity q) {
  return q == FrameQuantity::kLinearAcceleration || q == FrameQuantity::kAngularAcceleration;
}
bool is_own(FrameQuantity q) {
  return q == FrameQuantity::kOwnVelocity || q == FrameQuantity::kWorldVector;
}

// Reads the body and all that hangs on it; in that order in SystemInput.
void read_subtree(const std::string& body, Ports* ports) {
  const Model& model = ports->model();
  ports->read_body(body);
  const int root = ports->bodies.back();
  std::vector<char> inside(model.bodies.size(), 0);
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const int index = static_cast<int>(b), parent = model.bodies[b].parent;
    inside[b] = index == root || (parent < 0 ? root < 0 : inside[parent] != 0);
    if (inside[b] != 0 && index != root) ports->read_body(model.bodies[b].name);
  }
}

// Inertia of the i-th body read about its origin, in world axes: of the link that carries it alone,
// for all others of its joints' links are without mass.
SpatialInertia calc_inertia(const SystemInput& in, int i) {
  const int body = in.system().bodies[i];
  if (body < 0) return {};
  const SpatialInertia& M_B = in.model().links[in.model().bodies[body].link].M_BBo_B;
  return rotate(in.X_WB(i).R, M_B);
}

}  // namespace

void FrameSensor::declare(Ports* ports) const {
  detail::check_finite("X_BP", p_.X_BP);
  detail::check_finite("X_AR", p_.X_AR);
  detail::check_finite("vector", p_.vector);
  ports->read_body(p_.body);
  if (!p_.reference.empty()) {
    if (is_acceleration(p_.quantity) || is_own(p_.quantity)) {
      throw Error("this quantity is not relative to another frame; leave the reference empty");
    }
    ports->read_body(p_.reference);
  }
  ports->add_output("value", p_.quantity == FrameQuantity::kQuaternion ? 4 : 3);
  ports->reads_measurements = is_acceleration(p_.quantity);
  ports->depends_on_time = false;
}

void FrameSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  if (p_.quantity != FrameQuantity::kQuaternion) {
    detail::store(calc_vector(in), out->output(0));
    return;
  }
  Mat3 R = in.X_WB(0).R * p_.X_BP.R;
  if (!p_.reference.empty()) R = transpose(in.X_WB(1).R * p_.X_AR.R) * R;
  const Quat e = to_quaternion(R);
  const std::span<double> to = out->output(0);
  to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
}

Vec3 FrameSensor::calc_vector(const SystemInput& in) const {
  const RigidTransform X_WP = in.X_WB(0) * p_.X_BP;
  const Vec3 p_BoP_W = X_WP.p - in.X_WB(0).p;
  const bool relative = !p_.reference.empty();
  const RigidTransform X_WR = relative ? in.X_WB(1) * p_.X_AR : RigidTransform{};
  Spatial V = shift_motion(in.V_WB(0), p_BoP_W);
  const auto axis = [&](int k) {
    Vec3 unit;
    unit[k] = 1;
    return transpose_times(X_WR.R, X_WP.R * unit);
  };
  // Of P against the point of R's body at the same place.
  if (relative) V -= shift_motion(in.V_WB(1), X_WP.p - in.X_WB(1).p);
  switch (p_.quantity) {
    case FrameQuantity::kPosition:
      return inverse_times(X_WR, X_WP.p);
    case FrameQuantity::kXAxis:
      return axis(0);
    case FrameQuantity::kYAxis:
      return axis(1);
    case FrameQuantity::kZAxis:
      return axis(2);
    case FrameQuantity::kLinearVelocity:
      return transpose_times(X_WR.R, V.v);
    case FrameQuantity::kAngularVelocity:
      return transpose_times(X_WR.R, V.w);
    case FrameQuantity::kOwnVelocity:
      return transpose_times(X_WP.R, V.v);
    case FrameQuantity::kWorldVector:
      return transpose_times(X_WP.R, p_.vector);
    case FrameQuantity::kLinearAcceleration: {
      const Spatial A = in.calc_body_acceleration(0);
      const Vec3& w = in.V_WB(0).w;
      return A.v + cross(A.w, p_BoP_W) + cross(w, cross(w, p_BoP_W)) - in.model().gravity;
    }
    case FrameQuantity::kAngularAcceleration:
      return in.calc_body_acceleration(0).w;
    case FrameQuantity::kQuaternion:
      break;
  }
  return {};
}

void BallSensor::declare(Ports* ports) const {
  ports->read_joint(joint_);
  if (ports->num_velocities() != 3 || ports->coordinates.size() != 4) {
    throw Error(fmt::format("joint '{}' is no ball joint; name one", joint_));
  }
  ports->add_output("quaternion", 4);
  ports->add_output("velocity", 3);
  ports->depends_on_time = false;
}

void BallSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  for (int i = 0; i < 4; ++i) {
    out->output(0)[i] = in.q[i];
  }
  const Mat3 R_FM = to_matrix(detail::load_quaternion(in.q));
  detail::store(transpose_times(R_FM, detail::load(in.v)), out->output(1));
}

void SubtreeSensor::declare(Ports* ports) const {
  read_subtree(body_, ports);
  for (const char* name : {"com", "linvel", "angmom"}) {
    ports->add_output(name, 3);
  }
  ports->depends_on_time = false;
}

void SubtreeSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  double mass = 0;
  Vec3 moment;       // Σ m p
  Spatial momentum;  // about the world's origin
  for (int i = 0; i < static_cast<int>(in.system().bodies.size()); ++i) {
    const SpatialInertia M = calc_inertia(in, i);
    mass += M.mass;
    moment += M.mass * in.X_WB(i).p + M.mc;
    momentum += shift_force(M * in.V_WB(i), -in.X_WB(i).p);
  }
  if (!(mass > 0)) return;
  const Vec3 com = moment / mass;
  detail::store(com, out->output(0));
  detail::store(momentum.v / mass, out->output(1));
  detail::store(shift_force(momentum, com).w, out->output(2));
}

void InteractionSensor::declare(Ports* ports) const {
  detail::check_finite("X_BS", X_BS_);
  read_subtree(body_, ports);
  const Model& model = ports->model();
  const std::vector<int> subtree = ports->bodies;
  const auto inside = [&](int body) {
    return body >= 0 && std::ranges::find(subtree, body) != subtree.end();
  };
  for (int g = 0; g < static_cast<int>(model.geometries.size()); ++g) {
    if (inside(model.geometries[g].body)) ports->geometries.push_back(g);
  }
  // A constraint between two bodies of the subtree is nothing to the parent. Both bodies of the
  // others are read, after those of the subtree.
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    const Constraint& constraint = model.constraints[c];
    // Forces along coordinates and tendons count as the joints' own, as in MuJoCo.
    if (constraint.kind == ConstraintKind::kCoupler || constraint.kind == ConstraintKind::kTendon) {
      continue;
    }
    const auto body_of = [&](int side) {
      return constraint.link[side] < 0 ? -1 : model.links[constraint.link[side]].body;
    };
    if (inside(body_of(0)) == inside(body_of(1))) continue;
    ports->constraints.push_back(c);
    for (const int side : {0, 1}) {
      ports->read_body(model.constraint_side(c, side));
    }
  }
  ports->add_output("force", 3);
  ports->add_output("torque", 3);
  ports->reads_measurements = true;
  ports->depends_on_time = false;
}

void InteractionSensor::evaluate(const SystemInput& in, SystemOutput* out) const {
  const System& s = in.system();
  const int num_constraints = static_cast<int>(s.constraints.size());
  const int num_bodies = static_cast<int>(s.bodies.size()) - 2 * num_constraints;
  Spatial sum;  // at the world's origin
  for (int i = 0; i < num_bodies; ++i) {
    const SpatialInertia M = calc_inertia(in, i);
    const Spatial& V = in.V_WB(i);
    Spatial A = in.calc_body_acceleration(i);
    A.v -= in.model().gravity;
    const Vec3 L = M.I * V.w;
    const Spatial gyroscopic{cross(V.w, L), cross(V.w, cross(V.w, M.mc))};
    sum += shift_force(M * A + gyroscopic, -in.X_WB(i).p);
  }
  for (int g = 0; g < static_cast<int>(s.geometries.size()); ++g) {
    sum -= in.contact_force(g);
  }
  for (int c = 0; c < num_constraints; ++c) {
    const Constraint& constraint = in.model().constraints[s.constraints[c]];
    const int a = num_bodies + 2 * c, b = a + 1;
    const Vec3 p_WP = in.X_WB(a) * constraint.X_LP.p, p_WQ = in.X_WB(b) * constraint.X_LQ.p;
    const bool at_q = constraint.kind == ConstraintKind::kDistance;
    const auto bodies = std::span(s.bodies).first(num_bodies);
    const bool acts_on_b = std::ranges::find(bodies, s.bodies[b]) != bodies.end();
    const Spatial F = shift_force(in.constraint_force(c), -(at_q ? p_WQ : 0.5 * (p_WP + p_WQ)));
    sum -= acts_on_b ? F : -1.0 * F;
  }
  const RigidTransform X_WS = in.X_WB(0) * X_BS_;
  const Spatial F_S = shift_force(sum, X_WS.p);
  detail::store(transpose_times(X_WS.R, F_S.v), out->output(0));
  detail::store(transpose_times(X_WS.R, F_S.w), out->output(1));
}

}  // namespace cenic
