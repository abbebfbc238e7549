// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/mass_properties.h"

#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

namespace cenic::detail {

namespace {

// Files round inertias; this much of the largest principal moment is forgiven.
constexpr double kInertiaTolerance = 1e-6;
// A needle 1 m long and 20 µm thick has a ratio of moments of 6e-10; below this the small moment is
// rounding.
constexpr double kSmallestMomentRatio = 1e-12;

bool is_finite(const Mat3& A) {
  return cenic::is_finite(A.row[0]) && cenic::is_finite(A.row[1]) && cenic::is_finite(A.row[2]);
}

bool is_symmetric(const Mat3& A) {
  const double asymmetry =
      std::fabs(A(0, 1) - A(1, 0)) + std::fabs(A(0, 2) - A(2, 0)) + std::fabs(A(1, 2) - A(2, 1));
  return asymmetry <= kInertiaTolerance * std::fabs(trace(A));
}

// Principal moments must be positive, and none above the sum of the other two: with I = ∫ (r² 1 − r
// rᵀ) dm, I1 + I2 − I3 = 2 ∫ z² dm ≥ 0.
void check_moments(const std::string& who, const Mat3& I, Problems* problems) {
  Eigen::Matrix3d A;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A(i, j) = 0.5 * (I(i, j) + I(j, i));
    }
  }
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(A, Eigen::EigenvaluesOnly).eigenvalues();
  const auto [small, middle, large] = std::array{moments(0), moments(1), moments(2)};
  const std::string list = fmt::format("({:.6g}, {:.6g}, {:.6g}) kg m²", small, middle, large);
  if (!(small > kSmallestMomentRatio * large)) {
    problems->add(who, fmt::format("the principal moments of inertia are {}; a body with mass has "
                                   "positive ones: correct I_com",
                                   list));
  } else if (small + middle < large * (1 - kInertiaTolerance)) {
    problems->add(who, fmt::format("the principal moments of inertia are {}; no body has one above "
                                   "the sum of the other two: correct I_com",
                                   list));
  }
}

// Does the body bring mass? A wrong number counts as mass, so that it is reported once.
bool brings_mass(const BodySpec& body) {
  if (body.inertia) return body.inertia->mass != 0;
  for (const GeometrySpec& geometry : body.geometries) {
    const ShapeKind kind = geometry.shape.kind;
    const bool solid = kind != ShapeKind::kHalfSpace && kind != ShapeKind::kHeightField &&
                       kind != ShapeKind::kSurface;
    if (solid && geometry.density != 0) return true;
  }
  return false;
}

}  // namespace

SpatialInertia calc_body_inertia(const BodySpec& body) {
  if (body.inertia) {
    return SpatialInertia::from_com(body.inertia->mass, body.inertia->com, body.inertia->I_com);
  }
  SpatialInertia sum;
  for (const GeometrySpec& geometry : body.geometries) {
    SpatialInertia M = calc_unit_density_inertia(geometry.shape);  // about Go in G axes
    M.mass *= geometry.density;
    M.mc *= geometry.density;
    M.I = geometry.density * M.I;
    sum += shift_inertia(rotate(geometry.X_BG.R, M), geometry.X_BG.p);
  }
  return sum;
}

void check_inertia(const BodySpec& body, Problems* problems) {
  if (!body.inertia) return;
  const InertiaSpec& inertia = *body.inertia;
  const std::string who = describe(body);
  if (!std::isfinite(inertia.mass) || inertia.mass < 0) {
    problems->add(who, fmt::format("mass is {} kg; give a positive mass", inertia.mass));
    return;
  }
  if (!problems->check_finite(who, "the centre of mass", inertia.com)) return;
  if (!is_finite(inertia.I_com)) {
    problems->add(who, "I_com holds a number that is not finite; give a finite inertia");
  } else if (!is_symmetric(inertia.I_com)) {
    problems->add(who, "I_com is not symmetric; give a symmetric inertia");
  } else if (inertia.mass > 0) {
    // A point of mass, welded to what has more than that.
    if (body.joints.empty() && inertia.I_com == Mat3{}) return;
    check_moments(who, inertia.I_com, problems);
  } else if (!(inertia.I_com == Mat3{})) {
    problems->add(who, "it has an inertia but no mass; give a positive mass or zero inertia");
  }
}

void check_moved_mass(const ModelSpec& spec, const Topology& topology, Problems* problems) {
  std::vector<bool> moves_mass(spec.bodies.size(), false);
  // From the leaves inwards, so that each body knows its subtree.
  for (auto it = topology.order.rbegin(); it != topology.order.rend(); ++it) {
    const int b = *it;
    if (brings_mass(spec.bodies[b])) moves_mass[b] = true;
    if (moves_mass[b] && topology.parent[b] >= 0) moves_mass[topology.parent[b]] = true;
  }
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    for (int j = 0; j < static_cast<int>(body.joints.size()); ++j) {
      if (moves_mass[b] || body.joints[j].armature != 0) continue;
      problems->add(describe_joint(body, j),
                    "it moves no mass; give the body an inertia or a geometry with a density, or "
                    "the joint an armature, or remove the joint");
    }
  }
}

}  // namespace cenic::detail
