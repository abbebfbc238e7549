// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/convex_hull.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

#include "core/error.h"

namespace cenic {
namespace {

// Relative to the extent of the cloud: numbers of a 32-bit mesh file put a plane's points this far
// off it.
constexpr double kCoplanar = 2e-7;
constexpr double kFlat = 1e-6;
// Below this many vertices a scan of all beats the walk.
constexpr int kScanLimit = 48;

struct Cloud {
  Vec3 center;
  double extent = 0;           // largest half width of the bounding box
  std::vector<double> scaled;  // (p − center)/extent, three numbers a point
};

[[noreturn]] void fail(const std::string& text) { throw Error("convex hull: " + text); }

Cloud make_cloud(std::span<const Vec3> points) {
  if (points.size() < 4) {
    fail(std::to_string(points.size()) +
         " points are given; a hull needs at least four that span a volume");
  }
  Vec3 lower = points[0], upper = points[0];
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i])) {
      fail("point " + std::to_string(i) + " is not finite; check the mesh or its scale");
    }
    lower = cwise_min(lower, points[i]);
    upper = cwise_max(upper, points[i]);
  }
  Cloud cloud;
  cloud.center = 0.5 * (lower + upper);
  const Vec3 half = 0.5 * (upper - lower);
  cloud.extent = std::max({half.x, half.y, half.z});
  if (!(cloud.extent > 0)) fail("all points are the same; give points that span a volume");
  cloud.scaled.reserve(3 * points.size());
  for (const Vec3& p : points) {
    const Vec3 s = (p - cloud.center) / cloud.extent;
    cloud.scaled.insert(cloud.scaled.end(), {s.x, s.y, s.z});
  }
  return cloud;
}

Vec3 scaled_point(const Cloud& cloud, std::size_t i) {
  return {cloud.scaled[3 * i], cloud.scaled[3 * i + 1], cloud.scaled[3 * i + 2]};
}

// A line through the furthest point from the first, a plane through the furthest point from that
// line: what is the furthest point from the plane? Named here because qhull's own message is a page
// long.
void check_spans_volume(const Cloud& cloud) {
  const std::size_t num_points = cloud.scaled.size() / 3;
  const Vec3 origin = scaled_point(cloud, 0);
  Vec3 along, plane;
  double off_plane = 0;
  for (std::size_t i = 0; i < num_points; ++i) {
    const Vec3 d = scaled_point(cloud, i) - origin;
    if (norm(d) > norm(along)) along = d;
  }
  along = normalized(along);
  for (std::size_t i = 0; i < num_points; ++i) {
    const Vec3 d = cross(along, scaled_point(cloud, i) - origin);
    if (norm(d) > norm(plane)) plane = d;
  }
  if (norm(plane) < kFlat) fail("the points lie on a line; give points that span a volume");
  plane = normalized(plane);
  for (std::size_t i = 0; i < num_points; ++i) {
    off_plane = std::max(off_plane, std::fabs(dot(plane, scaled_point(cloud, i) - origin)));
  }
  if (off_plane < kFlat) {
    fail("the points lie in a plane; give points that span a volume, or thicken the mesh");
  }
}

// One run of qhull; its memory and messages go when the object goes.
class QhullRun {
 public:
  QhullRun(Cloud* cloud, const char* command) : messages_(open_memstream(&text_, &text_size_)) {
    qh_zero(&qh_, messages_);
    const int num_points = static_cast<int>(cloud->scaled.size() / 3);
    std::string text(command);
    exit_code_ = qh_new_qhull(&qh_, 3, num_points, cloud->scaled.data(), False, text.data(),
                              nullptr, messages_);
  }
  ~QhullRun() {
    qh_freeqhull(&qh_, qh_ALL);
    int short_left = 0, long_left = 0;
    qh_memfreeshort(&qh_, &short_left, &long_left);
    if (messages_ != nullptr) std::fclose(messages_);
    std::free(text_);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  bool ok() const { return exit_code_ == 0; }
  std::string first_message() {
    std::fflush(messages_);
    const std::string text(text_, text_size_);
    return text.substr(0, text.find('\n'));
  }
  qhT* get() { return &qh_; }

 private:
  char* text_ = nullptr;
  std::size_t text_size_ = 0;
  std::FILE* messages_;
  qhT qh_{};
  int exit_code_ = 0;
};

struct RawFace {
  Vec3 normal;
  std::vector<int> points;  // of the cloud
};

// Puts the points of a face in counter-clockwise order about its normal, by their angle seen from
// their mean.
void sort_around(const Cloud& cloud, RawFace* face) {
  Vec3 mean;
  for (const int i : face->points) {
    mean += scaled_point(cloud, i);
  }
  mean = mean / static_cast<double>(face->points.size());
  const Vec3 e1 = any_orthogonal(face->normal), e2 = cross(face->normal, e1);
  std::vector<std::pair<double, int>> by_angle;
  for (const int i : face->points) {
    const Vec3 d = scaled_point(cloud, i) - mean;
    by_angle.emplace_back(std::atan2(dot(d, e2), dot(d, e1)), i);
  }
  std::sort(by_angle.begin(), by_angle.end());
  for (std::size_t k = 0; k < by_angle.size(); ++k) {
    face->points[k] = by_angle[k].second;
  }
}

std::vector<RawFace> collect_faces(const Cloud& cloud, QhullRun* run) {
  qhT* qh = run->get();
  std::vector<RawFace> faces;
  facetT* facet = nullptr;
  FORALLfacets {
    RawFace face;
    face.normal = normalized(Vec3{facet->normal[0], facet->normal[1], facet->normal[2]});
    vertexT* vertex = nullptr;
    vertexT** vertexp = nullptr;
    FOREACHvertex_(facet->vertices) face.points.push_back(qh_pointid(qh, vertex->point));
    sort_around(cloud, &face);
    faces.push_back(std::move(face));
  }
  return faces;
}

void fill_faces(std::span<const Vec3> points, const std::vector<RawFace>& faces, ConvexHull* hull) {
  std::vector<int> vertex_of(points.size(), -1);
  for (const RawFace& face : faces) {
    for (const int i : face.points) {
      vertex_of[i] = 0;
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (vertex_of[i] < 0) continue;
    vertex_of[i] = static_cast<int>(hull->vertices.size());
    hull->vertices.push_back(points[i]);
  }
  for (const RawFace& face : faces) {
    hull->face_start.push_back(static_cast<int>(hull->face_vertices.size()));
    hull->face_normals.push_back(face.normal);
    for (const int i : face.points) {
      hull->face_vertices.push_back(vertex_of[i]);
    }
  }
  hull->face_start.push_back(static_cast<int>(hull->face_vertices.size()));
}

// Neighbours and corners by vertex. False when V − E + F ≠ 2 or an edge is not shared by two faces.
bool fill_topology(ConvexHull* hull) {
  const int num_vertices = static_cast<int>(hull->vertices.size());
  const int num_faces = static_cast<int>(hull->face_normals.size());
  std::vector<std::vector<int>> next(num_vertices);
  std::vector<std::vector<HullCorner>> corners(num_vertices);
  for (int f = 0; f < num_faces; ++f) {
    const int start = hull->face_start[f], size = hull->face_start[f + 1] - start;
    const auto vertex = [&](int k) {
      return hull->face_vertices[start + k % size];
    };
    const auto length = [&](int k) {
      return norm(hull->vertices[vertex(k + 1)] - hull->vertices[vertex(k)]);
    };
    double perimeter = 0;
    for (int k = 0; k < size; ++k) {
      perimeter += length(k);
    }
    for (int k = 0; k < size; ++k) {
      next[vertex(k)].push_back(vertex(k + 1));
      corners[vertex(k)].push_back({f, 2 * (length(k) + length(k + size - 1)) / perimeter});
    }
  }
  for (int v = 0; v < num_vertices; ++v) {
    hull->neighbor_start.push_back(static_cast<int>(hull->neighbors.size()));
    hull->corner_start.push_back(static_cast<int>(hull->corners.size()));
    std::sort(next[v].begin(), next[v].end());
    for (const int to : next[v]) {
      if (std::find(next[to].begin(), next[to].end(), v) == next[to].end()) return false;
      hull->neighbors.push_back(to);
    }
    if (std::adjacent_find(next[v].begin(), next[v].end()) != next[v].end() || next[v].size() < 3) {
      return false;
    }
    hull->corners.insert(hull->corners.end(), corners[v].begin(), corners[v].end());
  }
  hull->neighbor_start.push_back(static_cast<int>(hull->neighbors.size()));
  hull->corner_start.push_back(static_cast<int>(hull->corners.size()));
  const int num_edges = static_cast<int>(hull->neighbors.size()) / 2;
  return num_vertices - num_edges + num_faces == 2;
}

}  // namespace

ConvexHull make_convex_hull(std::span<const Vec3> points) {
  Cloud cloud = make_cloud(points);
  check_spans_volume(cloud);
  // First with planes of a mesh file's precision; should merging tear the surface, with exact ones,
  // then triangles.
  const std::string merged = "qhull C-" + std::to_string(kCoplanar * 1e7) + "e-7";
  std::string message;
  for (const char* command : {merged.c_str(), "qhull C-0", "qhull Qt"}) {
    QhullRun run(&cloud, command);
    if (!run.ok()) {
      message = run.first_message();
      continue;
    }
    ConvexHull hull;
    fill_faces(points, collect_faces(cloud, &run), &hull);
    if (!fill_topology(&hull)) continue;
    for (const Vec3& v : hull.vertices) {
      hull.center += v / static_cast<double>(hull.vertices.size());
    }
    return hull;
  }
  fail("no closed surface found" + (message.empty() ? "" : " (" + message + ")") +
       "; remove nearly identical points from the mesh");
}

int find_support_vertex(const ConvexHull& hull, const Vec3& dir) {
  const int num_vertices = static_cast<int>(hull.vertices.size());
  int best = 0;
  double best_value = dot(dir, hull.vertices[0]);
  if (num_vertices <= kScanLimit) {
    for (int v = 1; v < num_vertices; ++v) {
      const double value = dot(dir, hull.vertices[v]);
      if (value > best_value) best_value = value, best = v;
    }
    return best;
  }
  // A vertex no neighbour of which is higher is the highest of a convex body.
  for (bool moved = true; moved;) {
    moved = false;
    const int from = best;
    for (int k = hull.neighbor_start[from]; k < hull.neighbor_start[from + 1]; ++k) {
      const double value = dot(dir, hull.vertices[hull.neighbors[k]]);
      if (value > best_value) best_value = value, best = hull.neighbors[k], moved = true;
    }
  }
  return best;
}

}  // namespace cenic
