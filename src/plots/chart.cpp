// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "plots/chart.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "core/utf8.h"

namespace cenic {
namespace {

constexpr double kLargest = 1e300;                       // that is drawn: differences are numbers
constexpr double kWidth = 760, kLeft = 78, kRight = 18;  // pixels
constexpr double kTop = 44, kLine = 16, kTitle = 24, kBottom = 40;
constexpr double kInside = kWidth - kLeft - kRight;
constexpr double kFontSize = 12, kHeadingSize = 15, kHeadingLine = 18;
constexpr double kBold = 1.12;            // wider than plain
constexpr double kSymbol = 14;            // of a curve in the legend, with the space behind it
constexpr double kLegendSpace = 16;       // left of it
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
  for (const char c : make_utf8(text)) {
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

// The rest of a character of UTF-8.
bool is_continued(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// As DejaVu Sans draws it, the widest of the usual fonts, and rather more; of the font's size.
double estimate_width(char c) {
  constexpr std::string_view kNarrow = " iljftrI.,:;'|!()[]/-", kWide = "mwMW@%";
  if (is_continued(c)) return 0;
  if (kNarrow.find(c) != std::string_view::npos) return 0.4;
  if (kWide.find(c) != std::string_view::npos || static_cast<unsigned char>(c) >= 0xE3) return 1;
  return std::isupper(static_cast<unsigned char>(c)) != 0 || c == '=' || c == '+' ? 0.8 : 0.64;
}

double estimate_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    width += size * estimate_width(c);
  }
  return width;
}

// What is too wide loses its middle: names differ at their ends.
std::string shorten(const std::string& text, double width, double size) {
  if (estimate_width(text, size) <= width) return text;
  std::size_t head = text.size() / 2, tail = head;
  std::string fitting;
  do {
    if (head > 0) --head;
    if (tail < text.size()) ++tail;
    while (head > 0 && is_continued(text[head])) {
      --head;
    }
    while (tail < text.size() && is_continued(text[tail])) {
      ++tail;
    }
    fitting = text.substr(0, head) + "…" + text.substr(tail);
  } while (head > 0 && estimate_width(fitting, size) > width);
  return fitting;
}

// At spaces, where there are some.
std::vector<std::string> break_lines(const std::vector<std::string>& lines, double size) {
  std::vector<std::string> broken;
  for (std::string rest : lines) {
    while (estimate_width(rest, size) > kInside) {
      std::size_t end = rest.find(' ', 1);
      if (end == std::string::npos) break;
      for (std::size_t next = end; next != std::string::npos; next = rest.find(' ', next + 1)) {
        if (estimate_width(rest.substr(0, next), size) <= kInside) end = next;
      }
      broken.push_back(shorten(rest.substr(0, end), kInside, size));
      rest.erase(0, end + 1);
    }
    broken.push_back(shorten(rest, kInside, size));
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

void cover(const std::vector<double>& numbers, Axis* axis) {
  for (const double x : numbers) {
    if (!axis->shows(x)) continue;
    axis->low = std::min(axis->low, axis->log ? std::log10(x) : x);
    axis->high = std::max(axis->high, axis->log ? std::log10(x) : x);
  }
}

// Where it lies is not known yet.
Axis make_axis(const Panel& panel, bool vertical) {
  Axis axis{vertical ? panel.log_y : panel.log_x, INFINITY, -INFINITY};
  for (const Curve& curve : panel.curves) {
    cover(vertical ? curve.y : curve.x, &axis);
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
    return axis;
  }
  axis.low = std::clamp(axis.low, -kLargest, kLargest);
  axis.high = std::clamp(axis.high, -kLargest, kLargest);
  const double least = 1e-9 * std::max(std::abs(axis.low), std::abs(axis.high));
  if (vertical && !range) {
    const double pad = std::max(0.06 * (axis.high - axis.low), least > 0 ? least : 1);
    axis.low -= pad;
    axis.high += pad;
  } else if (axis.high - axis.low <= least) {
    axis.high = axis.low + std::max(1.0, least);
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

void draw_axes(const Panel& panel, const Axis& x, const Axis& y, const std::vector<Tick>& y_ticks,
               std::string* out) {
  auto to = std::back_inserter(*out);
  for (const Tick& tick : y_ticks) {
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
  fmt::format_to(to, "<path d='M{:.0f} {:.0f}H{:.0f}' stroke='{}'/>\n", x.from, y.from, x.to,
                 kMuted);
  if (!panel.x_label.empty()) {
    fmt::format_to(to, "<text x='{:.0f}' y='{:.0f}' text-anchor='end' fill='{}'>{}</text>\n", x.to,
                   y.from + 33, kMuted, escape(panel.x_label));
  }
}

const std::string& find_color(const Panel& panel, std::size_t i) {
  const auto& colors = list_chart_colors();
  return panel.curves[i].color.empty() ? colors[i % colors.size()] : panel.curves[i].color;
}

struct LegendEntry {
  std::string text, color;
  double width;
};
using LegendRow = std::vector<LegendEntry>;

double calc_width(const LegendRow& row) {
  double width = 0;
  for (const LegendEntry& entry : row) {
    width += entry.width;
  }
  return width;
}

// In rows as wide as the panel.
std::vector<LegendRow> make_legend(const Panel& panel) {
  std::vector<LegendRow> rows;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const Curve& curve = panel.curves[i];
    if (curve.name.empty()) continue;
    const char* symbol = curve.points ? "●" : curve.dashed ? "╌" : "━";
    const std::string name = shorten(curve.name, kInside - kSymbol - kLegendSpace, kFontSize);
    const double width = kLegendSpace + kSymbol + estimate_width(name, kFontSize);
    if (rows.empty() || calc_width(rows.back()) + width > kInside) rows.emplace_back();
    rows.back().push_back(
        {fmt::format("{} {}", symbol, escape(name)), find_color(panel, i), width});
  }
  return rows;
}

// The last curve rightmost.
void draw_legend(const LegendRow& row, double baseline, std::string* out) {
  double right = kWidth - kRight - calc_width(row);
  for (const LegendEntry& entry : row) {
    right += entry.width;
    fmt::format_to(std::back_inserter(*out),
                   "<text x='{:.0f}' y='{:.0f}' text-anchor='end' fill='{}'>{}</text>\n", right,
                   baseline, entry.color, entry.text);
  }
}

// Below `top`; returns where it ends.
double draw_panel(const Panel& panel, double top, std::string* out) {
  Axis x = make_axis(panel, false), y = make_axis(panel, true);
  std::vector<Tick> y_ticks = make_ticks(y, 4);
  const std::string title = shorten(panel.title + shorten_labels(&y_ticks), kInside, kFontSize);
  double baseline = top + kTitle - 9;
  fmt::format_to(std::back_inserter(*out), "<text x='{:.0f}' y='{:.0f}' fill='{}'>{}</text>\n",
                 kLeft, baseline, kText, escape(title));
  // The legend stands right of the title, or below it where there is no room.
  const std::vector<LegendRow> legend = make_legend(panel);
  const bool fits =
      legend.size() == 1 && estimate_width(title, kFontSize) + calc_width(legend[0]) <= kInside;
  for (const LegendRow& row : legend) {
    if (!fits) baseline += kLine;
    draw_legend(row, baseline, out);
  }
  x.from = kLeft, x.to = kWidth - kRight;
  y.to = baseline + 9, y.from = y.to + panel.height;
  draw_axes(panel, x, y, y_ticks, out);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    draw_curve(panel.curves[i], find_color(panel, i), x, y, out);
  }
  return y.from + kBottom;
}

}  // namespace

const std::vector<std::string>& list_chart_colors() {
  static const std::vector<std::string> colors{"#0b6fb8", "#d1495b", "#2e8b57",
                                               "#8c5fbf", "#c77d0a", "#4a5560"};
  return colors;
}

std::string make_svg(const std::string& title, const std::vector<Panel>& panels,
                     const std::vector<std::string>& lines) {
  std::string body;
  auto to = std::back_inserter(body);
  double y = kTop - kHeadingLine;
  for (const std::string& line : break_lines({title}, kBold * kHeadingSize)) {
    fmt::format_to(to,
                   "<text x='{:.0f}' y='{:.0f}' font-size='{:.0f}' font-weight='600' "
                   "fill='{}'>{}</text>\n",
                   kLeft, y, kHeadingSize, kText, escape(line));
    y += kHeadingLine;
  }
  for (const std::string& line : break_lines(lines, kFontSize)) {
    fmt::format_to(to, "<text x='{:.0f}' y='{:.0f}' fill='{}'>{}</text>\n", kLeft, y, kText,
                   escape(line));
    y += kLine;
  }
  for (const Panel& panel : panels) {
    y = draw_panel(panel, y, &body);
  }
  return fmt::format(
             "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' "
             "width='{0:.0f}' height='{1:.0f}' font-family='system-ui, DejaVu Sans, sans-serif' "
             "font-size='{2:.0f}'><rect width='100%' height='100%' fill='white'/>\n",
             kWidth, y, kFontSize) +
         body + "</svg>\n";
}

}  // namespace cenic
