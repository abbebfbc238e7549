// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --csv: one row for each accepted step.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_file.h"
#include "sim/simulator.h"

namespace cenic::cli {

class StepTable {
 public:
  // Path "-" is standard output. No columns: all but energy and force:BODY
  // (docs/command_line.md). Throws Error for one that does not exist.
  StepTable(const std::string& path, const std::vector<std::string>& columns, const Model& model);
  // Both throw Error when the file cannot be written.
  void on_step(const StepEvent& event, Simulator* sim);
  void finish();

 private:
  struct Row;
  struct Column {
    std::string header;
    std::function<std::string(Row*)> value;
  };
  void add(const std::string& name);
  void add_number(const std::string& header, std::function<double(Row*)> value);
  bool add_number(const std::string& name);
  void add_coordinate(const std::string& header, bool is_q, int i);
  void add_coordinates(const std::string& kind, const std::string& joint);
  void add_states(const std::string& system);
  void add_outputs(const std::string& name);
  void add_output(const std::string& header, int output);
  void add_force(const std::string& body);
  void write(const std::string& row);
  [[noreturn]] void fail() const;

  const Model& model_;
  std::vector<Column> columns_;
  std::optional<OutputFile> file_;                          // none: standard output
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;  // with what ends it
};

}  // namespace cenic::cli
