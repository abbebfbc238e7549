// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Where the time goes: a clock cheap enough for inner loops, and named phases that add up.
#pragma once

#include <chrono>
#include <cstdint>

namespace cenic {

// Ticks of an unspecified, constant rate; see ticks_to_seconds().
inline std::uint64_t now_ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();  // as in <x86intrin.h>, which takes long to read
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}
// By the rate against the steady clock over the life of the process so far.
double ticks_to_seconds(std::uint64_t ticks);

enum class Phase {
  kGeometry,
  kDynamics,
  kProblem,
  kHessian,
  kFactorization,
  kLineSearch,
  kExternal
};
inline constexpr int kNumPhases = 7;
const char* to_string(Phase phase);

struct PhaseTicks {
  std::uint64_t ticks[kNumPhases] = {};

  std::uint64_t& operator[](Phase p) { return ticks[static_cast<int>(p)]; }
  std::uint64_t operator[](Phase p) const { return ticks[static_cast<int>(p)]; }
  PhaseTicks& operator+=(const PhaseTicks& other) {
    for (int i = 0; i < kNumPhases; ++i) {
      ticks[i] += other.ticks[i];
    }
    return *this;
  }
};

// Splits the time since its start among phases, one clock reading for each lap.
class LapTimer {
 public:
  explicit LapTimer(PhaseTicks* phases) : phases_(phases), last_(now_ticks()) {}
  // All that passed since the last lap belongs to the phase.
  void lap(Phase phase) {
    const std::uint64_t now = now_ticks();
    (*phases_)[phase] += now - last_;
    last_ = now;
  }

 private:
  PhaseTicks* phases_;
  std::uint64_t last_;
};

// Adds the time of a scope to a phase.
class ScopedPhase {
 public:
  ScopedPhase(PhaseTicks* phases, Phase phase) : sum_(&(*phases)[phase]), start_(now_ticks()) {}
  ~ScopedPhase() { *sum_ += now_ticks() - start_; }
  ScopedPhase(const ScopedPhase&) = delete;
  ScopedPhase& operator=(const ScopedPhase&) = delete;

 private:
  std::uint64_t* sum_;
  std::uint64_t start_;
};

}  // namespace cenic
