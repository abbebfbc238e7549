// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Worlds in which the systems of the library are tested.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {

template <typename Law, typename... Args>
SystemSpec make_system(const std::string& name, Args&&... args) {
  return {.name = name, .system = std::make_shared<Law>(std::forward<Args>(args)...)};
}

// Two links of 1 kg, 0.5 m long, on revolute joints `shoulder` (about y) and `elbow` (about a
// slanted axis), and a free ball beside them. At zero the arm points along x.
inline ModelSpec make_arm_and_ball() {
  ModelSpec spec;
  const auto add_link = [&](const std::string& name, const std::string& parent, const Vec3& p_PB,
                            const Vec3& axis, const std::string& joint_name) {
    BodySpec body = make_jointed_body(name, {1, {0.25, 0, 0}, Mat3::diagonal({1e-3, 0.02, 0.02})},
                                      {.axis = axis});
    body.parent = parent;
    body.X_PB.p = p_PB;
    body.joints[0].name = joint_name;
    spec.bodies.push_back(body);
  };
  add_link("upper", "world", {0, 0, 1}, {0, 1, 0}, "shoulder");
  add_link("lower", "upper", {0.5, 0, 0}, {0.6, 0.8, 0}, "elbow");
  spec.bodies.push_back(
      make_free_body("ball", make_test_geometry("ball", make_sphere(0.1)), {1, 1, 1}));
  return spec;
}

inline State make_state(const Model& model, const std::vector<double>& arm_q,
                        const std::vector<double>& arm_v) {
  State state = make_initial_state(model);
  std::ranges::copy(arm_q, state.q.begin());
  std::ranges::copy(arm_v, state.v.begin());
  return state;
}

// Evaluates all systems of a model at a state; nothing has been measured.
class Evaluation {
 public:
  explicit Evaluation(const ModelSpec& spec)
      : model(compile(spec)), state(make_initial_state(*model)), evaluator(*model) {
    measurements.resize(*model);
    evaluator.set_measurements(&measurements);
  }
  void evaluate() {
    evaluator.set_state(state);
    ASSERT_TRUE(evaluator.evaluate(state.t, true));
  }
  // Generalised forces of all systems.
  std::vector<double> forces() {
    evaluate();
    std::vector<double> tau(model->nv, 0.0);
    evaluator.add_forces(tau);
    return tau;
  }
  std::vector<double> output(const std::string& system, int signal) {
    evaluate();
    const System& s = model->systems[model->find_system(system)];
    const auto first = evaluator.y().begin() + s.y_start + s.outputs[signal].start;
    return {first, first + s.outputs[signal].size};
  }

  std::shared_ptr<const Model> model;
  State state;
  Measurements measurements;
  SystemEvaluator evaluator;
};

}  // namespace cenic
