// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Archive: numbers to bytes and back. One function of a class names its fields once, for saving and
// for loading alike:
//
//   void exchange(Archive* archive) { (*archive)(&step_); archive->fixed(&weights_); }
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.h"

namespace cenic {

class Archive {
 public:
  Archive() = default;                                                               // to save to
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), loading_(true) {}  // to load from

  bool loading() const { return loading_; }
  const std::string& bytes() const { return bytes_; }
  bool at_end() const { return position_ == bytes_.size(); }

  // A number, or a struct of numbers: without gaps between them where the bytes are compared.
  template <class T>
  void operator()(T* x) {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_bytes(reinterpret_cast<char*>(x), sizeof(T));
  }
  // Takes the size that was saved.
  template <class T, class Allocator>
  void operator()(std::vector<T, Allocator>* x) {
    static_assert(std::is_trivially_copyable_v<T>);
    exchange_size(x, sizeof(T));
    exchange_bytes(reinterpret_cast<char*>(x->data()), x->size() * sizeof(T));
  }
  void operator()(std::string* x) {
    exchange_size(x, 1);
    exchange_bytes(x->data(), x->size());
  }
  // A vector whose size the loader knows already: another one throws Error.
  template <class Vector>
  void fixed(Vector* x) {
    std::uint64_t size = x->size();
    (*this)(&size);
    if (size != x->size()) fail();
    for (auto& element : *x) {
      (*this)(&element);
    }
  }

  // The same memory once more: to save something else, or to load so many bytes that the caller
  // puts there.
  void start_saving() {
    bytes_.clear();
    loading_ = false;
  }
  std::span<char> start_loading(std::size_t size) {
    bytes_.resize(size);
    position_ = 0;
    loading_ = true;
    return bytes_;
  }
  // To load a part twice.
  std::size_t position() const { return position_; }
  void seek(std::size_t position) { position_ = position; }

  [[noreturn]] static void fail() {
    throw Error("the data do not fit: damaged, or written by another program");
  }

 private:
  template <class Sized>
  void exchange_size(Sized* x, std::size_t element) {
    std::uint64_t size = x->size();
    (*this)(&size);
    if (!loading_) return;
    if (size > (bytes_.size() - position_) / element) fail();
    x->resize(size);
  }
  void exchange_bytes(char* x, std::size_t count) {
    if (count == 0) return;  // an empty vector may have no address
    if (!loading_) {
      bytes_.append(x, count);
      return;
    }
    if (count > bytes_.size() - position_) fail();
    std::memcpy(x, bytes_.data() + position_, count);
    position_ += count;
  }

  std::string bytes_;
  std::size_t position_ = 0;
  bool loading_ = false;
};

}  // namespace cenic
