// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What holds for any two solids: Newton's third law, independence of frames, tilings and history,
// continuity, and sane results at poses where nothing is in general position.
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "geometry/hydroelastic/contact_surface.h"
#include "geometry/hydroelastic/overlap_energy.h"
#include "geometry/hydroelastic_samples.h"

namespace cenic {
namespace {

using test::calc_wrench;
using test::find_polygons;
using test::kModulus;
using test::make_compliant;
using test::make_rigid;
using test::Wrench;

constexpr double kPi = std::numbers::pi;

// All kinds, with faces at 0.05 m or so along their axes.
std::vector<Shape> make_shapes() {
  std::vector<Vec3> octahedron;
  for (const double s : {0.05, -0.05}) {
    octahedron.insert(octahedron.end(), {{s, 0, 0}, {0, s, 0}, {0, 0, s}});
  }
  return {make_sphere(0.05),
          make_box({0.05, 0.04, 0.05}),
          make_box({0.05, 0.05, 0.05}),
          make_box({0.04, 0.05, 0.002}),
          make_cylinder(0.05, 0.03),
          make_cylinder(0.05, 0.05),
          make_cylinder(0.03, 0.05),
          make_capsule(0.03, 0.02),
          make_ellipsoid({0.05, 0.04, 0.03}),
          make_convex(std::make_shared<ConvexHull>(make_convex_hull(octahedron))),
          make_half_space()};
}

struct Solid {
  Shape shape;
  test::FieldPtr field;
  std::string name;
};
std::vector<Solid> make_solids(double resolution) {
  std::vector<Solid> solids;
  for (const Shape& shape : make_shapes()) {
    const std::string kind = to_string(shape.kind);
    solids.push_back({shape, make_compliant(shape, kModulus, resolution), "compliant " + kind});
    solids.push_back({shape, make_rigid(shape, resolution), "rigid " + kind});
  }
  return solids;
}
bool is_rigid(const Solid& solid) { return solid.field->compliance == Compliance::kRigid; }
bool may_meet(const Solid& M, const Solid& N) {
  if (is_rigid(M) || (M.field->half_space && N.field->half_space)) return false;
  return !M.field->half_space || is_rigid(N);
}

// Poses at which faces, edges and vertices coincide, nearly, or at a great distance from the
// origin.
std::vector<RigidTransform> make_awkward_poses() {
  std::vector<RigidTransform> poses;
  const std::vector<Vec3> turns = {{},          {kPi / 2, 0, 0}, {0, 0, kPi / 4}, {0, kPi / 4, 0},
                                   {kPi, 0, 0}, {1e-9, 0, 0},    {0, 1e-7, 1e-9}, {0.3, 0.2, 0.5}};
  const std::vector<Vec3> shifts = {{},
                                    {0, 0, -0.1},
                                    {0, 0, -0.1 + 1e-9},
                                    {0, 0, -0.1 - 1e-9},
                                    {0, 0, -0.05},
                                    {0.1, 0, -0.1},
                                    {0.05, 0.05, -0.08},
                                    {0, 0, -0.0999},
                                    {0.02, 0.01, -0.08},
                                    {1e-9, 0, 0},
                                    {0.1, 0.1, 0.1},
                                    {0, 0, 1e-9},
                                    {1e-4, 0, -0.0998},
                                    {0, 0.09, 0}};
  const RigidTransform far{RigidTransform::rotation({1, 2, 3}).R, {1e3, -2e3, 1.5e3}};
  for (const Vec3& turn : turns) {
    for (const Vec3& shift : shifts) {
      RigidTransform X = RigidTransform::rotation(turn);
      X.p = shift;
      poses.push_back(X);
      if (&turn == &turns[0] || &turn == &turns[7]) poses.push_back(inverse(far) * (far * X));
    }
  }
  return poses;
}

// A pose of N at which the shapes overlap by some millimetres.
RigidTransform random_overlap(const Shape& M, const Shape& N, test::Random* random) {
  while (true) {
    const RigidTransform X_MN = random->pose(0.1);
    Manifold manifold;
    calc_manifold(M, {}, N, X_MN, {}, &manifold);
    const double depth = -test::least_phi(manifold);
    if (depth > 0.004 && depth < 0.02) return X_MN;
  }
}

// S1. However a solid is tiled, its field is the same, and with it force, torque and energy.
TEST(ContactSurface, TetrahedraAndCellsAgree) {
  test::Random random(41);
  const std::vector<Shape> shapes = {
      make_box({0.05, 0.04, 0.03}),        make_box({0.04, 0.04, 0.04}), make_cylinder(0.05, 0.02),
      make_cylinder(0.04, 0.04),           make_cylinder(0.02, 0.05),    make_capsule(0.03, 0.03),
      test::random_hull(&random, 14, 0.06)};
  for (const Shape& A : shapes) {
    for (const Shape& B : shapes) {
      const auto a = make_compliant(A, kModulus, 0.03), b = make_compliant(B, 3e6, 0.03);
      const PressureField split_a = split_into_tetrahedra(*a), split_b = split_into_tetrahedra(*b);
      const auto rigid_b = make_rigid(B, 0.03);
      for (int trial = 0; trial < 4; ++trial) {
        const RigidTransform X_MN = random_overlap(A, B, &random);
        const Wrench cells = calc_wrench(*a, *b, X_MN), tets = calc_wrench(split_a, split_b, X_MN);
        EXPECT_GE(tets.polygons, cells.polygons);
        EXPECT_LT(norm(cells.force - tets.force), 1e-9 * cells.normal_only);
        EXPECT_LT(norm(cells.torque - tets.torque), 1e-10 * cells.normal_only);
        const double U = calc_overlap_energy(*a, *b, X_MN);
        EXPECT_NEAR(calc_overlap_energy(split_a, split_b, X_MN), U, 1e-9 * U);
        const Wrench on_rigid = calc_wrench(*a, *rigid_b, X_MN);
        EXPECT_LT(norm(on_rigid.force - calc_wrench(split_a, *rigid_b, X_MN).force),
                  1e-9 * on_rigid.normal_only);
      }
    }
  }
}

// S4. Newton's third law; and what all move along with does not matter, 1 km away neither: there
// positions are rounded by 1e-13 m.
TEST(ContactSurface, ThirdLawAndCommonMotions) {
  test::Random random(42);
  for (const Solid& M : make_solids(0.03)) {
    for (const Solid& N : make_solids(0.03)) {
      if (!may_meet(M, N)) continue;
      const RigidTransform X_MN = random_overlap(M.shape, N.shape, &random);
      const Wrench w = calc_wrench(*M.field, *N.field, X_MN);
      const std::string names = M.name + " " + N.name;
      if (!is_rigid(N) && !N.field->half_space) {
        const Wrench v = calc_wrench(*N.field, *M.field, inverse(X_MN));
        const Vec3 force_M = X_MN.R * v.force, torque_M = X_MN.R * v.torque;
        EXPECT_LT(norm(w.force + force_M), 1e-9 * w.normal_only) << names;
        EXPECT_LT(norm(w.torque + torque_M + cross(X_MN.p, force_M)), 1e-10 * w.normal_only)
            << names;
      }
      for (const double distance : {1.0, 1e3}) {
        const RigidTransform X_WM = random.pose(distance);
        const Wrench v = calc_wrench(*M.field, *N.field, inverse(X_WM) * (X_WM * X_MN));
        EXPECT_LT(norm(w.force - v.force), 1e-9 * distance * w.normal_only + 1e-12) << names;
        EXPECT_LT(norm(w.torque - v.torque), 1e-10 * distance * w.normal_only + 1e-13) << names;
      }
    }
  }
}

bool are_identical(const SurfacePolygon& a, const SurfacePolygon& b) {
  return a.cell_M == b.cell_M && a.cell_N == b.cell_N && a.pressure == b.pressure &&
         a.moments.area == b.moments.area && a.moments.centroid == b.moments.centroid &&
         a.moments.sxx == b.moments.sxx && a.nhat == b.nhat && a.gradient == b.gradient;
}

// S6. Lists of candidates that are kept change nothing.
TEST(ContactSurface, KeptCandidatesChangeNothing) {
  test::Random random(43);
  SurfaceFinder finder;
  std::vector<SurfacePolygon> polygons;
  std::uint64_t steps = 0;
  for (const Solid& M : make_solids(0.03)) {
    for (const Solid& N : make_solids(0.03)) {
      if (!may_meet(M, N)) continue;
      RigidTransform X_MN = random_overlap(M.shape, N.shape, &random);
      const RigidTransform start = X_MN;
      SurfaceCandidates candidates;
      for (int step = 0; step < 30; ++step, ++steps) {
        // From a nanometre to a centimetre.
        const double size = std::pow(10.0, random.uniform(-9, -2));
        X_MN = test::move(X_MN, random.in_cube(size / 0.05), random.in_cube(size));
        if (step % 10 == 9) X_MN = start;
        const double margin = random.integer(0, 1) * random.uniform(0, 0.005);
        finder.find(*M.field, *N.field, X_MN, margin, &candidates, &polygons);
        const std::vector<SurfacePolygon> fresh = find_polygons(*M.field, *N.field, X_MN, margin);
        ASSERT_EQ(polygons.size(), fresh.size()) << M.name << " " << N.name;
        for (std::size_t i = 0; i < fresh.size(); ++i) {
          ASSERT_TRUE(are_identical(polygons[i], fresh[i])) << M.name << " " << N.name;
        }
      }
    }
  }
  EXPECT_LT(finder.counters.rebuilds, steps / 2);
}

// Trees leave out nothing that meets, margins included.
TEST(ContactSurface, AllPairsOfCellsGiveTheSame) {
  test::Random random(46);
  SurfaceFinder finder;
  std::vector<SurfacePolygon> polygons;
  for (const Solid& M : make_solids(0.05)) {
    for (const Solid& N : make_solids(0.05)) {
      if (!may_meet(M, N)) continue;
      SurfaceCandidates all{.X_MN = {}, .skin = 1e9, .margin = 1e9, .pairs = {}};
      const std::size_t parts = std::max({N.field->cells.size(), N.field->faces.size(), {1}});
      for (int i = 0; i < static_cast<int>(M.field->cells.size()); ++i) {
        for (int j = 0; j < static_cast<int>(parts); ++j) {
          all.pairs.push_back({i, j});
        }
      }
      for (const double margin : {0.0, 1e-3, 0.02}) {
        const RigidTransform X_MN = random_overlap(M.shape, N.shape, &random);
        finder.find(*M.field, *N.field, X_MN, margin, &all, &polygons);
        const std::vector<SurfacePolygon> by_tree = find_polygons(*M.field, *N.field, X_MN, margin);
        ASSERT_EQ(polygons.size(), by_tree.size()) << M.name << " " << N.name << " " << margin;
        for (std::size_t i = 0; i < by_tree.size(); ++i) {
          ASSERT_TRUE(are_identical(polygons[i], by_tree[i])) << M.name << " " << N.name;
        }
      }
    }
  }
}

// Two ends of 64 sides, turned by half a side, press on a polygon of 128 corners.
TEST(ContactSurface, PolygonsOfManyCorners) {
  const double R = 0.05, half_length = 0.06, d = 1e-4;
  const PressureField a = detail::make_cylinder_field(R, half_length, 64, kModulus);
  for (const double turn : {0.0, 0.25, 0.5}) {
    RigidTransform X_MN = RigidTransform::rotation({0, 0, turn * 2 * kPi / 64});
    X_MN.p.z = -2 * half_length + d;
    // The ends alone: all within half d of the middle.
    const double gradient = kModulus / R / 2;
    const Wrench w = calc_wrench(a, a, X_MN);
    EXPECT_NEAR(w.stiffness / (gradient * kPi * R * R), 1, 0.005);
    EXPECT_NEAR(w.force.z / (gradient * kPi * R * R * d), 1, 0.005);
    EXPECT_LT(std::hypot(w.torque.x, w.torque.y), 1e-9 * w.force.z * R);
  }
}

// A rigid face that lies in the walls between cells of the other solid counts once, whichever way
// rounding goes: the same as a hair beside them.
TEST(ContactSurface, RigidFacesInWallsBetweenCells) {
  const auto cube = make_compliant(make_box({0.05, 0.05, 0.05}));
  const auto ball = make_compliant(make_sphere(0.05), kModulus, 0.03);
  const auto plate = make_rigid(make_box({0.2, 0.2, 0.02}));
  struct Case {
    test::FieldPtr field;
    Vec3 normal;  // of walls through the middle
  };
  for (const auto& [field, normal] :
       {Case{cube, normalized(Vec3{1, 0, 1})}, Case{cube, normalized(Vec3{0, -1, 1})},
        Case{ball, {0, 0, 1}}, Case{ball, {1, 0, 0}}}) {
    // A face of the plate through the middle, its normal along the wall's.
    const Vec3 t1 = any_orthogonal(normal);
    for (int turn = 0; turn < 12; ++turn) {
      RigidTransform X_MN{Mat3::from_columns(t1, cross(normal, t1), normal), {}};
      X_MN = X_MN * RigidTransform::rotation({turn % 2 * kPi, 0, 0}) *
             RigidTransform::rotation({0, 0, 0.1 * turn});
      const auto push = [&](double beside) {
        RigidTransform X = X_MN;
        X.p = (beside - 0.02) * normal + 0.003 * turn * t1;
        return dot(calc_wrench(*field, *plate, X).force, normal);
      };
      const double beside = push(1e-9);
      EXPECT_GT(beside, 1000);
      for (const double hair : {0.0, 1e-17, -1e-17, 5e-14, -5e-14}) {
        EXPECT_NEAR(push(hair) / beside, 1, 1e-6) << turn << " " << hair;
      }
    }
  }
}

// At the very distance from a wall up to which a face lies in it rounding decides which of the two
// cells has the face, for each wall in its plane. It never goes to both or to none: the force is
// between those on the two sides.
TEST(ContactSurface, RigidFacesAtTheReachOfWalls) {
  const auto plate = make_rigid(make_box({0.2, 0.2, 0.02}));
  for (const Shape& shape : make_shapes()) {
    const auto field = make_compliant(shape, kModulus, 0.03);
    const double reach = 1e-12 * field->size;
    for (std::size_t i = 0; i < field->cells.size(); i += 1 + field->cells.size() / 10) {
      const PressureCell& cell = field->cells[i];
      for (int f = cell.outer ? 1 : 0; f < cell.num_planes; ++f) {
        const Plane& wall = field->planes[cell.plane_begin + f];
        const Vec3 t1 = any_orthogonal(wall.normal);
        const auto push = [&](double beside) {
          const RigidTransform X_MN{Mat3::from_columns(t1, cross(wall.normal, t1), wall.normal),
                                    (wall.offset + beside - 0.02) * wall.normal};
          return dot(calc_wrench(*field, *plate, X_MN).force, wall.normal);
        };
        const auto [least, most] = std::minmax({push(-1e-9), push(1e-9)});
        const double tolerance = 1e-6 * std::max(most, 1.0);
        for (int k = -5; k <= 5; ++k) {
          for (const double sign : {1.0, -1.0}) {
            const double force = push(sign * reach * (1 + 2e-4 * k));
            EXPECT_GE(force, least - tolerance) << to_string(shape.kind) << " " << i << " " << f;
            EXPECT_LE(force, most + tolerance) << to_string(shape.kind) << " " << i << " " << f;
          }
        }
      }
    }
  }
}

// Two boxes of the same base, one on the other: beside the rim their pressures are equal all over a
// strip. Whichever way rounding goes, the force is that at a hair's offset.
TEST(ContactSurface, AlignedBoxes) {
  const auto a = make_compliant(make_box({0.05, 0.04, 0.03}));
  const auto b = make_compliant(make_box({0.05, 0.04, 0.03}));
  test::Random random(31);
  for (int trial = 0; trial < 100; ++trial) {
    const double d = random.uniform(1e-4, 1e-3);
    const auto push = [&](double offset) {
      return calc_wrench(*a, *b, RigidTransform::translation({offset, offset, d - 0.06})).force.z;
    };
    const auto energy = [&](double depth) {
      return calc_overlap_energy(*a, *b, RigidTransform::translation({0, 0, depth - 0.06}));
    };
    const double slope = (energy(d + 1e-8) - energy(d - 1e-8)) / 2e-8;
    EXPECT_NEAR(push(0) / slope, 1, 1e-7);
    EXPECT_NEAR(push(0) / push(1e-9), 1, 1e-5);
    EXPECT_NEAR(push(1e-17) / push(1e-9), 1, 1e-5);
    // In a frame of the world.
    const RigidTransform X_WM = random.pose(1);
    const RigidTransform X_WN = X_WM * RigidTransform::translation({0, 0, d - 0.06});
    EXPECT_NEAR(calc_wrench(*a, *b, inverse(X_WM) * X_WN).force.z / push(1e-9), 1, 1e-5);
  }
}

// A capsule that is hardly longer than a ball has no side to speak of.
TEST(ContactSurface, ShortCapsule) {
  const auto plane = make_rigid(make_half_space());
  const auto push = [&](double half_length) {
    const auto capsule = make_compliant(make_capsule(0.05, half_length));
    return calc_wrench(*capsule, *plane, RigidTransform::translation({0, 0, -0.048})).force.z;
  };
  EXPECT_NEAR(push(1e-12) / push(1e-6), 1, 1e-2);
  EXPECT_NEAR(push(1e-12) / push(1e-9), 1, 1e-5);
}

// Checks all that a surface and its points promise. Returns the sum of pressing forces.
double check_sane(const Solid& M, const Solid& N, const RigidTransform& X_MN, double margin) {
  SurfaceFinder finder;
  finder.keep_corners = true;
  SurfaceCandidates candidates;
  std::vector<SurfacePolygon> polygons;
  finder.find(*M.field, *N.field, X_MN, margin, &candidates, &polygons);
  double force = 0;
  const Vec3* corner = finder.corners.data();
  for (std::size_t i = 0; i < polygons.size(); ++i) {
    const SurfacePolygon& s = polygons[i];
    const detail::PolygonMoments& m = s.moments;
    EXPECT_TRUE(is_finite(m.centroid) && std::isfinite(s.pressure) && std::isfinite(s.px) &&
                std::isfinite(s.py) && std::isfinite(s.gradient) && m.area > 0);
    EXPECT_NEAR(norm(s.nhat), 1, 1e-12);
    EXPECT_LT(finder.corner_counts[i], detail::Polygon::kCapacity);
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < finder.corner_counts[i]; ++k) {
      const Vec3 d = *corner++ - m.centroid;
      const double p = s.pressure + s.px * dot(d, m.t1) + s.py * dot(d, m.t2);
      least = std::min(least, p), most = std::max(most, p);
    }
    EXPECT_LT(std::min(-least, most), 1e-12 * kModulus) << M.name << " " << N.name;
    EXPECT_GE(s.pressure * s.softness, -margin * (1 + 1e-9) - 1e-12);
    force += std::max(s.pressure * m.area, 0.0);
  }
  std::vector<SurfacePoint> points;
  for (const auto quadrature :
       {SurfaceQuadrature::kReduced, SurfaceQuadrature::kPolygons, SurfaceQuadrature::kCentroid}) {
    PointMaker().make(polygons, quadrature, &points);
    std::set<std::uint32_t> features;
    for (const SurfacePoint& point : points) {
      // Names are unique; where only rounding presses, the two parts of a polygon may share one.
      if (std::fabs(point.force) > 1e-9) {
        EXPECT_TRUE(features.insert(point.feature).second) << M.name << " " << N.name;
      }
      EXPECT_TRUE(is_finite(point.p) && is_finite(point.nhat) && std::isfinite(point.force) &&
                  std::isfinite(point.depth) && std::isfinite(point.stiffness));
      EXPECT_GT(point.stiffness, 0);
      const PressureField& bounded = M.field->half_space ? *N.field : *M.field;
      const Vec3 centre = M.field->half_space ? X_MN * bounded.center : bounded.center;
      EXPECT_LT(norm(point.p - centre), 1.3 * bounded.radius + bounded.max_spread * margin);
    }
  }
  return force;
}

// S8. Whatever the pose: finite numbers, positive stiffnesses, one sign of pressure a polygon, and
// the same touching part with a margin as without.
TEST(ContactSurface, AwkwardPoses) {
  const std::vector<Solid> solids = make_solids(0.03);
  const std::vector<RigidTransform> poses = make_awkward_poses();
  for (const Solid& M : solids) {
    for (const Solid& N : solids) {
      if (!may_meet(M, N)) continue;
      for (const RigidTransform& X_MN : poses) {
        const double touching = check_sane(M, N, X_MN, 0);
        // Faces nearly parallel, by 1e-9 rad, meet in planes that are known to 1e-7.
        EXPECT_NEAR(check_sane(M, N, X_MN, 0.005), touching, 1e-6 * touching + 1e-7)
            << M.name << " " << N.name << " " << X_MN.p.x << " " << X_MN.p.y << " " << X_MN.p.z;
      }
    }
  }
}

// In general position the margin changes nothing but rounding.
TEST(ContactSurface, MarginsLeaveTouchingPartsAlone) {
  test::Random random(44);
  for (const Solid& M : make_solids(0.03)) {
    for (const Solid& N : make_solids(0.03)) {
      if (!may_meet(M, N)) continue;
      const RigidTransform X_MN = random_overlap(M.shape, N.shape, &random);
      const double touching = check_sane(M, N, X_MN, 0);
      for (const double margin : {1e-5, 1e-3, 0.02}) {
        EXPECT_NEAR(check_sane(M, N, X_MN, margin), touching, 1e-9 * touching);
      }
    }
  }
}

// Gaps within the margin are reported, as wide as they are.
TEST(ContactSurface, GapsOfSeparatedSolids) {
  test::Random random(45);
  struct Case {
    Shape A, B;
    double height, tolerance;  // at which they touch, along z
  };
  const Shape box = make_box({0.05, 0.04, 0.03}), ball = make_sphere(0.05);
  for (const auto& [A, B, height, tolerance] :
       {Case{box, make_box({0.1, 0.1, 0.02}), 0.05, 1e-9}, Case{box, make_half_space(), 0.03, 1e-9},
        Case{ball, box, 0.08, 1e-4}, Case{ball, ball, 0.1, 2e-4},
        Case{make_cylinder(0.05, 0.03), box, 0.06, 1e-9}}) {
    for (const bool rigid : {false, true}) {
      const auto M = make_compliant(A), N = rigid ? make_rigid(B) : make_compliant(B, 4e6);
      for (const double gap : {1e-4, 1e-3, 4.9e-3, 5.3e-3}) {
        const double margin = 5e-3;
        const RigidTransform X_MN = RigidTransform::translation({0.001, 0.002, -height - gap});
        Manifold manifold;
        calc_manifold(A, {}, B, X_MN, {.margin = 0.01}, &manifold);
        const double phi = test::least_phi(manifold);
        std::vector<SurfacePoint> points;
        PointMaker().make(find_polygons(*M, *N, X_MN, margin), SurfaceQuadrature::kReduced,
                          &points);
        if (gap > margin) {
          EXPECT_TRUE(points.empty()) << to_string(A.kind) << to_string(B.kind) << rigid;
          continue;
        }
        ASSERT_FALSE(points.empty()) << to_string(A.kind) << to_string(B.kind) << rigid << gap;
        double depth = -1;
        for (const SurfacePoint& point : points) {
          EXPECT_LT(point.force, 0);
          depth = std::max(depth, point.depth);
        }
        EXPECT_NEAR(-depth, phi, tolerance)
            << to_string(A.kind) << to_string(B.kind) << rigid << gap;
      }
    }
  }
}

}  // namespace
}  // namespace cenic
