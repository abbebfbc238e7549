// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/suction_cup.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/point_distance.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

// Order of the bodies; the first two are pushed, and read like the third.
constexpr int kObject = 0, kMount = 1, kCup = 2;

// Of all geometries of the body that collide.
PointDistance find_nearest(const Model& model, int body, const Vec3& p_B) {
  PointDistance nearest{std::numeric_limits<double>::infinity(), {}, {}};
  for (const Geometry& g : model.geometries) {
    if (g.body != body || !g.collides) continue;
    const PointDistance found = calc_point_distance(g.shape, inverse_times(g.X_LG, p_B));
    if (found.distance >= nearest.distance) continue;
    nearest = {found.distance, g.X_LG.R * found.gradient, g.X_LG * found.closest};
  }
  return nearest;
}

}  // namespace

void SuctionCup::declare(Ports* ports) const {
  const auto check = [](const char* what, double value) {
    if (!(value > 0)) throw Error(fmt::format("{} is {}; it must be positive", what, value));
  };
  check("strength", suction_.strength);
  check("softening", suction_.softening);
  check("range", suction_.range);
  ports->push_body(suction_.object);
  ports->push_body(suction_.mount.empty() ? suction_.cup : suction_.mount);
  ports->read_body(suction_.cup);
  ports->add_output("force");
  ports->depends_on_time = false;
  const int object = ports->bodies[kObject];
  const bool solid = std::ranges::any_of(ports->model().geometries, [&](const Geometry& g) {
    return g.body == object && g.collides;
  });
  if (!solid) {
    throw Error(fmt::format("body '{}' has no geometry that collides; there is nothing to pull at",
                            suction_.object));
  }
}

void SuctionCup::evaluate(const SystemInput& in, SystemOutput* out) const {
  const RigidTransform &X_WCup = in.X_WB(kCup), &X_WObject = in.X_WB(kObject);
  const Vec3 p_WRim = X_WCup * suction_.p_CupRim;
  const PointDistance near =
      find_nearest(in.model(), in.system().bodies[kObject], inverse_times(X_WObject, p_WRim));
  // The normal and not the line to the rim: the same outside, and defined in contact, too.
  const Vec3 towards_cup = X_WObject.R * near.gradient;
  const double d = std::max(0.0, near.distance);
  if (d >= suction_.range) return;
  double force = suction_.strength *
                 (1 / (d + suction_.softening) - 1 / (suction_.range + suction_.softening));
  if (suction_.direction != Vec3{}) {
    const Vec3 ahead = X_WCup.R * normalized(suction_.direction);
    force *= std::max(0.0, -dot(ahead, towards_cup));
  }
  const Vec3 f = force * towards_cup, p = X_WObject * near.closest;
  out->F[kObject] = {cross(p - X_WObject.p, f), f};
  out->F[kMount] = {cross(in.X_WB(kMount).p - p, f), -f};
  out->output(0)[0] = force;
}

}  // namespace cenic
