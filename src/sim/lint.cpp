// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "sim/lint.h"

#include <algorithm>

#include <fmt/format.h>

#include "multibody/assembly.h"

namespace cenic {
namespace {

// What the loader had to say: the meaning of the file is not all here.
void add_fidelity(const LintInput& input, detail::Findings* findings) {
  for (const Diagnostic& d : input.diagnostics.list()) {
    const bool odd = d.severity == Severity::kWarning;
    findings->add({.check = to_string(d.severity),
                   .severity = odd ? Finding::Severity::kWarning : Finding::Severity::kNote,
                   .value = d.count,
                   .what = d.what + (d.count > 1 ? fmt::format(" ({} times)", d.count) : ""),
                   .file = d.file,
                   .line = d.line});
  }
  for (const std::string& note : input.model.notes) {
    findings->add({.check = "repaired", .severity = Finding::Severity::kNote, .what = note});
  }
}

}  // namespace

const char* to_string(Finding::Severity severity) {
  return severity == Finding::Severity::kWarning ? "warning" : "note";
}

std::string to_string(const Finding& f) {
  return fmt::format(
      "{}{}: {}{}{} [{}]", f.file.empty() ? "" : fmt::format("{}:{}: ", f.file, f.line),
      to_string(f.severity), f.subject, f.subject.empty() ? "" : ": ", f.what, f.check);
}

std::string detail::describe_body(const Model& model, int body) {
  return body < 0 ? "the world" : fmt::format("body '{}'", model.bodies[body].name);
}

std::vector<Finding> lint(const LintInput& input) {
  check_assembly(input.model);
  detail::Findings findings;
  const auto touching = detail::lint_overlaps(input.model, &findings);
  detail::lint_mass_ratios(input, touching, &findings);
  detail::lint_inertias(input.spec, &findings);
  detail::lint_gains(input.model, &findings);
  detail::lint_limits(input, &findings);
  detail::lint_controls(input, &findings);
  detail::lint_constraints(input.model, &findings);
  detail::lint_surfaces(input, &findings);
  detail::lint_filters(input, &findings);
  add_fidelity(input, &findings);
  std::vector<Finding> list = findings.take();
  std::ranges::stable_sort(list, {}, &Finding::severity);
  return list;
}

}  // namespace cenic
