// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Distance, ball and weld are alike: the rows are components of B's velocity relative to A's, both
// taken at one point C. The component r is V · D_r, so D_r is also the force at C of a unit
// multiplier.
#include "multibody/constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multibody/mobilizer.h"
#include "multibody/tendons.h"

namespace cenic {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Points closer than this have no direction from one to the other, m.
constexpr double kSamePoint = 1e-14;

struct Frames {
  RigidTransform X_WP, X_WQ;
};

Frames calc_frames(const Constraint& constraint, const Kinematics& kin) {
  const auto pose = [&](int link, const RigidTransform& X_L) {
    return link < 0 ? X_L : kin.X_WB[link] * X_L;
  };
  return {pose(constraint.link[0], constraint.X_LP), pose(constraint.link[1], constraint.X_LQ)};
}

// p(x) and p'(x) of c0 + c1 x + c2 x² + … (Horner).
struct PolynomialValue {
  double value = 0, slope = 0;
};

PolynomialValue evaluate(const std::vector<double>& coefficients, double x) {
  PolynomialValue p;
  for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) {
    p.slope = p.slope * x + p.value;
    p.value = p.value * x + *c;
  }
  return p;
}

double coupled_position(const Model& model, const Constraint& constraint, std::span<const double> q,
                        int side) {
  return q[model.links[constraint.link[side]].q_start];
}

// The rows of a constraint between bodies.
struct BodyRows {
  Vec3 p_WC;
  Spatial dir[kMaxConstraintRows];
};

BodyRows calc_body_rows(const Constraint& constraint, const Kinematics& kin) {
  const Frames frames = calc_frames(constraint, kin);
  const Vec3 p_PQ = frames.X_WQ.p - frames.X_WP.p;
  BodyRows rows;
  if (constraint.kind == ConstraintKind::kDistance) {
    // Along p̂ the points P and Q of A move alike, so C = Q serves for A as well.
    const double distance = norm(p_PQ);
    rows.p_WC = frames.X_WQ.p;
    rows.dir[0].v = distance < kSamePoint ? Vec3{1, 0, 0} : p_PQ / distance;
    return rows;
  }
  rows.p_WC = frames.X_WP.p + 0.5 * p_PQ;
  const int first = constraint.kind == ConstraintKind::kWeld ? 3 : 0;
  for (int i = 0; i < 3; ++i) {
    if (first > 0) rows.dir[i].w[i] = 1;
    rows.dir[first + i].v[i] = 1;
  }
  return rows;
}

void add_coupler_row(const Model& model, const Constraint& constraint, std::span<const double> q,
                     int tree, double* J) {
  const double slope =
      evaluate(constraint.polynomial, coupled_position(model, constraint, q, 1)).slope;
  const double rates[2] = {1, -slope};
  for (int side = 0; side < 2; ++side) {
    if (model.tree_of(constraint.link[side]) != tree) continue;
    J[model.links[constraint.link[side]].v_start - model.trees[tree].v_start] += rates[side];
  }
}

// Of the second tendon's length; without one, the constant.
PolynomialValue evaluate_tendon(const Model& model, const Constraint& constraint,
                                const Kinematics& kin, std::span<const double> q) {
  const int b = constraint.tendon[1];
  return evaluate(constraint.polynomial, b < 0 ? 0 : calc_tendon_length(model, kin, q, b));
}

}  // namespace

int num_rows(ConstraintKind kind) {
  switch (kind) {
    case ConstraintKind::kCoupler:
    case ConstraintKind::kDistance:
    case ConstraintKind::kTendon:
      return 1;
    case ConstraintKind::kBall:
      return 3;
    case ConstraintKind::kWeld:
      return 6;
  }
  return 0;
}

void calc_constraint_error(const Model& model, const Kinematics& kin, std::span<const double> q,
                           int c, double* g) {
  const Constraint& constraint = model.constraints[c];
  if (constraint.kind == ConstraintKind::kCoupler) {
    const double qb = coupled_position(model, constraint, q, 1);
    g[0] = coupled_position(model, constraint, q, 0) - evaluate(constraint.polynomial, qb).value;
    return;
  }
  if (constraint.kind == ConstraintKind::kTendon) {
    g[0] = calc_tendon_length(model, kin, q, constraint.tendon[0]) -
           evaluate_tendon(model, constraint, kin, q).value;
    return;
  }
  const auto [X_WP, X_WQ] = calc_frames(constraint, kin);
  const Vec3 p_PQ = X_WQ.p - X_WP.p;
  if (constraint.kind == ConstraintKind::kDistance) {
    g[0] = norm(p_PQ) - constraint.length;
    return;
  }
  if (constraint.kind == ConstraintKind::kWeld) {
    detail::store_vector(log_map(to_quaternion(X_WQ.R * transpose(X_WP.R))), g);
    g += 3;
  }
  detail::store_vector(p_PQ, g);
}

void add_constraint_rows(const Model& model, const Kinematics& kin, std::span<const double> q,
                         int c, int tree, int ld, double* J) {
  const Constraint& constraint = model.constraints[c];
  if (std::ranges::find(constraint.trees, tree) == constraint.trees.end()) return;
  if (constraint.kind == ConstraintKind::kCoupler) {
    add_coupler_row(model, constraint, q, tree, J);
    return;
  }
  if (constraint.kind == ConstraintKind::kTendon) {
    add_tendon_row(model, kin, constraint.tendon[0], tree, 1, J);
    if (constraint.tendon[1] < 0) return;
    const double slope = evaluate_tendon(model, constraint, kin, q).slope;
    add_tendon_row(model, kin, constraint.tendon[1], tree, -slope, J);
    return;
  }
  const BodyRows rows = calc_body_rows(constraint, kin);
  const std::span<const Spatial> dirs(rows.dir, num_rows(constraint.kind));
  for (int side = 0; side < 2; ++side) {
    if (model.tree_of(constraint.link[side]) != tree) continue;
    add_spatial_jacobian(model, kin, constraint.link[side], rows.p_WC, dirs, side == 0 ? -1 : 1, ld,
                         J);
  }
}

Spatial calc_constraint_force(const Model& model, const Kinematics& kin,
                              std::span<const double> /*q*/, int c, const double* lambda,
                              Vec3* p_WC) {
  const Constraint& constraint = model.constraints[c];
  *p_WC = {};
  Spatial force;
  if (constraint.kind == ConstraintKind::kCoupler || constraint.kind == ConstraintKind::kTendon) {
    return force;
  }
  const BodyRows rows = calc_body_rows(constraint, kin);
  *p_WC = rows.p_WC;
  for (int r = 0; r < num_rows(constraint.kind); ++r) {
    force += lambda[r] * rows.dir[r];
  }
  return force;
}

void calc_limit_errors(const Model& model, std::span<const double> q, int limit_index,
                       double* gap_lower, double* gap_upper) {
  const JointLimit& limit = model.limits[limit_index];
  const Link& link = model.links[limit.link];
  const double* x = q.data() + link.q_start;
  if (link.kind == MobilizerKind::kBall) {
    // The quaternions e and −e are one rotation: |w| takes the shorter way.
    const Quat e = detail::load_quaternion(x);
    *gap_lower = kInfinity;
    *gap_upper = limit.upper - 2 * std::atan2(norm(Vec3{e.x, e.y, e.z}), std::fabs(e.w));
    return;
  }
  *gap_lower = x[0] - limit.lower;
  *gap_upper = limit.upper - x[0];
}

Vec3 calc_ball_limit_axis(const Model& model, std::span<const double> q, int limit) {
  const Link& link = model.links[model.limits[limit].link];
  const Quat e = detail::load_quaternion(q.data() + link.q_start);
  const double sign = e.w < 0 ? -1 : 1;
  return normalized(sign * Vec3{e.x, e.y, e.z});
}

}  // namespace cenic
