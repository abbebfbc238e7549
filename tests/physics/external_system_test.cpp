// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// External systems against closed forms: what controllers do to bodies, and at which order.
#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

// A system from two functions, with a count of its evaluations.
class TestSystem : public ExternalSystem {
 public:
  using Declare = std::function<void(Ports*)>;
  using Evaluate = std::function<void(const SystemInput&, SystemOutput*)>;
  TestSystem(Declare declare, Evaluate evaluate)
      : declare_(std::move(declare)), evaluate_(std::move(evaluate)) {}
  void declare(Ports* ports) const override { declare_(ports); }
  void evaluate(const SystemInput& in, SystemOutput* out) const override {
    ++count;
    evaluate_(in, out);
  }
  mutable long count = 0;

 private:
  Declare declare_;
  Evaluate evaluate_;
};

std::shared_ptr<TestSystem> make_system(TestSystem::Declare declare,
                                        TestSystem::Evaluate evaluate) {
  return std::make_shared<TestSystem>(std::move(declare), std::move(evaluate));
}

void add_system(const std::string& name, std::shared_ptr<const ExternalSystem> system,
                ModelSpec* spec, double period = 0) {
  spec->systems.push_back({.name = name, .system = std::move(system), .period = period});
}

// A body of 1 kg 1 m from the axis of a joint along y, level at zero.
ModelSpec make_arm() {
  ModelSpec spec;
  JointSpec joint;
  joint.axis = {0, 1, 0};
  joint.X_BF.p = {-1, 0, 0};
  spec.bodies = {make_jointed_body("arm", {1.0, {}, Mat3::diagonal({1e-3, 1e-3, 1e-3})}, joint)};
  return spec;
}

ModelSpec make_arm(std::shared_ptr<const ExternalSystem> control) {
  ModelSpec spec = make_arm();
  add_system("control", std::move(control), &spec);
  return spec;
}

std::shared_ptr<const ExternalSystem> make_pid(double kp, double ki, double kd) {
  return std::make_shared<PidControl>(JointTargets{.joints = {"arm_joint"}},
                                      PidGains{.kp = {kp}, .ki = {ki}, .kd = {kd}});
}

// A mass on a rail in x, a tree of its own.
BodySpec make_rail_body(const std::string& name, double mass, double position = 0,
                        double velocity = 0) {
  JointSpec joint;
  joint.kind = JointKind::kPrismatic;
  joint.axis = {1, 0, 0};
  joint.position = {position};
  joint.velocity = {velocity};
  return make_jointed_body(name, {mass, {}, Mat3::diagonal({0.1, 0.1, 0.1})}, joint);
}

State run(const ModelSpec& spec, double duration, IntegratorOptions options) {
  Simulator sim(compile(spec), options);
  sim.advance_to(duration);
  return sim.state();
}

TEST(ExternalSystem, PidHoldsPendulumExactly) {
  const double ki = 60;
  const State end = run(make_arm(make_pid(80, ki, 20)), 40, {.accuracy = 1e-3});
  EXPECT_NEAR(end.q[0], 0, 1e-6);
  EXPECT_NEAR(end.v[0], 0, 1e-6);
  // The integral balances gravity: about −y the weight pulls with m g l.
  EXPECT_NEAR(-ki * end.z[0], -9.81, 1e-5);
}

TEST(ExternalSystem, GlobalErrorOfPidFallsWithAccuracy) {
  const ModelSpec spec = make_arm(make_pid(80, 60, 5));
  const State exact = run(spec, 1, {.accuracy = 1e-11});
  for (const char* name : {"cenic", "cenic-paper", "cenic-trapezoid"}) {
    IntegratorOptions options = make_integrator_options(name);
    double last_q = 1, last_z = 1;
    for (const double accuracy : {1e-3, 1e-5, 1e-7}) {
      options.accuracy = accuracy;
      const State end = run(spec, 1, options);
      const double error_q = std::abs(end.q[0] - exact.q[0]);
      const double error_z = std::abs(end.z[0] - exact.z[0]);
      EXPECT_LT(error_q, 0.2 * last_q) << name;
      EXPECT_LT(error_z, 0.2 * last_z) << name;
      last_q = error_q;
      last_z = error_z;
    }
    if (std::string(name) == "cenic") {
      EXPECT_LT(last_q, 5e-7);
      EXPECT_LT(last_z, 5e-7);
    }
  }
}

// Errors at fixed steps; "cenic" with its error control off is the first-order step.
TEST(ExternalSystem, OrderOfPidWithFixedStep) {
  const ModelSpec spec = make_arm(make_pid(30, 40, 3));
  const State exact = run(spec, 1, {.accuracy = 1e-12});
  for (const auto& [name, order] : {std::pair{"cenic", 1.0}, {"cenic-trapezoid", 2.0}}) {
    IntegratorOptions options = make_integrator_options(name);
    double error[2];
    for (int i = 0; i < 2; ++i) {
      options.fixed_step = 0.002 / (1 << i);
      const State end = run(spec, 1, options);
      error[i] = std::hypot(end.q[0] - exact.q[0], end.z[0] - exact.z[0]);
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.1) << name;
  }
}

// A state that decays at rate 1e6: explicit steps would be limited to 2 µs.
TEST(ExternalSystem, StiffStateCostsNoSteps) {
  ModelSpec spec = make_arm();
  add_system("motor",
             make_system(
                 [](Ports* ports) {
                   ports->drive_joint("arm_joint");
                   ports->add_state("torque", 0, 1);
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->zdot[0] = 1e6 * (-100 * in.q[0] - 10 * in.v[0] - in.z[0]);
                   out->tau[0] = in.z[0];
                 }),
             &spec);
  ModelSpec direct = make_arm(make_pid(100, 0, 10));
  const State lagged = run(spec, 2, {.accuracy = 1e-6}), exact = run(direct, 2, {.accuracy = 1e-8});
  EXPECT_NEAR(lagged.q[0], exact.q[0], 1e-4);
  Simulator sim(compile(spec), {.accuracy = 1e-3});
  sim.advance_to(2);
  EXPECT_LT(sim.statistics().steps, 300);
}

TEST(ExternalSystem, MovingReferenceIsTracked) {
  // q_d = sin t; without gravity a stiff PD with the right sign of K_d v_d follows it closely.
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_rail_body("cart", 2)};
  add_system("reference",
             make_system(
                 [](Ports* ports) {
                   ports->add_output("reference", 2);
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->y[0] = std::sin(in.t);
                   out->y[1] = std::cos(in.t);
                 }),
             &spec);
  add_system(
      "control",
      std::make_shared<PidControl>(JointTargets{.joints = {"cart_joint"}, .reference_input = true},
                                   PidGains{.kp = {1e4}, .kd = {1e4}}),
      &spec);
  spec.wires = {{"reference", "control"}};
  spec.bodies[0].joints[0].velocity = {1};
  for (const double t : {0.7, 1.9, 3.1}) {
    const State end = run(spec, t, {.accuracy = 1e-5});
    // What is left is the force that accelerates the cart: m a/K_p, and with the wrong sign of
    // K_d v_d it would be 2 v_d.
    EXPECT_NEAR(end.q[0], std::sin(t), 5e-4);
    EXPECT_NEAR(end.v[0], std::cos(t), 5e-4);
  }
}

// Two masses joined by a very stiff spring and damper, in two trees: they move as one, in long
// steps.
TEST(ExternalSystem, StiffForceBetweenTrees) {
  const double k = 1e7, c = 1e4;
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_rail_body("a", 1), make_rail_body("b", 3)};
  add_system("spring",
             make_system(
                 [](Ports* ports) {
                   ports->drive_joint("a_joint");
                   ports->drive_joint("b_joint");
                   ports->depends_on_time = false;
                 },
                 [=](const SystemInput& in, SystemOutput* out) {
                   const double f = k * (in.q[1] - in.q[0]) + c * (in.v[1] - in.v[0]);
                   out->tau[0] = f;
                   out->tau[1] = -f;
                 }),
             &spec);
  add_system("pull",
             make_system(
                 [](Ports* ports) {
                   ports->drive_joint("b_joint");
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput&, SystemOutput* out) {
                   out->tau[0] = 8;
                 }),
             &spec);
  Simulator sim(compile(spec), {.accuracy = 1e-4});
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().v[0], 2, 1e-6);  // 8 N on 4 kg
  EXPECT_NEAR(sim.state().v[1], 2, 1e-6);
  EXPECT_NEAR(sim.state().q[0], 1, 1e-4);
  EXPECT_NEAR(sim.state().q[1] - sim.state().q[0], 2 / k, 1e-8);  // carries 2 N to a
  EXPECT_LT(sim.statistics().steps, 100);
  EXPECT_NEAR(sim.efforts()[0], 2, 1e-3);
  EXPECT_NEAR(sim.efforts()[1], 6, 1e-3);
}

TEST(ExternalSystem, EffortIsTheLimitExactly) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_rail_body("cart", 2, 1)};
  add_system(
      "control",
      std::make_shared<PidControl>(JointTargets{.joints = {"cart_joint"}, .effort_limits = {3}},
                                   PidGains{.kp = {1e5}, .kd = {1e3}}),
      &spec);
  Simulator sim(compile(spec), {.accuracy = 1e-4});
  sim.advance_to(0.5);
  // At the limit all the way: a = −3/2.
  EXPECT_NEAR(sim.efforts()[0], -3, 1e-12);
  EXPECT_NEAR(sim.state().v[0], -0.75, 1e-9);
  EXPECT_NEAR(sim.state().q[0], 1 - 0.25 * 0.75, 1e-6);
  EXPECT_LT(sim.statistics().steps, 50);
}

// Two actuators on one joint, each with a limit of its own.
TEST(ExternalSystem, EachActuatorHasItsLimit) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_rail_body("cart", 1)};
  for (const double limit : {2.0, 5.0}) {
    add_system(
        limit < 3 ? "small" : "large",
        std::make_shared<PidControl>(
            JointTargets{.joints = {"cart_joint"}, .reference = {10}, .effort_limits = {limit}},
            PidGains{.kp = {1e4}}),
        &spec);
  }
  Simulator sim(compile(spec), {});
  sim.advance_to(0.1);
  EXPECT_NEAR(sim.efforts()[0], 7, 1e-12);
}

TEST(ExternalSystem, FreeBodiesDoNotChangeGains) {
  ModelSpec alone = make_arm();
  // A law of the arm's pose, so that differences move quaternions of the others if they leak.
  const auto law = make_system(
      [](Ports* ports) {
        ports->push_body("arm");
        ports->depends_on_time = false;
      },
      [](const SystemInput& in, SystemOutput* out) {
        const RigidTransform& X = in.X_WB(0);
        out->F[0].v = -300.0 * (X.p - Vec3{1, 0, 0}) - 20.0 * in.V_WB(0).v;
      });
  add_system("pull", law, &alone);
  ModelSpec crowded = alone;
  GeometrySpec ball = make_test_geometry("ball", make_sphere(0.1));
  crowded.bodies.insert(crowded.bodies.begin(),
                        make_free_body("ball", ball, {5, 0, 3}, {3, -2, 1, 0, 0, 1}));
  const State a = run(alone, 0.5, {.fixed_step = 0.01});
  Simulator sim(compile(crowded), {.fixed_step = 0.01});
  sim.advance_to(0.5);
  const int v = sim.model().joints[1].v_start;
  EXPECT_EQ(sim.model().joints[1].name, "arm_joint");
  EXPECT_NEAR(sim.state().v[v], a.v[0], 1e-12);
}

TEST(ExternalSystem, CostsWhatItReads) {
  // Two joints among 200.
  ModelSpec spec;
  spec.gravity = {};
  for (int i = 0; i < 200; ++i) {
    spec.bodies.push_back(make_rail_body("m" + std::to_string(i), 1, 0.1));
  }
  const auto law = make_system(
      [](Ports* ports) {
        ports->drive_joint("m7_joint");
        ports->read_joint("m11_joint");
        ports->depends_on_time = false;
      },
      [](const SystemInput& in, SystemOutput* out) {
        out->tau[0] = -10 * in.q[0] - in.v[0] - std::sin(in.q[1]);
      });
  add_system("law", law, &spec);
  Simulator sim(compile(spec), {.fixed_step = 0.01});
  sim.advance_to(1);
  // The law itself, and differences in two coordinates and two velocities.
  EXPECT_EQ(law->count, 5 * sim.statistics().steps);
}

// Sampled at 200 Hz: the same trajectory whether outputs are asked for every millisecond or once.
TEST(ExternalSystem, SampledControlDoesNotDependOnOutputs) {
  ModelSpec spec = make_arm();
  add_system("control", make_pid(200, 50, 20), &spec, 0.005);
  const double accuracy = 1e-4;
  Simulator once(compile(spec), {.accuracy = accuracy}),
      often(compile(spec), {.accuracy = accuracy});
  once.advance_to(1);
  for (int i = 1; i <= 1000; ++i) {
    often.advance_to(i * 1e-3);
  }
  EXPECT_NEAR(once.state().q[0], often.state().q[0], accuracy);
  EXPECT_NEAR(once.state().v[0], often.state().v[0], 10 * accuracy);
  EXPECT_GE(once.statistics().steps, 200);  // none across a sample
  EXPECT_LT(once.statistics().steps, 260);  // and the step size is not lost at one
}

TEST(ExternalSystem, SampledControlRunsAtItsTimes) {
  ModelSpec spec;
  spec.gravity = {};
  spec.bodies = {make_rail_body("cart", 1)};
  auto times = std::make_shared<std::vector<double>>();
  class Clock : public ExternalSystem {
   public:
    explicit Clock(std::shared_ptr<std::vector<double>> times) : times_(std::move(times)) {}
    void declare(Ports* ports) const override {
      ports->drive_joint("cart_joint");
      ports->add_state("count");
    }
    void evaluate(const SystemInput& in, SystemOutput* out) const override {
      out->tau[0] = in.z[0] + 1;  // 1, 2, 3 … N, held for 0.1 s each
    }
    void update(const SystemInput& in, const SystemOutput&, std::span<double> z) const override {
      times_->push_back(in.t);
      z[0] += 1;
    }
    std::shared_ptr<std::vector<double>> times_;
  };
  add_system("clock", std::make_shared<Clock>(times), &spec, 0.1);
  Simulator sim(compile(spec), {.accuracy = 1e-6});
  sim.advance_to(0.35);
  ASSERT_EQ(times->size(), 4U);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ((*times)[k], 0.1 * k);
  }
  EXPECT_NEAR(sim.state().v[0], 0.1 * (1 + 2 + 3) + 0.05 * 4, 1e-12);
  // A copy of the state is enough to go on.
  Simulator other(compile(spec), {.accuracy = 1e-6});
  other.set_state(sim.state());
  other.advance_to(0.5);
  EXPECT_NEAR(other.state().v[0], 0.1 * (1 + 2 + 3 + 4 + 5), 1e-12);
}

TEST(ExternalSystem, NotANumberIsNamed) {
  ModelSpec spec = make_arm();
  add_system("policy",
             make_system(
                 [](Ports* ports) {
                   ports->read_joint("arm_joint");
                   ports->add_output("action");
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->y[0] = std::sqrt(0.1 - in.q[0]);  // falls to where it is not
                 }),
             &spec);
  add_system("motor",
             make_system(
                 [](Ports* ports) {
                   ports->drive_joint("arm_joint");
                   ports->add_input("u");
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->tau[0] = in.u[0];
                 }),
             &spec);
  spec.wires = {{"policy", "motor"}};
  Simulator sim(compile(spec), {});
  try {
    sim.advance_to(1);
    FAIL() << "ran";
  } catch (const AccuracyError& e) {
    EXPECT_NE(std::string(e.what()).find("output 'action' of system 'policy' is"),
              std::string::npos)
        << e.what();
  }
  EXPECT_GT(sim.state().t, 0.1);
  EXPECT_NEAR(sim.state().q[0], 0.1, 0.05);  // the state before is kept
}

TEST(ExternalSystem, UnstableSystemIsNamed) {
  Simulator sim(compile(make_arm(make_pid(-1e9, 0, 0))), {});
  try {
    sim.advance_to(10);
    FAIL() << "ran";
  } catch (const AccuracyError& e) {
    EXPECT_NE(std::string(e.what()).find("system 'control'"), std::string::npos) << e.what();
  }
}

TEST(ExternalSystem, FilterClosesALoop) {
  // A filter in a loop of signals: ẏ = (u − y)/τ with u = 2 − y, so y → 1 with rate 2/τ.
  ModelSpec spec = make_arm();
  add_system("filter",
             make_system(
                 [](Ports* ports) {
                   ports->add_input("u");
                   ports->add_output("y");
                   ports->add_state("y", 0);
                   ports->feedthrough = false;
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->zdot[0] = (in.u[0] - in.z[0]) / 0.5;
                   out->y[0] = in.z[0];
                 }),
             &spec);
  add_system("negate",
             make_system(
                 [](Ports* ports) {
                   ports->add_input("u");
                   ports->add_output("y");
                   ports->depends_on_time = false;
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->y[0] = 2 - in.u[0];
                 }),
             &spec);
  spec.wires = {{"filter", "negate"}, {"negate", "filter"}};
  const State end = run(spec, 0.3, {.accuracy = 1e-7});
  EXPECT_NEAR(end.z[0], 1 - std::exp(-4 * 0.3), 1e-6);
}

// A law that is not semi-definite as a whole, here a spring that is off the centre of a body and
// turns it, keeps what is: steps do not grow with the stiffness.
TEST(ExternalSystem, StiffSpringsCostNoSteps) {
  for (const bool both_move : {false, true}) {
    for (const double k : {1e2, 1e4, 1e6}) {
      ModelSpec spec;
      spec.gravity = {};
      GeometrySpec box = make_test_geometry("box", make_box({0.1, 0.1, 0.1}));
      box.collides = false;
      spec.bodies = {make_free_body("a", box, {0, 0, 0}, {0, 0, 0, 0, 0.1, 0})};
      if (both_move) {
        box.name = "other";
        spec.bodies.push_back(make_free_body("b", box, {0.5, 0, 0}));
      }
      add_system("spring",
                 std::make_shared<SpringDamper>(
                     SpringDamperParameters{.a = "a",
                                            .b = both_move ? "b" : "world",
                                            .p_AP = {0, 0.05, 0},
                                            .p_BQ = both_move ? Vec3{} : Vec3{0.5, 0, 0},
                                            .rest_length = 0.45,
                                            .stiffness = k,
                                            .damping = 0.1 * k}),
                 &spec);
      Simulator sim(compile(spec), {.accuracy = 1e-3});
      sim.advance_to(1);
      EXPECT_LT(sim.statistics().steps, 100) << k;
      for (const double v : sim.state().v) {
        EXPECT_LT(std::abs(v), 5) << k;
      }
    }
  }
}

// Three masses in three trees and springs between them: momentum stays, and steps stay long.
TEST(ExternalSystem, StiffForcesAmongThreeTrees) {
  const double k = 1e6;
  ModelSpec spec;
  spec.gravity = {};
  for (const char* name : {"a", "b", "c"}) {
    spec.bodies.push_back(make_rail_body(name, 1, 0, name[0] == 'a' ? 0.3 : 0));
  }
  add_system("springs",
             make_system(
                 [](Ports* ports) {
                   for (const char* joint : {"a_joint", "b_joint", "c_joint"}) {
                     ports->drive_joint(joint);
                   }
                   ports->depends_on_time = false;
                 },
                 [=](const SystemInput& in, SystemOutput* out) {
                   for (int i = 0; i < 2; ++i) {
                     const double f = k * (in.q[i + 1] - in.q[i]) + k * (in.v[i + 1] - in.v[i]);
                     out->tau[i] += f;
                     out->tau[i + 1] -= f;
                   }
                 }),
             &spec);
  Simulator sim(compile(spec), {.accuracy = 1e-3});
  sim.advance_to(1);
  EXPECT_LT(sim.statistics().steps, 100);
  for (const double v : sim.state().v) {
    EXPECT_NEAR(v, 0.1, 1e-3);
  }
}

// Without a value at the end of the first try, shorter steps are tried.
TEST(ExternalSystem, FaultAtTheEndOfAStepShortensIt) {
  ModelSpec spec = make_arm();
  add_system("script",
             make_system(
                 [](Ports* ports) {
                   ports->drive_joint("arm_joint");
                 },
                 [](const SystemInput& in, SystemOutput* out) {
                   out->tau[0] = in.t > 0.5 ? NAN : 1.0;
                 }),
             &spec);
  Simulator sim(compile(spec), {});
  EXPECT_THROW(sim.advance_to(1), AccuracyError);
  EXPECT_NEAR(sim.state().t, 0.5, 1e-6);
}

TEST(ExternalSystem, SampleTimesThatDifferByRoundingAreOne) {
  ModelSpec spec = make_arm();
  for (const double period : {0.1, 0.3}) {
    add_system(period < 0.2 ? "fast" : "slow", make_pid(1, 0, 1), &spec, period);
  }
  Simulator sim(compile(spec), {.accuracy = 1e-2});
  double shortest = 1;
  sim.set_monitor([&](const StepEvent& event) {
    shortest = std::min(shortest, event.result.h);
  });
  sim.advance_to(3);
  EXPECT_GT(shortest, 1e-4);
}

TEST(ExternalSystem, SamplesFollowTheTimeThatIsSet) {
  ModelSpec spec = make_arm();
  add_system("control", make_pid(100, 0, 20), &spec, 0.01);
  Simulator sim(compile(spec), {});
  sim.advance_to(2);
  const double held = sim.state().q[0];
  State again = sim.state();
  again.t = 0;
  sim.set_state(again);
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().q[0], held, 1e-3);  // still controlled
}

}  // namespace
}  // namespace cenic
