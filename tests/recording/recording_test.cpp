// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recordings: what is written is what is read, whatever happens to the program or the file.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "model/contact_model.h"
#include "physics/worlds.h"
#include "recording/blow_up.h"
#include "recording/detail/hdf5_writer.h"
#include "recording/detail/mcap_file.h"
#include "recording/detail/recorded_scene.h"
#include "recording/recorder.h"

namespace cenic {
namespace {

class RecordingFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = testing::TempDir() + "cenic_" + test->name() + ".h5";
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string error_of_reading() const {
    try {
      read_recording(path_);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  }
  std::string read_bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write_bytes(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  void expect_error(const std::string& part) const {
    const std::string error = error_of_reading();
    EXPECT_TRUE(error.starts_with(path_ + ": error: ")) << error;
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  std::string path_;
};

// A scene and frames that are easily told apart.
RecordedScene make_small_scene() {
  RecordedScene scene;
  scene.bodies = {"a", "b"};
  scene.masses = {1, 2};
  scene.moves = {0, 1};
  scene.geometries = {{"ga", "sphere", 0, true, {0.1, 0, 0}, {}, {1, 0, 0, 1}, -1},
                      {"gb", "box", 1, true, {0.1, 0.2, 0.3}, {}, {0, 1, 0, 1}, -1}};
  for (int i = 0; i < 40; ++i) {
    scene.coordinates.push_back("q" + std::to_string(i));
    scene.velocities.push_back("v" + std::to_string(i));
    scene.coordinate_width.push_back(1);
    scene.coordinate_units.emplace_back("m");
    scene.velocity_units.emplace_back("m/s");
    scene.coordinate_bodies.push_back(i % 2);
    scene.velocity_bodies.push_back(i % 2);
  }
  return scene;
}

Frame make_frame(int i) {
  Frame frame;
  frame.t = 0.01 * i;
  frame.step = i;
  for (int k = 0; k < 40; ++k) {
    frame.q.push_back(std::sin(i + 0.1 * k));
    frame.v.push_back(i * 1e-3 + k);
  }
  frame.poses.assign(14, 0.5 * i);
  frame.energy = 3.0 * i;
  for (int c = 0; c < i % 4; ++c) {
    frame.contacts.push_back({0, 1, {1.0 * c, 0, 0}, {0, 0, 1}, {0, 0, 1.0 * i}, 0.25});
  }
  return frame;
}

void expect_frame(const Frame& frame, int i) {
  const Frame expected = make_frame(i);
  EXPECT_EQ(frame.t, expected.t);
  EXPECT_EQ(frame.q, expected.q);
  EXPECT_EQ(frame.v, expected.v);
  EXPECT_EQ(frame.poses, expected.poses);
  EXPECT_EQ(frame.energy, expected.energy);
  ASSERT_EQ(frame.contacts.size(), expected.contacts.size());
  for (std::size_t c = 0; c < frame.contacts.size(); ++c) {
    EXPECT_EQ(frame.contacts[c].force_B_W.z, expected.contacts[c].force_B_W.z);
    EXPECT_EQ(frame.contacts[c].point_W.x, expected.contacts[c].point_W.x);
  }
}

void write_frames(const std::string& path, int count) {
  const auto sink = make_hdf5_sink(detail::OutputFile(path), {.scene = "test"}, make_small_scene());
  for (int i = 0; i < count; ++i) {
    sink->on_step({0.01 * i, 0.01, 1e-4, i % 2, 3, -1, 0.1 * i});
    sink->on_frame(make_frame(i));
  }
  sink->finish("it ended");
}

TEST_F(RecordingFile, HoldsWhatTheRunDidAndDoesNotChangeIt) {
  const auto model = compile(make_scene("hard_clutter", {{"count", 8}}));
  Simulator plain(model), sim(model);
  plain.advance_to(1);
  RecordingInfo info{.scene = "hard_clutter",
                     .settings = "count=8",
                     .integrator = "cenic",
                     .accuracy = 1e-3,
                     .seed = 18446744073709551615u,
                     .fps = 60,
                     .version = "x"};
  Recorder recorder(sim, info);
  recorder.add_file(path_);
  sim.set_monitor([&](const StepEvent& event) {
    recorder.on_step(event);
  });
  sim.advance_to(1);
  recorder.finish("");
  EXPECT_EQ(sim.state().q, plain.state().q);
  EXPECT_EQ(sim.state().v, plain.state().v);
  EXPECT_EQ(sim.statistics().steps, plain.statistics().steps);

  const Recording run = read_recording(path_);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.info.scene, info.scene);
  EXPECT_EQ(run.info.settings, info.settings);
  EXPECT_EQ(run.info.seed, info.seed);
  EXPECT_EQ(run.info.accuracy, info.accuracy);
  ASSERT_EQ(run.frames.size(), 61u);
  ASSERT_EQ(run.steps.size(), static_cast<std::size_t>(plain.statistics().steps));
  EXPECT_EQ(run.frames.front().q, model->q0);
  EXPECT_EQ(run.frames.back().q, plain.state().q);
  EXPECT_EQ(run.frames.back().v, plain.state().v);
  EXPECT_NEAR(run.frames.back().energy, plain.calc_energy(), 1e-12 * std::abs(plain.calc_energy()));
  EXPECT_NEAR(run.frames[30].t, 0.5, 1e-12);
  EXPECT_EQ(run.scene.bodies.size(), model->bodies.size());
  EXPECT_EQ(run.scene.geometries.size(), model->geometries.size());
  long rejections = 0;
  for (const RecordedStep& step : run.steps) {
    rejections += step.rejections;
  }
  EXPECT_EQ(rejections, plain.statistics().rejected_steps);
  // The contacts of the last frame are those of the last step.
  double recorded = 0, solved = 0;
  for (const RecordedContact& c : run.frames.back().contacts) {
    recorded += norm(c.force_B_W);
  }
  for (const ContactReport& c : plain.contacts()) {
    solved += norm(c.force_B_W);
  }
  EXPECT_GT(solved, 0);
  EXPECT_NEAR(recorded, solved, 1e-5 * solved);  // 32 bits
  // Poses are those of the coordinates: free bodies, quaternion first in q.
  for (std::size_t b = 0; b < run.scene.bodies.size(); ++b) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.frames[30].poses[7 * b + i], run.frames[30].q[7 * b + 4 + i], 1e-6);
    }
  }
}

// Chunks are packed by hand: zlib, which HDF5 unpacks them with, is the judge.
TEST_F(RecordingFile, TheSceneIsReadBackAsItWas) {
  RecordedScene scene = make_small_scene();
  scene.bodies = {"a \"quoted\" \\ name\n", "caf\u00e9"};
  scene.masses = {1e-300, 0.1 + 0.2};
  scene.outputs = {"", "\x01"};
  scene.geometries[0].color = {0.1f, 0.2f, 1.0f / 3, 1};
  scene.geometries[1] = {.name = "gm", .kind = "mesh", .body = 1, .mesh = 0};
  scene.geometries[1].texture = {-1, true, {0.5, 1e22}, true};
  scene.geometries[1].visible = false;
  for (const std::size_t vertices : {3, 20000}) {  // the latter longer than what deflate looks back
    RecordedMesh mesh;
    for (std::size_t i = 0; i < vertices; ++i) {
      mesh.vertices.push_back({std::sin(0.1 * static_cast<double>(i)), -0.0, 1e-9});
    }
    mesh.triangles = {{0, 1, 2}};
    mesh.uv = {{{{0.25f, 0.1f}, {1, 0}, {0, 1}}}};
    scene.meshes = {mesh};
    make_hdf5_sink(detail::OutputFile(path_), {}, scene)->finish("");
    const RecordedScene read = read_recording(path_).scene;
    EXPECT_EQ(read.bodies, scene.bodies);
    EXPECT_EQ(read.masses, scene.masses);
    EXPECT_EQ(read.states, scene.states);
    EXPECT_EQ(read.outputs, scene.outputs);
    EXPECT_EQ(read.coordinates, scene.coordinates);
    EXPECT_EQ(read.coordinate_units, scene.coordinate_units);
    EXPECT_EQ(read.velocity_units, scene.velocity_units);
    EXPECT_EQ(read.coordinate_bodies, scene.coordinate_bodies);
    EXPECT_EQ(read.velocity_bodies, scene.velocity_bodies);
    EXPECT_EQ(read.has_surfaces, scene.has_surfaces);
    ASSERT_EQ(read.geometries.size(), 2u);
    EXPECT_EQ(read.geometries[0].color, scene.geometries[0].color);
    EXPECT_TRUE(read.geometries[0].collides);
    EXPECT_TRUE(read.geometries[0].visible && !read.geometries[1].visible);
    EXPECT_EQ(read.geometries[1].mesh, 0);
    EXPECT_EQ(read.geometries[1].texture.repeat, scene.geometries[1].texture.repeat);
    EXPECT_TRUE(read.geometries[1].texture.cube && read.geometries[1].texture.per_metre);
    ASSERT_EQ(read.meshes.size(), 1u);
    ASSERT_EQ(read.meshes[0].vertices.size(), vertices);
    for (std::size_t i = 0; i < vertices; ++i) {
      ASSERT_EQ(norm(read.meshes[0].vertices[i] - mesh.vertices[i]), 0) << i;
    }
    EXPECT_EQ(read.meshes[0].triangles, mesh.triangles);
    EXPECT_EQ(read.meshes[0].uv, mesh.uv);
  }
}

TEST_F(RecordingFile, NamesThatAreNoTextAreMadeReadable) {
  RecordedScene scene = make_small_scene();
  scene.bodies[0] = "a\xff";
  make_hdf5_sink(detail::OutputFile(path_), {}, scene)->finish("");
  EXPECT_EQ(read_recording(path_).scene.bodies[0], "a\uFFFD");
}

TEST_F(RecordingFile, EveryStepIsAFrameAtRateZero) {
  Simulator sim = make_simulator(make_scene("cart_pole"), 1e-3);
  RecordingInfo info{.fps = 0};
  Recorder recorder(sim, info);
  recorder.add_file(path_);
  std::vector<double> times{0}, outputs;
  sim.set_monitor([&](const StepEvent& event) {
    recorder.on_step(event);
    times.push_back(event.after.t);
    outputs = sim.outputs();
  });
  sim.advance_to(1);
  recorder.finish("");
  const Recording run = read_recording(path_);
  ASSERT_EQ(run.frames.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(run.frames[i].t, times[i]);
  }
  EXPECT_EQ(run.frames.back().outputs, outputs);
  EXPECT_EQ(run.scene.outputs.size(), outputs.size());
  EXPECT_THROW(Recorder(sim, {.fps = -1}), Error);
  EXPECT_THROW(recorder.add_file("run.avi"), Error);
  EXPECT_THROW(recorder.add_file("/nowhere/run.h5"), Error);
}

// Surfaces of hydroelastic contact: at the poses of frames they are those drawn of the model, and
// their pressure carries the weight; the energy is the simulator's.
TEST_F(RecordingFile, ContactSurfacesAreRecorded) {
  ModelSpec spec = make_scene("box_stack");
  set_contact_model(&spec, ContactModel::kHydroelastic);
  Simulator sim(compile(spec));
  RecordingInfo info{.fps = 60};
  Recorder recorder(sim, info);
  recorder.add_file(path_);
  sim.set_monitor([&](const StepEvent& event) {
    recorder.on_step(event);
  });
  sim.advance_to(1);
  recorder.finish("");
  const Recording run = read_recording(path_);
  ASSERT_TRUE(run.scene.has_surfaces);
  const Frame& last = run.frames.back();
  ASSERT_FALSE(last.polygon_sizes.empty());
  EXPECT_NEAR(last.energy, sim.calc_energy(), 1e-4 * std::abs(sim.calc_energy()));
  // Pressure times area of all polygons is the sum of the contact forces, at rest.
  double pressed = 0, solved = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < last.polygon_sizes.size(); ++i) {
    Vec3 area{};
    for (int k = 2; k < last.polygon_sizes[i]; ++k) {
      const Vec3* p = last.corners.data() + first;
      area = area + 0.5 * cross(p[k - 1] - p[0], p[k] - p[0]);
    }
    pressed += last.pressures[i] * norm(area);
    first += last.polygon_sizes[i];
  }
  EXPECT_EQ(first, last.corners.size());
  for (const RecordedContact& c : last.contacts) {
    solved += norm(c.force_B_W);
  }
  EXPECT_GT(solved, 1);
  EXPECT_NEAR(pressed, solved, 0.05 * solved);
}

// How the chunks of an MCAP file are packed: "zstd", or not at all.
std::vector<std::string> list_packings(const std::string& file) {
  std::vector<std::string> packings;
  for (std::size_t at = 8; at + 9 < file.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, file.data() + at + 1, sizeof length);
    if (file[at] == 6) packings.push_back(file.substr(at + 9 + 32, file[at + 9 + 28]));
    at += 9 + length;
  }
  return packings;
}

TEST_F(RecordingFile, McapPacksWhatDoesNotHoldUpTheRun) {
  const std::string message(1000, 'x');
  {
    detail::McapFile file{detail::OutputFile(path_)};
    const int channel = file.add_channel("/x", {"x", detail::McapFile::kJson, "{}"});
    const auto write = [&](double t) {
      *file.begin(channel, t) += message;
      file.end();
    };
    for (int i = 0; i < 100000; ++i) {
      write(i);
    }
    file.flush();
    write(1e5);
    usleep(20000);
    file.close();
  }
  const std::vector<std::string> packings = list_packings(read_bytes());
  ASSERT_GT(packings.size(), 500u);
  EXPECT_GT(std::ranges::count(packings, ""), 100) << "made faster than packed";
  EXPECT_EQ(packings.back(), "zstd") << "there was time";
}

TEST_F(RecordingFile, TakesThePlaceOfAFileThatIsThereAndSaysWhyItCannot) {
  write_bytes(std::string(1 << 20, 'x'));
  write_frames(path_, 3);
  EXPECT_LT(read_bytes().size(), 100000u);
  EXPECT_EQ(read_recording(path_).frames.size(), 3u);
  const auto error_of = [](const std::string& path, const RecordingInfo& info) -> std::string {
    try {
      make_hdf5_sink(detail::OutputFile(path), info, make_small_scene())->finish("");
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("/no/such/folder/a.h5", {}),
            "/no/such/folder/a.h5: error: cannot write the recording: No such file or directory");
  const std::string long_text = error_of(path_, {.settings = std::string(70000, 's')});
  EXPECT_TRUE(long_text.starts_with(path_ + ": error: 'settings' is too long")) << long_text;
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_NE(error_of("/dev/full", {}).find("No space left"), std::string::npos);
  }
}

TEST(RecordedScene, CoordinatesHaveUnitsAndBodies) {
  using Units = std::vector<std::string>;
  const auto scene_of = [](const char* name) {
    return detail::make_recorded_scene(*compile(make_scene(name)));
  };
  EXPECT_EQ(scene_of("cart_pole").coordinate_units, (Units{"m", "rad"}));
  EXPECT_EQ(scene_of("cart_pole").velocity_units, (Units{"m/s", "rad/s"}));
  EXPECT_EQ(scene_of("bouncing_ball").coordinate_units, (Units{"", "", "", "", "m", "m", "m"}));
  EXPECT_EQ(scene_of("bouncing_ball").velocity_units,
            (Units{"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"}));
  EXPECT_EQ(scene_of("cart_pole").coordinate_bodies, (std::vector{0, 1}));
  EXPECT_EQ(scene_of("bouncing_ball").velocity_bodies, std::vector<int>(6, 0));
}

TEST_F(RecordingFile, WithoutFramesSaysWhy) {
  for (const bool complete : {true, false}) {
    const auto sink = make_hdf5_sink(detail::OutputFile(path_), {}, make_small_scene());
    if (complete) sink->finish("");
    const Recording run = read_recording(path_);
    EXPECT_EQ(run.complete, complete);
    try {
      require_frames(run);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), path_ + ": error: the recording has no frames" +
                              (complete ? ""
                                        : "; the run was killed, or its disk was full, before "
                                          "the first flush"));
    }
  }
}

TEST_F(RecordingFile, SurvivesAKillAtAnyTime) {
  std::mt19937 random(5);
  int most = 0;
  for (int round = 0; round < 20; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      const auto sink =
          make_hdf5_sink(detail::OutputFile(path_), {.scene = "killed"}, make_small_scene(), 0);
      for (int i = 0;; ++i) {
        sink->on_step({0.01 * i, 0.01, 1e-4, i % 2, 3, -1, 0.1 * i});
        sink->on_frame(make_frame(i));
        if (write(pipe_ends[1], &i, sizeof i) != sizeof i) _exit(1);
      }
    }
    // Not before the file is there.
    int flushed = -1;
    ASSERT_EQ(read(pipe_ends[0], &flushed, sizeof flushed), static_cast<ssize_t>(sizeof flushed));
    usleep(std::uniform_int_distribution<int>(0, 60000)(random));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    close(pipe_ends[1]);
    for (int i = 0; read(pipe_ends[0], &i, sizeof i) == sizeof i;) {
      flushed = i;
    }
    close(pipe_ends[0]);
    const Recording run = read_recording(path_);
    EXPECT_FALSE(run.complete);
    EXPECT_EQ(run.info.scene, "killed");
    ASSERT_GE(static_cast<int>(run.frames.size()), flushed + 1) << "kill " << round;
    for (std::size_t i = 0; i < run.frames.size(); ++i) {
      expect_frame(run.frames[i], static_cast<int>(i));
    }
    ASSERT_GE(static_cast<int>(run.steps.size()), flushed + 1);
    most = std::max(most, flushed);
  }
  EXPECT_GT(most, 3) << "the kills came too early to prove anything";
}

TEST_F(RecordingFile, FlippedBitsAreSeenOrHarmless) {
  write_frames(path_, 50);
  const std::string good = read_bytes();
  std::mt19937 random(3);
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    write_bytes(bad);
    const std::string error = error_of_reading();
    if (!error.empty()) {
      EXPECT_TRUE(error.starts_with(path_ + ": error: ")) << error;
      ++seen;
      continue;
    }
    const Recording run = read_recording(path_);
    for (std::size_t f = 0; f < run.frames.size(); ++f) {
      expect_frame(run.frames[f], static_cast<int>(f));
    }
  }
  EXPECT_GT(seen, 30);
}

TEST_F(RecordingFile, CutShortIsSaid) {
  write_frames(path_, 50);
  const std::string good = read_bytes();
  for (int i = 0; i < 40; ++i) {
    write_bytes(good.substr(0, good.size() * i / 40));
    expect_error("");
  }
}

TEST_F(RecordingFile, ForeignFilesAreRefused) {
  expect_error("cannot open");
  write_bytes("<mujoco/>");
  expect_error("this is no recording");
  write_bytes("");
  expect_error("this is no recording");
  {
    detail::Hdf5Writer file{detail::OutputFile(path_)};
    file.write_text("format", "something else");
    file.close();
  }
  expect_error("this HDF5 file is no recording");
  {
    detail::Hdf5Writer file{detail::OutputFile(path_)};
    file.write_text("format", kRecordingFormat);
    file.write_integer("format_version", 99);
    file.close();
  }
  expect_error("format 99");
  {
    detail::Hdf5Writer file{detail::OutputFile(path_)};
    file.write_text("format", kRecordingFormat);
    file.write_integer("format_version", kRecordingVersion);
    file.close();
  }
  expect_error("missing or damaged");
}

TEST_F(RecordingFile, FramesAreFoundAndInterpolated) {
  write_frames(path_, 50);
  const Recording run = read_recording(path_);
  EXPECT_EQ(run.failure, "it ended");
  EXPECT_EQ(find_frame(run, -1), 0);
  EXPECT_EQ(find_frame(run, 0.0251), 2);
  EXPECT_EQ(find_frame(run, 9), 49);
  EXPECT_EQ(interpolate_frame(run, 0.03).q, run.frames[3].q);
  EXPECT_EQ(interpolate_frame(run, 9).q, run.frames[49].q);
}

TEST_F(RecordingFile, TheLastSecondOfAFailedRunIsKept) {
  IntegratorOptions options;
  options.accuracy = 1e-4;
  Simulator sim(compile(make_scene("chain")), options);
  BlowUpRecorder kept(sim);
  long steps = 0;
  sim.set_monitor([&](const StepEvent& event) {
    kept.on_step(event);
    ++steps;
  });
  sim.advance_to(2.5);
  kept.write(path_, {.scene = "chain"}, "as if it had failed");
  const Recording run = read_recording(path_);
  EXPECT_EQ(run.failure, "as if it had failed");
  ASSERT_GT(steps, 200);
  ASSERT_GT(run.frames.size(), 20u);
  EXPECT_LT(run.frames.size(), 80u);
  EXPECT_EQ(run.frames.back().q, sim.state().q);
  EXPECT_NEAR(run.frames.front().t, 1.5, 0.05);
  for (std::size_t i = 1; i < run.frames.size(); ++i) {
    EXPECT_GT(run.frames[i].t, run.frames[i - 1].t);
    EXPECT_LT(run.frames[i].t, run.frames[i - 1].t + 0.05);
  }
}

TEST_F(RecordingFile, ARunThatFailsAtOnceIsKeptFromItsStart) {
  Simulator sim(compile(make_scene("hard_clutter")));
  const State start = sim.state();
  BlowUpRecorder kept(sim);
  sim.set_monitor([&](const StepEvent& event) {
    kept.on_step(event);
  });
  sim.advance_to(0.3);
  kept.write(path_, {.scene = "hard_clutter"}, "as if it had failed");
  const Recording run = read_recording(path_);
  EXPECT_EQ(run.frames.front().t, 0);
  EXPECT_EQ(run.frames.front().q, start.q);
  EXPECT_EQ(run.frames.back().q, sim.state().q);
  EXPECT_GT(run.frames.back().contacts.size(), 0u);
}

}  // namespace
}  // namespace cenic
