// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/page_data.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace cenic::detail {

std::string make_json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string make_json_array(std::span<const double> numbers) {
  fmt::memory_buffer out;
  out.push_back('[');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out.push_back(',');
    fmt::format_to(std::back_inserter(out), "{:.7g}", std::isfinite(numbers[i]) ? numbers[i] : 0);
  }
  out.push_back(']');
  return fmt::to_string(out);
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string encode_base64(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t word = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      word = (word << 8) | (j < count ? bytes[i + j] : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      out += j <= count ? kDigits[(word >> (18 - 6 * j)) & 63U] : '=';
    }
  }
  return out;
}

}  // namespace cenic::detail
