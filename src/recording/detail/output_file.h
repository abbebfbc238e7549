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
        position_(other.position_),
        planned_(other.planned_),
        room_(other.room_),
        asks_for_room_(other.asks_for_room_) {}
  ~OutputFile();

  const std::string& path() const { return path_; }
  // One after the other, from where the last call ended or was sent.
  void append(std::span<const std::string_view> parts);
  // How long it will be by what is appended, about: that is faster when it is known.
  void plan(std::uint64_t size) { planned_ = size; }
  void close();  // the last call

  bool plain() const { return plain_; }  // no pipe, device or link: the rest is possible
  void seek(std::uint64_t address);
  void write_at(std::uint64_t address, std::string_view bytes) const;
  void read_at(std::uint64_t address, std::span<char> bytes) const;
  void empty();

 private:
  [[noreturn]] void fail() const;
  // From an address on, until there are no bytes left; `transfer` says how many it has done.
  template <class Transfer>
  void repeat(std::uint64_t address, std::size_t size, const Transfer& transfer) const;
  void reserve(std::uint64_t size);
  void give_back();

  std::string path_;
  bool plain_ = true;
  int file_ = -1;
  std::uint64_t position_ = 0;  // of the next byte that is appended
  std::uint64_t planned_ = 0;
  std::uint64_t room_ = 0;     // the end of the room that was asked for; 0: none
  bool asks_for_room_ = true;  // false: the file system does not give it
};

}  // namespace cenic::detail
