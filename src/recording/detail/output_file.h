// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A file of bytes that were made elsewhere: written in large pieces, without a buffer in between.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace cenic::detail {

// Every function that writes or reads throws Error "path: error: ..." when it fails.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);  // takes the place of a file that is there
  OutputFile(OutputFile&& other) noexcept
      : path_(std::move(other.path_)),
        plain_(other.plain_),
        file_(std::exchange(other.file_, -1)),
        closed_(std::exchange(other.closed_, -1)),
        position_(other.position_),
        reserved_(other.reserved_) {}
  ~OutputFile();

  const std::string& path() const { return path_; }
  // One after the other, from where the last call ended or was sent.
  void append(std::span<const std::string_view> parts);
  void close();  // the last call

  bool plain() const { return plain_; }  // no pipe, device or link: the rest is possible
  void seek(std::uint64_t address);
  void write_at(std::uint64_t address, std::string_view bytes);
  void read_at(std::uint64_t address, std::span<char> bytes) const;
  void empty();

 private:
  [[noreturn]] void fail() const;
  // From an address on, until there are no bytes left; `transfer` says how many it has done.
  template <class Transfer>
  void repeat(std::uint64_t address, std::size_t size, const Transfer& transfer) const;
  void reserve(std::uint64_t end);

  std::string path_;
  bool plain_ = true;
  int file_ = -1;
  int closed_ = -1;             // the same file, after close()
  std::uint64_t position_ = 0;  // of the next byte that is appended
  std::uint64_t reserved_ = 0;  // bytes for which the disk has room set aside
  bool asks_for_room_ = true;   // false: the file system does not give it
};

}  // namespace cenic::detail
