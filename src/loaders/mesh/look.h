// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How a part of a mesh looks: for the eye alone.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace cenic::detail {

struct MeshLook {
  std::array<float, 4> color{1, 1, 1, 1};
  std::shared_ptr<const std::string> picture{};  // bytes of a PNG or JPEG file; null: none
};

// The picture that the mesh file at `path` names, in its folder or below. What is missing or no
// good is noted, and null.
std::shared_ptr<const std::string> find_picture(const std::string& path, std::string name,
                                                std::vector<std::string>* notes);

}  // namespace cenic::detail
