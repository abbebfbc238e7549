// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "math/vec3.h"

namespace cenic {

Quat to_quaternion(const Mat3& R) {
  // Shepperd: take the largest of w², x², y², z² as pivot.
  const double t = trace(R);
  Quat q;
  if (t > R(0, 0) && t > R(1, 1) && t > R(2, 2)) {
    q = {1 + t, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else if (R(0, 0) > R(1, 1) && R(0, 0) > R(2, 2)) {
    q = {R(2, 1) - R(1, 2), 1 + R(0, 0) - R(1, 1) - R(2, 2), R(0, 1) + R(1, 0), R(0, 2) + R(2, 0)};
  } else if (R(1, 1) > R(2, 2)) {
    q = {R(0, 2) - R(2, 0), R(0, 1) + R(1, 0), 1 - R(0, 0) + R(1, 1) - R(2, 2), R(1, 2) + R(2, 1)};
  } else {
    q = {R(1, 0) - R(0, 1), R(0, 2) + R(2, 0), R(1, 2) + R(2, 1), 1 - R(0, 0) - R(1, 1) + R(2, 2)};
  }
  q = normalized(q);
  return q.w < 0 ? Quat{-q.w, -q.x, -q.y, -q.z} : q;
}

}  // namespace cenic
