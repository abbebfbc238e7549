// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Cholesky factorisation of a symmetric positive definite matrix made of dense blocks, one a
// kinematic tree.
//
//   H = L Lᵀ in a minimum-degree order of the blocks; L has fill where elimination couples two
//   blocks.
//
// Blocks are column major with their rows padded to a multiple of eight; the symbolic phase runs
// only when the pattern changes; the numeric phase works in place in one array.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/aligned_vector.h"
#include "core/archive.h"

namespace cenic {

// The blocks a < b are coupled.
struct BlockEdge {
  int a, b;
  friend bool operator==(const BlockEdge&, const BlockEdge&) = default;
};

class BlockCholesky {
 public:
  // Sizes of the diagonal blocks, and the coupled pairs in increasing order without repetition.
  // Returns true when the pattern is new, i.e. the stored factor is lost.
  bool set_pattern(std::span<const int> sizes, std::span<const BlockEdge> edges);

  // Where to write H before factorize(). Only the blocks of the pattern exist; set the diagonal
  // ones, pads included, and add to the cleared couplings.
  void clear_couplings();
  double* diagonal(int block) { return room_.values.data() + diagonal_offset_[position_[block]]; }
  // The block of edge e; its rows belong to b when rows_are_b(e), else to a.
  double* coupling(int e) { return room_.values.data() + edge_offset_[e]; }
  bool rows_are_b(int e) const { return edge_rows_are_b_[e] != 0; }

  // Overwrites H by L. False when H is not (numerically) positive definite.
  [[nodiscard]] bool factorize();

  // x ← H⁻¹ x. Block i of x starts at x + offset[i] and is padded like the rows.
  void solve(std::span<const int> offset, double* x) const;

  // Saves or loads pattern and values.
  void exchange(Archive* archive);

  // Room for the numbers and for the symbolic phase. Matrices that are factorised one after the
  // other can take turns in one, which stays in the near caches: hand it over before set_pattern(),
  // and take it back, with the factor in it, after the last solve().
  struct Room {
    AlignedVector<double> values;  // at least as many as needed
    std::vector<std::vector<int>> adjacent;
    std::vector<std::vector<int>>
        below;  // positions below the diagonal, per position (as blocks until ordered)
    std::vector<int> merged, mark;
    struct Candidate {
      int degree, block;
    };
    std::vector<Candidate> heap;
  };
  void swap_room(Room* room) { std::swap(room_, *room); }

  // Number of blocks of L, fill included.
  int num_factor_blocks() const {
    return static_cast<int>(row_position_.size()) + static_cast<int>(sizes_.size());
  }

 private:
  void make_room();
  void order_and_fill();
  void lay_out();
  void find_update_targets();
  // kN = 6 when every block is a free body, 0 for any sizes.
  template <int kN>
  bool factorize_blocks();
  template <int kN>
  void solve_blocks(std::span<const int> offset, double* x) const;
  template <int kN>
  void subtract_transposed_products(int k, std::span<const int> offset, double* x) const;

  bool all_six_ = false;
  std::vector<int> sizes_;  // of each block
  std::vector<BlockEdge> edges_;

  // Elimination order.
  std::vector<int> order_;            // block at each position
  std::vector<int> position_;         // of each block
  std::vector<int> size_at_, ld_at_;  // of the block at each position

  // Column k of L: the diagonal block, then the blocks below it, at increasing positions.
  std::vector<int> diagonal_offset_;
  std::vector<int> row_start_;  // (num_blocks + 1)
  std::vector<int> row_position_;
  std::vector<int> row_offset_;
  std::vector<int> target_start_;   // of column k in target_offset_
  std::vector<int> target_offset_;  // of the blocks (i, j), i >= j, that column k updates

  std::vector<int> edge_offset_;
  std::vector<char> edge_rows_are_b_;
  int coupling_begin_ = 0;  // all off-diagonal blocks stand behind the diagonal ones
  int num_values_ = 0;
  Room room_;
};

}  // namespace cenic
