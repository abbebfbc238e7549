// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Checkpoint: a moment of a simulation from which it goes on bit for bit; in memory or in a file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cenic {

// Made by Simulator::checkpoint(), for Simulator::restore().
struct Checkpoint {
  double t = 0;                                              // s
  std::uint64_t model_hash = 0;                              // calc_model_hash()
  std::vector<std::pair<std::string, std::string>> options;  // list_option_values()
  std::string data;  // state, integrator and statistics; a matter of the simulator's
};

// Replaces the file at once, or leaves the old one. Throws Error "path: error: ...".
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
// Throws Error when save_checkpoint() could not write there: to be known before a long run.
void check_checkpoint_path(const std::string& path);
// Throws Error "path: error: ..." when the file is missing, no checkpoint, damaged, or of another
// version of cenic.
Checkpoint load_checkpoint(const std::string& path);

}  // namespace cenic
