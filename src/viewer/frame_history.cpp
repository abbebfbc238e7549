// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/frame_history.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cenic {

// Time went back: what came later did not happen.
void FrameHistory::push(Kept kept) {
  while (!kept_.empty() && kept_.back().t > kept.t) {
    bytes_ -= kept_.back().bytes();
    kept_.pop_back();
  }
  bytes_ += kept.bytes();
  kept_.push_back(std::move(kept));
  while (bytes_ > max_bytes_ && kept_.size() > 1) {
    bytes_ -= kept_.front().bytes();
    kept_.pop_front();
  }
}

void FrameHistory::add(double t, std::shared_ptr<const std::string> frame) {
  const std::lock_guard lock(mutex_);
  push({.t = t, .frame = std::move(frame)});
}

void FrameHistory::add_state(const State& state) {
  const std::lock_guard lock(mutex_);
  push({.t = state.t, .state = state});
}

void FrameHistory::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  bytes_ = 0;
}

std::optional<State> FrameHistory::find_state(double t) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(kept_.rbegin(), kept_.rend(), [t](const Kept& kept) {
    return !kept.frame && kept.t <= t;
  });
  return found == kept_.rend() ? std::nullopt : std::optional(found->state);
}

double FrameHistory::first_state() const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept_, nullptr, &Kept::frame);
  return found == kept_.end() ? std::numeric_limits<double>::infinity() : found->t;
}

std::string FrameHistory::encode() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const Kept& kept : kept_) {
    if (!kept.frame) continue;
    const auto size = static_cast<std::uint32_t>(kept.frame->size());
    out.append(reinterpret_cast<const char*>(&size), sizeof size);
    out += *kept.frame;
  }
  return out;
}

std::size_t FrameHistory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace cenic
