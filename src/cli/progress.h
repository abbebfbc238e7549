// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The progress bar of long runs, and signals to end them.
#pragma once

#include <chrono>

namespace cenic::cli {

// One line on standard error, redrawn at most ten times a second and erased at the end.
class Progress {
 public:
  Progress(double duration, bool visible) : duration_(duration), visible_(visible) {}
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(double t, double h);  // simulated time and step size, s
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  double duration_;
  bool visible_, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

bool is_terminal(int file_descriptor);

// While it lives, the first Ctrl-C only sets a flag; the second ends the program at once. So do
// signals by which schedulers and terminals that are closed end a program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static bool interrupted();
};

}  // namespace cenic::cli
