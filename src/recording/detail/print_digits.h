// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Numbers as text, for formats that are read by people and plots.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace cenic::detail {

inline constexpr std::size_t kMostDigits = 32;  // characters

// Each number after its text, rounded to nine digits, as JSON has it, without zeros at its end;
// "null" when it is not finite. Takes an eighth of the time of all the digits that are needed to
// read back the same number. Returns the end; up to kMostDigits characters for each number, and
// those of the texts, are written to.
char* print_nine_digits(std::span<const double> numbers, std::span<const std::string> before,
                        char* out);

}  // namespace cenic::detail
