// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <keyframe>: states in MuJoCo's coordinates, turned into ours. A free joint is position, then
// quaternion there, and its velocity linear, then angular in the axes of the body; a ball's angular
// velocity, too, is in the axes of the body.
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

void convert(const MjcfWorld& world, const MujocoState& s, Keyframe* key) {
  const double* q = s.qpos.data();
  const double* v = s.qvel.data();
  for (const MjcfJoint& joint : world.joints) {
    const JointType type = joint.data.type;
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
    q += num_coordinates(type);
    v += num_speeds(type);
  }
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
    convert(*world, state, &key);
    std::vector<double> ctrl(world->controls.size(), 0);
    if (read_state(a, "ctrl", &ctrl)) {
      key.ctrl.resize(world->loaded->controls.size(), 0);
      for (std::size_t i = 0; i < ctrl.size(); ++i) {
        if (world->controls[i] >= 0) key.ctrl[world->controls[i]] = ctrl[i];
      }
    }
    a.ignore({"act"}, "activations start at zero");
    a.ignore({"mpos", "mquat"}, "mocap bodies stay where they are placed");
    world->loaded->keyframes.push_back(std::move(key));
  });
}

}  // namespace cenic::detail
