// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/error.h"
#include "integrators/cenic_integrator.h"
#include "integrators/error_measure.h"
#include "integrators/options.h"
#include "integrators/step_controller.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

TEST(StepController, StandardRuleAsPublished) {
  StepController c({.proportional_integral = false, .accuracy = 1e-3, .max_step = 0.1});
  const double h = 0.01;
  EXPECT_DOUBLE_EQ(c.decide(h, 0).next, 0.05);              // no error: five times
  EXPECT_DOUBLE_EQ(c.decide(h, 1e-5).next, 0.05);           // growth is limited
  EXPECT_DOUBLE_EQ(c.decide(h, 2.5e-4).next, 0.9 * h * 2);  // 0.9 √(ε/e)
  EXPECT_DOUBLE_EQ(c.decide(h, 7e-4).next, h);              // growth below 1.2 is not worth it
  EXPECT_TRUE(c.decide(h, 9.9e-4).accepted);                // accepted steps never shrink
  EXPECT_DOUBLE_EQ(c.decide(h, 9.9e-4).next, h);
  EXPECT_FALSE(c.decide(h, 1.01e-3).accepted);
  EXPECT_DOUBLE_EQ(c.decide(h, 4e-3).next, 0.9 * h / 2);
  EXPECT_DOUBLE_EQ(c.decide(h, 1e9).next, 0.1 * h);  // shrinking is limited
  EXPECT_DOUBLE_EQ(c.decide(0.09, 0).next, 0.1);     // the largest step
}

TEST(StepController, NotANumberRejects) {
  for (const bool pi : {false, true}) {
    StepController c({.proportional_integral = pi, .accuracy = 1e-3, .max_step = 0.1});
    for (const double e :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      EXPECT_FALSE(c.decide(0.01, e).accepted);
      EXPECT_DOUBLE_EQ(c.decide(0.01, e).next, 0.001);
    }
  }
}

TEST(StepController, ProportionalIntegralAcceptsUpToTheAccuracyAndMayShrink) {
  StepController c({.proportional_integral = true, .accuracy = 1e-3, .max_step = 0.1});
  EXPECT_TRUE(c.decide(0.01, 1e-3).accepted);
  EXPECT_FALSE(c.decide(0.01, 1.0001e-3).accepted);
  // After a small error a larger one is a warning: the step shrinks though accepted.
  c.reset();
  (void)c.decide(0.01, 1e-5);
  const StepDecision d = c.decide(0.01, 9e-4);
  EXPECT_TRUE(d.accepted);
  EXPECT_LT(d.next, 0.01);
}

TEST(StepController, AStretchedStepMayExceedTheLargest) {
  // Landing on an output time may stretch a step a little beyond the largest: it is judged all the
  // same.
  for (const bool pi : {false, true}) {
    StepController c({.proportional_integral = pi, .accuracy = 1e-3, .max_step = 0.1});
    const StepDecision d = c.decide(0.1005, 1e-6);
    EXPECT_TRUE(d.accepted);
    EXPECT_EQ(d.next, 0.1);
  }
}

TEST(StepController, DoesNotLearnFromStepsCutShort) {
  StepController with({.proportional_integral = true, .accuracy = 1e-3, .max_step = 0.1}),
      without = with;
  (void)with.decide(0.01, 5e-4);
  (void)without.decide(0.01, 5e-4);
  (void)with.decide(0.0001, 1e-9, false);
  EXPECT_EQ(with.decide(0.01, 5e-4).next, without.decide(0.01, 5e-4).next);
}

TEST(Options, SwitchesByName) {
  IntegratorOptions o;
  set_option(&o, "islands", "false");
  EXPECT_FALSE(o.islands);
  set_option(&o, "newton_fraction", "0.5");
  EXPECT_EQ(o.newton_fraction, 0.5);
  EXPECT_THROW(set_option(&o, "island", "false"), Error);
  EXPECT_THROW(set_option(&o, "islands", "maybe"), Error);
  EXPECT_THROW(set_option(&o, "newton_fraction", "1e"), Error);
  EXPECT_THROW(make_integrator_options("rk4"), Error);
  for (const std::string& name : list_integrators()) {
    EXPECT_EQ(make_integrator_options(name).name, name);
  }
}

TEST(Options, NonsenseIsNamed) {
  const auto message = [](auto change) {
    IntegratorOptions o;
    change(&o);
    try {
      validate(o);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message([](auto* o) {
              o->accuracy = 0;
            }).find("accuracy"),
            std::string::npos);
  EXPECT_NE(message([](auto* o) {
              o->accuracy = -1;
            }).find("accuracy"),
            std::string::npos);
  EXPECT_NE(message([](auto* o) {
              o->accuracy = std::nan("");
            }).find("accuracy"),
            std::string::npos);
  EXPECT_NE(message([](auto* o) {
              o->fixed_step = 0.2;
            }).find("max_step"),
            std::string::npos);
  EXPECT_NE(message([](auto* o) {
              o->min_step = 1;
            }).find("min_step"),
            std::string::npos);
  EXPECT_NE(message([](auto* o) {
              o->threads = 0;
            }).find("threads"),
            std::string::npos);
  EXPECT_EQ(message([](auto*) {}), "");
}

TEST(ErrorMeasure, RotationsCountByTheDisplacementTheyCause) {
  const auto model = compile(make_scene("hard_clutter"));
  IntegratorOptions options;
  ErrorMeasure measure(*model, options);
  std::vector<double> q = model->q0, v(model->nv, 0.0);
  // Turn object 3 by 0.01 rad and move object 5 by 0.1 mm.
  std::vector<double> dv(model->nv, 0.0), moved(model->nq);
  dv[6 * 3 + 1] = 0.01;
  dv[6 * 5 + 4] = 1e-4;
  integrate_positions(*model, q, dv, 1, RotationUpdate::kExponential, moved);
  const ErrorEstimate e = measure.calc({.q = q, .v = v}, {.q = moved, .v = v});
  EXPECT_NEAR(e.value, 0.01 * model->reach[6 * 3 + 1], 1e-9);
  EXPECT_EQ(e.velocity, 6 * 3);
  // The cap: at accuracy 0.1 a wrong turn of more than 1 rad/… counts in full.
  options.accuracy = 0.1;
  EXPECT_NEAR(ErrorMeasure(*model, options).calc({.q = q, .v = v}, {.q = moved, .v = v}).value,
              0.01 * 1.0, 1e-9);
  // Velocities count in the state norm alone.
  std::vector<double> w = v;
  w[6 * 7 + 3] = 5;
  EXPECT_LT(measure.calc({.q = q, .v = v}, {.q = moved, .v = w}).value, 0.01);
  options.error_norm = ErrorNorm::kState;
  EXPECT_NEAR(ErrorMeasure(*model, options).calc({.q = q, .v = v}, {.q = moved, .v = w}).value, 5,
              1e-9);
  // The user's weights replace ours.
  options.error_norm = ErrorNorm::kPosition;
  options.error_weights.assign(model->nv, 0.0);
  options.error_weights[6 * 5 + 4] = 10;
  EXPECT_NEAR(ErrorMeasure(*model, options).calc({.q = q, .v = v}, {.q = moved, .v = v}).value,
              1e-3, 1e-9);
  options.error_weights.pop_back();
  EXPECT_THROW(ErrorMeasure(*model, options), Error);
}

TEST(ErrorMeasure, NotANumberIsNeverLost) {
  const auto model = compile(make_scene("hard_clutter"));
  for (const char* name : {"cenic", "cenic-paper"}) {
    for (const int bad : {0, 5, model->nq - 1}) {
      std::vector<double> q = model->q0, p = q, v(model->nv, 0.0);
      p[bad] = std::numeric_limits<double>::quiet_NaN();
      p[7 * 4 + 5] += 1e-3;
      ErrorMeasure measure(*model, make_integrator_options(name));
      EXPECT_FALSE(std::isfinite(measure.calc({.q = q, .v = v}, {.q = p, .v = v}).value))
          << name << " " << bad;
    }
  }
}

TEST(ErrorMeasure, RawCoordinatesForThePaper) {
  const auto model = compile(make_scene("hard_clutter"));
  ErrorMeasure measure(*model, make_integrator_options("cenic-paper"));
  std::vector<double> q = model->q0, p = q, v(model->nv, 0.0);
  p[7 * 4 + 2] += 1e-3;  // a quaternion component
  EXPECT_NEAR(measure.calc({.q = q, .v = v}, {.q = p, .v = v}).value, 1e-3, 1e-12);
  p = q;
  p[7 * 4 + 5] += 1e-3;  // y
  EXPECT_EQ(measure.calc({.q = q, .v = v}, {.q = p, .v = v}).velocity, 6 * 4 + 4);
}

TEST(Integrator, PinnedDoublePendulum) {
  // Statistics of the published step-doubling scheme on this case, known exactly.
  IntegratorOptions options = make_integrator_options("cenic-paper");
  options.max_step = 0.1;
  const auto model = compile(make_scene("double_pendulum"));
  CenicIntegrator integrator(model, options);
  State state = make_initial_state(*model);
  while (state.t < 1) {
    ASSERT_EQ(integrator.step(&state, 1).status, StepStatus::kAccepted);
  }
  const IntegratorStatistics& s = integrator.statistics();
  EXPECT_EQ(s.steps, 167);
  EXPECT_EQ(s.rejected_steps, 23);
  EXPECT_EQ(s.solver_iterations, 569);
  EXPECT_EQ(s.linesearch_iterations, 0);
  EXPECT_NEAR(s.step_first, 0.01, 1e-12);
  EXPECT_NEAR(s.step_min, 0.003819396620008778, 1e-12);
  EXPECT_NEAR(s.step_max, 0.012669997004304209, 1e-12);
}

TEST(Integrator, ReportsWhoLimitsTheStepWhenTheMinimumIsReached) {
  IntegratorOptions options;
  options.accuracy = 1e-9;
  options.min_step = 1e-2;
  const auto model = compile(make_scene("double_pendulum"));
  CenicIntegrator integrator(model, options);
  State state = make_initial_state(*model);
  const State before = state;
  const StepResult r = integrator.step(&state, 1);
  EXPECT_EQ(r.status, StepStatus::kTooSmall);
  EXPECT_GE(r.velocity, 0);
  EXPECT_GT(r.error, 1e-9);
  EXPECT_EQ(state.q, before.q) << "a failed step leaves the state alone";
  EXPECT_EQ(state.t, 0);
}

// A step that is stretched a little to land on its limit is as short as it gets, too.
TEST(Integrator, AStretchedSmallestStepIsNotTriedForEver) {
  IntegratorOptions options;
  options.accuracy = 1e-9;
  options.min_step = 1e-2;
  const auto model = compile(make_scene("double_pendulum"));
  CenicIntegrator integrator(model, options);
  State state = make_initial_state(*model);
  EXPECT_EQ(integrator.step(&state, 1.00005e-2).status, StepStatus::kTooSmall);
}

TEST(Integrator, ThePaperLandsOnTimesJustBeyondItsLargestStep) {
  IntegratorOptions options = make_integrator_options("cenic-paper");
  options.accuracy = 1e-1;
  options.max_step = 0.002;
  const auto model = compile(make_scene("double_pendulum"));
  for (const double end : {0.0020012, 1.001201}) {
    CenicIntegrator integrator(model, options);
    State state = make_initial_state(*model);
    int steps = 0;
    while (state.t < end && ++steps < 2000) {
      ASSERT_EQ(integrator.step(&state, end).status, StepStatus::kAccepted);
    }
    EXPECT_EQ(state.t, end);
  }
}

TEST(Integrator, ReusedFactorisationsGiveTheSameMotion) {
  for (const char* scene : {"double_pendulum", "newton_cradle", "box_stack"}) {
    for (const char* name : {"cenic", "cenic-paper"}) {
      State ends[2];
      for (const bool reuse : {false, true}) {
        IntegratorOptions options = make_integrator_options(name);
        options.accuracy = 1e-5;
        options.reuse_hessian = reuse;
        options.affine_line_search = !reuse;  // which must not spoil what is kept
        const auto model = compile(make_scene(scene));
        CenicIntegrator integrator(model, options);
        State& state = ends[reuse ? 1 : 0] = make_initial_state(*model);
        while (state.t < 0.1) {
          ASSERT_EQ(integrator.step(&state, 0.1).status, StepStatus::kAccepted);
        }
      }
      for (std::size_t i = 0; i < ends[0].q.size(); ++i) {
        EXPECT_NEAR(ends[0].q[i], ends[1].q[i], 2e-4) << scene << " " << name << " " << i;
      }
    }
  }
}

TEST(Integrator, WorldsWithNothingInThemAndNothingThatMoves) {
  ModelSpec empty;
  ModelSpec fixed = make_scene("box_stack");
  for (BodySpec& body : fixed.bodies) {
    body.joints.clear();
  }
  for (const ModelSpec& spec : {empty, fixed}) {
    for (const std::string& name : list_integrators()) {
      const auto model = compile(spec);
      CenicIntegrator integrator(model, make_integrator_options(name));
      State state = make_initial_state(*model);
      while (state.t < 1) {
        ASSERT_EQ(integrator.step(&state, 1).status, StepStatus::kAccepted);
      }
      EXPECT_EQ(state.t, 1);
    }
  }
}

TEST(Integrator, TriesTheSmallestStepBeforeGivingUp) {
  IntegratorOptions options;
  options.accuracy = 1e-6;
  options.min_step = 0.02;  // larger than the first step would be
  const auto model = compile(make_scene("double_pendulum"));
  CenicIntegrator integrator(model, options);
  State state = make_initial_state(*model);
  const StepResult r = integrator.step(&state, 1);
  EXPECT_EQ(r.status, StepStatus::kTooSmall);
  EXPECT_EQ(r.h, 0.02);
}

TEST(Integrator, ErrorControlledStepsStayBelowTheAccuracyAndTheLargestStep) {
  IntegratorOptions options;
  options.accuracy = 1e-3;
  options.max_step = 0.02;
  const auto model = compile(make_scene("hard_clutter"));
  CenicIntegrator integrator(model, options);
  State state = make_initial_state(*model);
  while (state.t < 0.5) {
    const StepResult r = integrator.step(&state, 0.5);
    EXPECT_LE(r.error, 1e-3);
    EXPECT_LE(r.h, 0.02);
  }
  EXPECT_EQ(state.t, 0.5);
}

}  // namespace
}  // namespace cenic
