// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Bytes are the coefficients of a polynomial over GF(2), the lowest bit of a byte first and
// standing for the highest power; the checksum is its remainder by P. A block A that is n bits
// further ahead counts A x^n, and A (x^n mod P) is as good: so long texts are folded onto their
// last 16 bytes, and zlib does the rest.
#include "recording/detail/checksum.h"

#include <cstring>

#include <zlib.h>
#ifdef __PCLMUL__
#include <immintrin.h>
#endif

namespace cenic::detail {
namespace {

std::uint32_t continue_crc32(std::uint32_t before, const void* bytes, std::size_t count) {
  return static_cast<std::uint32_t>(crc32_z(before, static_cast<const Bytef*>(bytes), count));
}

#ifdef __PCLMUL__
constexpr std::uint32_t kReversed = 0xedb88320;  // P without x³², the highest power last
constexpr std::size_t kBlock = sizeof(__m128i), kLanes = 4;
constexpr std::size_t kLong = 2 * kLanes * kBlock;  // what is shorter is not worth it

// x^n mod P with the highest power last. The product of two reversed polynomials of 64 bits is
// reversed in 127 bits instead of 128: hence a bit to the left.
constexpr std::uint64_t calc_power(int n) {
  std::uint32_t r = 0x80000000;  // 1
  for (int i = 0; i < n; ++i) {
    r = (r >> 1) ^ ((r & 1) != 0 ? kReversed : 0);
  }
  return static_cast<std::uint64_t>(r) << 1;
}

__m128i load(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }

// The block `ahead` moved by kBits onto `block`, its first half by 64 more. The 32 bits of a
// remainder stand first in 64, which is for x³² times itself: so 32 less.
template <int kBits>
__m128i fold(__m128i ahead, __m128i block) {
  const __m128i powers = _mm_set_epi64x(static_cast<long long>(calc_power(kBits - 32)),
                                        static_cast<long long>(calc_power(kBits + 32)));
  const __m128i first = _mm_clmulepi64_si128(ahead, powers, 0x00);
  const __m128i second = _mm_clmulepi64_si128(ahead, powers, 0x11);
  return _mm_xor_si128(block, _mm_xor_si128(first, second));
}

#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
constexpr std::size_t kWide = sizeof(__m512i), kWideLanes = 4;
static_assert(kWide == kLanes * kBlock);

__m512i load_wide(const char* at) { return _mm512_loadu_si512(at); }

template <int kBits>
__m512i fold_wide(__m512i ahead, __m512i block) {
  const __m512i powers =
      _mm512_broadcast_i32x4(_mm_set_epi64x(static_cast<long long>(calc_power(kBits - 32)),
                                            static_cast<long long>(calc_power(kBits + 32))));
  const __m512i first = _mm512_clmulepi64_epi128(ahead, powers, 0x00);
  const __m512i second = _mm512_clmulepi64_epi128(ahead, powers, 0x11);
  return _mm512_xor_si512(block, _mm512_xor_si512(first, second));
}

// The same four blocks at a time: all but the last bytes are folded onto `lane`, and `at` moves on.
void fold_wide_lanes(const char** at, const char* end, __m128i (&lane)[kLanes]) {
  constexpr int kBits = 8 * kWide;
  __m512i wide[kWideLanes];
  std::memcpy(&wide[0], lane, kWide);
  for (std::size_t i = 1; i < kWideLanes; ++i) {
    wide[i] = load_wide(*at);
    *at += kWide;
  }
  while (static_cast<std::size_t>(end - *at) >= kWideLanes * kWide) {
    for (__m512i& x : wide) {
      x = fold_wide<kWideLanes * kBits>(x, load_wide(*at));
      *at += kWide;
    }
  }
  for (std::size_t i = 1; i < kWideLanes; ++i) {
    wide[0] = fold_wide<kBits>(wide[0], wide[i]);
  }
  std::memcpy(lane, &wide[0], kWide);
}
#endif

std::uint32_t fold_crc32(std::string_view bytes, std::uint32_t before) {
  constexpr int kBits = 8 * kBlock;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  __m128i lane[kLanes];
  for (__m128i& x : lane) {
    x = load(at);
    at += kBlock;
  }
  // The remainder so far, with which a checksum starts inverted, is added to the first bytes.
  lane[0] = _mm_xor_si128(lane[0], _mm_cvtsi32_si128(static_cast<int>(~before)));
#if defined(__VPCLMULQDQ__) && defined(__AVX512F__)
  if (bytes.size() >= 2 * kWideLanes * kWide) fold_wide_lanes(&at, end, lane);
#endif
  while (static_cast<std::size_t>(end - at) >= kLanes * kBlock) {
    for (__m128i& x : lane) {
      x = fold<kLanes * kBits>(x, load(at));
      at += kBlock;
    }
  }
  __m128i rest = lane[0];
  for (std::size_t i = 1; i < kLanes; ++i) {
    rest = fold<kBits>(rest, lane[i]);
  }
  const std::uint32_t remainder = continue_crc32(~0U, &rest, sizeof rest);
  return continue_crc32(remainder, at, static_cast<std::size_t>(end - at));
}
#endif

}  // namespace

std::uint32_t calc_crc32(std::string_view bytes, std::uint32_t before) {
#ifdef __PCLMUL__
  if (bytes.size() >= kLong) return fold_crc32(bytes, before);
#endif
  return continue_crc32(before, bytes.data(), bytes.size());
}

}  // namespace cenic::detail
