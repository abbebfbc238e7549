// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What there is to see of recorded runs, as panels of a chart; several runs lie over each other.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plots/chart.h"
#include "recording/recording.h"

namespace cenic {

struct RunPlotOptions {
  std::string body;                  // whose contact force is shown; empty: of none
  std::vector<std::string> columns;  // "q:NAME", "v:NAME", "z:NAME", "y:NAME"
};

// Step size with rejected steps marked, error, energy, real-time rate, and what the options ask
// for. Throws Error for a name that a recording does not have.
std::vector<Panel> make_run_panels(std::span<const Recording> runs, const RunPlotOptions& options);

// How two runs of the same model differ at the times of A's frames that both have.
struct RunDifference {
  int num_times = 0;
  double start = 0, end = 0;        // s
  double largest = 0;               // |Δq|, m or rad; quaternions by their distance
  std::string coordinate;           // where
  double time = 0;                  // and when, s
  double root_mean_square = 0;      // over coordinates and times
  double energy = 0;                // largest difference, J
  std::vector<double> times, over;  // largest |Δq| at each time
};
// Throws Error when they are not of the same model.
RunDifference compare_runs(const Recording& a, const Recording& b);

}  // namespace cenic
