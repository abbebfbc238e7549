// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/byte_pipe.h"

#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace cenic::detail {
namespace {

TEST(BytePipe, TakesWhatFitsAndGivesWhatThereIs) {
  BytePipe pipe(5);  // has room for eight
  char out[16] = {};
  EXPECT_EQ(pipe.read(out), 0u);
  EXPECT_EQ(pipe.write(std::string_view("abcdef")), 6u);
  EXPECT_EQ(pipe.write(std::string_view("ghij")), 2u);
  EXPECT_EQ(pipe.write(std::string_view("x")), 0u);
  EXPECT_EQ(pipe.read(std::span(out).first(3)), 3u);
  EXPECT_EQ(std::string(out, 3), "abc");
  EXPECT_EQ(pipe.write(std::string_view("123456")), 3u);  // over the end of the ring
  EXPECT_EQ(pipe.read(out), 8u);
  EXPECT_EQ(std::string(out, 8), "defgh123");
  EXPECT_EQ(pipe.write({}), 0u);
  EXPECT_EQ(pipe.read(out), 0u);
}

TEST(BytePipe, KeepsTheOrderBetweenThreads) {
  constexpr std::size_t kTotal = 3000000;
  const auto make_byte = [](std::size_t i) {
    return static_cast<char>(i * 2654435761u >> 13);
  };
  BytePipe pipe(1000);
  std::thread writer([&] {
    std::mt19937 random(1);
    std::vector<char> bytes;
    for (std::size_t done = 0; done < kTotal;) {
      const std::size_t size = std::min<std::size_t>(random() % 3000, kTotal - done);
      bytes.resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = make_byte(done + i);
      }
      for (std::span<const char> rest = bytes; !rest.empty();) {
        const std::size_t count = pipe.write(rest);
        rest = rest.subspan(count);
        if (count == 0) std::this_thread::yield();
      }
      done += size;
    }
  });
  std::mt19937 random(2);
  std::vector<char> bytes(3000);
  std::size_t done = 0, wrong = 0;
  while (done < kTotal) {
    const std::size_t count = pipe.read(std::span(bytes).first(1 + random() % 2999));
    for (std::size_t i = 0; i < count; ++i) {
      wrong += bytes[i] != make_byte(done + i) ? 1 : 0;
    }
    done += count;
    if (count == 0) std::this_thread::yield();
  }
  writer.join();
  EXPECT_EQ(done, kTotal);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace cenic::detail
