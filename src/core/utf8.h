// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#pragma once

#include <string>
#include <string_view>

namespace cenic {

// Names come from files and may be any bytes. What is no UTF-8, and control characters, become
// U+FFFD: formats that are text refuse them.
std::string make_utf8(std::string_view bytes);

}  // namespace cenic
