// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/block_cholesky.h"

#include <algorithm>
#include <cmath>

#include "math/simd.h"

namespace cenic {
namespace {

// Kernels on padded column-major blocks. ROWS is the padded number of rows of the result.

// C −= A Bᵀ, A: rows × inner, B: cols × inner, C: rows × cols.
template <int kInner, int kCols>
void subtract_product_8(const double* A, const double* B, double* C) {
  V8 a[kInner];
  for (int k = 0; k < kInner; ++k) {
    a[k] = load8(A + kLanes * k);
  }
  for (int j = 0; j < kCols; ++j) {
    V8 c = load8(C + kLanes * j);
    for (int k = 0; k < kInner; ++k) {
      c -= a[k] * B[kLanes * k + j];
    }
    ref8(C + kLanes * j) = c;
  }
}

struct Dims {
  int ld_rows;  // padded rows of A and C
  int inner;
  int ld_cols;  // padded rows of B
  int cols;
};

void subtract_product(const Dims& n, const double* A, const double* B, double* C) {
  if (n.ld_rows == kLanes && n.ld_cols == kLanes && n.inner == 6 && n.cols == 6) {
    subtract_product_8<6, 6>(A, B, C);
    return;
  }
  for (int j = 0; j < n.cols; ++j) {
    for (int r = 0; r < n.ld_rows; r += kLanes) {
      V8 c = load8(C + n.ld_rows * j + r);
      for (int k = 0; k < n.inner; ++k) {
        c -= load8(A + n.ld_rows * k + r) * B[n.ld_cols * k + j];
      }
      ref8(C + n.ld_rows * j + r) = c;
    }
  }
}

// X ← X L⁻ᵀ, L lower triangular n × n with leading dimension ld; X has ld_rows rows.
void solve_from_right(int ld_rows, int n, int ld, const double* L, double* X) {
  for (int j = 0; j < n; ++j) {
    const double inverse = 1 / L[ld * j + j];
    for (int r = 0; r < ld_rows; r += kLanes) {
      V8 x = load8(X + ld_rows * j + r);
      for (int m = 0; m < j; ++m) {
        x -= load8(X + ld_rows * m + r) * L[ld * m + j];
      }
      ref8(X + ld_rows * j + r) = x * inverse;
    }
  }
}

// A ← L in place (lower triangle; what is above the diagonal is not used). False if a pivot is not positive.
bool factorize_dense(int n, int ld, double* A) {
  for (int j = 0; j < n; ++j) {
    const int first = j / kLanes * kLanes;  // rows above it are not needed
    for (int r = first; r < ld; r += kLanes) {
      V8 a = load8(A + ld * j + r);
      for (int m = 0; m < j; ++m) {
        a -= load8(A + ld * m + r) * A[ld * m + j];
      }
      ref8(A + ld * j + r) = a;
    }
    const double pivot = A[ld * j + j];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    const double inverse = 1 / std::sqrt(pivot);
    for (int r = first; r < ld; r += kLanes) {
      ref8(A + ld * j + r) *= inverse;
    }
    for (int i = 0; i < j; ++i) {
      A[ld * j + i] = 0;  // columns below use whole vectors
    }
  }
  return true;
}

}  // namespace

bool BlockCholesky::set_pattern(std::span<const int> sizes, std::span<const BlockEdge> edges) {
  if (std::ranges::equal(sizes, sizes_) && std::ranges::equal(edges, edges_)) return false;
  sizes_.assign(sizes.begin(), sizes.end());
  edges_.assign(edges.begin(), edges.end());
  order_and_fill();
  lay_out();
  find_update_targets();
  return true;
}

void BlockCholesky::order_and_fill() {
  // Exact minimum degree: eliminate the block with the fewest remaining neighbours, then join these to a clique.
  const int n = static_cast<int>(sizes_.size());
  if (static_cast<int>(adjacent_.size()) < n) {
    adjacent_.resize(n);
    below_.resize(n);
  }
  for (int i = 0; i < n; ++i) {
    adjacent_[i].clear();
  }
  for (const BlockEdge& e : edges_) {
    adjacent_[e.a].push_back(e.b);
    adjacent_[e.b].push_back(e.a);
  }
  const auto later = [](const Candidate& x, const Candidate& y) {
    return x.degree != y.degree ? x.degree > y.degree : x.block > y.block;
  };
  heap_.clear();
  for (int i = 0; i < n; ++i) {
    std::ranges::sort(adjacent_[i]);
    heap_.push_back({static_cast<int>(adjacent_[i].size()), i});
  }
  std::ranges::make_heap(heap_, later);
  order_.clear();
  position_.assign(n, -1);
  while (static_cast<int>(order_.size()) < n) {
    std::ranges::pop_heap(heap_, later);
    const Candidate c = heap_.back();
    heap_.pop_back();
    // Entries with an old degree are skipped: a newer one for the same block is in the heap.
    if (position_[c.block] >= 0 || c.degree != static_cast<int>(adjacent_[c.block].size())) continue;
    const int k = static_cast<int>(order_.size());
    order_.push_back(c.block);
    position_[c.block] = k;
    below_[k].assign(adjacent_[c.block].begin(), adjacent_[c.block].end());
    for (const int i : below_[k]) {
      // adjacent(i) ← (adjacent(i) ∪ below) \ {i, eliminated block}
      merged_.clear();
      std::ranges::set_union(adjacent_[i], below_[k], std::back_inserter(merged_));
      std::erase_if(merged_, [&](int j) { return j == i || j == c.block; });
      adjacent_[i].assign(merged_.begin(), merged_.end());
      heap_.push_back({static_cast<int>(adjacent_[i].size()), i});
      std::ranges::push_heap(heap_, later);
    }
  }
}

void BlockCholesky::lay_out() {
  const int n = static_cast<int>(sizes_.size());
  size_at_.resize(n);
  ld_at_.resize(n);
  for (int k = 0; k < n; ++k) {
    size_at_[k] = sizes_[order_[k]];
    ld_at_[k] = (size_at_[k] + kLanes - 1) / kLanes * kLanes;
  }
  diagonal_offset_.resize(n);
  row_start_.assign(1, 0);
  row_position_.clear();
  row_offset_.clear();
  int offset = 0;
  for (int k = 0; k < n; ++k) {
    diagonal_offset_[k] = offset;
    offset += ld_at_[k] * size_at_[k];
    for (int& i : below_[k]) {
      i = position_[i];
    }
    std::ranges::sort(below_[k]);
    for (const int i : below_[k]) {
      row_position_.push_back(i);
      row_offset_.push_back(offset);
      offset += ld_at_[i] * size_at_[k];
    }
    row_start_.push_back(static_cast<int>(row_position_.size()));
  }
  values_.resize(offset);
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
  mark_.resize(n);
  target_start_.assign(1, 0);
  target_offset_.clear();
  for (int k = 0; k < n; ++k) {
    for (int j = row_start_[k]; j < row_start_[k + 1]; ++j) {
      const int column = row_position_[j];
      for (int i = row_start_[column]; i < row_start_[column + 1]; ++i) {
        mark_[row_position_[i]] = row_offset_[i];
      }
      target_offset_.push_back(diagonal_offset_[column]);
      for (int i = j + 1; i < row_start_[k + 1]; ++i) {
        target_offset_.push_back(mark_[row_position_[i]]);
      }
    }
    target_start_.push_back(static_cast<int>(target_offset_.size()));
  }
}

void BlockCholesky::set_zero() { std::ranges::fill(values_, 0.0); }

bool BlockCholesky::factorize() {
  double* values = values_.data();
  const int n = static_cast<int>(sizes_.size());
  for (int k = 0; k < n; ++k) {
    const int size = size_at_[k], ld = ld_at_[k];
    double* L_kk = values + diagonal_offset_[k];
    if (!factorize_dense(size, ld, L_kk)) return false;
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      solve_from_right(ld_at_[row_position_[i]], size, ld, L_kk, values + row_offset_[i]);
    }
    // H_ij −= L_ik L_jkᵀ
    int target = target_start_[k];
    for (int j = row_start_[k]; j < row_start_[k + 1]; ++j) {
      const int at_j = row_position_[j];
      const double* L_jk = values + row_offset_[j];
      for (int i = j; i < row_start_[k + 1]; ++i) {
        subtract_product({ld_at_[row_position_[i]], size, ld_at_[at_j], size_at_[at_j]}, values + row_offset_[i],
                         L_jk, values + target_offset_[target++]);
      }
    }
  }
  return true;
}

void BlockCholesky::solve(std::span<const int> offset, double* x) const {
  const double* values = values_.data();
  const int n = static_cast<int>(sizes_.size());
  // L y = x
  for (int k = 0; k < n; ++k) {
    const int size = size_at_[k], ld = ld_at_[k];
    const double* L = values + diagonal_offset_[k];
    double* x_k = x + offset[order_[k]];
    for (int j = 0; j < size; ++j) {
      const double y = x_k[j] / L[ld * j + j];
      for (int r = j / kLanes * kLanes; r < ld; r += kLanes) {
        ref8(x_k + r) -= load8(L + ld * j + r) * y;
      }
      x_k[j] = y;
    }
    for (int i = row_start_[k]; i < row_start_[k + 1]; ++i) {
      const int ld_i = ld_at_[row_position_[i]];
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
    const int size = size_at_[k], ld = ld_at_[k];
    double* x_k = x + offset[order_[k]];
    for (int j = 0; j < size; ++j) {
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
    const double* L = values + diagonal_offset_[k];
    for (int j = size - 1; j >= 0; --j) {
      double s = x_k[j];
      for (int i = j + 1; i < size; ++i) {
        s -= L[ld * j + i] * x_k[i];
      }
      x_k[j] = s / L[ld * j + j];
    }
  }
}

}  // namespace cenic
