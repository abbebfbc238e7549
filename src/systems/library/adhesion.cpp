// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/adhesion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/manifold.h"
#include "systems/library/parameters.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

// Calls f(index of the other body among those declared, manifold from the body's geometry to the
// other's) for each pair of geometries that is within the gap.
template <class F>
void for_each_contact(const SystemInput& in, double gap, F f) {
  const System& s = in.system();
  const Model& model = in.model();
  // The body's own geometries are declared first, then those of others.
  for (const int a : s.geometries) {
    const Geometry& A = model.geometries[a];
    if (A.body != s.bodies[0]) continue;
    const RigidTransform X_WA = in.X_WB(0) * A.X_LG;
    for (const int b : s.geometries) {
      const Geometry& B = model.geometries[b];
      if (B.body == s.bodies[0] || !model.may_touch(a, b)) continue;
      const auto other = static_cast<int>(std::ranges::find(s.bodies, B.body) - s.bodies.begin());
      const RigidTransform X_WB = in.X_WB(other) * B.X_LG;
      const double reach = A.bounding_radius + B.bounding_radius + gap;
      if (std::isfinite(reach) && norm(X_WB.p - X_WA.p) > reach) continue;
      Manifold manifold;
      calc_manifold(A.shape, X_WA, B.shape, X_WB, {.margin = gap}, &manifold);
      if (manifold.count > 0) f(other, manifold);
    }
  }
}

double calc_weight(double phi, double gap) { return std::clamp(1 - phi / gap, 0.0, 1.0); }

}  // namespace

void Adhesion::declare(Ports* ports) const {
  detail::check_finite("gain", p_.gain);
  detail::check_positive("gap", p_.gap);
  if (!(p_.ctrl_min <= p_.ctrl_max)) throw Error("ctrl_min is above ctrl_max; swap them");
  const Model& model = ports->model();
  ports->push_body(p_.body);
  const int body = ports->bodies[0];
  const int num_geometries = static_cast<int>(model.geometries.size());
  for (int g = 0; g < num_geometries; ++g) {
    if (model.geometries[g].body == body && model.geometries[g].collides) {
      ports->geometries.push_back(g);
    }
  }
  const std::vector<int> own = ports->geometries;
  if (own.empty()) {
    throw Error(
        fmt::format("body '{}' has no geometry that collides; there is nothing to stick", p_.body));
  }
  for (int g = 0; g < num_geometries; ++g) {
    const bool touches = std::ranges::any_of(own, [&](int a) {
      return a != g && model.may_touch(a, g);
    });
    if (!touches) continue;
    ports->geometries.push_back(g);
    const int other = model.geometries[g].body;
    if (std::ranges::find(ports->bodies, other) != ports->bodies.end()) continue;
    ports->push_body(other < 0 ? kWorldName : model.bodies[other].name);
  }
  ports->add_input("ctrl");
  ports->add_output("force");
  ports->depends_on_time = false;
}

void Adhesion::evaluate(const SystemInput& in, SystemOutput* out) const {
  const double force = p_.gain * std::clamp(in.u[0], p_.ctrl_min, p_.ctrl_max);
  out->output(0)[0] = force;
  double sum = 0;
  for_each_contact(in, p_.gap, [&](int, const Manifold& m) {
    for (int i = 0; i < m.count; ++i) {
      sum += calc_weight(m.points[i].phi, p_.gap);
    }
  });
  if (!(sum > 0)) return;
  const double share = force / std::max(1.0, sum);
  for_each_contact(in, p_.gap, [&](int other, const Manifold& m) {
    for (int i = 0; i < m.count; ++i) {
      const Vec3 f = share * calc_weight(m.points[i].phi, p_.gap) * m.nhat_AB_W;
      const Vec3 p = 0.5 * (m.points[i].p_WA + m.points[i].p_WB);
      out->F[0] += {cross(p - in.X_WB(0).p, f), f};
      out->F[other] += {cross(in.X_WB(other).p - p, f), -f};
    }
  });
}

bool Adhesion::differentiate(const SystemInput& in, SystemJacobian* J) const {
  const bool inside = in.u[0] > p_.ctrl_min && in.u[0] < p_.ctrl_max;
  (*J)(J->y(0), J->u(0)) = inside ? p_.gain : 0;
  return true;
}

}  // namespace cenic
