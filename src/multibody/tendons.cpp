// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A straight part from a to b along the unit vector u has the rate u · (v_b − v_a). Where the
// string touches an obstacle it lies along its surface, so that sliding there changes nothing.
#include "multibody/tendons.h"

#include "multibody/walk_path.h"

namespace cenic {
namespace {

// Calls f(link a, a, link b, b, u/divisor, distance) for each straight part that has a direction;
// returns the length of all.
template <class F>
double for_each_part(const Kinematics& kin, const Tendon& tendon, const F& f) {
  double length = 0;
  length += walk_path(
      tendon.branches,
      [&](int i) {
        const int link = tendon.links[i];
        return link < 0 ? RigidTransform{} : kin.X_WB[link];
      },
      [&](int i, const Vec3& a, int k, const Vec3& b, double divisor) {
        const double distance = norm(b - a);
        length += distance / divisor;
        if (!(distance > 0)) return;
        f(tendon.links[i], a, tendon.links[k], b, (b - a) / (distance * divisor), distance);
      });
  return length;
}

// Of a point of a link, when all velocities stay as they are.
Vec3 calc_point_bias(const Model& model, const Kinematics& kin, std::span<const double> v, int link,
                     const Vec3& p_W) {
  if (link < model.num_anchored_links) return {};
  const Spatial A = calc_link_acceleration(model, kin, link, v, {});
  const Vec3 r = p_W - kin.X_WB[link].p, &w = kin.V_WB[link].w;
  return A.v + cross(A.w, r) + cross(w, cross(w, r));
}

}  // namespace

double calc_tendon_length(const Model& model, const Kinematics& kin, std::span<const double> q,
                          int index) {
  const Tendon& tendon = model.tendons[index];
  double length = for_each_part(kin, tendon, [](auto&&...) {});
  for (const Tendon::Part& part : tendon.parts) {
    length += part.coefficient * q[model.links[part.link].q_start];
  }
  return length;
}

double calc_tendon_rate(const Model& model, const Kinematics& kin, std::span<const double> v,
                        int index) {
  const Tendon& tendon = model.tendons[index];
  double rate = 0;
  for (const Tendon::Part& part : tendon.parts) {
    rate += part.coefficient * v[model.links[part.link].v_start];
  }
  for_each_part(kin, tendon,
                [&](int la, const Vec3& a, int lb, const Vec3& b, const Vec3& u, double) {
                  rate += dot(u, calc_point_velocity(kin, lb, b) - calc_point_velocity(kin, la, a));
                });
  return rate;
}

void add_tendon_row(const Model& model, const Kinematics& kin, int index, int tree, double scale,
                    double* J) {
  const Tendon& tendon = model.tendons[index];
  for (const Tendon::Part& part : tendon.parts) {
    const Link& link = model.links[part.link];
    if (link.tree != tree) continue;
    J[link.v_start - model.trees[tree].v_start] += scale * part.coefficient;
  }
  const auto add = [&](int link, const Vec3& p_W, const Vec3& u, double sign) {
    if (link < 0 || model.links[link].tree != tree) return;
    const Spatial direction{{}, u};
    add_spatial_jacobian(model, kin, link, p_W, {&direction, 1}, sign, 0, J);
  };
  for_each_part(kin, tendon,
                [&](int la, const Vec3& a, int lb, const Vec3& b, const Vec3& u, double) {
                  add(la, a, u, -scale);
                  add(lb, b, u, scale);
                });
}

double calc_tendon_bias(const Model& model, const Kinematics& kin, std::span<const double> v,
                        int index) {
  double bias = 0;
  // d/dt (u · w) with the relative velocity w and u̇ = (w − u (u · w))/distance.
  for_each_part(kin, model.tendons[index],
                [&](int la, const Vec3& a, int lb, const Vec3& b, const Vec3& u, double distance) {
                  const Vec3 w = calc_point_velocity(kin, lb, b) - calc_point_velocity(kin, la, a);
                  const double size = norm(u), along = dot(u, w) / size;  // size: 1/divisor
                  bias += dot(u, calc_point_bias(model, kin, v, lb, b) -
                                     calc_point_bias(model, kin, v, la, a));
                  bias += size * (dot(w, w) - along * along) / distance;
                });
  return bias;
}

void calc_tendon_gaps(const Model& model, const Kinematics& kin, std::span<const double> q,
                      int tendon, double* gap_lower, double* gap_upper) {
  const double length = calc_tendon_length(model, kin, q, tendon);
  *gap_lower = length - model.tendons[tendon].lower;
  *gap_upper = model.tendons[tendon].upper - length;
}

}  // namespace cenic
