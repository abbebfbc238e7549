// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Eight doubles at once. GCC lowers the type to whatever the target has (AVX-512, AVX2, SSE2), so
// the kernels are written once. Block rows and vectors are padded to a multiple of eight ("ld"),
// pads are zero.
#pragma once

#include <array>
#include <cstdint>
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
#endif

namespace cenic {

inline constexpr int kLanes = 8;
using V8 = double __attribute__((vector_size(64), may_alias));

inline constexpr int round_up_to_lanes(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

inline const V8& load8(const double* p) { return *reinterpret_cast<const V8*>(p); }
inline V8& ref8(double* p) { return *reinterpret_cast<V8*>(p); }

// The cache line at p will be read soon.
inline void prefetch(const void* p) { __builtin_prefetch(p); }

inline double sum(const V8& a) {
  return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

inline V8 max8(const V8& a, const V8& b) { return a > b ? a : b; }
inline double max(const V8& a) {
  const double x = a[0] > a[4] ? a[0] : a[4], y = a[1] > a[5] ? a[1] : a[5];
  const double z = a[2] > a[6] ? a[2] : a[6], w = a[3] > a[7] ? a[3] : a[7];
  const double xy = x > y ? x : y, zw = z > w ? z : w;
  return xy > zw ? xy : zw;
}

// Where a comparison of V8 holds: all bits of a lane, or none.
using Mask8 = decltype(V8{} < V8{});

inline V8 abs8(const V8& a) { return (V8)((Mask8)a & INT64_MAX); }

// The same as bits, lane 0 lowest.
inline unsigned to_bits(const Mask8& m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return _mm512_movepi64_mask((__m512i)m);
#else
  unsigned bits = 0;
  for (int i = 0; i < kLanes; ++i) {
    bits |= m[i] != 0 ? 1U << i : 0U;
  }
  return bits;
#endif
}

// Where a > b, as bits: straight from the comparison.
inline unsigned find_greater(const V8& a, const V8& b) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
#else
  return to_bits(a > b);
#endif
}

// Indices of lanes.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
using Lanes8 = __m512i;
#else
using Lanes8 = std::array<std::uint8_t, 8>;
#endif
inline Lanes8 load_lanes(const std::array<std::uint8_t, 8>& index) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  // With a mask of all lanes, here and below: GCC 12 warns of the plain ones.
  return _mm512_maskz_cvtepu8_epi64(
      0xFF, _mm_loadl_epi64(reinterpret_cast<const __m128i*>(index.data())));
#else
  return index;
#endif
}

// (a[index[0]], a[index[1]], …)
inline V8 permute(const V8& a, const Lanes8& index) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
  return _mm512_maskz_permutexvar_pd(0xFF, index, a);
#else
  V8 b;
  for (int i = 0; i < kLanes; ++i) {
    b[i] = a[index[i]];
  }
  return b;
#endif
}

using V4 = double __attribute__((vector_size(32)));

// The sums of three vectors, sharing the shuffles: (Σa, Σb, Σc, 0).
inline V4 sum3(const V8& a, const V8& b, const V8& c) {
  const V4 a4 =
      __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
  const V4 b4 =
      __builtin_shufflevector(b, b, 0, 1, 2, 3) + __builtin_shufflevector(b, b, 4, 5, 6, 7);
  const V4 c4 =
      __builtin_shufflevector(c, c, 0, 1, 2, 3) + __builtin_shufflevector(c, c, 4, 5, 6, 7);
  const V4 zero = {};
  const V4 ab =
      __builtin_shufflevector(a4, b4, 0, 4, 2, 6) + __builtin_shufflevector(a4, b4, 1, 5, 3, 7);
  const V4 c0 =
      __builtin_shufflevector(c4, zero, 0, 4, 2, 6) + __builtin_shufflevector(c4, zero, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, c0, 0, 1, 4, 5) + __builtin_shufflevector(ab, c0, 2, 3, 6, 7);
}

}  // namespace cenic
