// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What our own code does in place of a library's, for speed: checksums, digits, HDF5's structures.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <zlib.h>

#include "recording/detail/checksum.h"
#include "recording/detail/chunk_packer.h"
#include "recording/detail/hdf5_layout.h"
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

TEST(ChunkPacker, WhatZlibUnpacksIsWhatWasPacked) {
  std::mt19937 random(1);
  detail::ChunkPacker packer;
  for (int round = 0; round < 400; ++round) {
    const bool wide = round % 7 == 0;
    const int columns = 1 + static_cast<int>(random() % (wide ? 40000 : 60));
    const std::size_t num_rows = 1 + random() % (wide ? 4 : 200);
    const std::size_t size = columns * (num_rows + random() % 50);
    const auto type = static_cast<detail::Series::Type>(random() % 3);
    std::vector<double> rows(num_rows * columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool follows = i >= static_cast<std::size_t>(columns);
      const double numbers[] = {1.0 * (random() % 3), 1e-9 * random(),
                                follows ? rows[i - columns] + (random() % 9 == 0 ? 0.1 : 0) : 1.0,
                                1.0 * (i / 3)};
      rows[i] = numbers[round % 4];
    }
    const auto packed = packer.pack(rows, columns, size, type);
    const std::size_t width = type == detail::Series::kDouble ? 8 : 4;
    std::vector<unsigned char> bytes(size * width);
    uLongf length = bytes.size();
    ASSERT_EQ(uncompress(bytes.data(), &length, packed.data(), packed.size()), Z_OK) << round;
    ASSERT_EQ(length, bytes.size());
    for (std::size_t i = 0; i < size; ++i) {
      unsigned char element[8] = {};
      for (std::size_t k = 0; k < width; ++k) {
        element[k] = bytes[k * size + i];
      }
      const double x = i < rows.size() ? rows[i] : 0;
      const auto expect = [&](auto expected) {
        ASSERT_EQ(std::memcmp(element, &expected, width), 0) << round << ", number " << i;
      };
      if (type == detail::Series::kDouble) expect(x);
      if (type == detail::Series::kFloat) expect(static_cast<float>(x));
      if (type == detail::Series::kInteger) expect(static_cast<std::int32_t>(x));
    }
    if (round % 4 == 2 && num_rows > 20) {
      EXPECT_LT(packed.size(), bytes.size());
    }
  }
}

// HDF5 from version 2 on refuses sizes that are stored in more bytes than the largest one needs;
// older versions read them.
TEST(Hdf5Layout, SizesOfChunksTakeAsFewBytesAsTheyNeed) {
  for (const auto& [rows, columns, bytes] :
       {std::array{255, 3, 1}, std::array{256, 3, 2}, std::array{16, 70000, 3}}) {
    const detail::ChunkedLayout layout{.type = detail::make_float_type(8),
                                       .element = 8,
                                       .columns = static_cast<std::uint64_t>(columns),
                                       .chunk_rows = static_cast<std::uint64_t>(rows)};
    const std::string header = detail::make_dataset(layout, 1, 1, 1000);
    std::size_t at = 10;  // behind the signature, version, flags and size
    while (header[at] != 0x08) {
      at += 4 + static_cast<unsigned char>(header[at + 1]);
    }
    EXPECT_EQ(header[at + 4], 4) << "version of the layout";
    EXPECT_EQ(header[at + 8], bytes) << rows << " rows of " << columns;
  }
}

}  // namespace
}  // namespace cenic
