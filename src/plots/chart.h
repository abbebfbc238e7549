// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Charts as SVG text: panels below each other, each with its own axes and curves.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cenic {

struct Curve {
  std::string name{};   // in the legend; empty: not there
  std::string color{};  // empty: by its place in the panel
  std::vector<double> x{}, y{};
  bool points = false;  // marks instead of a line
  bool dashed = false;  // a thin line: what the others are held against
};

struct Panel {
  std::string title{};  // what is shown, with its unit
  std::string x_label{};
  bool log_x = false, log_y = false;  // numbers that are not positive are then left out
  std::vector<Curve> curves{};
  std::optional<std::pair<double, double>> x_range{}, y_range{};  // none: what the curves need
  double height = 120;
};

// Colours that are told apart on white and by most people, in the order to use them.
const std::vector<std::string>& list_chart_colors();

// The title and the lines below it are broken where they are too long, the legend is where it has
// room; a name that is wider than all loses its middle.
std::string make_svg(const std::string& title, const std::vector<Panel>& panels,
                     const std::vector<std::string>& lines = {});

}  // namespace cenic
