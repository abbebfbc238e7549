// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/pairs/patch_points.h"

#include <algorithm>

namespace cenic::detail {
namespace {

constexpr double kFade = 0.1;  // of a disc's radius, over which its rim points fade beyond a border
constexpr int kSideNames = 64;  // sides of I are below, sides of R from here on

// Keeps the part of the polygon on the inner side of the plane through p with outward direction
// `out`.
void clip(const Vec3& p, const Vec3& out, int name, const Polygon& from, Polygon* to) {
  to->count = 0;
  if (from.count == 0) return;
  int k = from.count - 1;
  double dk = dot(out, from.p[k] - p);
  for (int m = 0; m < from.count; ++m) {
    const double dm = dot(out, from.p[m] - p);
    if ((dk > 0) != (dm > 0) && to->count < kMaxPolygon) {
      to->p[to->count] = from.p[k] + dk / (dk - dm) * (from.p[m] - from.p[k]);
      to->in[to->count] = dk > 0 ? static_cast<std::uint16_t>(name) : from.out[k];
      to->out[to->count++] = dk > 0 ? from.out[k] : static_cast<std::uint16_t>(name);
    }
    if (!(dm > 0) && to->count < kMaxPolygon) {
      to->p[to->count] = from.p[m];
      to->in[to->count] = from.in[m];
      to->out[to->count++] = from.out[m];
    }
    k = m, dk = dm;
  }
}

// `window`: counter-clockwise about n.
void clip_to_window(const Polygon& window, const Vec3& n, Polygon* polygon) {
  Polygon other;
  for (int k = 0; k < window.count && polygon->count > 0; ++k) {
    const Vec3& p = window.p[k];
    clip(p, cross(window.p[(k + 1) % window.count] - p, n), kSideNames + k, *polygon, &other);
    *polygon = other;
  }
}

// How far x is outside of the window, 0 inside.
double distance_outside(const Polygon& window, const Vec3& n, const Vec3& x) {
  double outside = 0;
  for (int k = 0; k < window.count; ++k) {
    const Vec3 out = cross(window.p[(k + 1) % window.count] - window.p[k], n);
    outside = std::max(outside, dot(out, x - window.p[k]) / std::max(norm(out), 1e-300));
  }
  return outside;
}

// Height of the plane of I over the point x of the plane of R, along n.
double height(const FlatFace& I, const Vec3& n, const Vec3& x) {
  return (I.offset - dot(I.normal, x)) / dot(I.normal, n);
}

// The vertices of a region of the reference plane, with the weights of docs/contact.md times
// `share`.
void add_region(const Polygon& region, const FlatFace& I, double share, const PatchTarget& target) {
  double side[kMaxPolygon], perimeter = 0;
  for (int k = 0; k < region.count; ++k) {
    const Vec3 &p = region.p[k], &q = region.p[k + 1 == region.count ? 0 : k + 1];
    const Vec3 edge = q - p + (height(I, target.nhat, q) - height(I, target.nhat, p)) * target.nhat;
    side[k] = norm(edge);
    perimeter += side[k];
  }
  for (int k = 0; k < region.count; ++k) {
    const double weight =
        perimeter > 0 ? 2 * (side[k] + side[(k + region.count - 1) % region.count]) / perimeter
                      : 1.0 / region.count;
    const double phi = height(I, target.nhat, region.p[k]);
    target.add(region.p[k], region.p[k] + phi * target.nhat, share * weight,
               static_cast<std::uint32_t>(region.in[k] << 7 | region.out[k]));
  }
}

// A disc lying over a window (the other face). Whole, it is four rim points from the deepest
// direction on, of weight 1. Where it hangs over the border of the window it is the 16-gon clipped
// to the window. The share of the clipped form grows with the part of the force that the 16-gon's
// vertices beyond the border would carry.
void add_disc(double radius, Polygon rim, const Polygon& window, const FlatFace& I,
              const PatchTarget& target) {
  double force = 0, lost = 0, plain = 0;
  for (int k = 0; k < rim.count; ++k) {
    const double outside =
        std::min(1.0, distance_outside(window, target.nhat, rim.p[k]) / (kFade * radius));
    const double f = std::max(0.0, -height(I, target.nhat, rim.p[k]));
    force += f, lost += f * outside, plain += outside / rim.count;
  }
  const double s = std::min(1.0, 5 * (force > 0 ? lost / force : plain));
  const double clipped = s * s * (3 - 2 * s);
  if (clipped < 1) {
    for (int k = 0; k < 4; ++k) {
      const Vec3& p = rim.p[k * rim.count / 4];
      // Beyond the border a point fades out; if it does not touch yet it is not there at all.
      const double outside = distance_outside(window, target.nhat, p) / radius;
      const double phi = height(I, target.nhat, p);
      if (phi >= 0 && outside > 1e-9) continue;
      target.add(p, p + phi * target.nhat, (1 - clipped) * std::max(0.0, 1 - outside / kFade),
                 static_cast<std::uint32_t>(1 << 14 | k));
    }
  }
  if (clipped > 1e-6) {
    clip_to_window(window, target.nhat, &rim);
    add_region(rim, I, clipped, target);
  }
}

// The direction in the plane of `face` furthest along d; fixed to the shape when d is along the
// normal.
Vec3 steepest(const FlatFace& face, const Vec3& d) {
  const Vec3 g = d - dot(d, face.normal) * face.normal;
  const double length = norm(g);
  return length > 0 ? g / length : face.direction;
}

// The face as a polygon in the reference plane (of R), counter-clockwise about n. A disc's first
// vertex is where it is deepest in the other shape: furthest against the other's normal.
void collect_projected(const FaceSide& side, const FlatFace& other, const Vec3& n, double offset,
                       Polygon* polygon) {
  if (side.face.radius > 0) {
    collect_disc_polygon(side.face, steepest(side.face, -other.normal), polygon);
  } else {
    collect_polygon(side.core, side.face, polygon);
  }
  if (dot(side.face.normal, n) < 0) {
    // The first vertex stays the first.
    std::reverse(polygon->p + 1, polygon->p + polygon->count);
  }
  for (int k = 0; k < polygon->count; ++k) {
    polygon->p[k] += (offset - dot(n, polygon->p[k])) * n;
  }
}

// The part of a segment, as parameters in [0, 1].
struct Range {
  double t[2] = {0, 1};
};

// |c + t d|² ≤ r²
bool clip_to_disc(const FlatFace& disc, const Segment& foot, Range* range) {
  const Vec3 c = foot.p[0] - disc.center, d = foot.p[1] - foot.p[0];
  const double dd = norm_squared(d), cd = dot(c, d), rr = disc.radius * disc.radius;
  const double rest = norm_squared(c) - rr, discriminant = cd * cd - dd * rest;
  if (!(dd > 1e-24 * rr)) return rest <= 0;
  if (discriminant < 0) return false;
  range->t[0] = std::max(0.0, (-cd - std::sqrt(discriminant)) / dd);
  range->t[1] = std::min(1.0, (-cd + std::sqrt(discriminant)) / dd);
  return range->t[0] <= range->t[1];
}

bool clip_to_face(const FaceSide& R, const Segment& foot, Range* range) {
  Polygon window;
  collect_polygon(R.core, R.face, &window);
  // A foot on the border by construction (the closest feature is an edge) must not be lost by
  // rounding.
  const double tolerance = 1e-10 * (norm(foot.p[0] - window.p[0]) + norm(foot.p[1] - window.p[0]));
  for (int k = 0; k < window.count; ++k) {
    const Vec3 out =
        normalized(cross(window.p[(k + 1) % window.count] - window.p[k], R.face.normal));
    const double d0 = dot(out, foot.p[0] - window.p[k]) - tolerance;
    const double d1 = dot(out, foot.p[1] - window.p[k]) - tolerance;
    if (d0 > 0 && d1 > 0) return false;
    if (d0 > 0) range->t[0] = std::max(range->t[0], d0 / (d0 - d1));
    if (d1 > 0) range->t[1] = std::min(range->t[1], d0 / (d0 - d1));
  }
  return range->t[0] <= range->t[1];
}

}  // namespace

void PatchTarget::add(const Vec3& on_R, const Vec3& on_I, double weight,
                      std::uint32_t name_in_patch) const {
  const double phi = dot(nhat, on_I - on_R);
  if (!(phi < margin) || !(weight > 0)) return;
  reducer->add(
      {swapped ? on_I : on_R, swapped ? on_R : on_I, phi, weight, name << 16 | name_in_patch});
}

bool add_face_face(const FaceSide& R, const FaceSide& I, const PatchTarget& target) {
  const Vec3& n = target.nhat;
  if (!(dot(I.face.normal, n) < -0.1)) return false;  // a spike, not a face
  Polygon window, region;
  collect_projected(R, I.face, n, R.face.offset, &window);
  collect_projected(I, R.face, n, R.face.offset, &region);
  Polygon common = region;
  clip_to_window(window, n, &common);
  if (common.count == 0) return false;
  // The disc that may be whole: the smaller of two, or the only one.
  if (I.face.radius > 0 && (R.face.radius <= 0 || I.face.radius <= R.face.radius)) {
    add_disc(I.face.radius, region, window, I.face, target);
  } else if (R.face.radius > 0) {
    add_disc(R.face.radius, window, region, I.face, target);
  } else {
    add_region(common, I.face, 1, target);
  }
  return true;
}

bool add_face_line(const FaceSide& R, const Segment& line, double radius,
                   const PatchTarget& target) {
  const Vec3& n = target.nhat;
  const Vec3& f = R.face.normal;
  const double along = dot(f, n);
  if (!(along > 0.2)) return false;
  // Along n down to the reference plane.
  Segment foot;
  for (int k = 0; k < 2; ++k) {
    foot.p[k] = line.p[k] + (R.face.offset - dot(f, line.p[k])) / along * n;
  }
  Range range;
  if (!(R.face.radius > 0 ? clip_to_disc(R.face, foot, &range) : clip_to_face(R, foot, &range))) {
    return false;
  }
  // Two points of weight 1; as the common part shrinks to a point, one point of weight 1.
  const double whole = norm(line.p[1] - line.p[0]), length = (range.t[1] - range.t[0]) * whole;
  const double weight = 0.5 + 0.5 * std::min(1.0, length / std::max(radius, 0.05 * whole));
  for (int k = 0; k < 2; ++k) {
    target.add(foot.at(range.t[k]), line.at(range.t[k]) - radius * n, weight,
               static_cast<std::uint32_t>(k));
  }
  return true;
}

// Parallel lines touch in the two ends of their overlap, crossing lines in one point. With b from 1
// (parallel, long overlap, across the normal) to 0: weight b at each end, 1 − b at a point that
// moves from the middle of the overlap to the closest point. Nothing jumps in between.
bool add_line_line(const LinePair& lines, const PatchTarget& target) {
  const Vec3 d_R = lines.R.p[1] - lines.R.p[0], d_I = lines.I.p[1] - lines.I.p[0];
  const double length_R = norm(d_R), length_I = norm(d_I);
  const double sine = norm(cross(d_R, d_I)) / (length_R * length_I);
  const double axial = std::max(std::fabs(dot(d_R, target.nhat)) / length_R,
                                std::fabs(dot(d_I, target.nhat)) / length_I);
  const double parallel = std::max(0.0, 1 - (sine * sine) / (0.1 * 0.1)) *
                          std::max(0.0, 1 - (axial * axial) / (0.2 * 0.2));
  if (!(parallel > 0)) return false;
  // The overlap, as parameters on R.
  const double s0 = dot(lines.I.p[0] - lines.R.p[0], d_R) / (length_R * length_R);
  const double s1 = dot(lines.I.p[1] - lines.R.p[0], d_R) / (length_R * length_R);
  const double low = std::max(0.0, std::min(s0, s1)), high = std::min(1.0, std::max(s0, s1));
  if (!(high > low)) return false;
  const double blend = parallel * parallel * std::min(1.0, (high - low) * length_R / lines.scale);
  const double middle =
      parallel * 0.5 * (low + high) + (1 - parallel) * std::clamp(lines.closest_R, low, high);
  const double at[3] = {low, high, middle};
  const double weight[3] = {blend, blend, 1 - blend};
  for (int k = 0; k < 3; ++k) {
    const double t = std::clamp((at[k] - s0) / (s1 - s0), 0.0, 1.0);
    const Vec3 p = lines.R.p[0] + at[k] * d_R, q = lines.I.p[0] + t * d_I;
    target.add(p + lines.radius_R * target.nhat, q - lines.radius_I * target.nhat, weight[k],
               static_cast<std::uint32_t>(k));
  }
  return true;
}

}  // namespace cenic::detail
