// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/step_path.h"

namespace cenic {

void StateRate::resize(const Model& model) {
  v.resize(model.nv);
  z.resize(model.nz);
}

void StepPath::clear() {
  for (StateRate* rate : {&start, &end}) {
    rate->v.clear();
    rate->z.clear();
  }
  knots.clear();
  q.clear();
  v.clear();
}

void StepPath::add_knot(const Model& model, int tree, const State& state) {
  const Tree& t = model.trees[tree];
  knots.push_back({tree, state.t, q.size(), v.size()});
  q.insert(q.end(), state.q.begin() + t.q_start, state.q.begin() + t.q_start + t.nq);
  v.insert(v.end(), state.v.begin() + t.v_start, state.v.begin() + t.v_start + t.nv);
}

void StepPath::append_knots(const StepPath& path) {
  for (const Knot& knot : path.knots) {
    knots.push_back({knot.tree, knot.t, knot.q + q.size(), knot.v + v.size()});
  }
  q.insert(q.end(), path.q.begin(), path.q.end());
  v.insert(v.end(), path.v.begin(), path.v.end());
}

}  // namespace cenic
