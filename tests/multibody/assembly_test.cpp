// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Loops that can be closed from where they start, and loops that cannot.
#include "multibody/assembly.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "multibody/random_model.h"

namespace cenic::test {
namespace {

const InertiaSpec kUnitInertia{1, {}, Mat3::identity()};

// Bars of the given lengths in a chain from the world's origin, in the x-y plane, hinged about z;
// the end of the last is pinned to (base, 0, 0) by the ball 'pin'.
ModelSpec make_linkage(const std::vector<double>& bars, double base,
                       const std::vector<double>& angles) {
  ModelSpec spec{.name = "linkage"};
  for (std::size_t i = 0; i < bars.size(); ++i) {
    BodySpec bar{.name = fmt::format("bar{}", i), .inertia = kUnitInertia};
    if (i > 0) {
      bar.parent = fmt::format("bar{}", i - 1);
      bar.X_PB = RigidTransform::translation({bars[i - 1], 0, 0});
    }
    bar.joints = {{.name = fmt::format("hinge{}", i), .position = {angles[i]}}};
    spec.bodies.push_back(bar);
  }
  spec.constraints = {{.name = "pin",
                       .kind = ConstraintKind::kBall,
                       .a = "world",
                       .b = spec.bodies.back().name,
                       .X_AP = RigidTransform::translation({base, 0, 0}),
                       .X_BQ = RigidTransform::translation({bars.back(), 0, 0})}};
  return spec;
}

std::string message_of(const ModelSpec& spec) {
  const auto model = compile(spec);
  const std::vector<double> q0 = model->q0;
  try {
    check_assembly(*model);
  } catch (const Error& error) {
    return error.what();
  }
  EXPECT_EQ(model->q0, q0);
  return "";
}

void expect_refused(const ModelSpec& spec, const std::vector<std::string>& words) {
  const std::string message = message_of(spec);
  for (const std::string& word : words) {
    EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
  }
}

TEST(Assembly, ClosesAFourBarFromBadStarts) {
  Random random(1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(message_of(make_linkage({0.3, 1.0, 0.6}, 0.9, random.array(3, 3.1))), "");
  }
}

TEST(Assembly, ClosesAFourBarThatStartsStretched) {
  // All bars along x: the gradient has no part across, which only other starts can find.
  EXPECT_EQ(message_of(make_linkage({0.3, 1.0, 0.6}, 0.9, {0, 0, 0})), "");
}

TEST(Assembly, ClosesWeldsOfArms) {
  // Two arms of six hinges each hold one free box from their own sides.
  Random random(2);
  ModelSpec spec;
  spec.bodies.push_back(
      {.name = "box", .joints = {{.kind = JointKind::kFree}}, .inertia = kUnitInertia});
  for (int arm = 0; arm < 2; ++arm) {
    std::string parent = "world";
    for (int i = 0; i < 6; ++i) {
      BodySpec link{.name = fmt::format("arm{}_{}", arm, i), .parent = parent};
      link.X_PB = RigidTransform::translation(i == 0 ? Vec3{arm * 1.0, 0, 0} : Vec3{0, 0, 0.4});
      link.inertia = kUnitInertia;
      link.joints = {{.axis = i % 3 == 0   ? Vec3{0, 0, 1}
                              : i % 3 == 1 ? Vec3{0, 1, 0}
                                           : Vec3{1, 0, 0},
                      .position = {random.uniform(-1, 1)}}};
      parent = link.name;
      spec.bodies.push_back(link);
    }
    spec.constraints.push_back({.kind = ConstraintKind::kWeld,
                                .a = parent,
                                .b = "box",
                                .X_AP = RigidTransform::translation({0, 0, 0.2}),
                                .X_BQ = RigidTransform::translation({arm - 0.5, 0, 0})});
  }
  EXPECT_EQ(message_of(spec), "");
}

TEST(Assembly, RefusesADistanceOutOfReach) {
  ModelSpec spec = make_linkage({1.0, 0.5}, 0, {0.1, 0.2});
  spec.constraints = {{.name = "rod",
                       .kind = ConstraintKind::kDistance,
                       .a = "world",
                       .b = "bar1",
                       .X_BQ = RigidTransform::translation({0.5, 0, 0}),
                       .length = 1.75}};
  expect_refused(spec, {"model 'linkage' cannot be assembled",
                        "distance 'rod' stays open by 0.25 m", "check lengths, frames and limits"});
}

TEST(Assembly, RefusesContradictoryCouplers) {
  ModelSpec spec = make_linkage({1.0, 0.5}, 0, {0, 0});
  spec.constraints = {{.kind = ConstraintKind::kCoupler, .a = "hinge0", .b = "hinge1"},
                      {.name = "shifted",
                       .kind = ConstraintKind::kCoupler,
                       .a = "hinge0",
                       .b = "hinge1",
                       .polynomial = {1, 1}}};
  expect_refused(spec, {"the loop of coupler between 'hinge0' and 'hinge1', coupler 'shifted'",
                        "stays open by 0.5 rad"});
}

TEST(Assembly, KeepsToTheLimits) {
  // The bar must turn by a right angle, and may not.
  ModelSpec spec = make_linkage({1.0}, 0, {0});
  spec.constraints[0].X_AP = RigidTransform::translation({0, 1, 0});
  EXPECT_EQ(message_of(spec), "");
  spec.bodies[0].joints[0].lower = {-0.5};
  spec.bodies[0].joints[0].upper = {0.5};
  expect_refused(spec, {"ball 'pin' stays open", " m however"});
  // The same of a ball joint.
  spec.bodies[0].joints[0] = {.kind = JointKind::kBall};
  EXPECT_EQ(message_of(spec), "");
  spec.bodies[0].joints[0].upper = {0.5};
  expect_refused(spec, {"ball 'pin' stays open"});
}

TEST(Assembly, ReportsEachLoopAndLeavesSpringsAlone) {
  ModelSpec spec = make_linkage({1.0}, 3, {0});
  spec.bodies.push_back(
      {.name = "other", .joints = {{.kind = JointKind::kBall}}, .inertia = kUnitInertia});
  spec.constraints.push_back({.kind = ConstraintKind::kBall,
                              .a = "world",
                              .b = "other",
                              .X_AP = RigidTransform::translation({0, 0, 0.5})});
  spec.constraints.push_back({.name = "spring",
                              .kind = ConstraintKind::kDistance,
                              .a = "bar0",
                              .b = "other",
                              .length = 100,
                              .stiffness = 1});
  expect_refused(spec, {"ball 'pin' stays open by 2 m",
                        "ball between 'world' and 'other' stays open by 0.5 m"});
  spec.constraints.erase(spec.constraints.begin(), spec.constraints.begin() + 2);
  EXPECT_EQ(message_of(spec), "");
}

TEST(Assembly, AGoodStartCostsNothing) {
  // Slightly open, and at a place from which a search would fail.
  ModelSpec spec = make_linkage({1.0}, 1 + 5e-4, {0});
  EXPECT_EQ(message_of(spec), "");
  // Even in a large model.
  for (int i = 0; i < 2000; ++i) {
    spec.bodies.push_back({.name = fmt::format("box{}", i),
                           .joints = {{.kind = JointKind::kFree}},
                           .inertia = kUnitInertia});
  }
  EXPECT_NO_THROW(check_assembly(*compile(spec)));
}

}  // namespace
}  // namespace cenic::test
