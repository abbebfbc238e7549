// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Every file of the fuzzer's corpus: seeds, whose names begin with "good", are read; what once
// broke a reader is read or refused.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fuzz/readers.h"

namespace cenic::test {
namespace {

namespace fs = std::filesystem;

class FuzzCorpus : public testing::TestWithParam<Reader> {};

TEST_P(FuzzCorpus, IsReadOrRefused) {
  int num_good = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fs::path(CENIC_TEST_DATA) / "fuzz/corpus" / GetParam().name)) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    bool read = false;
    EXPECT_NO_THROW(read = try_reader(GetParam(), bytes.data(), bytes.size()));
    if (!entry.path().filename().string().starts_with("good")) continue;
    EXPECT_TRUE(read);
    ++num_good;
  }
  EXPECT_GT(num_good, 0);  // the fuzzer has something to begin with
}

INSTANTIATE_TEST_SUITE_P(Readers, FuzzCorpus,
                         testing::ValuesIn(list_readers().begin(), list_readers().end()),
                         [](const auto& reader) {
                           return std::string(reader.param.name);
                         });

}  // namespace
}  // namespace cenic::test
