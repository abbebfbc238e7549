// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A file as one string, within a limit that keeps a bad file from taking the machine with it.
#pragma once

#include <cstddef>
#include <string>

namespace cenic {

// `name` is what messages call the file. Throws FileError when it cannot be read or is too large.
std::string read_file(const std::string& path, const std::string& name, std::size_t most_bytes);

}  // namespace cenic
