// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

std::string in_model(const std::string& body) {
  return "<sdf version='1.7'><model name='m'>\n" + body + "</model></sdf>";
}
LoadedModel load_sdf(const std::string& body) { return load_as("m.sdf", in_model(body)); }

constexpr const char* kInertial =
    "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia>"
    "</inertial>";

std::string link(const std::string& name, const std::string& more = "") {
  return "<link name='" + name + "'>" + kInertial + more + "</link>\n";
}
std::string joint(const std::string& type, const std::string& more = "",
                  const std::string& parent = "world", const std::string& child = "a") {
  return "<joint name='j_" + child + "' type='" + type + "'><parent>" + parent +
         "</parent><child>" + child + "</child>" + more + "</joint>\n";
}

// The same arm in three formats: tilted frames, offset and turned inertias, a weld in the middle.
constexpr const char* kArmMjcf = R"(
<mujoco><compiler angle="radian" eulerseq="XYZ" autolimits="true"/><worldbody>
<body name="base" pos="0.1 0.2 0.3" euler="0.1 0.2 0.3">
 <inertial pos="0 0 0.1" mass="3" diaginertia="0.1 0.2 0.25"/>
 <body name="upper" pos="0.2 0 0.5" euler="0.4 -0.3 0.2">
  <joint name="shoulder" type="hinge" axis="0 1 1" armature="0.3" range="-2 2"/>
  <inertial pos="0.1 0.05 0.2" euler="0.3 0.2 0.1" mass="2" diaginertia="0.02 0.03 0.04"/>
  <body name="slider" pos="0.3 0.1 0" euler="0 0.5 0">
   <joint name="slide" type="slide" axis="1 0 0.5"/>
   <inertial pos="0 0.1 0" mass="1" diaginertia="0.01 0.012 0.015"/>
   <body name="flange" pos="0 0 0.2" euler="0.7 0 0">
    <inertial pos="0 0 0.01" mass="0.5" diaginertia="0.003 0.003 0.004"/>
    <body name="hand" pos="0.1 0 0" euler="0 0 1">
     <joint name="wrist" type="hinge" axis="0 0 1"/>
     <inertial pos="0 0.02 0.03" mass="0.4" diaginertia="0.002 0.0025 0.003"/>
    </body></body></body></body></body></worldbody></mujoco>)";

constexpr const char* kArmUrdf = R"(
<robot name="arm">
<link name="hand"><inertial><origin xyz="0 0.02 0.03"/><mass value="0.4"/>
 <inertia ixx="0.002" iyy="0.0025" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="3"/>
 <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="upper"><inertial><origin xyz="0.1 0.05 0.2" rpy="0.3 0.2 0.1"/><mass value="2"/>
 <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="slider"><inertial><origin xyz="0 0.1 0"/><mass value="1"/>
 <inertia ixx="0.01" iyy="0.012" izz="0.015" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="flange"><inertial><origin xyz="0 0 0.01"/><mass value="0.5"/>
 <inertia ixx="0.003" iyy="0.003" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="weld" type="fixed"><parent link="world"/><child link="base"/>
 <origin xyz="0.1 0.2 0.3" rpy="0.1 0.2 0.3"/></joint>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
 <origin xyz="0.2 0 0.5" rpy="0.4 -0.3 0.2"/><axis xyz="0 1 1"/><limit lower="-2" upper="2"/>
 <drake:rotor_inertia value="0.003"/><drake:gear_ratio value="10"/></joint>
<joint name="slide" type="prismatic"><parent link="upper"/><child link="slider"/>
 <origin xyz="0.3 0.1 0" rpy="0 0.5 0"/><axis xyz="1 0 0.5"/></joint>
<joint name="weld2" type="fixed"><parent link="slider"/><child link="flange"/>
 <origin xyz="0 0 0.2" rpy="0.7 0 0"/></joint>
<joint name="wrist" type="continuous"><parent link="flange"/><child link="hand"/>
 <origin xyz="0.1 0 0" rpy="0 0 1"/><axis xyz="0 0 1"/></joint>
</robot>)";

// With frames of all sorts, and an inner model.
constexpr const char* kArmSdf = R"(
<sdf version="1.8"><model name="arm"><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose>
<link name="base"><inertial><pose>0 0 0.1 0 0 0</pose><mass>3</mass>
 <inertia><ixx>0.1</ixx><iyy>0.2</iyy><izz>0.25</izz></inertia></inertial></link>
<frame name="mount" attached_to="base"><pose>0.2 0 0.5 0 0 0</pose></frame>
<link name="upper"><pose relative_to="mount">0 0 0 0.4 -0.3 0.2</pose>
 <inertial><pose>0.1 0.05 0.2 0.3 0.2 0.1</pose><mass>2</mass>
 <inertia><ixx>0.02</ixx><iyy>0.03</iyy><izz>0.04</izz></inertia></inertial></link>
<link name="slider"><pose relative_to="upper">0.3 0.1 0 0 0.5 0</pose>
 <inertial><pose>0 0.1 0 0 0 0</pose><mass>1</mass>
 <inertia><ixx>0.01</ixx><iyy>0.012</iyy><izz>0.015</izz></inertia></inertial></link>
<link name="flange"><pose relative_to="slider" degrees="true">0 0 0.2 40.107045659157627 0 0</pose>
 <inertial><pose>0 0 0.01 0 0 0</pose><mass>0.5</mass>
 <inertia><ixx>0.003</ixx><iyy>0.003</iyy><izz>0.004</izz></inertia></inertial></link>
<link name="hand"><pose relative_to="wrist"/>
 <inertial><pose>0 0.02 0.03 0 0 0</pose><mass>0.4</mass>
 <inertia><ixx>0.002</ixx><iyy>0.0025</iyy><izz>0.003</izz></inertia></inertial></link>
<joint name="weld" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="shoulder" type="revolute"><parent>base</parent><child>upper</child>
 <axis><xyz>0 1 1</xyz><limit><lower>-2</lower><upper>2</upper></limit></axis>
 <drake:rotor_inertia>0.003</drake:rotor_inertia><drake:gear_ratio>10</drake:gear_ratio></joint>
<joint name="slide" type="prismatic"><parent>upper</parent><child>slider</child>
 <axis><xyz expressed_in="slider">1 0 0.5</xyz></axis></joint>
<joint name="weld2" type="fixed"><parent>slider</parent><child>flange</child></joint>
<joint name="wrist" type="continuous"><pose relative_to="flange">0.1 0 0 0 0 1</pose>
 <parent>flange</parent><child>hand</child><axis><xyz>0 0 1</xyz></axis></joint>
</model></sdf>)";

TEST(Formats, SameMechanismSameMechanics) {
  const LoadedModel mjcf = load_as("arm.xml", kArmMjcf), urdf = load_as("arm.urdf", kArmUrdf),
                    sdf = load_as("arm.sdf", kArmSdf);
  expect_same_mechanics(mjcf.spec, urdf.spec, 1e-10);
  expect_same_mechanics(mjcf.spec, sdf.spec, 1e-10);
  EXPECT_EQ(joint_of(urdf.spec, "shoulder").lower, joint_of(mjcf.spec, "shoulder").lower);
  EXPECT_EQ(joint_of(sdf.spec, "shoulder").upper, joint_of(mjcf.spec, "shoulder").upper);
}

// Files with holes in them load or are refused, and never take the program with them.
TEST(Formats, DamagedFilesAreRefused) {
  const TemporaryFolder folder;
  Random random(3);
  constexpr std::string_view kNoise = "<>/='\"0e9-. naxw:_";
  for (int k = 0; k < 600; ++k) {
    const bool urdf = k % 2 == 0;
    std::string text = urdf ? kArmUrdf : kArmSdf;
    const int n = static_cast<int>(text.size());
    for (int edits = random.integer(1, 4); edits > 0; --edits) {
      const int at = random.integer(0, n - 60);
      switch (random.integer(0, 2)) {
        case 0:
          text[at] = kNoise[random.integer(0, static_cast<int>(kNoise.size()) - 1)];
          break;
        case 1:  // words change places
          text.replace(at, 12, text.substr(random.integer(0, n - 60), 12));
          break;
        default: {  // a name becomes another
          constexpr const char* kNames[] = {"base", "hand", "upper", "wrist", "world", "nan"};
          const std::size_t name = text.find(kNames[random.integer(0, 5)], at);
          if (name != std::string::npos) text.replace(name, 4, kNames[random.integer(0, 5)]);
        }
      }
    }
    try {
      compile(load_model(folder.write(urdf ? "m.urdf" : "m.sdf", text)).spec);
    } catch (const Error&) {
    }
  }
}

TEST(Sdf, JointsHaveKindAxisLimitsAndDynamics) {
  const LoadedModel loaded = load_sdf(
      link("a") + link("b") + link("c") + link("d") +
      joint("revolute",
            "<axis><xyz>0 2 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort>"
            "</limit><dynamics><damping>0.5</damping><friction>0.25</friction>"
            "<spring_stiffness>3</spring_stiffness><spring_reference>0.1</spring_reference>"
            "</dynamics></axis>") +
      joint("ball", "", "a", "b") +
      joint("screw",
            "<axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>inf</upper></limit>"
            "</axis><screw_thread_pitch>0.5</screw_thread_pitch>",
            "b", "c") +
      joint("universal", "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>", "c", "d"));
  const JointSpec& a = joint_of(loaded.spec, "j_a");
  EXPECT_EQ(a.lower, std::vector{-1.0});
  EXPECT_EQ(a.upper, std::vector{2.0});
  EXPECT_EQ(a.damping, 0.5);
  EXPECT_EQ(a.dry_friction, 0.25);
  EXPECT_EQ(a.stiffness, 3);
  EXPECT_EQ(a.rest, std::vector{0.1});
  EXPECT_EQ(joint_of(loaded.spec, "j_b").kind, JointKind::kBall);
  EXPECT_NEAR(joint_of(loaded.spec, "j_c").pitch, 0.5 / (2 * std::numbers::pi), 1e-15);
  EXPECT_TRUE(joint_of(loaded.spec, "j_c").lower.empty());
  const JointSpec& u = joint_of(loaded.spec, "j_d");
  EXPECT_EQ(u.kind, JointKind::kUniversal);
  EXPECT_EQ(u.X_BF.R * (Vec3{1, 0, 0}), (Vec3{0, 0, 1}));
  EXPECT_EQ(u.X_BF.R * (Vec3{0, 1, 0}), (Vec3{1, 0, 0}));
  EXPECT_EQ(loaded.controls, std::vector<std::string>{"j_a"});
  EXPECT_EQ(compile(loaded.spec)->limited_efforts.at(0).limit, 5);
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(Sdf, StopsMayBeSprings) {
  const auto stop = [](const char* more) {
    return joint_of(load_sdf(link("a") + joint("revolute", std::string("<axis><xyz>0 1 0</xyz>"
                                                                       "<limit><lower>-1</lower>") +
                                                               more + "</limit></axis>"))
                        .spec,
                    "j_a");
  };
  EXPECT_TRUE(std::isinf(stop("<stiffness>1e8</stiffness>").limit_stiffness));
  const JointSpec soft = stop("<stiffness>300</stiffness><dissipation>4</dissipation>");
  EXPECT_EQ(soft.limit_stiffness, 300);
  EXPECT_EQ(soft.limit_damping, 4);
}

// The same track and train in both formats. SDFormat draws the links anywhere: the path decides.
TEST(Formats, SameCurvilinearJointSameMechanics) {
  const LoadedModel sdf =
      load_sdf(link("base") + link("a", "<pose>1 2 3 0.1 0.2 0.3</pose>") +
               link("b", "<pose relative_to='a'>0 0 1 0 0 0</pose>") +
               "<frame name='start' attached_to='base'><pose>3 2 1 0.3 0 0</pose></frame>"
               "<drake:joint name='j_a' type='curvilinear'><drake:parent>start</drake:parent>"
               "<drake:child>a</drake:child><drake:damping>0.1</drake:damping>"
               "<drake:initial_tangent><xyz>0 0 1</xyz></drake:initial_tangent>"
               "<drake:plane_normal><xyz>1 0 0</xyz></drake:plane_normal>"
               "<drake:is_periodic>true</drake:is_periodic><drake:curves>"
               "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>3.141592653589793"
               "</drake:angle></drake:circular_arc>"
               "<drake:line_segment><drake:length>1</drake:length></drake:line_segment>"
               "<drake:circular_arc><drake:radius>0.5</drake:radius><drake:angle>3.141592653589793"
               "</drake:angle></drake:circular_arc>"
               "<drake:line_segment><drake:length>1</drake:length></drake:line_segment>"
               "</drake:curves></drake:joint>" +
               joint("revolute", "<axis><xyz>0 1 0</xyz></axis>", "a", "b") +
               "<joint name='held' type='fixed'><parent>world</parent><child>base</child></joint>");
  const std::string arc = "<drake:circular_arc radius='0.5' angle='3.141592653589793'/>";
  const std::string straight = "<drake:line_segment length='1'/>";
  const std::string inertial =
      "<inertial><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>";
  const LoadedModel urdf = load_as(
      "m.urdf",
      "<robot name='m'><link name='base'>" + inertial + "</link><link name='a'>" + inertial +
          "</link><link name='b'>" + inertial +
          "</link><drake:joint name='j_a' type='curvilinear'><origin xyz='3 2 1' rpy='0.3 0 0'/>"
          "<parent link='base'/><child link='a'/><drake:initial_tangent xyz='0 0 1'/>"
          "<drake:plane_normal xyz='1 0 0'/><drake:is_periodic value='true'/>"
          "<dynamics damping='0.1'/><drake:curves>" +
          arc + straight + arc + straight +
          "</drake:curves></drake:joint>"
          "<joint name='j_b' type='revolute'><origin xyz='0 0 1'/><parent link='a'/>"
          "<child link='b'/><axis xyz='0 1 0'/></joint>"
          "<joint name='held' type='fixed'><parent link='world'/><child link='base'/></joint>"
          "</robot>");
  EXPECT_TRUE(joint_of(sdf.spec, "j_a").periodic);
  EXPECT_EQ(joint_of(sdf.spec, "j_a").damping, 0.1);
  expect_same_mechanics(sdf.spec, urdf.spec, 1e-12);
}

// Two revolute joints about axes that are not at right angles are what revolute2 says.
TEST(Sdf, TwoAxesAreAStack) {
  const LoadedModel loaded =
      load_sdf(link("a") +
               joint("revolute2", "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>"));
  EXPECT_EQ(body_of(loaded.spec, "a").joints.size(), 2u);
  EXPECT_EQ(compile(loaded.spec)->nv, 2);
}

TEST(Sdf, AxesMayBeExpressedInOtherFrames) {
  const std::string turned = "<pose>0 0 0 0 0 1.5707963267948966</pose>";
  const LoadedModel loaded =
      load_sdf(link("a", turned) + link("b", turned) +
               joint("revolute", "<axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>") +
               joint("revolute",
                     "<axis><xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>"
                     "</axis>",
                     "a", "b"));
  for (const char* name : {"j_a", "j_b"}) {
    EXPECT_LT(norm(joint_of(loaded.spec, name).axis - Vec3{0, -1, 0}), 1e-12) << name;
  }
}

TEST(Sdf, JointsToTheWorldMayBeWrittenBackwards) {
  const LoadedModel loaded =
      load_sdf(link("a") + joint("revolute", "<axis><xyz>0 0 1</xyz></axis>", "a", "world"));
  const BodySpec& a = body_of(loaded.spec, "a");
  EXPECT_EQ(a.parent, kWorldName);
  EXPECT_EQ(a.joints.at(0).axis, (Vec3{0, 0, -1}));
}

TEST(Sdf, LoopsAreClosedByWelds) {
  const LoadedModel loaded =
      load_sdf(link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") + joint("revolute") +
               joint("revolute", "<axis><xyz>0 0 1</xyz></axis>", "a", "b") +
               "<joint name='back' type='revolute'><parent>world</parent><child>b</child>"
               "<axis><xyz>0 0 1</xyz></axis></joint>");
  ASSERT_EQ(loaded.spec.bodies.size(), 3u);
  EXPECT_EQ(body_of(loaded.spec, "b").inertia->mass, 1);
  EXPECT_EQ(body_of(loaded.spec, "b:back").inertia->mass, 1);
  ASSERT_EQ(loaded.spec.constraints.size(), 1u);
  EXPECT_EQ(loaded.spec.constraints[0].kind, ConstraintKind::kWeld);
  EXPECT_TRUE(is_reported(loaded, Severity::kWarning, "closes a loop"));
  EXPECT_NO_THROW(compile(loaded.spec));
  // A ring that nothing holds.
  const LoadedModel ring =
      load_sdf(link("a") + link("b") + link("c") + joint("revolute", "", "c", "a") +
               joint("ball", "", "a", "b") + joint("ball", "", "b", "c"));
  EXPECT_EQ(ring.spec.constraints.size(), 1u);
  EXPECT_NO_THROW(compile(ring.spec));
}

TEST(Sdf, WorldsAndNestedModels) {
  const LoadedModel loaded = load_as(
      "w.sdf",
      "<sdf version='1.9'><world name='w'><gravity>0 0 -5</gravity>"
      "<model name='ground'><static>true</static><link name='l'><collision name='c'><geometry>"
      "<plane><normal>0 1 0</normal></plane></geometry></collision></link></model>"
      "<model name='m'><pose>0 0 1 0 0 0</pose>" +
          link("a") + "<model name='inner'><pose>1 0 0 0 0 0</pose>" +
          link("b", "<pose>0 2 0 0 0 0</pose>") + "</model>" +
          joint("revolute", "", "a", "inner::b") + "</model></world></sdf>");
  EXPECT_EQ(loaded.spec.gravity, (Vec3{0, 0, -5}));
  const BodySpec& ground = body_of(loaded.spec, "ground::l");
  EXPECT_TRUE(ground.joints.empty());
  EXPECT_LT(norm(ground.geometries.at(0).X_BG.R * Vec3{0, 0, 1} - Vec3{0, 1, 0}), 1e-14);
  EXPECT_EQ(body_of(loaded.spec, "m::a").X_PB.p, (Vec3{0, 0, 1}));
  const BodySpec& b = body_of(loaded.spec, "m::inner::b");
  EXPECT_EQ(b.parent, "m::a");
  EXPECT_EQ(b.X_PB.p, (Vec3{1, 2, 0}));
  EXPECT_NO_THROW(compile(loaded.spec));
}

TEST(Sdf, IncludesAreFoundAsPackages) {
  const TemporaryFolder folder;
  folder.write("cup/model.config", "<model><sdf version='1.7'>cup.sdf</sdf></model>");
  folder.write("cup/cup.sdf", in_model(link("a")));
  const auto world = [&](const std::string& uri) {
    return folder.write(
        "worlds/w.sdf",
        "<sdf version='1.7'><world name='w'><include><uri>" + uri +
            "</uri><name>one</name><pose>1 0 0 0 0 0</pose></include><include><uri>" + uri +
            "</uri><name>two</name></include></world></sdf>");
  };
  const LoadedModel loaded = load_model(world("model://cup"));
  EXPECT_EQ(body_of(loaded.spec, "one::a").X_PB.p, (Vec3{1, 0, 0}));
  EXPECT_EQ(body_of(loaded.spec, "two::a").X_PB.p, (Vec3{}));
  folder.write("cup/cup.sdf",
               in_model("<include><uri>model://cup</uri><name>again</name></include>"));
  try {
    load_model(world("model://cup"));
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_TRUE(contains(e.what(), "includes itself"));
  }
}

TEST(Sdf, SurfacesAndProximity) {
  const LoadedModel loaded = load_sdf(
      link("a",
           "<collision name='x'><geometry><sphere><radius>1</radius></sphere></geometry><surface>"
           "<friction><ode><mu>0.3</mu><mu2>0.3</mu2><slip1>1</slip1></ode>"
           "<torsional><coefficient>0.5</coefficient><patch_radius>0.01</patch_radius></torsional>"
           "</friction>"
           "<contact><ode><kp>2e5</kp><kd>1</kd></ode></contact></surface></collision>"
           "<collision name='y'><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
           "<drake:proximity_properties><drake:rigid_hydroelastic/>"
           "<drake:mu_dynamic>0.4</drake:mu_dynamic></drake:proximity_properties></collision>"
           "<visual name='v'><geometry><box><size>1 1 1</size></box></geometry><material>"
           "<diffuse>0 1 0 1</diffuse></material></visual>"));
  const auto& g = body_of(loaded.spec, "a").geometries;
  ASSERT_EQ(g.size(), 3u);
  EXPECT_EQ(g[0].material.dynamic_friction, 0.3);
  EXPECT_EQ(g[0].material.stiffness, 2e5);
  EXPECT_NEAR(g[0].material.torsional_friction, 3 * std::numbers::pi / 16 * 0.005, 1e-15);
  EXPECT_EQ(g[1].hydroelastic.compliance, Compliance::kRigid);
  EXPECT_EQ(g[1].material.static_friction, 0.4);
  EXPECT_EQ(g[2].color, (std::array<float, 4>{0, 1, 0, 1}));
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "<kd>")) << list_reports(loaded);
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "<slip1>")) << list_reports(loaded);
}

TEST(Sdf, WhatIsNotReadIsReported) {
  const LoadedModel loaded = load_sdf(link("a", "<sensor name='s'/>") +
                                      "<plugin name='p' filename='f'/><joint name='j' type='fixed'>"
                                      "<parent>world</parent><child>a</child><physics/></joint>");
  for (const char* part : {"<sensor>", "<plugin>", "<physics>"}) {
    EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, part)) << list_reports(loaded);
  }
}

TEST(Sdf, MissingInertiaIsSaid) {
  const LoadedModel loaded = load_sdf("<link name='a'/>");
  EXPECT_EQ(body_of(loaded.spec, "a").inertia->mass, 1);
  EXPECT_TRUE(is_reported(loaded, Severity::kWarning, "no <inertial>"));
}

TEST(Sdf, ErrorsNameFileAndLine) {
  const auto fails = [](const std::string& body, const std::string& pattern) {
    EXPECT_TRUE(matches(errors_of("m.sdf", in_model(body)), "m.sdf:[0-9]+: error: .*" + pattern))
        << body;
  };
  fails("", "no links");
  fails(link("a") + link("a"), "'m::a'");
  fails(link("a") + joint("revolute", "", "no"), "no link 'no' to be the parent");
  fails(link("a") + joint("odd"), "joint type 'odd' is not known");
  fails(link("a", "<pose>1 2 3</pose>"), "<pose> has 3 numbers");
  fails(link("a", "<pose>1 2 nan 0 0 0</pose>"), "not a finite number");
  fails(link("a", "<pose relative_to='b'/>") + link("b", "<pose relative_to='a'/>"),
        "depends on itself");
  fails(link("a", "<pose relative_to='no'/>"), "no frame 'm::no'");
  fails("<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>" + link("a") +
            joint("fixed", "", "world", "f"),
        "");
  fails(link("a") + joint("revolute", "<axis><xyz>0 0 0</xyz></axis>"), "axis is zero");
  fails(link("a") + joint("screw"), "screw_thread_pitch");
  fails(link("a",
             "<collision name='c'><geometry><mesh><uri>no.obj</uri></mesh></geometry>"
             "</collision>"),
        "not there");
  fails(link("a", "<collision name='c'><geometry><polyline/></geometry></collision>"),
        "<polyline> is not known");
  fails(link("a", "<collision name='c'><geometry><heightmap/></geometry></collision>"),
        "names no image");
  fails(link("a") + "<include><uri>model://no</uri></include>", "--package no=DIR");
  EXPECT_TRUE(contains(errors_of("m.sdf", "<robot/>"), "begins with"));
}

}  // namespace
}  // namespace cenic::test
