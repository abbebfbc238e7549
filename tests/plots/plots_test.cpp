// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "core/error.h"
#include "plots/column_names.h"
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

// Of an axis with one number on it no scale can be read. Numbers on the vertical axis end left of
// it, at 70.
TEST(Chart, AxesHaveThreeNumbersAtLeast) {
  for (int i = 0; i < 16; ++i) {
    for (int k = 0; k < 100; ++k) {
      const double low = -3 + 0.37 * i, size = 0.01 * std::pow(1.13, k);
      const Curve curve{.x = {0, 1}, .y = {low, low + size}};
      const int labels = count(make_svg("", {{.title = "y", .curves = {curve}}}), "<text x='70'");
      EXPECT_GE(labels, 3) << low << " " << size;
      EXPECT_LE(labels, 8) << low << " " << size;
    }
  }
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

TEST(Chart, TicksOfNearlyConstantValuesDiffer) {
  const std::string svg =
      make_svg("", {{.title = "energy", .curves = {{.x = {0, 1}, .y = {1.234567, 1.234571}}}}});
  EXPECT_EQ(count(svg, ">1.23457<"), 1);
  EXPECT_EQ(count(svg, ">1.234568<"), 1);
}

// Left of the axis is room for nine characters.
TEST(Chart, LongLabelsBecomeDifferences) {
  const Curve curve{.x = {0, 1}, .y = {981.0000001, 981.000002}};
  const std::string svg = make_svg("", {{.title = "energy", .curves = {curve}}});
  EXPECT_NE(svg.find(">energy, from 981 on<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">+1e-06<"), std::string::npos) << svg;
}

TEST(Chart, AnyNumbersHaveAnAxis) {
  for (const double x : {1e-300, 5.0, 1e17, 1e300, 1.7e308}) {
    for (const double y : {x, -x, x * (1 + 1e-15), 0.0}) {
      const Curve curve{.x = {x, x}, .y = {x, y}}, along{.x = {x, y}, .y = {x, y}};
      const std::string svg = make_svg("", {{.title = "y", .curves = {curve, along}}});
      EXPECT_GE(count(svg, "<text x='70'"), 1) << x << " " << y;
      EXPECT_EQ(svg.find("inf"), std::string::npos) << x << " " << y;
    }
  }
}

TEST(Chart, OnePointIsAPointAndZeroHasARange) {
  const std::string svg = make_svg("", {{.title = "y", .curves = {{.x = {0}, .y = {0}}}}});
  EXPECT_NE(svg.find("<circle"), std::string::npos);
  EXPECT_NE(svg.find(">0.5<"), std::string::npos) << svg;
}

TEST(Chart, LongLinesBelowTheTitleAreBroken) {
  const std::string words = "a reason with < and many words in it, ";
  const std::string svg = make_svg("title", {}, {words + words + words + words});
  EXPECT_EQ(count(svg, "<text"), 3);
  EXPECT_EQ(count(svg, "a reason with &lt; and"), 4);
  EXPECT_NE(svg.find(" 76'"), std::string::npos);  // higher by two lines
}

// What a chart says where: the ends of a text by its anchor, as wide as DejaVu Sans is on average.
struct Text {
  double left, right, y;
  std::string text;
};

std::vector<Text> list_texts(const std::string& svg) {
  static const std::regex pattern("<text x='(\\d+)' y='([0-9.]+)'([^>]*)>([^<]*)</text>");
  std::vector<Text> texts;
  for (std::sregex_iterator i(svg.begin(), svg.end(), pattern), end; i != end; ++i) {
    const double x = std::stod((*i)[1]), y = std::stod((*i)[2]);
    const std::string style = (*i)[3], text = (*i)[4];
    const bool heading = style.find("font-weight") != std::string::npos;
    const auto characters = std::ranges::count_if(text, [](char c) {
      return (c & 0xC0) != 0x80;
    });
    const double width = static_cast<double>(characters) * (heading ? 9.5 : 6.8);
    const bool end_there = style.find("'end'") != std::string::npos;
    texts.push_back({end_there ? x - width : x, end_there ? x : x + width, y, text});
  }
  return texts;
}

TEST(Chart, LongNamesHaveRoom) {
  const auto draw = [](std::size_t length) {
    const std::string name(length, 'a');
    const Curve curve{.name = name + "1", .x = {0, 1}, .y = {0, 1}};
    Curve other = curve;
    other.name = name + "2";
    return make_svg(name + "1.h5 and " + name + "2.h5",
                    {{.title = "estimated error of a step", .curves = {curve, other}}},
                    {name + "1: a scene"});
  };
  for (const std::size_t length : {1, 10, 20, 30, 50, 80, 120, 250}) {
    const std::vector<Text> texts = list_texts(draw(length));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (texts[i].text.size() < 4) continue;
      EXPECT_GE(texts[i].left, 0) << texts[i].text;
      EXPECT_LE(texts[i].right, 760) << texts[i].text;
      for (std::size_t j = 0; j < i; ++j) {
        if (texts[j].y != texts[i].y || texts[j].text.size() < 4) continue;
        EXPECT_TRUE(texts[j].right < texts[i].left || texts[i].right < texts[j].left)
            << texts[i].text << " and " << texts[j].text;
      }
    }
  }
  // Short ones stand right of the title, in its line; long ones lose their middle.
  EXPECT_NE(draw(3).find("height='244'"), std::string::npos) << draw(3);
  EXPECT_NE(draw(250).find("aaa…aaa"), std::string::npos);
  EXPECT_EQ(count(draw(250), "aaa1</text>"), 1);
}

TEST(Chart, WhatIsCutIsCutBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 200; ++i) {
    name += "ä";
  }
  const std::string svg = make_svg(name, {});
  const std::size_t at = svg.find("…");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(svg.substr(at - 2, 2), "ä");
  EXPECT_EQ(svg.substr(at + 3, 2), "ä");
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
  EXPECT_EQ(same.q.value, 0);
  EXPECT_EQ(same.q.name, "");
  EXPECT_EQ(same.num_times, 61);
  EXPECT_FALSE(same.between_frames);
  // Both have frames at 0 and 1 s, and are compared at all of the one with fewer.
  const RunDifference other = compare_runs(make_run(0, 60), make_run(0, 47));
  EXPECT_TRUE(other.between_frames);
  EXPECT_EQ(other.num_times, 48);
  EXPECT_EQ(compare_runs(make_run(0, 47), make_run(0, 60)).q.value, other.q.value);
  EXPECT_GT(other.q.value, 0);
  EXPECT_LT(other.q.value, 1e-8);  // of the interpolation
  const RunDifference shifted = compare_runs(make_run(0, 60), make_run(0, 47.3));
  EXPECT_TRUE(shifted.between_frames);
  EXPECT_EQ(shifted.num_times, 48);
  EXPECT_GT(shifted.q.value, 0);
  EXPECT_LT(shifted.q.value, 1e-8);  // of the interpolation
  EXPECT_LT(shifted.v.value, 1e-5);
  const RunDifference apart = compare_runs(make_run(0, 60), make_run(0.01, 47));
  EXPECT_NEAR(apart.q.value, 0.01, 1e-6);
  EXPECT_EQ(apart.q.name, "slide");
  EXPECT_NEAR(apart.q.time, 1, 1e-12);
  EXPECT_NEAR(apart.v.value, 0.01, 1e-6);
  EXPECT_EQ(apart.v.name, "slide");
  EXPECT_NEAR(apart.energy, 0.01, 1e-9);
  Recording foreign = make_run(0, 60);
  foreign.frames[7].q[0] = NAN;
  EXPECT_TRUE(std::isnan(compare_runs(make_run(0, 60), foreign).q.value));
  EXPECT_NEAR(compare_runs(make_run(0, 60), foreign).q.time, 7 / 60.0, 1e-12);
  foreign.scene.coordinates = {"turn"};
  EXPECT_THROW(compare_runs(make_run(0, 60), foreign), Error);
}

// The pieces of a run from `start` to `end`, where it has frames off its grid.
Recording cut(Recording run, double start, double end) {
  std::erase_if(run.frames, [&](const Frame& frame) {
    return frame.t < start || frame.t > end;
  });
  for (const double t : {start, end}) {
    const Frame frame = interpolate_frame(make_run(0, 1000), t);
    const auto at = std::ranges::lower_bound(run.frames, t - kTimeSlack, {}, &Frame::t);
    if (at == run.frames.end() || at->t > t + kTimeSlack) run.frames.insert(at, frame);
  }
  return run;
}

TEST(CompareRuns, FramesOffTheGridAreLeftOut) {
  const Recording slow = make_run(0, 60), fast = make_run(0, 120);
  for (const auto& [a, b] : {std::pair{&slow, &fast}, std::pair{&fast, &slow}}) {
    const RunDifference whole = compare_runs(*a, *b);
    EXPECT_FALSE(whole.between_frames);
    EXPECT_EQ(whole.num_times, 61);
    const RunDifference ended = compare_runs(cut(*a, 0, 0.917), *b);
    EXPECT_FALSE(ended.between_frames);
    EXPECT_EQ(ended.num_times, 56);
    const RunDifference piece = compare_runs(*a, cut(*b, 0.101, 0.917));
    EXPECT_FALSE(piece.between_frames);
    EXPECT_EQ(piece.num_times, 49);
    EXPECT_EQ(piece.q.value, 0);
  }
}

TEST(CompareRuns, PiecesMeetAtOneTime) {
  const Recording run = make_run(0, 60);
  const RunDifference met = compare_runs(cut(run, 0, 0.5), cut(run, 0.5, 1));
  EXPECT_FALSE(met.between_frames);
  EXPECT_EQ(met.num_times, 1);
  EXPECT_EQ(met.start, 0.5);
  const RunDifference apart = compare_runs(cut(run, 0, 0.4), cut(run, 0.5, 1));
  EXPECT_FALSE(apart.between_frames);
  EXPECT_EQ(apart.num_times, 0);
}

TEST(CompareRuns, ARunBetweenTwoFramesOfTheOther) {
  const Recording run = make_run(0, 60), coarse = make_run(0.01, 1);
  const Recording piece = cut(run, 0.3, 0.7);
  for (const RunDifference& d : {compare_runs(piece, coarse), compare_runs(coarse, piece)}) {
    EXPECT_TRUE(d.between_frames);
    EXPECT_EQ(d.num_times, 25);
    EXPECT_NEAR(d.start, 0.3, 1e-12);
    EXPECT_NEAR(d.end, 0.7, 1e-12);
    EXPECT_NEAR(d.q.value, 0.007, 2e-3);  // and what a cubic over a second misses
  }
}

// A box that turned and moved: coordinates of a free joint.
Recording make_free_run(double angle, double shift) {
  Recording run;
  run.scene.coordinates = {"box[0]", "box[1]", "box[2]", "box[3]", "box[4]", "box[5]", "box[6]"};
  run.scene.velocities = {"box[0]", "box[1]", "box[2]", "box[3]", "box[4]", "box[5]"};
  run.scene.coordinate_width = {4, 0, 0, 0, 1, 1, 1};
  run.scene.coordinate_units = {"", "", "", "", "m", "m", "m"};
  run.scene.velocity_units = {"rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s"};
  Frame frame;
  frame.q = {std::cos(angle / 2), 0, std::sin(angle / 2), 0, 0, shift, 0};
  frame.v = {0, 0, angle, 0, 0, shift};
  run.frames = {frame};
  return run;
}

TEST(CompareRuns, RotationsAreAnglesAndUnitsKnownWhereTheyCanBe) {
  const Recording still = make_free_run(0, 0);
  const RunDifference turned = compare_runs(still, make_free_run(2.5, 1));
  EXPECT_NEAR(turned.q.value, 2.5, 1e-12);
  EXPECT_EQ(turned.q.name, "box rotation");
  EXPECT_EQ(turned.q.unit, "rad");
  EXPECT_EQ(turned.v.name, "box[2]");
  EXPECT_EQ(turned.v.unit, "rad/s");
  EXPECT_NEAR(compare_runs(still, make_free_run(4, 1)).q.value, 2 * M_PI - 4, 1e-12);
  const RunDifference moved = compare_runs(still, make_free_run(0.1, 1));
  EXPECT_EQ(moved.q.name, "box[5]");
  EXPECT_EQ(moved.q.unit, "m");
  EXPECT_EQ(moved.v.unit, "m/s");
  EXPECT_EQ(compare_runs(make_run(0, 60), make_run(1, 60)).q.unit, "m or rad");
}

TEST(RunPanels, ErrorsOfRoundOffLieOnTheEdgeBelowTheAccuracy) {
  std::vector<Recording> runs{make_run(0, 60), make_run(0, 60)};
  for (Recording& run : runs) {
    run.info.accuracy = 1e-3;
    run.steps[5].error = 1e-16;
    run.steps[6].error = 0;
  }
  const Panel same = make_run_panels(runs, {})[1];
  ASSERT_EQ(same.curves.size(), 3u);
  EXPECT_NEAR(same.curves[0].y[5], 1e-9, 1e-20);
  EXPECT_EQ(same.curves[0].y[6], same.curves[0].y[5]);
  EXPECT_EQ(same.curves[0].y[4], 1e-4);
  EXPECT_EQ(same.curves[2].name, "accuracy 0.001");
  EXPECT_EQ(same.curves[2].y, (std::vector{1e-3, 1e-3}));
  EXPECT_EQ(same.curves[2].x, (std::vector{0.0, 1.0}));
  EXPECT_NE(make_svg("", {same}).find("stroke-dasharray"), std::string::npos);
  // A run with a fixed step has no error, and no accuracy.
  runs[1].info.accuracy = 0;
  runs[1].info.fixed_step = 0.01;
  const Panel mixed = make_run_panels(runs, {})[1];
  ASSERT_EQ(mixed.curves.size(), 3u);
  EXPECT_TRUE(mixed.curves[1].y.empty());
  EXPECT_EQ(mixed.curves[0].name, "run.h5");
  EXPECT_EQ(mixed.curves[1].name, "");
  EXPECT_EQ(mixed.curves[2].color, mixed.curves[0].color);
}

TEST(RunPanels, NamesTellRunsApart) {
  const auto name = [](std::vector<const char*> paths) {
    std::vector<Recording> runs(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      runs[i].path = paths[i];
    }
    return name_runs(runs);
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(name({"/tmp/a.h5", "/tmp/b.h5"}), (Names{"a.h5", "b.h5"}));
  EXPECT_EQ(name({"x/A/run.h5", "x/B/run.h5"}), (Names{"A/run.h5", "B/run.h5"}));
  EXPECT_EQ(name({"A/x/run.h5", "B/x/run.h5"}), (Names{"A/x/run.h5", "B/x/run.h5"}));
  EXPECT_EQ(name({"./run.h5", "B/run.h5"}), (Names{"run.h5", "B/run.h5"}));
  EXPECT_EQ(name({"/run.h5", "run.h5"}), (Names{"/run.h5", "run.h5"}));
  EXPECT_EQ(name({"x/run.h5", "./x/run.h5"}), (Names{"run.h5", "run.h5"}));  // the same
}

TEST(RunPanels, MarksHaveTheColoursOfTheirRuns) {
  const std::vector<Recording> runs{make_run(0, 60), make_run(0, 30)};
  const Panel steps = make_run_panels(runs, {})[0];
  ASSERT_EQ(steps.curves.size(), 5u);  // two runs, a line of the legend, two kinds of marks
  EXPECT_TRUE(steps.curves[2].x.empty());
  for (const int i : {0, 1}) {
    EXPECT_TRUE(steps.curves[3 + i].points);
    EXPECT_EQ(steps.curves[3 + i].color, steps.curves[i].color);
  }
  EXPECT_EQ(steps.curves[4].x.size(), 3u);
}

TEST(RunPanels, NamesMeanAllTheyHave) {
  Recording run = make_free_run(0, 0);
  run.scene.states = {"pid.integral"};
  run.scene.outputs = {"path.reference[0]", "path.reference[1]", "path.speed"};
  run.frames[0].z = {0};
  run.frames[0].outputs = {0, 1, 2};
  const auto list = [&](const std::string& column) {
    std::vector<std::string> titles;
    for (const Panel& panel : make_run_panels({&run, 1}, {.body = "", .columns = {column}})) {
      titles.push_back(panel.title);
    }
    titles.erase(titles.begin(), titles.begin() + 4);  // of every run
    return titles;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(list("q:box").size(), 7u);
  EXPECT_EQ(list("v:box[5]"), Names{"v:box[5], m/s"});
  EXPECT_EQ(list("z:pid"), Names{"z:pid.integral"});
  EXPECT_EQ(list("z:pid.integral[0]"), Names{"z:pid.integral"});
  EXPECT_EQ(list("y:path.reference"), (Names{"y:path.reference[0]", "y:path.reference[1]"}));
  EXPECT_EQ(list("y:path").size(), 3u);
  for (const char* unknown : {"q:bo", "q:box[7]", "y:path.ref", "q:", "q", "x:box"}) {
    EXPECT_THROW(list(unknown), Error) << unknown;
  }
}

// A body's joint by the body's name, as in tables.
TEST(RunPanels, BodiesMeanTheirJoints) {
  Recording run = make_free_run(0, 0);
  for (auto* names : {&run.scene.coordinates, &run.scene.velocities}) {
    for (std::string& name : *names) {
      name.replace(0, 3, "floating");
    }
  }
  const auto count_panels = [&](const std::string& column) {
    return make_run_panels({&run, 1}, {.body = "", .columns = {column}}).size() - 4;
  };
  EXPECT_THROW(count_panels("q:box"), Error);  // an older recording: whose joint is not known
  run.scene.bodies = {"ball", "box"};
  run.scene.coordinate_bodies.assign(7, 1);
  run.scene.velocity_bodies.assign(6, 1);
  EXPECT_EQ(count_panels("q:box"), 7u);
  EXPECT_EQ(count_panels("v:box[5]"), 1u);
  EXPECT_EQ(count_panels("q:floating[6]"), 1u);
  EXPECT_THROW(count_panels("q:ball"), Error);
  EXPECT_THROW(count_panels("q:box[7]"), Error);
}

TEST(ColumnNames, WhatIsNotThereIsNamedAndWhatIs) {
  const std::vector<std::string> names{"slide", "box[0]", "box[1]", "box[2]"}, aliases{"cart"};
  EXPECT_EQ(describe_unknown_name("coordinate", "horse", names),
            "there is no coordinate 'horse'; there are slide, box");
  EXPECT_EQ(describe_unknown_name("coordinate", "box[3]", names),
            "there is no coordinate 'box[3]'; 'box' has 3, [0] to [2]");
  EXPECT_EQ(describe_unknown_name("coordinate", "slide[1]", names),
            "there is no coordinate 'slide[1]'; 'slide' has one, [0]");
  EXPECT_EQ(describe_unknown_name("coordinate", "cart[1]", names, aliases),
            "there is no coordinate 'cart[1]'; 'cart' has one, [0]");
  EXPECT_EQ(describe_unknown_name("state", "pid", {}), "there is no state 'pid'; there are none");
  std::vector<std::string> many(20);
  for (std::size_t i = 0; i < many.size(); ++i) {
    many[i] = "b" + std::to_string(i);
  }
  EXPECT_EQ(describe_unknown_name("body", "b", many),
            "there is no body 'b'; there are b0, b1, b2, b3, b4, b5, b6, b7, …");
  many.resize(8);
  EXPECT_EQ(describe_unknown_name("body", "b", many),
            "there is no body 'b'; there are b0, b1, b2, b3, b4, b5, b6, b7");
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
