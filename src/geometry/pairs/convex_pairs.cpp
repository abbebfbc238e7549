// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Any two bounded shapes: (1) the true distance or depth and its normal from the cores, (2) the
// flat faces and straight lines that look along that normal, (3) points between those. All in the
// frame of A.
#include <algorithm>

#include "geometry/pairs/bias.h"
#include "geometry/pairs/epa.h"
#include "geometry/pairs/gjk.h"
#include "geometry/pairs/pairs.h"
#include "geometry/pairs/patch_points.h"

namespace cenic::detail {
namespace {

// A face takes part when its normal is within about 70 degrees of a smooth normal.
constexpr double kFacing = 0.3;
// A cylinder shows its cap within 45 degrees of its axis, else its side.
constexpr double kCapFacing = 0.70710678118654752;

struct Closest {
  Vec3 nhat;  // from A to B
  double phi = 0;
  Vec3 p_A, p_B;         // on the surfaces
  bool rounded = false;  // the normal is that of a ball's surface and turns smoothly over edges
};

bool find_closest(const Core& a, const Core& b, double margin, Closest* closest) {
  const double radii = a.radius + b.radius;
  const GjkResult gjk = calc_gjk(a, b, margin + radii);
  if (gjk.status == GjkStatus::kFar) return false;
  if (gjk.status == GjkStatus::kSeparated) {
    *closest = {gjk.nhat, gjk.distance - radii, gjk.p_A, gjk.p_B, radii > 0};
  } else {
    const Penetration deepest = calc_epa(a, b);
    if (!deepest.found) return false;
    *closest = {deepest.nhat, -deepest.depth - radii, deepest.p_A, deepest.p_B, false};
  }
  closest->p_A += a.radius * closest->nhat;
  closest->p_B -= b.radius * closest->nhat;
  // An ellipsoid has one point for each normal, which the normal gives more exactly than the
  // search.
  if (b.kind == ShapeKind::kEllipsoid) {
    closest->p_B = calc_core_support(b, -closest->nhat);
    closest->p_A = closest->p_B - closest->phi * closest->nhat;
  } else if (a.kind == ShapeKind::kEllipsoid) {
    closest->p_A = calc_core_support(a, closest->nhat);
    closest->p_B = closest->p_A + closest->phi * closest->nhat;
  }
  return closest->phi < margin;
}

// Half of about the smallest width.
double calc_half_width(const Core& core) {
  switch (core.kind) {
    case ShapeKind::kBox:
      return std::min({core.size.x, core.size.y, core.size.z});
    case ShapeKind::kCylinder:
      return std::min(core.size.x, core.size.z);
    case ShapeKind::kCapsule:
      return core.size.x;
    default:
      return calc_core_extent(core);
  }
}

// The pair with the owner R of the reference feature first.
struct Roles {
  const Core& R;
  const Core& I;
  bool swapped;  // R is B
};

// Gap along the normal of R's face.
double calc_face_gap(const FlatFace& face, const Core& other) {
  return dot(face.normal, calc_core_support(other, -face.normal)) - other.radius - face.offset;
}

bool shows_cap(const FlatFace& face, const Vec3& n) {
  return face.radius <= 0 || std::fabs(dot(face.normal, n)) > kCapFacing;
}

bool add_on_face(const Roles& roles, const FlatFace& face, const PatchTarget& target) {
  const FaceSide R{roles.R, face};
  FlatFace facing;
  if (find_flat_face(roles.I, -target.nhat, &facing) && shows_cap(facing, target.nhat)) {
    PatchTarget named = target;
    named.name = (face.id & 127) << 8 | (facing.id & 127) << 1 | (roles.swapped ? 1 : 0);
    return add_face_face(R, {roles.I, facing}, named);
  }
  Segment line;
  if (!find_line(roles.I, -target.nhat, &line)) return false;
  PatchTarget named = target;
  named.name = 1u << 15 | (face.id & 127) << 8 | (roles.swapped ? 1 : 0);
  return add_face_line(R, line, roles.I.radius, named);
}

bool add_lines(const Roles& roles, const Closest& closest, const PatchTarget& target) {
  LinePair lines;
  if (!find_line(roles.R, target.nhat, &lines.R) || !find_line(roles.I, -target.nhat, &lines.I)) {
    return false;
  }
  lines.radius_R = roles.R.radius, lines.radius_I = roles.I.radius;
  lines.scale = roles.R.size.x + roles.I.size.x;
  const Vec3 d = lines.R.p[1] - lines.R.p[0];
  const Vec3& p = roles.swapped ? closest.p_B : closest.p_A;
  lines.closest_R = std::clamp(dot(p - lines.R.p[0], d) / norm_squared(d), 0.0, 1.0);
  PatchTarget named = target;
  named.name = 3u << 14;
  return add_line_line(lines, named);
}

// Points in the frame of A; true when they hold what the closest points hold: touch when those
// touch, and with `bias` ≥ 0 given, as deep up to the bias.
bool finish(const PatchTarget& target, const Closest& closest, double bias, Manifold* manifold) {
  target.reducer->finish(manifold);
  manifold->nhat_AB_W = target.swapped ? -target.nhat : target.nhat;
  double least = target.margin;
  for (int k = 0; k < manifold->count; ++k) {
    least = std::min(least, manifold->points[k].phi);
  }
  const bool good = bias < 0 ? closest.phi >= 0 || least < 0 : is_as_good(least, closest.phi, bias);
  if (manifold->count > 0 && good) return true;
  manifold->count = 0;
  return false;
}

// A ball around the core of one of them: keep the true normal and look for the face or line below
// it.
bool add_rounded(const Core& a, const Core& b, const Closest& closest, double margin,
                 Manifold* manifold) {
  const bool swapped = a.radius > 0;  // the reference is the one without a ball
  const Roles roles{swapped ? b : a, swapped ? a : b, swapped};
  PointReducer reducer(closest.nhat);
  const PatchTarget target{swapped ? -closest.nhat : closest.nhat, margin, swapped, 0, &reducer};
  FlatFace face;
  bool added = false;
  if (find_flat_face(roles.R, target.nhat, &face) && dot(face.normal, target.nhat) > kFacing) {
    added = add_on_face(roles, face, target);
  } else {
    added = add_lines(roles, closest, target);
  }
  return added && finish(target, closest, -1, manifold);
}

// A flat face of R that looks along the normal, and the gap along its own normal.
struct FaceChoice {
  bool exists = false;
  FlatFace face;
  double gap = 0;
};

FaceChoice choose_face(const Core& R, const Core& I, const Vec3& n) {
  FaceChoice choice;
  choice.exists = find_flat_face(R, n, &choice.face);
  if (choice.exists) choice.gap = calc_face_gap(choice.face, I);
  return choice;
}

// Sharp shapes: a face nearly as good as the best direction is taken, A's rather than B's.
bool add_sharp(const Core& a, const Core& b, const Closest& closest, const ManifoldOptions& options,
               Manifold* manifold) {
  const FaceChoice choices[2] = {choose_face(a, b, closest.nhat), choose_face(b, a, -closest.nhat)};
  const double width = std::min(calc_half_width(a), calc_half_width(b));
  const double rounding = 1e-9 * (calc_core_extent(a) + calc_core_extent(b));
  const auto bias = [&](double gap) {
    return rounding + (options.face_bias ? calc_bias(gap, width) : 0);
  };
  const bool on_B = choices[1].exists &&
                    (!choices[0].exists || choices[1].gap > choices[0].gap + bias(choices[0].gap));
  for (const bool swapped : {on_B, !on_B}) {
    const FaceChoice& choice = choices[swapped ? 1 : 0];
    const Vec3& nhat = choice.face.normal;
    // Good as a separating direction, or near to the best one and then good where the shapes
    // overlap.
    const bool separating = choice.gap >= closest.phi - bias(closest.phi);
    const bool near = options.face_bias && std::fabs(dot(nhat, closest.nhat)) > kNearFace;
    if (!choice.exists || !(separating || near)) continue;
    PointReducer reducer(swapped ? -nhat : nhat);
    const PatchTarget target{nhat, options.margin, swapped, 0, &reducer};
    const bool added =
        add_on_face({swapped ? b : a, swapped ? a : b, swapped}, choice.face, target);
    if (added && finish(target, closest, bias(closest.phi), manifold)) return true;
  }
  PointReducer reducer(closest.nhat);
  const PatchTarget target{closest.nhat, options.margin, false, 0, &reducer};
  return add_lines({a, b, false}, closest, target) && finish(target, closest, -1, manifold);
}

}  // namespace

void calc_convex_convex(const Posed& A, const Posed& B, const ManifoldOptions& options,
                        Manifold* manifold) {
  const Core a = make_core(A.shape, RigidTransform{});
  const Core b = make_core(B.shape, inverse(A.X_WG) * B.X_WG);
  Closest closest;
  if (!find_closest(a, b, options.margin, &closest)) return;
  const bool smooth = a.kind == ShapeKind::kEllipsoid || b.kind == ShapeKind::kEllipsoid;
  const bool done =
      !smooth && (closest.rounded ? add_rounded(a, b, closest, options.margin, manifold)
                                  : add_sharp(a, b, closest, options, manifold));
  if (!done) {
    manifold->nhat_AB_W = closest.nhat;
    manifold->count = 1;
    manifold->points[0] = {closest.p_A, closest.p_B, closest.phi, 1, 1u << 31};
  }
  manifold->nhat_AB_W = A.X_WG.R * manifold->nhat_AB_W;
  for (int k = 0; k < manifold->count; ++k) {
    ManifoldPoint& point = manifold->points[k];
    point.p_WA = A.X_WG * point.p_WA;
    point.p_WB = A.X_WG * point.p_WB;
  }
}

}  // namespace cenic::detail
