// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// lint(): what is odd about a model that loads, before it costs a day. docs/command_line.md lists
// the checks under `cenic check`.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "loaders/load.h"
#include "model/model.h"

namespace cenic {

struct Finding {
  enum class Severity { kWarning, kNote };  // likely a mistake; worth knowing
  std::string check{};                      // "overlap", "mass_ratio" ...
  Severity severity = Severity::kWarning;
  std::string subject{};          // whom it is about: "joint 'elbow'"
  std::optional<double> value{};  // the number in question
  std::string what{};             // the fact and what to do about it
  std::string file{};             // where it stands in the file, when that is known
  int line = 0;
};
const char* to_string(Finding::Severity severity);  // "warning", "note"
// "warning: joint 'elbow': ... [gain]", with "file:line: " first when known.
std::string to_string(const Finding& finding);

// A model as it was described and compiled, at its initial state, and what a file says of it.
struct LintInput {
  const ModelSpec& spec;
  const Model& model;
  const Diagnostics& diagnostics;
  std::span<const std::string> controls;
  std::span<const Keyframe> keyframes;
};

// Warnings first; the same order in each run. Throws Error when the constraints cannot hold.
std::vector<Finding> lint(const LintInput& input);

namespace detail {

class Findings {
 public:
  void add(Finding finding) { list_.push_back(std::move(finding)); }
  void warn(const char* check, std::string subject, double value, std::string what) {
    add({check, Finding::Severity::kWarning, std::move(subject), value, std::move(what)});
  }
  void note(const char* check, std::string subject, double value, std::string what) {
    add({check, Finding::Severity::kNote, std::move(subject), value, std::move(what)});
  }
  std::vector<Finding> take() { return std::move(list_); }

 private:
  std::vector<Finding> list_;
};

// "body 'arm'", or "the world" for −1.
std::string describe_body(const Model& model, int body);

// lint_bodies.cpp; `touching` are pairs of bodies, −1: world.
void lint_inertias(const ModelSpec& spec, Findings* findings);
void lint_mass_ratios(const LintInput& input, std::span<const std::array<int, 2>> touching,
                      Findings* findings);
void lint_surfaces(const LintInput& input, Findings* findings);
void lint_filters(const LintInput& input, Findings* findings);
// lint_start.cpp
std::vector<std::array<int, 2>> lint_overlaps(const Model& model, Findings* findings);
void lint_limits(const LintInput& input, Findings* findings);
void lint_constraints(const Model& model, Findings* findings);
void lint_controls(const LintInput& input, Findings* findings);
// lint_gains.cpp
void lint_gains(const Model& model, Findings* findings);

}  // namespace detail
}  // namespace cenic
