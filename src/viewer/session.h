// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Session: a simulation that people watch and steer. It paces the steps, keeps a history of frames
// and obeys commands from other threads. It knows no network: messages go to a sink.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "sim/simulator.h"
#include "viewer/command.h"
#include "viewer/frame_history.h"
#include "viewer/frame_sampler.h"

namespace cenic {

struct SessionOptions {
  std::string title{};
  IntegratorOptions integrator{};
  double end = std::numeric_limits<double>::infinity();  // then it pauses, s
  bool interactive = true;                               // may those who watch change the state?
  bool playing = true;
  double rate = 1;  // simulated over real time, at most; 0: no bound
  std::function<void(const StepEvent&, Simulator*)> on_step{};
  // The run reached its end, or failed; people may go on looking. Once, unless it is interactive.
  std::function<void(Simulator*, const std::string& failure)> on_end{};
};

class Session {
 public:
  // A text (JSON) or a frame (binary), for all who watch.
  using Bytes = std::shared_ptr<const std::string>;
  struct Message {
    Bytes bytes;
    bool binary = false;
  };
  using Sink = std::function<void(Message)>;

  // Throws Error as Simulator does.
  Session(ModelSpec spec, std::shared_ptr<const Model> model, SessionOptions options);

  // ---- from any thread ----
  const std::string& scene() const { return scene_; }  // JSON
  std::string status() const;                          // JSON
  std::string encode_history() const { return history_.encode(); }
  // A command of a page. Throws Error when it is none, when there are too many, or when it would
  // change a run that is only watched.
  void post(const std::string& text, int page = 0);
  void leave(int page);  // it is gone: what it pulls is let go

  // ---- from the thread of the simulation ----
  void set_sink(Sink sink) { sink_ = std::move(sink); }
  // Simulates and obeys until `stopped` says so; asked about 20 times a second, and with every
  // step.
  void run(const std::function<bool()>& stopped);
  Simulator* simulator() { return sim_.get(); }

 private:
  using Clock = std::chrono::steady_clock;

  void obey_all();
  void obey(const Command& command);
  void change_state(const Command& command);
  void set_playing(bool playing);
  void start_again();
  void end_run();
  void set_rate(double rate);
  void go_back(double t);
  void set_coordinate(int index, double value);
  void set_input(const Command& command);
  void grab(const Command& command);
  void release();
  // Goes on from a state; a simulator of another model takes over.
  void restart(const State& state);
  void replace_simulator(const std::shared_ptr<const Model>& model, const State& state);
  bool may_step() const;
  void step();
  void on_step(const StepEvent& event);
  void keep(const ViewFrame& frame);
  void send_frames(double until);  // those kept back for their time
  void send_text(const std::string& text);
  void start_clock();
  double due_time() const;  // the simulated time that it should be now
  void wait();
  std::string make_status() const;
  void publish_status();
  void tell_news();

  const ModelSpec spec_;
  const std::shared_ptr<const Model> model_;
  const SessionOptions options_;
  const std::string scene_;
  Sink sink_;
  FrameHistory history_;
  FrameSampler sampler_;
  std::unique_ptr<Simulator> sim_;
  bool playing_;
  double rate_;
  int grabbed_ = -1, grabbed_by_ = 0;  // body, page
  std::string pull_;                   // id of the command that grabbed it
  std::string obeyed_;                 // id of the last command that had one, or was refused
  std::string failure_;                // why it cannot go on; empty: it can
  Clock::time_point clock_start_, sent_at_, told_at_;
  double clock_t_ = 0;                            // simulated time at clock_start_
  std::deque<std::pair<double, Bytes>> waiting_;  // frames ahead of their time
  double state_kept_at_ = 0;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<Command> commands_;
  std::string status_;
};

}  // namespace cenic
