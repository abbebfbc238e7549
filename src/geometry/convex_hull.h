// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Convex hull of a point cloud, with what contact needs: faces, edges and neighbours in flat
// arrays.
#pragma once

#include <span>
#include <vector>

#include "math/vec3.h"

namespace cenic {

// A vertex as a corner of one of its faces. The weight is 4 × (half the lengths of the face's two
// edges at the vertex)/(perimeter of the face): 1 at the corners of a rectangle, and 4 in sum over
// any face.
struct HullCorner {
  int face = 0;
  double weight = 1;
};

struct ConvexHull {
  std::vector<Vec3> vertices;      // only vertices of the hull (num_vertices)
  std::vector<int> face_start;     // first entry of each face in face_vertices (num_faces + 1)
  std::vector<int> face_vertices;  // counter-clockwise seen from outside; coplanar triangles merged
  std::vector<Vec3> face_normals;  // outward unit normals (num_faces)
  std::vector<int> neighbor_start;  // first entry of each vertex in neighbors (num_vertices + 1)
  std::vector<int> neighbors;       // vertices joined by an edge
  std::vector<int> corner_start;    // first entry of each vertex in corners (num_vertices + 1)
  std::vector<HullCorner> corners;  // the faces at each vertex (as long as face_vertices)
  Vec3 center;                      // a point inside
};

// Throws Error when fewer than four points, points that span no volume, or numbers that are not
// finite are given.
ConvexHull make_convex_hull(std::span<const Vec3> points);

// The vertex furthest along dir. Many vertices: a walk over edges, from which each step is uphill.
int find_support_vertex(const ConvexHull& hull, const Vec3& dir);

}  // namespace cenic
