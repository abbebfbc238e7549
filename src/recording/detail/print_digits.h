// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Numbers as text, for formats that are read by people and plots.
#pragma once

#include <cstddef>

namespace cenic::detail {

inline constexpr std::size_t kMostDigits = 32;  // characters

// A number rounded to nine digits, as JSON has it, without zeros at its end; "null" when it is not
// finite. Takes a quarter of the time of all the digits that are needed to read back the same
// number. Returns the end of the text; up to kMostDigits characters are written to.
char* print_nine_digits(double x, char* out);

}  // namespace cenic::detail
