// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The readers of files, each behind one function of bytes. Whatever the bytes are, a reader returns
// or throws Error: anything else is a bug that the fuzzer (fuzz_main.cpp) and the tests of its
// corpus (corpus_test.cpp) show.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace cenic::test {

struct Reader {
  const char* name;       // of its folder in corpus/
  const char* file_name;  // what the bytes are called on disk; its ending chooses the format
  void (*read)(const std::string& path);
};
std::span<const Reader> list_readers();
const Reader* find_reader(std::string_view name);  // nullptr: there is none

// Writes the bytes to a file, which outlives the call, and reads it. False: the reader refused it.
bool try_reader(const Reader& reader, const char* bytes, std::size_t size);

}  // namespace cenic::test
