// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Writes HDF5 files of attributes, texts and series of rows that grow. Bytes are only ever
// appended; a flush appends a new table of contents, and then makes the front of the file point to
// it, in one small write. Whenever the program dies the file holds what the last flush saw, and
// whoever reads beside it sees a whole file. HDF5's own library takes several milliseconds for
// that: as long as a run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "recording/detail/chunk_packer.h"
#include "recording/detail/hdf5_layout.h"
#include "recording/detail/output_file.h"
#include "recording/detail/tables.h"

namespace cenic::detail {

// Every function that writes throws Error "path: error: ..." when it fails.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(OutputFile file) : file_(std::move(file)) {}

  // Attributes of the root, replaced when they exist.
  void write_text(const char* name, const std::string& value);
  void write_number(const char* name, double value);
  void write_integer(const char* name, std::uint64_t value);

  // Bytes, "folder/name", packed by zlib at a level: 0 for what is packed already.
  void write_bytes(const std::string& name, const std::string& bytes, int level);

  void create_series(const Series& series);
  // Rows that follow those written, series in order of creation: writes full chunks and takes them
  // out of `rows`. With `all` the rest is written too, and stays in `rows`: it is a chunk that is
  // written again when it has grown.
  void append(std::size_t series, std::vector<double>* rows, bool all);

  std::uint64_t size() const { return start_ + waiting_.size(); }  // bytes so far

  void flush();  // what was written is in the file
  void close();  // flushes; the last call

 private:
  struct Dataset {
    std::string name{};
    ChunkedLayout layout{};
    Series::Type type = Series::kDouble;
    std::uint64_t full_chunks = 0;  // one more may hold a rest
    std::uint64_t rows = 0;
    std::vector<Chunk> chunks{};
    std::uint64_t address = 0;  // of its header; 0: to be written
  };
  void set_attribute(const char* name, const std::string& type, std::string_view value);
  std::uint64_t add(std::string_view bytes);  // returns their address
  void write_chunk(Dataset* dataset, std::span<const double> rows);
  void write_header(Dataset* dataset);
  void write_out();

  OutputFile file_;
  std::uint64_t start_ = kSuperblockSize;  // address of the bytes that wait
  std::string waiting_;
  std::map<std::string, std::string> attributes_;  // as messages
  std::vector<Dataset> texts_, series_;
  ChunkPacker packer_;
};

}  // namespace cenic::detail
