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
constexpr double kLeast = 1e-20, kMost = 1e20;  // others are rare
constexpr int kMostExponent = 20;
constexpr int kMostPower = kMostExponent + kDigits;  // of ten

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

bool is_common(double size) { return size > kLeast && size < kMost; }

// |x| = digits · 10^(exponent − 8) for numbers side by side, the first digit alone.
constexpr std::size_t kBlock = 64;
struct Decimals {
  std::array<std::uint64_t, kBlock> others;  // a digit in each byte, the second in the lowest
  std::array<std::uint32_t, kBlock> first;
  std::array<std::int32_t, kBlock> exponent;
};

// Without branches, and in integers of one size: this becomes vector instructions. Two numbers of
// four digits, then four of two, then eight, stand side by side in one word, which is multiplied as
// a whole. All divisions are products, exact for as many digits:
// n / 10⁸ = n 1441151881 / 2⁵⁷, n / 10⁴ = n 109951163 / 2⁴⁰, n / 100 = n 10486 / 2²⁰ and
// n / 10 = n 103 / 2¹⁰, rounded down.
void split(const std::array<double, kBlock>& x, Decimals* out) {
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double size = is_common(std::abs(x[i])) ? std::abs(x[i]) : 1.0;
    // The logarithm of two is a little more than 1233 / 4096: at most one off before a look at the
    // next power.
    const auto binary = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
    std::int64_t exponent = binary * 1233 >> 12;
    exponent += size >= kPowers[kMostPower + exponent + 1] ? 1 : 0;
    const auto rounded =
        static_cast<std::int64_t>(size * kPowers[kMostPower + kDigits - 1 - exponent] + 0.5);
    const bool has_ten = rounded >= 1000000000;  // digits: 99…9.5 became 100…0
    const std::uint64_t digits = has_ten ? 100000000 : rounded;
    const std::uint64_t first = digits * 1441151881 >> 57, others = digits - 100000000 * first;
    const std::uint64_t four = others * 109951163 >> 40;
    std::uint64_t word = four | (others - 10000 * four) << 32;
    const std::uint64_t hundreds = word * 10486 >> 20 & 0x0000007f0000007f;
    word = hundreds | (word - 100 * hundreds) << 16;
    const std::uint64_t tens = word * 103 >> 10 & 0x000f000f000f000f;
    out->others[i] = tens | (word - 10 * tens) << 8;
    out->first[i] = static_cast<std::uint32_t>(first);
    out->exponent[i] = static_cast<std::int32_t>(exponent + (has_ten ? 1 : 0));
  }
}

// Where the characters of a number stand that has a certain exponent: those from a hundred
// thousandth to a billion as they are, others with an exponent.
struct Layout {
  std::array<char, 8> front{};  // zeros and the point, before the digits
  std::array<char, 4> end{};    // the exponent, as text
  std::uint8_t front_size = 0, end_size = 0;
  std::uint8_t num_whole = 1;  // digits before a point that stands among them
  std::uint8_t point = 1;      // where that is; behind all digits if there is none
  std::uint8_t num_points = 1;
  std::uint8_t shift = 0;  // bits of the digits between the first and the point
};

constexpr Layout make_layout(int exponent) {
  Layout layout;
  if (exponent < 0 && exponent >= -5) {
    layout.front = {'0', '.', '0', '0', '0', '0'};
    layout.front_size = static_cast<std::uint8_t>(1 - exponent);
    layout.num_points = layout.num_whole = 0;
    layout.point = static_cast<std::uint8_t>(layout.front_size + kDigits);
  } else if (exponent > 0 && exponent < kDigits) {
    layout.point = layout.num_whole = static_cast<std::uint8_t>(exponent + 1);
    layout.shift = static_cast<std::uint8_t>(8 * exponent % 64);
  } else if (exponent != 0) {
    const int size = exponent < 0 ? -exponent : exponent;
    const auto add = [&layout](int character) {
      layout.end[layout.end_size++] = static_cast<char>(character);
    };
    add('e');
    if (exponent < 0) add('-');
    if (size >= 10) add('0' + size / 10);
    add('0' + size % 10);
  }
  return layout;
}

constexpr auto kLayouts = [] {
  std::array<Layout, 2 * kMostExponent + 1> layouts{};
  for (int i = 0; i < static_cast<int>(layouts.size()); ++i) {
    layouts[static_cast<std::size_t>(i)] = make_layout(i - kMostExponent);
  }
  return layouts;
}();

template <typename T>
void store(const T& bytes, char* out) {
  std::memcpy(out, &bytes, sizeof bytes);
}

// Whole words, one over the end of the other, of which a part stays: nothing depends on the number
// by a branch, which the processor would guess wrongly for every second one.
char* print(const Decimals& decimals, std::size_t i, char* out) {
  static_assert(std::endian::native == std::endian::little && kDigits == 9);
  const Layout& layout = kLayouts[static_cast<std::size_t>(kMostExponent + decimals.exponent[i])];
  const std::uint64_t digits = decimals.others[i];
  const int count = kDigits - std::countl_zero(digits) / 8;  // without zeros at the end
  const std::uint64_t others = digits | 0x3030303030303030;
  store(layout.front, out);
  char* at = out + layout.front_size;
  *at = static_cast<char>('0' + decimals.first[i]);
  store(others, at + 1);
  at = out + layout.point;
  *at = '.';
  store(others >> layout.shift, at + 1);
  out +=
      count > layout.num_whole ? count + layout.front_size + layout.num_points : layout.num_whole;
  store(layout.end, out);
  return out + layout.end_size;
}

char* print_rare(double x, char* out) {
  if (x == 0 || !std::isfinite(x)) {
    return std::ranges::copy(std::string_view(x == 0 ? "0" : "null"), out).out;
  }
  return std::to_chars(out, out + kMostDigits, x, std::chars_format::scientific, kDigits - 1).ptr;
}

}  // namespace

char* print_nine_digits(std::span<const double> numbers, std::span<const std::string> before,
                        char* out) {
  for (std::size_t start = 0; start < numbers.size(); start += kBlock) {
    const std::size_t count = std::min(kBlock, numbers.size() - start);
    std::array<double, kBlock> x{};
    Decimals decimals{};
    std::ranges::copy(numbers.subspan(start, count), x.begin());
    split(x, &decimals);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string& text = before[start + i];
      if (text.size() == 1) {
        *out++ = text[0];  // within an array
      } else {
        out = std::ranges::copy(text, out).out;
      }
      if (is_common(std::abs(x[i]))) {
        *out = '-';
        out += x[i] < 0 ? 1 : 0;
        out = print(decimals, i, out);
      } else {
        out = print_rare(x[i], out);
      }
    }
  }
  return out;
}

}  // namespace cenic::detail
