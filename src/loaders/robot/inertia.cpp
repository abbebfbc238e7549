// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "loaders/robot/robot.h"
#include "math/symmetric_eigen.h"

namespace cenic::detail {
namespace {

constexpr double kPointRadius = 1e-3;  // m
constexpr double kThinnest = 1e-9;     // ratio of moments
constexpr double kRounding = 1e-6;     // files round

struct Principal {
  Vec3 moments{};
  std::array<Vec3, 3> axes{};
};

Principal find_principal(const Mat3& I) {
  std::array<double, 9> A{}, V{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      A[3 * i + j] = I(i, j);
    }
  }
  diagonalize_symmetric(3, A.data(), V.data());
  Principal p;
  p.moments = {A[0], A[4], A[8]};
  for (std::size_t k = 0; k < 3; ++k) {
    p.axes[k] = {V[3 * k], V[3 * k + 1], V[3 * k + 2]};
  }
  return p;
}

Mat3 with_moments(const Principal& p, const Vec3& moments) {
  Mat3 I;
  for (int k = 0; k < 3; ++k) {
    I = I + moments[k] * outer(p.axes[k], p.axes[k]);
  }
  return I;
}

// A mass is spread along each principal axis by ∫ x² dm = (Iy + Iz − Ix)/2, which is negative along
// the axis of too large a moment. The nearest body there is has none there and the same along the
// others: the large moment stays, and half of what is missing goes to each of the smaller ones. So
// nothing turns more easily than the file says.
Vec3 raise_smaller(const Vec3& moments) {
  const double half = 0.5 * (moments.x + moments.y + moments.z);
  Vec3 spread;
  for (int k = 0; k < 3; ++k) {
    spread[k] = std::max(0.0, half - moments[k]);
  }
  const double sum = spread.x + spread.y + spread.z;
  return {sum - spread.x, sum - spread.y, sum - spread.z};
}

std::string to_text(const Vec3& moments) {
  return fmt::format("({:.6g}, {:.6g}, {:.6g})", moments.x, moments.y, moments.z);
}

}  // namespace

InertiaSpec check_inertia(const XmlElement& element, const std::string& link, InertiaSpec inertia,
                          Reporter* reporter) {
  const auto approximate = [&](const std::string& what) {
    reporter->report(element, Severity::kApproximated, fmt::format("link '{}' has {}", link, what));
  };
  if (inertia.mass < 0) {
    reporter->error(element, fmt::format("the mass of link '{}' is {} kg; give a positive one",
                                         link, inertia.mass));
    return {};
  }
  if (inertia.mass == 0) {
    if (!(inertia.I_com == Mat3{})) approximate("an inertia but no mass: it has neither");
    return {};
  }
  if (inertia.I_com == Mat3{}) {
    inertia.I_com = 0.4 * inertia.mass * kPointRadius * kPointRadius * Mat3::identity();
    approximate("a mass but no inertia: taken as a ball of radius 1 mm");
    return inertia;
  }
  const Principal p = find_principal(inertia.I_com);
  const double large = std::max({p.moments.x, p.moments.y, p.moments.z});
  const double small = std::min({p.moments.x, p.moments.y, p.moments.z});
  const double thin = kThinnest * large;
  const double others = p.moments.x + p.moments.y + p.moments.z - large;
  if (small < -thin) {
    reporter->error(element,
                    fmt::format("the principal moments of inertia of link '{}' are {} kg m²; no "
                                "body has a negative one: correct the inertia",
                                link, to_text(p.moments)));
    return {};
  }
  if (others < large * (1 - kRounding)) {
    const Vec3 raised = raise_smaller(p.moments);
    inertia.I_com = with_moments(p, raised);
    approximate(
        fmt::format("principal moments of inertia {} kg m², one above the sum of the other "
                    "two, as no body has: taken as {}",
                    to_text(p.moments), to_text(raised)));
  } else if (small < thin) {
    inertia.I_com = with_moments(p, cwise_max(p.moments, {thin, thin, thin}));
    approximate("no inertia about an axis: it has 1e-9 of the largest there");
  }
  return inertia;
}

}  // namespace cenic::detail
