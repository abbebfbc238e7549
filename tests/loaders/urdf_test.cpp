// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "loaders/robot/robot.h"
#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

LoadedModel load_urdf(const std::string& body) {
  return load_as("robot.urdf", "<robot name=\"r\">" + body + "</robot>");
}
std::string urdf_errors(const std::string& body) {
  return errors_of("robot.urdf", "<robot name=\"r\">\n" + body + "</robot>");
}

constexpr const char* kInertial =
    "<inertial><mass value='2'/><inertia ixx='0.1' iyy='0.1' izz='0.1'/></inertial>";

std::string link(const std::string& name, const std::string& more = "") {
  return "<link name='" + name + "'>" + kInertial + more + "</link>\n";
}
std::string joint(const std::string& type, const std::string& more = "",
                  const std::string& parent = "world", const std::string& child = "a") {
  return "<joint name='j_" + child + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/>" + more + "</joint>\n";
}

TEST(Urdf, JointsHaveKindAxisLimitsAndDynamics) {
  const LoadedModel loaded = load_urdf(
      link("a") + link("b") + link("c") +
      joint("revolute",
            "<axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='5' velocity='3'/>"
            "<dynamics damping='0.5' friction='0.25'/>") +
      joint("prismatic", "<limit lower='-0.5' upper='0.5' effort='1' velocity='1'/>", "a", "b") +
      joint("continuous", "<axis xyz='0 0 1'/>", "b", "c"));
  const JointSpec& a = joint_of(loaded.spec, "j_a");
  EXPECT_EQ(a.kind, JointKind::kRevolute);
  EXPECT_EQ(normalized(a.axis), (Vec3{0, 1, 0}));
  EXPECT_EQ(a.lower, std::vector{-1.0});
  EXPECT_EQ(a.upper, std::vector{2.0});
  EXPECT_EQ(a.damping, 0.5);
  EXPECT_EQ(a.dry_friction, 0.25);
  const JointSpec& b = joint_of(loaded.spec, "j_b");
  EXPECT_EQ(b.kind, JointKind::kPrismatic);
  EXPECT_EQ(b.axis, (Vec3{1, 0, 0}));  // URDF's default
  EXPECT_TRUE(joint_of(loaded.spec, "j_c").lower.empty());
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "effort")) << list_reports(loaded);
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "velocity")) << list_reports(loaded);
}

TEST(Urdf, TransmissionsAreMotorsOnJoints) {
  const auto transmission = [](const std::string& name) {
    return "<transmission name='t_" + name + "'><type>x</type><joint name='" + name +
           "'><hardwareInterface>EffortJointInterface</hardwareInterface></joint>"
           "<actuator name='m'><mechanicalReduction>1</mechanicalReduction></actuator>"
           "</transmission>";
  };
  const LoadedModel loaded =
      load_urdf(link("a") + link("b") + link("c") +
                joint("revolute", "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='5'/>") +
                joint("continuous", "<axis xyz='0 0 1'/>", "a", "b") +
                joint("continuous", "<limit effort='0'/>", "b", "c") + transmission("j_b") +
                transmission("j_a") + transmission("j_c") + transmission("nobody"));
  EXPECT_EQ(loaded.controls, (std::vector<std::string>{"j_b", "j_a"}));
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "effort is 0")) << list_reports(loaded);
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "no joint with one axis"));
  const auto model = compile(loaded.spec);
  ASSERT_EQ(model->limited_efforts.size(), 1U);
  EXPECT_EQ(model->limited_efforts[0].limit, 5);
}

TEST(Urdf, RootsAreFreeUnlessHeld) {
  const LoadedModel free = load_urdf(link("a") + link("b") + joint("fixed", "", "a", "b"));
  EXPECT_EQ(body_of(free.spec, "a").joints.at(0).kind, JointKind::kFree);
  EXPECT_TRUE(body_of(free.spec, "b").joints.empty());
  EXPECT_TRUE(is_reported(free, Severity::kWarning, "is free to move"));
  const LoadedModel held = load_urdf(link("a") + joint("fixed", "<origin xyz='1 2 3'/>"));
  EXPECT_TRUE(body_of(held.spec, "a").joints.empty());
  EXPECT_EQ(body_of(held.spec, "a").X_PB.p, (Vec3{1, 2, 3}));
  const LoadedModel floating = load_urdf(link("a") + joint("floating", "<origin xyz='1 2 3'/>"));
  EXPECT_EQ(joint_of(floating.spec, "j_a").kind, JointKind::kFree);
  EXPECT_EQ(body_of(floating.spec, "a").X_PB.p, (Vec3{1, 2, 3}));
  EXPECT_NO_THROW(compile(floating.spec));
}

TEST(Urdf, FloatingOnALinkHasSixFreedoms) {
  const LoadedModel loaded = load_urdf(link("a") + link("b") + joint("fixed") +
                                       joint("floating", "<origin xyz='0 0 1'/>", "a", "b"));
  EXPECT_EQ(compile(loaded.spec)->nv, 6);
}

TEST(Urdf, PlanarJointsMoveAcrossTheirAxis) {
  const LoadedModel loaded = load_urdf(link("a") + joint("planar", "<axis xyz='1 0 0'/>"));
  Bench bench(loaded.spec);
  bench.set(std::vector{0.3, 0.4, 0.2}, std::vector{0.0, 0.0, 0.0});
  const RigidTransform& X = bench.kin.X_WB.back();
  EXPECT_NEAR(X.p.x, 0, 1e-14);
  EXPECT_NEAR(norm(X.p), 0.5, 1e-14);
  EXPECT_NEAR(norm(X.R * Vec3{1, 0, 0} - Vec3{1, 0, 0}), 0, 1e-14);
}

TEST(Urdf, MimicIsACoupler) {
  const LoadedModel loaded =
      load_urdf(link("a") + link("b") + joint("revolute") +
                joint("revolute", "<mimic joint='j_a' multiplier='-2' offset='0.5'/>", "a", "b"));
  ASSERT_EQ(loaded.spec.constraints.size(), 1u);
  const ConstraintSpec& c = loaded.spec.constraints[0];
  EXPECT_EQ(c.kind, ConstraintKind::kCoupler);
  EXPECT_EQ(c.a, "j_b");
  EXPECT_EQ(c.b, "j_a");
  EXPECT_EQ(c.polynomial, (std::vector{0.5, -2.0}));
  EXPECT_EQ(joint_of(loaded.spec, "j_b").position, std::vector{0.5});
  EXPECT_NO_THROW(compile(loaded.spec));
  EXPECT_TRUE(contains(urdf_errors(link("a") + joint("revolute", "<mimic joint='no'/>")),
                       "cannot mimic 'no'"));
}

TEST(Urdf, GeometryAndColours) {
  const LoadedModel loaded = load_urdf(
      "<material name='red'><color rgba='1 0 0 0.5'/></material>" +
      link("a",
           "<collision name='c'><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry>"
           "</collision>"
           "<collision name='c'><geometry><capsule radius='0.1' length='1'/></geometry></collision>"
           "<visual><geometry><cylinder radius='0.5' length='1'/></geometry>"
           "<material name='red'/></visual>") +
      joint("fixed"));
  const auto& g = body_of(loaded.spec, "a").geometries;
  ASSERT_EQ(g.size(), 3u);
  EXPECT_EQ(g[0].shape.size, (Vec3{1, 2, 3}));
  EXPECT_EQ(g[0].X_BG.p, (Vec3{0, 0, 1}));
  EXPECT_EQ(g[1].name, "a/c");  // names are unique here
  EXPECT_EQ(g[1].shape.kind, ShapeKind::kCapsule);
  EXPECT_FALSE(g[2].collides);
  EXPECT_FALSE(g[0].visible);
  EXPECT_TRUE(g[2].visible);
  EXPECT_EQ(g[2].color, (std::array<float, 4>{1, 0, 0, 0.5F}));
}

TEST(Urdf, DrakeTagsWithoutADeclaredPrefix) {
  const LoadedModel loaded = load_urdf(
      link("a",
           "<collision><geometry><sphere radius='1'/></geometry><drake:proximity_properties>"
           "<drake:compliant_hydroelastic/><drake:hydroelastic_modulus value='1e6'/>"
           "<drake:mesh_resolution_hint value='0.25'/>"
           "<drake:hunt_crossley_dissipation value='3'/><drake:mu_static value='0.9'/>"
           "<drake:mu_dynamic value='0.7'/><drake:point_contact_stiffness value='5e5'/>"
           "</drake:proximity_properties></collision>") +
      joint("continuous", "<drake:rotor_inertia value='0.01'/><drake:gear_ratio value='10'/>"));
  const GeometrySpec& g = body_of(loaded.spec, "a").geometries.at(0);
  EXPECT_EQ(g.hydroelastic.compliance, Compliance::kCompliant);
  EXPECT_EQ(g.hydroelastic.modulus, 1e6);
  EXPECT_EQ(g.hydroelastic.resolution, 0.25);
  EXPECT_EQ(g.material.dissipation, 3);
  EXPECT_EQ(g.material.static_friction, 0.9);
  EXPECT_EQ(g.material.dynamic_friction, 0.7);
  EXPECT_EQ(g.material.stiffness, 5e5);
  EXPECT_DOUBLE_EQ(joint_of(loaded.spec, "j_a").armature, 1);
  EXPECT_EQ(loaded.diagnostics.count(Severity::kIgnored), 0) << list_reports(loaded);
}

TEST(Urdf, FilterGroupsBecomeFilters) {
  const LoadedModel loaded = load_urdf(
      link("a") + link("b") + link("c") + joint("fixed") +
      "<drake:collision_filter_group name='g'><drake:member link='b'/><drake:member link='c'/>"
      "<drake:ignored_collision_filter_group name='g'/></drake:collision_filter_group>");
  ASSERT_EQ(loaded.spec.exclude.size(), 1u);
  EXPECT_EQ(loaded.spec.exclude[0].a, "b");
  EXPECT_EQ(loaded.spec.exclude[0].b, "c");
}

TEST(Urdf, MissingMassIsSaidAndAssumed) {
  const LoadedModel solid = load_urdf(
      "<link name='a'><collision><geometry><box size='0.1 0.1 "
      "0.1'/></geometry></collision></link>");
  EXPECT_NEAR(body_of(solid.spec, "a").inertia->mass, 1, 1e-12);
  EXPECT_TRUE(is_reported(solid, Severity::kApproximated, "has no mass")) << list_reports(solid);
  const LoadedModel carried =
      load_urdf("<link name='a'/>" + link("b") + joint("fixed", "", "a", "b"));
  EXPECT_EQ(body_of(carried.spec, "a").inertia->mass, 0);
  EXPECT_TRUE(is_reported(carried, Severity::kWarning, "no mass of its own"));
  EXPECT_NO_THROW(compile(carried.spec));
  EXPECT_TRUE(
      contains(urdf_errors("<link name='a'/>" + joint("revolute")), "moves and has no mass"));
}

std::string with_moments(const std::string& moments) {
  return "<link name='a'>\n<inertial><origin rpy='0.3 0.2 0.1'/><mass value='2'/><inertia " +
         moments + "/></inertial></link>\n" + joint("revolute");
}

// One moment is above the sum of the others: it stays, and the others are raised as little as
// makes a body of it, about the same axes.
TEST(Urdf, MomentsThatNoBodyHasAreRaised) {
  const LoadedModel loaded = load_urdf(with_moments("ixx='0.5' iyy='0.1' izz='0.2'"));
  const Mat3 R = detail::from_roll_pitch_yaw({0.3, 0.2, 0.1});
  const Mat3 expected = R * Mat3::diagonal({0.5, 0.2, 0.3}) * transpose(R);
  const Mat3& I = body_of(loaded.spec, "a").inertia->I_com;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(I(i, j), expected(i, j), 1e-12);
    }
  }
  EXPECT_NO_THROW(compile(loaded.spec));
  const std::string reports = list_reports(loaded);
  EXPECT_TRUE(matches(reports, "robot.urdf:2: .*0.5.*one above the sum.*taken as .*0.3"));
  EXPECT_EQ(loaded.diagnostics.count(Severity::kApproximated), 1) << reports;
  // What is right, or rounded, is left alone.
  EXPECT_EQ(load_urdf(with_moments("ixx='0.5' iyy='0.3' izz='0.1999999'"))
                .diagnostics.count(Severity::kApproximated),
            0);
  EXPECT_TRUE(contains(urdf_errors(with_moments("ixx='0.5' iyy='-0.1' izz='0.2'")),
                       "no body has a negative one"));
}

TEST(Urdf, WhatIsNotReadIsReported) {
  const LoadedModel loaded =
      load_urdf(link("a", "<odd/>") + joint("revolute", "<axis xyz='1 0 0' odd='1'/>") +
                "<gazebo><plugin/></gazebo><transmission "
                "name='t'><type>x</type></transmission><mujoco><odd_too/></mujoco>");
  for (const char* part : {"<odd>", "odd of <axis>", "<gazebo>", "<transmission>", "<odd_too>"}) {
    EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, part)) << part << list_reports(loaded);
  }
}

TEST(Urdf, StartsWithinLimits) {
  const LoadedModel loaded =
      load_urdf(link("a") + joint("revolute", "<limit lower='0.5' upper='1'/>"));
  EXPECT_EQ(joint_of(loaded.spec, "j_a").position, std::vector{0.5});
  EXPECT_TRUE(is_reported(loaded, Severity::kWarning, "starts at 0.5"));
}

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string mesh_robot(const std::string& uri, const std::string& part = "collision") {
  return "<robot name='r'>" +
         link("a", "<" + part + "><geometry><mesh filename='" + uri +
                       "' scale='2 2 2'/></geometry></" + part + ">") +
         "</robot>";
}

TEST(Urdf, PackagesAreFoundAboveTheFileAndByName) {
  const TemporaryFolder folder;
  folder.write("my_robot/meshes/part.obj", kTetrahedron);
  folder.write("other/package.xml", "<package/>");
  folder.write("other/part.obj", kTetrahedron);
  folder.write("plain/part.obj", kTetrahedron);
  const auto load = [&](const std::string& uri, const LoadOptions& options = {}) {
    return load_model(folder.write("my_robot/urdf/robot.urdf", mesh_robot(uri)), options);
  };
  const LoadedModel above = load("package://my_robot/meshes/part.obj");
  const GeometrySpec& g = body_of(above.spec, "a").geometries.at(0);
  EXPECT_NEAR(calc_unit_density_inertia(g.shape).mass, 8.0 / 6, 1e-12);
  EXPECT_NO_THROW(load("package://other/part.obj"));
  EXPECT_NO_THROW(
      load("package://named/part.obj", {.packages = {{"named", folder.path("plain")}}}));
  const auto fails = [&](const std::string& uri, const std::string& text) {
    try {
      load(uri);
      ADD_FAILURE() << uri;
    } catch (const Error& e) {
      EXPECT_TRUE(contains(e.what(), text));
    }
  };
  fails("package://plain/part.obj", "--package plain=DIR");
  fails("package://my_robot/../plain/part.obj", "outside");
  fails("package://my_robot/no.obj", "not there");
  fails("../../plain/part.obj", "--allow-path");
  fails("file://" + folder.path("plain/part.obj"), "--allow-path");
  fails("http://example.org/part.obj", "not a file here");
  fails("package://../part.obj", "no folder of the name");
}

constexpr const char* kDae = R"(<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="pos"><float_array id="a" count="12">0 0 0 100 0 0 0 100 0 0 0 100</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#pos"/></vertices>
<polylist count="4"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><vcount>3 3 3 3</vcount>
<p>0 0 2 0 1 0 0 0 1 0 3 0 0 0 3 0 2 0 1 0 2 0 3 0</p></polylist></mesh></geometry>
</library_geometries><library_visual_scenes><visual_scene id="s"><node>
<translate>0 500 0</translate><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes></COLLADA>)";

// In metres, with z up, where the scene puts it.
TEST(Urdf, MeshesMayBeCollada) {
  const TemporaryFolder folder;
  folder.write("part.dae", kDae);
  const LoadedModel loaded = load_model(folder.write("r.urdf", mesh_robot("part.dae")));
  const GeometrySpec& g = body_of(loaded.spec, "a").geometries.at(0);
  const SpatialInertia M = calc_unit_density_inertia(g.shape);
  EXPECT_NEAR(M.mass, 8.0 / 6, 1e-12);
  // y became z, and the mesh is scaled by two.
  EXPECT_LT(norm(M.com() - Vec3{0.5, -0.5, 10.5}), 1e-12);
  std::string broken = kDae;
  broken.replace(broken.find("<p>0 0"), 6, "<p>9 0");
  folder.write("part.dae", broken);
  EXPECT_THROW(load_model(folder.path("r.urdf")), Error);
}

TEST(Urdf, VisualsMayBeMissing) {
  const LoadedModel loaded = load_as("robot.urdf", mesh_robot("no.obj", "visual"));
  EXPECT_TRUE(body_of(loaded.spec, "a").geometries.empty());
  EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, "the visual is left out"));
}

// A track in the plane of y and z that starts along z: at its start the link's x is the track's
// tangent and its z the normal of the plane.
TEST(Urdf, CurvilinearJointsFollowTheirPath) {
  const std::string track =
      "<origin xyz='3 2 1'/><drake:initial_tangent xyz='0 0 2'/><drake:plane_normal xyz='1 0 0'/>"
      "<dynamics damping='0.1'/><drake:curves><drake:line_segment length='1'/>"
      "<drake:circular_arc radius='2' angle='1.5707963267948966'/></drake:curves>";
  const LoadedModel loaded = load_urdf(link("a") + joint("curvilinear", track));
  EXPECT_EQ(list_reports(loaded), "");
  const JointSpec& j = joint_of(loaded.spec, "j_a");
  EXPECT_EQ(j.damping, 0.1);
  EXPECT_FALSE(j.periodic);
  Bench bench(loaded.spec);
  EXPECT_NEAR(bench.model->limits.at(0).upper, 1 + std::numbers::pi, 1e-14);
  bench.set(std::vector{0.0}, std::vector{1.0});
  const RigidTransform start = bench.kin.X_WB[0];
  EXPECT_LT(norm(start.p - Vec3{3, 2, 1}), 1e-14);
  EXPECT_LT(norm(start.R.column(0) - Vec3{0, 0, 1}), 1e-14);
  EXPECT_LT(norm(start.R.column(2) - Vec3{1, 0, 0}), 1e-14);
  // From z about x by the right-hand rule: towards −y.
  bench.set(std::vector{1 + std::numbers::pi}, std::vector{1.0});
  EXPECT_LT(norm(bench.kin.X_WB[0].p - Vec3{3, 0, 4}), 1e-14);
  EXPECT_LT(norm(bench.kin.V_WB[0].v - Vec3{0, -1, 0}), 1e-14);
  EXPECT_LT(norm(bench.kin.V_WB[0].w - Vec3{0.5, 0, 0}), 1e-14);
}

TEST(Urdf, PathsThatDoNotCloseHaveEnds) {
  const auto load = [](const char* angle) {
    const std::string arc = std::string("<drake:circular_arc radius='1' angle='") + angle + "'/>";
    return load_urdf(link("a") + joint("curvilinear",
                                       "<drake:is_periodic value='true'/>"
                                       "<drake:curves>" +
                                           arc + arc + "</drake:curves>"));
  };
  const LoadedModel circle = load("3.141592653589793"), open = load("3");
  EXPECT_TRUE(joint_of(circle.spec, "j_a").periodic);
  EXPECT_EQ(list_reports(circle), "");
  EXPECT_FALSE(joint_of(open.spec, "j_a").periodic);
  EXPECT_TRUE(is_reported(open, Severity::kApproximated, "its ends are limits"));
  EXPECT_NEAR(compile(open.spec)->limits.at(0).upper, 6, 1e-14);
}

TEST(Urdf, MistakesInPathsNameFileAndLine) {
  const auto fails = [](const std::string& more, const std::string& message) {
    EXPECT_TRUE(matches(urdf_errors(link("a") + joint("curvilinear", more)),
                        "robot.urdf:3: error: .*" + message))
        << urdf_errors(link("a") + joint("curvilinear", more));
  };
  const auto curves = [](const std::string& segments) {
    return "<drake:curves>" + segments + "</drake:curves>";
  };
  fails("", "needs <drake:curves>");
  fails(curves(""), "needs <drake:curves>");
  fails(curves("<drake:line_segment length='-1'/>"), "length is -1; give a number above zero");
  fails(curves("<drake:line_segment/>"), "<drake:line_segment> has no length");
  fails(curves("<drake:line_segment length='long'/>"), "length");
  fails(curves("<drake:circular_arc radius='0' angle='1'/>"), "radius is 0");
  fails(curves("<drake:circular_arc radius='1' angle='0'/>"), "angle of an arc is zero");
  fails(curves("<drake:circular_arc radius='1'/>"), "has no angle");
  fails(curves("<drake:spline/>"), "<drake:spline> is no part of a path");
  fails(curves("<drake:line_segment length='1'/>") + "<drake:initial_tangent xyz='0 1 1'/>",
        "does not start in its plane");
  fails(curves("<drake:line_segment length='1'/>") + "<drake:plane_normal xyz='0 0 0'/>",
        "<drake:plane_normal> is no direction");
}

TEST(Urdf, ErrorsNameFileAndLine) {
  const auto fails = [](const std::string& body, const std::string& pattern) {
    EXPECT_TRUE(matches(urdf_errors(body), "robot.urdf:[0-9]+: error: .*" + pattern)) << body;
  };
  fails("", "no links");
  fails(link("a") + link("a"), "another link is named 'a'");
  fails(link("a") + joint("revolute", "", "no"), "no link 'no' to be its parent");
  fails(link("a") + joint("revolute", "", "a", "no"), "no link 'no' to be its child");
  fails(link("a") + joint("odd"), "joint type 'odd' is not known");
  fails(link("a") + joint("revolute", "<axis xyz='0 0 0'/>"), "axis is zero");
  fails(link("a") + joint("revolute", "<axis xyz='nan 0 0'/>"), "not a finite number");
  fails(link("a") + joint("revolute", "<limit lower='1' upper='0'/>"), "swap them");
  fails(link("a") + joint("revolute", "<dynamics damping='-1'/>"), "no negative");
  fails(link("a") + link("b") + joint("fixed", "", "a", "b") + joint("fixed", "", "b", "a"),
        "one parent");
  fails(link("a") + joint("fixed", "", "a", "a"), "to itself");
  fails(link("a") + joint("fixed") +
            "<joint name='k' type='fixed'><parent link='world'/>"
            "<child link='a'/></joint>",
        "one parent");
  fails(link("a", "<collision><geometry><box size='1 1'/></geometry></collision>"), "2 numbers");
  fails(link("a", "<collision><geometry><box size='1 -1 1'/></geometry></collision>"), "box");
  fails(link("a", "<collision><geometry/></collision>"), "empty");
  fails(link("a", "<collision><geometry><mesh filename='no.stl'/></geometry></collision>"),
        "not there");
  fails("<link name='a'><inertial><mass value='-1'/></inertial></link>", "positive");
  fails("<link><inertial><mass value='0'/></inertial></link>", "no name");
  EXPECT_TRUE(contains(errors_of("a.urdf", "<sdf/>"), "begins with <robot>"));
}

TEST(Urdf, XacroIsRefusedWithAdvice) {
  EXPECT_TRUE(contains(urdf_errors("<xacro:macro name='m'/>"), "expand it first"));
  EXPECT_TRUE(contains(errors_of("robot.urdf.xacro", "<robot name='r'/>"), "expand it first"));
}

TEST(Urdf, IsKnownByItsRootElement) {
  EXPECT_NO_THROW(load_as("robot.xml", "<?xml version='1.0'?><!-- <mujoco> --><robot name='r'>" +
                                           link("a") + "</robot>"));
}

}  // namespace
}  // namespace cenic::test
