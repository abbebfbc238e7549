// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Chunks as HDF5's filters 'shuffle' and 'deflate' may make them, eight times as fast: of all that
// deflate (RFC 1951) could find, only repetitions of the row before are looked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "recording/detail/tables.h"

namespace cenic::detail {

class ChunkPacker {
 public:
  // The rows of a chunk as numbers of the type, followed by zeros up to `size` numbers. The bytes
  // hold until the next call; a zero follows them.
  std::span<const std::uint8_t> pack(std::span<const double> rows, int columns, std::size_t size,
                                     Series::Type type);

 private:
  template <typename T>
  void shuffle(std::span<const double> rows);

  std::vector<std::uint8_t> shuffled_, packed_;
};

}  // namespace cenic::detail
