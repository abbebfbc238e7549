// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads what hdf5_writer.h writes, by HDF5's own library, behind a small door.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/detail/tables.h"

namespace cenic::detail {

// Every function throws Error "path: error: ..." when it fails.
class Hdf5File {
 public:
  explicit Hdf5File(const std::string& path);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  // Attributes of the root.
  std::string read_text(const char* name) const;
  double read_number(const char* name) const;
  std::uint64_t read_integer(const char* name) const;

  std::string read_bytes(const std::string& name) const;
  void read_series(Series* series) const;  // all rows

 private:
  using Id = std::int64_t;  // HDF5's hid_t
  [[noreturn]] void fail(const std::string& what) const;
  void read_attribute(const char* name, Id memory_type, void* value) const;
  void read_rows(const std::string& name, int columns, Id memory_type, std::size_t element,
                 std::vector<char>* bytes) const;

  std::string path_;
  Id file_ = -1;
};

}  // namespace cenic::detail
