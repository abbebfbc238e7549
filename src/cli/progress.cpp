// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/progress.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace cenic::cli {
namespace {

volatile std::sig_atomic_t interrupt_flag = 0;
void on_interrupt(int /*signal*/) { interrupt_flag = 1; }

// What somebody chose to ignore (nohup) stays ignored.
void set_interrupt_handler(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    sigaction(signal, nullptr, &present);
    if (present.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

}  // namespace

void Progress::update(double t, double h) {
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  constexpr int kWidth = 24;
  const double fraction = duration_ > 0 ? std::clamp(t / duration_, 0.0, 1.0) : 1;
  const int full = static_cast<int>(fraction * kWidth);
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  const double rate = t / std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r[{}] {:3.0f}%  {:.3f} / {:g} s  {:.3g}x real time  step {:.2e} s\x1b[K",
             bar, 100 * fraction, t, duration_, rate, h);
  std::fflush(stderr);
}

void Progress::erase() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_ = false;
}

bool is_terminal(int file_descriptor) { return isatty(file_descriptor) == 1; }

InterruptGuard::InterruptGuard() {
  interrupt_flag = 0;
  set_interrupt_handler(on_interrupt, static_cast<int>(SA_RESETHAND));
}
InterruptGuard::~InterruptGuard() { set_interrupt_handler(SIG_DFL, 0); }
bool InterruptGuard::interrupted() { return interrupt_flag != 0; }

}  // namespace cenic::cli
