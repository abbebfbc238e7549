// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Short ways to set up worlds and runs for the physics tests.
#pragma once

#include <cmath>
#include <numbers>

#include <cenic/cenic.h>

#include "multibody/constraints.h"
#include "multibody/multibody.h"
#include "scenes/scenes.h"

namespace cenic {

inline GeometrySpec make_test_geometry(const std::string& name, const Shape& shape,
                                       double pair_stiffness = 1e5) {
  GeometrySpec g;
  g.name = name;
  g.shape = shape;
  g.material.stiffness = 2 * pair_stiffness;  // springs in series: the pair has half of it
  return g;
}

// A free body with one geometry at its origin.
inline BodySpec make_free_body(const std::string& name, const GeometrySpec& geometry,
                               const Vec3& p_WB, const std::vector<double>& velocity = {}) {
  BodySpec body;
  body.name = name;
  body.X_PB.p = p_WB;
  body.geometries = {geometry};
  JointSpec joint;
  joint.name = name + "_free";
  joint.kind = JointKind::kFree;
  joint.velocity = velocity;
  body.joints = {joint};
  return body;
}

// A body of the given mass on a rail, without gravity; the joint's kind and names are filled in.
inline ModelSpec make_slider(double mass, JointSpec joint) {
  ModelSpec spec;
  spec.gravity = {};
  BodySpec body;
  body.name = "slider";
  body.inertia = InertiaSpec{mass, {}, Mat3::diagonal({0.1, 0.1, 0.1})};
  joint.name = "rail";
  joint.kind = JointKind::kPrismatic;
  body.joints = {joint};
  spec.bodies = {body};
  return spec;
}

// A body without geometry on one joint.
inline BodySpec make_jointed_body(const std::string& name, const InertiaSpec& inertia,
                                  JointSpec joint) {
  BodySpec body;
  body.name = name;
  body.inertia = inertia;
  joint.name = name + "_joint";
  body.joints = {joint};
  return body;
}

// A sphere that bobs on a soft floor while it slips: smooth as contact goes (no impact, no stick
// before 0.29 s).
inline ModelSpec make_smooth_contact() {
  ModelSpec spec;
  spec.stiction_velocity = 1e-2;
  GeometrySpec floor = make_test_geometry("floor", make_half_space(), 1e3);
  GeometrySpec ball = make_test_geometry("ball", make_sphere(0.1), 1e3);
  floor.material.dissipation = ball.material.dissipation = 1;
  spec.world_geometries = {floor};
  // Starts pressed into the floor by half its static depth: it bobs while it slips.
  const double mass = ball.density * 4.0 / 3 * std::numbers::pi * 1e-3;
  spec.bodies = {
      make_free_body("ball", ball, {0, 0, 0.1 - 0.5 * mass * 9.81 / 1e3}, {0, 0, 0, 5, 0, 0})};
  return spec;
}

inline Simulator make_simulator(const ModelSpec& spec, double accuracy,
                                const std::string& integrator = "cenic") {
  IntegratorOptions options = make_integrator_options(integrator);
  options.accuracy = accuracy;
  return Simulator(compile(spec), options);
}

inline Simulator make_fixed_step(const ModelSpec& spec, double step,
                                 const std::string& integrator = "cenic") {
  IntegratorOptions options = make_integrator_options(integrator);
  options.fixed_step = step;
  return Simulator(compile(spec), options);
}

inline Kinematics calc_kinematics(const Model& model, const State& state) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, state.q, &kin);
  update_velocities(model, state.v, &kin);
  return kin;
}

// Errors of all rows of a constraint, m or rad.
inline std::vector<double> calc_errors(const Model& model, const State& state, int constraint) {
  double g[kMaxConstraintRows];
  calc_constraint_error(model, calc_kinematics(model, state), state.q, constraint, g);
  return {g, g + num_rows(model.constraints[constraint].kind)};
}

// The largest error of any row of any constraint.
inline double calc_worst_error(const Model& model, const State& state) {
  double worst = 0;
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    for (const double g : calc_errors(model, state, c)) {
      worst = std::max(worst, std::abs(g));
    }
  }
  return worst;
}

// Advances by whole steps, as long as the error allows, until t is passed: no short last step to
// land on it.
inline void run_past(Simulator* sim, double t) {
  while (sim->state().t < t) {
    const StepResult result = sim->step(1e9);
    if (result.status != StepStatus::kAccepted) throw AccuracyError(sim->describe_failure(result));
  }
}

// Slope of log(y) against log(x) by least squares.
inline double fit_order(const std::vector<double>& x, const std::vector<double>& y) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = std::log(x[i]), b = std::log(y[i]);
    sx += a, sy += b, sxx += a * a, sxy += a * b;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace cenic
