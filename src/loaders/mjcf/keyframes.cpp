// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <keyframe>: states in MuJoCo's coordinates, turned into ours. A free joint is position, then
// quaternion there, and its velocity linear, then angular in the axes of the body; a ball's angular
// velocity, too, is in the axes of the body.
#include <algorithm>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"

namespace cenic::detail {
namespace {

int num_coordinates(JointType type) {
  return type == JointType::kFree ? 7 : (type == JointType::kBall ? 4 : 1);
}
int num_speeds(JointType type) {
  return type == JointType::kFree ? 6 : (type == JointType::kBall ? 3 : 1);
}

Quat read_quaternion(const double* q) {
  const Quat e{q[0], q[1], q[2], q[3]};
  return norm(e) > 0 ? normalized(e) : Quat{};
}

void append(const Quat& e, std::vector<double>* list) {
  list->insert(list->end(), {e.w, e.x, e.y, e.z});
}
void append(const Vec3& a, std::vector<double>* list) {
  list->insert(list->end(), {a.x, a.y, a.z});
}

// qpos and qvel of the file, or of the start where they are not given.
struct MujocoState {
  std::vector<double> qpos{}, qvel{};
};

MujocoState make_start(const MjcfWorld& world) {
  MujocoState s;
  for (const MjcfJoint& joint : world.joints) {
    const RigidTransform& X = world.X_WB[joint.body];
    if (joint.data.type == JointType::kFree) append(X.p, &s.qpos);
    if (joint.data.type == JointType::kFree) append(to_quaternion(X.R), &s.qpos);
    if (joint.data.type == JointType::kBall) append(Quat{}, &s.qpos);
    if (num_coordinates(joint.data.type) == 1) s.qpos.push_back(joint.data.ref);
    s.qvel.resize(s.qvel.size() + num_speeds(joint.data.type), 0);
  }
  return s;
}

// Poses of the mocap bodies, position and quaternion each.
struct MocapPoses {
  std::vector<double> mpos{}, mquat{};
};

MocapPoses make_mocap_start(const MjcfWorld& world) {
  MocapPoses poses;
  for (const MjcfMocap& mocap : world.mocaps) {
    append(world.X_WB[mocap.body].p, &poses.mpos);
    append(to_quaternion(world.X_WB[mocap.body].R), &poses.mquat);
  }
  return poses;
}

// quaternion, position: of ours.
std::vector<double> convert_mocap(const MocapPoses& poses, std::size_t i) {
  std::vector<double> pose;
  append(read_quaternion(&poses.mquat[4 * i]), &pose);
  pose.insert(pose.end(), &poses.mpos[3 * i], &poses.mpos[3 * i] + 3);
  return pose;
}

void convert_joint(JointType type, const double* q, const double* v, Keyframe* key) {
  if (type == JointType::kFree) {
    const Quat e = read_quaternion(q + 3);
    append(e, &key->q);
    append(Vec3{q[0], q[1], q[2]}, &key->q);
    append(to_matrix(e) * Vec3{v[3], v[4], v[5]}, &key->v);
    append(Vec3{v[0], v[1], v[2]}, &key->v);
  } else if (type == JointType::kBall) {
    const Quat e = read_quaternion(q);
    append(e, &key->q);
    append(to_matrix(e) * Vec3{v[0], v[1], v[2]}, &key->v);
  } else {
    key->q.push_back(q[0]);
    key->v.push_back(v[0]);
  }
}

// Joint after joint in the order of the bodies, free mocap bodies among them.
void convert(const MjcfWorld& world, const MujocoState& s, const MocapPoses& poses, Keyframe* key) {
  const double* q = s.qpos.data();
  const double* v = s.qvel.data();
  std::size_t mocap = 0;
  const auto add_mocaps_before = [&](int body) {
    for (; mocap < world.mocaps.size() && world.mocaps[mocap].body < body; ++mocap) {
      const std::string& input = world.mocaps[mocap].input;
      if (input.empty()) continue;
      const std::vector<double> pose = convert_mocap(poses, mocap);
      key->q.insert(key->q.end(), pose.begin(), pose.end());
      key->v.resize(key->v.size() + 6, 0);
      key->states.push_back({input, pose});
    }
  };
  for (const MjcfJoint& joint : world.joints) {
    add_mocaps_before(joint.body);
    convert_joint(joint.data.type, q, v, key);
    q += num_coordinates(joint.data.type);
    v += num_speeds(joint.data.type);
  }
  add_mocaps_before(static_cast<int>(world.X_WB.size()));
}

// The numbers given, when they are as many as they should be.
bool read_state(const Attributes& a, const char* name, std::vector<double>* values) {
  constexpr int kMany = 100'000'000;
  if (!a.has(name)) return false;
  const std::vector<double> given = a.numbers(name, 0, kMany);
  if (given.size() != values->size()) {
    a.report(Severity::kIgnored, name,
             fmt::format("{}: it has {} numbers, and what was read of the model needs {}", name,
                         given.size(), values->size()));
    return false;
  }
  *values = given;
  return true;
}

// Those of a system stand together.
void add_activations(const MjcfWorld& world, const std::vector<double>& act, Keyframe* key) {
  for (std::size_t i = 0; i < act.size(); ++i) {
    const auto& [system, state] = world.activations[i];
    if (system.empty()) continue;
    if (key->states.empty() || key->states.back().system != system) {
      key->states.push_back({system, {}});
    }
    std::vector<double>& z = key->states.back().z;
    z.resize(std::max<std::size_t>(z.size(), state + 1), 0);
    z[state] = act[i];
  }
}

}  // namespace

void read_keyframes(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "keyframe", [&](const XmlElement& element) {
    if (instance.attached) {
      world->ignore(element, "keyframes of attached models are not taken over");
      return;
    }
    const Attributes a(element, world->diagnostics);
    Keyframe key{.name = a.text("name"), .time = a.number("time", 0)};
    MujocoState state = make_start(*world);
    read_state(a, "qpos", &state.qpos);
    read_state(a, "qvel", &state.qvel);
    MocapPoses poses = make_mocap_start(*world);
    read_state(a, "mpos", &poses.mpos);
    read_state(a, "mquat", &poses.mquat);
    const bool moved = std::ranges::none_of(world->mocaps, [](const MjcfMocap& mocap) {
      return mocap.input.empty();
    });
    if (!moved) a.ignore({"mpos", "mquat"}, "mocap bodies that stay are not moved by keyframes");
    convert(*world, state, poses, &key);
    std::vector<double> ctrl(world->controls.size(), 0);
    if (read_state(a, "ctrl", &ctrl)) {
      key.ctrl.resize(world->loaded->controls.size(), 0);
      for (std::size_t i = 0; i < ctrl.size(); ++i) {
        if (world->controls[i] >= 0) key.ctrl[world->controls[i]] = ctrl[i];
      }
    }
    std::vector<double> act(world->activations.size(), 0);
    if (read_state(a, "act", &act)) {
      add_activations(*world, act, &key);
    }
    world->loaded->keyframes.push_back(std::move(key));
  });
}

}  // namespace cenic::detail
