// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a run prints: one JSON object, or a table for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/simulator.h"

namespace cenic::cli {

struct LimitingCoordinate {
  std::string name;
  long count = 0;  // steps it limited
};

// The facts of a run, whether it reached its end or not.
struct RunReport {
  std::string scene;
  IntegratorOptions options;
  std::uint64_t seed = 1;
  double duration = 0;  // asked for, s
  double energy_initial = 0, energy_final = 0;
  double max_penetration = 0;  // over the states after the first
  Statistics statistics;
  State state;                                 // reached
  std::vector<LimitingCoordinate> limited_by;  // most frequent first
  std::string failure;                         // why it stopped early; empty: it did not

  double real_time_rate() const;  // NaN when no time was measured
  double phase_seconds(Phase phase) const;
  double other_seconds() const;  // wall time outside of the phases
};

// The coordinates of the same name counted together, at most `most` of them.
std::vector<LimitingCoordinate> rank_limits(const Model& model, const Statistics& statistics,
                                            std::size_t most);

void print_json(const RunReport& report);
void print_table(const RunReport& report, const Model& model);

}  // namespace cenic::cli
