// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// External systems: how compile() binds and orders them, and what it says of bad ones.
#include <memory>

#include <gtest/gtest.h>

#include "model/external_system.h"
#include "model/mistakes.h"
#include "model/model.h"

namespace cenic {
namespace {

// As many inputs and outputs as asked for; drives a joint or reads a body when named.
struct Block : ExternalSystem {
  int inputs = 0, outputs = 0, size = 1;
  bool passes = true;
  std::string joint{}, body{};
  double limit = std::numeric_limits<double>::infinity();
  std::vector<double> states{};

  void declare(Ports* ports) const override {
    for (int i = 0; i < inputs; ++i) {
      ports->add_input("u" + std::to_string(i), size);
    }
    for (int i = 0; i < outputs; ++i) {
      ports->add_output("y" + std::to_string(i), size);
    }
    ports->feedthrough = passes;
    if (!joint.empty()) ports->drive_joint(joint, limit);
    if (!body.empty()) ports->push_body(body);
    for (const double z : states) {
      ports->add_state("z", z);
    }
  }
  void evaluate(const SystemInput&, SystemOutput*) const override {}
};

SystemSpec make_block(const std::string& name, int inputs, int outputs, bool passes = true) {
  auto block = std::make_shared<Block>();
  block->inputs = inputs;
  block->outputs = outputs;
  block->passes = passes;
  return {.name = name, .system = block};
}

SystemSpec make_driver(const std::string& name, const std::string& joint,
                       double limit = std::numeric_limits<double>::infinity()) {
  auto block = std::make_shared<Block>();
  block->joint = joint;
  block->limit = limit;
  return {.name = name, .system = block};
}

// A two-link arm, a free box; source → filter → control, control reads the filter.
ModelSpec make_good_spec() {
  ModelSpec spec;
  const InertiaSpec inertia{1, {}, Mat3::identity()};
  spec.bodies = {
      {.name = "upper", .joints = {{.name = "shoulder"}}, .inertia = inertia},
      {.name = "lower", .parent = "upper", .joints = {{.name = "elbow"}}, .inertia = inertia},
      {.name = "box", .joints = {{.name = "float", .kind = JointKind::kFree}}, .inertia = inertia}};
  // Listed against the flow of the signals.
  auto control = std::make_shared<Block>();
  control->inputs = 2;
  control->joint = "elbow";
  spec.systems = {{.name = "control", .system = control},
                  make_block("gain", 1, 1),
                  make_block("filter", 1, 1, false),
                  make_block("source", 0, 1)};
  spec.wires = {{"source", "filter"},
                {"filter.y0", "gain.u0"},
                {"gain", "control.u0"},
                {"source.y0", "control.u1"}};
  return spec;
}

int position_of(const Model& model, const std::string& name) { return model.find_system(name); }

TEST(Systems, SignalsAreKnownWhenTheyAreRead) {
  const auto model = compile(make_good_spec());
  EXPECT_LT(position_of(*model, "filter"), position_of(*model, "gain"));
  EXPECT_LT(position_of(*model, "gain"), position_of(*model, "control"));
  EXPECT_LT(position_of(*model, "source"), position_of(*model, "control"));
  EXPECT_EQ(model->ny, 3);
  ASSERT_EQ(model->system_groups.size(), 1U);
  EXPECT_EQ(model->system_groups[0].systems.size(), 4U);
}

TEST(Systems, DependOnWhatMovesTheirBodies) {
  ModelSpec spec = make_good_spec();
  auto pull = std::make_shared<Block>();
  pull->body = "lower";
  spec.systems.push_back({.name = "pull", .system = pull});
  spec.systems.push_back(make_driver("motor", "elbow", 5));
  const auto model = compile(spec);
  const System& s = model->systems[model->find_system("pull")];
  EXPECT_EQ(s.dofs.size(), 2U);  // elbow and shoulder, not the box
  EXPECT_EQ(model->system_groups[s.group].driven.size(), 2U);
  ASSERT_EQ(model->limited_efforts.size(), 1U);
  EXPECT_EQ(model->limited_efforts[0].limit, 5);
}

TEST(Systems, SampledOnesHoldTheirOutputs) {
  ModelSpec spec = make_good_spec();
  spec.systems[1].period = 0.1;  // gain
  const auto model = compile(spec);
  const System& s = model->systems[model->find_system("gain")];
  EXPECT_EQ(s.group, -1);
  EXPECT_EQ(s.nz, 2);  // its output and the number of samples
  EXPECT_EQ(model->nz, 2);
  EXPECT_EQ(make_initial_state(*model).z.size(), 2U);
  EXPECT_EQ(model->system_groups.size(), 1U);  // source feeds filter and control
}

const Mistake kMistakes[] = {
    {"no name",
     [](ModelSpec& s) {
       s.systems.push_back(make_block("", 0, 0));
     },
     {"has no name"}},
    {"no law",
     [](ModelSpec& s) {
       s.systems.push_back({.name = "x"});
     },
     {"'x'", "no law"}},
    {"same name",
     [](ModelSpec& s) {
       s.systems.push_back(make_block("source", 0, 1));
     },
     {"'source'", "names are unique"}},
    {"bad period",
     [](ModelSpec& s) {
       s.systems[1].period = -1;
     },
     {"'gain'", "period is -1"}},
    {"dot in the name",
     [](ModelSpec& s) {
       s.systems.push_back(make_block("a.b", 0, 1));
     },
     {"'a.b'", "dot"}},
    {"short period",
     [](ModelSpec& s) {
       s.systems[1].period = 1e-300;
     },
     {"'gain'", "1e-300"}},
    {"empty signal",
     [](ModelSpec& s) {
       auto block = std::make_shared<Block>();
       block->outputs = 1;
       block->size = 0;
       s.systems.push_back({.name = "void", .system = block});
     },
     {"'void'", "signal 'y0' has 0 numbers"}},
    {"no such joint",
     [](ModelSpec& s) {
       s.systems.push_back(make_driver("motor", "knee"));
     },
     {"'motor'", "no joint 'knee'"}},
    {"no such body",
     [](ModelSpec& s) {
       auto pull = std::make_shared<Block>();
       pull->body = "head";
       s.systems.push_back({.name = "pull", .system = pull});
     },
     {"'pull'", "no body 'head'"}},
    {"negative limit",
     [](ModelSpec& s) {
       s.systems.push_back(make_driver("motor", "elbow", -2));
     },
     {"'motor'", "effort limit", "-2"}},
    {"bad state",
     [](ModelSpec& s) {
       auto block = std::make_shared<Block>();
       block->states = {std::numeric_limits<double>::quiet_NaN()};
       s.systems.push_back({.name = "memory", .system = block});
     },
     {"'memory'", "state 'z'", "nan"}},
    {"unknown system",
     [](ModelSpec& s) {
       s.wires.push_back({"sauce", "control.u0"});
     },
     {"'sauce'", "no such system"}},
    {"unknown signal",
     [](ModelSpec& s) {
       s.wires[0].to = "filter.u7";
     },
     {"'filter.u7'", "it has: u0"}},
    {"two wires",
     [](ModelSpec& s) {
       s.wires.push_back({"source", "gain"});
     },
     {"'source' to 'gain'", "takes one"}},
    {"no wire",
     [](ModelSpec& s) {
       s.wires.pop_back();
     },
     {"'control'", "input 'u1' has no wire"}},
    {"cycle",
     [](ModelSpec& s) {
       s.systems[2] = make_block("filter", 1, 1, true);
       s.wires[0].from = "gain";
     },
     {"'gain' → 'filter' → 'gain'", "cycle", "filter or a delay"}},
};

class SystemMistakeTest : public testing::TestWithParam<Mistake> {};

TEST_P(SystemMistakeTest, IsNamed) { expect_named(make_good_spec(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Systems, SystemMistakeTest, testing::ValuesIn(kMistakes));

TEST(Systems, SizesOfWiresMustAgree) {
  ModelSpec spec = make_good_spec();
  auto wide = std::make_shared<Block>();
  wide->outputs = 1;
  wide->size = 3;
  spec.systems[3] = {.name = "source", .system = wide};
  EXPECT_NE(message_of(spec).find("the output has 3 numbers and the input 1"), std::string::npos)
      << message_of(spec);
}

}  // namespace
}  // namespace cenic
