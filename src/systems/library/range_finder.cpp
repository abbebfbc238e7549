// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/range_finder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "geometry/ray.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

bool is_seen(const Geometry& g, int from) { return g.body != from && g.color[3] > 0; }

// Is the ball about the geometry's origin nearer along the ray than `best`?
bool may_be_nearer(const Geometry& g, const Vec3& x_G, const Vec3& dir_G, double best) {
  if (!std::isfinite(g.bounding_radius)) return true;
  const double along = -dot(x_G, dir_G);
  const double beside = norm_squared(x_G) - along * along;
  return along + g.bounding_radius >= 0 && along - g.bounding_radius < best &&
         beside <= g.bounding_radius * g.bounding_radius * (1 + 1e-12);
}

}  // namespace

void RangeFinder::declare(Ports* ports) const {
  detail::check_finite("X_BS", X_BS_);
  ports->read_body(body_);
  // Then the bodies with something to see, in increasing order.
  const Model& model = ports->model();
  std::set<int> others;
  for (const Geometry& g : model.geometries) {
    if (is_seen(g, ports->bodies.front())) others.insert(g.body);
  }
  for (const int body : others) {
    ports->read_body(body < 0 ? kWorldName : model.bodies[body].name);
  }
  ports->add_output("distance");
  ports->depends_on_time = false;
}

void RangeFinder::evaluate(const SystemInput& in, SystemOutput* out) const {
  const RigidTransform X_WS = in.X_WB(0) * X_BS_;
  const Vec3 dir_W = X_WS.R * Vec3{0, 0, 1};
  const std::vector<int>& bodies = in.system().bodies;
  double best = std::numeric_limits<double>::infinity();
  for (const Geometry& g : in.model().geometries) {
    if (!is_seen(g, bodies.front())) continue;
    const auto body = std::lower_bound(bodies.begin() + 1, bodies.end(), g.body);
    const RigidTransform X_WG = in.X_WB(static_cast<int>(body - bodies.begin())) * g.X_LG;
    const Vec3 x_G = inverse_times(X_WG, X_WS.p), dir_G = transpose_times(X_WG.R, dir_W);
    if (may_be_nearer(g, x_G, dir_G, best)) best = std::min(best, cast_ray(g.shape, x_G, dir_G));
  }
  out->output(0)[0] = std::isfinite(best) ? best : -1;
}

}  // namespace cenic
