// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The program cenic: finds the verb, runs it, and turns exceptions into messages and exit codes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verbs.h"
#include "core/error.h"
#include "core/version.h"

namespace cenic::cli {
namespace {

struct Verb {
  CLI::App* app;
  Action action;
};

constexpr const char* kFooter = R"(Examples:
  cenic list
  cenic run hard_clutter --accuracy 1e-3 --html clutter.html
  cenic view hard_clutter
  cenic run hard_clutter --set count=50 --seed 7 --json
  cenic info chain --set links=5
  cenic convert hard_clutter clutter.yaml
  cenic check robot.xml --keyframe home
  cenic run hard_clutter --record run.h5 && cenic plot run.h5

Exit codes: 0 done, 2 usage, 3 the input is wrong, 4 the accuracy cannot be reached,
130 interrupted by Ctrl-C, SIGTERM or SIGHUP.)";

int fail_usage(const std::string& text, const std::string& verb = "") {
  fmt::print(stderr, "error: {}\nTry 'cenic {}{}--help'.\n", text, verb, verb.empty() ? "" : " ");
  return kUsageError;
}

// Empty when the first word of the command line is a verb or an option.
std::string find_unknown_verb(int argc, char** argv, const std::vector<Verb>& verbs) {
  if (argc < 2 || argv[1][0] == '-') return "";
  const std::string word = argv[1];
  const bool known = std::any_of(verbs.begin(), verbs.end(), [&](const Verb& v) {
    return v.app->get_name() == word;
  });
  return known ? "" : word;
}

std::string describe_unknown_verb(const std::string& word, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const Verb& verb : verbs) {
    names.push_back(verb.app->get_name());
  }
  return fmt::format("unknown verb '{}'; the verbs are {}", word, fmt::join(names, ", "));
}

int perform(const Verb& verb) {
  try {
    return verb.action();
  } catch (const UsageError& e) {
    return fail_usage(e.what(), verb.app->get_name());
  } catch (const Error& e) {
    print_problem(e.what());
    return kInputError;
  }
}

// A full disk or a closed pipe must not look like success.
int fail_output() {
  fmt::print(stderr, "error: cannot write standard output\n");
  return kInputError;
}

int check_output(int code) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  return written || code != kDone ? code : fail_output();
}

int run_program(int argc, char** argv) {
  CLI::App app{"cenic simulates robots and the things they touch, to the accuracy you ask for.",
               "cenic"};
  app.footer(kFooter);
  app.set_version_flag("--version", fmt::format("cenic {}", version()),
                       "Print the version and exit");
  app.require_subcommand(0, 1);
  std::vector<Verb> verbs;
  const auto add = [&](const char* name, const char* description, Action (*setup)(CLI::App*)) {
    CLI::App* verb = app.add_subcommand(name, description);
    verbs.push_back({verb, setup(verb)});
  };
  add("run", "Simulate a scene", add_run);
  add("view", "Show a scene in the browser, live, or play a recording back", add_view);
  add("info", "Show what a scene is made of", add_info);
  add("convert", "Write a scene to a file: a scenario (.yaml) or MJCF (.xml)", add_convert);
  add("check", "Load a scene and say what is odd about it", add_check);
  add("list", "List the built-in scenes, the integrators and their options", add_list);
  add("plot", "Draw a recording as SVG: step size, error, energy, real-time rate, forces",
      add_plot);
  add("compare", "Tabulate and draw the differences of two recordings", add_compare);

  const std::string unknown = find_unknown_verb(argc, argv, verbs);
  if (!unknown.empty()) return fail_usage(describe_unknown_verb(unknown, verbs));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const auto chosen = app.get_subcommands();
    return fail_usage(e.what(), chosen.empty() ? "" : chosen.front()->get_name());
  }
  for (const Verb& verb : verbs) {
    if (verb.app->parsed()) return perform(verb);
  }
  return fail_usage("give a verb\n\n" + app.help());
}

}  // namespace

void print_problem(const std::string& text) {
  const bool placed = text.find(": error: ") != std::string::npos;
  fmt::print(stderr, "{}{}\n", placed ? "" : "error: ", text);
}

}  // namespace cenic::cli

int main(int argc, char** argv) {
  using namespace cenic::cli;  // NOLINT(google-build-using-namespace)
  try {
    return check_output(run_program(argc, argv));
  } catch (const std::system_error&) {  // from fmt::print
    return fail_output();
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return kInternalError;
  }
}
