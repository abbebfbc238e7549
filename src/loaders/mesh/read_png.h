// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Grey images, for height fields.
#pragma once

#include <string>
#include <vector>

namespace cenic {

struct GreyImage {
  int width = 0, height = 0;
  std::vector<double> values;  // 0: black, 1: white (width × height), the lowest row first
};

// A PNG of up to 16 bits, colours turned to grey. Throws FileError: not a PNG, damaged, too large.
GreyImage read_grey_png(const std::string& path);

}  // namespace cenic
