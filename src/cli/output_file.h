// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A file that appears under its name only when it is complete.
#pragma once

#include <string>

namespace cenic::cli {

// Writing goes to a neighbour of the file, which commit() renames. A path that is not a regular
// file (a pipe, /dev/stdout) is written directly. Without commit() nothing is left behind, unless
// keep() said that a part is worth something: then the neighbour is.
class OutputFile {
 public:
  // Throws Error with the reason when the file cannot be written.
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  const std::string& path() const { return path_; }
  const std::string& path_to_write() const { return partial_; }
  void write(const std::string& text) const;  // all of it; throws Error with the reason
  void commit();                              // throws Error
  void keep() { kept_ = true; }
  // Throws Error with the reason of the last system call.
  [[noreturn]] void fail() const;

 private:
  std::string path_, partial_;
  bool direct_ = false;  // partial_ is path_
  bool committed_ = false, kept_ = false;
};

}  // namespace cenic::cli
