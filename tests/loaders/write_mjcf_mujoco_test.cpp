// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What is written as MJCF reads back with the same mechanics, and MuJoCo reads it, too.
#include <map>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "loaders/load.h"
#include "loaders/mjcf/mjcf_writer.h"
#include "loaders/mjcf_files.h"
#include "loaders/mjcf_text.h"
#include "multibody/random_model.h"
#include "scenes/scenes.h"
#include "sim/simulator.h"
#include "systems/library/library.h"

namespace cenic::test {
namespace {

// Joints of other names than these have nothing to be found by.
void name_joints(ModelSpec* spec) {
  int k = 0;
  for (BodySpec& body : spec->bodies) {
    for (JointSpec& joint : body.joints) {
      if (joint.name.empty()) joint.name = fmt::format("joint#{}", k);
      ++k;
    }
  }
}

const Joint& find_joint(const Model& model, const std::string& name) {
  for (const Joint& joint : model.joints) {
    if (joint.name == name) return joint;
  }
  throw std::runtime_error("no joint " + name);
}

// Coordinates of the file's model for those of the first: joints in another order, stacks for
// universal and planar joints, balls in the axes of the body.
struct Translation {
  std::vector<double> q{};
  Eigen::MatrixXd S{};  // v of the file's model = S v
};

Translation translate(const ModelSpec& spec, const Model& from, const Model& to,
                      const std::vector<double>& q) {
  Translation t{.q = std::vector<double>(to.nq), .S = Eigen::MatrixXd::Zero(to.nv, from.nv)};
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& joint : body.joints) {
      const Joint& a = find_joint(from, joint.name);
      int done = 0;
      for (const detail::MjcfJointPart& part : detail::split_joint(joint)) {
        const Joint& b = find_joint(to, part.name);
        std::copy_n(&q[a.q_start + done], b.nq, &t.q[b.q_start]);
        t.S.block(b.v_start, a.v_start + done, b.nv, b.nv).setIdentity();
        done += b.nq;
      }
      if (joint.kind != JointKind::kBall) continue;
      const Joint& b = find_joint(to, joint.name);
      const double* e = &q[a.q_start];
      const Quat e_BF = to_quaternion(joint.X_BF.R);
      const Quat turned = e_BF * Quat{e[0], e[1], e[2], e[3]} * conjugate(e_BF);
      const std::vector<double> numbers{turned.w, turned.x, turned.y, turned.z};
      std::copy(numbers.begin(), numbers.end(), &t.q[b.q_start]);
      for (int i = 0; i < 9; ++i) {
        t.S(b.v_start + i / 3, a.v_start + i % 3) = joint.X_BF.R(i / 3, i % 3);
      }
    }
  }
  return t;
}

double total_mass(const ModelSpec& spec) {
  double mass = 0;
  for (const BodySpec& body : spec.bodies) {
    mass += body.inertia ? body.inertia->mass : 0;
  }
  return mass;
}

void expect_same_mechanics_in_mjcf(ModelSpec spec) {
  name_joints(&spec);
  const MjcfText mjcf = write_mjcf(spec);
  const LoadedModel read = load_text_model(mjcf.text);
  Bench a(spec), b(read.spec);
  ASSERT_EQ(a.model->nq, b.model->nq);
  ASSERT_EQ(a.model->nv, b.model->nv);
  EXPECT_EQ(a.model->geometries.size(), b.model->geometries.size());
  EXPECT_NEAR(a.model->total_mass, b.model->total_mass, 1e-12 * a.model->total_mass);
  Random random(5);
  for (int k = 0; k < 5; ++k) {
    const std::vector<double> q = make_random_positions(*a.model, &random);
    const std::vector<double> v = random.array(a.model->nv);
    const Translation t = translate(spec, *a.model, *b.model, q);
    std::vector<double> w(b.model->nv);
    Eigen::Map<Eigen::VectorXd>(w.data(), b.model->nv) = t.S * as_eigen(v);
    a.set(q, v);
    b.set(t.q, w);
    const Eigen::MatrixXd M = a.mass_matrix(), N = t.S.transpose() * b.mass_matrix() * t.S;
    EXPECT_LT((M - N).norm(), 1e-9 * M.norm());
    const Eigen::VectorXd x = a.inverse_dynamics(v, {}),
                          y = t.S.transpose() * b.inverse_dynamics(w, {});
    EXPECT_LT((x - y).norm(), 1e-9 * (1 + x.norm()));
  }
  if (mjcf.text.find("elevation=") != std::string::npos) return;  // of MuJoCo 3
  const ForMujoco peer = load_text(mjcf.text);
  ASSERT_NE(peer.model, nullptr) << peer.error;
  EXPECT_EQ(peer.model->nq, a.model->nq);
  EXPECT_EQ(peer.model->nv, a.model->nv);
  EXPECT_NEAR(peer.model->body_subtreemass[0], total_mass(read.spec), 1e-9 * total_mass(read.spec));
}

class SceneAsMjcf : public testing::TestWithParam<std::string> {};

TEST_P(SceneAsMjcf, HasTheSameMechanics) { expect_same_mechanics_in_mjcf(make_scene(GetParam())); }

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneInfo& scene : list_scenes()) {
    names.push_back(scene.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SceneAsMjcf, testing::ValuesIn(scene_names()), [](const auto& test) {
  return test.param;
});

TEST(WriteMjcf, RandomTrees) {
  Random random(11);
  for (int k = 0; k < 10; ++k) {
    expect_same_mechanics_in_mjcf(make_random_tree({.for_mujoco = true}, &random).spec);
    if (testing::Test::HasFailure()) return;
  }
}

// The keyframe starts the file's model where the first starts.
TEST(WriteMjcf, StartsWhereItStarted) {
  ModelSpec spec;
  const RigidTransform X = RigidTransform::rotation({0.3, 0.5, -0.2});
  BodySpec a{.name = "a", .X_PB = X};
  a.inertia = InertiaSpec{1, {0.1, 0, 0}, Mat3::diagonal({1, 1.2, 1.4})};
  a.joints = {{.name = "ball", .kind = JointKind::kBall, .X_BF = X}};
  a.joints[0].position = {0.8, 0.6, 0, 0};
  a.joints[0].velocity = {0.3, -0.2, 0.7};
  BodySpec b{.name = "b", .inertia = a.inertia};
  b.joints = {{.name = "free", .kind = JointKind::kFree}};
  b.joints[0].position = {0.6, 0, 0.8, 0, 1, 2, 3};
  b.joints[0].velocity = {1, 2, 3, 4, 5, 6};
  spec.bodies = {a, b};
  const TemporaryFolder folder;
  const LoadedModel read =
      load_model(folder.write("m.xml", write_mjcf(spec).text), {.keyframe = "initial"});
  Simulator x(compile(spec), {.accuracy = 1e-8}), y(compile(read.spec), {.accuracy = 1e-8});
  EXPECT_NEAR(x.calc_energy(), y.calc_energy(), 1e-9);
  const auto place = [](Simulator* sim, double t) {
    sim->advance_to(t);
    Kinematics kin;
    kin.resize(sim->model());
    update_positions(sim->model(), sim->state().q, &kin);
    return std::pair{kin.X_WB[sim->model().bodies[0].link], kin.X_WB[sim->model().bodies[1].link]};
  };
  for (const double t : {0.0, 0.5}) {
    const auto [xa, xb] = place(&x, t);
    const auto [ya, yb] = place(&y, t);
    EXPECT_LT(norm(xa.R.row[0] - ya.R.row[0]) + norm(xa.R.row[1] - ya.R.row[1]), 1e-5) << t;
    EXPECT_LT(norm(xb.R.row[0] - yb.R.row[0]) + norm(xb.p - yb.p), 1e-5) << t;
  }
}

// A PD controller is a set of servos; contacts at rest are as deep as they were.
TEST(WriteMjcf, ServosAndContacts) {
  ModelSpec spec;
  GeometrySpec floor;
  floor.shape = make_half_space();
  floor.material.stiffness = std::numeric_limits<double>::infinity();
  spec.world_geometries = {floor};
  GeometrySpec ball;
  ball.name = "ball";
  ball.shape = make_sphere(0.1);
  ball.material = {
      .stiffness = 5e3, .dissipation = 3, .static_friction = 0.7, .dynamic_friction = 0.7};
  BodySpec body{.name = "ball"};
  body.joints = {{.name = "j", .kind = JointKind::kPrismatic}};
  body.geometries = {ball};
  spec.bodies = {body};
  spec.systems = {{.name = "pd",
                   .system = std::make_shared<PidControl>(
                       JointTargets{.joints = {"j"}, .reference = {0.2}, .effort_limits = {7}},
                       PidGains{.kp = {30}, .kd = {4}})}};
  const MjcfText mjcf = write_mjcf(spec);
  const TemporaryFolder folder;
  const LoadedModel read = load_model(folder.write("m.xml", mjcf.text), {.keyframe = "initial"});
  const Material& m = read.spec.bodies[0].geometries[0].material;
  EXPECT_NEAR(m.stiffness, 5e3, 1e-9);
  EXPECT_NEAR(m.dissipation, 3, 1e-12);
  EXPECT_EQ(m.dynamic_friction, 0.7);
  ASSERT_EQ(read.controls, std::vector<std::string>{"pd:j"});
  const auto& p =
      std::get<0>(dynamic_cast<const ActuatorModel&>(*read.spec.systems.at(1).system).parameters());
  EXPECT_EQ(p.gain[0], 30);
  EXPECT_EQ(p.bias, (std::array<double, 3>{0, -30, -4}));
  EXPECT_EQ(p.force_limit, 7);
  EXPECT_EQ(read.spec.systems.at(0).initial, std::vector<double>{0.2});
}

// Actuators of MJCF come back as they were.
TEST(WriteMjcf, Actuators) {
  const LoadedModel first = load_text_model(R"(<mujoco><worldbody>
    <body><joint name="a"/><joint name="b" type="slide" pos="0 0 1"/><geom size="1"/></body></worldbody>
    <actuator>
      <motor name="m" joint="a" gear="3" ctrllimited="true" ctrlrange="-1 2"/>
      <position name="p" joint="b" kp="7"/>
      <general name="g" joint="a" dyntype="filter" dynprm="0.1" gainprm="4" biastype="affine" biasprm="1 2 3"/>
    </actuator></mujoco>)");
  const LoadedModel again = load_text_model(write_mjcf(first.spec).text);
  EXPECT_EQ(first.controls, again.controls);
  ASSERT_EQ(first.spec.systems.size(), again.spec.systems.size());
  for (std::size_t i = 1; i < first.spec.systems.size(); i += 2) {
    const auto get = [&](const LoadedModel& model) {
      return std::get<0>(
          dynamic_cast<const ActuatorModel&>(*model.spec.systems[i].system).parameters());
    };
    const ActuatorParameters x = get(first), y = get(again);
    EXPECT_EQ(x.joint, y.joint);
    EXPECT_EQ(x.gear, y.gear);
    EXPECT_EQ(x.gain, y.gain);
    EXPECT_EQ(x.bias, y.bias);
    EXPECT_EQ(x.dynamics, y.dynamics);
    EXPECT_EQ(x.time_constant, y.time_constant);
    EXPECT_EQ(x.ctrl_min, y.ctrl_min);
    EXPECT_EQ(x.ctrl_max, y.ctrl_max);
  }
}

// Tendons come back with their limits and constraints; MuJoCo 2.2 knows no armature.
TEST(WriteMjcf, Tendons) {
  const LoadedModel first = load_text_model(R"(<mujoco><worldbody><site name="s" pos="0 0 2"/>
    <body><joint name="a" type="slide" ref="0.3"/><geom size="0.1"/><site name="t" pos="0.1 0 0"/></body>
    <body pos="1 0 0"><joint name="b" type="slide"/><geom size="0.1"/></body></worldbody>
    <tendon><spatial name="rope" range="0 3"><site site="s"/><site site="t"/><pulley divisor="2"/>
        <site site="s"/><site site="t"/></spatial>
      <fixed name="sum" limited="true" range="-1 2"><joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed></tendon>
    <equality><tendon name="c" tendon1="sum" tendon2="rope" polycoef="0.1 0.2 0.3 0 0"/>
      <tendon name="d" tendon1="rope" polycoef="0.1 0 0 0 0"/></equality></mujoco>)");
  const MjcfText text = write_mjcf(first.spec);
  EXPECT_NE(load_text(text.text).model, nullptr) << text.text;
  const LoadedModel again = load_text_model(text.text);
  ASSERT_EQ(again.spec.tendons.size(), 2u);
  for (std::size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(again.spec.tendons[t].name, first.spec.tendons[t].name);
    EXPECT_EQ(again.spec.tendons[t].lower, first.spec.tendons[t].lower);
    EXPECT_EQ(again.spec.tendons[t].upper, first.spec.tendons[t].upper);
  }
  EXPECT_EQ(again.spec.tendons[0].branches[1].divisor, 2);
  ASSERT_EQ(again.spec.constraints.size(), 2u);
  for (std::size_t c = 0; c < 2; ++c) {
    const std::vector<double>&x = first.spec.constraints[c].polynomial,
          &y = again.spec.constraints[c].polynomial;
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      EXPECT_NEAR(x[k], y[k], 1e-12);
    }
  }
}

// Nothing is left out without a word.
TEST(WriteMjcf, ListsWhatItCannotSay) {
  ModelSpec spec;
  BodySpec body{.name = "b"};
  body.inertia = InertiaSpec{1, {}, Mat3::diagonal({1, 1, 1})};
  body.gravity_compensation = 1;
  body.joints = {{.name = "s", .kind = JointKind::kScrew, .pitch = 0.1},
                 {.name = "c", .kind = JointKind::kCurvilinear, .curve = {{1, 1}}}};
  GeometrySpec g;
  g.name = "g";
  g.shape = make_sphere(1);
  g.hydroelastic.compliance = Compliance::kCompliant;
  g.surface_velocity = BeltVelocity{.mean = {1, 0, 0}};
  g.material.static_friction = 0.9;
  body.geometries = {g};
  spec.bodies = {body};
  spec.systems = {{.name = "imu", .system = std::make_shared<Imu>("b")}};
  spec.constraints = {{.name = "open",
                       .kind = ConstraintKind::kBall,
                       .a = "b",
                       .b = kWorldName,
                       .X_AP = RigidTransform::translation({1, 0, 0})}};
  std::string all;
  for (const WriteNote& note : write_mjcf(spec).notes) {
    all += note.what + ": " + fmt::format("{}", fmt::join(note.names, ",")) + "\n";
  }
  for (const char* part : {"screw joints", "curvilinear joints", "gravity compensation",
                           "hydroelastic contact becomes", "moving surfaces", "static friction",
                           "left out: imu", "left out: open"}) {
    EXPECT_TRUE(contains(all, part));
  }
}

}  // namespace
}  // namespace cenic::test
