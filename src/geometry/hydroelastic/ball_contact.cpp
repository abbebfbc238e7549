// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// On the contact surface the level p of the pressure is a circle: that of the spheres (or sphere
// and plane) into which the two surfaces shrink at that level,
//   r1(p) = R1 − s1 p,  r2(p) = R2 − s2 p,  z = (L² + r1² − r2²)/(2L),  ρ² = r1² − z²
//   plane: z = L + s2 p
// Its normals sum up to the projected area, so the force is ∫ p d(πρ²) = π ∫ ρ² dp over 0 … p_max,
// where the circle closes, and the stiffness −dF/dL = 2π ∫ z (1 − z/L) dp (plane: 2π ∫ z dp). The
// energy is ∫ V dp, V the volume of the lens in both. The integrands are polynomials of degree four
// at most: three Gauss points are exact.
#include "geometry/hydroelastic/ball_contact.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cenic {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kRing = 4;  // points of a cap,
// at this share of the disc's radius: between 8/15 (torsional friction) and 1/√3 (rolling).
constexpr double kRingRadius = 0.55;

bool is_ball(const PressureField& field) { return field.sphere_radius > 0; }

double calc_softness(const PressureField& field) {
  if (field.compliance == Compliance::kRigid) return 0;
  return (is_ball(field) ? field.sphere_radius : field.foundation) / field.modulus;
}

// A face of a solid, in its frame, that a ball touches.
struct Face {
  Plane plane;
  double softness = 0;
};

// Is the disc of the radius a around x, in the plane across nhat, inside the plane?
bool is_inside(const Plane& plane, const Vec3& nhat, const Vec3& x, double a) {
  const double along = dot(plane.normal, nhat);
  const double across = std::sqrt(std::max(0.0, 1 - along * along));
  return dot(plane.normal, x) + across * a <= plane.offset;
}

// The face of a convex solid with which alone the ball at `centre` meets: the cap lies in one cell,
// or on one rigid face.
bool find_face(const PressureField& solid, const Vec3& centre, const BallPair& ball, double margin,
               Face* face) {
  const auto stands_over = [&](const Plane& plane, double softness) {
    const double height = dot(plane.normal, centre) - plane.offset;
    if (!(height > 0 && height < ball.R1 + margin)) return false;
    *face = {plane, softness};
    return true;
  };
  const auto calc_disc = [&](double height) {
    return std::sqrt(std::max(0.0, ball.R1 * ball.R1 - height * height));
  };
  for (const PressureCell& cell : solid.cells) {
    if (!cell.outer || !(cell.steepness > 0)) continue;
    const Plane* planes = solid.planes.data() + cell.plane_begin;
    if (!stands_over(planes[0], 1 / cell.steepness)) continue;
    const double height = dot(planes[0].normal, centre) - planes[0].offset;
    const Vec3 foot = centre - height * planes[0].normal;
    // The apex of the cap lies deeper.
    const double sunk =
        std::max(0.0, ball.R1 - height) * face->softness / (face->softness + ball.softness1);
    bool inside = true;
    for (int f = 1; f < cell.num_planes && inside; ++f) {
      inside = is_inside(planes[f], planes[0].normal, foot, calc_disc(height)) &&
               is_inside(planes[f], planes[0].normal, foot - sunk * planes[0].normal, 0);
    }
    if (inside) return true;
  }
  for (const SurfaceFace& f : solid.faces) {
    const Vec3* v = solid.face_vertices.data() + f.vertex_begin;
    const Plane plane{f.normal, dot(f.normal, v[0])};
    if (!stands_over(plane, 0)) continue;
    const double height = dot(plane.normal, centre) - plane.offset;
    const Vec3 foot = centre - height * plane.normal;
    bool inside = true;
    for (int i = 0; i < f.num_vertices && inside; ++i) {
      const Vec3 edge = v[(i + 1) % f.num_vertices] - v[i];
      const Vec3 outward = normalized(cross(edge, f.normal));
      inside = is_inside({outward, dot(outward, v[i])}, plane.normal, foot, calc_disc(height));
    }
    if (inside) return true;
  }
  return false;
}

// Volume common to two balls at the distance L; r2 = 0: to a ball and a half space at L.
double calc_lens_volume(double r1, double r2, double L) {
  if (r2 == 0) {
    const double h = std::max(0.0, r1 - L);
    return kPi * h * h * (3 * r1 - h) / 3;
  }
  const double d = std::max(0.0, r1 + r2 - L);
  return kPi * d * d * (L * L + 2 * L * (r1 + r2) - 3 * (r1 - r2) * (r1 - r2)) / (12 * L);
}

}  // namespace

BallCap calc_ball_cap(const BallPair& b) {
  BallCap cap;
  const bool plane = b.R2 == 0;
  const double L = b.distance, depth = b.depth();
  const auto height_at = [&](double p) {
    if (plane) return L + b.softness2 * p;
    const double r1 = b.R1 - b.softness1 * p, r2 = b.R2 - b.softness2 * p;
    return 0.5 * (L + (r1 - r2) * (r1 + r2) / L);
  };
  if (!(depth > 0) || !(plane || L > 0)) {
    cap.height = b.R1 + (depth < 0 ? -depth * b.softness1 / (b.softness1 + b.softness2) : 0);
    return cap;
  }
  const double top = depth / (b.softness1 + b.softness2);  // p_max
  const double node = std::sqrt(0.6);
  for (const auto& [x, weight] : {std::pair{-node, 5.0 / 18}, {0.0, 8.0 / 18}, {node, 5.0 / 18}}) {
    const double p = 0.5 * top * (1 + x);
    const double r1 = b.R1 - b.softness1 * p, z = height_at(p);
    const double area = kPi * std::max(0.0, (r1 - z) * (r1 + z));
    cap.force += weight * top * area;
    cap.stiffness += weight * top * 2 * kPi * z * (plane ? 1 : 1 - z / L);
    cap.energy +=
        weight * top * calc_lens_volume(r1, plane ? 0 : b.R2 - b.softness2 * p, plane ? z : L);
  }
  const double z0 = height_at(0);
  cap.disc = std::sqrt(std::max(0.0, (b.R1 - z0) * (b.R1 + z0)));
  cap.height = height_at(0.5 * top);
  return cap;
}

bool find_ball_contact(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                       double margin, BallContact* contact) {
  const bool ball_is_M = is_ball(M);
  const PressureField& ball = ball_is_M ? M : N;
  const PressureField& other = ball_is_M ? N : M;
  if (!is_ball(ball)) return false;
  contact->ball_is_M = ball_is_M;
  BallPair& pair = contact->pair;
  pair = {ball.sphere_radius, calc_softness(ball), other.sphere_radius, calc_softness(other), 0};
  if (other.half_space) {
    contact->up = ball_is_M ? X_MN.R.column(2) : Vec3{0, 0, 1};
    pair.distance = (ball_is_M ? -1 : 1) * dot(contact->up, X_MN.p);
    return true;
  }
  if (is_ball(other)) {
    contact->up = (ball_is_M ? -1.0 : 1.0) * normalized(X_MN.p);
    pair.distance = norm(X_MN.p);
    return true;
  }
  const Vec3 centre = ball_is_M ? inverse(X_MN).p : X_MN.p;  // in the other's frame
  Face face;
  if (!other.convex || !find_face(other, centre, pair, margin, &face)) return false;
  contact->up = ball_is_M ? X_MN.R * face.plane.normal : face.plane.normal;
  pair.softness2 = face.softness;
  pair.distance = dot(face.plane.normal, centre) - face.plane.offset;
  return true;
}

bool add_ball_points(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                     double margin, std::vector<SurfacePoint>* points) {
  BallContact contact;
  if (!find_ball_contact(M, N, X_MN, margin, &contact)) return false;
  const auto& [pair, up, ball_is_M] = contact;
  const double depth = pair.depth();
  if (!(depth > -margin)) return true;
  BallCap cap = calc_ball_cap(pair);
  if (depth <= 0) {
    // As stiff as if it had come as far as it may within the margin.
    BallPair closer = pair;
    closer.distance -= margin;
    cap.stiffness = calc_ball_cap(closer).stiffness;
    cap.force = cap.stiffness * depth;
  }
  if (!(cap.stiffness > 0)) cap.stiffness = cap.force / pair.R1;  // past the middle
  const Vec3 centre = (ball_is_M ? Vec3{} : X_MN.p) - cap.height * up;
  const Vec3 t1 = any_orthogonal(up), t2 = cross(up, t1);
  const Vec3 nhat = (ball_is_M ? 1.0 : -1.0) * up;  // out of N, into M
  for (int i = 0; i < kRing; ++i) {
    const double x = i % 2 == 0 ? 1 - i : 0, y = i % 2 == 1 ? 2 - i : 0;  // a quarter turn each
    points->push_back({centre + kRingRadius * cap.disc * (x * t1 + y * t2), nhat, cap.force / kRing,
                       cap.stiffness / kRing, depth, static_cast<std::uint32_t>(i)});
  }
  return true;
}

}  // namespace cenic
