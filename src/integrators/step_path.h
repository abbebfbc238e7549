// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// StepPath: how the state went from one end of a step to the other, for whoever wants to know the
// state in between.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/model.h"

namespace cenic {

// Rates of velocities and of states of external systems.
struct StateRate {
  std::vector<double> v, z;  // (nv, nz), or none

  void resize(const Model& model);
};

struct StepPath {
  // At both ends, as accurate as the step itself needs: an interpolation with them is as good as
  // its ends. They are those of the numbers that the step went through: where a contact came or
  // went, or a fast mode was stepped over, means and not the accelerations at that moment. None:
  // the state changes evenly.
  StateRate start{}, end{};

  // Where trees that took shorter steps than the others were at the ends of these, within the step.
  struct Knot {
    int tree;
    double t;
    std::size_t q, v;  // where its numbers begin below
  };
  std::vector<Knot> knots;  // those of a tree in the order of time
  std::vector<double> q, v;

  void clear();
  void add_knot(const Model& model, int tree, const State& state);
  void append_knots(const StepPath& path);
};

}  // namespace cenic
