// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What scenarios say, and what is said about wrong ones.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "loaders/robot_text.h"
#include "loaders/scenario/compose.h"
#include "multibody/tendons.h"
#include "sim/simulator.h"
#include "systems/library/library.h"

namespace cenic::test {
namespace {

constexpr const char* kArm = R"(<mujoco model="arm">
  <worldbody>
    <geom name="plate" type="box" size="1 1 0.1" pos="0 0 -0.1"/>
    <body name="upper" pos="0 0 1">
      <joint name="hinge" axis="0 1 0"/>
      <inertial pos="0.5 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <geom name="rod" size="0.1" pos="0.5 0 0"/>
    </body>
    <body name="ball" pos="3 0 1">
      <freejoint name="fly"/>
      <geom name="ball" size="0.2"/>
    </body>
  </worldbody>
  <actuator><motor name="drive" joint="hinge" gear="2"/></actuator>
  <sensor><jointpos name="angle" joint="hinge"/></sensor>
  <keyframe><key name="bent" qpos="0.5 3 0 2 1 0 0 0" qvel="0 0 0 0 0 0 1" ctrl="0.25"/></keyframe>
</mujoco>)";

LoadedModel load(const TemporaryFolder& folder, const std::string& text,
                 const LoadOptions& options = {}) {
  return load_model(folder.write("scenario.yaml", text), options);
}

// Each with the place in front, without the folder.
std::string errors(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("arm.xml", kArm);
  try {
    const LoadedModel loaded = load(folder, text);
    compile(loaded.spec);
  } catch (const Error& e) {
    std::string what = e.what();
    for (std::size_t at = what.find(folder.path()); at != std::string::npos;
         at = what.find(folder.path())) {
      what.erase(at, folder.path().size());
    }
    return what;
  }
  return "";
}

TEST(Scenario, SettingsOfTheRun) {
  const TemporaryFolder folder;
  const LoadedModel loaded = load(folder, R"(
duration: 3
accuracy: 1e-4
max_step: 0.05
integrator: cenic-paper
error_norm: state
contact: hydroelastic
seed: 7
gravity: [0, 0, -1.6]
stiction_velocity: 1e-3
)");
  EXPECT_EQ(loaded.run.duration, 3);
  EXPECT_EQ(loaded.run.accuracy, 1e-4);
  EXPECT_EQ(loaded.run.max_step, 0.05);
  EXPECT_FALSE(loaded.run.fixed_step);
  EXPECT_EQ(loaded.run.integrator, "cenic-paper");
  EXPECT_EQ(loaded.run.error_norm, NormChoice::kState);
  EXPECT_EQ(loaded.run.contact, ContactModel::kHydroelastic);
  EXPECT_EQ(loaded.run.seed, 7U);
  EXPECT_EQ(loaded.spec.gravity, (Vec3{0, 0, -1.6}));
  EXPECT_EQ(loaded.spec.stiction_velocity, 1e-3);
  EXPECT_EQ(loaded.spec.name, "scenario");
}

TEST(Scenario, BodiesInFull) {
  const TemporaryFolder folder;
  const LoadedModel loaded = load(folder, R"(
bodies:
  - name: wheel
    pose: {position: [1, 2, 3], rpy_degrees: [0, 0, 90]}
    inertia: {mass: 2, center_of_mass: [0.1, 0, 0], moments: [1, 2, 2.5, 0.1, 0.2, 0.3]}
    joints:
      - {name: axle, kind: revolute, axis: [0, 1, 0], damping: 0.5, upper: 2, lower: -.inf, position: 0.3}
    geometries:
      - name: rim
        cylinder: {radius: 0.5, half_length: 0.1}
        material: {stiffness: .inf, static_friction: 0.9}
        hydroelastic: {compliance: compliant, modulus: 1e6}
        surface_velocity: {mean: [1, 0, 0]}
        group: 4
  - name: lamp
    parent: wheel
    pose: {quaternion_wxyz: [2, 0, 0, 2]}
    joints: [{name: turn, kind: ball, upper: [1.5]}]
    inertia: {mass: 1, moments: [1, 1, 1]}
geometries:
  - {half_space: {}}
  - {convex: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}
  - {mesh: {vertices: "0 0 0  1 0 0  0 1 0  0 0 1", triangles: "0 2 1  0 1 3  0 3 2  1 2 3"}}
)");
  const BodySpec& wheel = body_of(loaded.spec, "wheel");
  EXPECT_LT(norm(wheel.X_PB * Vec3{1, 0, 0} - Vec3{1, 3, 3}), 1e-15);
  EXPECT_EQ(wheel.inertia->I_com(0, 2), 0.2);
  EXPECT_EQ(wheel.inertia->I_com(2, 1), 0.3);
  const JointSpec& axle = joint_of(loaded.spec, "axle");
  EXPECT_EQ(axle.upper, std::vector<double>{2});
  EXPECT_EQ(axle.lower, std::vector<double>{-std::numeric_limits<double>::infinity()});
  EXPECT_EQ(axle.position, std::vector<double>{0.3});
  const GeometrySpec& rim = wheel.geometries[0];
  EXPECT_EQ(rim.shape.kind, ShapeKind::kCylinder);
  EXPECT_TRUE(std::isinf(rim.material.stiffness));
  EXPECT_EQ(rim.material.dynamic_friction, 0.5);  // its default
  EXPECT_EQ(rim.hydroelastic.compliance, Compliance::kCompliant);
  EXPECT_EQ(rim.surface_velocity(3).x, 1);
  EXPECT_EQ(rim.group, 4U);
  EXPECT_EQ(body_of(loaded.spec, "lamp").parent, "wheel");
  EXPECT_LT(norm(body_of(loaded.spec, "lamp").X_PB.R * Vec3{1, 0, 0} - Vec3{0, 1, 0}), 1e-15);
  ASSERT_EQ(loaded.spec.world_geometries.size(), 3U);
  EXPECT_NEAR(calc_unit_density_inertia(loaded.spec.world_geometries[2].shape).mass, 1.0 / 6,
              1e-15);
}

// A model placed in the world moves as the same model with its gravity turned the other way.
TEST(Scenario, PlacesModels) {
  const TemporaryFolder folder;
  folder.write("arm.xml", kArm);
  const LoadedModel alone = load_model(folder.path("arm.xml"), {.keyframe = "bent"});
  const LoadedModel placed = load(folder, R"(
models:
  - {name: a, file: arm.xml, keyframe: bent, pose: {position: [1, 2, 3], rpy_degrees: [0, 0, 90]}}
)");
  EXPECT_EQ(placed.controls, std::vector<std::string>{"a::drive"});
  ASSERT_EQ(placed.sensors.size(), 1U);
  EXPECT_EQ(placed.sensors[0].name, "a::angle");
  EXPECT_EQ(body_of(placed.spec, "a::world").geometries.at(0).name, "a::plate");
  EXPECT_EQ(body_of(placed.spec, "a::upper").parent, "a::world");
  EXPECT_EQ(body_of(placed.spec, "a::ball").parent, kWorldName);
  Simulator sa(compile(alone.spec), {.accuracy = 1e-6}),
      sb(compile(placed.spec), {.accuracy = 1e-6});
  sa.advance_to(0.5);
  sb.advance_to(0.5);
  const std::vector<double>&qa = sa.state().q, &qb = sb.state().q;
  EXPECT_NEAR(qa[0], qb[0], 1e-5);
  // Coordinates of the ball: quaternion, position.
  EXPECT_NEAR(qb[5], 1 - qa[6], 1e-5);
  EXPECT_NEAR(qb[6], 2 + qa[5], 1e-5);
  EXPECT_NEAR(qb[7], 3 + qa[7], 1e-5);
  EXPECT_NE(qa[4], 0);  // it spins
}

TEST(Scenario, AttachesAndWelds) {
  const TemporaryFolder folder;
  folder.write("arm.xml", kArm);
  const LoadedModel loaded = load(folder, R"(
models:
  - {name: a, file: arm.xml, attach_to: cart, weld: ball, pose: {position: [0, 0, 1]}}
bodies:
  - name: cart
    joints: [{name: rail, kind: prismatic, axis: [1, 0, 0]}]
    inertia: {mass: 3, moments: [1, 1, 1]}
)");
  const auto model = compile(loaded.spec);
  EXPECT_EQ(model->nv, 2);  // the rail and the hinge
  EXPECT_TRUE(body_of(loaded.spec, "a::ball").joints.empty());
  EXPECT_EQ(body_of(loaded.spec, "a::world").parent, "cart");
  Bench bench(loaded.spec);
  bench.set(std::vector<double>(model->nq, 0.0), std::vector<double>(model->nv, 0.0));
  // All of it is carried along: 3 + 2 + the ball at 1000 kg/m³.
  const double ball = 1000 * 4.0 / 3 * std::numbers::pi * 0.008;
  EXPECT_NEAR(bench.mass_matrix().maxCoeff(), 5 + ball, 1e-9);
}

TEST(Scenario, SystemsOfPlacedModelsKeepTheirMeaning) {
  const TemporaryFolder folder;
  folder.write("inner.yaml", R"(
bodies:
  - {name: b, joints: [{kind: free}], inertia: {mass: 1, moments: [1, 1, 1]}}
systems:
  - {name: push, type: body_force, body: b, force: [1, 0, 0]}
  - {name: pull, type: body_force, body: b, force: [1, 0, 0], body_axes: true}
  - {name: rope, type: spring_damper, a: b, b: world, point_b: [0, 0, 1], stiffness: 2}
  - {name: hold, type: task_space_control, body: b, joints: [j], target: {position: [1, 0, 0]}}
)");
  const LoadedModel loaded = load(folder,
                                  "models: [{name: m, file: inner.yaml, pose: {rpy_degrees: [0, 0, "
                                  "90], position: [0, 5, 0]}}]");
  const auto parameters = [&](std::size_t i, auto* type) {
    return std::get<0>(
        dynamic_cast<const std::remove_pointer_t<decltype(type)>&>(*loaded.spec.systems[i].system)
            .parameters());
  };
  const auto push = parameters(0, static_cast<BodyForce*>(nullptr));
  EXPECT_EQ(push.body, "m::b");
  EXPECT_LT(norm(push.F.v - Vec3{0, 1, 0}), 1e-15);
  EXPECT_EQ(parameters(1, static_cast<BodyForce*>(nullptr)).F.v, (Vec3{1, 0, 0}));
  EXPECT_EQ(parameters(2, static_cast<SpringDamper*>(nullptr)).b, "m::world");
  const auto hold = parameters(3, static_cast<TaskSpaceControl*>(nullptr));
  EXPECT_EQ(hold.joints, std::vector<std::string>{"m::j"});
  EXPECT_LT(norm(hold.target.p - Vec3{0, 6, 0}), 1e-15);
}

// The rope hangs on the world of its model, which stands elsewhere in the whole.
TEST(Scenario, TendonsOfPlacedModelsKeepTheirLength) {
  const TemporaryFolder folder;
  folder.write("inner.yaml", R"(
bodies:
  - {name: b, joints: [{name: j, kind: prismatic}], inertia: {mass: 1, moments: [1, 1, 1]}}
tendons:
  - {name: rope, branches: [{points: [{body: world, point: [0, 0, 3]}, {body: b}]}], upper: 4}
  - {name: sum, joints: [{joint: j, coefficient: 2}], armature: 0.5}
constraints: [{kind: tendon, a: sum, b: rope, polynomial: [1, 2]}]
)");
  const LoadedModel loaded =
      load(folder, "models: [{name: m, file: inner.yaml, pose: {position: [0, 5, 0]}}]");
  ASSERT_EQ(loaded.spec.tendons.size(), 2u);
  EXPECT_EQ(loaded.spec.tendons[0].name, "m::rope");
  EXPECT_EQ(loaded.spec.tendons[0].branches[0].points[0].body, "m::world");
  EXPECT_EQ(loaded.spec.tendons[1].joints[0].joint, "m::j");
  EXPECT_EQ(loaded.spec.constraints[0].b, "m::rope");
  const auto model = compile(loaded.spec);
  Kinematics kin;
  kin.resize(*model);
  update_positions(*model, model->q0, &kin);
  EXPECT_NEAR(calc_tendon_length(*model, kin, model->q0, 0), 3, 1e-12);
}

TEST(Scenario, FiltersMaterialsAndPositions) {
  const TemporaryFolder folder;
  folder.write("arm.xml", kArm);
  const LoadedModel loaded = load(folder, R"(
models:
  - {name: a, file: arm.xml}
  - {name: b, file: arm.xml, pose: {position: [0, 9, 0]}}
filters:
  - {a: "a::*", b: "b::*"}
materials:
  - {geometries: "*::rod", dynamic_friction: 0.25}
  - {bodies: "b::*", stiffness: 5}
positions:
  a::hinge: 0.5
  b::fly: [1, 0, 0, 0, 7, 8, 9]
velocities: {"a::hinge": [2]}
)");
  EXPECT_EQ(loaded.spec.exclude.size(), 2U * 3U);  // b has a body for its world
  EXPECT_EQ(body_of(loaded.spec, "a::upper").geometries[0].material.dynamic_friction, 0.25);
  EXPECT_NE(body_of(loaded.spec, "a::ball").geometries[0].material.dynamic_friction, 0.25);
  EXPECT_EQ(body_of(loaded.spec, "b::ball").geometries[0].material.stiffness, 5);
  EXPECT_NE(body_of(loaded.spec, "a::ball").geometries[0].material.stiffness, 5);
  EXPECT_EQ(joint_of(loaded.spec, "a::hinge").position, std::vector<double>{0.5});
  EXPECT_EQ(joint_of(loaded.spec, "a::hinge").velocity, std::vector<double>{2});
  EXPECT_EQ(joint_of(loaded.spec, "b::fly").position.back(), 9);
}

TEST(Scenario, KnowsAliases) {
  const TemporaryFolder folder;
  const LoadedModel loaded = load(folder, R"(
geometries:
  - {sphere: {radius: 1}, material: &steel {stiffness: 7, dynamic_friction: 0.1}}
  - {sphere: {radius: 2}, material: *steel}
)");
  EXPECT_EQ(loaded.spec.world_geometries.at(1).material.stiffness, 7);
}

TEST(Scenario, SeedsItsNoise) {
  const TemporaryFolder folder;
  const std::string text = "seed: 5\nsystems: [{name: n, type: noise, seed: 2, period: 0.1}]\n";
  const auto seed = [&](const LoadOptions& options) {
    const LoadedModel loaded = load(folder, text, options);
    return std::get<0>(dynamic_cast<const Noise&>(*loaded.spec.systems[0].system).parameters())
        .seed;
  };
  EXPECT_EQ(seed({}), 7U);
  EXPECT_EQ(seed({.seed = 1}), 3U);
}

TEST(Scenario, ReportsWhatItOverrides) {
  const TemporaryFolder folder;
  folder.write("moon.yaml", "gravity: [0, 0, -1.6]\naccuracy: 1e-5\n");
  const LoadedModel loaded = load(folder, "models:\n  - {name: m, file: moon.yaml}\n");
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "gravity of 'moon.yaml'"));
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "settings of the run"));
}

// ---- mistakes ----

TEST(ScenarioErrors, NameLineAndColumnAndHelp) {
  const std::string text = errors(R"(acuracy: 1e-3
bodies:
  - name: a
    joints: [{kind: revolut, damping: much}]
    inertia: {mas: 1}
    geometries:
      - {sphere: {radius: .inf}}
      - {sphere: {radius: 1}, box: {half_extents: [1, 1]}}
systems:
  - {name: s, type: pid_controll, joints: [a]}
  - {name: t, type: delay}
filters: [{a: a, b: "*"}, 3]
)");
  EXPECT_TRUE(contains(
      text, "scenario.yaml:1:1: error: there is no key 'acuracy' here; did you mean 'accuracy'?"));
  EXPECT_TRUE(
      contains(text, "scenario.yaml:4:21: error: 'revolut' is not one of revolute, prismatic"));
  EXPECT_TRUE(contains(text, "scenario.yaml:4:39: error: 'much' is not a number"));
  EXPECT_TRUE(contains(text, "scenario.yaml:5:14: error: 'mass' is missing"));
  EXPECT_TRUE(contains(text, "did you mean 'mass'?"));
  EXPECT_TRUE(contains(text, "scenario.yaml:7:27: error: an infinite number makes no sense"));
  EXPECT_TRUE(contains(text, "the list has 2 entries; give 3"));
  EXPECT_TRUE(contains(text, "the geometry has 2 shapes"));
  EXPECT_TRUE(
      contains(text, "there is no type 'pid_controll' of systems; did you mean 'pid_control'?"));
  EXPECT_TRUE(contains(text, "scenario.yaml:11:5: error: 'samples' is missing"));
  EXPECT_TRUE(contains(text, "scenario.yaml:12:27: error: '3' stands where a map"));
}

TEST(ScenarioErrors, OfTheWhole) {
  const std::string text = errors(R"(models:
  - {name: a, file: arm.xml, attach_to: tabel, weld: ball}
filters: [{a: "x*", b: world}]
materials: [{geometries: nothing, stiffness: 1}]
positions: {"a::hing": 1, "a::hinge": [1, 2]}
outputs: [{name: o, signal: nobody.out}]
)");
  EXPECT_TRUE(contains(text, "scenario.yaml:2:5: error: there is no body 'tabel'"));
  EXPECT_TRUE(contains(text, "no body fits 'x*'"));
  EXPECT_TRUE(contains(text, "no geometry fits 'nothing'"));
  EXPECT_TRUE(contains(
      text, "there is no joint 'a::hing', nor a body with one joint; did you mean 'a::hinge'?"));
  EXPECT_TRUE(contains(text, "'a::hinge' has 1 coordinates, and 2 numbers are given"));
  EXPECT_TRUE(contains(text, "there is no system 'nobody'"));
}

TEST(ScenarioErrors, OfModels) {
  EXPECT_TRUE(contains(errors("models: [{name: a, file: no.xml}]"),
                       "scenario.yaml:1:10: error: model 'no.xml'"));
  EXPECT_TRUE(contains(errors("models: [{name: a, file: ../../../etc/passwd}]"), "error: model"));
  EXPECT_TRUE(contains(errors("models: [{file: scenario.yaml}]"), "includes itself"));
  EXPECT_TRUE(
      contains(errors("models: [{name: a, file: arm.xml, weld: upper}]"), "free are: ball"));
  EXPECT_TRUE(contains(errors("models: [{name: a, file: arm.xml, keyframe: x}]"),
                       "there is no keyframe 'x'"));
  EXPECT_TRUE(
      contains(errors("models: [{file: arm.xml, pose: {position: [1, 0, 0]}}]"), "needs a name"));
  EXPECT_TRUE(contains(errors("models: [{name: a.b, file: arm.xml}]"), "cannot be named"));
  EXPECT_TRUE(contains(errors("models: [{name: a, file: arm.xml, attach_to: b}]\n"
                              "bodies: [{name: b}]"),
                       "'ball' is free and cannot be attached"));
  EXPECT_TRUE(contains(errors("models: [{file: arm.xml}, {file: arm.xml}]"), "the same name"));
}

TEST(ScenarioErrors, OfYaml) {
  EXPECT_TRUE(contains(errors("a: b: c"), "scenario.yaml:1:5: error: no YAML"));
  EXPECT_TRUE(contains(errors(""), "the file is empty"));
  EXPECT_TRUE(contains(errors("name: a\nname: b\n"),
                       "scenario.yaml:2:1: error: the key 'name' is there twice"));
  EXPECT_TRUE(contains(errors("- 1\n"), "a list stands where a map"));
  EXPECT_TRUE(contains(errors("? [a, b]\n: 1\n"), "a key must be a plain word"));
  EXPECT_TRUE(contains(errors("name: a\n---\nname: b\n"), "one document"));
  EXPECT_TRUE(contains(errors("accuracy: .nan\n"), "'.nan' is not a number"));
  EXPECT_TRUE(contains(errors("accuracy: 1e999\n"), "'1e999' is not a number"));
  EXPECT_TRUE(contains(errors("bodies: &a [*a]\n"), "does an alias contain itself"));
  EXPECT_TRUE(contains(errors("notes: [*nobody]\n"), "scenario.yaml:1:9: error: no YAML"));
  EXPECT_TRUE(contains(errors("bodies: " + std::string(20'000, '[')),
                       "scenario.yaml: error: nested far too deep"));
  std::string bomb = "notes: [&a0 [x, x, x, x, x, x, x, x, x, x]";
  for (int i = 1; i < 12; ++i) {
    bomb += ", &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) {
      bomb += (k > 0 ? ", *a" : "*a") + std::to_string(i - 1);
    }
    bomb += "]";
  }
  EXPECT_TRUE(contains(errors(bomb + "]\n"), "are aliases piled up?"));
}

TEST(Scenario, Patterns) {
  EXPECT_TRUE(detail::matches("*", ""));
  EXPECT_TRUE(detail::matches("a*c*e", "abcde"));
  EXPECT_TRUE(detail::matches("*::tip", "left::arm::tip"));
  EXPECT_FALSE(detail::matches("a*c", "abcd"));
  EXPECT_FALSE(detail::matches("", "a"));
  EXPECT_TRUE(detail::matches("a", "a"));
  EXPECT_TRUE(detail::matches("*ab", "aab"));
}

// The example of docs/scenario.md: the tips press on the box and it stays between them.
TEST(ScenarioExample, TwoArms) {
  const LoadedModel loaded = load_model(CENIC_TEST_DATA "/../examples/two_arms.yaml");
  EXPECT_EQ(loaded.diagnostics.count(Severity::kWarning), 0);  // the bases are welded
  EXPECT_EQ(loaded.run.duration, 3);
  const auto model = compile(loaded.spec);
  Simulator sim(model, {.accuracy = 1e-3});
  sim.advance_to(3);
  const auto pose = sim.output("where.pose");
  EXPECT_NEAR(pose[4], 0, 1e-3);
  EXPECT_NEAR(pose[6], 0.49, 1e-3);
  const double weight = 200 * 0.18 * 0.18 * 0.18 * 9.81;
  EXPECT_NEAR(sim.output("weigh.force")[2], weight, 0.1 * weight);
  EXPECT_GT(sim.output("weigh.normal")[0], 5 * weight);
}

}  // namespace
}  // namespace cenic::test
