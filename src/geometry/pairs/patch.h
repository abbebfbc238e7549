// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The features of a shape that can touch along more than a point: flat faces and straight lines.
#pragma once

#include <cstdint>

#include "geometry/pairs/core.h"

namespace cenic::detail {

inline constexpr int kMaxPolygon = 64;

struct Polygon {
  int count = 0;
  Vec3 p[kMaxPolygon];
  // Names of the sides before and after each vertex.
  std::uint16_t in[kMaxPolygon] = {}, out[kMaxPolygon] = {};
};

struct Segment {
  Vec3 p[2];
  Vec3 at(double t) const { return (1 - t) * p[0] + t * p[1]; }
};

// A flat face: a polygon, or a disc when radius > 0.
struct FlatFace {
  Vec3 normal;        // outward
  double offset = 0;  // normal·x on the face
  std::uint32_t id = 0;
  double radius = 0;       // disc
  Vec3 center, direction;  // disc: centre and a unit vector in its plane, fixed to the shape
};

// The flat face that looks along n, if the shape has flat faces: of the faces that meet in the
// support point of n, the one whose normal is closest to n. The polygon is collected when it is
// needed.
bool find_flat_face(const Core& core, const Vec3& n, FlatFace* face);
void collect_polygon(const Core& core, const FlatFace& face, Polygon* polygon);

// Regular polygon inscribed in a disc face, counter-clockwise about its normal, first vertex along
// `first`.
void collect_disc_polygon(const FlatFace& disc, const Vec3& first, Polygon* polygon);

// The line of a capsule's axis, or of a cylinder's side furthest along n.
bool find_line(const Core& core, const Vec3& n, Segment* line);

}  // namespace cenic::detail
