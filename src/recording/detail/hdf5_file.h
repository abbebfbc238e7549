// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The part of HDF5 that recordings need, behind a small door: attributes of the file, texts, and
// series of rows that grow. A file is readable up to its last flush whenever the program dies, by
// HDF5's protocol for one writer and many readers (SWMR): metadata are only ever appended, in an
// order in which what is on disk refers to nothing that is not. All data have checksums.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "recording/detail/chunk_packer.h"
#include "recording/detail/tables.h"

namespace cenic::detail {

// Every function throws Error "path: error: ..." when it fails.
class Hdf5File {
 public:
  enum class Mode { kCreate, kRead, kChange };
  Hdf5File(const std::string& path, Mode mode);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  // The system's word on whether the file can be written; empties nothing.
  static void check_writable(const std::string& path);

  // Attributes of the root, replaced when they exist.
  void write_text(const char* name, const std::string& value);
  void write_number(const char* name, double value);
  void write_integer(const char* name, std::int64_t value);
  std::string read_text(const char* name) const;
  double read_number(const char* name) const;
  std::int64_t read_integer(const char* name) const;

  // A long text, stored compressed as bytes; the folders of its name are made.
  void write_long_text(const std::string& name, const std::string& text);
  std::string read_long_text(const std::string& name) const;

  void create_series(const Series& series);
  // From here on nothing but append() and flush(), and readers may come at any time.
  void start_streaming();
  // Rows that follow those written, series in order of creation: writes full chunks and takes them
  // out of `rows`. With `all` the rest is written too, and stays in `rows`: it is a chunk that is
  // written again when it has grown.
  void append(std::size_t series, std::vector<double>* rows, bool all);
  void flush();
  void read_series(Series* series) const;  // all rows
  void close();

 private:
  using Id = std::int64_t;  // HDF5's hid_t
  struct Stream {
    Id dataset = -1;
    int columns = 0;
    Series::Type type = Series::kDouble;
    std::uint64_t chunk = 0;    // its rows
    std::uint64_t packed = 0;   // rows in full chunks
    std::uint64_t written = 0;  // rows in the file
    std::size_t length = 0;     // of the chunk that is not full yet, bytes
  };
  [[noreturn]] void fail(const std::string& what) const;
  void write_attribute(const char* name, Id file_type, Id memory_type, const void* value);
  void read_attribute(const char* name, Id memory_type, void* value) const;
  Id create_dataset(const std::string& name, Id type, int columns, std::uint64_t rows,
                    std::uint64_t chunk) const;
  void write_chunk(Stream* stream, std::span<const double> rows);
  void read_rows(const std::string& name, int columns, Id memory_type, std::size_t element,
                 std::vector<char>* bytes) const;

  std::string path_;
  Id file_ = -1;
  std::vector<Stream> streams_;
  ChunkPacker packer_;
};

}  // namespace cenic::detail
