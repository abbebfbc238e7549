// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Bodies that move under hydroelastic contact, against closed forms: rest, vibration, bounce,
// energy, spin; and the paper's scenes.
#include <cmath>
#include <filesystem>
#include <numbers>

#include <gtest/gtest.h>

#include "geometry/solid_mesh.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kPi = std::numbers::pi, kGravity = 9.81;

struct Surface {
  double modulus = 1e7, dissipation = 0, mu = 0;
};

GeometrySpec make_soft(const Shape& shape, double mass, const Surface& surface) {
  GeometrySpec g = make_test_geometry("body", shape);
  g.density = mass / calc_unit_density_inertia(shape).mass;
  g.hydroelastic = {.compliance = Compliance::kCompliant, .modulus = surface.modulus};
  g.material.dissipation = surface.dissipation;
  g.material.static_friction = g.material.dynamic_friction = surface.mu;
  return g;
}

// A body over a rigid floor, its origin at z.
ModelSpec make_world(const Shape& shape, double mass, double z, const Surface& surface,
                     const std::vector<double>& velocity = {}) {
  ModelSpec spec;
  GeometrySpec floor = make_test_geometry("floor", make_half_space());
  floor.hydroelastic.compliance = Compliance::kRigid;
  floor.material.static_friction = floor.material.dynamic_friction = surface.mu;
  spec.world_geometries = {floor};
  spec.bodies = {make_free_body("body", make_soft(shape, mass, surface), {0, 0, z}, velocity)};
  return spec;
}

double height(const Simulator& sim) { return sim.state().q[6]; }

// D1. F(d) = (E/H)(Lx Ly d − (Lx + Ly) d² + 4d³/3) carries the weight; about it the box vibrates at
// ω² = F'(d)/m.
TEST(Hydroelastic, BoxRestsAndVibrates) {
  const Vec3 half{0.1, 0.075, 0.04};
  const double mass = 2.4, E = 1e6, H = 0.04, Lx = 0.2, Ly = 0.15;
  const auto force = [&](double d) {
    return E / H * (Lx * Ly * d - (Lx + Ly) * d * d + 4 * d * d * d / 3);
  };
  const auto slope = [&](double d) {
    return E / H * (Lx - 2 * d) * (Ly - 2 * d);
  };
  double depth = mass * kGravity * H / (E * Lx * Ly);
  for (int i = 0; i < 20; ++i) {
    depth -= (force(depth) - mass * kGravity) / slope(depth);
  }
  {
    Simulator sim = make_simulator(
        make_world(make_box(half), mass, half.z, {.modulus = E, .dissipation = 50}), 1e-6);
    sim.advance_to(2);
    EXPECT_NEAR(half.z - height(sim), depth, 1e-4 * depth);
  }
  const double amplitude = 0.1 * depth, omega = std::sqrt(slope(depth) / mass);
  Simulator sim = make_simulator(
      make_world(make_box(half), mass, half.z - depth + amplitude, {E, 0, 0}), 1e-10);
  for (const double cycles : {0.25, 1.0, 2.5}) {
    const double t = 2 * kPi * cycles / omega;
    sim.advance_to(t);
    EXPECT_NEAR((height(sim) - half.z + depth) / amplitude, std::cos(omega * t), 2e-3);
  }
}

// D2. The energy of a bounce: nothing is lost as the accuracy tightens, and with fixed steps the
// error falls with the order of the scheme.
TEST(Hydroelastic, BouncesKeepTheirEnergy) {
  for (const bool tilted : {false, true}) {
    // A ball in closed form; a box that lands on an edge, on its cells.
    ModelSpec spec = tilted ? make_world(make_box({0.05, 0.08, 0.03}), 1, 0.15, {1e6, 0, 0})
                            : make_world(make_sphere(0.05), 1, 0.15, {1e6, 0, 0});
    if (tilted) spec.bodies[0].X_PB.R = RigidTransform::rotation({0.4, 0.3, 0}).R;
    double before = INFINITY;
    for (const double accuracy : {1e-4, 1e-6, 1e-8, 1e-10}) {
      Simulator sim = make_simulator(spec, accuracy);
      const double start = sim.calc_energy();
      sim.advance_to(0.4);
      const double error = std::abs(sim.calc_energy() - start) / start;
      EXPECT_LT(error, 0.5 * before) << tilted << " " << accuracy;
      before = error;
    }
    EXPECT_LT(before, 1e-5) << tilted;
  }
}

// The trapezoid does better than its order here: the force of a ball rises smoothly.
TEST(Hydroelastic, EnergyErrorFallsWithTheOrderOfTheScheme) {
  const std::vector<double> steps{4e-4, 2e-4, 1e-4, 5e-5};
  for (const auto& [integrator, least_order] :
       {std::pair{"cenic-paper", 0.8}, {"cenic-trapezoid", 1.8}}) {
    std::vector<double> errors;
    for (const double h : steps) {
      double sum = 0;
      for (int i = 0; i < 12; ++i) {
        const double z = 0.1 + 0.05 * i / 12;
        Simulator sim =
            make_fixed_step(make_world(make_sphere(0.05), 1, z, {1e5, 0, 0}), h, integrator);
        const double start = sim.calc_energy();
        sim.advance_to(0.3);
        const double error = sim.calc_energy() / start - 1;
        sum += error * error;
      }
      errors.push_back(std::sqrt(sum));
    }
    EXPECT_GT(fit_order(steps, errors), least_order) << integrator;
  }
}

// D3. Depths at rest of 1 kg.
TEST(Hydroelastic, RestDepths) {
  for (const double E : {1e6, 1e7}) {
    const Surface surface{E, 20, 0.5};
    const double R = 0.05;
    Simulator ball = make_simulator(make_world(make_sphere(R), 1, R, surface), 1e-6);
    ball.advance_to(1.5);
    // π E d² (1 − 2d/(3R)) = m g
    const double d = R - height(ball);
    EXPECT_NEAR(kPi * E * d * d * (1 - 2 * d / (3 * R)) / kGravity, 1, 1e-3);
    EXPECT_NEAR(d / std::sqrt(kGravity / (kPi * E)), 1, 0.02);
    Simulator drum = make_simulator(make_world(make_cylinder(R, R), 1, R, surface), 1e-6);
    drum.advance_to(1.5);
    EXPECT_NEAR((R - height(drum)) / (kGravity / (kPi * E * R)), 1, 5e-3);
  }
}

// D5. A disc that spins down: torque 2/3 μ N R of a uniform pressure, by three points at the radius
// of gyration R/√2, 6 % more. A ball's patch: 8/15 μ N a, by a ring at 0.55 a, 3 % more.
TEST(Hydroelastic, SpinningDown) {
  const double mass = 1, mu = 0.3, spin = 5, t = 0.1;
  {
    const double R = 0.1, half = 0.02, E = 1e7;
    const double depth = mass * kGravity * half / (E * kPi * R * R);
    Simulator sim = make_simulator(
        make_world(make_cylinder(R, half), mass, half - depth, {E, 0, mu}, {0, 0, spin, 0, 0, 0}),
        1e-6);
    sim.advance_to(t);
    const double inertia = 0.5 * mass * R * R;
    const double torque = inertia * (spin - sim.state().v[2]) / t;
    EXPECT_NEAR(torque / (2.0 / 3 * mu * mass * kGravity * R), 1.06, 0.01);
  }
  const double R = 0.05, E = 1e5;
  const double depth = std::sqrt(mass * kGravity / (kPi * E)) * 1.04;
  Simulator sim = make_simulator(
      make_world(make_sphere(R), mass, R - depth, {E, 10, mu}, {0, 0, 50, 0, 0, 0}), 1e-6);
  sim.advance_to(0.05);
  const double w = sim.state().v[2];
  sim.advance_to(0.05 + t);
  const double d = R - height(sim), a = std::sqrt(d * (2 * R - d));
  const double torque = 0.4 * mass * R * R * (w - sim.state().v[2]) / t;
  EXPECT_NEAR(torque / (8.0 / 15 * mu * mass * kGravity * a), 0.55 / (8.0 / 15), 0.03);
}

// D6. At large fixed steps a cube and a stack come to rest and stay: no rattling.
TEST(Hydroelastic, NoRattlingAtLargeSteps) {
  for (const double step : {0.01, 0.05}) {
    ModelSpec spec = make_scene("box_stack");
    for (BodySpec& body : spec.bodies) {
      body.geometries[0].hydroelastic.compliance = Compliance::kCompliant;
    }
    spec.world_geometries[0].hydroelastic.compliance = Compliance::kRigid;
    Simulator sim = make_fixed_step(spec, step);
    sim.advance_to(2);
    for (const double v : sim.state().v) {
      EXPECT_LT(std::abs(v), 1e-6) << step;
    }
  }
}

// D7. Hunt & Crossley: nothing leaves faster than 1/d.
TEST(Hydroelastic, DissipationBoundsTheBounce) {
  const double d = 2;
  for (const Shape& shape : {make_sphere(0.05), make_box({0.05, 0.05, 0.05})}) {
    Simulator sim = make_simulator(make_world(shape, 1, 0.3, {1e7, d, 0}), 1e-6);
    double fastest = 0;
    sim.set_monitor([&](const StepEvent& event) {
      fastest = std::max(fastest, event.after.v[5]);
    });
    sim.advance_to(1);
    EXPECT_GT(fastest, 0.2);
    EXPECT_LT(fastest, 1 / d);
  }
}

// D4. The peg stays where the impact has left it, and its fingers hold it with steady forces.
TEST(Hydroelastic, StaticGripperHoldsItsPeg) {
  Simulator sim = make_simulator(make_scene("static_gripper"), 1e-3);
  const auto slip = [&] {
    return sim.state().q[7] - sim.state().q[0];
  };
  const double start = slip();
  sim.advance_to(0.3);
  const double after = slip();
  EXPECT_LT(std::abs(after - start), 5e-3);
  double before = 0, largest_jump = 0;
  for (int i = 1; i <= 100; ++i) {
    sim.advance_to(0.3 + 0.1 * i);
    double force = 0;
    for (const ContactReport& c : sim.contacts()) {
      if (c.point.link_a >= 0 && c.point.link_b >= 0) {
        force += std::abs(dot(c.force_B_W, c.point.nhat_AB_W));
      }
    }
    if (i > 1) largest_jump = std::max(largest_jump, std::abs(force - before) / before);
    before = force;
  }
  // Overlap 5 µm a side: p = E d/(2H) on 1 cm², both sides.
  EXPECT_NEAR(before, 2 * 1e7 * 5e-6 / 5e-3 / 2 * 1e-4 * 1, 0.02);
  EXPECT_LT(largest_jump, 0.05);
  EXPECT_LT(std::abs(slip() - after), 1e-4);
}

TEST(Hydroelastic, CylinderLandsOnItsEnd) {
  Simulator sim = make_simulator(make_scene("cylinder"), 1e-3);
  sim.advance_to(5);
  const Vec3 axis =
      to_matrix({sim.state().q[0], sim.state().q[1], sim.state().q[2], sim.state().q[3]}).column(2);
  EXPECT_NEAR(axis.z, 1, 1e-6);
  const double depth = 6.3 * kGravity * 0.1 / (1e7 * kPi * 0.01);
  EXPECT_NEAR(0.1 - height(sim), depth, 0.02 * depth);
}

// A mesh with a hole rests on its true shape; its energy goes to what the floor left of it.
TEST(Hydroelastic, MeshRests) {
  Simulator sim = make_simulator(make_scene("hydro_mesh"), 1e-3);
  sim.advance_to(3);
  for (const double v : sim.state().v) {
    EXPECT_LT(std::abs(v), 1e-3);
  }
  EXPECT_LT(sim.calc_penetration(), 1e-3);
  // Lying flat: the tube's lowest points carry it.
  EXPECT_NEAR(height(sim), 0.0275, 1.5e-3);
}

// Real meshes, when they are there: a closed surface by its shell, and tetrahedra.
TEST(Hydroelastic, BunniesRest) {
  for (const char* name :
       {"bunny/coarse_5k/bunny_closed_1000.obj", "bunny/medium_7k/bunny_tets.vtk"}) {
    const std::string path = std::string(CENIC_SHARED_MODELS) + "/" + name;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path;
    Simulator sim = make_simulator(make_scene("hydro_mesh", {}, 1, {{"mesh", path}}), 1e-3);
    sim.advance_to(4);
    for (const double v : sim.state().v) {
      EXPECT_LT(std::abs(v), 2e-2) << name;
    }
    EXPECT_LT(sim.calc_penetration(), 0.02) << name;
  }
}

// Without friction and dissipation any quadrature that has the wrench gives the same motion.
TEST(Hydroelastic, QuadraturesAgree) {
  const auto run = [](SurfaceQuadrature quadrature) {
    IntegratorOptions options;
    options.accuracy = 1e-9;
    options.quadrature = quadrature;
    ModelSpec spec = make_world(make_box({0.05, 0.08, 0.03}), 1, 0.1, {1e6, 0, 0});
    spec.bodies[0].X_PB.R = RigidTransform::rotation({0.02, 0.01, 0}).R;
    Simulator sim(compile(spec), options);
    sim.advance_to(0.2);
    return sim.state().q;
  };
  const std::vector<double> a = run(SurfaceQuadrature::kReduced),
                            b = run(SurfaceQuadrature::kPolygons);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 5e-5);
  }
}

// A thin plate given as a mesh stops fast things, however loose the accuracy: steps end where its
// field is.
TEST(Hydroelastic, NothingPassesThroughAThinMesh) {
  TriangleMesh plate;
  const Vec3 half{0.2, 0.2, 0.005};
  for (int i = 0; i < 8; ++i) {
    plate.vertices.push_back({(i & 4) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                              (i & 1) != 0 ? half.z : -half.z});
  }
  plate.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
  for (const double accuracy : {1e-1, 1e-3}) {
    ModelSpec spec = make_world(make_sphere(0.03), 0.1, 1.0, {1e7, 20, 0.5}, {0, 0, 0, 0, 0, -8});
    GeometrySpec mesh = make_test_geometry("plate", make_mesh(make_solid_mesh(plate, nullptr)));
    mesh.hydroelastic = {.compliance = Compliance::kCompliant, .modulus = 1e8};
    mesh.X_BG.p.z = 0.3;
    spec.world_geometries.push_back(mesh);
    Simulator sim = make_simulator(spec, accuracy);
    sim.advance_to(0.5);
    EXPECT_GT(height(sim), 0.3) << accuracy;
  }
}

// Point contact is the net: a ball that starts wholly under a plane, or inside a box, comes out.
TEST(Hydroelastic, DeepOverlapComesApart) {
  ModelSpec spec = make_world(make_box({0.05, 0.05, 0.05}), 1, -0.2, {1e7, 10, 0.5});
  Simulator sim = make_simulator(spec, 1e-3);
  sim.advance_to(3);
  EXPECT_GT(height(sim), 0.04);
}

}  // namespace
}  // namespace cenic
