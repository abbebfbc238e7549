// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The straight parts of a path through points of bodies and around obstacles.
#pragma once

#include <optional>
#include <vector>

#include "model/tendon_path.h"

namespace cenic {

// Bodies of the path are numbered in this order: of each branch its points, then its obstacles;
// pose(i) is X_WB of the i-th. Calls f(i, a, j, b, divisor) for each straight part from the point a
// of the i-th body to b of the j-th, in world, and returns the length of what lies on obstacles.
template <class Pose, class F>
double walk_path(const std::vector<PathBranch>& branches, const Pose& pose, const F& f) {
  double on_obstacles = 0;
  int first = 0;  // body of the branch's first point
  for (const PathBranch& branch : branches) {
    const int num_points = static_cast<int>(branch.points.size());
    for (int i = 0; i + 1 < num_points; ++i) {
      const int ia = first + i, ib = ia + 1;
      const Vec3 a = pose(ia) * branch.points[i].p_B;
      const Vec3 b = pose(ib) * branch.points[i + 1].p_B;
      std::optional<Wrap> wrap;
      for (std::size_t k = 0; k < branch.obstacles.size() && !wrap; ++k) {
        const PathObstacle& o = branch.obstacles[k];
        if (o.after != i) continue;
        const int io = first + num_points + static_cast<int>(k);
        const RigidTransform X_WG = pose(io) * o.X_BG;
        wrap = calc_wrap(o.obstacle, inverse_times(X_WG, a), inverse_times(X_WG, b));
        if (!wrap) continue;
        f(ia, a, io, X_WG * wrap->a_G, branch.divisor);
        f(io, X_WG * wrap->b_G, ib, b, branch.divisor);
        on_obstacles += wrap->length / branch.divisor;
      }
      if (!wrap) f(ia, a, ib, b, branch.divisor);
    }
    first += num_points + static_cast<int>(branch.obstacles.size());
  }
  return on_obstacles;
}

}  // namespace cenic
