// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Counts heap allocations. Include in exactly one file of a test executable: it replaces the global
// operator new.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace cenic::test {
inline std::atomic<long> num_allocations{0};
}  // namespace cenic::test

// malloc and free are a matching pair here.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

void* operator new(std::size_t size) {
  ++cenic::test::num_allocations;
  void* p = std::malloc(size == 0 ? 1 : size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++cenic::test::num_allocations;
  const auto a = static_cast<std::size_t>(alignment);
  void* p = std::aligned_alloc(a, (size + a - 1) / a * a);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++cenic::test::num_allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
