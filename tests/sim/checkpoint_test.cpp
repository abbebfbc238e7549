// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A run that was saved and restored goes on bit for bit.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/error.h"
#include "integrators/baselines/baselines.h"
#include "model/contact_model.h"
#include "multibody/random_model.h"
#include "physics/worlds.h"

namespace cenic {
namespace {

struct Case {
  std::string name;
  std::string scene;
  double duration = 1;
  SceneParameters parameters{};
  bool hydroelastic = false;
  std::string integrator = "cenic";
  bool reuse_hessian = false;
  int threads = 1;
  double fixed_step = 0;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

std::shared_ptr<const Model> make_model(const Case& c) {
  if (c.scene == "random") {
    test::Random random(7);
    return compile(test::make_random_tree({}, &random).spec);
  }
  ModelSpec spec = make_scene(c.scene, c.parameters);
  if (c.hydroelastic) set_contact_model(&spec, ContactModel::kHydroelastic);
  return compile(spec);
}

IntegratorOptions make_options(const Case& c) {
  IntegratorOptions options = make_integrator_options(c.integrator);
  options.reuse_hessian = c.reuse_hessian;
  options.threads = c.threads;
  options.fixed_step = c.fixed_step;
  return options;
}

// All numbers of a run that do not depend on the clock.
std::vector<double> collect(const Simulator& sim) {
  const State& x = sim.state();
  const Statistics s = sim.statistics();
  std::vector<double> all{x.t};
  for (const std::vector<double>* part : {&x.q, &x.v, &x.z}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  for (const long n : {s.steps, s.rejected_steps, s.local_steps, s.solves, s.solver_iterations,
                       s.factorizations, s.linesearch_iterations, s.geometry_queries}) {
    all.push_back(static_cast<double>(n));
  }
  for (const auto n : {s.surfaces.queries, s.surfaces.rebuilds, s.surfaces.node_pairs,
                       s.surfaces.candidates, s.surfaces.polygons, s.surfaces.points}) {
    all.push_back(static_cast<double>(n));
  }
  all.insert(all.end(),
             {s.contacts_sum, static_cast<double>(s.contacts_max), s.step_first, s.step_min,
              s.step_max, s.step_sum, s.max_penetration, s.initial_penetration});
  all.insert(all.end(), s.limited_by.begin(), s.limited_by.end());
  all.insert(all.end(), s.limited_by_state.begin(), s.limited_by_state.end());
  return all;
}

// What the last step is said to have done.
std::vector<double> collect_reports(const Simulator& sim) {
  std::vector<double> all;
  for (const ContactReport& c : sim.contacts()) {
    for (const Vec3& x : {c.point.p_WC, c.point.nhat_AB_W, c.force_B_W, c.torque_B_W, c.slip_W}) {
      all.insert(all.end(), {x.x, x.y, x.z});
    }
    all.insert(all.end(), {c.point.phi, c.point.stiffness, 1.0 * c.point.geometry_a,
                           1.0 * c.point.geometry_b, 1.0 * c.point.hydroelastic});
  }
  for (const ConstraintReport& c : sim.constraints()) {
    all.insert(all.end(), {c.F_B_W.v.x, c.F_B_W.v.y, c.F_B_W.v.z, c.force[0], c.error[0]});
  }
  for (const std::vector<double>& forces : {sim.limit_forces(), sim.efforts()}) {
    all.insert(all.end(), forces.begin(), forces.end());
  }
  return all;
}

class CheckpointRun : public testing::TestWithParam<Case> {};

TEST_P(CheckpointRun, GoesOnBitForBitFromAnyStep) {
  const Case& c = GetParam();
  const auto model = make_model(c);
  const IntegratorOptions options = make_options(c);
  Simulator plain(model, options);
  plain.advance_to(c.duration);
  const std::vector<double> expected = collect(plain);
  ASSERT_GT(plain.statistics().steps, 6);

  // The same run with checkpoints at four steps of it, the first included.
  Simulator saving(model, options);
  const long steps = plain.statistics().steps;
  const std::string path = testing::TempDir() + "cenic_" + c.name + ".checkpoint";
  std::vector<Checkpoint> checkpoints;
  std::vector<std::vector<double>> reports;
  for (long i = 0; i < steps; ++i) {
    if (i == 0 || i == steps / 3 || i == steps / 2 + 1 || i == steps - 2) {
      save_checkpoint(path, saving.checkpoint());
      checkpoints.push_back(load_checkpoint(path));
      reports.push_back(collect_reports(saving));
    }
    ASSERT_EQ(saving.step(c.duration).status, StepStatus::kAccepted);
  }
  EXPECT_EQ(collect(saving), expected) << "saving changed the run";

  if (c.name == "hydroelastic_clutter" || c.name.starts_with("stack_")) {
    EXPECT_GT(reports.back().size(), 2 * plain.state().v.size()) << "no contacts to compare";
  }
  for (const Checkpoint& checkpoint : checkpoints) {
    Simulator restored(model, options);
    restored.restore(checkpoint);
    EXPECT_EQ(restored.state().t, checkpoint.t);
    EXPECT_EQ(collect_reports(restored), reports[&checkpoint - checkpoints.data()]);
    restored.advance_to(c.duration);
    EXPECT_EQ(collect(restored), expected) << "from t = " << checkpoint.t;
    // And back in time, in a simulator that has been elsewhere.
    saving.restore(checkpoint);
    saving.advance_to(c.duration);
    EXPECT_EQ(collect(saving), expected) << "back to t = " << checkpoint.t;
  }
  std::filesystem::remove(path);
}

std::vector<Case> list_cases() {
  std::vector<Case> cases{
      {"hydroelastic_clutter", "hard_clutter", 0.7, {{"count", 6}}, true},
      {"random_tree", "random", 2},
      {"paper", "hard_clutter", 0.3, {}, false, "cenic-paper"},
      {"trapezoid", "hard_clutter", 0.3, {{"count", 6}}, false, "cenic-trapezoid"},
      {"reuse_hessian", "hard_clutter", 0.8, {}, false, "cenic", true},
      {"threads", "hard_clutter", 0.6, {}, false, "cenic", false, 2},
      {"fixed_step", "hard_clutter", 0.3, {}, false, "cenic", false, 1, 0.002}};
  for (const std::string method : {"rk3", "implicit-euler", "sdirk2", "ros2"}) {
    cases.push_back({"pendulum_" + method, "double_pendulum", 0.5, {}, false, method});
    cases.push_back({"ball_" + method, "bouncing_ball", 1, {}, false, method});
    cases.push_back({"stack_" + method, "box_stack", 0.03, {}, false, method});
    cases.back().fixed_step = method == "rk3" ? 1e-5 : 1e-3;
    cases.back().duration = method == "rk3" ? 1e-3 : 0.03;
  }
  for (Case& c : cases) {  // names of tests have no hyphens
    std::ranges::replace(c.name, '-', '_');
  }
  for (const SceneInfo& scene : list_scenes()) {
    cases.push_back({scene.name, scene.name, std::min(2.0, scene.duration)});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Scenes, CheckpointRun, testing::ValuesIn(list_cases()),
                         [](const auto& test) {
                           return test.param.name;
                         });

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Checkpoint, OtherModelsOptionsAndMethodsAreRefused) {
  Simulator sim = make_simulator(make_scene("hard_clutter", {{"count", 4}}), 1e-3);
  sim.advance_to(0.1);
  const Checkpoint checkpoint = sim.checkpoint();
  Simulator other = make_simulator(make_scene("hard_clutter", {{"count", 4}}, 2), 1e-3);
  const State before = other.state();
  EXPECT_PRED2(contains, message_of([&] {
                 other.restore(checkpoint);
               }),
               "another model");
  EXPECT_EQ(other.state().q, before.q);
  Simulator tighter = make_simulator(make_scene("hard_clutter", {{"count", 4}}), 1e-4);
  EXPECT_PRED2(contains, message_of([&] {
                 tighter.restore(checkpoint);
               }),
               "accuracy = 0.001, this run has 0.0001");
}

TEST(Checkpoint, CvodeKeepsItsHistoryToItself) {
  if (!has_cvode()) GTEST_SKIP() << "built without SUNDIALS";
  Simulator sim(compile(make_scene("double_pendulum")), make_integrator_options("cvode"));
  EXPECT_PRED2(contains, message_of([&] {
                 sim.checkpoint();
               }),
               "'cvode' knows no checkpoints");
}

TEST(Checkpoint, AnotherGainIsAnotherModel) {
  for (const char* name : {"cart_pole", "pid_pendulum"}) {
    Simulator a = make_simulator(make_scene(name), 1e-3);
    const Checkpoint checkpoint = a.checkpoint();
    const auto scene = std::ranges::find(list_scenes(), name, &SceneInfo::name);
    for (const SceneParameter& p : scene->parameters) {
      Simulator b = make_simulator(make_scene(name, {{p.name, 1.01 * p.value + 1e-3}}), 1e-3);
      EXPECT_NE(message_of([&] {
                  b.restore(checkpoint);
                }),
                "")
          << name << " " << p.name;
    }
  }
}

TEST(Checkpoint, DamagedDataLeaveTheSimulatorAsItWas) {
  Simulator sim = make_simulator(make_scene("hard_clutter", {{"count", 4}}), 1e-3);
  sim.advance_to(0.2);
  Checkpoint damaged = sim.checkpoint();
  Simulator plain = make_simulator(make_scene("hard_clutter", {{"count", 4}}), 1e-3);
  plain.advance_to(0.1);
  plain.advance_to(0.3);
  Simulator tried = make_simulator(make_scene("hard_clutter", {{"count", 4}}), 1e-3);
  tried.advance_to(0.1);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{9}, damaged.data.size() / 2, damaged.data.size() - 1}) {
    Checkpoint cut = damaged;
    cut.data.resize(size);
    EXPECT_THROW(tried.restore(cut), Error);
  }
  tried.advance_to(0.3);
  EXPECT_EQ(collect(tried), collect(plain));
}

TEST(CheckpointFile, EveryCutAndEveryFlippedBitIsSeen) {
  const std::string path = testing::TempDir() + "cenic_flip.checkpoint";
  Simulator sim = make_simulator(make_scene("double_pendulum"), 1e-3);
  sim.advance_to(0.1);
  save_checkpoint(path, sim.checkpoint());
  std::ifstream in(path, std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(in), {}};
  const auto try_bytes = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    return message_of([&] {
      load_checkpoint(path);
    });
  };
  EXPECT_EQ(try_bytes(good), "");
  for (std::size_t i = 0; i < good.size(); i += 13) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    EXPECT_PRED2(contains, try_bytes(bad), path + ": error: ") << i;
    EXPECT_PRED2(contains, try_bytes(good.substr(0, i)), path + ": error: ") << i;
  }
  EXPECT_PRED2(contains, try_bytes("<mujoco/>"), "no checkpoint");
  std::filesystem::remove(path);
  EXPECT_PRED2(contains, message_of([&] {
                 load_checkpoint(path);
               }),
               "cannot open");
  EXPECT_PRED2(contains, message_of([&] {
                 save_checkpoint("/nowhere/x", sim.checkpoint());
               }),
               "cannot write");
}

TEST(CheckpointFile, LeavesAloneWhatIsNoPlainFileAndFollowsLinks) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "cenic_checkpoint_places";
  fs::remove_all(folder);
  fs::create_directory(folder);
  Simulator sim = make_simulator(make_scene("double_pendulum"), 1e-3);
  const std::string pipe = folder / "pipe", file = folder / "file", link = folder / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {pipe, folder.string()}) {
    for (const bool is_check : {true, false}) {
      const std::string message = message_of([&] {
        if (is_check) {
          check_checkpoint_path(path);
        } else {
          save_checkpoint(path, sim.checkpoint());
        }
      });
      EXPECT_PRED2(contains, message, path + ": error: cannot write the checkpoint") << is_check;
    }
  }
  EXPECT_TRUE(fs::is_fifo(pipe));
  fs::create_symlink(file, link);
  std::ofstream(file) << "of another";
  check_checkpoint_path(link);
  EXPECT_EQ(fs::file_size(file), 10u);
  save_checkpoint(link, sim.checkpoint());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(load_checkpoint(file).t, 0);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 3);  // nothing partial
  fs::remove_all(folder);
}

}  // namespace
}  // namespace cenic
