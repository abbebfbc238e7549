// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// General-purpose methods that cenic is compared with, error controlled like it and on the same
// continuous model (dynamics/continuous_dynamics.h). One file each; to add one, write its file and
// its row in baselines.cpp.
#pragma once

#include <memory>
#include <vector>

#include "integrators/integrator.h"

namespace cenic {

using IntegratorFactory = std::unique_ptr<Integrator> (*)(std::shared_ptr<const Model> model,
                                                          const IntegratorOptions& options);

// Bogacki & Shampine's explicit Runge-Kutta pair of orders 3 and 2.
std::unique_ptr<Integrator> make_rk3(std::shared_ptr<const Model> model,
                                     const IntegratorOptions& options);
// Implicit Euler with step doubling.
std::unique_ptr<Integrator> make_implicit_euler(std::shared_ptr<const Model> model,
                                                const IntegratorOptions& options);
// Singly diagonally implicit Runge-Kutta, two stages, order 2, L-stable.
std::unique_ptr<Integrator> make_sdirk2(std::shared_ptr<const Model> model,
                                        const IntegratorOptions& options);
// Rosenbrock, two stages, order 2, L-stable: one linear solve a stage instead of Newton's method.
std::unique_ptr<Integrator> make_ros2(std::shared_ptr<const Model> model,
                                      const IntegratorOptions& options);
// Backward differentiation formulas of variable order, by SUNDIALS.
bool has_cvode();  // was cenic built with SUNDIALS?
std::unique_ptr<Integrator> make_cvode(std::shared_ptr<const Model> model,
                                       const IntegratorOptions& options);

struct Baseline {
  const char* name;
  IntegratorFactory make;
};
// Those this build has.
const std::vector<Baseline>& list_baselines();
// Null when there is none of that name.
const Baseline* find_baseline(const std::string& name);

}  // namespace cenic
