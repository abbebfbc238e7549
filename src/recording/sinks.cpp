// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/sinks.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

SinkMaker choose_format(const std::string& path) {
  std::string end = path.substr(path.rfind('.') + 1);
  std::ranges::transform(end, end.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (end == "h5" || end == "hdf5") return make_hdf5_sink;
  if (end == "npz") return make_npz_sink;
  if (end == "mcap") return make_mcap_sink;
  throw Error(
      fmt::format("{}: error: not a format of recordings; name it .h5, .npz or .mcap", path));
}

}  // namespace cenic
