// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What our own code does in place of a library's, for speed: checksums and digits.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

#include "recording/detail/checksum.h"
#include "recording/detail/print_digits.h"

namespace cenic {
namespace {

TEST(Checksum, IsThatOfZlib) {
  std::mt19937 random(1);
  std::string bytes(5000, '\0');
  std::ranges::generate(bytes, [&random] {
    return static_cast<char>(random());
  });
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 100) {
    for (const std::uint32_t before : {0u, 0x12345678u}) {
      const std::string_view part = std::string_view(bytes).substr(size % 17, size);
      const auto expected =
          crc32_z(before, reinterpret_cast<const Bytef*>(part.data()), part.size());
      ASSERT_EQ(detail::calc_crc32(part, before), expected) << size;
    }
  }
}

TEST(PrintDigits, AreThoseOfTheRoundedNumber) {
  const std::string nothing;
  const auto print = [&nothing](double x) {
    std::array<char, detail::kMostDigits> text;
    return std::string(text.data(), detail::print_nine_digits({&x, 1}, {&nothing, 1}, text.data()));
  };
  for (const auto& [x, text] : {std::pair(0.0, "0"),
                                {1.0, "1"},
                                {-0.5, "-0.5"},
                                {1200.0, "1200"},
                                {0.000125, "0.000125"},
                                {1.0 / 3, "0.333333333"},
                                {-200.0 / 3, "-66.6666667"},
                                {123456789.4, "123456789"},
                                {999999999.6, "1e9"},
                                {0.9999999999, "1"},
                                {1.25e-7, "1.25e-7"},
                                {-3e15, "-3e15"},
                                {std::nan(""), "null"},
                                {HUGE_VAL, "null"}}) {
    EXPECT_EQ(print(x), text);
  }
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> digits(-10, 10), exponent(-320, 308);
  for (int i = 0; i < 20000; ++i) {
    const double x =
        digits(random) * std::pow(10, i % 2 == 0 ? exponent(random) : exponent(random) / 40);
    const double read = std::strtod(print(x).c_str(), nullptr);
    EXPECT_LE(std::abs(read - x), 5.01e-9 * std::abs(x) + 1e-323) << x << " " << print(x);
  }
}

}  // namespace
}  // namespace cenic
