// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Points that stand for contact surfaces: moments, wrenches, work around closed paths, rocking.
#include "geometry/hydroelastic/surface_points.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

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

// A random convex polygon around the origin, in the plane across nhat, counter-clockwise.
detail::Polygon random_polygon(const Vec3& nhat, test::Random* random) {
  const Vec3 t1 = any_orthogonal(nhat), t2 = cross(nhat, t1);
  const double a = random->uniform(0.01, 1), b = random->uniform(0.01, 1);
  const double turn = random->uniform(0, kPi);
  std::vector<double> angles(random->integer(3, 12));
  for (double& angle : angles) {
    angle = random->uniform(0, 2 * kPi);
  }
  std::ranges::sort(angles);
  detail::Polygon polygon;
  for (const double angle : angles) {
    const double x = a * std::cos(angle), y = b * std::sin(angle);
    polygon.add((x * std::cos(turn) - y * std::sin(turn)) * t1 +
                (x * std::sin(turn) + y * std::cos(turn)) * t2);
  }
  return polygon;
}

SurfacePolygon make_surface(const detail::Polygon& polygon, const Vec3& nhat) {
  SurfacePolygon s;
  s.nhat = nhat;
  s.moments = detail::calc_moments(polygon, nhat);
  s.gradient = s.steepness = 1;
  s.softness = 1;
  return s;
}

// S5. Three points a third of the area each have the polygon's area, centroid and second moments,
// and lie within it.
TEST(SurfacePoints, ThreePointsHaveTheMoments) {
  test::Random random(51);
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Vec3 nhat = random.direction();
    const detail::Polygon polygon = random_polygon(nhat, &random);
    SurfacePolygon s = make_surface(polygon, nhat);
    if (!(s.moments.area > 1e-6)) continue;
    s.pressure = 1;
    std::vector<SurfacePoint> points;
    PointMaker().make(std::span(&s, 1), SurfaceQuadrature::kPolygons, &points);
    ASSERT_EQ(points.size(), 3u);
    const detail::PolygonMoments& m = s.moments;
    double sxx = 0, sxy = 0, syy = 0;
    Vec3 mean;
    for (const SurfacePoint& point : points) {
      const Vec3 d = point.p - m.centroid;
      const double x = dot(d, m.t1), y = dot(d, m.t2);
      mean += d / 3;
      sxx += x * x / 3, sxy += x * y / 3, syy += y * y / 3;
      for (int i = 0; i < polygon.count; ++i) {
        const Vec3 edge = polygon.p[(i + 1) % polygon.count] - polygon.p[i];
        EXPECT_GT(dot(nhat, cross(edge, point.p - polygon.p[i])), -1e-12 * norm(edge));
      }
    }
    const double size = m.sxx + m.syy;
    worst = std::max({worst, std::fabs(sxx - m.sxx) / size, std::fabs(sxy - m.sxy) / size,
                      std::fabs(syy - m.syy) / size});
    EXPECT_LT(norm(mean), 1e-14);
  }
  EXPECT_LT(worst, 1e-14);
}

// One point, where the polygon is small: at the centre of pressure, within the polygon also when
// the pressure is zero along an edge; at the centroid when only rounding presses.
TEST(SurfacePoints, CentreOfPressure) {
  test::Random random(55);
  SurfacePolygon large = make_surface(random_polygon({0, 0, 1}, &random), {0, 0, 1});
  large.pressure = 1e12, large.moments.area = 1e3, large.moments.sxx = large.moments.syy = 1e4;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vec3 nhat = random.direction();
    const detail::Polygon polygon = random_polygon(nhat, &random);
    SurfacePolygon s = make_surface(polygon, nhat);
    if (!(s.moments.area > 1e-3)) continue;
    // p = 0 at the lowest corner or, for triangles, along an edge.
    const Vec3 edge = polygon.p[1] - polygon.p[0];
    const Vec3 gradient = trial % 2 == 0 ? normalized(cross(nhat, edge)) : random.direction();
    double least = INFINITY;
    for (int i = 0; i < polygon.count; ++i) {
      least = std::min(least, dot(gradient, polygon.p[i] - s.moments.centroid));
    }
    s.px = dot(gradient, s.moments.t1), s.py = dot(gradient, s.moments.t2);
    for (const bool presses : {true, false}) {
      s.pressure = presses ? -least : -1e-9 * least;
      std::vector<SurfacePoint> points;
      const SurfacePolygon both[2] = {large, s};
      PointMaker().make(both, SurfaceQuadrature::kPolygons, &points);
      ASSERT_EQ(points.size(), 4u);
      const Vec3 d = points[3].p - s.moments.centroid;
      EXPECT_NEAR(points[3].force, s.pressure * s.moments.area, 1e-15);
      if (presses) {
        for (int i = 0; i < polygon.count; ++i) {
          const Vec3 side = polygon.p[(i + 1) % polygon.count] - polygon.p[i];
          EXPECT_GT(dot(nhat, cross(side, points[3].p - polygon.p[i])), 0);
        }
        EXPECT_GT(dot(gradient, d), 0);
      } else {
        EXPECT_LT(norm(d), 1e-12);
      }
    }
  }
}

// Moments themselves, against triangles around the centroid: ∫ x xᵀ = (A/12) (Σ v vᵀ + s sᵀ),
// s = Σ v, v the corners.
TEST(SurfacePoints, MomentsOfPolygons) {
  test::Random random(52);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vec3 nhat = random.direction();
    detail::Polygon polygon = random_polygon(nhat, &random);
    const Vec3 shift = random.in_cube(1);
    for (int i = 0; i < polygon.count; ++i) {
      polygon.p[i] += shift;
    }
    const detail::PolygonMoments m = detail::calc_moments(polygon, nhat);
    if (!(m.area > 1e-4)) continue;
    double area = 0, sxx = 0, sxy = 0, syy = 0;
    Vec3 first;
    for (int i = 0; i < polygon.count; ++i) {
      const Vec3 a = polygon.p[i] - m.centroid;
      const Vec3 b = polygon.p[(i + 1) % polygon.count] - m.centroid;
      const double part = 0.5 * dot(nhat, cross(a, b));
      const double ax = dot(a, m.t1), ay = dot(a, m.t2), bx = dot(b, m.t1), by = dot(b, m.t2);
      area += part;
      first += part * (a + b) / 3;
      sxx += part / 12 * (ax * ax + bx * bx + (ax + bx) * (ax + bx));
      sxy += part / 12 * (ax * ay + bx * by + (ax + bx) * (ay + by));
      syy += part / 12 * (ay * ay + by * by + (ay + by) * (ay + by));
    }
    EXPECT_NEAR(m.area / area, 1, 1e-12);
    EXPECT_LT(norm(first) / area, 1e-12);
    EXPECT_NEAR(m.sxx, sxx / area, 1e-12);
    EXPECT_NEAR(m.sxy, sxy / area, 1e-12);
    EXPECT_NEAR(m.syy, syy / area, 1e-12);
  }
}

// Work done on M by the contact while N goes once around a rectangle of depths and tilts, of the
// sum of its absolute values.
double calc_loop_work(const PressureField& M, const PressureField& N, double touching,
                      SurfaceQuadrature quadrature, int steps) {
  const auto pose = [&](double depth, double tilt) {
    RigidTransform X = RigidTransform::rotation({0.3 * tilt, tilt, 0});
    return RigidTransform::translation({0, 0, -touching + depth}) * X;
  };
  const double corners[5][2] = {
      {2e-3, -0.01}, {4e-3, -0.01}, {4e-3, 0.015}, {2e-3, 0.015}, {2e-3, -0.01}};
  double work = 0, total = 0;
  for (int leg = 0; leg < 4; ++leg) {
    for (int i = 0; i < steps; ++i) {
      const auto at = [&](double s) {
        return pose(corners[leg][0] + s * (corners[leg + 1][0] - corners[leg][0]),
                    corners[leg][1] + s * (corners[leg + 1][1] - corners[leg][1]));
      };
      const double h = 1.0 / steps;
      const RigidTransform before = at(i * h), after = at((i + 1) * h), middle = at((i + 0.5) * h);
      const Wrench w = calc_wrench(M, N, middle, quadrature);
      // N's displacement as a twist about M's origin, through the middle.
      const RigidTransform delta = after * inverse(before);
      const Mat3& R = delta.R;
      const Vec3 turn{(R(2, 1) - R(1, 2)) / 2, (R(0, 2) - R(2, 0)) / 2, (R(1, 0) - R(0, 1)) / 2};
      const Vec3 shift = after.p - before.p - cross(turn, middle.p);
      const double step = dot(w.force, shift) + dot(w.torque, turn);
      work += step;
      total += std::fabs(step);
    }
  }
  return work / total;
}

// S2. Forces of exact surfaces do no work around closed paths; forces at centroids do.
TEST(SurfacePoints, NoWorkAroundClosedPaths) {
  const auto box = make_compliant(make_box({0.1, 0.075, 0.04}));
  const PressureField tets = split_into_tetrahedra(*box);
  const auto plane = make_rigid(make_half_space());
  const auto other = make_compliant(make_box({0.2, 0.15, 0.05}), 3e6);
  struct Case {
    const PressureField& M;
    const PressureField& N;
    double touching;
  };
  for (const auto& [M, N, touching] :
       {Case{*box, *plane, 0.04}, Case{tets, *plane, 0.04}, Case{*box, *other, 0.09}}) {
    for (const auto quadrature : {SurfaceQuadrature::kReduced, SurfaceQuadrature::kPolygons,
                                  SurfaceQuadrature::kCentroid}) {
      const double coarse = calc_loop_work(M, N, touching, quadrature, 20);
      const double fine = calc_loop_work(M, N, touching, quadrature, 160);
      if (quadrature == SurfaceQuadrature::kCentroid) {
        EXPECT_GT(std::fabs(fine), 2e-4);
      } else {
        EXPECT_LT(std::fabs(coarse), 1e-8);
        EXPECT_LT(std::fabs(fine), 1e-9);
      }
    }
  }
}

// S3. −dT/dθ of a face pressed flat: (E/H) Ly Lx³/12, less what the rim lacks. By the stiffness of
// the points, Σ k x², as a solver takes it, too.
TEST(SurfacePoints, RockingStiffness) {
  const double H = 0.04, L = 0.2, d = 1e-4;
  const auto box = make_compliant(make_box({L / 2, L / 2, H}));
  const auto plane = make_rigid(make_half_space());
  const double exact = kModulus / H * L * L * L * L / 12;
  const auto pose = [&](double tilt) {
    return RigidTransform::translation({0, 0, -H + d}) * RigidTransform::rotation({0, tilt, 0});
  };
  struct Case {
    SurfaceQuadrature quadrature;
    double share;
  };
  // Four triangles about the middle of the face: their centroids are at two thirds.
  const PressureField tets = split_into_tetrahedra(*box);
  for (const auto& [quadrature, share] :
       {Case{SurfaceQuadrature::kReduced, 1}, Case{SurfaceQuadrature::kPolygons, 1},
        Case{SurfaceQuadrature::kCentroid, 2.0 / 3}}) {
    const double h = 1e-5;
    const Wrench up = calc_wrench(tets, *plane, pose(h), quadrature),
                 down = calc_wrench(tets, *plane, pose(-h), quadrature);
    const Vec3 about{0, 0, -H + d};
    const double up_torque = up.torque.y - cross(about, up.force).y;
    const double down_torque = down.torque.y - cross(about, down.force).y;
    std::vector<SurfacePoint> points;
    PointMaker().make(find_polygons(tets, *plane, pose(0)), quadrature, &points);
    double implicit = 0;
    for (const SurfacePoint& point : points) {
      implicit += point.stiffness * point.p.x * point.p.x;
    }
    EXPECT_NEAR((up_torque - down_torque) / (2 * h) / exact, share, 0.01);
    EXPECT_NEAR(implicit / exact, share, 0.01);
  }
}

// Reduced points have the forces and torques of the polygons, cluster by cluster; only the torque
// about the force of a cluster of one point is lost.
TEST(SurfacePoints, ReducedPointsHaveTheWrench) {
  test::Random random(53);
  const std::vector<Shape> shapes = {make_sphere(0.05), make_box({0.05, 0.04, 0.03}),
                                     make_cylinder(0.05, 0.03), make_capsule(0.03, 0.03),
                                     make_ellipsoid({0.05, 0.04, 0.03})};
  std::size_t num_points = 0, num_polygons = 0, alone = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Shape& A = shapes[random.integer(0, 4)];
    const Shape& B = shapes[random.integer(0, 4)];
    const RigidTransform X_MN = random.pose(0.09);
    Manifold manifold;
    calc_manifold(A, {}, B, X_MN, {}, &manifold);
    const double depth = -test::least_phi(manifold);
    if (!(depth > 2e-4 && depth < 1.5e-3)) continue;
    const auto M = make_compliant(A, kModulus, 0.01);
    const auto N = trial % 2 == 0 ? make_rigid(B, 0.01) : make_compliant(B, 3e6, 0.01);
    const std::vector<SurfacePolygon> polygons = find_polygons(*M, *N, X_MN);
    if (polygons.empty()) continue;
    const Wrench a = calc_wrench(polygons, SurfaceQuadrature::kPolygons);
    const Wrench b = calc_wrench(polygons, SurfaceQuadrature::kReduced);
    const Vec3 lost = a.torque - b.torque;
    EXPECT_LT(norm(a.force - b.force), 1e-12 * a.normal_only);
    EXPECT_LT(norm(lost), 0.01 * 0.05 * a.normal_only);
    if (b.points == 3) {  // one cluster
      ++alone;
      EXPECT_LT(norm(lost), 1e-11 * a.normal_only);
    }
    num_points += b.points;
    num_polygons += b.polygons;
  }
  EXPECT_GT(alone, 20u);
  EXPECT_LT(num_points, num_polygons);
}

// The flanks of edges and corners of convex solids, narrower than `flank`, press as one: with fewer
// points, the same force and, but for spots of one point, the same torque about all axes.
TEST(SurfacePoints, FlanksPressAsOne) {
  test::Random random(55);
  const Shape A = make_box({0.05, 0.05, 0.05}), B = make_box({0.06, 0.05, 0.04});
  const auto M = make_compliant(A), N = make_compliant(B, 3e6);
  constexpr double kFlank = 0.002;
  std::size_t apart = 0, together = 0, exact = 0, trials = 0;
  for (int trial = 0; trial < 60000; ++trial) {
    const RigidTransform X_MN = random.pose(0.09);
    Manifold manifold;
    calc_manifold(A, {}, B, X_MN, {}, &manifold);
    const double depth = -test::least_phi(manifold);
    if (!(depth > 1e-4 && depth < 1e-3)) continue;
    const std::vector<SurfacePolygon> polygons = find_polygons(*M, *N, X_MN);
    if (polygons.empty()) continue;
    const Wrench expected = calc_wrench(polygons, SurfaceQuadrature::kPolygons);
    std::vector<SurfacePoint> points;
    PointMaker().make(polygons, SurfaceQuadrature::kReduced, &points, kFlank);
    apart += points.size();
    PointMaker().make(polygons, SurfaceQuadrature::kReduced, &points, kFlank, kFlank);
    together += points.size();
    Vec3 force, torque;
    for (const SurfacePoint& p : points) {
      EXPECT_GT(p.stiffness, 0);
      EXPECT_NEAR(norm(p.nhat), 1, 1e-12);
      force += p.force * p.nhat;
      torque += cross(p.p, p.force * p.nhat);
    }
    const double lost = norm(torque - expected.torque), scale = expected.normal_only;
    EXPECT_LT(norm(force - expected.force), 1e-12 * scale);
    EXPECT_LT(lost, 0.1 * kFlank * scale);
    exact += lost < 1e-11 * scale ? 1 : 0;
    ++trials;
  }
  EXPECT_GT(trials, 100u);
  EXPECT_GT(3 * exact, trials);
  EXPECT_LT(10 * together, 7 * apart);
}

// With parallel polygons nothing is lost.
TEST(SurfacePoints, ReducedFlatContactIsExact) {
  test::Random random(54);
  const auto plane = make_rigid(make_half_space());
  double worst = 0;
  for (const Shape& A : {make_box({0.05, 0.04, 0.03}), make_cylinder(0.05, 0.03),
                         make_ellipsoid({0.05, 0.04, 0.03}), make_capsule(0.03, 0.02)}) {
    const auto M = make_compliant(A);
    for (int trial = 0; trial < 200; ++trial) {
      const RigidTransform X_MN = random.pose(0.04);
      const auto polygons = find_polygons(*M, *plane, X_MN);
      if (polygons.empty()) continue;
      const Wrench a = calc_wrench(polygons, SurfaceQuadrature::kPolygons);
      const Wrench b = calc_wrench(polygons, SurfaceQuadrature::kReduced);
      worst = std::max({worst, norm(a.force - b.force) / a.normal_only,
                        norm(a.torque - b.torque) / (0.05 * a.normal_only)});
    }
  }
  EXPECT_LT(worst, 1e-10);
}

// Steepest change of force, and of torque by 5 cm, along a straight way of N, in units of the
// largest force a 5 cm. With what the rule of angles leaves out, which is not always continuous.
double find_steepest(const PressureField& M, const PressureField& N, const RigidTransform& start,
                     const Vec3& way, SurfaceQuadrature quadrature, int steps) {
  double steepest = 0, scale = 0;
  Wrench last;
  for (int i = 0; i <= steps; ++i) {
    RigidTransform X_MN = start;
    X_MN.p += way * (static_cast<double>(i) / steps);
    Wrench w = calc_wrench(M, N, X_MN, quadrature);
    const Wrench left = test::calc_left_out(M, N, X_MN);
    w.force += left.force, w.torque += left.torque;
    // Reduced points lack the torque about the forces of clusters, and clusters change.
    if (quadrature == SurfaceQuadrature::kReduced) w.torque = {};
    const double change = norm(w.force - last.force) + norm(w.torque - last.torque) / 0.05;
    if (i > 0) steepest = std::max(steepest, change);
    scale = std::max(scale, w.normal_only);
    last = w;
  }
  return steepest / (scale * norm(way) / steps / 0.05);
}

// S7. Over edges and from tetrahedron to tetrahedron forces change as fast as poses do, however
// fine the steps.
TEST(SurfacePoints, ForcesAreContinuous) {
  struct Case {
    const char* name;
    test::FieldPtr M, N;
    Vec3 from;
    bool turned;
    Vec3 way;
  };
  const Shape sphere = make_sphere(0.05);
  const auto ball = make_compliant(sphere, kModulus, 0.03), rigid_ball = make_rigid(sphere, 0.03);
  const auto box = make_compliant(make_box({0.06, 0.05, 0.04}));
  const auto large = make_compliant(make_box({0.08, 0.07, 0.04}), 3e6);
  const auto rigid_box = make_rigid(make_box({0.08, 0.07, 0.04}));
  for (const auto& [name, M, N, from, turned, way] :
       {Case{"ball over box", box, ball, {0, 0.01, 0.087}, true, {0.12, 0.03, 0}},
        Case{"rigid box under ball", ball, rigid_box, {0.09, 0, -0.087}, false, {-0.18, 0.03, 0}},
        Case{"rigid ball over box", box, rigid_ball, {0, 0.01, 0.087}, true, {0.12, 0.03, 0}},
        Case{"box over box", box, large, {0.02, 0.01, 0.079}, false, {0.13, 0.03, 0}},
        Case{"rigid box over box", box, rigid_box, {0.02, 0.01, 0.079}, false, {0.13, 0.03, 0}},
        Case{"ball into ball", ball, ball, {0.01, 0.02, 0.1}, true, {0, 0, -0.03}}}) {
    RigidTransform start = RigidTransform::rotation(turned ? Vec3{0.3, 0.2, 0.1} : Vec3{});
    start.p = from;
    for (const auto quadrature : {SurfaceQuadrature::kReduced, SurfaceQuadrature::kPolygons}) {
      const double coarse = find_steepest(*M, *N, start, way, quadrature, 250);
      const double fine = find_steepest(*M, *N, start, way, quadrature, 2000);
      EXPECT_LT(fine, 1.1 * coarse) << name;
      EXPECT_LT(fine, 6) << name;
    }
  }
}

}  // namespace
}  // namespace cenic
