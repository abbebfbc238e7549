// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/library/trajectory.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "systems/system_io.h"

namespace cenic {

TrajectoryPlayback::TrajectoryPlayback(std::vector<double> times,
                                       std::vector<std::vector<double>> positions, Options options)
    : times_(std::move(times)), positions_(std::move(positions)), options_(options) {}

void TrajectoryPlayback::declare(Ports* ports) const {
  if (times_.empty() || times_.size() != positions_.size()) {
    throw Error(fmt::format("has {} times and {} positions; give as many of both, at least one",
                            times_.size(), positions_.size()));
  }
  if (positions_[0].empty()) throw Error("its positions have no numbers; give one for each joint");
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (!std::isfinite(times_[i])) throw Error(fmt::format("time {} is {}", i, times_[i]));
    if (i > 0 && times_[i] <= times_[i - 1]) {
      throw Error(fmt::format("time {} is {}, not after {}; times must increase", i, times_[i],
                              times_[i - 1]));
    }
    if (positions_[i].size() != positions_[0].size()) {
      throw Error(fmt::format("position {} has {} numbers, the first has {}; give as many to each",
                              i, positions_[i].size(), positions_[0].size()));
    }
    for (const double p : positions_[i]) {
      if (!std::isfinite(p)) throw Error(fmt::format("position {} holds {}", i, p));
    }
  }
  if (options_.repeat && times_.size() < 2) {
    throw Error("repeats but has one position; give at least two");
  }
  ports->add_output("reference", 2 * static_cast<int>(positions_[0].size()));
}

// The velocity of coordinate k at position i of a cubic.
double TrajectoryPlayback::calc_slope(int i, int k) const {
  if (i == 0 || i + 1 == static_cast<int>(times_.size())) return 0;
  return (positions_[i + 1][k] - positions_[i - 1][k]) / (times_[i + 1] - times_[i - 1]);
}

void TrajectoryPlayback::evaluate(const SystemInput& in, SystemOutput* out) const {
  const double first = times_.front(), last = times_.back();
  double t = in.t;
  if (options_.repeat && t >= last) t = first + std::fmod(t - first, last - first);
  const int n = static_cast<int>(positions_[0].size());
  const int next = static_cast<int>(std::ranges::upper_bound(times_, t) - times_.begin());
  const int i = std::max(0, next - 1);
  const bool resting = next == 0 || next == static_cast<int>(times_.size());
  const auto reference = out->output(0);
  for (int k = 0; k < n; ++k) {
    const double p0 = positions_[i][k];
    reference[k] = p0;
    if (resting || options_.interpolation == Interpolation::kHold) continue;
    const double h = times_[next] - times_[i], s = (t - times_[i]) / h, p1 = positions_[next][k];
    if (options_.interpolation == Interpolation::kLinear) {
      reference[k] = p0 + s * (p1 - p0);
      reference[n + k] = (p1 - p0) / h;
      continue;
    }
    const double m0 = h * calc_slope(i, k), m1 = h * calc_slope(next, k);
    const double c2 = 3 * (p1 - p0) - 2 * m0 - m1, c3 = 2 * (p0 - p1) + m0 + m1;
    reference[k] = p0 + s * (m0 + s * (c2 + s * c3));
    reference[n + k] = (m0 + s * (2 * c2 + s * 3 * c3)) / h;
  }
}

}  // namespace cenic
