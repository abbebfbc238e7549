// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/phase_timer.h"

namespace cenic {
namespace {

struct Origin {
  std::uint64_t ticks = now_ticks();
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};
const Origin kOrigin;

}  // namespace

double ticks_to_seconds(std::uint64_t ticks) {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - kOrigin.time).count();
  const auto elapsed = static_cast<double>(now_ticks() - kOrigin.ticks);
  return elapsed > 0 ? static_cast<double>(ticks) * seconds / elapsed : 0;
}

const char* to_string(Phase phase) {
  switch (phase) {
    case Phase::kGeometry:
      return "geometry";
    case Phase::kDynamics:
      return "dynamics";
    case Phase::kProblem:
      return "problem";
    case Phase::kHessian:
      return "hessian";
    case Phase::kFactorization:
      return "factorization";
    case Phase::kLineSearch:
      return "linesearch";
    case Phase::kExternal:
      return "external";
  }
  return "";
}

}  // namespace cenic
