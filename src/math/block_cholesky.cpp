// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/block_cholesky.h"

#include <algorithm>
#include <cmath>

#include "math/simd.h"

namespace cenic {
namespace {

// Kernels on padded column-major blocks. kN is the number of columns when known at compile time (6:
// free bodies, rows padded to one vector), 0 when not. L⁻¹ of a diagonal block is kept by rows
// beside it: with it all triangular solves become products, which do not wait for each other.

struct Dims {
  int ld_rows;  // padded rows of A and C
  int inner;
  int ld_cols;  // padded rows of B
  int cols;
};

// C −= A Bᵀ, A: rows × inner, B: cols × inner, C: rows × cols.
template <int kN>
void subtract_product(const Dims& dims, const double* A, const double* B, double* C) {
  const int ld = kN > 0 ? kLanes : dims.ld_rows, ld_cols = kN > 0 ? kLanes : dims.ld_cols;
  const int inner = kN > 0 ? kN : dims.inner, cols = kN > 0 ? kN : dims.cols;
  for (int r = 0; r < ld; r += kLanes) {
    for (int j = 0; j < cols; ++j) {
      V8 c = load8(C + ld * j + r);
      for (int k = 0; k < inner; ++k) {
        c -= load8(A + ld * k + r) * B[ld_cols * k + j];
      }
      ref8(C + ld * j + r) = c;
    }
  }
}

// X ← X L⁻ᵀ for X with ld_rows rows.
template <int kN>
void multiply_by_inverse_transposed(int ld_rows, int n, int ld, const double* inverse, double* X) {
  if constexpr (kN > 0) n = kN, ld = ld_rows = kLanes;
  for (int r = 0; r < ld_rows; r += kLanes) {
    for (int j = n - 1; j >= 0; --j) {  // column j needs the old columns up to j
      V8 x = load8(X + ld_rows * j + r) * inverse[ld * j + j];
      for (int m = 0; m < j; ++m) {
        x += load8(X + ld_rows * m + r) * inverse[ld * j + m];
      }
      ref8(X + ld_rows * j + r) = x;
    }
  }
}

// Rows of L⁻¹ for A = L Lᵀ; A is overwritten. False if a pivot is not positive.
bool invert_factor(int n, int ld, double* A, double* inverse) {
  for (int j = 0; j < n; ++j) {
    const double pivot = A[ld * j + j];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double scale = 1 / std::sqrt(pivot);
    for (int r = j / kLanes * kLanes; r < ld; r += kLanes) {
      ref8(A + ld * j + r) *= scale;
    }
    for (int m = j + 1; m < n; ++m) {
      const double a = A[ld * j + m];
      for (int r = m / kLanes * kLanes; r < ld; r += kLanes) {
        ref8(A + ld * m + r) -= load8(A + ld * j + r) * a;
      }
    }
    // Row j of L⁻¹: (e_j − Σ_{m<j} L_jm row_m)/L_jj
    for (int r = 0; r < ld; r += kLanes) {
      V8 row = {};
      for (int m = 0; m < j; ++m) {
        row -= load8(inverse + ld * m + r) * A[ld * m + j];
      }
      ref8(inverse + ld * j + r) = row * scale;
    }
    inverse[ld * j + j] = scale;
  }
  return true;
}

// The same for 6 × 6, in registers. The chain of pivots is what takes the time, so it holds no more
// than one division and one multiplication each: first A = L D Lᵀ with unit L, c_m −= (c_j
// c_jm)/d_j with the product ready before the division is, and all square roots at the end.
bool invert_factor_6(const double* A, double* inverse) {
  constexpr int kN = 6;
  V8 c[kN], row[kN];
  double d_inverse[kN];
  bool positive = true;
#pragma GCC unroll 6
  for (int j = 0; j < kN; ++j) {
    c[j] = load8(A + kLanes * j);
  }
#pragma GCC unroll 6
  for (int j = 0; j < kN; ++j) {
    const double d = c[j][j];
    d_inverse[j] = 1 / d;
#pragma GCC unroll 6
    for (int m = j + 1; m < kN; ++m) {
      c[m] -= (c[j] * c[j][m]) * d_inverse[j];
    }
    c[j] *= d_inverse[j];
    // Also false for infinite and not-a-number pivots.
    positive = positive && d > 0 && d_inverse[j] > 0;
  }
#pragma GCC unroll 6
  for (int j = 0; j < kN; ++j) {
    V8 r = {};
    r[j] = 1;
#pragma GCC unroll 6
    for (int m = 0; m < j; ++m) {
      r -= row[m] * c[m][j];
    }
    row[j] = r;
    ref8(inverse + kLanes * j) = r * std::sqrt(d_inverse[j]);
  }
  return positive;
}

// y ← L⁻¹ y
template <int kN>
void multiply_by_inverse(int n, int ld, const double* inverse, double* y) {
  if constexpr (kN == 6) {
    const V8 x = load8(y);
    const V4 a =
        sum3(load8(inverse) * x, load8(inverse + kLanes) * x, load8(inverse + 2 * kLanes) * x);
    const V4 b = sum3(load8(inverse + 3 * kLanes) * x, load8(inverse + 4 * kLanes) * x,
                      load8(inverse + 5 * kLanes) * x);
    for (int i = 0; i < 3; ++i) {
      y[i] = a[i];
      y[3 + i] = b[i];
    }
    return;
  }
  for (int i = n - 1; i >= 0; --i) {
    V8 s = {};
    for (int r = 0; r <= i; r += kLanes) {
      s += load8(inverse + ld * i + r) * load8(y + r);
    }
    y[i] = sum(s);
  }
}

// y ← L⁻ᵀ y
template <int kN>
void multiply_by_inverse_transpose(int n, int ld, const double* inverse, double* y) {
  if constexpr (kN > 0) n = kN, ld = kLanes;
  for (int r = 0; r < ld; r += kLanes) {
    V8 s = {};
    for (int i = kN > 0 ? 0 : r; i < n; ++i) {  // rows before r are zero from column r on
      s += load8(inverse + ld * i + r) * y[i];
    }
    ref8(y + r) = s;  // later chunks use later entries of y only
  }
}

}  // namespace

bool BlockCholesky::set_pattern(std::span<const int> sizes, std::span<const BlockEdge> edges) {
  if (std::ranges::equal(sizes, sizes_) && std::ranges::equal(edges, edges_)) {
    make_room();
    return false;
  }
  sizes_.assign(sizes.begin(), sizes.end());
  edges_.assign(edges.begin(), edges.end());
  all_six_ = std::ranges::all_of(sizes, [](int n) {
    return n == 6;
  });
  order_and_fill();
  lay_out();
  find_update_targets();
  make_room();
  return true;
}

void BlockCholesky::make_room() {
  if (static_cast<int>(room_.values.size()) < num_values_) room_.values.resize(num_values_);
}

void BlockCholesky::exchange(Archive* archive) {
  std::vector<int> sizes = sizes_;
  std::vector<BlockEdge> edges = edges_;
  (*archive)(&sizes);
  (*archive)(&edges);
  const int n = static_cast<int>(sizes.size());
  for (const BlockEdge& e : edges) {
    if (e.a < 0 || e.b <= e.a || e.b >= n) Archive::fail();
  }
  if (archive->loading()) set_pattern(sizes, edges);
  for (int i = 0; i < num_values_; ++i) {
    (*archive)(&room_.values[i]);
  }
}

void BlockCholesky::order_and_fill() {
  // Exact minimum degree: eliminate the block with the fewest remaining neighbours, then join these
  // to a clique.
  const int n = static_cast<int>(sizes_.size());
  if (static_cast<int>(room_.adjacent.size()) < n) {
    room_.adjacent.resize(n);
    room_.below.resize(n);
  }
  for (int i = 0; i < n; ++i) {
    room_.adjacent[i].clear();
  }
  for (const BlockEdge& e : edges_) {
    room_.adjacent[e.a].push_back(e.b);
    room_.adjacent[e.b].push_back(e.a);
  }
  const auto later = [](const Room::Candidate& x, const Room::Candidate& y) {
    return x.degree != y.degree ? x.degree > y.degree : x.block > y.block;
  };
  room_.heap.clear();
  for (int i = 0; i < n; ++i) {
    std::ranges::sort(room_.adjacent[i]);
    room_.heap.push_back({static_cast<int>(room_.adjacent[i].size()), i});
  }
  std::ranges::make_heap(room_.heap, later);
  order_.clear();
  position_.assign(n, -1);
  while (static_cast<int>(order_.size()) < n) {
    std::ranges::pop_heap(room_.heap, later);
    const Room::Candidate c = room_.heap.back();
    room_.heap.pop_back();
    // Entries with an old degree are skipped: a newer one for the same block is in the heap.
    if (position_[c.block] >= 0 || c.degree != static_cast<int>(room_.adjacent[c.block].size())) {
      continue;
    }
    const int k = static_cast<int>(order_.size());
    order_.push_back(c.block);
    position_[c.block] = k;
    room_.below[k].assign(room_.adjacent[c.block].begin(), room_.adjacent[c.block].end());
    for (const int i : room_.below[k]) {
      // adjacent(i) ← (adjacent(i) ∪ below) \ {i, eliminated block}
      room_.merged.clear();
      std::ranges::set_union(room_.adjacent[i], room_.below[k], std::back_inserter(room_.merged));
      std::erase_if(room_.merged, [&](int j) {
        return j == i || j == c.block;
      });
      room_.adjacent[i].assign(room_.merged.begin(), room_.merged.end());
      room_.heap.push_back({static_cast<int>(room_.adjacent[i].size()), i});
      std::ranges::push_heap(room_.heap, later);
    }
  }
}

void BlockCholesky::lay_out() {
  const int n = static_cast<int>(sizes_.size());
  size_at_.resize(n);
  ld_at_.resize(n);
  for (int k = 0; k < n; ++k) {
    size_at_[k] = sizes_[order_[k]];
    ld_at_[k] = round_up_to_lanes(size_at_[k]);
  }
  diagonal_offset_.resize(n);
  row_start_.assign(1, 0);
  row_position_.clear();
  row_offset_.clear();
  int offset = 0;
  for (int k = 0; k < n; ++k) {
    diagonal_offset_[k] = offset;
    offset += 2 * ld_at_[k] * size_at_[k];  // the block and the rows of L⁻¹
  }
  coupling_begin_ = offset;
  for (int k = 0; k < n; ++k) {
    for (int& i : room_.below[k]) {
      i = position_[i];
    }
    std::ranges::sort(room_.below[k]);
    for (const int i : room_.below[k]) {
      row_position_.push_back(i);
      row_offset_.push_back(offset);
      offset += ld_at_[i] * size_at_[k];
    }
    row_start_.push_back(static_cast<int>(row_position_.size()));
  }
  num_values_ = offset;
  edge_offset_.resize(edges_.size());
  edge_rows_are_b_.resize(edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const int pa = position_[edges_[e].a], pb = position_[edges_[e].b];
    const int column = std::min(pa, pb), row = std::max(pa, pb);
    const auto begin = row_position_.begin() + row_start_[column];
    const auto end = row_position_.begin() + row_start_[column + 1];
    edge_offset_[e] = row_offset_[std::lower_bound(begin, end, row) - row_position_.begin()];
    edge_rows_are_b_[e] = row == pb;
  }
}

void BlockCholesky::find_update_targets() {
  const int n = static_cast<int>(sizes_.size());
  room_.mark.resize(n);
  target_start_.assign(1, 0);
  target_offset_.clear();
  for (int k = 0; k < n; ++k) {
    for (int j = row_start_[k]; j < row_start_[k + 1]; ++j) {
      const int column = row_position_[j];
      for (int i = row_start_[column]; i < row_start_[column + 1]; ++i) {
        room_.mark[row_position_[i]] = row_offset_[i];
      }
      target_offset_.push_back(diagonal_offset_[column]);
      for (int i = j + 1; i < row_start_[k + 1]; ++i) {
        target_offset_.push_back(room_.mark[row_position_[i]]);
      }
    }
    target_start_.push_back(static_cast<int>(target_offset_.size()));
  }
}

void BlockCholesky::clear_couplings() {
  for (int i = coupling_begin_; i < num_values_; i += kLanes) {
    ref8(room_.values.data() + i) = V8{};
  }
}

bool BlockCholesky::factorize() { return all_six_ ? factorize_blocks<6>() : factorize_blocks<0>(); }

template <int kN>
bool BlockCholesky::factorize_blocks() {
  double* values = room_.values.data();
  const int n = static_cast<int>(sizes_.size());
  for (int k = 0; k < n; ++k) {
    const int size = size_at_[k], ld = ld_at_[k];
    double* L_kk = values + diagonal_offset_[k];
    double* inverse = L_kk + ld * size;
    if (!(kN == 6 ? invert_factor_6(L_kk, inverse) : invert_factor(size, ld, L_kk, inverse))) {
      return false;
    }
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      multiply_by_inverse_transposed<kN>(ld_at_[row_position_[i]], size, ld, inverse,
                                         values + row_offset_[i]);
    }
    // H_ij −= L_ik L_jkᵀ
    int target = target_start_[k];
    for (int j = row_start_[k]; j < row_start_[k + 1]; ++j) {
      const int at_j = row_position_[j];
      const double* L_jk = values + row_offset_[j];
      for (int i = j; i < row_start_[k + 1]; ++i) {
        subtract_product<kN>({ld_at_[row_position_[i]], size, ld_at_[at_j], size_at_[at_j]},
                             values + row_offset_[i], L_jk, values + target_offset_[target++]);
      }
    }
  }
  return true;
}

void BlockCholesky::solve(std::span<const int> offset, double* x) const {
  return all_six_ ? solve_blocks<6>(offset, x) : solve_blocks<0>(offset, x);
}

template <int kN>
void BlockCholesky::solve_blocks(std::span<const int> offset, double* x) const {
  const double* values = room_.values.data();
  const int n = static_cast<int>(sizes_.size());
  // L y = x
  for (int k = 0; k < n; ++k) {
    const int size = kN > 0 ? kN : size_at_[k], ld = ld_at_[k];
    double* x_k = x + offset[order_[k]];
    multiply_by_inverse<kN>(size, ld, values + diagonal_offset_[k] + ld * size, x_k);
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      const int ld_i = kN > 0 ? kLanes : ld_at_[row_position_[i]];
      double* x_i = x + offset[order_[row_position_[i]]];
      const double* L_ik = values + row_offset_[i];
      for (int r = 0; r < ld_i; r += kLanes) {
        V8 s = load8(x_i + r);
        for (int j = 0; j < size; ++j) {
          s -= load8(L_ik + ld_i * j + r) * x_k[j];
        }
        ref8(x_i + r) = s;
      }
    }
  }
  // Lᵀ x = y
  for (int k = n - 1; k >= 0; --k) {
    const int size = kN > 0 ? kN : size_at_[k], ld = ld_at_[k];
    double* x_k = x + offset[order_[k]];
    subtract_transposed_products<kN>(k, offset, x);
    multiply_by_inverse_transpose<kN>(size, ld, values + diagonal_offset_[k] + ld * size, x_k);
  }
}

// x_k −= Σ_i L_ikᵀ x_i over the blocks below the diagonal of column k.
template <int kN>
void BlockCholesky::subtract_transposed_products(int k, std::span<const int> offset,
                                                 double* x) const {
  const double* values = room_.values.data();
  double* x_k = x + offset[order_[k]];
  if constexpr (kN == 6) {
    V8 s[kN] = {};
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      const V8 x_i = load8(x + offset[order_[row_position_[i]]]);
      const double* L_ik = values + row_offset_[i];
      for (int j = 0; j < kN; ++j) {
        s[j] += load8(L_ik + kLanes * j) * x_i;
      }
    }
    const V4 a = sum3(s[0], s[1], s[2]), b = sum3(s[3], s[4], s[5]);
    for (int j = 0; j < 3; ++j) {
      x_k[j] -= a[j];
      x_k[3 + j] -= b[j];
    }
    return;
  }
  for (int j = 0; j < size_at_[k]; ++j) {
    V8 s = {};
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      const int ld_i = ld_at_[row_position_[i]];
      const double* x_i = x + offset[order_[row_position_[i]]];
      const double* column = values + row_offset_[i] + ld_i * j;
      for (int r = 0; r < ld_i; r += kLanes) {
        s += load8(column + r) * load8(x_i + r);
      }
    }
    x_k[j] -= sum(s);
  }
}

}  // namespace cenic
