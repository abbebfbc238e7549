// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Numbers and strings appended to bytes, lowest byte first, for file formats written by hand.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace cenic::detail {

template <std::unsigned_integral T>
void put(std::string* out, T value) {
  char bytes[sizeof(T)];
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * i) & 0xff);
  }
  out->append(bytes, sizeof(T));
}

// Length in four bytes, then the text.
inline void put_text(std::string* out, std::string_view text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out->append(text);
}

}  // namespace cenic::detail
