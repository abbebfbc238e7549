// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Lint of gains: the longest step with which explicit integration of a spring K and a damper D on
// one velocity would be stable. With w = (M⁻¹)_ii, the inverse of the inertia that the velocity
// feels when all others are free, these are 2/√(K w) and 2/(D w). Gains of external systems are
// those of their linearisation at the initial state; what a sampled controller does between samples
// is not looked at.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "math/dense_cholesky.h"
#include "multibody/multibody.h"
#include "sim/lint.h"
#include "systems/evaluator.h"

namespace cenic::detail {
namespace {

constexpr double kShortest = 1e-4;  // s

// Per velocity (nv); zero where the mass matrix cannot be inverted, which is reported.
std::vector<double> calc_inverse_inertias(const Model& model, Findings* findings) {
  constexpr double kSingular = 1e10;  // M_ii (M⁻¹)_ii, 1 for a joint on its own
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  TreeScratch scratch;
  scratch.resize(model);
  std::vector<double> inverse(model.nv, 0.0), M, x;
  for (int t = 0; t < static_cast<int>(model.trees.size()); ++t) {
    const Tree& tree = model.trees[t];
    const int n = tree.nv;
    M.assign(static_cast<std::size_t>(n) * n, 0.0);
    calc_mass_matrix(model, kin, t, &scratch, n, M.data());
    std::vector<double> diagonal(n);
    for (int i = 0; i < n; ++i) {
      diagonal[i] = M[static_cast<std::size_t>(n) * i + i];
    }
    const bool regular = factor_cholesky(n, M.data());
    int worst = 0;
    double largest = 0;  // of M_ii (M⁻¹)_ii
    for (int i = 0; regular && i < n; ++i) {
      x.assign(n, 0.0);
      x[i] = 1;
      const double w = solve_lower(n, M.data(), x.data());
      if (diagonal[i] * w < kSingular) inverse[tree.v_start + i] = w;
      if (diagonal[i] * w <= largest) continue;
      worst = i;
      largest = diagonal[i] * w;
    }
    if (regular && largest < kSingular) continue;
    findings->warn(
        "singular", model.describe_velocity(tree.v_start + worst), diagonal[worst],
        fmt::format("it or another joint of its tree feels no inertia, or moves as others "
                    "do: the mass matrix is singular, {:.3g} on its diagonal here; give "
                    "the bodies beyond it inertia, or the joint an armature",
                    diagonal[worst]));
  }
  return inverse;
}

struct Gains {
  double stiffness = 0, damping = 0;
};

// Of joints and of all continuous systems (nv); falls back on those of joints when a system gives
// numbers that are not finite.
std::vector<Gains> calc_gains(const Model& model) {
  std::vector<Gains> gains(model.nv);
  for (int v = 0; v < model.nv; ++v) {
    gains[v] = {model.stiffness[v], model.damping[v]};
  }
  Measurements measurements;
  measurements.resize(model);
  SystemEvaluator evaluator(model);
  evaluator.set_measurements(&measurements);
  const State state = make_initial_state(model);
  evaluator.set_state(state);
  if (evaluator.empty() || !evaluator.linearize(state.t)) return gains;
  for (std::size_t g = 0; g < model.system_groups.size(); ++g) {
    const SystemGroup& spec = model.system_groups[g];
    const SystemEvaluator::Group& group = evaluator.groups()[g];
    for (int r = 0; r < group.driven + group.limited; ++r) {
      const int velocity = r < group.driven
                               ? spec.driven[r]
                               : model.limited_efforts[spec.limited[r - group.driven]].velocity;
      const auto at = std::ranges::find(spec.dofs, velocity);
      if (at == spec.dofs.end()) continue;
      const auto d = at - spec.dofs.begin();
      const double* row = group.row(group.nz + r);
      gains[velocity].stiffness -= row[d];
      gains[velocity].damping -= row[group.nd + d];
    }
  }
  return gains;
}

std::vector<std::string> list_drivers(const Model& model, int velocity) {
  std::vector<std::string> names;
  for (const System& system : model.systems) {
    const bool drives = std::ranges::any_of(system.efforts, [&](const System::Effort& e) {
      return e.velocity == velocity;
    });
    if (drives) names.push_back(system.name);
  }
  return names;
}

}  // namespace

void lint_gains(const Model& model, Findings* findings) {
  const std::vector<double> inverse = calc_inverse_inertias(model, findings);
  const std::vector<Gains> gains = calc_gains(model);
  for (int v = 0; v < model.nv; ++v) {
    if (inverse[v] == 0) continue;
    const auto [K, D] = gains[v];
    const double spring = K > 0 ? 2 / std::sqrt(K * inverse[v]) : INFINITY;
    const double damper = D > 0 ? 2 / (D * inverse[v]) : INFINITY;
    const double limit = std::min(spring, damper);
    if (!(limit < kShortest)) continue;
    const std::vector<std::string> drivers = list_drivers(model, v);
    findings->warn(
        "gain", model.describe_velocity(v), limit,
        fmt::format(
            "its stiffness {:.3g} and damping {:.3g}{} on an inertia of {:.3g} would need steps "
            "under {:.2g} s in an explicit simulation; here they are taken implicitly, but "
            "check the {}, and whether an armature is missing",
            K, D, drivers.empty() ? "" : fmt::format(" (of {})", fmt::join(drivers, ", ")),
            1 / inverse[v], limit, spring < damper ? "stiffness" : "damping"));
  }
}

}  // namespace cenic::detail
