// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"

namespace cenic::cli {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw Error(fmt::format("{}: error: cannot write: {}", path, reason));
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), partial_(path + ".partial") {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) refuse(path, "it is a directory");
  if (fs::exists(status)) {
    if (access(path.c_str(), W_OK) != 0) fail();
    direct_ = !fs::is_regular_file(fs::symlink_status(path, ignored));  // a link is followed
    if (direct_) partial_ = path;
  }
  std::FILE* file = std::fopen(partial_.c_str(), direct_ ? "a" : "w");
  if (file == nullptr) fail();
  std::fclose(file);
}

void OutputFile::fail() const {
  const std::string reason = std::strerror(errno);
  const bool is_there = kept_ && !direct_;
  refuse(path_,
         is_there ? fmt::format("{}; what there was before is in '{}'", reason, partial_) : reason);
}

OutputFile::~OutputFile() {
  if (!committed_ && !direct_ && !kept_) std::remove(partial_.c_str());
}

void OutputFile::write(const std::string& text) const {
  std::FILE* file = std::fopen(partial_.c_str(), "w");
  if (file == nullptr) fail();
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = reason;
  if (!written || !closed) fail();
}

void OutputFile::commit() {
  if (!direct_ && std::rename(partial_.c_str(), path_.c_str()) != 0) fail();
  committed_ = true;
}

}  // namespace cenic::cli
