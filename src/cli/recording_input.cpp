// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/recording_input.h"

#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::cli {

bool is_recording(const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return true;
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";  // whatever it is called
  std::string start(kSignature.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  return file.read(start.data(), static_cast<std::streamsize>(start.size())) && start == kSignature;
}

bool is_unreadable_recording(const std::string& path) {
  return (path.ends_with(".npz") || path.ends_with(".mcap")) && !is_recording(path);
}

void refuse_unreadable_recording(const std::string& path, const char* wanted) {
  if (!is_unreadable_recording(path)) return;
  throw Error(fmt::format(
      "{}: error: of recordings only .h5 can be {}; record with 'cenic run SCENE --record FILE.h5'",
      path, wanted));
}

}  // namespace cenic::cli
