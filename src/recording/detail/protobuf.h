// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Protobuf's wire format (https://protobuf.dev/programming-guides/encoding), as far as it is
// written here: fields one after the other, each with its number, how it is stored, and its value.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cenic::detail {

enum class Wire : std::uint8_t { kVarint = 0, kEightBytes = 1, kLength = 2 };

// Seven bits a byte, lowest first; the top bit says that more follow.
inline void put_varint(std::string* out, std::uint64_t x) {
  for (; x >= 0x80; x >>= 7) {
    out->push_back(static_cast<char>(x | 0x80));
  }
  out->push_back(static_cast<char>(x));
}

constexpr std::uint8_t make_key(int field, Wire wire) {  // of fields up to 15: a single byte
  return static_cast<std::uint8_t>(field << 3 | static_cast<int>(wire));
}

inline void put_integer(std::string* out, int field, std::uint64_t x) {
  out->push_back(static_cast<char>(make_key(field, Wire::kVarint)));
  put_varint(out, x);
}

// What stands before a text, bytes, or a message in a message.
inline void put_head(std::string* out, int field, std::size_t size) {
  out->push_back(static_cast<char>(make_key(field, Wire::kLength)));
  put_varint(out, size);
}

inline void put_bytes(std::string* out, int field, std::string_view bytes) {
  put_head(out, field, bytes.size());
  out->append(bytes);
}

inline constexpr std::size_t kNumberSize = 9;  // of a field with 64 bits

inline void put_number(std::string* out, int field, double x) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[kNumberSize] = {static_cast<char>(make_key(field, Wire::kEightBytes))};
  std::memcpy(bytes + 1, &x, sizeof x);
  out->append(bytes, sizeof bytes);
}

// A message whose fields 1 to N are numbers, zeros as well: it always has the same size.
template <std::size_t N>
void put_numbers(std::string* out, int field, const std::array<double, N>& numbers) {
  static_assert(N * kNumberSize < 0x80);
  char bytes[2 + N * kNumberSize] = {static_cast<char>(make_key(field, Wire::kLength)),
                                     static_cast<char>(N * kNumberSize)};
  for (std::size_t i = 0; i < N; ++i) {
    char* at = bytes + 2 + i * kNumberSize;
    *at = static_cast<char>(make_key(static_cast<int>(i) + 1, Wire::kEightBytes));
    std::memcpy(at + 1, &numbers[i], sizeof(double));
  }
  out->append(bytes, sizeof bytes);
}

}  // namespace cenic::detail
