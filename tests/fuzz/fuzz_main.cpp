// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The fuzzer of all readers (libFuzzer, clang); CENIC_FUZZ_READER names the one to try.
// tools/fuzz.sh runs them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/readers.h"

namespace {

const cenic::test::Reader& chosen_reader() {
  static const cenic::test::Reader* const reader = [] {
    const char* name = std::getenv("CENIC_FUZZ_READER");
    const auto* found = cenic::test::find_reader(name == nullptr ? "" : name);
    if (found == nullptr) {
      std::fprintf(stderr, "CENIC_FUZZ_READER names no reader; it may be:");
      for (const cenic::test::Reader& known : cenic::test::list_readers()) {
        std::fprintf(stderr, " %s", known.name);
      }
      std::fprintf(stderr, "\n");
      std::exit(2);
    }
    return found;
  }();
  return *reader;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cenic::test::try_reader(chosen_reader(), reinterpret_cast<const char*>(data), size);
  return 0;
}
