// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/output_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.h"

namespace cenic {
namespace {

constexpr std::uint64_t kBlock = 1 << 16;  // the largest of a file system

class OutputFileTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string read() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What the file takes of the disk.
  std::uint64_t find_room() const {
    struct stat status {};
    EXPECT_EQ(stat(path_.c_str(), &status), 0);
    return 512 * static_cast<std::uint64_t>(status.st_blocks);
  }

  const std::string path_ = testing::TempDir() + "output_file.bin";
};

// Whether it is as long as was planned, longer, or shorter.
TEST_F(OutputFileTest, HoldsWhatWasWrittenAndTakesNoMoreRoom) {
  for (const std::uint64_t planned : {1 << 20, 1 << 22, 1 << 25}) {
    const std::string a(30000, 'a'), b(50000, 'b');
    std::string expected;
    detail::OutputFile file(path_);
    for (int i = 0; i < 40; ++i) {
      file.plan(planned);
      file.append(std::array<std::string_view, 2>{a, b});
      expected += a + b;
    }
    file.write_at(4, "here");
    file.seek(a.size());
    file.append(std::array<std::string_view, 1>{"there"});
    expected.replace(4, 4, "here").replace(a.size(), 5, "there");
    file.close();
    EXPECT_EQ(read(), expected);
    EXPECT_LE(find_room(), expected.size() + kBlock) << planned;
  }
}

TEST_F(OutputFileTest, TakesNoMoreRoomWhenItIsBrokenOffOrEmptied) {
  const std::string bytes(3000000, 'a');
  {
    detail::OutputFile file(path_);
    file.plan(10 * bytes.size());
    file.append(std::array<std::string_view, 1>{bytes});
  }
  EXPECT_EQ(read(), bytes);
  EXPECT_LE(find_room(), bytes.size() + kBlock);
  {
    detail::OutputFile file(path_);
    file.plan(10 * bytes.size());
    file.append(std::array<std::string_view, 1>{bytes});
    file.empty();
    file.plan(0);
    file.append(std::array<std::string_view, 1>{"new"});
    file.close();
  }
  EXPECT_EQ(read(), "new");
  EXPECT_LE(find_room(), kBlock);
}

TEST_F(OutputFileTest, SaysWhatCannotBeWritten) {
  detail::OutputFile file("/dev/full");
  try {
    file.append(std::array<std::string_view, 1>{"x"});
    ADD_FAILURE() << "a full device took it";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()),
              "/dev/full: error: cannot write the recording: No space left on device");
  }
}

}  // namespace
}  // namespace cenic
