// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/read_file.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

std::string read_file(const std::string& path, const std::string& name, std::size_t most_bytes) {
  std::error_code status;
  const auto size = std::filesystem::file_size(path, status);
  if (!status && size > most_bytes) {
    throw FileError(name, 0,
                    fmt::format("the file has {} MB, and at most {} MB are read; split it",
                                size >> 20, most_bytes >> 20));
  }
  std::ifstream file(path, std::ios::binary);
  if (status || !file) {
    throw FileError(name, 0, "the file cannot be opened; check its name and that it may be read");
  }
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

}  // namespace cenic
