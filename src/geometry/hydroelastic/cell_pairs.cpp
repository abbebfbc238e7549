// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/hydroelastic/cell_pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace cenic {
namespace {

// Skin of candidate lists: this many times the last motion between rebuilds, within these shares
// of the smaller solid's size.
constexpr double kSkinFactor = 10, kSkinMin = 1e-3, kSkinMax = 2e-2;
constexpr double kRounding = 1e-9;  // of boxes, as a share of the smaller solid's size

double calc_turn(const Mat3& A, const Mat3& B) {
  // |A − B|_F = 2√2 sin(θ/2): the distance that a point at radius 1 moves, at most, is 2 sin(θ/2).
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    sum += norm_squared(A.row[i] - B.row[i]);
  }
  return std::sqrt(0.5 * sum);
}

Mat3 cwise_abs(const Mat3& R) {
  return {{cwise_abs(R.row[0]), cwise_abs(R.row[1]), cwise_abs(R.row[2])}};
}

// May N reach the core of M, where pressures are above those of its shell?
bool may_reach_core(const PressureField& M, const PressureField& N, const RigidTransform& X_MN,
                    double margin) {
  if (!M.has_core || M.half_space) return false;
  if (!N.half_space) return find_box_gap(M.core, N.tree.bounds(), X_MN).width <= margin;
  const Vec3 nhat = X_MN.R.column(2);
  const double low = dot(nhat, 0.5 * (M.core.upper + M.core.lower) - X_MN.p) -
                     dot(cwise_abs(nhat), 0.5 * (M.core.upper - M.core.lower));
  return low <= margin;
}

// How far points of the bounded one of the two solids have moved, at most, in the other's frame.
double calc_motion(const CellPairQuery& q, const RigidTransform& X_MN_before) {
  const PressureField &M = q.M, &N = q.N;
  if (!N.half_space) {
    return norm(q.X_MN * N.center - X_MN_before * N.center) +
           calc_turn(q.X_MN.R, X_MN_before.R) * N.radius;
  }
  const RigidTransform X_NM = inverse(q.X_MN), before = inverse(X_MN_before);
  return norm(X_NM * M.center - before * M.center) + calc_turn(X_NM.R, before.R) * M.radius;
}

// How far the fields of both go out together when looking across gaps up to the margin.
double calc_reach(const CellPairQuery& q, double margin) {
  return margin * (q.M.half_space ? q.N.max_spread : q.M.max_spread) +
         (q.N.compliance == Compliance::kCompliant ? margin * q.N.max_spread : 0);
}

void update_list(const CellPairQuery& q, SurfaceCandidates* list, SurfaceCounters* counters) {
  double motion = 0;
  if (list->skin >= 0) {
    motion = calc_motion(q, list->X_MN);
    if (motion <= list->skin && q.margin <= list->margin) return;
  }
  ++counters->rebuilds;
  const double size = std::min(q.M.size, q.N.size);
  list->skin = std::clamp(kSkinFactor * motion, kSkinMin * size, kSkinMax * size);
  list->margin = 1.5 * q.margin;
  list->X_MN = q.X_MN;
  list->pairs.clear();
  const double reach = list->skin + calc_reach(q, list->margin);
  // Cells by their shells, unless the contact may be deep; N's faces as they are.
  const bool deep =
      may_reach_core(q.M, q.N, q.X_MN, reach) || may_reach_core(q.N, q.M, inverse(q.X_MN), reach);
  const AabbTree& tree_M = deep ? q.M.tree : q.M.shell_tree;
  const bool faces = q.N.compliance == Compliance::kRigid;
  const AabbTree& tree_N = deep || faces ? q.N.tree : q.N.shell_tree;
  const auto visit = [&](int i, int j) {
    list->pairs.push_back({deep || q.M.half_space ? i : q.M.shell_cells[i],
                           deep || faces || q.N.half_space ? j : q.N.shell_cells[j]});
  };
  if (q.N.half_space) {
    const Vec3 nhat = q.X_MN.R.column(2);
    const double offset = dot(nhat, q.X_MN.p);
    const auto visit_cell = [&](int i) {
      visit(i, 0);
    };
    if (q.N.compliance == Compliance::kRigid) {
      tree_M.for_each_crossing(nhat, offset, reach, visit_cell);
    } else {
      tree_M.for_each_below(nhat, offset, reach, visit_cell);
    }
  } else if (q.M.half_space) {
    const RigidTransform X_NM = inverse(q.X_MN);
    const Vec3 nhat = X_NM.R.column(2);
    tree_N.for_each_below(nhat, dot(nhat, X_NM.p), reach, [&](int j) {
      visit(0, j);
    });
  } else {
    counters->node_pairs += tree_M.for_each_pair(tree_N, q.X_MN, reach, visit);
  }
  // Whatever the order of the tree: results repeat bit for bit.
  std::ranges::sort(list->pairs, [](const IndexPair& x, const IndexPair& y) {
    return x.a != y.a ? x.a < y.a : x.b < y.b;
  });
}

// The numbers of the bits of a byte that are set, in order; anything behind them.
constexpr auto kSetBits = [] {
  std::array<std::array<std::uint8_t, 8>, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    int count = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) table[byte][count++] = static_cast<std::uint8_t>(bit);
    }
  }
  return table;
}();

// All pairs of few cells whose parts up to a depth come closer than the reach, by the six axes of
// their boxes; M's cells in lanes. Room for eight times eight; returns how many.
int find_few(const CellPairQuery& q, double depth, double reach, IndexPair* pairs) {
  const CellBoxes &a = q.M.blocks.boxes, &b = q.N.blocks.boxes;
  const double share_a = std::min(depth / q.M.foundation, 1.0);
  const double share_b = std::min(depth / q.N.foundation, 1.0);
  const Mat3 &R = q.X_MN.R, abs_R = cwise_abs(R);
  V8 center[3], half[3];
  for (int k = 0; k < 3; ++k) {
    center[k] = load8(a.center[k].lane.data()) + share_a * load8(a.center_slope[k].lane.data());
    half[k] = load8(a.half[k].lane.data()) + share_a * load8(a.half_slope[k].lane.data());
  }
  // The same along N's axes.
  V8 center_N[3], half_N[3];
  for (int k = 0; k < 3; ++k) {
    center_N[k] = R(0, k) * center[0] + R(1, k) * center[1] + R(2, k) * center[2];
    half_N[k] = abs_R(0, k) * half[0] + abs_R(1, k) * half[1] + abs_R(2, k) * half[2];
  }
  // N's in both frames, lane by lane.
  LaneRow to[3], to_N[3], size_M[3], size_N[3];
  V8 c[3], h[3];
  for (int k = 0; k < 3; ++k) {
    c[k] = load8(b.center[k].lane.data()) + share_b * load8(b.center_slope[k].lane.data());
    h[k] = load8(b.half[k].lane.data()) + share_b * load8(b.half_slope[k].lane.data());
  }
  const Vec3 p_N = transpose_times(R, q.X_MN.p);
  for (int k = 0; k < 3; ++k) {
    ref8(to[k].lane.data()) = R(k, 0) * c[0] + R(k, 1) * c[1] + R(k, 2) * c[2] + q.X_MN.p[k];
    ref8(size_M[k].lane.data()) =
        abs_R(k, 0) * h[0] + abs_R(k, 1) * h[1] + abs_R(k, 2) * h[2] + reach;
    ref8(to_N[k].lane.data()) = c[k] + p_N[k];
    ref8(size_N[k].lane.data()) = h[k] + reach;
  }
  IndexPair* end = pairs;
  for (int j = 0; j < b.count; ++j) {
    unsigned meets = (1U << a.count) - 1;
    for (int k = 0; k < 3; ++k) {
      meets &= ~find_greater(abs8(to[k].lane[j] - center[k]), half[k] + size_M[k].lane[j]);
      meets &= ~find_greater(abs8(to_N[k].lane[j] - center_N[k]), half_N[k] + size_N[k].lane[j]);
    }
    // All eight, without asking how many there are: the next row writes over what is behind them.
    for (int k = 0; k < kLanes; ++k) {
      end[k] = {kSetBits[meets][k], j};
    }
    end += std::popcount(meets);
  }
  return static_cast<int>(end - pairs);
}

}  // namespace

BoxGap find_box_gap(const Aabb& a, const Aabb& b, const RigidTransform& X_AB) {
  const Vec3 half_a = 0.5 * (a.upper - a.lower), half_b = 0.5 * (b.upper - b.lower);
  const Vec3 t = X_AB * (0.5 * (b.upper + b.lower)) - 0.5 * (a.upper + a.lower);
  const Mat3& R = X_AB.R;
  const Mat3 abs_R = cwise_abs(R);
  const Vec3 gap_a = cwise_abs(t) - half_a - abs_R * half_b;
  const Vec3 t_b = transpose_times(R, t);
  const Vec3 gap_b = cwise_abs(t_b) - half_b - transpose_times(abs_R, half_a);
  const auto find_widest = [](const Vec3& gap) {
    const int xy = gap.x >= gap.y ? 0 : 1;
    return gap[xy] >= gap.z ? xy : 2;
  };
  const int i = find_widest(gap_a), j = find_widest(gap_b);
  if (gap_a[i] < gap_b[j]) return {gap_b[j], std::copysign(1.0, t_b[j]) * R.column(j)};
  BoxGap gap{gap_a[i], {}};
  gap.nhat[i] = std::copysign(1.0, t[i]);
  return gap;
}

SurfaceCounters& SurfaceCounters::operator+=(const SurfaceCounters& b) {
  queries += b.queries;
  rebuilds += b.rebuilds;
  node_pairs += b.node_pairs;
  candidates += b.candidates;
  polygons += b.polygons;
  points += b.points;
  return *this;
}

std::span<const IndexPair> CellPairFinder::find(const CellPairQuery& q,
                                                SurfaceCandidates* candidates,
                                                SurfaceCounters* counters) {
  if (q.gap > q.margin) return {};
  std::span<const IndexPair> found;
  if (q.M.blocks.boxes.count > 0 && q.N.blocks.boxes.count > 0) {
    // Where the solids overlap by d along some direction every point that both share is within d of
    // the surface of each.
    const double reach = calc_reach(q, q.margin) + kRounding * std::min(q.M.size, q.N.size);
    const int count = find_few(q, std::max(-q.gap, 0.0), reach, few_.data());
    found = std::span(few_).first(count);
  } else if (q.M.blocks.boxes.count > 0 && q.N.half_space) {
    for (int i = 0; i < q.M.blocks.boxes.count; ++i) {
      few_[i] = {i, 0};
    }
    found = std::span(few_).first(q.M.blocks.boxes.count);
  } else {
    update_list(q, candidates, counters);
    found = candidates->pairs;
  }
  counters->candidates += found.size();
  return found;
}

}  // namespace cenic
