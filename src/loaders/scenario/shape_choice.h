// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Shapes and poses between what files say and what the program has.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "loaders/robot/shapes.h"
#include "loaders/scenario/model_fields.h"

namespace cenic::detail {

// `resolve` gives the path of a file that is named, or throws Error; `note` is told what was
// repaired. Throws Error.
Shape make_shape(const ShapeChoice& choice,
                 const std::function<std::string(const std::string&)>& resolve, MeshLibrary* meshes,
                 const std::function<void(const std::string&)>& note);
ShapeChoice make_choice(const Shape& shape);

// At most one of the rotations.
struct PoseFields {
  Vec3 position{};  // m
  std::optional<Vec3> rpy_degrees{};
  std::optional<std::array<double, 4>> quaternion_wxyz{};
  std::optional<std::array<double, 9>> rotation_matrix{};  // row by row
};
template <typename A>
void describe(A& a, PoseFields& p) {
  a.field("position", p.position);
  a.field("rpy_degrees", p.rpy_degrees);
  a.field("quaternion_wxyz", p.quaternion_wxyz);
  a.field("rotation_matrix", p.rotation_matrix);
}
// The rotation of a quaternion of any length but zero.
Mat3 to_rotation(const Quat& q);
// As a quaternion where that gives the same rotation to the last bit, else as a matrix.
PoseFields make_pose_fields(const RigidTransform& X);

}  // namespace cenic::detail
