// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Every mistake compile() finds: one change to a good spec, and the words that must be in the
// message.
#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/mistakes.h"
#include "model/model.h"

namespace cenic {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Ground; arm with a named hinge; hand on the arm with a slide; ball free.
ModelSpec make_good_spec() {
  ModelSpec spec;
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  spec.world_geometries = {{.name = "ground", .shape = make_half_space()}};
  spec.bodies = {
      {.name = "arm", .joints = {{.name = "elbow"}}, .inertia = inertia},
      {.name = "hand",
       .parent = "arm",
       .joints = {{.name = "slide", .kind = JointKind::kPrismatic}},
       .geometries = {{.name = "palm", .shape = make_sphere(0.1)}}},
      {.name = "ball",
       .joints = {{.kind = JointKind::kFree}},
       .geometries = {{.name = "skin", .shape = make_box({1, 1, 1})}}},
  };
  return spec;
}

JointSpec& elbow(ModelSpec& s) { return s.bodies[0].joints[0]; }
InertiaSpec& arm_inertia(ModelSpec& s) { return *s.bodies[0].inertia; }
GeometrySpec& palm(ModelSpec& s) { return s.bodies[1].geometries[0]; }
JointSpec& free_joint(ModelSpec& s) { return s.bodies[2].joints[0]; }

const Mistake kMistakes[] = {
    // Names
    {"EmptyName",
     [](ModelSpec& s) {
       s.bodies[2].name = "";
     },
     {"body 3", "no name"}},
    {"ReservedName",
     [](ModelSpec& s) {
       s.bodies[2].name = "world";
     },
     {"'world'", "rename"}},
    {"SameBodyName",
     [](ModelSpec& s) {
       s.bodies[2].name = "hand";
     },
     {"body 'hand'", "same name"}},
    {"SameJointName",
     [](ModelSpec& s) {
       s.bodies[1].joints[0].name = "elbow";
     },
     {"joint 'elbow'", "same name"}},
    {"SameGeometryName",
     [](ModelSpec& s) {
       palm(s).name = "ground";
     },
     {"geometry 'ground'", "same name"}},
    // Tree
    {"UnknownParent",
     [](ModelSpec& s) {
       s.bodies[1].parent = "leg";
     },
     {"body 'hand'", "'leg'"}},
    {"Cycle",
     [](ModelSpec& s) {
       s.bodies[0].parent = "hand";
     },
     {"circle", "'arm'", "'hand'"}},
    {"OwnParent",
     [](ModelSpec& s) {
       s.bodies[0].parent = "arm";
     },
     {"circle", "'arm' on 'arm'"}},
    // World
    {"Gravity",
     [](ModelSpec& s) {
       s.gravity.y = kNaN;
     },
     {"world", "gravity", "nan"}},
    {"Stiction",
     [](ModelSpec& s) {
       s.stiction_velocity = 0;
     },
     {"world", "stiction_velocity"}},
    {"StictionNaN",
     [](ModelSpec& s) {
       s.stiction_velocity = kNaN;
     },
     {"stiction_velocity"}},
    // Bodies
    {"BodyPose",
     [](ModelSpec& s) {
       s.bodies[1].X_PB.p.x = kInfinity;
     },
     {"body 'hand'", "X_PB"}},
    {"BodyMatrix",
     [](ModelSpec& s) {
       s.bodies[1].X_PB.R(0, 0) = 1.1;
     },
     {"body 'hand'", "X_PB", "not a rotation"}},
    {"LeftHandedMatrix",
     [](ModelSpec& s) {
       s.bodies[1].X_PB.R(2, 2) = -1;
     },
     {"body 'hand'", "not a rotation"}},
    {"GravityCompensation",
     [](ModelSpec& s) {
       s.bodies[1].gravity_compensation = kNaN;
     },
     {"body 'hand'", "gravity_compensation"}},
    // Mass
    {"NegativeMass",
     [](ModelSpec& s) {
       arm_inertia(s).mass = -1;
     },
     {"body 'arm': mass is -1 kg; give a positive mass"}},
    {"MassNaN",
     [](ModelSpec& s) {
       arm_inertia(s).mass = kNaN;
     },
     {"body 'arm'", "mass is nan"}},
    {"Com",
     [](ModelSpec& s) {
       arm_inertia(s).com.z = kNaN;
     },
     {"body 'arm'", "centre of mass"}},
    {"InertiaNaN",
     [](ModelSpec& s) {
       arm_inertia(s).I_com(1, 2) = kNaN;
     },
     {"body 'arm'", "I_com"}},
    {"InertiaAsymmetric",
     [](ModelSpec& s) {
       arm_inertia(s).I_com(0, 1) = 0.1;
     },
     {"body 'arm'", "symmetric"}},
    {"InertiaZero",
     [](ModelSpec& s) {
       arm_inertia(s).I_com = {};
     },
     {"body 'arm'", "positive"}},
    {"InertiaIndefinite",
     [](ModelSpec& s) {
       arm_inertia(s).I_com(0, 1) = arm_inertia(s).I_com(1, 0) = 2;
     },
     {"body 'arm'", "principal moments", "positive"}},
    {"InertiaTriangle",
     [](ModelSpec& s) {
       arm_inertia(s).I_com = Mat3::diagonal({1, 1, 2.001});
     },
     {"body 'arm'", "sum of the other two"}},
    {"InertiaWithoutMass",
     [](ModelSpec& s) {
       arm_inertia(s).mass = 0;
     },
     {"body 'arm'", "no mass"}},
    {"NothingToMove",
     [](ModelSpec& s) {
       s.bodies[1].geometries.clear();
     },
     {"body 'hand', joint 'slide'", "moves no mass", "armature"}},
    {"DensityZero",
     [](ModelSpec& s) {
       palm(s).density = 0;
     },
     {"body 'hand', joint 'slide'", "moves no mass", "density"}},
    {"OnlyAHalfSpace",
     [](ModelSpec& s) {
       palm(s).shape = make_half_space();
     },
     {"body 'hand'", "moves no mass"}},
    {"DensityNegative",
     [](ModelSpec& s) {
       palm(s).density = -5;
     },
     {"geometry 'palm'", "density is -5"}},
    // Joints
    {"JointPose",
     [](ModelSpec& s) {
       elbow(s).X_BF.p.x = kNaN;
     },
     {"joint 'elbow'", "X_BF"}},
    {"AxisZero",
     [](ModelSpec& s) {
       elbow(s).axis = {};
     },
     {"joint 'elbow'", "axis is zero"}},
    {"AxisNaN",
     [](ModelSpec& s) {
       elbow(s).axis.x = kNaN;
     },
     {"joint 'elbow'", "axis"}},
    {"Pitch",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kScrew, elbow(s).pitch = kInfinity;
     },
     {"joint 'elbow'", "pitch"}},
    {"CurveMissing",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kCurvilinear;
     },
     {"joint 'elbow'", "has no curve"}},
    {"CurveOfNoLength",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kCurvilinear, elbow(s).curve = {{1, 0}, {0, 1}};
     },
     {"joint 'elbow'", "segment of the curve is 0 m long"}},
    {"CurveNotANumber",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kCurvilinear, elbow(s).curve = {{1, kNaN}};
     },
     {"joint 'elbow'", "angle of a segment"}},
    {"CurvePeriodicAndOpen",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kCurvilinear, elbow(s).curve = {{2, 0}};
       elbow(s).periodic = true;
     },
     {"joint 'elbow'", "ends 2 m from its start, turned by 0 rad"}},
    {"Damping",
     [](ModelSpec& s) {
       elbow(s).damping = -1;
     },
     {"joint 'elbow'", "damping is -1"}},
    {"Armature",
     [](ModelSpec& s) {
       elbow(s).armature = -1;
     },
     {"joint 'elbow'", "armature"}},
    {"Stiffness",
     [](ModelSpec& s) {
       elbow(s).stiffness = kNaN;
     },
     {"joint 'elbow'", "stiffness"}},
    {"DryFriction",
     [](ModelSpec& s) {
       elbow(s).dry_friction = -2;
     },
     {"'elbow'", "dry_friction"}},
    {"PositionLength",
     [](ModelSpec& s) {
       elbow(s).position = {1, 2};
     },
     {"joint 'elbow'", "position has 2 numbers; give 1"}},
    {"VelocityLength",
     [](ModelSpec& s) {
       free_joint(s).velocity = {1, 2};
     },
     {"body 'ball', joint 1", "velocity has 2 numbers; give 6"}},
    {"RestLength",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kPlanar, elbow(s).rest = {1};
     },
     {"joint 'elbow'", "rest has 1 numbers; give 3"}},
    {"PositionNaN",
     [](ModelSpec& s) {
       elbow(s).position = {kNaN};
     },
     {"'elbow'", "position"}},
    {"VelocityNaN",
     [](ModelSpec& s) {
       elbow(s).velocity = {kNaN};
     },
     {"'elbow'", "velocity"}},
    {"QuaternionZero",
     [](ModelSpec& s) {
       free_joint(s).position = {0, 0, 0, 0, 1, 2, 3};
     },
     {"body 'ball'", "quaternion of position is zero"}},
    {"RestQuaternionZero",
     [](ModelSpec& s) {
       elbow(s).kind = JointKind::kBall, elbow(s).rest = {0, 0, 0, 0};
     },
     {"joint 'elbow'", "quaternion of rest is zero"}},
    {"FreeOnABody",
     [](ModelSpec& s) {
       s.bodies[2].parent = "arm";
     },
     {"body 'ball'", "free joint", "'arm'"}},
    {"FreeInAStack",
     [](ModelSpec& s) {
       s.bodies[2].joints.push_back({});
     },
     {"body 'ball'", "only joint"}},
    {"FreeWithAFrame",
     [](ModelSpec& s) {
       free_joint(s).X_BF.p.x = 1;
     },
     {"body 'ball'", "X_BF", "identity"}},
    // Geometries
    {"ShapeSize",
     [](ModelSpec& s) {
       palm(s).shape.size.x = -1;
     },
     {"geometry 'palm'", "size"}},
    {"NoHull",
     [](ModelSpec& s) {
       palm(s).shape.kind = ShapeKind::kConvex;
     },
     {"'palm'", "hull"}},
    {"GeometryPose",
     [](ModelSpec& s) {
       palm(s).X_BG.p.y = kNaN;
     },
     {"geometry 'palm'", "X_BG"}},
    {"Color",
     [](ModelSpec& s) {
       palm(s).color[1] = NAN;
     },
     {"geometry 'palm'", "color"}},
    {"ContactStiffness",
     [](ModelSpec& s) {
       palm(s).material.stiffness = 0;
     },
     {"geometry 'palm'", "stiffness is 0"}},
    {"ContactStiffnessNaN",
     [](ModelSpec& s) {
       s.world_geometries[0].material.stiffness = kNaN;
     },
     {"world, geometry 'ground'", "stiffness is nan"}},
    {"Dissipation",
     [](ModelSpec& s) {
       palm(s).material.dissipation = -1;
     },
     {"geometry 'palm'", "dissipation"}},
    {"StaticFriction",
     [](ModelSpec& s) {
       palm(s).material.static_friction = -1;
     },
     {"geometry 'palm'", "static friction is -1"}},
    {"DynamicFriction",
     [](ModelSpec& s) {
       palm(s).material.dynamic_friction = kNaN;
     },
     {"geometry 'palm'", "dynamic friction is nan"}},
    {"FrictionOrder",
     [](ModelSpec& s) {
       palm(s).material.static_friction = 0.4;
     },
     {"geometry 'palm'", "static friction 0.4 is below dynamic friction 0.5"}},
    {"TwoRigid",
     [](ModelSpec& s) {
       s.world_geometries[0].material.stiffness = palm(s).material.stiffness = kInfinity;
     },
     {"'ground'", "'palm'", "infinite stiffness"}},
    // Filters
    {"ExcludeUnknown",
     [](ModelSpec& s) {
       s.exclude = {{"arm", "leg"}};
     },
     {"exclude", "'leg'"}},
    {"PairUnknown",
     [](ModelSpec& s) {
       s.pairs = {{"palm", "arm"}};
     },
     {"pair", "geometry 'arm'"}},
};

class Validate : public testing::TestWithParam<Mistake> {};

TEST_P(Validate, NamesTheThingAndTheFix) { expect_named(make_good_spec(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Mistakes, Validate, testing::ValuesIn(kMistakes), [](const auto& test) {
  return std::string(test.param.name);
});

TEST(ValidateSpec, ReportsAllProblemsAtOnce) {
  ModelSpec spec = make_good_spec();
  arm_inertia(spec).mass = -1;
  elbow(spec).axis = {};
  palm(spec).material.stiffness = -3;
  spec.exclude = {{"leg", "toe"}};
  spec.gravity.x = kNaN;
  const std::string message = message_of(spec);
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 6) << message;
  EXPECT_NE(message.find("model 'model' has 6 problems:"), std::string::npos) << message;
}

TEST(ValidateSpec, AcceptsWhatIsUnusualButFine) {
  ModelSpec spec = make_good_spec();
  spec.world_geometries[0].material.stiffness = kInfinity;     // on one side only
  elbow(spec).kind = JointKind::kScrew;                        // with pitch zero: a hinge
  arm_inertia(spec).I_com = Mat3::diagonal({1, 1, 2 + 1e-7});  // a plate, rounded
  spec.bodies[1].geometries.push_back({.shape = make_half_space(), .density = 0});
  spec.bodies.push_back({.name = "marker", .parent = "hand"});  // weightless, welded
  spec.bodies.push_back({.name = "rotor", .joints = {{.armature = 0.1}}});
  // Two rigid things that never meet.
  palm(spec).material.stiffness = kInfinity;
  spec.exclude = {{"hand", "world"}};
  EXPECT_EQ(message_of(spec), "");
}

TEST(Validate, AWeldedBodyMayBeAPointOfMass) {
  ModelSpec spec;
  spec.bodies = {{.name = "arm", .joints = {{}}, .inertia = InertiaSpec{1, {}, Mat3::identity()}},
                 {.name = "sensor", .parent = "arm", .inertia = InertiaSpec{0.1, {}, {}}}};
  EXPECT_EQ(message_of(spec), "");
  spec.bodies[1].joints = {{}};
  EXPECT_NE(message_of(spec).find("principal moments"), std::string::npos);
}

}  // namespace
}  // namespace cenic
