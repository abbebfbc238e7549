// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Materials of Wavefront OBJ files (.mtl): colours and pictures, for the eye alone.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cenic::detail {

struct ObjMaterial {
  std::array<float, 4> color{1, 1, 1, 1};
  std::shared_ptr<const std::string> picture{};  // bytes of a PNG or JPEG file; null: none
};

// By name. What is missing or no good is noted, and left out.
std::map<std::string, ObjMaterial> read_mtl(const std::string& path,
                                            std::vector<std::string>* notes);

}  // namespace cenic::detail
