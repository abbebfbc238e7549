// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/session.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "viewer/frame.h"
#include "viewer/mouse_spring.h"
#include "viewer/scene_json.h"

namespace cenic {
namespace {

using nlohmann::json;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr std::size_t kHistoryBytes = 64 << 20;
constexpr std::size_t kMaxCommands = 1000;  // that wait
constexpr double kFramesPerSecond = 60;
constexpr double kSlowest = 0.01, kFastest = 100;  // rates that can be asked for
constexpr double kStateInterval = 0.1;         // between states to go back to, s of simulated time
constexpr double kPulledStateInterval = 0.02;  // while somebody pulls, which is not repeated
constexpr double kMaxLag = 0.1;                // behind real time by more is not made up for, s
constexpr milliseconds kPoll{50};              // between questions whether to stop
constexpr milliseconds kTell{1000};            // between news of what changes often
constexpr milliseconds kFastFrames{8};  // between frames sent when there is no bound of the rate

std::string dump(const json& value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace);
}

double calc_interval(double rate) {
  return (rate > 0 ? std::clamp(rate, kSlowest, 2.0) : 1.0) / kFramesPerSecond;
}

}  // namespace

Session::Session(ModelSpec spec, std::shared_ptr<const Model> model, SessionOptions options)
    : spec_(std::move(spec)),
      model_(std::move(model)),
      options_(std::move(options)),
      scene_(make_scene_json(*model_, options_.title, options_.interactive,
                             {.accuracy = find_accuracy(options_.integrator)})),
      history_(kHistoryBytes),
      sampler_(*model_, calc_interval(options_.rate),
               [this](const ViewFrame& frame) {
                 keep(frame);
               }),
      playing_(options_.playing),
      rate_(options_.rate) {
  replace_simulator(model_, make_initial_state(*model_));
  publish_status();
}

std::string Session::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::string Session::make_status() const {
  const auto number = [](double x) {
    return std::isfinite(x) ? json(x) : json(nullptr);
  };
  const State& state = sim_->state();
  json inputs = json::array();
  for (const int i : find_inputs(sim_->model())) {
    const System& s = sim_->model().systems[i];
    if (s.name == kMouseTarget) continue;
    const auto first = state.z.begin() + s.z_start;
    inputs.push_back(std::vector<double>(first, first + s.nz));
  }
  return dump({{"type", "status"},
               {"playing", playing_},
               {"rate", rate_},
               {"end", number(options_.end)},
               {"earliest", number(history_.first_state())},
               {"inputs", inputs},
               {"obeyed", obeyed_},
               {"grabbed", grabbed_},
               {"pull", pull_},
               {"stiffness", grabbed_ < 0 ? 0 : calc_mouse_stiffness(*model_, grabbed_)},
               {"failure", failure_}});
}

void Session::publish_status() {
  const std::string text = make_status();
  {
    const std::lock_guard lock(mutex_);
    status_ = text;
  }
  send_text(text);
}

// What changes often: inputs, the earliest state.
void Session::tell_news() {
  if (Clock::now() - told_at_ < kTell) return;
  told_at_ = Clock::now();
  if (make_status() != status()) publish_status();
}

void Session::post(const std::string& text, int page) {
  Command command = parse_command(text);
  command.page = page;
  if (command.changes_state() && !options_.interactive) {
    throw Error("this run is only watched; 'cenic view' shows one that can be changed");
  }
  const std::lock_guard lock(mutex_);
  if (!commands_.empty() && command.replaces(commands_.back())) commands_.pop_back();
  if (commands_.size() >= kMaxCommands) throw Error("too many commands at once; wait a little");
  commands_.push_back(std::move(command));
  wake_.notify_one();
}

void Session::leave(int page) {
  const std::lock_guard lock(mutex_);
  commands_.push_back({.verb = CommandVerb::kRelease, .page = page});
  wake_.notify_one();
}

void Session::run(const std::function<bool()>& stopped) {
  start_clock();
  history_.add_state(sim_->state());
  sampler_.add_now(sim_.get());
  if (sim_->state().t >= options_.end) end_run();
  while (!stopped()) {
    obey_all();
    send_frames(playing_ ? due_time() : std::numeric_limits<double>::infinity());
    tell_news();
    if (may_step()) {
      step();
    } else {
      wait();
    }
  }
  send_frames(std::numeric_limits<double>::infinity());
}

bool Session::may_step() const {
  return playing_ && sim_->state().t < options_.end && (sim_->state().t <= due_time());
}

void Session::obey_all() {
  for (;;) {
    Command command;
    {
      const std::lock_guard lock(mutex_);
      if (commands_.empty()) return;
      command = std::move(commands_.front());
      commands_.pop_front();
    }
    bool obeyed = true;
    try {
      obey(command);
    } catch (const Error& e) {
      send_text(dump({{"type", "error"}, {"text", e.what()}}));
      obeyed = false;
    }
    // Who asked shows it as done until it hears otherwise.
    if (obeyed && command.id.empty()) continue;
    obeyed_ = command.id;
    publish_status();
  }
}

void Session::obey(const Command& command) {
  if (command.from) go_back(*command.from);
  switch (command.verb) {
    case CommandVerb::kPlay:
      return set_playing(true);
    case CommandVerb::kPause:
      return set_playing(false);
    case CommandVerb::kStep:
      set_playing(false);
      if (sim_->state().t >= options_.end) return;
      start_again();
      step();
      return sampler_.add_now(sim_.get());
    case CommandVerb::kRate:
      return set_rate(command.value);
    default:
      return change_state(command);
  }
}

void Session::change_state(const Command& command) {
  switch (command.verb) {
    case CommandVerb::kReset:
      release();
      history_.clear();
      // The same run once more: with the step of its start, not that of its end.
      replace_simulator(model_, make_initial_state(*model_));
      return restart(make_initial_state(*model_));
    case CommandVerb::kJoint:
      return set_coordinate(command.index, command.value);
    case CommandVerb::kInput:
      return set_input(command);
    case CommandVerb::kGrab:
      return grab(command);
    case CommandVerb::kDrag: {
      if (grabbed_ < 0 || grabbed_by_ != command.page) return;  // it was let go meanwhile
      const double target[] = {command.target.x, command.target.y, command.target.z};
      return sim_->set_input(kMouseTarget, target);
    }
    default:
      if (grabbed_by_ == command.page) release();
  }
}

void Session::set_playing(bool playing) {
  if (playing == playing_) return;
  if (playing && sim_->state().t >= options_.end) {
    throw Error(fmt::format("the run is finished, at t = {:g} s", options_.end));
  }
  if (playing) start_again();
  playing_ = playing;
  start_clock();
  publish_status();
}

// After a failure it tries again: that it failed once more is news. What is only watched has ended.
void Session::start_again() {
  if (failure_.empty()) return;
  if (!options_.interactive) throw Error("the run has failed: " + failure_);
  failure_.clear();
  publish_status();
}

void Session::end_run() {
  playing_ = false;
  sampler_.add_now(sim_.get());  // between two frames as it may be
  send_frames(std::numeric_limits<double>::infinity());
  publish_status();
  if (options_.on_end) options_.on_end(sim_.get(), failure_);
}

void Session::set_rate(double rate) {
  if (rate != 0 && !(rate >= kSlowest && rate <= kFastest)) {
    throw Error(
        fmt::format("the rate is {}; give {} to {}, or 0 for no bound", rate, kSlowest, kFastest));
  }
  rate_ = rate;
  sampler_.set_interval(calc_interval(rate));
  start_clock();
  publish_status();
}

void Session::restart(const State& state) {
  waiting_.clear();
  failure_.clear();
  sim_->set_state(state);
  history_.add_state(sim_->state());
  sampler_.add_now(sim_.get());
  start_clock();
  publish_status();
}

// Goes back to the last state kept and simulates from there, without frames: steps may end
// elsewhere than they did.
void Session::go_back(double t) {
  release();
  const std::optional<State> state = history_.find_state(t);
  if (!state) throw Error(fmt::format("t = {:g} s is not in the history any more", t));
  if (t > sim_->state().t) throw Error(fmt::format("t = {:g} s has not been reached yet", t));
  sim_->set_monitor(nullptr);
  sim_->set_state(*state);
  std::string failure;
  try {
    sim_->advance_to(t);
  } catch (const AccuracyError& e) {
    failure = e.what();
  }
  replace_simulator(model_, sim_->state());
  restart(State(sim_->state()));
  if (!failure.empty()) throw Error(failure);
}

void Session::set_coordinate(int index, double value) {
  const std::vector<int> coordinates = make_frame_layout(*model_).coordinates;
  if (index >= static_cast<int>(coordinates.size())) {
    throw Error(fmt::format("there is no joint coordinate {}", index));
  }
  if (playing_) throw Error("joints can be set while the simulation is paused");
  State state = sim_->state();
  state.q[coordinates[index]] = value;
  restart(state);
}

void Session::set_input(const Command& command) {
  const auto& systems = sim_->model().systems;
  const auto input = std::ranges::find(systems, command.name, &System::name);
  if (input == systems.end() || command.index >= input->nz) {
    throw Error(fmt::format("there is no input {}[{}]", command.name, command.index));
  }
  const auto first = sim_->state().z.begin() + input->z_start;
  std::vector<double> numbers(first, first + input->nz);
  numbers[command.index] = command.value;
  sim_->set_input(command.name, numbers);
  history_.add_state(sim_->state());
}

// The world is compiled anew with the spring, so that it costs nothing while nobody pulls.
void Session::grab(const Command& command) {
  if (command.index >= static_cast<int>(model_->bodies.size()) ||
      model_->links[model_->bodies[command.index].link].tree < 0) {
    throw Error(fmt::format("body {} does not move", command.index));
  }
  release();
  history_.add_state(sim_->state());
  const auto with = add_mouse_spring(spec_, *model_, command.index, command.point, command.target);
  const State state = convert_state(*model_, sim_->state(), *with);
  replace_simulator(with, state);
  grabbed_ = command.index;
  grabbed_by_ = command.page;
  pull_ = command.id;
  publish_status();
}

void Session::release() {
  if (grabbed_ < 0) return;
  grabbed_ = -1;
  pull_.clear();
  replace_simulator(model_, convert_state(sim_->model(), sim_->state(), *model_));
  history_.add_state(sim_->state());
  publish_status();
}

void Session::replace_simulator(const std::shared_ptr<const Model>& model, const State& state) {
  auto sim = std::make_unique<Simulator>(model, options_.integrator);
  sim->set_state(state);
  sim->set_monitor([this](const StepEvent& event) {
    on_step(event);
  });
  sim_ = std::move(sim);
  sampler_.restart();
}

void Session::step() {
  // Far enough away not to shorten steps.
  constexpr double kNoEnd = 1e6;
  const double end = std::isfinite(options_.end) ? options_.end : sim_->state().t + kNoEnd;
  const StepResult result = sim_->step(end);
  if (result.status != StepStatus::kAccepted) {
    failure_ = sim_->describe_failure(result);
    end_run();
  } else if (sim_->state().t >= options_.end) {
    end_run();
  }
  // A computer that is too slow does not run after lost time.
  if (due_time() - sim_->state().t > kMaxLag * std::max(rate_, 0.1)) start_clock();
}

void Session::on_step(const StepEvent& event) {
  if (options_.on_step) options_.on_step(event, sim_.get());
  sampler_.on_step(event, sim_.get());
  const double interval = grabbed_ < 0 ? kStateInterval : kPulledStateInterval;
  if (std::abs(event.after.t - state_kept_at_) >= interval) {
    history_.add_state(convert_state(sim_->model(), event.after, *model_));
    state_kept_at_ = event.after.t;
  }
}

void Session::keep(const ViewFrame& frame) {
  const auto bytes = std::make_shared<const std::string>(encode_frame(frame));
  history_.add(frame.t, bytes);
  waiting_.emplace_back(frame.t, bytes);
}

void Session::send_frames(double until) {
  if (rate_ == 0 && playing_ && !waiting_.empty()) {
    if (Clock::now() - sent_at_ < kFastFrames) return;
    for (; waiting_.size() > 1; waiting_.pop_front()) {
      Bytes& next = waiting_[1].second;
      next = std::make_shared<const std::string>(adopt_steps(*waiting_[0].second, *next));
    }
  }
  while (!waiting_.empty() && waiting_.front().first <= until) {
    if (sink_) sink_({std::move(waiting_.front().second), true});
    waiting_.pop_front();
    sent_at_ = Clock::now();
  }
}

void Session::send_text(const std::string& text) {
  if (sink_) sink_({std::make_shared<const std::string>(text), false});
}

void Session::start_clock() {
  clock_start_ = Clock::now();
  clock_t_ = waiting_.empty() ? sim_->state().t : waiting_.front().first;
}

double Session::due_time() const {
  if (rate_ == 0) return std::numeric_limits<double>::infinity();
  return clock_t_ + rate_ * duration<double>(Clock::now() - clock_start_).count();
}

// Until a command comes or something is due.
void Session::wait() {
  auto time = duration_cast<Clock::duration>(kPoll);
  if (playing_ && rate_ > 0) {
    const double next = waiting_.empty() ? sim_->state().t : waiting_.front().first;
    const auto left = duration<double>(std::max(0.0, (next - due_time()) / rate_));
    time = std::min(time, duration_cast<Clock::duration>(left));
  }
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, time, [this] {
    return !commands_.empty();
  });
}

}  // namespace cenic
