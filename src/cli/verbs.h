// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The verbs of the program. Each adds its options to the command line and says what to do when it
// was chosen.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <CLI/CLI.hpp>

namespace cenic::cli {

// What the program returns to the shell.
enum ExitCode : int {
  kDone = 0,
  kInternalError = 1,
  kUsageError = 2,
  kInputError = 3,
  kAccuracyNotReached = 4,
  kInterrupted = 130,
};

// The command line is wrong in a way CLI11 cannot know; ends in kUsageError.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// On standard error. Errors that name a file or a scene come with their own "place: error:".
void print_problem(const std::string& text);

using Action = std::function<int()>;
Action add_run(CLI::App* app);
Action add_view(CLI::App* app);
Action add_info(CLI::App* app);
Action add_convert(CLI::App* app);
Action add_check(CLI::App* app);
Action add_list(CLI::App* app);
Action add_plot(CLI::App* app);
Action add_compare(CLI::App* app);

}  // namespace cenic::cli
