// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The frames of a session's past, as many as fit into a fixed memory, and states to go back to. All
// functions may be called from any thread.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "model/model.h"

namespace cenic {

class FrameHistory {
 public:
  explicit FrameHistory(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Both forget what came later, and the oldest when there is too much.
  void add(double t, std::shared_ptr<const std::string> frame);
  void add_state(const State& state);
  void clear();
  // The last state not after t.
  std::optional<State> find_state(double t) const;
  // When the first state is; infinite without any.
  double first_state() const;
  // All frames one after the other, each after its length (32 bits).
  std::string encode() const;
  std::size_t bytes() const;

 private:
  struct Kept {
    double t = 0;
    std::shared_ptr<const std::string> frame{};  // or a state
    State state{};
    std::size_t bytes() const {
      constexpr std::size_t kHeap = 100;  // what the memory of a frame or state needs besides
      return sizeof(Kept) + kHeap + (frame ? frame->size() : 0) +
             sizeof(double) * (state.q.size() + state.v.size() + state.z.size());
    }
  };
  void push(Kept kept);

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::deque<Kept> kept_;
  std::size_t bytes_ = 0;
};

}  // namespace cenic
