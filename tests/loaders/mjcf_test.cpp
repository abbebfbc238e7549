// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What MJCF means: frames, copies, attached models, constraints, contacts, keyframes, and the
// report of what was left out. Numbers that MuJoCo can confirm are in mjcf_mujoco_test.cpp.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/mjcf_text.h"
#include "model/model.h"
#include "sim/simulator.h"
#include "systems/evaluator.h"
#include "systems/library/transmission.h"

namespace cenic::test {
namespace {

std::string report_of(const LoadedModel& loaded) {
  std::string text;
  for (const Diagnostic& d : loaded.diagnostics.list()) {
    text += fmt::format("{}: {}: {} x{}\n", d.line, to_string(d.severity), d.what, d.count);
  }
  return text;
}

const BodySpec& body(const LoadedModel& loaded, const std::string& name) {
  const auto found = std::ranges::find(loaded.spec.bodies, name, &BodySpec::name);
  if (found == loaded.spec.bodies.end()) throw Error("no body " + name);
  return *found;
}

void expect_near(const RigidTransform& a, const RigidTransform& b) {
  EXPECT_LT(norm(a.p - b.p), 1e-12);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(norm(a.R.row[i] - b.R.row[i]), 1e-12);
  }
}

// The example of MuJoCo's manual.
TEST(Mjcf, CopiesAreNamedAndPlacedAsDocumented) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
      <replicate count="2" offset="0 1 0" euler="90 0 0">
        <replicate count="2" sep="-" offset="1 0 0" euler="0 90 0">
          <geom name="Alice" size=".1"/>
        </replicate>
      </replicate></worldbody></mujoco>)");
  const auto& g = loaded.spec.world_geometries;
  ASSERT_EQ(g.size(), 4u);
  const char* names[] = {"Alice-00", "Alice-10", "Alice-01", "Alice-11"};
  const Vec3 places[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const Quat turns[] = {{1, 0, 0, 0}, {1, 0, 1, 0}, {1, 1, 0, 0}, {0.5, 0.5, 0.5, 0.5}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(g[i].name, names[i]);
    expect_near(g[i].X_BG, {to_matrix(normalized(turns[i])), places[i]});
  }
}

TEST(Mjcf, CopiesTakeWhatRefersToThemAlong) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
      <body name="base"/>
      <replicate count="12" offset="1 0 0">
        <body name="b"><joint name="j" axis="0 1 0"/><geom size="0.1"/></body>
      </replicate></worldbody>
      <actuator><motor name="m" joint="j"/></actuator>
      <contact><exclude body1="base" body2="b"/></contact></mujoco>)");
  EXPECT_EQ(loaded.spec.bodies.size(), 13u);
  EXPECT_EQ(loaded.controls.size(), 12u);
  EXPECT_EQ(loaded.controls[3], "m03");
  EXPECT_EQ(loaded.spec.exclude.size(), 12u);
  EXPECT_EQ(loaded.spec.exclude[11].b, "b11");
  EXPECT_EQ(body(loaded, "b07").X_PB.p, (Vec3{7, 0, 0}));
}

TEST(Mjcf, FramesMoveWhatStandsInThem) {
  const LoadedModel framed = load_text_model(R"(<mujoco><worldbody>
      <frame pos="1 2 3" euler="0 0 90">
        <body name="b" pos="0.1 0 0"><joint name="j" axis="1 0 0"/>
          <frame pos="0 0 1" quat="0 1 0 0"><geom name="g" size="0.1" pos="0 0.2 0.3"/>
            <joint name="k" pos="0 0.5 0" axis="0 1 0"/><site name="s" pos="0 0 2"/></frame>
        </body></frame></worldbody></mujoco>)");
  const LoadedModel plain = load_text_model(R"(<mujoco><worldbody>
      <body name="b" pos="1 2.1 3" euler="0 0 90"><joint name="j" axis="1 0 0"/>
        <geom name="g" size="0.1" pos="0 -0.2 0.7" quat="0 1 0 0"/>
        <joint name="k" pos="0 -0.5 1" axis="0 -1 0"/></body></worldbody></mujoco>)");
  const BodySpec &a = body(framed, "b"), &b = body(plain, "b");
  expect_near(a.X_PB, b.X_PB);
  expect_near(a.geometries[0].X_BG, b.geometries[0].X_BG);
  expect_near(a.joints[1].X_BF, b.joints[1].X_BF);
  EXPECT_LT(norm(a.joints[1].axis - b.joints[1].axis), 1e-12);
  EXPECT_LT(norm(a.inertia->com - b.inertia->com), 1e-12);
}

TEST(Mjcf, ModelsAreAttachedWithWhatActsOnThem) {
  const TemporaryFolder folder;
  folder.write("arm.xml", R"(<mujoco model="Arm"><compiler angle="radian"/>
      <default><geom size="0.1"/><default class="heavy"><geom density="2000"/></default></default>
      <worldbody><body name="other"/>
        <body name="upper" pos="0 0 1" euler="0 0 1.5"><joint name="shoulder" range="-1 1"/><geom class="heavy"/>
          <body name="lower"><joint name="elbow"/><geom/></body></body></worldbody>
      <actuator><motor name="m" joint="elbow"/></actuator>
      <contact><exclude body1="upper" body2="lower"/><exclude body1="other" body2="upper"/></contact></mujoco>)");
  const LoadedModel loaded = load_model(folder.write("main.xml", R"(<mujoco><asset>
      <model name="arm" file="arm.xml"/></asset><worldbody><frame pos="1 0 0">
      <attach model="arm" body="upper" prefix="left_"/></frame>
      <attach model="arm" body="upper" prefix="right_"/></worldbody>
      <actuator><motor name="mine" joint="left_shoulder"/></actuator></mujoco>)"));
  EXPECT_EQ(loaded.spec.bodies.size(), 4u);
  EXPECT_EQ(body(loaded, "left_upper").X_PB.p, (Vec3{1, 0, 1}));
  EXPECT_NEAR(body(loaded, "right_upper").X_PB.R(1, 0), std::sin(1.5), 1e-12);
  EXPECT_EQ(body(loaded, "left_upper").joints[0].upper, (std::vector<double>{1}));
  EXPECT_EQ(loaded.controls, (std::vector<std::string>{"mine", "left_m", "right_m"}));
  EXPECT_EQ(loaded.spec.exclude.size(), 2u);
  const double volume = 4.0 / 3 * std::numbers::pi * 1e-3;
  EXPECT_NEAR(body(loaded, "left_upper").inertia->mass, 2000 * volume, 1e-12);
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(Mjcf, JointsHaveSpringsLimitsAndFriction) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody><body name="b">
      <joint name="hinge" range="-90 45" ref="10" springref="20" stiffness="3" damping="0.2" armature="0.1"
             frictionloss="0.4"/>
      <joint name="slide" type="slide" range="-0.5 1" limited="false"/>
      <joint name="ball" type="ball" range="0 60"/>
      <geom size="0.1"/></body></worldbody></mujoco>)");
  const auto& joints = body(loaded, "b").joints;
  const double degree = std::numbers::pi / 180;
  EXPECT_EQ(joints[0].lower, (std::vector<double>{-90 * degree}));
  EXPECT_EQ(joints[0].upper, (std::vector<double>{45 * degree}));
  EXPECT_EQ(joints[0].rest, (std::vector<double>{20 * degree}));
  EXPECT_EQ(joints[0].position, (std::vector<double>{10 * degree}));
  EXPECT_EQ(joints[0].stiffness, 3);
  EXPECT_EQ(joints[0].damping, 0.2);
  EXPECT_EQ(joints[0].armature, 0.1);
  EXPECT_EQ(joints[0].dry_friction, 0.4);
  EXPECT_TRUE(joints[1].lower.empty());
  EXPECT_EQ(joints[2].upper, (std::vector<double>{60 * degree}));
}

// Mistakes in frames or polynomials would open the constraints: they hold at the start here.
TEST(Mjcf, ConstraintsHoldAtTheStart) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a" pos="0 0 1" euler="0.1 0.2 0.3"><joint name="ja" axis="0 1 0" ref="0.4"/><geom size="0.1"/>
        <site name="sa" pos="0.2 0.1 0" euler="1 0 0"/></body>
      <body name="b" pos="0.5 0 1" euler="-0.3 0.6 0"><freejoint name="f"/><geom size="0.1"/>
        <site name="sb" pos="-0.3 0 0"/></body>
      <body name="c" pos="1 0 1"><joint name="jc" axis="1 0 0" ref="-0.7"/><geom size="0.1"/></body>
      <body name="d" pos="2 0 1"><joint name="jd" axis="1 0 0" ref="0.25"/><geom size="0.1"/></body>
    </worldbody>
    <tendon><spatial name="rope"><site site="sa"/><site site="sb"/></spatial>
      <fixed name="belt"><joint joint="ja" coef="2"/><joint joint="jc" coef="3"/></fixed></tendon>
    <equality><connect name="pin" body1="a" body2="b" anchor="0.1 0.2 0.3"/>
      <weld name="glue" body1="b" body2="c"/>
      <joint name="gear" joint1="ja" joint2="jc" polycoef="0 2 0.5 0.25 -1"/>
      <tendon name="tight" tendon1="rope"/><tendon name="chain" tendon1="belt"/>
      <joint name="stuck" joint1="jd" polycoef="0.5 0 0 0 0"/>
      <connect body1="a" body2="c" anchor="0 0 0" active="false"/></equality></mujoco>)");
  ASSERT_EQ(loaded.spec.constraints.size(), 5u);
  EXPECT_EQ(body(loaded, "d").joints[0].lower, (std::vector<double>{0.75}));
  EXPECT_EQ(body(loaded, "d").joints[0].upper, (std::vector<double>{0.75}));
  EXPECT_TRUE(contains(report_of(loaded), "ignored: <connect>: it is not active"));
  Simulator sim(compile(loaded.spec));  // checks that they can hold
  // The coupler: q_a − 0.4 = 2 x + x²/2 + x³/4 − x⁴ with x = q_c + 0.7.
  const auto& c = loaded.spec.constraints[2].polynomial;
  const double q = 0.3, x = q + 0.7;
  double value = 0;
  for (std::size_t k = c.size(); k-- > 0;) {
    value = value * q + c[k];
  }
  EXPECT_NEAR(value, 0.4 + 2 * x + x * x / 2 + x * x * x / 4 - x * x * x * x, 1e-12);
}

TEST(Mjcf, ShapesForContactAloneAreNotToBeSeen) {
  const auto list = [](const std::string& geoms) {
    const ModelSpec spec = load_text_model("<mujoco><worldbody><body><freejoint/>" + geoms +
                                           "</body></worldbody></mujoco>")
                               .spec;
    std::vector<bool> visible;
    for (const GeometrySpec& g : spec.bodies[0].geometries) {
      visible.push_back(g.visible);
    }
    return visible;
  };
  const auto geom = [](int group, bool touches) {
    return fmt::format("<geom size='1' group='{0}' contype='{1}' conaffinity='{1}'/>", group,
                       touches ? 1 : 0);
  };
  using List = std::vector<bool>;
  EXPECT_EQ(list(geom(2, false) + geom(3, true)), (List{true, false}));  // Menagerie
  EXPECT_EQ(list(geom(0, true) + geom(1, false)), (List{false, true}));  // robosuite
  EXPECT_EQ(list(geom(0, true) + geom(0, false)), (List{true, true}));   // a part that is touched
  EXPECT_EQ(list(geom(0, true) + geom(1, true)), (List{true, true}));
  EXPECT_EQ(list(geom(0, true) + geom(4, true)), (List{true, false}));
}

TEST(Mjcf, SoftContactsBecomeStiffnessAndDissipation) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body name="b"><freejoint/><geom name="g" size="0.1" mass="2" solref="0.01 1" solimp="0.9 0.8 0.01"/></body>
      <body name="c"><freejoint/><geom name="h" size="0.1" mass="3" solref="-1000 -20" solimp="0.5 0.5 0.01"/></body>
      </worldbody></mujoco>)");
  const Material& m = body(loaded, "b").geometries[0].material;
  // A mass rests as deep as in MuJoCo: g (1 − d)/(d k), k = 1/(d T²).
  const double d = 0.8, k = 1 / (d * 0.01 * 0.01);
  EXPECT_NEAR(2 * 9.81 / m.stiffness, 9.81 * (1 - d) / (d * k), 1e-15);
  EXPECT_NEAR(m.dissipation, d * 2 / (d * 0.01) / 9.81, 1e-9);
  const Material& n = body(loaded, "c").geometries[0].material;
  EXPECT_NEAR(n.stiffness, 3 * 1000 / 0.5, 1e-9);
  EXPECT_NEAR(n.dissipation, 20 / 9.81, 1e-12);
  EXPECT_TRUE(std::isinf(loaded.spec.world_geometries[0].material.stiffness));
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(Mjcf, KeyframesAreStatesAndControls) {
  const std::string text = R"(<mujoco><worldbody>
      <body name="f" pos="1 2 3"><freejoint/><geom size="0.1"/></body>
      <body name="h"><joint name="j" axis="0 1 0"/><joint name="b" type="ball"/><geom size="0.1"/></body></worldbody>
      <actuator><motor name="m" joint="j"/><general joint="j" gaintype="user"/><motor name="n" joint="j"/></actuator>
      <keyframe><key name="home" qpos="4 5 6 0 0 0 1 0.7 1 0 0 0" qvel="1 2 3 4 5 6 7 8 9 10" ctrl="0.1 0.2 0.3"/>
      </keyframe></mujoco>)";
  const LoadedModel loaded = load_text_model(text, {.keyframe = "home"});
  const auto model = compile(loaded.spec);
  const State state = make_initial_state(*model);
  EXPECT_EQ(std::vector<double>(state.q.begin(), state.q.begin() + 8),
            (std::vector<double>{0, 0, 0, 1, 4, 5, 6, 0.7}));
  // Half a turn about z: x and y of the angular velocity change sign.
  EXPECT_EQ(std::vector<double>(state.v.begin(), state.v.begin() + 7),
            (std::vector<double>{-4, -5, 6, 1, 2, 3, 7}));
  EXPECT_EQ(state.z[model->systems[model->find_system("m")].z_start], 0.1);
  EXPECT_EQ(state.z[model->systems[model->find_system("n")].z_start], 0.3);
  EXPECT_THROW(load_text_model(text, {.keyframe = "away"}), Error);
}

// The numbers of `act` in MuJoCo's order: of a plugin the integral first, of a <pid> the set-point.
TEST(Mjcf, PidsHaveTheirStatesAndControlsInKeyframes) {
  const LoadedModel loaded = load_text_model(R"(<mujoco>
      <extension><plugin plugin="mujoco.pid"><instance name="i"><config key="kp" value="2"/><config key="ki" value="4"/>
        <config key="imax" value="1"/><config key="slewmax" value="3"/></instance></plugin></extension>
      <worldbody><body><joint name="j" type="slide"/><geom size="0.1"/></body></worldbody>
      <actuator><plugin name="p" joint="j" plugin="mujoco.pid" instance="i" actdim="3" dyntype="integrator"/>
        <pid name="n" joint="j" ki="1" imax="5" slewmax="2" input="pos vel ff"/></actuator>
      <keyframe><key name="k" ctrl="0.1 0.2 0.3 0.4" act="1 2 3 4 5"/></keyframe></mujoco>)",
                                             {.keyframe = "k"});
  EXPECT_EQ(loaded.controls, (std::vector<std::string>{"p", "n", "n:vel", "n:ff"}));
  EXPECT_TRUE(contains(report_of(loaded), "slewmax: the set-point starts at zero"));
  const auto model = compile(loaded.spec);
  const State state = make_initial_state(*model);
  const auto states = [&](const std::string& system) {
    const System& s = model->systems[model->find_system(system)];
    return std::vector<double>(state.z.begin() + s.z_start, state.z.begin() + s.z_start + s.nz);
  };
  // activation, set-point, integral
  EXPECT_EQ(states("p:force"), (std::vector<double>{3, 2, 1}));
  EXPECT_EQ(states("n:force"), (std::vector<double>{4, 5}));
  EXPECT_EQ(states("n:ff"), std::vector<double>{0.4});
  const auto& pid =
      std::get<0>(dynamic_cast<const TransmissionActuator&>(
                      *std::ranges::find(loaded.spec.systems, "p:force", &SystemSpec::name)->system)
                      .parameters());
  EXPECT_DOUBLE_EQ(pid.pid->integral_limit, 0.25);  // of a force of 1
}

TEST(Mjcf, MistakesInPidsAreSaid) {
  const auto errors = [](const std::string& actuator) {
    try {
      load_text_model(
          R"(<mujoco><worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
        <actuator>)" +
          actuator + "</actuator></mujoco>");
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto plugin = [](const char* key, const char* value) {
    return fmt::format(
        R"(<plugin joint="j" plugin="mujoco.pid"><config key="{}" value="{}"/></plugin>)", key,
        value);
  };
  EXPECT_TRUE(contains(errors(plugin("kq", "1")), "'kq' is none of kp, ki, kd"));
  EXPECT_TRUE(contains(errors(plugin("kp", "much")), "model.xml:2: error"));
  EXPECT_TRUE(contains(errors(plugin("slewmax", "-1")), "slewmax is negative"));
  EXPECT_TRUE(contains(errors(R"(<pid joint="j" input="pos force"/>)"), "'force' is none of pos"));
  // A plugin that is not known is no mistake, but said.
  const LoadedModel other =
      load_text_model(R"(<mujoco><extension><plugin plugin="my.motor"/></extension>
      <worldbody><body><joint name="j"/><geom size="0.1"/></body></worldbody>
      <actuator><plugin joint="j" plugin="my.motor"/><plugin joint="j" instance="gone"/></actuator></mujoco>)");
  EXPECT_TRUE(contains(report_of(other), "ignored: <plugin>: the plugin my.motor is not known"));
  EXPECT_TRUE(contains(report_of(other), "instance 'gone' is not known"));
  EXPECT_TRUE(contains(report_of(other), "of plugins, mujoco.pid is known"));
}

TEST(Mjcf, TendonsOfManyTreesAreLimitedAndConstrained) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
      <body name="a"><joint name="a" type="slide"/><geom size="0.1"/></body>
      <body name="b" pos="1 0 0"><joint name="b" type="slide"/><geom size="0.1"/></body>
      <body name="c" pos="2 0 0"><joint name="c" type="slide"/><geom size="0.1"/></body></worldbody>
    <tendon><fixed name="two" limited="true" range="-1 1" margin="0.25" armature="1">
        <joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed>
      <fixed name="three" limited="true" range="-1 1">
        <joint joint="a" coef="1"/><joint joint="b" coef="1"/><joint joint="c" coef="1"/></fixed>
      <fixed name="one" armature="2"><joint joint="c" coef="3"/></fixed></tendon>
    <equality><tendon tendon1="two" tendon2="one"/><tendon tendon1="one"/></equality></mujoco>)");
  ASSERT_EQ(loaded.spec.tendons.size(), 3u);
  EXPECT_EQ(loaded.spec.tendons[0].lower, -0.75);
  EXPECT_EQ(loaded.spec.tendons[0].armature, 0);
  EXPECT_EQ(loaded.spec.tendons[1].upper, 1);
  EXPECT_EQ(loaded.spec.tendons[2].armature, 2);
  EXPECT_EQ(loaded.spec.constraints.size(), 2u);
  EXPECT_TRUE(
      contains(report_of(loaded), "ignored: armature: of tendons that more than one tree moves"));
  const auto model = compile(loaded.spec);
  EXPECT_EQ(model->tendons[1].trees.size(), 3U);
  EXPECT_EQ(model->constraints[0].trees.size(), 3U);
}

// Inside of the geom the rule is the same in all versions; outside of it the report names the one.
TEST(Mjcf, SideSitesOutsideAreReported) {
  const auto report = [](const char* site) {
    return report_of(load_text_model(fmt::format(R"(<mujoco><worldbody>
      <site name="top" pos="0 0 1"/><geom name="wheel" size="0.1" pos="0.1 0 0"/>
      <site name="side" pos="{} 0 0"/>
      <body pos="0 0 -1"><joint type="slide"/><geom size="0.1"/><site name="end"/></body>
    </worldbody><tendon><spatial><site site="top"/>
      <geom geom="wheel" sidesite="side"/>
      <site site="end"/></spatial></tendon></mujoco>)",
                                                 site)));
  };
  EXPECT_TRUE(contains(report("0.3"), "6: approximated: sidesite: picks the side"));
  EXPECT_FALSE(report("0.12").find("sidesite") != std::string::npos);
}

TEST(Mjcf, OfAPairThatStandsTwiceTheFirstCounts) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
<body name="a"><freejoint/><geom name="a" size="0.1"/></body>
<body name="b" pos="1 0 0"><freejoint/><geom name="b" size="0.1"/></body>
</worldbody><contact><pair geom1="a" geom2="b" friction="0.3 0.3"/>
<pair geom1="b" geom2="a" friction="0.5 0.5"/></contact></mujoco>)");
  ASSERT_EQ(loaded.spec.pairs.size(), 1u);
  EXPECT_EQ(loaded.spec.pairs[0].material->static_friction, 0.3);
  EXPECT_TRUE(contains(report_of(loaded), "5: warning: the pair 'b', 'a' stands here again"));
  compile(loaded.spec);
}

TEST(Mjcf, NothingIsDroppedSilently) {
  const LoadedModel loaded = load_text_model(R"(<mujoco>
<option timestep="0.01" gravity="0 0 -1" colour="red"/>
<mystery><deep attribute="1"/></mystery>
<default>
<geom condim="4" hat="top"/>
<default class="unused"><geom friction="2" shoe="left"/></default>
</default>
<worldbody>
<light pos="0 0 1"/>
<geom name="floor" type="plane" size="1 1 1" margin="0.1"/>
<body name="b"><freejoint/><geom size="0.1"/><geom size="0.2"/><wheel/></body>
</worldbody>
<sensor><camprojection site="s"/></sensor>
</mujoco>)");
  const std::string report = report_of(loaded);
  EXPECT_TRUE(contains(report, "2: ignored: timestep: the accuracy that is asked for decides x1"));
  EXPECT_TRUE(contains(report, "2: ignored: attribute colour of <option> is not known x1"));
  EXPECT_TRUE(contains(report, "3: ignored: element <mystery> is not known here x1"));
  EXPECT_TRUE(contains(report, "5: ignored: attribute hat of <geom> is not known x1"));
  EXPECT_TRUE(contains(report, "6: ignored: attribute shoe of <geom> is not known x1"));
  EXPECT_TRUE(contains(report, "9: ignored: <light>: for the eye alone x1"));
  EXPECT_TRUE(contains(report, "10: ignored: margin"));
  EXPECT_TRUE(contains(report, "11: ignored: element <wheel> is not known here x1"));
  EXPECT_TRUE(contains(report, "13: ignored: <camprojection>: "));
  EXPECT_FALSE(contains(report, "gravity"));
  EXPECT_FALSE(contains(report, "friction of <geom>"));
  EXPECT_EQ(
      loaded.diagnostics.summary(),
      fmt::format("{} approximated, {} ignored", loaded.diagnostics.count(Severity::kApproximated),
                  loaded.diagnostics.count(Severity::kIgnored)));
}

TEST(Mjcf, DampingRatioIsThatOfTheInertiaAtTheJoint) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="j" axis="0 1 0" armature="0.5"/>
        <inertial pos="0 0 1" mass="2" diaginertia="0.1 0.2 0.3"/>
        <body name="b" pos="0 0 1" euler="1.5707963267948966 0 0">
          <inertial pos="0 1 0" mass="3" diaginertia="0.4 0.4 0.7"/></body></body></worldbody>
      <actuator><position name="p" joint="j" kp="40" dampratio="1" gear="2"/></actuator></mujoco>)");
  // About y: 0.5 + (0.2 + 2·1²) + (0.7 + 3·2²), at the actuator's side of the gear a fourth of it.
  const double inertia = (0.5 + 2.2 + 12.7) / 4, kv = 2 * std::sqrt(40 * inertia);
  const auto model = compile(loaded.spec);
  Simulator sim(model);
  State state = sim.state();
  state.v[0] = 1;
  sim.set_state(state);
  SystemEvaluator evaluator(*model);
  Measurements measurements;
  measurements.resize(*model);
  evaluator.set_measurements(&measurements);
  evaluator.set_state(state);
  ASSERT_TRUE(evaluator.evaluate(0, true));
  std::vector<double> tau(1, 0.0);
  evaluator.add_forces(tau);
  EXPECT_NEAR(tau[0], -2 * kv * 2, 1e-9);
}

TEST(Mjcf, SensorsAreSignals) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="b" pos="0 0 3"><joint name="j" axis="0 0 1" ref="0.5"/><geom size="0.1"/>
        <site name="s" pos="1 0 0" euler="0 0 0.25"/></body></worldbody>
      <actuator><motor name="m" joint="j"/></actuator>
      <sensor><jointpos name="q" joint="j"/><gyro name="turn" site="s"/><accelerometer site="s"/>
        <framepos name="place" objtype="site" objname="s"/><jointvel name="m" joint="j"/><clock name="time"/><tactile/></sensor></mujoco>)");
  ASSERT_EQ(loaded.sensors.size(), 6u);
  EXPECT_EQ(loaded.sensors[4].signal, "m:sensor.velocity");
  Simulator sim(compile(loaded.spec));
  State state = sim.state();
  state.v[0] = 2;
  sim.set_state(state);
  EXPECT_NEAR(sim.output(loaded.sensors[0].signal)[0], 0.5, 1e-15);
  EXPECT_NEAR(sim.output(loaded.sensors[1].signal)[2], 2, 1e-15);
  const std::vector<double> place = sim.output(loaded.sensors[3].signal);
  EXPECT_NEAR(place[0], 1, 1e-12);
  EXPECT_NEAR(place[2], 3, 1e-12);
  EXPECT_TRUE(contains(report_of(loaded), "<tactile>: not known among sensors"));
}

// A magnet under a ceiling holds a weight as long as it is the stronger.
TEST(Mjcf, AdhesionHoldsWhatItTouches) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody>
      <geom name="ceiling" type="box" size="1 1 0.1" pos="0 0 1.1"/>
      <body name="magnet" pos="0 0 0.95"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="2"/></body>
      </worldbody><actuator><adhesion name="grip" body="magnet" ctrlrange="0 1" gain="50"/></actuator></mujoco>)");
  ASSERT_EQ(loaded.controls, std::vector<std::string>{"grip"});
  Simulator sim(compile(loaded.spec), {.accuracy = 1e-4});
  sim.set_input("grip", std::vector{0.8});
  sim.advance_to(1);
  EXPECT_NEAR(sim.state().q[6], 0.95, 2e-3);
  EXPECT_NEAR(sim.output("grip:force.force")[0], 40, 1e-12);
  double normal = 0;
  for (const auto& contact : sim.contacts()) {
    normal += norm(contact.force_B_W);
  }
  EXPECT_NEAR(normal, 40 - 2 * 9.81, 0.05);
  sim.set_input("grip", std::vector{0.3});  // 15 N are less than its weight
  sim.advance_to(1.5);
  EXPECT_LT(sim.state().q[6], 0.5);
}

// Higher terms of springs and dampers, on joints and tendons: −(k₁ x + k₂ x² + k₃ x³) and
// −(d₁ v + d₂ v |v| + d₃ v³).
TEST(Mjcf, SpringsMayBePolynomials) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><option gravity="0 0 0"/><worldbody>
      <body name="b"><joint name="j" type="slide" stiffness="2 3 5" damping="1 0.5 0.25" springref="0.1"/>
      <geom size="0.1"/></body></worldbody><tendon><fixed name="t" stiffness="0 1" springlength="0.2">
      <joint joint="j" coef="2"/></fixed></tendon></mujoco>)");
  const auto model = compile(loaded.spec);
  SystemEvaluator evaluator(*model);
  State state = make_initial_state(*model);
  state.q = {-0.4}, state.v = {-2};
  evaluator.set_state(state);
  ASSERT_TRUE(evaluator.evaluate(0));
  std::vector<double> tau(1, 0.0);
  evaluator.add_forces(tau);
  const double x = -0.5, v = -2, stretch = 2 * -0.4 - 0.2;
  EXPECT_NEAR(tau[0],
              -3 * x * x - 5 * x * x * x - 0.5 * v * 2 - 0.25 * v * 4 - 2 * stretch * stretch,
              1e-12);
  EXPECT_EQ(body(loaded, "b").joints[0].stiffness, 2);
  EXPECT_EQ(body(loaded, "b").joints[0].damping, 1);
}

// What MuJoCo 4.0 makes of the same motor.
TEST(Mjcf, DcMotorsFeelTheirOwnVoltage) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><worldbody><body name="b">
      <joint name="j" type="slide"/><geom size="0.1"/></body></worldbody>
      <actuator><dcmotor name="m" joint="j" motorconst="0.05" resistance="2" gear="3" damping="2" armature="0.5"/>
      </actuator></mujoco>)");
  const auto model = compile(loaded.spec);
  SystemEvaluator evaluator(*model);
  State state = make_initial_state(*model);
  state.v = {1};
  state.z[model->systems[model->find_system("m")].z_start] = 2;
  evaluator.set_state(state);
  ASSERT_TRUE(evaluator.evaluate(0));
  std::vector<double> tau(1, 0.0);
  evaluator.add_forces(tau);
  EXPECT_NEAR(tau[0], 3 * 0.04625, 1e-12);
  EXPECT_NEAR(body(loaded, "b").joints[0].damping, 18, 1e-12);
  EXPECT_NEAR(body(loaded, "b").joints[0].armature, 4.5, 1e-12);
}

// A site relative to another one that moves, too: the velocity of the actuator is the rate of its
// length, and so its forces do the work they should.
TEST(Mjcf, RelativeSitesHaveTheRateOfTheirLength) {
  const LoadedModel loaded = load_text_model(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body name="a"><joint name="j" axis="0 1 0.2"/><geom size="0.1" pos="0.3 0 0"/>
        <site name="ref" pos="0.2 0.1 0" euler="0.3 0.2 0.1"/></body>
      <body name="b" pos="0 1 0"><joint name="k" axis="1 0.3 0"/><geom size="0.1" pos="0 0.3 0"/>
        <site name="end" pos="0 0.4 0.1"/></body></worldbody>
      <actuator><motor name="m" site="end" refsite="ref" gear="1 -0.5 2 0 0 0"/></actuator>
      <sensor><actuatorpos name="l" actuator="m"/><actuatorvel name="ldot" actuator="m"/></sensor></mujoco>)");
  const auto model = compile(loaded.spec);
  SystemEvaluator evaluator(*model);
  const auto read = [&](double t, const char* name) {
    State state = make_initial_state(*model);
    state.v = {0.7, -1.1};
    state.q = {0.3 + t * state.v[0], -0.4 + t * state.v[1]};
    evaluator.set_state(state);
    EXPECT_TRUE(evaluator.evaluate(0, true));
    const System& s = model->systems[model->find_system(name)];
    return evaluator.y()[s.y_start + (s.name == "l" ? 0 : 1)];
  };
  const double h = 1e-5;
  EXPECT_NEAR(read(0, "ldot"), (read(h, "l") - read(-h, "l")) / (2 * h), 1e-8);
}

TEST(Mjcf, FlagsSwitchThingsOff) {
  const LoadedModel loaded =
      load_text_model(R"(<mujoco><option><flag gravity="disable" contact="disable"
      limit="disable" frictionloss="disable" actuation="disable" passive="disable" filterparent="disable"/></option>
      <worldbody><body name="b"><joint name="j" range="-1 1" frictionloss="1" damping="1" stiffness="1"/>
      <geom size="0.1"/></body></worldbody><actuator><motor joint="j"/></actuator></mujoco>)");
  const JointSpec& joint = body(loaded, "b").joints[0];
  EXPECT_EQ(loaded.spec.gravity, Vec3{});
  EXPECT_FALSE(body(loaded, "b").geometries[0].collides);
  EXPECT_TRUE(joint.lower.empty());
  EXPECT_EQ(joint.dry_friction + joint.damping + joint.stiffness, 0);
  EXPECT_TRUE(loaded.controls.empty());
  EXPECT_FALSE(loaded.spec.filter_parent_child);
}

}  // namespace
}  // namespace cenic::test
