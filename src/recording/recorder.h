// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Recorder: watches a simulation and hands frames at a fixed rate, and every step, to the files
// that were asked for. It never changes the steps taken, and hardly delays them: the simulation
// only copies what a step left; a thread of the recorder interpolates, evaluates and writes.
#pragma once

#include <array>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "dynamics/step_dynamics.h"
#include "multibody/multibody.h"
#include "recording/contact_surfaces.h"
#include "recording/dense_output.h"
#include "recording/recording.h"
#include "recording/sinks.h"
#include "sim/simulator.h"

namespace cenic {

// What a step left behind. It goes from one core to another, where each byte costs: contacts have
// the 32 bits that files keep of them.
struct StepCopy {
  struct Contact {
    int geometry_a = -1, geometry_b = -1;
    std::array<float, 3> point_W{}, normal_AB_W{}, force_B_W{};
    float penetration = 0;
  };

  bool whole = false;  // false: only `step` counts
  State before{}, after{};
  LocalPath path{};  // of trees that took shorter steps
  RecordedStep step{};
  // Elastic energy at both ends, J, without that of contact surfaces, where the integrator knew it.
  std::optional<double> energy_before{}, energy_after{};
  std::vector<Contact> contacts{};  // that touch or carry a force
  Measurements measurements{};      // when some system reads them

  void take(const StepEvent& event, const Simulator& sim, std::vector<ContactReport>* scratch);
  void take_step(const StepEvent& event, const Simulator& sim);
};

class Recorder {
 public:
  // The simulator must outlive the recorder. info.fps: frames a simulated second, or 0 for a frame
  // at the end of each step. Throws Error for a rate that makes no sense. Laws of external systems
  // with outputs are evaluated on the recorder's thread: they must depend on their input alone.
  Recorder(const Simulator& sim, const RecordingInfo& info);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const RecordedScene& scene() const { return scene_; }
  void add_sink(std::unique_ptr<FrameSink> sink);  // before the first step

  // From Simulator::set_monitor. Throws Error when writing failed.
  void on_step(const StepEvent& event);
  void add(const StepCopy& copy);
  // Once, at the end of the run. Throws Error when writing failed.
  void finish(const std::string& failure);

 private:
  bool has_frame(const StepEvent& event);
  StepCopy* find_place(std::unique_lock<std::mutex>* lock);
  void work();
  void process(StepCopy* job);
  void add_frames(StepCopy* job);
  void load_contacts(const StepCopy& job);
  void add_frame(const State& state, double elastic_energy);
  void draw_surfaces();
  double find_elastic_energy(const State& state, std::optional<double> of_points);
  const StepDynamics& query_contacts(const State& state);
  void stop();

  const Simulator& sim_;
  RecordingInfo info_;
  RecordedScene scene_;
  std::vector<std::unique_ptr<FrameSink>> sinks_;
  std::vector<ContactReport> reports_;
  std::optional<double> point_energy_;  // at the end of the last step
  double asked_start_ = 0;              // time of the first frame
  long num_asked_ = 0;                  // frames that the thread will make of the jobs so far

  // Of the thread:
  Measurements measurements_;
  DenseOutput dense_;
  Kinematics kin_;
  std::unique_ptr<StepDynamics> dynamics_;  // for energies that the integrator did not know
  ContactSurfaces surfaces_;
  std::vector<std::array<int, 2>> pressing_;  // pairs in hydroelastic contact
  bool elastic_known_ = false;
  double elastic_time_ = 0, elastic_ = 0;  // where it was computed last
  State state_;
  Frame frame_;
  double start_ = 0;
  long num_frames_ = 0;
  int num_steps_ = 0;

  // The simulation fills one batch of jobs while the thread works on another.
  std::vector<StepCopy> filling_, working_;
  std::size_t count_ = 0;  // jobs in filling_
  bool stop_ = false;
  std::exception_ptr problem_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace cenic
