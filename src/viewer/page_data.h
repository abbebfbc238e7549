// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Text for the data of a page: numbers, names and arrays as JSON, binary arrays as base64.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cenic::detail {

// With quotes; safe inside of a <script> element.
std::string make_json_string(std::string_view text);
// [1,2.5,...]; numbers that are not finite become 0.
std::string make_json_array(std::span<const double> numbers);
// Safe inside of an HTML element.
std::string escape_html(std::string_view text);
std::string encode_base64(std::span<const std::uint8_t> bytes);

template <typename T>
std::string encode_base64_array(std::span<const T> values) {
  return encode_base64({reinterpret_cast<const std::uint8_t*>(values.data()),
                        values.size_bytes()});  // little endian
}

}  // namespace cenic::detail
