// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What MuJoCo says of a model: sizes, names, mass, and forces at random states. Of the library that
// the tests are linked with, or of a newer Python package by mujoco_reference.py.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>
#include <mujoco/mujoco.h>
#include <nlohmann/json.hpp>

#include "loaders/mjcf_text.h"
#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"

namespace cenic::test {

struct MujocoSample {
  std::vector<double> qpos{}, qvel{}, ctrl{}, act{};
  std::vector<double> M{}, bias{};         // nv × nv, nv
  std::vector<double> force{}, act_dot{};  // of actuators, tendons and the medium
};

struct MujocoReference {
  int nq = 0, nv = 0;
  double mass = 0;
  std::vector<std::string> joints{}, bodies{}, geoms{};  // names, empty where there is none
  std::vector<int> qposadr{}, dofadr{};                  // of each joint
  // Of each actuator: the states of its system in the order of `act`, and its number of controls.
  std::vector<std::vector<std::string>> states{};
  std::vector<int> ctrlnum{};
  bool ellipsoids = false;  // the medium acts on geoms
  bool soft = false;        // there are soft bodies
  bool meshes = false;
  int num_samples = 0;
  std::function<MujocoSample(int)>
      sample{};  // one at a time: mass matrices of large models are large
};

// Random positions, velocities, controls and activations.
inline void set_random_state(const mjModel& m, Random* random, mjData* d) {
  for (int j = 0; j < m.njnt; ++j) {
    double* q = d->qpos + m.jnt_qposadr[j];
    if (m.jnt_type[j] == mjJNT_HINGE || m.jnt_type[j] == mjJNT_SLIDE) {
      q[0] = random->uniform(-1, 1);
      continue;
    }
    if (m.jnt_type[j] == mjJNT_FREE) {
      for (int i = 0; i < 3; ++i) {
        *q++ = random->uniform(-1, 1);
      }
    }
    const Quat e = random->quaternion();
    q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
  }
  std::ranges::copy(random->array(m.nv, 2), d->qvel);
  for (int i = 0; i < m.nu; ++i) {
    const bool limited = m.actuator_ctrllimited[i] != 0;
    d->ctrl[i] = random->uniform(limited ? m.actuator_ctrlrange[2 * i] : -1,
                                 limited ? m.actuator_ctrlrange[2 * i + 1] : 1);
  }
  std::ranges::copy(random->array(m.na), d->act);
}

inline MujocoSample make_sample(const mjModel* m, Random* random, mjData* d) {
  set_random_state(*m, random, d);
  // Without contacts.
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_tendon(m, d);
  mj_transmission(m, d);
  mj_crb(m, d);
  mj_fwdVelocity(m, d);
  mj_fwdActuation(m, d);
  const auto copy = [](const double* from, int n) {
    return std::vector<double>(from, from + n);
  };
  MujocoSample s{.qpos = copy(d->qpos, m->nq),
                 .qvel = copy(d->qvel, m->nv),
                 .ctrl = copy(d->ctrl, m->nu),
                 .act = copy(d->act, m->na),
                 .bias = copy(d->qfrc_bias, m->nv),
                 .force = copy(d->qfrc_actuator, m->nv),
                 .act_dot = copy(d->act_dot, m->na)};
  for (int i = 0; i < m->nv; ++i) {
    s.force[i] += d->qfrc_passive[i];
  }
  s.M.resize(static_cast<std::size_t>(m->nv) * m->nv);
  mj_fullM(m, s.M.data(), d->qM);
  return s;
}

// Changes the model: joints lose their springs and dampers. It must live as long as the reference.
inline MujocoReference make_reference(mjModel* m, int num_samples) {
  MujocoReference r{
      .nq = m->nq, .nv = m->nv, .mass = m->body_subtreemass[0], .num_samples = num_samples};
  for (int j = 0; j < m->njnt; ++j) {
    r.joints.emplace_back(m->names + m->name_jntadr[j]);
  }
  for (int b = 1; b < m->nbody; ++b) {
    r.bodies.emplace_back(m->names + m->name_bodyadr[b]);
  }
  for (int g = 0; g < m->ngeom; ++g) {
    if (m->geom_type[g] != mjGEOM_HFIELD) r.geoms.emplace_back(m->names + m->name_geomadr[g]);
  }
  r.qposadr.assign(m->jnt_qposadr, m->jnt_qposadr + m->njnt);
  r.dofadr.assign(m->jnt_dofadr, m->jnt_dofadr + m->njnt);
  for (int i = 0; i < m->nu; ++i) {
    const bool active = m->actuator_dyntype[i] != mjDYN_NONE;
    r.states.push_back(active ? std::vector<std::string>{"activation"}
                              : std::vector<std::string>{});
    r.ctrlnum.push_back(1);
  }
  r.ellipsoids = std::any_of(m->geom_fluid, m->geom_fluid + m->ngeom * mjNFLUID, [](double x) {
    return x != 0;
  });
  std::fill_n(m->jnt_stiffness, m->njnt, 0.0);
  std::fill_n(m->dof_damping, m->nv, 0.0);
  r.sample = [m, random = Random(7),
              d = std::shared_ptr<mjData>(mj_makeData(m), MujocoDeleter())](int) mutable {
    return make_sample(m, &random, d.get());
  };
  return r;
}

// A Python with the package mujoco: CENIC_MUJOCO_PYTHON, or python3; empty: there is none.
inline const std::string& find_mujoco_python() {
  static const std::string python = [] {
    const char* given = std::getenv("CENIC_MUJOCO_PYTHON");
    std::string candidate = given != nullptr ? given : "python3";
    const std::string command = fmt::format("'{}' '{}/loaders/mujoco_reference.py' >/dev/null 2>&1",
                                            candidate, CENIC_TEST_DATA);
    return std::system(command.c_str()) == 0 ? candidate : std::string();
  }();
  return python;
}

// Of the Python package; nullopt and its last words when it cannot load the model.
inline std::optional<MujocoReference> ask_python(const std::string& path, std::string* problem) {
  const TemporaryFolder folder;
  const std::string out = folder.path("reference.json"), log = folder.path("log");
  const std::string command =
      fmt::format("'{}' '{}/loaders/mujoco_reference.py' '{}' '{}' >'{}' 2>&1",
                  find_mujoco_python(), CENIC_TEST_DATA, path, out, log);
  if (std::system(command.c_str()) != 0) {
    std::ifstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) *problem = line;
    }
    return std::nullopt;
  }
  const nlohmann::json json = nlohmann::json::parse(std::ifstream(out));
  MujocoReference r{.nq = json.at("nq"), .nv = json.at("nv"), .mass = json.at("mass")};
  json.at("joints").get_to(r.joints);
  json.at("bodies").get_to(r.bodies);
  json.at("geoms").get_to(r.geoms);
  json.at("qposadr").get_to(r.qposadr);
  json.at("dofadr").get_to(r.dofadr);
  json.at("states").get_to(r.states);
  json.at("ctrlnum").get_to(r.ctrlnum);
  r.ellipsoids = json.at("ellipsoids");
  r.soft = json.at("soft");
  r.meshes = json.at("meshes");
  r.num_samples = static_cast<int>(json.at("samples").size());
  r.sample = [samples = json.at("samples")](int i) -> MujocoSample {
    const nlohmann::json& s = samples.at(i);
    return {s.at("qpos"), s.at("qvel"), s.at("ctrl"),  s.at("act"),
            s.at("M"),    s.at("bias"), s.at("force"), s.at("act_dot")};
  };
  return r;
}

}  // namespace cenic::test
