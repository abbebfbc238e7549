// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Transmissions in closed form. tests/loaders/data/tendons.xml and medium.xml compare them with
// MuJoCo.
#include <cmath>
#include <numbers>

#include "systems/library_worlds.h"

namespace cenic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double force_at(const TransmissionSpringParameters& parameters, double q, double v) {
  ModelSpec spec = make_slider(1, {.axis = {1, 0, 0}});
  spec.systems = {make_system<TransmissionSpring>("spring", parameters)};
  Evaluation e(spec);
  e.state.q[0] = q;
  e.state.v[0] = v;
  return e.forces()[0];
}

TEST(TransmissionSpring, IsSlackInItsRange) {
  const TransmissionSpringParameters p{.transmission = {.joints = {{"rail", 2}}},
                                       .stiffness = 10,
                                       .slack_lower = -1,
                                       .slack_upper = 3};
  EXPECT_DOUBLE_EQ(force_at(p, 0.5, 1), 0);
  EXPECT_DOUBLE_EQ(force_at(p, 2, 1), -2 * 10 * (4 - 3));
  EXPECT_DOUBLE_EQ(force_at(p, -1, 1), 2 * 10 * 1);
}

TEST(TransmissionSpring, LimitsPushBackAlone) {
  const TransmissionSpringParameters p{.transmission = {.joints = {{"rail", 1}}},
                                       .upper = 1,
                                       .limit_stiffness = 100,
                                       .limit_damping = 5};
  EXPECT_DOUBLE_EQ(force_at(p, 0.9, 100), 0);
  EXPECT_DOUBLE_EQ(force_at(p, 1.1, 2), -10 - 10);
  EXPECT_NEAR(force_at(p, 1.1, -1), -10 + 5, 1e-12);
  EXPECT_DOUBLE_EQ(force_at(p, 1.1, -3), 0);  // it does not hold back what returns
}

// Virtual work: the force on each velocity is f ∂l/∂q, for a path through three bodies and pulleys.
TEST(Transmission, DoesTheWorkOfItsLength) {
  Transmission path;
  path.branches = {
      {.points = {{"world", {0.3, 0.2, 1.5}}, {"upper", {0.1, 0.1, 0}}, {"lower", {0.2, 0, 0.1}}}},
      {.points = {{"lower", {0.4, 0, 0}}, {"ball", {0, 0, 0.1}}}, .divisor = 2}};
  ModelSpec spec = make_arm_and_ball();
  const double k = 7;
  spec.systems = {make_system<TransmissionSpring>(
      "spring", TransmissionSpringParameters{.transmission = path, .stiffness = k})};
  Evaluation e(spec);
  e.state = make_state(*e.model, {0.4, -0.7}, {});
  const auto energy = [&](const State& state) {  // of a spring with rest length zero
    const Kinematics kin = calc_kinematics(*e.model, state);
    const auto point = [&](const PathPoint& p) {
      for (const Body& body : e.model->bodies) {
        if (body.name == p.body) return kin.X_WB[body.link] * p.p_B;
      }
      return p.p_B;
    };
    double l = 0;
    for (const PathBranch& branch : path.branches) {
      for (std::size_t i = 0; i + 1 < branch.points.size(); ++i) {
        l += norm(point(branch.points[i + 1]) - point(branch.points[i])) / branch.divisor;
      }
    }
    return 0.5 * k * l * l;
  };
  const std::vector<double> tau = e.forces();
  const double h = 1e-6;
  for (int i = 0; i < e.model->nv; ++i) {
    State ahead = e.state, behind = e.state;
    std::vector<double> v(e.model->nv, 0.0);
    v[i] = 1;
    integrate_positions(*e.model, e.state.q, v, h, RotationUpdate::kExponential, ahead.q);
    integrate_positions(*e.model, e.state.q, v, -h, RotationUpdate::kExponential, behind.q);
    EXPECT_NEAR(tau[i], -(energy(ahead) - energy(behind)) / (2 * h), 1e-6);
  }
}

TEST(Wrapping, HasTheLengthOfTangentsAndArc) {
  const double arc = std::numbers::pi / 3, tangent = std::sqrt(3.0);
  for (const bool cylinder : {false, true}) {
    // Tangents from two radii away touch at 60 degrees; the arc between them is 60 degrees.
    for (const double side : {5.0, -5.0}) {
      const auto wrap = calc_wrap({.radius = 1, .cylinder = cylinder, .side_G = Vec3{side, 0, 0}},
                                  {0, -2, 0}, {0, 2, 1e-9});
      ASSERT_TRUE(wrap.has_value());
      EXPECT_NEAR(wrap->length, arc, 1e-8);
      EXPECT_NEAR(norm(wrap->a_G - Vec3{0, -2, 0}), tangent, 1e-8);
      EXPECT_GT(wrap->a_G.x * side, 0);
    }
    EXPECT_FALSE(calc_wrap({.radius = 1, .cylinder = cylinder}, {1.1, -2, 0}, {1.1, 2, 0}));
    EXPECT_FALSE(calc_wrap({.radius = 1, .cylinder = cylinder}, {0.5, 0, 0}, {3, 0, 0}));
    EXPECT_TRUE(calc_wrap({.radius = 1, .cylinder = cylinder}, {0.9, -2, 0}, {0.9, 2, 0}));
  }
  // Up a cylinder the string is a straight line on the unrolled surface.
  const auto helix = calc_wrap({.radius = 1, .cylinder = true}, {0.1, -2, 0}, {0.1, 2, 3});
  ASSERT_TRUE(helix.has_value());
  const Vec3 before = helix->a_G - Vec3{0.1, -2, 0}, after = Vec3{0.1, 2, 3} - helix->b_G;
  EXPECT_NEAR(before.z / norm(before), after.z / norm(after), 1e-12);
  EXPECT_NEAR(before.z / norm(before), (helix->b_G.z - helix->a_G.z) / helix->length, 1e-12);
}

// Through a ring: straight where that crosses it, else by the shortest way that touches it, which
// meets the ring at equal angles.
TEST(Wrapping, GoesThroughWhatIsInside) {
  for (const bool cylinder : {false, true}) {
    const WrapObstacle ring{.radius = 1, .cylinder = cylinder, .inside = true};
    EXPECT_FALSE(calc_wrap(ring, {2, 0.5, 0}, {-2, 0.5, 0}));
    const auto middle = calc_wrap(ring, {2, 2, 0}, {-2, 2, 0});
    ASSERT_TRUE(middle.has_value());
    EXPECT_LT(norm(middle->a_G - Vec3{0, 1, 0}), 1e-12);
    EXPECT_LT(norm(middle->b_G - middle->a_G), 1e-12);
    EXPECT_EQ(middle->length, 0);
    const Vec3 from{3, 1.5, 0}, to{-1, 2, 0};
    const auto touch = calc_wrap(ring, from, to);
    ASSERT_TRUE(touch.has_value());
    const Vec3 p = touch->a_G;
    EXPECT_NEAR(norm(p), 1, 1e-12);
    EXPECT_NEAR(dot(normalized(from - p), p), dot(normalized(to - p), p), 1e-12);
  }
  // Along the cylinder the string is straight where it is unrolled.
  const auto slanted =
      calc_wrap({.radius = 1, .cylinder = true, .inside = true}, {2, 2, 0}, {-2, 2, 4});
  ASSERT_TRUE(slanted.has_value());
  EXPECT_LT(norm(slanted->a_G - Vec3{0, 1, 2}), 1e-12);
}

TEST(Transmission, ForceStaysInItsRange) {
  for (const double ctrl : {-5.0, 0.5, 5.0}) {
    ModelSpec spec = make_arm_and_ball();
    Transmission thruster;
    thruster.wrench = {{.body = "ball", .w = {{0, 0, 2}, {1, 0, 0}}}};
    spec.systems = {make_system<TransmissionActuator>(
                        "thruster",
                        TransmissionActuatorParameters{
                            .transmission = thruster, .force_min = -1, .force_max = 2}),
                    make_system<ConstantSignal>("ctrl", std::vector{ctrl})};
    spec.wires = {{"ctrl", "thruster"}};
    Evaluation e(spec);
    const std::vector<double> tau = e.forces();
    const double force = std::clamp(ctrl, -1.0, 2.0);
    EXPECT_NEAR(tau[2 + 2], 2 * force, 1e-12);
    EXPECT_NEAR(tau[2 + 3], force, 1e-12);
  }
}

TEST(Transmission, IsOfOneKind) {
  ModelSpec spec = make_slider(1, {.axis = {1, 0, 0}});
  spec.systems = {
      make_system<TransmissionSpring>("spring", TransmissionSpringParameters{.upper = kInfinity})};
  EXPECT_THROW(compile(spec), Error);
}

TEST(Medium, BoxHasTheInertiaOfTheBody) {
  // A box of half sizes (1, 2, 3) and mass 6, turned.
  const Mat3 R = to_matrix(exp_map({0.3, -0.2, 0.5}));
  const Mat3 I = R * Mat3::diagonal({2 * (4 + 9), 2 * (1 + 9), 2 * (1 + 4)}) * transpose(R);
  MediumParameters p;
  set_inertia_box(6, {0.1, 0.2, 0.3}, I, &p);
  std::array<double, 3> r{p.half_sizes.x, p.half_sizes.y, p.half_sizes.z};
  std::ranges::sort(r);
  EXPECT_NEAR(r[0], 1, 1e-9);
  EXPECT_NEAR(r[1], 2, 1e-9);
  EXPECT_NEAR(r[2], 3, 1e-9);
  EXPECT_NEAR(determinant(p.X_BI.R), 1, 1e-12);
}

}  // namespace
}  // namespace cenic
