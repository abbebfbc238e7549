// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Hydroelastic contact: the time of warm queries of resting pairs, from poses to contact points,
// and hard clutter of cubes against the same with point contact.
//   bench_hydroelastic [seeds] [repeats]
#include <chrono>
#include <cstdlib>

#include <fmt/core.h>

#include "benchmarks/runs.h"
#include "core/phase_timer.h"
#include "dynamics/surface_contacts.h"
#include "model/contact_model.h"
#include "tests/allocation_counter.h"

namespace {

using namespace cenic;  // NOLINT(google-build-using-namespace): a program, not a library

struct Case {
  const char* name;
  Shape A, B;
  Compliance compliance_B;
  RigidTransform X_AB;
  double resolution = 0;
};

std::vector<Case> make_cases() {
  const Shape half_space = make_half_space(), box = make_box({0.1, 0.075, 0.04});
  const auto turned = [](const Vec3& turn, const Vec3& p) {
    return RigidTransform{RigidTransform::rotation(turn).R, p};
  };
  // Balls of different semi-axes, which have no closed form, stand for meshes of tetrahedra.
  const Shape ball = make_ellipsoid({0.05, 0.0501, 0.0502});
  constexpr Compliance kRigid = Compliance::kRigid, kCompliant = Compliance::kCompliant;
  return {
      {"box on plane", box, half_space, kRigid, {Mat3::identity(), {0, 0, -0.0399}}},
      {"cylinder, 32 sides, on plane",
       make_cylinder(0.1, 0.1),
       half_space,
       kRigid,
       {Mat3::identity(), {0, 0, -0.0999}}},
      {"box on box", box, box, kCompliant, turned({0, 0, 0.3}, {0.03, 0.02, -0.0799})},
      {"box on compliant plane", box, half_space, kCompliant, {Mat3::identity(), {0, 0, -0.0399}}},
      {"box on rigid box", box, box, kRigid, turned({0, 0, 0.3}, {0.03, 0.02, -0.0799})},
      {"sphere on edge of box",
       box,
       make_sphere(0.05),
       kCompliant,
       {Mat3::identity(), {0.1, 0, 0.0895}}},
      {"capsule on plane", make_capsule(0.05, 0.1), half_space, kRigid,
       turned({1.5, 0, 0}, {0, 0.02, -0.0495})},
      {"ball on ball, 512 x 512 tetrahedra", ball, ball, kCompliant,
       turned({0.3, 0.2, 0.1}, {0.01, 0.02, 0.0965}), 0.03},
      {"ball on ball, 2048 x 2048 tetrahedra", ball, ball, kCompliant,
       turned({0.3, 0.2, 0.1}, {0.01, 0.02, 0.0965})},
  };
}

Geometry make_geometry(const Shape& shape, Compliance compliance, double resolution) {
  Geometry g;
  g.shape = shape;
  g.field = make_pressure_field(
      shape, {.compliance = compliance, .resolution = resolution, .slab_thickness = 0.1}, nullptr);
  return g;
}

void print_queries() {
  fmt::print(
      "Warm queries of resting pairs, best of many:\n\n"
      "| pair | µs | candidates | polygons | points | allocations |\n|---|---|---|---|---|---|\n");
  for (const Case& c : make_cases()) {
    const Geometry A = make_geometry(c.A, Compliance::kCompliant, c.resolution);
    const Geometry B = make_geometry(c.B, c.compliance_B, c.resolution);
    SurfaceContacts contacts;
    constexpr int kQueries = 200, kRepeats = 200;
    double best = INFINITY;
    long allocations = 0;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      if (repeat == 1) contacts.take_counters();
      const long before = test::num_allocations;
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < kQueries; ++i) {
        // Never the same pose twice running.
        RigidTransform X_WB = c.X_AB;
        X_WB.p += (i % 2 == 0 ? 1e-7 : -1e-7) * Vec3{1, 1, 1};
        contacts.find({0, A, {}}, {1, B, X_WB}, {}, SurfaceQuadrature::kReduced);
      }
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
      best = std::min(best, time.count() / kQueries);
      if (repeat > 0) allocations += test::num_allocations - before;
    }
    const SurfaceCounters n = contacts.take_counters();
    const auto mean = [&](std::uint64_t count) {
      return static_cast<double>(count) / (kQueries * (kRepeats - 1));
    };
    fmt::print("| {} | {:.2f} | {:.0f} | {:.0f} | {:.0f} | {} |\n", c.name, 1e6 * best,
               mean(n.candidates), mean(n.polygons), mean(n.points), allocations);
    std::fflush(stdout);
  }
}

struct ClutterCosts {
  double time = 0, geometry = 0, contacts = 0, steps = 0;
};

// The best of several runs by the time of the processor: with one thread that is the wall time of
// an idle machine.
ClutterCosts run_clutter(ContactModel contact, int seed, int repeats) {
  ModelSpec spec = make_scene("hard_clutter", {{"cubes", 1.0}}, static_cast<std::uint64_t>(seed));
  set_contact_model(&spec, contact, {});
  const auto model = compile(spec);
  ClutterCosts best{.time = INFINITY, .geometry = INFINITY};
  for (int i = 0; i < repeats; ++i) {
    const double start = read_processor_time();
    const Statistics s = run_best_of(model, {.accuracy = 1e-3}, 10, 1).statistics;
    best.time = std::min(best.time, read_processor_time() - start);
    best.geometry = std::min(best.geometry, ticks_to_seconds(s.phases[Phase::kGeometry]));
    best.contacts = s.contacts_mean();
    best.steps = static_cast<double>(s.steps);
  }
  return best;
}

// Piles are chaotic: the steps of a seed scatter by a tenth, so it takes many seeds.
void print_clutter(int seeds, int repeats) {
  fmt::print(
      "\nHard clutter of cubes, 10 s at accuracy 1e-3, mean of {} seeds, best of {}, processor "
      "time:\n\n"
      "| contact | ms | of which geometry | against point contact | contacts | steps |\n"
      "|---|---|---|---|---|---|\n",
      seeds, repeats);
  double time_of_points = 0;
  for (const ContactModel contact : {ContactModel::kPoint, ContactModel::kHydroelastic}) {
    ClutterCosts mean;
    for (int seed = 1; seed <= seeds; ++seed) {
      const ClutterCosts run = run_clutter(contact, seed, repeats);
      mean.time += run.time / seeds;
      mean.geometry += run.geometry / seeds;
      mean.contacts += run.contacts / seeds;
      mean.steps += run.steps / seeds;
    }
    if (contact == ContactModel::kPoint) time_of_points = mean.time;
    fmt::print("| {} | {:.1f} | {:.1f} | {:.2f} | {:.0f} | {:.0f} |\n",
               contact == ContactModel::kPoint ? "point" : "hydroelastic", 1e3 * mean.time,
               1e3 * mean.geometry, mean.time / time_of_points, mean.contacts, mean.steps);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  print_queries();
  const int seeds = argc > 1 ? std::atoi(argv[1]) : 32, repeats = argc > 2 ? std::atoi(argv[2]) : 4;
  if (seeds > 0) print_clutter(seeds, repeats);
  return 0;
}
