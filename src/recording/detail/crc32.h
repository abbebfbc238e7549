// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The checksum of zip and MCAP files (CRC-32, reflected polynomial 0xEDB88320).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cenic::detail {

inline std::uint32_t calc_crc32(std::string_view bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t x = i;
      for (int bit = 0; bit < 8; ++bit) {
        x = (x & 1) != 0 ? 0xEDB88320u ^ (x >> 1) : x >> 1;
      }
      t[i] = x;
    }
    return t;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
  }
  return ~crc;
}

}  // namespace cenic::detail
