// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// NumPy's files are the same whether the length of a run was known, misjudged or unknown.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include "core/error.h"
#include "model/contact_model.h"
#include "physics/worlds.h"
#include "recording/recorder.h"

namespace cenic {
namespace {

template <typename T>
T read_number(const std::string& bytes, std::size_t at) {
  T number{};
  EXPECT_LE(at + sizeof number, bytes.size());
  if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// The files of an archive, found by its directory; entries must follow each other without gaps, as
// readers that do not look at the directory expect.
std::map<std::string, std::string> read_zip(const std::string& bytes) {
  constexpr std::size_t kEndSize = 22, kLocalSize = 30, kEntrySize = 46;
  std::map<std::string, std::string> files;
  if (bytes.size() < kEndSize) return files;
  const std::size_t end = bytes.size() - kEndSize;
  EXPECT_EQ(read_number<std::uint32_t>(bytes, end), 0x06054b50u);
  const auto count = read_number<std::uint16_t>(bytes, end + 10);
  const std::size_t directory = read_number<std::uint32_t>(bytes, end + 16);
  std::size_t at = directory, last = 0;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(read_number<std::uint32_t>(bytes, at), 0x02014b50u);
    const auto name_size = read_number<std::uint16_t>(bytes, at + 28);
    const std::string name = bytes.substr(at + kEntrySize, name_size);
    const std::size_t size = read_number<std::uint32_t>(bytes, at + 20);
    const std::size_t local = read_number<std::uint32_t>(bytes, at + 42);
    EXPECT_EQ(local, last) << name;
    EXPECT_EQ(read_number<std::uint32_t>(bytes, local), 0x04034b50u) << name;
    EXPECT_EQ(bytes.substr(local + 4, 26), bytes.substr(at + 6, 26)) << name;
    EXPECT_EQ(bytes.substr(local + kLocalSize, name_size), name);
    const std::string content = bytes.substr(local + kLocalSize + name_size, size);
    EXPECT_EQ(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()),
              read_number<std::uint32_t>(bytes, at + 16))
        << name;
    files[name] = content;
    last = local + kLocalSize + name_size + size;
    at += kEntrySize + name_size;
  }
  EXPECT_EQ(last, directory);
  EXPECT_EQ(at, end);
  return files;
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class NpzFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "cenic_" +
            testing::UnitTest::GetInstance()->current_test_info()->name() + ".npz";
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // A second of which the file should have thought that it takes `duration`.
  void record(double duration, const ModelSpec& spec) const {
    Simulator sim = make_simulator(spec, 1e-3);
    Recorder recorder(sim, {.fps = 60, .duration = duration});
    recorder.add_file(path_);
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
    });
    sim.advance_to(1);
    recorder.finish("");
  }
  // Without what a clock says.
  std::map<std::string, std::string> read() const {
    auto files = read_zip(read_bytes(path_));
    files.erase("steps/wall_time.npy");
    files.erase("duration.npy");
    return files;
  }

  std::string path_;
};

TEST_F(NpzFile, IsTheSameWhateverTheLengthOfTheRunShouldHaveBeen) {
  ModelSpec clutter = make_scene("hard_clutter", {{"count", 5}}), surfaces = clutter;
  set_contact_model(&surfaces, ContactModel::kHydroelastic);
  for (const ModelSpec* spec : {&clutter, &surfaces}) {
    record(0, *spec);
    const auto expected = read();
    ASSERT_TRUE(expected.contains("frames/q.npy"));
    EXPECT_NE(expected.at("frames/q.npy").find("'shape': (61, 35)"), std::string::npos);
    const std::string name =
        spec == &clutter ? "contacts/force.npy" : "surfaces/corner.npy";  // grows in the file
    EXPECT_GT(expected.at(name).size(), 1000u);
    for (const double duration : {1.0, 0.99, 0.5, 1.01, 30.0, 1e7, 1e300, -1.0, HUGE_VAL}) {
      record(duration, *spec);
      EXPECT_EQ(read(), expected) << duration;
    }
  }
}

TEST_F(NpzFile, IsWrittenDuringTheRunWhereItsLengthIsKnown) {
  const auto size_before_end = [this](double duration) {
    Simulator sim = make_simulator(make_scene("hard_clutter"), 1e-3);
    {
      Recorder recorder(sim, {.fps = 60, .duration = duration});
      recorder.add_file(path_);
      sim.set_monitor([&](const StepEvent& event) {
        recorder.on_step(event);
      });
      sim.advance_to(1);
    }  // all frames are there, but not the end of the run
    return std::filesystem::file_size(path_);
  };
  EXPECT_EQ(size_before_end(0), 0u);
  EXPECT_GT(size_before_end(1), 60u * 8 * 260);  // coordinates and velocities of 20 objects
}

TEST_F(NpzFile, GoesIntoAPipe) {
  const ModelSpec spec = make_scene("hard_clutter", {{"count", 5}});
  record(0, spec);
  const auto expected = read();
  std::filesystem::remove(path_);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  std::string bytes;
  std::thread reader([&] {
    bytes = read_bytes(path_);
  });
  record(1, spec);
  reader.join();
  auto files = read_zip(bytes);
  files.erase("steps/wall_time.npy");
  files.erase("duration.npy");
  EXPECT_EQ(files, expected);
}

TEST_F(NpzFile, IsCompletedWhenAnotherFileCannotBeMade) {
  const std::string other = path_ + ".h5";
  Simulator sim = make_simulator(make_scene("chain"), 1e-3);
  Recorder recorder(sim, {.settings = std::string(70000, 's'), .fps = 60, .duration = 1});
  recorder.add_file(other);  // too much for an attribute of HDF5
  recorder.add_file(path_);
  sim.set_monitor([&](const StepEvent& event) {
    recorder.on_step(event);
  });
  std::string error;
  try {
    sim.advance_to(1);  // may be over before the thread begins
  } catch (const Error& e) {
    error = e.what();
  }
  EXPECT_TRUE(error.empty() || error.starts_with(other)) << error;
  EXPECT_THROW(recorder.finish("it failed"), Error);
  std::filesystem::remove(other);
  const auto files = read();
  ASSERT_TRUE(files.contains("frames/q.npy"));
  EXPECT_TRUE(files.at("failure.npy").ends_with("it failed"));
}

}  // namespace
}  // namespace cenic
