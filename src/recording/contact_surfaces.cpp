// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/contact_surfaces.h"

namespace cenic {
namespace {

// Relative motion below this, m and rad, changes neither picture nor energy to speak of: pressures
// of bodies that press 10 µm into each other by a hundredth.
constexpr double kStill = 1e-7;

bool is_near(const std::optional<RigidTransform>& X, const RigidTransform& Y) {
  if (!X) return false;
  double square = norm_squared(X->p - Y.p);
  for (int i = 0; i < 3; ++i) {
    square += norm_squared(X->R.row[i] - Y.R.row[i]);
  }
  return square < kStill * kStill;
}

}  // namespace

RigidTransform ContactSurfaces::calc_pose(const Kinematics& kin, int geometry) const {
  const Geometry& g = model_.geometries[geometry];
  return g.link >= 0 ? kin.X_WB[g.link] * g.X_LG : g.X_LG;
}

void ContactSurfaces::draw(const Kinematics& kin, std::array<int, 2> pair,
                           const SurfaceContacts::PolygonSink& sink) {
  const RigidTransform X_WA = calc_pose(kin, pair[0]), X_WB = calc_pose(kin, pair[1]);
  const RigidTransform X_AB = inverse(X_WA) * X_WB, X_AA{};
  Picture& m = memory_[pair_key(pair[0], pair[1])].picture;
  if (!is_near(m.X_AB, X_AB)) {
    m.X_AB = X_AB;
    m.sizes.clear();
    m.pressures.clear();
    m.corners_A.clear();
    surfaces_.draw({pair[0], model_.geometries[pair[0]], X_AA},
                   {pair[1], model_.geometries[pair[1]], X_AB},
                   [&m](std::span<const Vec3> corners_A, double pressure) {
                     m.sizes.push_back(static_cast<int>(corners_A.size()));
                     m.pressures.push_back(pressure);
                     m.corners_A.insert(m.corners_A.end(), corners_A.begin(), corners_A.end());
                   });
  }
  corners_W_.clear();
  for (const Vec3& p : m.corners_A) {
    corners_W_.push_back(X_WA * p);
  }
  std::span<const Vec3> rest = corners_W_;
  for (std::size_t i = 0; i < m.sizes.size(); ++i) {
    const auto size = static_cast<std::size_t>(m.sizes[i]);
    sink(rest.first(size), m.pressures[i]);
    rest = rest.subspan(size);
  }
}

double ContactSurfaces::calc_energy(const Kinematics& kin, std::array<int, 2> pair) {
  const RigidTransform X_WA = calc_pose(kin, pair[0]), X_WB = calc_pose(kin, pair[1]);
  const RigidTransform X_AB = inverse(X_WA) * X_WB;
  Energy& m = memory_[pair_key(pair[0], pair[1])].energy;
  if (!is_near(m.X_AB, X_AB)) {
    m.X_AB = X_AB;
    m.value = SurfaceContacts::calc_energy({pair[0], model_.geometries[pair[0]], X_WA},
                                           {pair[1], model_.geometries[pair[1]], X_WB});
  }
  return m.value;
}

}  // namespace cenic
