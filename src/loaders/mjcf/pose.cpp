// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The many ways in which MJCF writes an orientation.
#include <cmath>

#include <fmt/format.h>

#include "loaders/mjcf/document.h"

namespace cenic::detail {
namespace {

Mat3 rotation_about(int axis, double angle) {
  Vec3 theta;
  theta[axis] = angle;
  return to_matrix(exp_map(theta));
}

Mat3 frame_from_axes(const Vec3& x, const Vec3& y) {
  const Vec3 x_hat = normalized(x);
  const Vec3 y_hat = normalized(y - dot(x_hat, y) * x_hat);
  return Mat3::from_columns(x_hat, y_hat, cross(x_hat, y_hat));
}

// The orientation that stands in this one element.
Mat3 read_rotation(const Attributes& a, const MjcfCompiler& compiler) {
  const auto bad = [&](const char* name) {
    a.error(name, fmt::format("{} has no direction; give other numbers", name));
    return Mat3::identity();
  };
  if (const auto q = a.numbers("quat", 4, 4); !q.empty()) {
    const Quat quat{q[0], q[1], q[2], q[3]};
    return norm(quat) > 1e-14 ? to_matrix(normalized(quat)) : bad("quat");
  }
  if (const auto v = a.numbers("axisangle", 4, 4); !v.empty()) {
    const Vec3 axis{v[0], v[1], v[2]};
    if (!(norm(axis) > 1e-14)) return bad("axisangle");
    return to_matrix(exp_map(compiler.angle(v[3]) * normalized(axis)));
  }
  if (const auto v = a.numbers("xyaxes", 6, 6); !v.empty()) {
    const Vec3 x{v[0], v[1], v[2]}, y{v[3], v[4], v[5]};
    if (!(norm(cross(x, y)) > 1e-14)) return bad("xyaxes");
    return frame_from_axes(x, y);
  }
  if (const auto z = a.vector("zaxis")) {
    return norm(*z) > 1e-14 ? z_to_direction(*z) : bad("zaxis");
  }
  if (const auto euler = a.vector("euler")) {
    return euler_to_matrix(
        {compiler.angle(euler->x), compiler.angle(euler->y), compiler.angle(euler->z)}, compiler);
  }
  return Mat3::identity();
}

}  // namespace

// Small letters: about the axes as they have turned; capitals: about the fixed ones.
Mat3 euler_to_matrix(const Vec3& euler, const MjcfCompiler& compiler) {
  Mat3 R = Mat3::identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler.eulerseq[i];
    const bool fixed = letter < 'a';
    const Mat3 step = rotation_about(letter - (fixed ? 'X' : 'x'), euler[i]);
    R = fixed ? step * R : R * step;
  }
  return R;
}

Mat3 z_to_direction(const Vec3& direction) {
  const Vec3 d = normalized(direction);
  const Vec3 axis = cross({0, 0, 1}, d);
  const double sine = norm(axis);
  const double angle = std::atan2(sine, d.z);
  return to_matrix(exp_map(angle * (sine > 1e-10 ? axis / sine : Vec3{1, 0, 0})));
}

RigidTransform read_pose(const Attributes& a, const MjcfCompiler& compiler, Diagnostics* d) {
  RigidTransform X;
  X.p = a.vector("pos", {});
  // The nearest element that gives an orientation, in whatever form.
  for (const XmlElement* element : a.elements()) {
    int given = 0;
    for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"}) {
      if (element->find(name) != nullptr) ++given;
    }
    if (given == 0) continue;
    const Attributes own(*element, d);
    if (given > 1) own.error("", "the orientation is given twice; leave one of the two away");
    X.R = read_rotation(own, compiler);
    break;
  }
  return X;
}

}  // namespace cenic::detail
