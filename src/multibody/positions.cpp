// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Coordinates: moving along velocities and measuring differences. Rotations are quaternions R_FM
// (ball) and R_WB (free) whose rates are given in F and W, so a rotation acts from the left.
#include <algorithm>
#include <cmath>

#include "multibody/mobilizer.h"
#include "multibody/multibody.h"

namespace cenic {

namespace {

Quat rotate_by(const Quat& q, const Vec3& theta, RotationUpdate update) {
  if (update == RotationUpdate::kExponential) {
    return normalized(exp_map(theta) * q);  // unit but for rounding, which must not pile up
  }
  // q + ½ (0, θ) q, scaled back to unit length.
  const Quat d = Quat{0, theta.x, theta.y, theta.z} * q;
  return normalized(Quat{q.w + 0.5 * d.w, q.x + 0.5 * d.x, q.y + 0.5 * d.y, q.z + 0.5 * d.z});
}

// The rate of θ when exp(θ) R turns with w, the inverse of the exponential map's derivative:
//   θ̇ = w − ½ θ × w + c θ × (θ × w),   c = (1 − (φ/2) cot(φ/2))/φ²,   φ = |θ|.
Vec3 calc_rotation_vector_rate(const Vec3& theta, const Vec3& w) {
  const double a = norm_squared(theta);
  double c = 1.0 / 12 + a / 720 + a * a / 30240;  // by series near 0, where the formula cancels
  if (a > 1e-3) {
    const double half = 0.5 * std::sqrt(a);
    c = (1 - half / std::tan(half)) / a;
  }
  const Vec3 turn = cross(theta, w);
  return w - 0.5 * turn + c * cross(theta, turn);
}

}  // namespace

namespace {

void integrate_link(const Link& link, const double* from, const double* rate, double h,
                    RotationUpdate update, double* to) {
  switch (link.kind) {
    case MobilizerKind::kFixed:
      break;
    case MobilizerKind::kFree:
      detail::store_vector(detail::load_vector(from + 4) + h * detail::load_vector(rate + 3),
                           to + 4);
      [[fallthrough]];
    case MobilizerKind::kBall:
      detail::store_quaternion(
          rotate_by(detail::load_quaternion(from), h * detail::load_vector(rate), update), to);
      break;
    default:
      to[0] = from[0] + h * rate[0];
  }
}

}  // namespace

void integrate_positions(const Model& model, const Tree& tree, std::span<const double> q,
                         std::span<const double> v, double h, RotationUpdate update,
                         std::span<double> q_out) {
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model.links[l];
    integrate_link(link, q.data() + link.q_start, v.data() + link.v_start, h, update,
                   q_out.data() + link.q_start);
  }
}

void integrate_positions(const Model& model, std::span<const double> q, std::span<const double> v,
                         double h, RotationUpdate update, std::span<double> q_out) {
  for (const Tree& tree : model.trees) {
    integrate_positions(model, tree, q, v, h, update, q_out);
  }
}

void displace_coordinate(const Model& model, int velocity, double delta, std::span<double> q) {
  const Link& link = model.links[model.dof_link[velocity]];
  double rate[6] = {};
  rate[velocity - link.v_start] = delta;
  double* at = q.data() + link.q_start;
  integrate_link(link, at, rate, 1, RotationUpdate::kExponential, at);
}

void calc_position_difference(const Model& model, const Tree& tree, std::span<const double> qa,
                              std::span<const double> qb, std::span<double> dv) {
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model.links[l];
    detail::calc_difference(link, qa.data() + link.q_start, qb.data() + link.q_start,
                            dv.data() + link.v_start);
  }
}

void calc_position_difference(const Model& model, std::span<const double> qa,
                              std::span<const double> qb, std::span<double> dv) {
  for (const Tree& tree : model.trees) {
    calc_position_difference(model, tree, qa, qb, dv);
  }
}

void calc_displacement_rate(const Model& model, std::span<const double> delta,
                            std::span<const double> v, std::span<double> rate) {
  for (const Tree& tree : model.trees) {
    calc_displacement_rate(model, tree, delta, v, rate);
  }
}

void calc_displacement_rate(const Model& model, const Tree& tree, std::span<const double> delta,
                            std::span<const double> v, std::span<double> rate) {
  std::copy_n(v.begin() + tree.v_start, tree.nv, rate.begin() + tree.v_start);
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model.links[l];
    if (link.kind != MobilizerKind::kBall && link.kind != MobilizerKind::kFree) continue;
    detail::store_vector(calc_rotation_vector_rate(detail::load_vector(delta.data() + link.v_start),
                                                   detail::load_vector(v.data() + link.v_start)),
                         rate.data() + link.v_start);
  }
}

void calc_coordinate_rate(const Model& model, std::span<const double> q, std::span<const double> v,
                          std::span<double> qdot) {
  for (std::size_t l = model.num_anchored_links; l < model.links.size(); ++l) {
    const Link& link = model.links[l];
    const double* rate = v.data() + link.v_start;
    double* to = qdot.data() + link.q_start;
    switch (link.kind) {
      case MobilizerKind::kFixed:
        break;
      case MobilizerKind::kFree:
        detail::store_vector(detail::load_vector(rate + 3), to + 4);
        [[fallthrough]];
      case MobilizerKind::kBall: {  // ½ (0, w) q
        const Quat turn = Quat{0, 0.5 * rate[0], 0.5 * rate[1], 0.5 * rate[2]};
        detail::store_quaternion(turn * detail::load_quaternion(q.data() + link.q_start), to);
        break;
      }
      default:
        to[0] = rate[0];
    }
  }
}

void calc_spring_displacement(const Model& model, const Tree& tree, std::span<const double> q,
                              std::span<double> dq) {
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    const Link& link = model.links[l];
    if (link.kind == MobilizerKind::kFree && model.stiffness[link.v_start] == 0) {
      std::fill_n(dq.data() + link.v_start, link.nv, 0.0);  // most of them: no logarithm
    } else {
      detail::calc_difference(link, model.rest.data() + link.q_start, q.data() + link.q_start,
                              dq.data() + link.v_start);
    }
  }
}

void calc_spring_displacement(const Model& model, std::span<const double> q, std::span<double> dq) {
  for (const Tree& tree : model.trees) {
    calc_spring_displacement(model, tree, q, dq);
  }
}

}  // namespace cenic
