// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic check: loads a scene and says what is odd about it.
#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/scene_input.h"
#include "cli/verbs.h"
#include "core/error.h"
#include "sim/lint.h"

namespace cenic::cli {
namespace {

using Json = nlohmann::ordered_json;

int count(const std::vector<Finding>& findings, Finding::Severity severity) {
  return static_cast<int>(std::ranges::count(findings, severity, &Finding::severity));
}

void print_json(const std::string& scene, const std::string& error,
                const std::vector<Finding>& findings) {
  Json json;
  json["scene"] = scene;
  json["loads"] = error.empty();
  json["errors"] = Json::array();
  std::istringstream lines(error);
  for (std::string line; std::getline(lines, line);) {
    json["errors"].push_back(line);
  }
  json["warnings"] = count(findings, Finding::Severity::kWarning);
  json["notes"] = count(findings, Finding::Severity::kNote);
  json["findings"] = Json::array();
  for (const Finding& f : findings) {
    json["findings"].push_back({{"check", f.check},
                                {"severity", to_string(f.severity)},
                                {"subject", f.subject},
                                {"value", f.value ? Json(*f.value) : Json()},
                                {"what", f.what},
                                {"file", f.file.empty() ? Json() : Json(f.file)},
                                {"line", f.line > 0 ? Json(f.line) : Json()}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

void print_text(const std::string& scene, const std::vector<Finding>& findings) {
  for (const Finding& f : findings) {
    fmt::print("{}\n", to_string(f));
  }
  const auto number = [&](Finding::Severity severity) {
    const int n = count(findings, severity);
    return fmt::format("{} {}{}", n, to_string(severity), n == 1 ? "" : "s");
  };
  fmt::print("{}: {}, {}\n", scene, number(Finding::Severity::kWarning),
             number(Finding::Severity::kNote));
}

std::vector<Finding> check(const SceneInput& input) {
  const Scene scene = open_scene(input);
  try {
    return lint({.spec = scene.loaded.spec,
                 .model = *scene.model,
                 .diagnostics = scene.loaded.diagnostics,
                 .controls = scene.loaded.controls,
                 .keyframes = scene.loaded.keyframes});
  } catch (const Error& e) {
    throw Error(fmt::format("{}: error: {}", input.scene, e.what()));
  }
}

}  // namespace

Action add_check(CLI::App* app) {
  struct Arguments {
    SceneInput input;
    bool json = false, strict = false;
  };
  auto a = std::make_shared<Arguments>();
  add_scene_options(app, &a->input, false);
  app->add_flag("--json", a->json, "Print one JSON object instead of lines");
  app->add_flag("--strict", a->strict, "Exit with 3 when there is a warning");
  return [a] {
    std::vector<Finding> findings;
    try {
      findings = check(a->input);
    } catch (const Error& e) {
      if (a->json) print_json(a->input.scene, e.what(), {});
      throw;
    }
    if (a->json) {
      print_json(a->input.scene, "", findings);
    } else {
      print_text(a->input.scene, findings);
    }
    const bool bad = a->strict && count(findings, Finding::Severity::kWarning) > 0;
    return static_cast<int>(bad ? kInputError : kDone);
  };
}

}  // namespace cenic::cli
