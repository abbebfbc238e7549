// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --csv: one row for each accepted step.
#pragma once

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "sim/simulator.h"

namespace cenic::cli {

class StepTable {
 public:
  // Columns, separated by commas; empty: all but energy and force:BODY (docs/command_line.md).
  // Throws Error for one that does not exist.
  StepTable(const std::string& path, const std::string& columns, const Model& model);
  void on_step(const StepEvent& event, Simulator* sim);
  void finish();  // throws Error when the file could not be written

 private:
  struct Row;
  struct Column {
    std::string header;
    std::function<std::string(Row*)> value;
  };
  void add(const std::string& name);
  void add_number(const std::string& header, std::function<double(Row*)> value);
  bool add_number(const std::string& name);
  bool add_coordinates(const std::string& kind, const std::string& joint);
  bool add_states(const std::string& system);
  bool add_outputs(const std::string& name);
  bool add_force(const std::string& body);

  const Model& model_;
  std::vector<Column> columns_;
  OutputFile file_;
  std::ofstream stream_;
};

}  // namespace cenic::cli
