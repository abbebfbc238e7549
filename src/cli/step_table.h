// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --csv: one row for each accepted step.
#pragma once

#include <fstream>
#include <string>

#include "cli/output_file.h"
#include "sim/simulator.h"

namespace cenic::cli {

// Columns: t (end of the step, s), h (its size, s), error, rejections (tries before), limited_by
// (what limited the step), q0.., v0.. (at the end of the step), and the forces of contacts there.
class StepTable {
 public:
  StepTable(const std::string& path, const Model& model);
  void on_step(const StepEvent& event, Simulator* sim);
  void finish();  // throws Error when the file could not be written

 private:
  const Model& model_;
  OutputFile file_;
  std::ofstream stream_;
};

}  // namespace cenic::cli
