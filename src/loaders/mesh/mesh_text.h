// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the mesh readers share: the file as one string, and the words of its lines.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/triangle_mesh.h"

namespace cenic::detail {

// The whole file; throws FileError when it cannot be read or is empty.
std::string read_bytes(const std::string& path);

// The path of a file that another names, if it is in the folder of that one or below; else empty.
std::string find_beside(const std::string& path, const std::string& name);

// The words of a line, up to a comment (#).
void split_words(std::string_view line, std::vector<std::string_view>* words);

// A number that takes up the whole word.
std::optional<double> parse_number(std::string_view word);
std::optional<long> parse_integer(std::string_view word);

// The point of words[1], words[2], words[3]; throws FileError when one is missing or not a finite
// number.
Vec3 parse_point(const std::string& path, int line, const std::vector<std::string_view>& words);

}  // namespace cenic::detail
