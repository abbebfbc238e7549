// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// BytePipe: bytes from one thread to another, without locks. A core waits for memory that another
// core has changed, up to 300 ns a line: the writer reads nothing that the reader writes, except
// when the pipe seems full.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace cenic::detail {

// Lines of memory that cores exchange, and the next one, which they fetch along.
inline constexpr std::size_t kLineSize = 128;

class BytePipe {
 public:
  // Room for so many bytes at least: the next power of two.
  explicit BytePipe(std::size_t capacity)
      : capacity_(std::bit_ceil(capacity)),
        ring_(std::make_unique_for_overwrite<char[]>(capacity_)) {}

  // The writer's side. Returns how many of the bytes found room; the reader sees them all at once.
  std::size_t write(std::span<const char> bytes) {
    const std::size_t end = end_.value.load(std::memory_order_relaxed);
    if (capacity_ - (end - end_.other) < bytes.size()) {
      end_.other = start_.value.load(std::memory_order_acquire);
    }
    const std::size_t count = std::min(bytes.size(), capacity_ - (end - end_.other));
    copy(end, count, [&](char* place, std::size_t done, std::size_t length) {
      std::memcpy(place, bytes.data() + done, length);
    });
    end_.value.store(end + count, std::memory_order_release);
    return count;
  }

  // The reader's side. Returns how many of the bytes there were.
  std::size_t read(std::span<char> bytes) {
    const std::size_t start = start_.value.load(std::memory_order_relaxed);
    if (start_.other - start < bytes.size()) {
      start_.other = end_.value.load(std::memory_order_acquire);
    }
    const std::size_t count = std::min(bytes.size(), start_.other - start);
    copy(start, count, [&](const char* place, std::size_t done, std::size_t length) {
      std::memcpy(bytes.data() + done, place, length);
    });
    start_.value.store(start + count, std::memory_order_release);
    return count;
  }

 private:
  // Up to two pieces: to the end of the ring, and from its start on.
  template <class Copy>
  void copy(std::size_t position, std::size_t count, const Copy& copy_piece) {
    const std::size_t place = position & (capacity_ - 1);
    const std::size_t first = std::min(count, capacity_ - place);
    if (first > 0) copy_piece(ring_.get() + place, 0, first);
    if (count > first) copy_piece(ring_.get(), first, count - first);
  }

  // Bytes since the start.
  struct alignas(kLineSize) Position {
    std::atomic<std::size_t> value{0};
    std::size_t other = 0;  // of the other side, as far as this one knows
  };

  std::size_t capacity_;
  std::unique_ptr<char[]> ring_;
  Position start_;  // the reader's
  Position end_;    // the writer's
};

}  // namespace cenic::detail
