// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/utf8.h"

#include <cstddef>
#include <cstdint>

namespace cenic {
namespace {

// How many bytes the character at the start has (RFC 3629); 0: it is none.
std::size_t measure_character(std::string_view bytes) {
  const auto at = [&](std::size_t i) {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0;
  };
  const int first = at(0), second = at(1);
  if (first < 0x80) return first < 0x20 || first == 0x7f ? 0 : 1;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  // No longer than need be, no surrogates, nothing beyond U+10FFFF.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f)) return 0;
  if ((first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  return size;
}

}  // namespace

std::string make_utf8(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t size = measure_character(bytes);
    out += size > 0 ? bytes.substr(0, size) : "\xef\xbf\xbd";
    bytes.remove_prefix(size > 0 ? size : 1);
  }
  return out;
}

}  // namespace cenic
