// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The way of a run from the simulation's thread to the recorder's.
#include "recording/recorder.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "physics/worlds.h"
#include "recording/dense_output.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

struct Log {
  std::vector<Frame> frames{};
  std::vector<RecordedStep> steps{};
  std::string failure = "not finished";
};

// Keeps what it gets, or fails.
class LoggingSink : public FrameSink {
 public:
  explicit LoggingSink(Log* log, int most_frames = 1000000, bool fails_at_end = false)
      : log_(log), most_frames_(most_frames), fails_at_end_(fails_at_end) {}
  void on_frame(const Frame& frame) override {
    if (static_cast<int>(log_->frames.size()) == most_frames_) throw Error("the disk is full");
    log_->frames.push_back(frame);
  }
  void on_step(const RecordedStep& step) override { log_->steps.push_back(step); }
  void finish(const std::string& failure) override {
    if (fails_at_end_) throw Error("the disk is gone");
    log_->failure = failure;
  }

 private:
  Log* log_;
  int most_frames_;
  bool fails_at_end_;
};

// Steps with and without frames in them, and several frames in one; sampled systems, which change
// states between steps.
TEST(Recorder, FramesLieOnTheirSteps) {
  std::size_t without = 0, several = 0, samples = 0;
  for (const char* scene : {"hard_clutter", "franka"}) {
    const auto model = compile(make_scene(scene));
    Simulator sim(model);
    Recorder recorder(sim, {.fps = 100});
    Log log;
    recorder.add_sink(std::make_unique<LoggingSink>(&log));
    DenseMotion motion(*model);
    std::vector<State> expected{sim.state()};
    std::size_t num_steps = 0;
    State last = sim.state();
    StepPath path;
    sim.set_monitor([&](const StepEvent& event) {
      sim.report_path(event, &path);
      recorder.on_step(event);
      ++num_steps;
      samples += event.before.z != last.z ? 1 : 0;
      last = event.after;
      const std::size_t num_before = expected.size();
      for (;;) {
        const double t = 0.01 * static_cast<double>(expected.size());
        if (t > event.after.t + 1e-9) break;
        State state;
        motion.interpolate(event.before, event.after, path, std::min(t, event.after.t), &state);
        expected.push_back(state);
      }
      without += expected.size() == num_before ? 1 : 0;
      several += expected.size() > num_before + 1 ? 1 : 0;
    });
    sim.advance_to(3);
    recorder.end("enough");
    EXPECT_TRUE(std::isfinite(sim.calc_energy()));  // goes on meanwhile
    recorder.finish("");
    EXPECT_EQ(log.failure, "enough");
    EXPECT_EQ(log.steps.size(), num_steps);
    ASSERT_EQ(log.frames.size(), expected.size());
    for (std::size_t i = 1; i < expected.size(); ++i) {
      EXPECT_NEAR(log.frames[i].t, expected[i].t, 1e-12);
      EXPECT_EQ(log.frames[i].z, expected[i].z) << scene << " " << i;
      for (std::size_t k = 0; k < expected[i].q.size(); ++k) {
        EXPECT_NEAR(log.frames[i].q[k], expected[i].q[k], 1e-12);
      }
      for (std::size_t k = 0; k < expected[i].v.size(); ++k) {
        EXPECT_NEAR(log.frames[i].v[k], expected[i].v[k], 1e-9) << scene << " " << i;
      }
    }
  }
  EXPECT_GT(without, 0u);
  EXPECT_GT(several, 0u);
  EXPECT_GT(samples, 0u);
}

// A rate that does not divide the duration, and a run that goes on from between two frames.
TEST(Recorder, FramesLieOnOneGridAndTheEndIsThere) {
  Simulator sim(compile(make_scene("hard_clutter")));
  std::vector<Frame> frames;
  for (const double end : {0.73, 1.21}) {
    Log log;
    Recorder recorder(sim, {.fps = 10});
    recorder.add_sink(std::make_unique<LoggingSink>(&log));
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
    });
    sim.advance_to(end);
    recorder.finish("");
    EXPECT_EQ(log.frames.back().t, end);
    EXPECT_EQ(log.frames.back().q, sim.state().q);
    EXPECT_EQ(log.frames.back().v, sim.state().v);
    EXPECT_NEAR(log.frames.back().energy, sim.calc_energy(), 1e-9 * sim.calc_energy());
    std::size_t pressing = 0;
    for (const ContactReport& c : sim.contacts()) {
      pressing += c.point.phi < 0 || norm(c.force_B_W) > 0 ? 1 : 0;
    }
    EXPECT_EQ(log.frames.back().contacts.size(), pressing);
    EXPECT_EQ(log.frames.back().step, static_cast<int>(log.steps.size()));
    if (!frames.empty()) {  // what it goes on from
      EXPECT_GT(pressing, 0u);
      EXPECT_EQ(log.frames.front().contacts.size(), frames.back().contacts.size());
      EXPECT_EQ(log.frames.front().q, frames.back().q);
    }
    frames.insert(frames.end(), log.frames.begin(), log.frames.end());
  }
  const std::vector<double> expected{0,    0.1,  0.2, 0.3, 0.4, 0.5, 0.6, 0.7,
                                     0.73, 0.73, 0.8, 0.9, 1.0, 1.1, 1.2, 1.21};
  ASSERT_EQ(frames.size(), expected.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_NEAR(frames[i].t, expected[i], 1e-12);
  }
}

// Who moves the simulation before a run goes on leaves its contacts behind.
TEST(Recorder, ContactsOfElsewhereAreNotThoseOfTheStart) {
  Simulator sim(compile(make_scene("box_stack")));
  sim.advance_to(0.1);
  for (const bool moved : {false, true}) {
    Log log;
    Recorder recorder(sim, {.fps = 60});
    recorder.add_sink(std::make_unique<LoggingSink>(&log));
    if (moved) {
      State state = sim.state();
      for (std::size_t i = 6; i < state.q.size(); i += 7) {
        state.q[i] *= 2;  // apart
      }
      sim.set_state(state);
    }
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
    });
    sim.advance_to(sim.state().t + 0.05);
    sim.set_monitor({});
    recorder.finish("");
    EXPECT_EQ(log.frames.front().contacts.empty(), moved);
  }
}

// What recorders take of contacts are the same contacts with the same forces as all else sees.
void expect_same_forces(const Simulator& sim) {
  std::vector<ContactForce> forces;
  sim.report_forces(&forces);
  const std::vector<ContactReport> reports = sim.contacts();
  ASSERT_EQ(forces.size(), reports.size());
  for (std::size_t i = 0; i < forces.size(); ++i) {
    EXPECT_EQ(forces[i].point->key, reports[i].point.key);
    EXPECT_EQ(forces[i].point->phi, reports[i].point.phi);
    const Vec3 force_B_W = from_contact_frame(reports[i].point.nhat_AB_W, forces[i].force_B_C);
    EXPECT_LE(norm(force_B_W - reports[i].force_B_W), 1e-14 * norm(reports[i].force_B_W));
  }
}

TEST(Recorder, ForcesAreThoseOfTheContacts) {
  struct Case {
    const char *integrator, *scene;
    double count;
    bool local;  // parts take steps of their own
  };
  for (const Case& c :
       {Case{"cenic", "clutter", 60, true}, Case{"cenic-trapezoid", "hard_clutter", 8, false},
        Case{"implicit-euler", "hard_clutter", 8, false}}) {
    Simulator sim = make_simulator(make_scene(c.scene, {{"count", c.count}}), 1e-2, c.integrator);
    double force = 0;
    bool local = false;
    StepPath path;
    sim.set_monitor([&](const StepEvent& event) {
      expect_same_forces(sim);
      for (const ContactReport& contact : sim.contacts()) {
        force += norm(contact.force_B_W);
      }
      sim.report_path(event, &path);
      local = local || !path.knots.empty();
    });
    sim.advance_to(0.4);
    EXPECT_GT(force, 0) << c.integrator;
    EXPECT_EQ(local, c.local) << c.integrator;
    sim.restore(sim.checkpoint());
    expect_same_forces(sim);
  }
}

// Also of pairs of solids that begin to touch within a step, far from the surface of the step
// before.
TEST(Recorder, EnergiesAtTheEndsOfStepsAreThoseOfTheSimulation) {
  for (const double step : {0.03, 0.05}) {
    const auto model = compile(make_scene("hydro_mesh"));
    Simulator sim(model, {.fixed_step = step});
    Recorder recorder(sim, {.fps = 0});
    Log log;
    recorder.add_sink(std::make_unique<LoggingSink>(&log));
    std::vector<double> energies{sim.calc_energy()};
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
      energies.push_back(sim.calc_energy());
    });
    sim.advance_to(0.3);
    recorder.finish("");
    ASSERT_EQ(log.frames.size(), energies.size());
    for (std::size_t i = 0; i < energies.size(); ++i) {
      EXPECT_NEAR(log.frames[i].energy, energies[i], 1e-9 * energies[i]) << step << ", " << i;
    }
    EXPECT_GT(std::ranges::max(energies), 2 * energies[0]) << "nothing was pressed";
  }
}

TEST(Recorder, SaysWhatFailedAndFinishesTheOthers) {
  Simulator sim = make_simulator(make_scene("cart_pole"), 1e-3);
  Log bad, good;
  Recorder recorder(sim, {.fps = 60});
  recorder.add_sink(std::make_unique<LoggingSink>(&good));
  recorder.add_sink(std::make_unique<LoggingSink>(&bad, 3));
  sim.set_monitor([&](const StepEvent& event) {
    recorder.on_step(event);
  });
  std::string error;
  try {
    sim.advance_to(1);  // may be over before the thread sees the fourth frame
  } catch (const Error& e) {
    error = e.what();
  }
  EXPECT_TRUE(error.empty() || error == "the disk is full") << error;
  EXPECT_THROW(recorder.finish("it failed"), Error);
  EXPECT_EQ(bad.frames.size(), 3u);
  EXPECT_EQ(good.failure, "it failed");
}

TEST(Recorder, EndsWithoutSteps) {
  Simulator sim = make_simulator(make_scene("cart_pole"), 1e-3);
  Log bad, good, broken_off;
  {
    Recorder recorder(sim, {.fps = 60});
    recorder.add_sink(std::make_unique<LoggingSink>(&bad, 1000000, true));
    recorder.add_sink(std::make_unique<LoggingSink>(&good));
    EXPECT_THROW(recorder.finish(""), Error);
  }
  EXPECT_EQ(good.failure, "");
  ASSERT_EQ(good.frames.size(), 1u);
  EXPECT_EQ(good.frames[0].q, sim.state().q);
  {
    Recorder recorder(sim, {.fps = 60});
    recorder.add_sink(std::make_unique<LoggingSink>(&broken_off));
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
    });
    sim.advance_to(0.1);
  }
  EXPECT_EQ(broken_off.failure, "not finished");
}

}  // namespace
}  // namespace cenic
