// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Materials of Wavefront OBJ files (.mtl): colours and pictures, for the eye alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loaders/mesh/look.h"

namespace cenic::detail {

// By name. What is missing or no good is noted, and left out.
std::map<std::string, MeshLook> read_mtl(const std::string& path, std::vector<std::string>* notes);

}  // namespace cenic::detail
