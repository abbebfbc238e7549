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

// Their files' names, with as much of the paths before them as tells them apart.
std::vector<std::string> name_runs(std::span<const Recording> runs);

struct RunPlotOptions {
  std::string body;  // whose contact force is shown; empty: of none
  // "q:NAME", "v:NAME", "z:NAME", "y:NAME"; a joint (a free one by its body, too), system or
  // signal for all it has, or one of them: "q:joint[2]".
  std::vector<std::string> columns;
};

// Step size with rejected steps marked, error, energy, real-time rate, and what the options ask
// for. Throws Error for a name that a recording does not have.
std::vector<Panel> make_run_panels(std::span<const Recording> runs, const RunPlotOptions& options);

struct LargestDifference {
  double value = 0;  // of rotations of free and ball joints the angle between them
  std::string name;  // of what; empty: no difference
  std::string unit;
  double time = 0;  // s
};

// How two runs of the same model differ at the times of frames of both, where the run with fewer
// frames shares all that lie between its first and last; else at A's times, and B between its
// frames: that interpolation is a difference, too.
struct RunDifference {
  bool between_frames = false;
  int num_times = 0;
  double start = 0, end = 0;        // s
  LargestDifference q, v;           // over coordinates and times
  double root_mean_square = 0;      // of coordinates
  double energy = 0;                // largest, J
  std::vector<double> times, over;  // largest |Δq| at each time
};
// Throws Error when they are not of the same model.
RunDifference compare_runs(const Recording& a, const Recording& b);
// How the largest difference of a coordinate grows.
Panel make_difference_panel(const RunDifference& difference);

}  // namespace cenic
