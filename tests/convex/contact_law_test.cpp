// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "convex/contact_law.h"

#include <gtest/gtest.h>

namespace cenic {
namespace {

// γ(v) straight from its definition.
double impulse_by_definition(double h, double fe0, double k, double d, double vn) {
  return h * std::max(0.0, fe0 - h * k * vn) * std::max(0.0, 1 - d * vn);
}

TEST(ContactLaw, MatchesItsDefinition) {
  for (const double h : {1e-4, 1e-2, 0.1}) {
    for (const double fe0 : {-50.0, -1e-3, 0.0, 1e-3, 10.0, 1e4}) {
      for (const double d : {0.0, 0.1, 10.0, 100.0}) {
        const double k = 1e5;
        const NormalLaw law = make_normal_law(h, fe0, k, d);
        for (double vn = -3; vn < 3; vn += 0.01) {
          const double x = std::max(0.0, law.v_hat - vn);
          const double expected = impulse_by_definition(h, fe0, k, d, vn);
          EXPECT_NEAR(normal_impulse(law.c0, law.c1, x), expected, 1e-9 * (1 + expected));
          if (x > 1e-6) {  // derivatives of cost and impulse by central differences
            const double e = 1e-7;
            const double slope =
                (normal_cost(law.c0, law.c1, x - e) - normal_cost(law.c0, law.c1, x + e)) / (2 * e);
            EXPECT_NEAR(slope, -expected,
                        1e-5 * (1 + expected) + 1e-6 * normal_cost(law.c0, law.c1, x));
            EXPECT_NEAR(
                normal_curvature(law.c0, law.c1, x),
                (normal_impulse(law.c0, law.c1, x + e) - normal_impulse(law.c0, law.c1, x - e)) /
                    (2 * e),
                1e-5 * (1 + normal_curvature(law.c0, law.c1, x)));
          }
        }
      }
    }
  }
}

TEST(ContactLaw, FrictionCoefficientRunsFromStaticToDynamic) {
  EXPECT_DOUBLE_EQ(friction_coefficient(1.0, 0.5, 0), 1.0);
  EXPECT_NEAR(friction_coefficient(1.0, 0.5, 10), 0.75, 1e-12);
  EXPECT_NEAR(friction_coefficient(1.0, 0.5, 1e9), 0.5, 0.0025);
  for (double s = 0; s < 100; s += 0.1) {
    EXPECT_GT(friction_coefficient(1.0, 0.5, s), friction_coefficient(1.0, 0.5, s + 0.1));
  }
}

TEST(ContactLaw, FrictionCostHasNoCancellation) {
  // For |v| ≪ v_r the cost is m v²/(2 v_r).
  EXPECT_NEAR(friction_cost(2, 1e-20, 1e-4) / (2 * 1e-20 / (2 * 1e-4)), 1, 1e-10);
}

}  // namespace
}  // namespace cenic
