// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The built-in scenes compile, start without unintended overlap, repeat for a seed, and explain
// wrong names.
#include "scenes/scenes.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/manifold.h"
#include "model/model.h"
#include "multibody/constraints.h"
#include "multibody/multibody.h"

namespace cenic {

// How GoogleTest shows a scene.
// NOLINTNEXTLINE(readability-identifier-naming)
static void PrintTo(const SceneInfo& info, std::ostream* out) { *out << info.name; }

namespace {

// Everything of a spec that chance or a parameter may change, exactly.
std::string fingerprint(const ModelSpec& spec) {
  std::string text = fmt::format("{} {:a}\n", spec.name, spec.stiction_velocity);
  const auto add_pose = [&](const RigidTransform& X) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        text += fmt::format("{:a} ", X.R(i, j));
      }
      text += fmt::format("{:a} ", X.p[i]);
    }
  };
  const auto add_geometry = [&](const GeometrySpec& g) {
    text += fmt::format("{} {} {:a} {:a} {:a} ", g.name, to_string(g.shape.kind), g.shape.size.x,
                        g.material.stiffness, g.density);
    add_pose(g.X_BG);
  };
  for (const GeometrySpec& g : spec.world_geometries) {
    add_geometry(g);
  }
  for (const ConstraintSpec& c : spec.constraints) {
    text += fmt::format("\n{} {} {} {} {:a} ", c.name, to_string(c.kind), c.a, c.b, c.length);
    add_pose(c.X_AP);
    add_pose(c.X_BQ);
  }
  for (const BodySpec& body : spec.bodies) {
    text += fmt::format("\n{} {} ", body.name, body.parent);
    add_pose(body.X_PB);
    for (const GeometrySpec& g : body.geometries) {
      add_geometry(g);
    }
  }
  return text;
}

// The smallest signed distance between any two geometries that may touch; infinite when none is
// within the margin.
double calc_least_distance(const Model& model, double margin = 0.3) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  const auto pose = [&](const Geometry& g) {
    return g.link < 0 ? g.X_LG : kin.X_WB[g.link] * g.X_LG;
  };
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(model.geometries.size()); ++i) {
    for (int j = i + 1; j < static_cast<int>(model.geometries.size()); ++j) {
      const Geometry &a = model.geometries[i], &b = model.geometries[j];
      if (!model.may_touch(i, j)) continue;
      Manifold manifold;
      calc_manifold(a.shape, pose(a), b.shape, pose(b), {.margin = margin}, &manifold);
      for (int k = 0; k < manifold.count; ++k) {
        least = std::min(least, manifold.points[k].phi);
      }
    }
  }
  return least;
}

// The largest error of any constraint at the initial state, and of its rate.
struct ClosureError {
  double position = 0, rate = 0;
};
ClosureError calc_closure_error(const Model& model) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  ClosureError worst;
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    const Constraint& constraint = model.constraints[c];
    const int rows = num_rows(constraint.kind);
    double g[kMaxConstraintRows];
    calc_constraint_error(model, kin, model.q0, c, g);
    std::vector<double> rate(rows, 0.0);
    for (const int tree : constraint.trees) {
      const int n = model.trees[tree].nv;
      std::vector<double> J(static_cast<std::size_t>(rows) * n, 0.0);
      add_constraint_rows(model, kin, model.q0, c, tree, n, J.data());
      for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < n; ++i) {
          rate[r] += J[r * n + i] * model.v0[model.trees[tree].v_start + i];
        }
      }
    }
    for (int r = 0; r < rows; ++r) {
      worst.position = std::max(worst.position, std::abs(g[r]));
      worst.rate = std::max(worst.rate, std::abs(rate[r]));
    }
  }
  return worst;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class EveryScene : public ::testing::TestWithParam<SceneInfo> {};

TEST_P(EveryScene, DescribesItself) {
  const SceneInfo& info = GetParam();
  EXPECT_GT(info.duration, 0);
  EXPECT_EQ(info.description.back(), '.');
  std::set<std::string> names;
  for (const SceneParameter& parameter : info.parameters) {
    EXPECT_FALSE(parameter.description.empty()) << parameter.name;
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
  }
}

TEST_P(EveryScene, Compiles) {
  const ModelSpec spec = make_scene(GetParam().name);
  EXPECT_EQ(spec.name, GetParam().name);
  const auto model = compile(spec);
  EXPECT_EQ(model->bodies.size(), spec.bodies.size());
  EXPECT_GT(model->nv, 0);
  EXPECT_GT(model->total_mass, 0);
}

// Each parameter is read: a wild value is either refused with its name, or makes another world.
TEST_P(EveryScene, UsesEachParameter) {
  for (const SceneParameter& parameter : GetParam().parameters) {
    const std::string message = message_of([&] {
      make_scene(GetParam().name, {{parameter.name, std::nan("")}});
    });
    EXPECT_NE(message.find("'" + parameter.name + "'"), std::string::npos)
        << parameter.name << ": " << message;
  }
}

TEST_P(EveryScene, SameSeedSameScene) {
  EXPECT_EQ(fingerprint(make_scene(GetParam().name, {}, 7)),
            fingerprint(make_scene(GetParam().name, {}, 7)));
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryScene, ::testing::ValuesIn(list_scenes()),
                         [](const auto& scene) {
                           return scene.param.name;
                         });

TEST(Clutter, DifferentSeedDifferentScene) {
  for (const char* name : {"soft_clutter", "hard_clutter", "clutter"}) {
    EXPECT_NE(fingerprint(make_scene(name, {}, 1)), fingerprint(make_scene(name, {}, 2))) << name;
  }
}

// The generator is our own, so these numbers hold on every platform.
TEST(Clutter, FirstSeedIsPinned) {
  const ModelSpec spec = make_scene("hard_clutter");
  const Vec3 first = spec.bodies.front().X_PB.p, last = spec.bodies.back().X_PB.p;
  EXPECT_EQ(fmt::format("{:.12f} {:.12f} {:.12f}", first.x, first.y, first.z),
            "0.095065462953 -0.099404852230 0.550873415788");
  EXPECT_EQ(fmt::format("{:.12f} {:.12f} {:.12f}", last.x, last.y, last.z),
            "-0.094360146141 0.099839727579 0.148997036880");
}

TEST(Clutter, NothingOverlapsAtTheStart) {
  for (const double count : {1, 2, 13, 20, 45, 100}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto model = compile(make_scene("clutter", {{"count", count}}, seed));
      const double least = calc_least_distance(*model);
      EXPECT_GT(least, 0) << count << " objects, seed " << seed;
      EXPECT_LT(least, 0.15) << "the query found nothing, not even the floor";
    }
  }
}

TEST(Clutter, HasTheStatedBinAndObjects) {
  const ModelSpec spec = make_scene("clutter", {{"count", 80}});
  ASSERT_EQ(spec.world_geometries.size(), 5U);
  EXPECT_EQ(spec.world_geometries[0].name, "floor");
  int cubes = 0;
  for (int i = 0; i < 4; ++i) {
    const GeometrySpec& wall = spec.world_geometries[i + 1];
    EXPECT_EQ(wall.name, fmt::format("wall_{}", i));
    EXPECT_NEAR(norm(wall.X_BG.p), 0.5, 1e-12);  // side 0.5 m √(80/20)
    // The solid is behind the wall: its outward normal points to the middle of the bin.
    EXPECT_NEAR(dot(wall.X_BG.R.column(2), wall.X_BG.p), -0.5, 1e-12);
    EXPECT_NEAR(determinant(wall.X_BG.R), 1, 1e-12);
  }
  for (const BodySpec& body : spec.bodies) {
    EXPECT_EQ(body.joints.at(0).name, body.name + "_free");
    EXPECT_EQ(body.geometries.at(0).material.stiffness, 2e5);
    cubes += body.geometries[0].shape.kind == ShapeKind::kBox ? 1 : 0;
  }
  EXPECT_EQ(cubes, 40);
  EXPECT_EQ(spec.bodies[79].name, "object_079");
}

TEST(Clutter, ThousandsCompile) {
  const auto model = compile(make_scene("clutter", {{"count", 2000}}));
  EXPECT_EQ(model->trees.size(), 2000U);
  EXPECT_EQ(model->nv, 12000);
}

TEST(BouncingBall, StartsAtTheHeight) {
  const auto model = compile(make_scene("bouncing_ball", {{"height", 0.25}}));
  EXPECT_NEAR(calc_least_distance(*model), 0.25, 1e-12);
  EXPECT_NEAR(model->total_mass, 1, 1e-12);
}

TEST(SlidingBlock, StartsAtStaticPenetration) {
  const auto model =
      compile(make_scene("sliding_block", {{"angle", 30}, {"stiffness", 1e4}, {"speed", 2}}));
  const double angle = std::numbers::pi / 6;
  EXPECT_NEAR(model->total_mass, 1, 1e-12);
  EXPECT_NEAR(calc_least_distance(*model), -9.81 * std::cos(angle) / 4e4, 1e-12);
  // Down the slope: along x and down.
  EXPECT_NEAR(model->v0[3], 2 * std::cos(angle), 1e-12);
  EXPECT_NEAR(model->v0[5], -2 * std::sin(angle), 1e-12);
}

TEST(BoxStack, StartsPressedTogether) {
  const auto model = compile(make_scene("box_stack", {{"count", 4}}));
  EXPECT_NEAR(calc_least_distance(*model), -4 * 9.81 / 4e5, 1e-12);
}

TEST(NewtonCradle, BallsTouchAndTheFirstIsLifted) {
  EXPECT_NEAR(calc_least_distance(*compile(make_scene("newton_cradle"))), 0, 1e-12);
  EXPECT_NEAR(calc_least_distance(*compile(make_scene("newton_cradle", {{"gap", 1e-3}}))), 1e-3,
              1e-12);
  const auto model = compile(make_scene("newton_cradle", {{"angle", 90}, {"count", 2}}));
  Kinematics kin;
  kin.resize(*model);
  update_positions(*model, model->q0, &kin);
  const Vec3 p = kin.X_WB[model->bodies[0].link].p;
  EXPECT_NEAR(p.x, -0.02 - 0.3, 1e-12);
  EXPECT_NEAR(p.z, 0.3, 1e-12);
}

TEST(DoublePendulum, HasTheStatedGeometry) {
  const auto model = compile(make_scene("double_pendulum"));
  Kinematics kin;
  kin.resize(*model);
  const double q[] = {0, std::numbers::pi / 2};
  update_positions(*model, q, &kin);
  const Vec3 upper = kin.X_WB[model->bodies[0].link].p, lower = kin.X_WB[model->bodies[1].link].p;
  EXPECT_NEAR(norm(upper - Vec3{0, 0, -0.1}), 0, 1e-12);
  EXPECT_NEAR(norm(lower - Vec3{-0.1, 0, -0.2}), 0, 1e-12);
  const double rod = 1000 * std::numbers::pi * 1e-4 * (0.2 + 4.0 / 3.0 * 0.01);
  EXPECT_NEAR(model->total_mass, 2 * rod, 1e-12);
}

TEST(SpinningTop, SpinsAboutItsOwnAxis) {
  const auto model = compile(make_scene("spinning_top", {{"lean", 90}, {"spin", 50}}));
  ASSERT_EQ(model->nv, 3);
  EXPECT_NEAR(model->v0[0], 50, 1e-9);
  EXPECT_NEAR(model->v0[2], 0, 1e-9);
}

TEST(Chain, StartsStretchedAlongX) {
  const auto model = compile(make_scene("chain", {{"links", 7}}));
  Kinematics kin;
  kin.resize(*model);
  update_positions(*model, model->q0, &kin);
  const Vec3 p = kin.X_WB[model->bodies.back().link].p;
  EXPECT_NEAR(norm(p - Vec3{0.6, 0, 0}), 0, 1e-12);
  EXPECT_NEAR(calc_least_distance(*model), 0.1, 1e-9);  // from a link to the next but one
}

TEST(Conveyor, StartsAtStaticPenetrationAndRidesOnTheBelt) {
  const auto model = compile(make_scene("conveyor", {{"stiffness", 2e4}, {"amplitude", 0.7}}));
  EXPECT_NEAR(model->total_mass, 1, 1e-12);
  EXPECT_NEAR(calc_least_distance(*model), -9.81 / 8e4, 1e-12);
  EXPECT_NEAR(model->v0[3], 0.7, 1e-12);
  const Geometry& belt = model->geometries[0];
  ASSERT_TRUE(belt.surface_velocity);
  EXPECT_NEAR(belt.surface_velocity(0).x, 0.7, 1e-12);
  EXPECT_NEAR(belt.surface_velocity(0.5).x, -0.7, 1e-12);  // at 1 Hz
  EXPECT_NEAR(belt.surface_velocity(0.25).x, 0, 1e-12);
}

TEST(FourBar, StartsClosedAtEveryAngle) {
  for (const double angle : {0.0, 60.0, 135.0, 180.0, 250.0, 359.0}) {
    const auto model = compile(make_scene("four_bar", {{"angle", angle}, {"speed", 7}}));
    EXPECT_EQ(model->trees.size(), 2U);
    const ClosureError error = calc_closure_error(*model);
    EXPECT_LT(error.position, 1e-12) << angle;
    EXPECT_LT(error.rate, 1e-12) << angle;
  }
}

TEST(ClosedChain, StartsClosed) {
  for (const double free_links : {0.0, 1.0}) {
    for (const double bend : {90.0, 180.0, 360.0}) {
      for (const double links : {2.0, 3.0, 10.0}) {
        const auto model = compile(make_scene(
            "closed_chain", {{"free_links", free_links}, {"bend", bend}, {"links", links}}));
        EXPECT_EQ(model->trees.size(), free_links == 0 ? 1U : static_cast<std::size_t>(links));
        EXPECT_EQ(model->constraints.size(), free_links == 0 ? 1U : model->trees.size() + 1);
        const ClosureError error = calc_closure_error(*model);
        EXPECT_LT(error.position, 1e-12) << links << ", " << bend;
        EXPECT_LT(error.rate, 1e-12) << links << ", " << bend;
      }
    }
    // No link touches another at the start.
    EXPECT_GT(
        calc_least_distance(*compile(make_scene("closed_chain", {{"free_links", free_links}}))),
        0.01);
  }
}

TEST(ControlledScenes, StartWithoutOverlap) {
  const auto least = [](const std::string& name, const SceneParameters& parameters = {}) {
    return calc_least_distance(*compile(make_scene(name, parameters)));
  };
  EXPECT_NEAR(least("franka"), 0, 1e-12);  // the fingers touch the box
  EXPECT_NEAR(least("suction_gripper"), 0.01, 1e-12);
  EXPECT_NEAR(least("suction_gripper", {{"rows", 3}, {"gap", 4e-3}}), 4e-3, 1e-12);
  EXPECT_NEAR(least("quadruped"), 0.05, 1e-12);
}

TEST(Franka, HandPointsDown) {
  const auto model = compile(make_scene("franka"));
  Kinematics kin;
  kin.resize(*model);
  update_positions(*model, model->q0, &kin);
  for (const Body& body : model->bodies) {
    if (body.name != "hand" && body.name != "box") continue;
    EXPECT_NEAR(kin.X_WB[body.link].R(2, 2), -1, 1e-12) << body.name;
  }
  EXPECT_NEAR(model->total_mass, 16.06 + 0.73 + 2 * 0.1 + 0.411, 0.01);
}

TEST(Errors, UnknownNamesAreExplained) {
  std::string message = message_of([] {
    make_scene("hard_cluter");
  });
  EXPECT_NE(message.find("did you mean 'hard_clutter'?"), std::string::npos) << message;
  EXPECT_NE(message.find("double_pendulum"), std::string::npos) << message;
  message = message_of([] {
    make_scene("clutter", {{"cuont", 3}});
  });
  EXPECT_NE(message.find("did you mean 'count'?"), std::string::npos) << message;
  message = message_of([] {
    make_scene("zzzzzzzzzzzz");
  });
  EXPECT_EQ(message.find("did you mean"), std::string::npos) << message;
  EXPECT_NE(message.find("known: "), std::string::npos) << message;
}

TEST(Errors, BadValuesAreNamed) {
  for (const double count : {0.0, -3.0, 2.5, 1e9}) {
    EXPECT_NE(message_of([&] {
                make_scene("clutter", {{"count", count}});
              }).find("'count'"),
              std::string::npos)
        << count;
  }
  EXPECT_NE(message_of([] {
              make_scene("bouncing_ball", {{"mass", 0}});
            }).find("positive"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              make_scene("sliding_block", {{"mu_dynamic", 0.9}});
            }).find("between"),
            std::string::npos);
}

}  // namespace
}  // namespace cenic
