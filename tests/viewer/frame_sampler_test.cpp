// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/frame_sampler.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "recording/recorder.h"
#include "scenes/scenes.h"

namespace cenic {
namespace {

class EnergySink : public FrameSink {
 public:
  explicit EnergySink(std::vector<double>* energies) : energies_(energies) {}
  void on_frame(const Frame& frame) override { energies_->push_back(frame.energy); }
  void on_step(const RecordedStep& /*step*/) override {}
  void finish(const std::string& /*failure*/) override {}

 private:
  std::vector<double>* energies_;
};

// Several frames in one step, and several steps in one frame.
TEST(FrameSampler, EnergiesAreThoseOfRecordings) {
  for (const char* scene : {"hard_clutter", "franka", "double_pendulum"}) {
    const auto model = compile(make_scene(scene));
    Simulator sim(model);
    std::vector<double> recorded, shown;
    Recorder recorder(sim, {.fps = 50});
    recorder.add_sink(std::make_unique<EnergySink>(&recorded));
    FrameSampler sampler(*model, 1.0 / 50, [&](const ViewFrame& frame) {
      shown.push_back(frame.energy);
    });
    sim.set_monitor([&](const StepEvent& event) {
      recorder.on_step(event);
      sampler.on_step(event, &sim);
    });
    sim.advance_to(2);
    recorder.finish("");
    ASSERT_EQ(shown.size(), recorded.size());
    const auto [lowest, highest] = std::ranges::minmax(recorded);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      EXPECT_NEAR(shown[i], recorded[i], 1e-3 * (highest - lowest)) << scene << " " << i;
    }
  }
}

TEST(FrameSampler, TimesStayEvenInLongRuns) {
  const auto model = compile(make_scene("double_pendulum"));
  Simulator sim(model, {.accuracy = 1e-1});
  std::vector<double> times;
  FrameSampler sampler(*model, 1.0 / 60, [&](const ViewFrame& frame) {
    times.push_back(frame.t);
  });
  sim.set_monitor([&](const StepEvent& event) {
    sampler.on_step(event, &sim);
  });
  sim.advance_to(1000);
  ASSERT_EQ(times.size(), 60001u);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_NEAR(times[i], static_cast<double>(i) / 60, 1e-12 * (1 + times[i])) << i;
  }
}

}  // namespace
}  // namespace cenic
