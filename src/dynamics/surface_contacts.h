// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Hydroelastic contact between posed geometries: orders the two solids, keeps their candidate lists
// from query to query and turns contact surfaces into points.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/archive.h"
#include "geometry/hydroelastic/surface_points.h"
#include "model/model.h"

namespace cenic {

class SurfaceContacts {
 public:
  struct Posed {
    int index;
    const Geometry& geometry;
    const RigidTransform& X_WG;
  };
  struct Found {
    std::span<const SurfacePoint> points;  // in M's frame; until the next find()
    RigidTransform X_WM;
    double sign = 1;  // normals from A into B are sign · nhat
    bool touching = false;
    bool apart = false;  // nothing can touch within the motion
  };

  // How B moves relative to A within the step: at B's origin, in world.
  struct Motion {
    Vec3 travel, turn;
    double nearby = 0;  // gaps narrower than this count whether they close or not, m
    double reach = 0;   // no wider gap closes, m
  };

  // Points of the contact surface, and across gaps that the motion closes.
  Found find(const Posed& A, const Posed& B, const Motion& motion, SurfaceQuadrature quadrature);

  // How far the surface of a pair is sought, m: across gaps, and as deep as pressures say anything.
  static double calc_furthest(const Geometry& A, const Geometry& B);
  // How far they may move in a step without one passing through the other unseen, m.
  static double calc_blind_travel(const Geometry& A, const Geometry& B);
  // May points of the two shapes step in beyond that? Hulls that stand for meshes know nothing of
  // their hollows.
  static bool may_fall_back(const Geometry& A, const Geometry& B);

  static double calc_energy(const Posed& A, const Posed& B);

  // Saves or loads the candidate lists, which decide when they are made anew, and where surfaces
  // pressed.
  void exchange(Archive* archive);
  // Each pair as its last query found it, so that the same queries find the same again.
  void rewind();
  // The polygons of the surface on which A and B press: corners in world, mean pressure, Pa.
  using PolygonSink = std::function<void(std::span<const Vec3> corners_W, double pressure)>;
  void draw(const Posed& A, const Posed& B, const PolygonSink& sink);

  // Since the last call.
  SurfaceCounters take_counters() { return std::exchange(finder_.counters, {}); }

 private:
  struct Entry {
    SurfaceCandidates candidates;
    std::uint64_t used = 0;  // number of the query
    Vec3 direction;          // of the last query's surface, in M's frame; zero: nothing pressed
    Vec3 before;             // and of the surface before it
    bool presses() const { return direction != Vec3{}; }
  };
  Entry& find_entry(int a, int b);
  bool add_section_points(const PressureField& M, const PressureField& N,
                          const RigidTransform& X_MN, double fine);

  SurfaceFinder finder_;
  PointMaker maker_;
  std::vector<SurfacePolygon> polygons_;
  std::vector<SurfacePoint> points_;
  std::unordered_map<std::uint64_t, Entry> entries_;
  std::uint64_t query_ = 0, cleaned_at_ = 0, clean_at_ = 1000;
};

}  // namespace cenic
