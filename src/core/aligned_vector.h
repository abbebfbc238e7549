// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Arrays whose storage starts on a cache line, as the vector kernels need it.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <new>
#include <vector>

namespace cenic {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  // NOLINTNEXTLINE(google-explicit-constructor): required of allocators
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{kCacheLine}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{kCacheLine}); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

// Makes room for n numbers in each of some arrays that have the same size and never shrink.
inline void grow_to(std::size_t n, std::initializer_list<AlignedVector<double>*> arrays) {
  if ((*arrays.begin())->size() >= n) return;
  for (AlignedVector<double>* x : arrays) {
    x->resize(n);
  }
}

}  // namespace cenic
