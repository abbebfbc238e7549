// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "plots/chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace cenic {
namespace {

constexpr double kWidth = 760, kLeft = 78, kRight = 18;  // pixels
constexpr double kTop = 44, kLine = 16, kTitle = 24, kBottom = 40;
constexpr std::size_t kLineLength = 105;  // characters
constexpr int kFewestTicks = 3;           // on an axis that is not logarithmic
constexpr std::size_t kLongestLabel = 9;  // that fits left of an axis
constexpr const char *kText = "#333", *kFaint = "#e4e4e4", *kMuted = "#777";

// From numbers to pixels along one axis.
struct Axis {
  bool log = false;
  double low = 0, high = 1;  // of the numbers, or of their logarithms
  double from = 0, to = 1;   // pixels

  bool shows(double x) const { return std::isfinite(x) && (!log || x > 0); }
  double operator()(double x) const {
    return from + ((log ? std::log10(x) : x) - low) / (high - low) * (to - from);
  }
};

struct Tick {
  double value;
  std::string label;
};

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

// At spaces, where there are some.
std::vector<std::string> break_lines(const std::vector<std::string>& lines) {
  std::vector<std::string> broken;
  for (std::string rest : lines) {
    while (rest.size() > kLineLength) {
      const std::size_t space = rest.rfind(' ', kLineLength);
      if (space == std::string::npos || space == 0) break;
      broken.push_back(rest.substr(0, space));
      rest.erase(0, space + 1);
    }
    broken.push_back(std::move(rest));
  }
  return broken;
}

// 1, 2 or 5 times a power of ten, about `count` of them in the range.
double choose_spacing(double range, double count) {
  const double raw = range / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw) return factor * power;
  }
  return 10 * power;
}

std::vector<Tick> make_ticks(const Axis& axis, double count) {
  std::vector<Tick> ticks;
  if (axis.log) {
    const int stride = std::max(1, static_cast<int>(std::ceil((axis.high - axis.low) / count)));
    for (int e = static_cast<int>(std::ceil(axis.low - 1e-9)); e <= axis.high + 1e-9; e += stride) {
      ticks.push_back({std::pow(10, e), e >= 0 && e <= 3 ? fmt::format("{:g}", std::pow(10, e))
                                                         : fmt::format("1e{}", e)});
    }
    return ticks;
  }
  double spacing = choose_spacing(axis.high - axis.low, count);
  const auto first = [&] {
    return std::ceil(axis.low / spacing - 1e-9);
  };
  // One number says nothing of the scale.
  while ((first() + kFewestTicks - 1) * spacing > axis.high + 1e-9 * spacing) {
    count *= 1.5;
    spacing = choose_spacing(axis.high - axis.low, count);
  }
  for (double k = first(); k * spacing <= axis.high + 1e-9 * spacing; ++k) {
    // Rounded to the spacing: 0.30000000000000004 is 0.3.
    const double value = std::abs(k) < 1e-9 ? 0 : k * spacing;
    // With as many digits as tell neighbours apart.
    const int digits = k == 0 ? 1 : static_cast<int>(std::ceil(std::log10(std::abs(k)))) + 1;
    ticks.push_back({value, fmt::format("{:.{}g}", value, std::clamp(digits, 6, 15))});
  }
  return ticks;
}

// Numbers that differ in their last digits alone are shown from the first of them on. Returns what
// the title has to say of it.
std::string shorten_labels(std::vector<Tick>* ticks) {
  const bool fit = std::ranges::all_of(*ticks, [](const Tick& tick) {
    return tick.label.size() <= kLongestLabel;
  });
  if (fit) return "";
  const Tick first = ticks->front();
  for (Tick& tick : *ticks) {
    tick.label = fmt::format("+{:.3g}", tick.value - first.value);
  }
  return fmt::format(", from {} on", first.label);
}

Axis make_axis(const Panel& panel, bool vertical, double from, double to) {
  Axis axis{vertical ? panel.log_y : panel.log_x, INFINITY, -INFINITY, from, to};
  for (const Curve& curve : panel.curves) {
    for (const double x : vertical ? curve.y : curve.x) {
      if (!axis.shows(x)) continue;
      axis.low = std::min(axis.low, axis.log ? std::log10(x) : x);
      axis.high = std::max(axis.high, axis.log ? std::log10(x) : x);
    }
  }
  const auto& range = vertical ? panel.y_range : panel.x_range;
  if (range) {
    axis.low = axis.log ? std::log10(range->first) : range->first;
    axis.high = axis.log ? std::log10(range->second) : range->second;
  }
  if (!(axis.low <= axis.high)) axis.low = 0, axis.high = 1;  // nothing to show
  if (axis.log) {
    axis.low = std::floor(axis.low + 1e-9);
    axis.high = std::max(axis.low + 1, std::ceil(axis.high - 1e-9));
  } else if (vertical && !range) {
    const double size = std::max(std::abs(axis.low), std::abs(axis.high));
    const double least = size > 0 ? 1e-9 * size : 1;
    const double pad = std::max(0.06 * (axis.high - axis.low), least);
    axis.low -= pad;
    axis.high += pad;
  } else if (axis.low == axis.high) {
    axis.high = axis.low + 1;
  }
  return axis;
}

// Of many points in one column of pixels only the lowest and the highest are drawn.
std::string make_line(const Curve& curve, const Axis& x, const Axis& y) {
  std::string path;
  double column = -INFINITY, low = 0, high = 0;
  bool pen_down = false;
  const auto draw = [&](double px, double py) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", pen_down ? "L" : "M", px, py);
    pen_down = true;
  };
  const auto end_column = [&] {
    if (low != high) draw(column, low), draw(column, high);
  };
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!x.shows(curve.x[i]) || !y.shows(curve.y[i])) {
      end_column();
      low = high = 0, column = -INFINITY, pen_down = false;
      continue;
    }
    const double px = x(curve.x[i]), py = y(curve.y[i]);
    if (px < column + 0.5) {
      low = std::min(low, py);
      high = std::max(high, py);
      continue;
    }
    end_column();
    column = px, low = high = py;
    draw(px, py);
  }
  end_column();
  return path;
}

void draw_curve(const Curve& curve, const std::string& color, const Axis& x, const Axis& y,
                std::string* out) {
  auto to = std::back_inserter(*out);
  if (!curve.points && curve.x.size() > 1) {
    fmt::format_to(to, "<path d='{}' fill='none' stroke='{}' {} stroke-linejoin='round'/>\n",
                   make_line(curve, x, y), color,
                   curve.dashed ? "stroke-width='1' stroke-dasharray='5 4'" : "stroke-width='1.5'");
    return;
  }
  fmt::format_to(to, "<g fill='{}'>", color);
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (!x.shows(curve.x[i]) || !y.shows(curve.y[i])) continue;
    fmt::format_to(to, "<circle cx='{:.1f}' cy='{:.1f}' r='2.2'/>", x(curve.x[i]), y(curve.y[i]));
  }
  fmt::format_to(to, "</g>\n");
}

void draw_axes(const Panel& panel, const Axis& x, const Axis& y, std::string* out) {
  auto to = std::back_inserter(*out);
  std::vector<Tick> ticks = make_ticks(y, 4);
  const std::string offset = shorten_labels(&ticks);
  for (const Tick& tick : ticks) {
    fmt::format_to(to,
                   "<path d='M{:.0f} {:.1f}H{:.0f}' stroke='{}'/><text x='{:.0f}' y='{:.1f}' "
                   "text-anchor='end' fill='{}'>{}</text>\n",
                   x.from, y(tick.value), x.to, kFaint, x.from - 8, y(tick.value) + 4, kMuted,
                   tick.label);
  }
  for (const Tick& tick : make_ticks(x, 8)) {
    fmt::format_to(to,
                   "<path d='M{:.1f} {:.0f}v4' stroke='{}'/><text x='{:.1f}' y='{:.0f}' "
                   "text-anchor='middle' fill='{}'>{}</text>\n",
                   x(tick.value), y.from, kMuted, x(tick.value), y.from + 17, kMuted, tick.label);
  }
  fmt::format_to(to,
                 "<path d='M{:.0f} {:.0f}H{:.0f}' stroke='{}'/>"
                 "<text x='{:.0f}' y='{:.0f}' fill='{}'>{}</text>\n",
                 x.from, y.from, x.to, kMuted, x.from, y.to - 9, kText,
                 escape(panel.title + offset));
  if (!panel.x_label.empty()) {
    fmt::format_to(to, "<text x='{:.0f}' y='{:.0f}' text-anchor='end' fill='{}'>{}</text>\n", x.to,
                   y.from + 33, kMuted, escape(panel.x_label));
  }
}

// Right of the title, the last curve rightmost.
void draw_legend(const Panel& panel, double right, double top, std::string* out) {
  for (std::size_t i = panel.curves.size(); i-- > 0;) {
    const Curve& curve = panel.curves[i];
    if (curve.name.empty()) continue;
    const std::string& color =
        curve.color.empty() ? list_chart_colors()[i % list_chart_colors().size()] : curve.color;
    fmt::format_to(std::back_inserter(*out),
                   "<text x='{:.0f}' y='{:.0f}' text-anchor='end' fill='{}'>{} {}</text>\n", right,
                   top - 9, color,
                   curve.points   ? "●"
                   : curve.dashed ? "╌"
                                  : "━",
                   escape(curve.name));
    right -= 30 + 6.6 * static_cast<double>(curve.name.size());
  }
}

}  // namespace

const std::vector<std::string>& list_chart_colors() {
  static const std::vector<std::string> colors{"#0b6fb8", "#d1495b", "#2e8b57",
                                               "#8c5fbf", "#c77d0a", "#4a5560"};
  return colors;
}

std::string make_svg(const std::string& title, const std::vector<Panel>& panels,
                     const std::vector<std::string>& lines) {
  const std::vector<std::string> below = break_lines(lines);
  const double start = kTop + kLine * static_cast<double>(below.size());
  double height = start;
  for (const Panel& panel : panels) {
    height += kTitle + panel.height + kBottom;
  }
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}' font-family='system-ui, DejaVu Sans, sans-serif' font-size='12'>"
      "<rect width='100%' height='100%' fill='white'/>"
      "<text x='{2:.0f}' y='26' font-size='15' font-weight='600' fill='{3}'>{4}</text>\n",
      kWidth, height, kLeft, kText, escape(title));
  for (std::size_t i = 0; i < below.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "<text x='{:.0f}' y='{:.0f}' fill='{}'>{}</text>\n",
                   kLeft, kTop + kLine * static_cast<double>(i), kText, escape(below[i]));
  }
  double top = start;
  for (const Panel& panel : panels) {
    top += kTitle;
    const Axis x = make_axis(panel, false, kLeft, kWidth - kRight);
    const Axis y = make_axis(panel, true, top + panel.height, top);
    draw_axes(panel, x, y, &out);
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
      const Curve& curve = panel.curves[i];
      const auto& colors = list_chart_colors();
      draw_curve(curve, curve.color.empty() ? colors[i % colors.size()] : curve.color, x, y, &out);
    }
    draw_legend(panel, x.to, y.to, &out);
    top += panel.height + kBottom;
  }
  return out + "</svg>\n";
}

}  // namespace cenic
