// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Limits and constraints: what compile() makes of good ones, and what it says of bad ones.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <ostream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/mistakes.h"
#include "model/model.h"

namespace cenic {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;
const InertiaSpec kUnitInertia{1, {}, Mat3::identity()};

BodySpec make_body(const std::string& name, const std::string& parent,
                   std::vector<JointSpec> joints) {
  return {.name = name, .parent = parent, .joints = std::move(joints), .inertia = kUnitInertia};
}

enum BodyIndex { kBase, kArm, kTool, kPlate, kBob, kBox };

// base anchored; arm on it by a hinge, with a tool welded to it; plate planar; bob on a ball joint;
// box free.
ModelSpec make_good_spec() {
  ModelSpec spec;
  spec.bodies = {make_body("base", "world", {}),
                 make_body("arm", "base", {{.name = "elbow"}}),
                 make_body("tool", "arm", {}),
                 make_body("plate", "world", {{.name = "table", .kind = JointKind::kPlanar}}),
                 make_body("bob", "world", {{.name = "socket", .kind = JointKind::kBall}}),
                 make_body("box", "world", {{.name = "float", .kind = JointKind::kFree}})};
  return spec;
}

ConstraintSpec make_constraint(ConstraintKind kind, const std::string& a, const std::string& b) {
  return {.kind = kind, .a = a, .b = b, .length = kind == ConstraintKind::kDistance ? 1.0 : 0.0};
}

// ---------------------------------------------------------------------------------------- limits

TEST(Limits, OneForEachLinkThatHasAny) {
  ModelSpec spec = make_good_spec();
  spec.bodies[kArm].joints[0].lower = {-1};
  spec.bodies[kPlate].joints[0].lower = {-kInfinity, -2, -kInfinity};
  spec.bodies[kPlate].joints[0].upper = {kInfinity, 3, 0.5};
  spec.bodies[kBob].joints[0].upper = {kPi};
  spec.bodies.push_back(
      make_body("gimbal", "world",
                {{.name = "cross", .kind = JointKind::kUniversal, .upper = {1, 2}},
                 {.kind = JointKind::kScrew, .lower = {0}, .upper = {0}}}));
  const auto model = compile(spec);
  const int plate = model->bodies[kPlate].link, gimbal = model->bodies[6].link;
  const JointLimit expected[] = {{model->bodies[kArm].link, -1, kInfinity},
                                 {plate - 1, -2, 3},
                                 {plate, -kInfinity, 0.5},
                                 {model->bodies[kBob].link, -kInfinity, kPi},
                                 {gimbal - 2, -kInfinity, 1},
                                 {gimbal - 1, -kInfinity, 2},
                                 {gimbal, 0, 0}};
  ASSERT_EQ(model->limits.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_EQ(model->limits[i].link, expected[i].link) << i;
    EXPECT_EQ(model->limits[i].lower, expected[i].lower) << i;
    EXPECT_EQ(model->limits[i].upper, expected[i].upper) << i;
  }
}

TEST(Limits, InfiniteOnesAreNone) {
  ModelSpec spec = make_good_spec();
  spec.bodies[kArm].joints[0].lower = {-kInfinity};
  spec.bodies[kArm].joints[0].upper = {kInfinity};
  spec.bodies[kBob].joints[0].upper = {kInfinity};
  EXPECT_TRUE(compile(spec)->limits.empty());
}

TEST(Limits, StartBeyondThemIsAllowed) {
  ModelSpec spec = make_good_spec();
  spec.bodies[kArm].joints[0].upper = {1};
  spec.bodies[kArm].joints[0].position = {2};
  EXPECT_EQ(compile(spec)->q0[0], 2);
}

// ----------------------------------------------------------------------------------- constraints

TEST(Constraints, BodiesBecomeLinks) {
  ModelSpec spec = make_good_spec();
  ConstraintSpec weld = make_constraint(ConstraintKind::kWeld, "tool", "box");
  weld.name = "grip";
  weld.X_AP = {RigidTransform::rotation({0.1, 0.2, 0.3}).R, {1, 2, 3}};
  weld.X_BQ = RigidTransform::translation({4, 5, 6});
  ConstraintSpec spring = make_constraint(ConstraintKind::kDistance, "world", "bob");
  spring.length = 0.7, spring.stiffness = 30, spring.damping = 2;
  spec.constraints = {weld, spring, make_constraint(ConstraintKind::kBall, "plate", "base")};
  const auto model = compile(spec);
  ASSERT_EQ(model->constraints.size(), 3U);

  const Constraint& w = model->constraints[0];
  EXPECT_EQ(w.kind, ConstraintKind::kWeld);
  EXPECT_EQ(w.name, "grip");
  EXPECT_EQ(w.link[0], model->bodies[kTool].link);
  EXPECT_EQ(w.link[1], model->bodies[kBox].link);
  EXPECT_EQ(w.trees, (std::vector<int>{model->tree_of(model->bodies[kArm].link),
                                       model->tree_of(model->bodies[kBox].link)}));
  EXPECT_TRUE(w.X_LP == weld.X_AP && w.X_LQ == weld.X_BQ);

  const Constraint& s = model->constraints[1];
  EXPECT_EQ(s.link[0], -1);
  EXPECT_EQ(s.link[1], model->bodies[kBob].link);
  EXPECT_EQ(s.trees, std::vector<int>{model->tree_of(s.link[1])});
  EXPECT_EQ(s.length, 0.7);
  EXPECT_EQ(s.spring(0).stiffness, 30);
  EXPECT_EQ(s.spring(0).damping, 2);

  // An anchored body is a link that never moves.
  const Constraint& b = model->constraints[2];
  EXPECT_EQ(b.link[1], model->bodies[kBase].link);
  EXPECT_GE(b.link[1], 0);
  EXPECT_EQ(b.trees, std::vector<int>{model->tree_of(b.link[0])});
  EXPECT_EQ(b.spring(0).stiffness, kInfinity);
}

TEST(Constraints, CouplersJoinTheLinksOfCoordinates) {
  ModelSpec spec = make_good_spec();
  ConstraintSpec coupler = make_constraint(ConstraintKind::kCoupler, "table", "elbow");
  coupler.coordinate_a = 1;
  coupler.polynomial = {0.5};  // locks the coordinate
  ConstraintSpec within = make_constraint(ConstraintKind::kCoupler, "table", "table");
  within.coordinate_b = 2;
  spec.constraints = {coupler, within};
  const auto model = compile(spec);
  const int plate = model->bodies[kPlate].link;
  EXPECT_EQ(model->constraints[0].link[0], plate - 1);
  EXPECT_EQ(model->constraints[0].link[1], model->bodies[kArm].link);
  EXPECT_EQ(model->constraints[0].trees.size(), 2U);
  EXPECT_EQ(model->constraints[0].polynomial, std::vector<double>{0.5});
  EXPECT_EQ(model->constraints[1].link[0], plate - 2);
  EXPECT_EQ(model->constraints[1].link[1], plate);
}

TEST(Constraints, AreDescribedByNameOrBySides) {
  ModelSpec spec = make_good_spec();
  spec.constraints = {make_constraint(ConstraintKind::kWeld, "tool", "world"),
                      make_constraint(ConstraintKind::kCoupler, "elbow", "table"),
                      make_constraint(ConstraintKind::kDistance, "box", "bob")};
  spec.constraints[2].name = "rod";
  const auto model = compile(spec);
  EXPECT_EQ(model->describe_constraint(0), "weld between 'tool' and 'world'");
  EXPECT_EQ(model->describe_constraint(1), "coupler between 'elbow' and 'table'");
  EXPECT_EQ(model->describe_constraint(2), "distance 'rod'");
  EXPECT_EQ(model->constraint_side(0, 1), "world");
  EXPECT_EQ(model->constraint_side(1, 0), "elbow");
  EXPECT_STREQ(to_string(ConstraintKind::kBall), "ball");
}

TEST(Constraints, SurfaceVelocityIsKept) {
  ModelSpec spec = make_good_spec();
  spec.bodies[kBase].geometries = {{.shape = make_box({1, 1, 1}), .surface_velocity = [](double t) {
                                      return Vec3{t, 0, 0};
                                    }}};
  const auto model = compile(spec);
  ASSERT_TRUE(model->geometries[0].surface_velocity);
  EXPECT_EQ(model->geometries[0].surface_velocity(3), (Vec3{3, 0, 0}));
}

// -------------------------------------------------------------------------------------- mistakes

JointSpec& elbow(ModelSpec& s) { return s.bodies[kArm].joints[0]; }
JointSpec& socket(ModelSpec& s) { return s.bodies[kBob].joints[0]; }

// A spec with one constraint, changed by `change`.
std::function<void(ModelSpec&)> with(ConstraintKind kind, const std::string& a,
                                     const std::string& b,
                                     const std::function<void(ConstraintSpec&)>& change = {}) {
  return [=](ModelSpec& s) {
    s.constraints = {make_constraint(kind, a, b)};
    if (change) change(s.constraints[0]);
  };
}

const Mistake kMistakes[] = {
    // Limits
    {"LowerLength",
     [](ModelSpec& s) {
       elbow(s).lower = {1, 2};
     },
     {"joint 'elbow'", "lower has 2 numbers; give 1"}},
    {"UpperLength",
     [](ModelSpec& s) {
       s.bodies[kPlate].joints[0].upper = {1};
     },
     {"joint 'table'", "upper has 1 numbers; give 3"}},
    {"Reversed",
     [](ModelSpec& s) {
       elbow(s).lower = {1}, elbow(s).upper = {-1};
     },
     {"joint 'elbow': lower limit 1 is above the upper limit -1; swap them"}},
    {"LowerNaN",
     [](ModelSpec& s) {
       elbow(s).lower = {kNaN};
     },
     {"joint 'elbow'", "lower limit is nan", "-inf for none"}},
    {"UpperNaN",
     [](ModelSpec& s) {
       elbow(s).upper = {kNaN};
     },
     {"joint 'elbow'", "upper limit is nan"}},
    {"LowerInfinite",
     [](ModelSpec& s) {
       elbow(s).lower = {kInfinity};
     },
     {"joint 'elbow'", "lower limit is inf"}},
    {"UpperInfinite",
     [](ModelSpec& s) {
       elbow(s).upper = {-kInfinity};
     },
     {"joint 'elbow'", "upper limit is -inf"}},
    {"FreeLimits",
     [](ModelSpec& s) {
       s.bodies[kBox].joints[0].upper = {1};
     },
     {"joint 'float'", "free joint has no limits"}},
    {"BallLower",
     [](ModelSpec& s) {
       socket(s).lower = {0};
     },
     {"joint 'socket'", "no lower limit", "upper"}},
    {"BallLength",
     [](ModelSpec& s) {
       socket(s).upper = {1, 1, 1};
     },
     {"joint 'socket'", "upper has 3 numbers; give 1"}},
    {"BallZero",
     [](ModelSpec& s) {
       socket(s).upper = {0};
     },
     {"joint 'socket'", "is 0", "at most pi"}},
    {"BallWide",
     [](ModelSpec& s) {
       socket(s).upper = {3.2};
     },
     {"joint 'socket'", "is 3.2", "at most pi"}},
    {"BallNaN",
     [](ModelSpec& s) {
       socket(s).upper = {kNaN};
     },
     {"joint 'socket'", "is nan"}},
    // Sides
    {"UnknownBody",
     with(ConstraintKind::kBall, "arm", "leg"),
     {"ball between 'arm' and 'leg'", "no body 'leg'", "'world'"}},
    {"JointForABody", with(ConstraintKind::kWeld, "elbow", "box"), {"no body 'elbow'"}},
    {"UnknownJoint",
     with(ConstraintKind::kCoupler, "elbow", "knee"),
     {"coupler between 'elbow' and 'knee'", "no joint 'knee'"}},
    {"NoJointNamed", with(ConstraintKind::kCoupler, "elbow", ""), {"no joint ''"}},
    {"SameBody",
     with(ConstraintKind::kDistance, "arm", "arm",
          [](ConstraintSpec& c) {
            c.name = "rod";
          }),
     {"distance 'rod'", "both sides are 'arm'; name two"}},
    {"WorldTwice", with(ConstraintKind::kBall, "world", "world"), {"both sides are 'world'"}},
    {"OnePiece",
     with(ConstraintKind::kBall, "tool", "arm"),
     {"ball between 'tool' and 'arm'", "one rigid piece", "remove", "joint between"}},
    {"BothAnchored",
     with(ConstraintKind::kWeld, "world", "base"),
     {"weld between 'world' and 'base': neither side can move; attach"}},
    // Couplers
    {"CouplerItself",
     with(ConstraintKind::kCoupler, "elbow", "elbow"),
     {"both sides are the coordinate 0 of joint 'elbow'"}},
    {"CouplerBall",
     with(ConstraintKind::kCoupler, "elbow", "socket"),
     {"joint 'socket' is a ball joint", "cannot be coupled"}},
    {"CouplerFree",
     with(ConstraintKind::kCoupler, "float", "elbow"),
     {"joint 'float' is a free joint"}},
    {"CoordinateHigh",
     with(ConstraintKind::kCoupler, "elbow", "table",
          [](ConstraintSpec& c) {
            c.coordinate_b = 3;
          }),
     {"joint 'table' has no coordinate 3; give one of 0 to 2"}},
    {"CoordinateNegative",
     with(ConstraintKind::kCoupler, "elbow", "table",
          [](ConstraintSpec& c) {
            c.coordinate_a = -1;
          }),
     {"joint 'elbow' has no coordinate -1; give 0"}},
    {"PolynomialEmpty",
     with(ConstraintKind::kCoupler, "elbow", "table",
          [](ConstraintSpec& c) {
            c.polynomial = {};
          }),
     {"polynomial is empty"}},
    {"PolynomialNaN",
     with(ConstraintKind::kCoupler, "elbow", "table",
          [](ConstraintSpec& c) {
            c.polynomial = {0, kNaN, kNaN};
          }),
     {"coefficient of the polynomial is nan"}},
    // Numbers
    {"LengthNegative",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.length = -1;
          }),
     {"distance between 'arm' and 'box'", "length is -1"}},
    {"LengthNaN",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.length = kNaN;
          }),
     {"length is nan"}},
    {"LengthZero",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.length = 0;
          }),
     {"rigid distance of length 0", "use a ball constraint"}},
    {"StiffnessZero",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.stiffness = 0;
          }),
     {"stiffness is 0", "infinity"}},
    {"StiffnessNaN",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.stiffness = kNaN;
          }),
     {"stiffness is nan"}},
    {"DampingNegative",
     with(ConstraintKind::kDistance, "arm", "box",
          [](ConstraintSpec& c) {
            c.damping = -3;
          }),
     {"damping is -3"}},
    {"RotationOfABall",
     with(ConstraintKind::kBall, "arm", "box",
          [](ConstraintSpec& c) {
            c.rotational_stiffness = 10;
          }),
     {"ball between 'arm' and 'box'", "only a weld holds rotations"}},
    {"DampingOfWhatIsRigid",
     with(ConstraintKind::kWeld, "arm", "box",
          [](ConstraintSpec& c) {
            c.rotational_damping = 10;
          }),
     {"what is rigid has no rotational damping"}},
    {"LimitStiffnessNegative",
     [](ModelSpec& s) {
       elbow(s).limit_stiffness = -1;
     },
     {"limit stiffness is -1"}},
    {"PoseScaled",
     with(ConstraintKind::kWeld, "arm", "box",
          [](ConstraintSpec& c) {
            c.X_AP.R = 2 * Mat3::identity();
          }),
     {"X_AP", "not a rotation"}},
    {"PoseNaN",
     with(ConstraintKind::kBall, "arm", "box",
          [](ConstraintSpec& c) {
            c.X_BQ.p.y = kNaN;
          }),
     {"X_BQ", "finite"}},
    {"SameName",
     [](ModelSpec& s) {
       s.constraints = {make_constraint(ConstraintKind::kBall, "arm", "box"),
                        make_constraint(ConstraintKind::kBall, "bob", "box")};
       s.constraints[0].name = s.constraints[1].name = "pin";
     },
     {"constraint 'pin'", "same name"}},
};

class ValidateConstraint : public testing::TestWithParam<Mistake> {};

TEST_P(ValidateConstraint, NamesTheThingAndTheFix) { expect_named(make_good_spec(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Mistakes, ValidateConstraint, testing::ValuesIn(kMistakes),
                         [](const auto& test) {
                           return std::string(test.param.name);
                         });

TEST(ValidateConstraints, ReportsAllAtOnceAndWithoutATopology) {
  ModelSpec spec = make_good_spec();
  elbow(spec).lower = {2}, elbow(spec).upper = {1};
  spec.bodies[kTool].parent = "nobody";  // no topology
  spec.constraints = {make_constraint(ConstraintKind::kBall, "leg", "toe"),
                      make_constraint(ConstraintKind::kWeld, "world", "base"),  // not seen
                      make_constraint(ConstraintKind::kCoupler, "elbow", "elbow")};
  const std::string message = message_of(spec);
  EXPECT_NE(message.find("has 5 problems"), std::string::npos) << message;
}

TEST(ValidateConstraints, AcceptsWhatIsUnusualButFine) {
  ModelSpec spec = make_good_spec();
  spec.constraints = {make_constraint(ConstraintKind::kBall, "arm", "box"),
                      make_constraint(ConstraintKind::kBall, "arm", "box"),  // twice, no names
                      make_constraint(ConstraintKind::kDistance, "base", "arm")};
  spec.constraints[2].length = 0;  // a spring may be
  spec.constraints[2].stiffness = 10;
  elbow(spec).lower = elbow(spec).upper = {0.5};  // locked
  EXPECT_EQ(message_of(spec), "");
}

}  // namespace
}  // namespace cenic
