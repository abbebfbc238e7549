// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/sinks.h"

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

SinkMaker choose_format(const std::string& path) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return make_hdf5_sink;
  if (path.ends_with(".npz")) return make_npz_sink;
  if (path.ends_with(".mcap")) return make_mcap_sink;
  throw Error(
      fmt::format("{}: error: not a format of recordings; name it .h5, .npz or .mcap", path));
}

}  // namespace cenic
