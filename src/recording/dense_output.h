// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Dense output: the state between the two ends of a step.
#pragma once

#include <span>
#include <vector>

#include "model/model.h"
#include "sim/simulator.h"
#include "systems/evaluator.h"

namespace cenic {

// Coordinates by the cubic that has the positions and velocities of both ends, in the displacement
// δ with q = q0 ⊕ δ, so that joints stay joined and rotations are rotations; its error is of fourth
// order in the step. What turns by more than a radian in the step turns evenly about the mean of
// its angular velocities, and δ is what it does besides: a rotation alone does not tell full turns.
// Velocities by the cubic that has those of both ends and the step's own accelerations there: the
// slope of the coordinates would be of one order less than the step.
class DenseMotion {
 public:
  // The model must outlive it.
  explicit DenseMotion(const Model& model)
      : model_(model), whole_(model), local_(model), displacement_(model.nv) {}
  // Time, coordinates and velocities at t, before.t <= t <= after.t; z is that of the nearer end.
  // Trees that took shorter steps follow their path.
  void interpolate(const State& before, const State& after, const StepPath& path, double t,
                   State* out);

 private:
  // The displacement between two states and its rate at the end.
  struct Difference {
    explicit Difference(const Model& model)
        : spin(model.nv), delta(model.nv), slope(model.nv), end_q(model.nq), end_v(model.nv) {}
    State from{}, to{};
    std::vector<double> spin;          // taken out of what follows, about its mean axis (nv)
    std::vector<double> delta, slope;  // (nv)
    std::vector<double> end_q, end_v;  // `to` without the spin
  };
  void update_whole(const State& before, const State& after);
  void update_tree(const Tree& tree, Difference* difference) const;
  void take_out_spin(const Tree& tree, Difference* difference) const;
  void turn(const Tree& tree, const Difference& difference, double time, std::span<double> q) const;
  void interpolate_coordinates(const Tree& tree, const Difference& difference, State* out);
  static void interpolate_velocities(const Tree& tree, const Difference& difference,
                                     std::span<const double> rate0, std::span<const double> rate1,
                                     State* out);
  void load_knot(const StepPath& path, const StepPath::Knot* knot, double end, State* state) const;

  const Model& model_;
  Difference whole_;  // of the step asked for last: often several frames lie in one
  Difference local_;  // the ends of local steps
  struct Around {
    const StepPath::Knot *from = nullptr, *to = nullptr;
  };
  std::vector<Around> around_;        // the time asked for (num_trees)
  std::vector<double> displacement_;  // (nv)
};

// The same, and states of external systems likewise by their rates.
class DenseOutput {
 public:
  // The model must outlive it. `measurements`: what the last step measured, for external systems.
  DenseOutput(const Model& model, const Measurements* measurements);

  // The state at t, before.t <= t <= after.t.
  void interpolate(const State& before, const State& after, const StepPath& path, double t,
                   State* out);
  // Output signals of all systems at a state with these kinematics (ny), until the next call.
  // Throws Error when one is not finite.
  std::span<const double> calc_outputs(const State& state, const Kinematics& kin);

 private:
  const Model& model_;
  DenseMotion motion_;
  SystemEvaluator systems_;
};

}  // namespace cenic
