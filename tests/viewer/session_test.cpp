// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/session.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "physics/worlds.h"
#include "scenes/scenes.h"
#include "systems/library/signals.h"
#include "viewer/connection.h"
#include "viewer/mouse_spring.h"

namespace cenic {
namespace {

double time_of(const std::string& frame) {
  double t = 0;
  std::memcpy(&t, frame.data() + 8, sizeof t);
  return t;
}

// A session on a thread of its own, and what it says.
class Running {
 public:
  Running(const ModelSpec& spec, SessionOptions options)
      : session_(spec, compile(spec), std::move(options)) {
    session_.set_sink([this](const Session::Message& m) {
      const std::lock_guard lock(mutex_);
      if (m.binary) frames_.push_back(*m.bytes), times_.push_back(time_of(*m.bytes));
      if (!m.binary) texts_.push_back(*m.bytes);
    });
    thread_ = std::thread([this] {
      session_.run([this] {
        return stopped_.load();
      });
    });
  }
  ~Running() { stop(); }
  void stop() {
    stopped_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Session& session() { return session_; }
  std::vector<std::string> frames() {
    const std::lock_guard lock(mutex_);
    return frames_;
  }
  std::vector<double> times() {
    const std::lock_guard lock(mutex_);
    return times_;
  }
  bool wait_for(const std::function<bool()>& what) {
    for (int i = 0; i < 6000 && !what(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return what();
  }
  bool was_said(const std::string& part) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(texts_, [&](const std::string& text) {
      return text.find(part) != std::string::npos;
    });
  }

 private:
  Session session_;
  std::mutex mutex_;
  std::vector<double> times_;
  std::vector<std::string> frames_;
  std::vector<std::string> texts_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

TEST(Session, WatchingDoesNotChangeTheRun) {
  const ModelSpec spec = make_scene("hard_clutter");
  Simulator plain(compile(spec));
  plain.advance_to(0.5);
  Running watched(spec, {.end = 0.5, .rate = 0});
  ASSERT_TRUE(watched.wait_for([&] {
    return watched.was_said(R"("playing":false)");
  }));
  watched.stop();
  EXPECT_EQ(watched.session().simulator()->state().t, 0.5);
  EXPECT_EQ(watched.session().simulator()->state().q, plain.state().q);
  EXPECT_EQ(watched.session().simulator()->state().v, plain.state().v);
}

TEST(Session, KeepsRealTime) {
  const auto start = std::chrono::steady_clock::now();
  Running watched(make_scene("double_pendulum"), {.rate = 0.5});
  ASSERT_TRUE(watched.wait_for([&] {
    return !watched.times().empty() && watched.times().back() > 0.4;
  }));
  watched.stop();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  EXPECT_LT(watched.times().back(), 0.5 * taken.count() + 0.1);  // and later on a busy machine
}

TEST(Session, GoesBackAndOn) {
  Running watched(make_scene("double_pendulum"), {.rate = 0});
  ASSERT_TRUE(watched.wait_for([&] {
    return !watched.times().empty() && watched.times().back() > 1;
  }));
  watched.session().post(R"({"do":"pause","from":0.37})");
  ASSERT_TRUE(watched.wait_for([&] {
    return watched.times().back() == 0.37;
  }));
  watched.session().post(R"({"do":"step"})");
  ASSERT_TRUE(watched.wait_for([&] {
    return watched.times().back() > 0.37;
  }));
  watched.stop();
  EXPECT_LT(watched.session().simulator()->state().t, 0.47);  // one step of at most 0.1
  Simulator plain(compile(make_scene("double_pendulum")));
  plain.advance_to(watched.session().simulator()->state().t);
  for (int i = 0; i < 2; ++i) {  // the same motion, to the accuracy of the steps
    EXPECT_NEAR(watched.session().simulator()->state().q[i], plain.state().q[i], 0.02);
  }
}

TEST(Session, ResetIsTheSameRunOnceMore) {
  const ModelSpec spec = make_scene("hard_clutter");
  Simulator plain(compile(spec));
  plain.advance_to(0.5);
  Running watched(spec, {.end = 0.5, .rate = 0});
  const auto arrives_at = [&](double t) {
    return watched.wait_for([&] {
      return !watched.times().empty() && watched.times().back() == t;
    });
  };
  ASSERT_TRUE(arrives_at(0.5));
  watched.session().post(R"({"do":"pause"})");
  watched.session().post(R"({"do":"reset"})");
  ASSERT_TRUE(arrives_at(0));
  watched.session().post(R"({"do":"play"})");
  ASSERT_TRUE(arrives_at(0.5));
  watched.stop();
  EXPECT_EQ(watched.session().simulator()->state().t, 0.5);
  EXPECT_EQ(watched.session().simulator()->state().q, plain.state().q);
  EXPECT_EQ(watched.session().simulator()->statistics().steps, plain.statistics().steps);
}

TEST(Session, RefusesWhatItCannotDo) {
  Running watched(make_scene("double_pendulum"), {.interactive = false, .playing = false});
  EXPECT_THROW(watched.session().post(R"({"do":"reset"})"), Error);
  EXPECT_THROW(watched.session().post("{"), Error);
  Running free(make_scene("double_pendulum"), {});
  free.session().post(R"({"do":"joint","index":0,"value":0})");
  EXPECT_TRUE(free.wait_for([&] {
    return free.was_said("paused");
  }));
}

TEST(Session, SaysWhichCommandItObeyed) {
  Running shown(make_scene("double_pendulum"), {.playing = false});
  const auto obeyed = [&](const std::string& id) {
    return [&shown, said = fmt::format(R"("obeyed":"{}")", id)] {
      return shown.session().status().find(said) != std::string::npos;
    };
  };
  shown.session().post(R"({"do":"pause","id":"a 1"})");  // although it is paused already
  EXPECT_TRUE(shown.wait_for(obeyed("a 1")));
  shown.session().post(R"({"do":"rate","value":-1,"id":"b 1"})");
  EXPECT_TRUE(shown.wait_for(obeyed("b 1")));
  EXPECT_TRUE(shown.was_said("the rate is -1"));
  shown.session().post(R"({"do":"rate","value":2})");
  EXPECT_TRUE(shown.wait_for([&] {
    return shown.session().status().find(R"("rate":2.0)") != std::string::npos;
  }));
  EXPECT_TRUE(obeyed("b 1")());
  const std::string id(65, 'x');
  EXPECT_THROW(shown.session().post(R"({"do":"pause","id":")" + id + R"("})"), Error);
  EXPECT_THROW(shown.session().post(R"({"do":"pause","id":1})"), Error);
}

// What cannot be gone back to is not played either, and the end is the end.
TEST(Session, DoesNotPlayFromWhereItCannot) {
  const ModelSpec spec = make_scene("double_pendulum");
  const Session unborn(spec, compile(spec), {.playing = false});
  EXPECT_NE(unborn.status().find(R"("earliest":null)"), std::string::npos);
  Running free(spec, {.playing = false});
  free.session().post(R"({"do":"play","from":-1})");
  ASSERT_TRUE(free.wait_for([&] {
    return free.was_said("not in the history") && free.was_said(R"("earliest":0.0)");
  }));
  EXPECT_FALSE(free.was_said(R"("playing":true)"));
  Running watched(make_scene("double_pendulum"), {.end = 0.1, .interactive = false, .rate = 0});
  ASSERT_TRUE(watched.wait_for([&] {
    return watched.was_said(R"("playing":false)");
  }));
  EXPECT_THROW(watched.session().post(R"({"do":"play","from":0})"), Error);
  watched.session().post(R"({"do":"play"})");
  EXPECT_TRUE(watched.wait_for([&] {
    return watched.was_said("finished");
  }));
}

// What is only watched ends once: at its end, at its start when that is there, or when it fails.
TEST(Session, AWatchedRunEndsOnce) {
  const auto watch = [](const std::string& scene, const IntegratorOptions& options, double end) {
    const ModelSpec spec = make_scene(scene);
    std::vector<std::string> failures, texts;
    int asked = 0;
    const auto on_end = [&](Simulator* /*sim*/, const std::string& failure) {
      failures.push_back(failure);
    };
    Session session(
        spec, compile(spec),
        {.integrator = options, .end = end, .interactive = false, .rate = 0, .on_end = on_end});
    session.set_sink([&](const Session::Message& m) {
      if (!m.binary) texts.push_back(*m.bytes);
    });
    session.run([&] {
      if (failures.empty()) return false;
      session.post(R"({"do":"play"})");
      session.post(R"({"do":"step"})");
      return ++asked > 2;
    });
    EXPECT_EQ(failures.size(), 1u);
    EXPECT_NE(texts.back().find(R"("playing":false)"), std::string::npos);
    return std::pair{failures.front(), texts};
  };
  EXPECT_EQ(watch("bouncing_ball", {}, 0.1).first, "");
  EXPECT_EQ(watch("bouncing_ball", {}, 0).first, "");
  IntegratorOptions options{.accuracy = 1e-9};
  options.min_step = 1e-3;
  const auto [failure, texts] = watch("hard_clutter", options, 1);
  EXPECT_NE(failure, "");
  EXPECT_TRUE(std::ranges::any_of(texts, [](const std::string& text) {
    return text.find("the run has failed") != std::string::npos;
  }));
}

TEST(Session, LetsGoWhatAPagePulledThatIsGone) {
  Running shown(make_scene("bouncing_ball"), {.playing = false});
  const auto is_grabbed = [&] {
    return shown.session().status().find(R"("grabbed":0)") != std::string::npos;
  };
  shown.session().post(R"({"do":"grab","index":0,"point":[0,0,0],"target":[0,0,1]})", 3);
  ASSERT_TRUE(shown.wait_for(is_grabbed));
  shown.session().post(R"({"do":"release"})", 4);  // it does not hold the ball
  shown.session().leave(5);
  shown.session().post(R"({"do":"rate","value":2})");
  ASSERT_TRUE(shown.wait_for([&] {
    return shown.was_said(R"("rate":2.0)");
  }));
  EXPECT_TRUE(is_grabbed());
  shown.session().leave(3);
  EXPECT_TRUE(shown.wait_for([&] {
    return !is_grabbed();
  }));
}

TEST(Session, TellsInputsAndSetsOneNumber) {
  ModelSpec spec = make_scene("bouncing_ball");
  spec.systems.push_back(
      {.name = "u", .system = std::make_shared<HeldInput>(std::vector<double>{1, 2})});
  Running shown(spec, {.playing = false});
  EXPECT_NE(shown.session().status().find("[[1.0,2.0]]"), std::string::npos);
  shown.session().post(R"({"do":"input","name":"u","index":1,"value":5})");
  EXPECT_TRUE(shown.wait_for([&] {
    return shown.was_said("[[1.0,5.0]]");
  }));
  shown.session().post(R"({"do":"input","name":"u","index":2,"value":5})");
  EXPECT_TRUE(shown.wait_for([&] {
    return shown.was_said("there is no input u[2]");
  }));
  shown.session().post(R"({"do":"reset"})");
  EXPECT_TRUE(shown.wait_for([&] {
    return shown.session().status().find("[[1.0,2.0]]") != std::string::npos;
  }));
}

TEST(Session, ShowsTheLastStateBeforeAFailure) {
  IntegratorOptions options;
  options.accuracy = 1e-9, options.min_step = 1e-3;
  Running shown(make_scene("hard_clutter"), {.integrator = options, .rate = 0});
  ASSERT_TRUE(shown.wait_for([&] {
    return shown.was_said(R"("playing":false)");
  }));
  shown.stop();
  EXPECT_EQ(shown.times().back(), shown.session().simulator()->state().t);
}

TEST(MouseSpring, PullsABodyToThePointer) {
  const ModelSpec spec = make_scene("bouncing_ball");
  const auto model = compile(spec);
  const auto with = add_mouse_spring(spec, *model, 0, {}, {0.3, 0, 2});
  Simulator sim(with);
  sim.set_state(convert_state(*model, make_initial_state(*model), *with));
  sim.advance_to(3);
  const std::vector<double>& q = sim.state().q;
  EXPECT_NEAR(q[4], 0.3, 1e-3);
  EXPECT_NEAR(q[6], 2 - 9.81 / (15 * 15), 1e-3);  // hangs below it by m g/k
  sim.set_input(kMouseTarget, std::vector<double>{0, 0, 3});
  sim.advance_to(6);
  EXPECT_NEAR(sim.state().q[6], 3 - 9.81 / (15 * 15), 1e-3);
  EXPECT_EQ(convert_state(*with, sim.state(), *model).z.size(), model->z0.size());
}

TEST(FrameHistory, StaysWithinItsMemoryAndForgetsTheFuture) {
  FrameHistory history(100'000);
  for (int i = 0; i < 1000; ++i) {
    history.add_state({.t = 1.0 * i, .q = {1.0 * i}});
    history.add(i, std::make_shared<const std::string>(500, 'x'));
    ASSERT_LE(history.bytes(), 100'000u);
  }
  EXPECT_FALSE(history.find_state(10));
  EXPECT_EQ(history.find_state(998.5)->q[0], 998);
  const std::size_t all = history.encode().size();
  history.add(997, std::make_shared<const std::string>(500, 'y'));
  EXPECT_EQ(history.find_state(999)->q[0], 997);
  EXPECT_LT(history.encode().size(), all);
}

// How many steps, and tries that were rejected, the frames of an encoded history tell of.
std::pair<int, int> count_steps(const std::vector<std::string>& frames) {
  std::pair<int, int> out;
  for (const std::string& frame : frames) {
    std::uint32_t counts[6];
    std::memcpy(counts, frame.data() + 20, sizeof counts);
    const char* at = frame.data() + 44 + 4 * (counts[0] + counts[1]) + 48 * counts[2];
    for (std::uint32_t i = 0; i < counts[3]; ++i, at += sizeof(FrameStep)) {
      FrameStep step{};
      std::memcpy(&step, at, sizeof step);
      ++out.first;
      out.second += static_cast<int>(step.rejections);
    }
  }
  return out;
}

TEST(Session, FramesThatAreNotSentLeaveTheirSteps) {
  Running watched(make_scene("hard_clutter"), {.end = 1, .rate = 0});
  ASSERT_TRUE(watched.wait_for([&] {
    return watched.was_said(R"("playing":false)");
  }));
  watched.stop();
  const Statistics statistics = watched.session().simulator()->statistics();
  const auto [steps, rejections] = count_steps(watched.frames());
  EXPECT_EQ(steps, statistics.steps);
  EXPECT_EQ(rejections, statistics.rejected_steps);
  EXPECT_GT(rejections, 0);
}

TEST(FrameQueue, AFrameThatGivesWayLeavesItsSteps) {
  ServerHandlers handlers;
  handlers.adopt = [](const SharedBytes& hidden, const SharedBytes& frame) {
    return std::make_shared<const std::string>(adopt_steps(*hidden, *frame));
  };
  detail::FrameQueue queue(handlers);
  ViewFrame frame;
  frame.poses.assign(14, 1);
  frame.pressures = {3};
  frame.polygon_sizes = {3};
  frame.corners.assign(9, 1);
  for (int i = 0; i < 5000; ++i) {
    frame.t = i;
    frame.steps = {{-0.5F, 0.5F, 1e-3F, 0}, {0, 0.5F, 2e-3F, 1}};
    queue.push(std::make_shared<const std::string>(encode_frame(frame)));
  }
  std::vector<std::string> frames;
  while (const SharedBytes bytes = queue.take()) {
    frames.push_back(*bytes);
  }
  ASSERT_EQ(frames.size(), detail::FrameQueue::kMost);
  EXPECT_EQ(frames.back(), encode_frame(frame));
  const auto [steps, rejections] = count_steps(frames);
  EXPECT_LE(steps, 2100);  // neighbours are joined
  EXPECT_EQ(rejections, 5000);
  // Only what a frame before it had done by then, when time went back.
  frame.t = 4998.5;
  EXPECT_EQ(count_steps({adopt_steps(frames.back(), encode_frame(frame))}).first, 3);
  frame.t = 5000;
  EXPECT_EQ(count_steps({adopt_steps(frames.back(), encode_frame(frame))}).first, 4);
}

TEST(Connection, KnowsItsOwnNames) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:8097", "[::1]:1", "10.1.2.3"}) {
    EXPECT_TRUE(detail::is_own_host(host)) << host;
  }
  for (const char* host :
       {"", ":", "evil.example", "localhost.evil.example:1", "[::1", "127.0.0.1.x"}) {
    EXPECT_FALSE(detail::is_own_host(host)) << host;
  }
  EXPECT_TRUE(detail::is_own_origin("", "localhost:1"));
  EXPECT_TRUE(detail::is_own_origin("http://localhost:1", "localhost:1"));
  EXPECT_FALSE(detail::is_own_origin("http://localhost:2", "localhost:1"));
  EXPECT_FALSE(detail::is_own_origin("null", "localhost:1"));
}

}  // namespace
}  // namespace cenic
