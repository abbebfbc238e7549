// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/joint_layout.h"

#include <array>

#include "core/error.h"

namespace cenic::detail {

namespace {

constexpr Mobilizer kRevolute[] = {{MobilizerKind::kRevolute, {}}};
constexpr Mobilizer kPrismatic[] = {{MobilizerKind::kPrismatic, {}}};
constexpr Mobilizer kScrew[] = {{MobilizerKind::kScrew, {}}};
constexpr Mobilizer kCurvilinear[] = {{MobilizerKind::kCurvilinear, {0, 0, 1}}};
constexpr Mobilizer kUniversal[] = {{MobilizerKind::kRevolute, {1, 0, 0}},
                                    {MobilizerKind::kRevolute, {0, 1, 0}}};
constexpr Mobilizer kPlanar[] = {{MobilizerKind::kPrismatic, {1, 0, 0}},
                                 {MobilizerKind::kPrismatic, {0, 1, 0}},
                                 {MobilizerKind::kRevolute, {0, 0, 1}}};
constexpr Mobilizer kBall[] = {{MobilizerKind::kBall, {}}};
constexpr Mobilizer kFree[] = {{MobilizerKind::kFree, {}}};

}  // namespace

std::span<const Mobilizer> mobilizers_of(JointKind kind) {
  switch (kind) {
    case JointKind::kRevolute:
      return kRevolute;
    case JointKind::kPrismatic:
      return kPrismatic;
    case JointKind::kScrew:
      return kScrew;
    case JointKind::kCurvilinear:
      return kCurvilinear;
    case JointKind::kUniversal:
      return kUniversal;
    case JointKind::kPlanar:
      return kPlanar;
    case JointKind::kBall:
      return kBall;
    case JointKind::kFree:
      return kFree;
  }
  CENIC_CHECK(false);
  return {};
}

int num_positions(MobilizerKind kind) {
  switch (kind) {
    case MobilizerKind::kFixed:
      return 0;
    case MobilizerKind::kBall:
      return 4;
    case MobilizerKind::kFree:
      return 7;
    default:
      return 1;
  }
}

int num_velocities(MobilizerKind kind) {
  switch (kind) {
    case MobilizerKind::kFixed:
      return 0;
    case MobilizerKind::kBall:
      return 3;
    case MobilizerKind::kFree:
      return 6;
    default:
      return 1;
  }
}

int num_positions(JointKind kind) {
  int n = 0;
  for (const Mobilizer& m : mobilizers_of(kind)) {
    n += num_positions(m.kind);
  }
  return n;
}

int num_velocities(JointKind kind) {
  int n = 0;
  for (const Mobilizer& m : mobilizers_of(kind)) {
    n += num_velocities(m.kind);
  }
  return n;
}

int quaternion_start(JointKind kind) {
  return kind == JointKind::kBall || kind == JointKind::kFree ? 0 : -1;
}

std::vector<double> complete_positions(JointKind kind, const std::vector<double>& given) {
  std::vector<double> q = given;
  if (q.empty()) {
    q.assign(num_positions(kind), 0.0);
    if (quaternion_start(kind) >= 0) q[quaternion_start(kind)] = 1;
  } else if (quaternion_start(kind) >= 0) {
    double* e = q.data() + quaternion_start(kind);
    const Quat unit = normalized(Quat{e[0], e[1], e[2], e[3]});
    e[0] = unit.w, e[1] = unit.x, e[2] = unit.y, e[3] = unit.z;
  }
  return q;
}

}  // namespace cenic::detail

namespace cenic {

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::kRevolute:
      return "revolute";
    case JointKind::kPrismatic:
      return "prismatic";
    case JointKind::kScrew:
      return "screw";
    case JointKind::kCurvilinear:
      return "curvilinear";
    case JointKind::kUniversal:
      return "universal";
    case JointKind::kPlanar:
      return "planar";
    case JointKind::kBall:
      return "ball";
    case JointKind::kFree:
      return "free";
  }
  return "?";
}

}  // namespace cenic
