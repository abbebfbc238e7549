// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/print_digits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cenic::detail {
namespace {

constexpr int kDigits = 9;
constexpr std::uint64_t kSmallest = 100000000, kEnd = 1000000000;  // that have nine digits
constexpr int kMostPower = 30;                                     // of ten; beyond is rare

// 10^(k − kMostPower), to a few units in the last place.
constexpr auto kPowers = [] {
  std::array<double, 2 * kMostPower + 1> powers{};
  powers[kMostPower] = 1;
  for (int k = 1; k <= kMostPower; ++k) {
    powers[kMostPower + k] = powers[kMostPower + k - 1] * 10;
    powers[kMostPower - k] = 1 / powers[kMostPower + k];
  }
  return powers;
}();

// x = digits · 10^(exponent − 8).
struct Decimal {
  std::uint32_t digits = 0;
  int exponent = 0;
};

Decimal round_to_decimal(double x) {
  // The logarithm of two is a little more than 1233 / 4096: at most one off, and nearly never after
  // a look at the next power, which needs no branch.
  const int binary = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> 52) - 1023;
  int exponent = binary * 1233 >> 12;
  exponent += x >= kPowers[kMostPower + exponent + 1] ? 1 : 0;
  for (;;) {
    const double scaled = x * kPowers[kMostPower + kDigits - 1 - exponent] + 0.5;
    const auto digits = static_cast<std::uint64_t>(scaled);
    if (digits >= kSmallest && digits < kEnd) return {static_cast<std::uint32_t>(digits), exponent};
    exponent += digits < kSmallest ? -1 : 1;
  }
}

// Both write nine characters, of which `count` stay: fewer instructions than to write those alone.
char* put_digits(const char* digits, int count, char* out) {
  std::memcpy(out, digits, kDigits);
  return out + count;
}

char* put_zeros(int count, char* out) {
  std::memset(out, '0', kDigits);
  return out + count;
}

// The eight digits of a number, one in each byte, the first in the lowest. Two numbers of four
// digits, then four of two, then eight, stand side by side in one word, which is multiplied as a
// whole: n / 100 = n 10486 / 2²⁰ and n / 10 = n 103 / 2¹⁰, rounded down, for as many digits.
std::uint64_t split_digits(std::uint32_t number) {
  std::uint64_t x = number / 10000 | static_cast<std::uint64_t>(number % 10000) << 32;
  const std::uint64_t hundreds = x * 10486 >> 20 & 0x0000007f0000007f;
  x = hundreds | (x - 100 * hundreds) << 16;
  const std::uint64_t tens = x * 103 >> 10 & 0x000f000f000f000f;
  return tens | (x - 10 * tens) << 8;
}

// Straight to where they stand: bytes that are read soon after they were written in other pieces
// make the processor wait.
char* print_decimal(const Decimal& x, char* out) {
  static_assert(std::endian::native == std::endian::little && kDigits == 9);
  const std::uint32_t first = x.digits / 100000000;
  const std::uint64_t others = split_digits(x.digits - 100000000 * first);
  const int count = kDigits - std::countl_zero(others) / 8;  // without zeros at the end
  const auto put_first = [first](char* at) {
    *at = static_cast<char>('0' + first);
    return at + 1;
  };
  const auto put_others = [others, count](char* at) {
    const std::uint64_t text = others | 0x3030303030303030;
    std::memcpy(at, &text, sizeof text);
    return at + count - 1;
  };
  if (x.exponent < 0 && x.exponent >= -5) {
    *out++ = '0';
    *out++ = '.';
    return put_others(put_first(put_zeros(-1 - x.exponent, out)));
  }
  if (x.exponent > 0 && x.exponent < kDigits) {
    char digits[2 * kDigits] = {};
    put_others(put_first(digits));
    const int whole = std::min(count, x.exponent + 1);
    out = put_zeros(x.exponent + 1 - whole, put_digits(digits, whole, out));
    if (count > whole) *out++ = '.';
    return put_digits(digits + whole, count - whole, out);
  }
  out = put_first(out);
  if (count > 1) {
    *out = '.';
    out = put_others(out + 1);
  }
  if (x.exponent == 0) return out;
  *out++ = 'e';
  return std::to_chars(out, out + 4, x.exponent).ptr;
}

}  // namespace

char* print_nine_digits(double x, char* out) {
  if (!std::isfinite(x)) return std::ranges::copy(std::string_view("null"), out).out;
  *out = '-';
  out += x < 0 ? 1 : 0;
  const double size = std::abs(x);
  if (size == 0) return put_zeros(1, out);
  if (size > 1e-20 && size < 1e20) return print_decimal(round_to_decimal(size), out);
  return std::to_chars(out, out + kMostDigits - 1, size, std::chars_format::scientific, kDigits - 1)
      .ptr;
}

}  // namespace cenic::detail
