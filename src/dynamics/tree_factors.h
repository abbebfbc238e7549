// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Cholesky factors of the trees' mass matrices, for the inertia that a constraint or contact feels.
// A tree is factored when it is first asked about.
#pragma once

#include <cstdint>
#include <vector>

#include "convex/problem.h"

namespace cenic {

class TreeFactors {
 public:
  // The mass matrices of the problem's active trees are new.
  void reset(const ConvexProblem& problem);
  // w = J M⁻¹ Jᵀ = ‖L⁻¹ Jᵀ‖² of a row over the velocities of one tree: of a link in an arm the
  // inverse of the operational-space inertia along the row. NaN where M is not positive definite.
  double calc_inverse_mass(const ConvexProblem& problem, int tree, const double* row);

 private:
  struct Factor {
    std::uint64_t state = 0;  // of which it is the factor
    std::vector<double> L;    // n × n column major
  };
  std::uint64_t state_ = 0;  // counts the resets
  std::vector<Factor> factors_;
  std::vector<double> solution_;
};

}  // namespace cenic
