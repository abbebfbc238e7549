// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Derivatives that systems of the library give, against differences of what they compute. The
// system stands between sources (HeldInput, whose states are the inputs) and sinks (ż = output), so
// that every derivative is in the Jacobian of their group.
#include <algorithm>
#include <cmath>
#include <functional>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

// The same law without its derivatives.
class Differenced : public ExternalSystem {
 public:
  explicit Differenced(std::shared_ptr<const ExternalSystem> law) : law_(std::move(law)) {}
  void declare(Ports* ports) const override { law_->declare(ports); }
  void evaluate(const SystemInput& in, SystemOutput* out) const override {
    law_->evaluate(in, out);
  }

 private:
  std::shared_ptr<const ExternalSystem> law_;
};

class Sink : public ExternalSystem {
 public:
  explicit Sink(int n) : n_(n) {}
  void declare(Ports* ports) const override {
    for (int i = 0; i < n_; ++i) {
      ports->add_state("z");
    }
    ports->add_input("in", n_);
  }
  void evaluate(const SystemInput& in, SystemOutput* out) const override {
    std::ranges::copy(in.u, out->zdot.begin());
  }
  bool differentiate(const SystemInput& /*in*/, SystemJacobian* J) const override {
    for (int i = 0; i < n_; ++i) {
      (*J)(J->zdot(i), J->u(i)) = 1;
    }
    return true;
  }

 private:
  int n_;
};

// Derivatives that are called approximate are exact where the law is on its reference, at rest and
// without gravity.
enum class Where { kInMotion, kAtRest, kAtRestWithoutGravity };

struct Case {
  const char* name;
  std::function<std::shared_ptr<const ExternalSystem>()> make;
  std::vector<double> inputs{};  // all one after another
  Where where = Where::kInMotion;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<double> kArm{0.4, -0.7};
const JointTargets kOnReference{.joints = {"shoulder", "elbow"}, .reference = kArm};
const JointTargets kInput{.joints = {"shoulder", "elbow"}, .reference_input = true};

// Where the frame P of the lower link is.
const RigidTransform kX_BP{to_matrix(exp_map({0.3, -0.2, 0.5})), {0.4, 0.05, -0.1}};
RigidTransform calc_target() {
  const auto model = compile(make_arm_and_ball());
  const Kinematics kin = calc_kinematics(*model, make_state(*model, kArm, {}));
  return kin.X_WB[model->bodies[1].link] * kX_BP;
}
std::vector<double> calc_target_signal() {
  const RigidTransform X = calc_target();
  const Quat e = to_quaternion(X.R);
  return {2 * e.w, 2 * e.x, 2 * e.y, 2 * e.z, X.p.x, X.p.y, X.p.z, 0, 0, 0, 0, 0, 0};
}
TaskSpaceParameters make_task(bool input) {
  return {.body = "lower",
          .X_BP = kX_BP,
          .joints = {"elbow", "shoulder"},
          .kp = {10, 20, 30, 400, 500, 600},
          .kd = {1, 2, 3, 40, 50, 60},
          .target = calc_target(),
          .target_input = input,
          .target_velocity = input};
}

SpringDamperParameters make_spring(const std::string& a, const std::string& b) {
  return {.a = a,
          .b = b,
          .p_AP = {0.1, 0.2, 0.05},
          .p_BQ = {0.3, 0, 0.1},
          .rest_length = 0.3,
          .stiffness = 50,
          .damping = 7};
}

ActuatorParameters make_general(ActuatorDynamics dynamics, double ctrl_max) {
  return {.joint = "elbow",
          .gear = -3,
          .gain = {2, 0.5, -0.3},
          .bias = {1, -4, -0.6},
          .dynamics = dynamics,
          .time_constant = 0.2,
          .activation = 0.8,
          .ctrl_min = -1,
          .ctrl_max = ctrl_max};
}

template <typename Law, typename Parameters>
std::function<std::shared_ptr<const ExternalSystem>()> of(const Parameters& parameters) {
  return [parameters] {
    return std::make_shared<Law>(parameters);
  };
}

std::vector<Case> make_cases() {
  return {
      {"pid",
       [] {
         return std::make_shared<PidControl>(kInput, PidGains{.kp = {5, 6}, .ki = {7}, .kd = {8}});
       },
       {0.1, 0.2, 0.3, 0.4}},
      {"pid_wound_up",
       [] {
         return std::make_shared<PidControl>(
             kInput, PidGains{.kp = {5}, .ki = {7}, .kd = {8}, .integral_limit = {1}});
       },
       {0.1, 0.2, 0.3, 0.4}},
      {"inverse_dynamics",
       [] {
         return std::make_shared<InverseDynamicsControl>(kOnReference, std::vector{50.0, 60.0},
                                                         std::vector{7.0, 8.0});
       },
       {},
       Where::kAtRestWithoutGravity},
      {"joint_impedance",
       [] {
         return std::make_shared<JointImpedance>(kInput, std::vector{50.0, 60.0},
                                                 std::vector{7.0, 8.0});
       },
       {0.1, 0.2, 0.3, 0.4},
       Where::kAtRestWithoutGravity},
      {"task_space", of<TaskSpaceControl>(make_task(false)), {}, Where::kAtRestWithoutGravity},
      {"task_space_input", of<TaskSpaceControl>(make_task(true)), calc_target_signal(),
       Where::kAtRestWithoutGravity},
      {"motor", of<ActuatorModel>(make_motor("elbow", 4)), {0.3}},
      {"position_servo", of<ActuatorModel>(make_position_servo("elbow", 40, 3)), {0.3}},
      {"velocity_servo", of<ActuatorModel>(make_velocity_servo("elbow", 3)), {0.3}},
      {"general", of<ActuatorModel>(make_general(ActuatorDynamics::kNone, 1)), {0.7}},
      {"general_clamped", of<ActuatorModel>(make_general(ActuatorDynamics::kNone, 0.5)), {0.7}},
      {"integrator", of<ActuatorModel>(make_general(ActuatorDynamics::kIntegrator, 1)), {0.7}},
      {"filter_actuator", of<ActuatorModel>(make_general(ActuatorDynamics::kFilter, 1)), {0.7}},
      {"filter_actuator_clamped",
       of<ActuatorModel>(make_general(ActuatorDynamics::kFilter, 0.5)),
       {0.7}},
      {"tendon_actuator",
       of<ActuatorModel>(ActuatorParameters{.tendon = {{"shoulder", 0.5}, {"elbow", -2}},
                                            .gear = 3,
                                            .gain = {1, 2, 3},
                                            .bias = {0.1, -4, -5}}),
       {0.7}},
      {"passive_actuator",
       of<ActuatorModel>(ActuatorParameters{
           .joint = "elbow", .gain = {}, .bias = {1, -2, -3}, .has_input = false})},
      {"tendon_spring", of<TransmissionSpring>(TransmissionSpringParameters{
                            .transmission = {.joints = {{"shoulder", 0.5}, {"elbow", -2}}},
                            .stiffness = 3,
                            .damping = 4,
                            .slack_upper = 0.2,
                            .upper = 1,
                            .limit_stiffness = 50,
                            .limit_damping = 6})},
      {"polynomial_spring", of<TransmissionSpring>(TransmissionSpringParameters{
                                .transmission = {.joints = {{"shoulder", 0.5}, {"elbow", -2}}},
                                .stiffness = 3,
                                .damping = 4,
                                .more_stiffness = {2, 5},
                                .more_damping = {1, 0.5},
                                .friction = 0.7,
                                .slip = 0.5})},
      {"medium",
       of<Medium>(MediumParameters{.body = "lower",
                                   .X_BI = kX_BP,
                                   .half_sizes = {0.1, 0.2, 0.3},
                                   .density = 3,
                                   .viscosity = 5}),
       {},
       Where::kAtRest},
      {"constant", of<ConstantSignal>(std::vector{1.0, 2.0})},
      {"script",
       [] {
         return std::make_shared<Script>(1, [](double t, std::span<double> y) {
           y[0] = t;
         });
       }},
      {"held_input", of<HeldInput>(std::vector{1.0, 2.0})},
      {"linear",
       of<LinearBlock>(
           LinearParameters{.input_sizes = {2, 1}, .A = {1, 2, 3, 4, 5, 6}, .b = {7, 8}}),
       {0.1, 0.2, 0.3}},
      {"clamp", of<Clamp>(ClampParameters{.size = 3, .lower = -1, .upper = 1}), {0.5, 3, -2}},
      {"filter",
       [] {
         return std::make_shared<FirstOrderFilter>(2, 0.3, std::vector{0.2, 0.1});
       },
       {0.5, 0.6}},
      {"spring_bodies", of<SpringDamper>(make_spring("lower", "ball")), {}, Where::kAtRest},
      {"spring_one_tree", of<SpringDamper>(make_spring("lower", "upper")), {}, Where::kAtRest},
      {"spring_world", of<SpringDamper>(make_spring("world", "lower")), {}, Where::kAtRest},
      {"spring_in_motion", of<SpringDamper>(SpringDamperParameters{
                               .a = "ball", .rest_length = 0.3, .stiffness = 50, .damping = 7})},
      {"body_force_world",
       of<BodyForce>(BodyForceParameters{
           .body = "lower", .p_BP = {0.1, 0.2, 0.3}, .F = {{1, 2, 3}, {4, 5, 6}}})},
      {"body_force_body", of<BodyForce>(BodyForceParameters{.body = "lower",
                                                            .p_BP = {0.1, 0.2, 0.3},
                                                            .F = {{1, 2, 3}, {4, 5, 6}},
                                                            .body_axes = true})},
      {"joint_sensor", of<JointSensor>(std::vector<std::string>{"elbow", "shoulder"})},
  };
}

class LibraryDerivative : public testing::TestWithParam<Case> {
 protected:
  // The system between its sources and sinks.
  static ModelSpec make_spec(bool differenced) {
    const Case& c = GetParam();
    ModelSpec spec = make_arm_and_ball();
    if (c.where == Where::kAtRestWithoutGravity) spec.gravity = {};
    const auto law = c.make();
    const auto plain = compile(spec);
    Ports ports(*plain, 0);
    law->declare(&ports);
    spec.systems.push_back({.name = "law", .system = law});
    if (differenced) spec.systems.back().system = std::make_shared<Differenced>(law);
    for (const Ports::Signal& in : ports.inputs) {
      const auto first = c.inputs.begin() + in.start;
      spec.systems.push_back(
          make_system<HeldInput>("to_" + in.name, std::vector(first, first + in.size)));
      spec.wires.push_back({"to_" + in.name, "law." + in.name});
    }
    for (const Ports::Signal& out : ports.outputs) {
      spec.systems.push_back(make_system<Sink>("from_" + out.name, out.size));
      spec.wires.push_back({"law." + out.name, "from_" + out.name});
    }
    return spec;
  }
  static void set_motion(Evaluation* e) {
    const bool moves = GetParam().where == Where::kInMotion;
    e->state = make_state(*e->model, kArm, moves ? std::vector{0.5, -0.3} : std::vector{0.0, 0.0});
    const Quat turn = exp_map({0.3, 0.8, -0.4});
    double* q = &e->state.q[2];
    q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
    const System& law = e->model->systems[e->model->find_system("law")];
    std::fill_n(e->state.z.begin() + law.z_start, law.nz, 0.3);
    for (int i = 2; i < e->model->nv && moves; ++i) {
      e->state.v[i] = 0.1 * i;
    }
  }
  static const SystemEvaluator::Group& linearize(Evaluation* e) {
    set_motion(e);
    e->evaluate();
    EXPECT_TRUE(e->evaluator.linearize(0));
    return e->evaluator.groups()[e->model->systems[e->model->find_system("law")].group];
  }
};

TEST_P(LibraryDerivative, MatchesDifferences) {
  Evaluation analytic(make_spec(false)), differenced(make_spec(true));
  const auto& given = linearize(&analytic);
  const auto& wanted = linearize(&differenced);
  const double scale = wanted.jacobian.empty()
                           ? 0
                           : std::abs(*std::ranges::max_element(wanted.jacobian, {}, [](double x) {
                               return std::abs(x);
                             }));
  ASSERT_EQ(given.jacobian.size(), wanted.jacobian.size());
  for (std::size_t i = 0; i < given.jacobian.size(); ++i) {
    const int row = static_cast<int>(i) / given.columns(),
              column = static_cast<int>(i) % given.columns();
    EXPECT_NEAR(given.jacobian[i], wanted.jacobian[i], 1e-6 * (1 + scale))
        << "row " << row << ", column " << column;
  }
}

TEST_P(LibraryDerivative, CostsNoEvaluation) {
  Evaluation analytic(make_spec(false));
  set_motion(&analytic);
  analytic.evaluate();
  const long before = analytic.evaluator.evaluations();
  ASSERT_TRUE(analytic.evaluator.linearize(0));
  EXPECT_EQ(analytic.evaluator.evaluations(), before);
}

INSTANTIATE_TEST_SUITE_P(Systems, LibraryDerivative, testing::ValuesIn(make_cases()),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

}  // namespace
}  // namespace cenic
