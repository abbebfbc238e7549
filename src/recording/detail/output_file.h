// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A file of bytes that were made elsewhere: written in large pieces, without a buffer in between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cenic::detail {

// Every function that writes throws Error "path: error: ..." when it fails.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // takes the place of a file that is there
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  void append(std::span<const std::string_view> parts) const;  // one after the other
  void write_at(std::uint64_t address, std::string_view bytes) const;
  void close();  // the last call

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  int file_ = -1;
};

}  // namespace cenic::detail
