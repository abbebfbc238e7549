// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>

#include <gtest/gtest.h>

#include "core/error.h"
#include "plots/run_plots.h"

namespace cenic {
namespace {

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++n;
  }
  return n;
}

TEST(Chart, AxesHaveRoundNumbersAndLogarithmsDecades) {
  const std::string linear =
      make_svg("a < b", {{.title = "y", .curves = {{.x = {0, 1, 2}, .y = {0, 3, 10}}}}});
  EXPECT_NE(linear.find("a &lt; b"), std::string::npos);
  for (const char* label : {">0<", ">5<", ">10<", ">0.5<", ">1.5<", ">2<"}) {
    EXPECT_EQ(count(linear, label) > 0, true) << label;
  }
  const std::string log = make_svg(
      "", {{.title = "h", .log_y = true, .curves = {{.x = {0, 1, 2}, .y = {1e-5, 0, 1e-2}}}}});
  EXPECT_EQ(count(log, ">1e-5<"), 1);
  EXPECT_EQ(count(log, ">1e-2<") + count(log, ">1e-3<") + count(log, ">1e-4<") > 1, true);
  // Zero has no logarithm: the line has a gap there, two pieces.
  EXPECT_EQ(count(log.substr(log.find("fill='none'") - 200), "M7") > 0, true);
  EXPECT_EQ(log.find("nan"), std::string::npos);
  EXPECT_EQ(log.find("inf"), std::string::npos);
}

TEST(Chart, EmptyAndFlatPanelsAreDrawn) {
  const std::string svg =
      make_svg("", {{.title = "nothing", .curves = {}},
                    {.title = "flat", .curves = {{.x = {1, 2}, .y = {4, 4}}}},
                    {.title = "bad", .log_y = true, .curves = {{.x = {1, 2}, .y = {NAN, -1}}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(count(svg, "<svg"), 1);
  EXPECT_EQ(count(svg, "</svg>"), 1);
}

TEST(Chart, ManyPointsBecomeFewAndKeepTheirExtremes) {
  Curve curve;
  for (int i = 0; i < 200000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i == 77777 ? 100 : std::sin(i));
  }
  const std::string svg = make_svg("", {{.title = "y", .curves = {curve}}});
  EXPECT_LT(svg.size(), 100000u);
  // The one outlier is the highest point of the panel: 6 % below its top.
  const double top = 44 + 24, height = 120, range = 101 * 1.12;
  const std::string pixel = std::to_string(top + height * (0.06 * 101) / range);
  EXPECT_NE(svg.find(" " + pixel.substr(0, 4)), std::string::npos) << pixel;
}

Recording make_run(double offset, double fps) {
  Recording run;
  run.path = "run.h5";
  run.scene.coordinates = {"slide"};
  run.scene.velocities = {"slide"};
  run.scene.coordinate_width = {1};
  run.scene.bodies = {"cart"};
  for (int i = 0; i <= fps; ++i) {
    const double t = i / fps;
    Frame frame;
    frame.t = t;
    frame.q = {std::sin(t) + offset * t};
    frame.v = {std::cos(t) + offset};
    frame.energy = 5 + offset;
    run.frames.push_back(frame);
    if (i > 0) run.steps.push_back({t, 1 / fps, 1e-4, i % 10 == 3 ? 1 : 0, 0, -1, 0.5 * t});
  }
  return run;
}

TEST(CompareRuns, FindsTheDifferenceAtOtherFrameRates) {
  const RunDifference same = compare_runs(make_run(0, 60), make_run(0, 60));
  EXPECT_EQ(same.largest, 0);
  EXPECT_EQ(same.num_times, 61);
  const RunDifference other = compare_runs(make_run(0, 60), make_run(0, 47));
  EXPECT_LT(other.largest, 1e-7);  // of the interpolation
  const RunDifference apart = compare_runs(make_run(0, 60), make_run(0.01, 47));
  EXPECT_NEAR(apart.largest, 0.01, 1e-6);
  EXPECT_EQ(apart.coordinate, "slide");
  EXPECT_NEAR(apart.time, 1, 1e-12);
  EXPECT_NEAR(apart.energy, 0.01, 1e-9);
  Recording foreign = make_run(0, 60);
  foreign.scene.coordinates = {"turn"};
  EXPECT_THROW(compare_runs(make_run(0, 60), foreign), Error);
}

TEST(RunPanels, MarkRejectedStepsAndRefuseUnknownNames) {
  const std::vector<Recording> runs{make_run(0, 60)};
  const std::vector<Panel> panels = make_run_panels(runs, {.body = "cart", .columns = {"q:slide"}});
  ASSERT_EQ(panels.size(), 6u);
  EXPECT_TRUE(panels[0].log_y);
  EXPECT_EQ(panels[0].curves.back().x.size(), 6u);  // rejected
  EXPECT_EQ(panels[5].curves[0].y, [&] {
    std::vector<double> q;
    for (const Frame& frame : runs[0].frames) {
      q.push_back(frame.q[0]);
    }
    return q;
  }());
  for (const double rate : panels[3].curves[0].y) {
    EXPECT_NEAR(rate, 2, 1e-9);
  }
  EXPECT_THROW(make_run_panels(runs, {.body = "horse", .columns = {}}), Error);
  EXPECT_THROW(make_run_panels(runs, {.body = "", .columns = {"q:horse"}}), Error);
  EXPECT_THROW(make_run_panels(runs, {.body = "", .columns = {"energy"}}), Error);
}

}  // namespace
}  // namespace cenic
