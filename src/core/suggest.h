// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What to tell someone who wrote a name that does not exist.
#pragma once

#include <string>
#include <vector>

namespace cenic {

// "; did you mean 'x'?" when a known name is near, then all the names.
std::string suggest(const std::string& wrong, const std::vector<std::string>& known);

}  // namespace cenic
