// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Vec3, Mat3 and Quat: plain values without heap or expression templates, usable in device code.
#pragma once

#include <cmath>

namespace cenic {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  double operator[](int i) const { return i == 0 ? x : (i == 1 ? y : z); }
  double& operator[](int i) { return i == 0 ? x : (i == 1 ? y : z); }
  Vec3& operator+=(const Vec3& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
  Vec3& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline Vec3 operator*(const Vec3& a, double s) { return s * a; }
inline Vec3 operator/(const Vec3& a, double s) { return {a.x / s, a.y / s, a.z / s}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm_squared(const Vec3& a) { return dot(a, a); }
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
// a/‖a‖; the x-axis when a is zero.
inline Vec3 normalized(const Vec3& a) {
  const double n = norm(a);
  return n > 0 ? a / n : Vec3{1, 0, 0};
}
inline Vec3 cwise_min(const Vec3& a, const Vec3& b) {
  return {std::fmin(a.x, b.x), std::fmin(a.y, b.y), std::fmin(a.z, b.z)};
}
inline Vec3 cwise_max(const Vec3& a, const Vec3& b) {
  return {std::fmax(a.x, b.x), std::fmax(a.y, b.y), std::fmax(a.z, b.z)};
}
inline Vec3 cwise_abs(const Vec3& a) { return {std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)}; }
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
// A unit vector orthogonal to the unit vector n (continuous except across |n.x| = 0.7).
inline Vec3 any_orthogonal(const Vec3& n) {
  const Vec3 e = std::fabs(n.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return normalized(cross(n, e));
}

// Row-major 3×3 matrix given by its rows.
struct Mat3 {
  Vec3 row[3];

  static Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
  static Mat3 diagonal(const Vec3& d) { return {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
  static Mat3 from_columns(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
  }
  double operator()(int i, int j) const { return row[i][j]; }
  double& operator()(int i, int j) { return row[i][j]; }
  Vec3 column(int j) const { return {row[0][j], row[1][j], row[2][j]}; }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

inline Vec3 operator*(const Mat3& A, const Vec3& b) {
  return {dot(A.row[0], b), dot(A.row[1], b), dot(A.row[2], b)};
}
inline Mat3 transpose(const Mat3& A) { return Mat3::from_columns(A.row[0], A.row[1], A.row[2]); }
// Aᵀ b without forming the transpose.
inline Vec3 transpose_times(const Mat3& A, const Vec3& b) {
  return b.x * A.row[0] + b.y * A.row[1] + b.z * A.row[2];
}
inline Mat3 operator*(const Mat3& A, const Mat3& B) {
  return {
      {transpose_times(B, A.row[0]), transpose_times(B, A.row[1]), transpose_times(B, A.row[2])}};
}
inline Mat3 operator*(double s, const Mat3& A) {
  return {{s * A.row[0], s * A.row[1], s * A.row[2]}};
}
inline Mat3 operator+(const Mat3& A, const Mat3& B) {
  return {{A.row[0] + B.row[0], A.row[1] + B.row[1], A.row[2] + B.row[2]}};
}
inline Mat3 operator-(const Mat3& A, const Mat3& B) {
  return {{A.row[0] - B.row[0], A.row[1] - B.row[1], A.row[2] - B.row[2]}};
}
inline double determinant(const Mat3& A) { return dot(A.row[0], cross(A.row[1], A.row[2])); }
inline double trace(const Mat3& A) { return A(0, 0) + A(1, 1) + A(2, 2); }
// The matrix of b ↦ a × b.
inline Mat3 skew(const Vec3& a) { return {{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}}; }
// a bᵀ
inline Mat3 outer(const Vec3& a, const Vec3& b) { return {{a.x * b, a.y * b, a.z * b}}; }
// A⁻¹ for a regular matrix.
inline Mat3 inverse(const Mat3& A) {
  const Vec3 c0 = cross(A.row[1], A.row[2]);
  const Vec3 c1 = cross(A.row[2], A.row[0]);
  const Vec3 c2 = cross(A.row[0], A.row[1]);
  return (1 / dot(A.row[0], c0)) * Mat3::from_columns(c0, c1, c2);
}

// Unit quaternion (w, x, y, z): an orientation.
struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
  friend bool operator==(const Quat&, const Quat&) = default;
};

inline Quat operator*(const Quat& a, const Quat& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
inline double norm(const Quat& q) {
  return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}
inline Quat normalized(const Quat& q) {
  const double n = norm(q);
  return n > 0 ? Quat{q.w / n, q.x / n, q.y / n, q.z / n} : Quat{};
}
inline Mat3 to_matrix(const Quat& q) {
  const double xx = 2 * q.x * q.x, yy = 2 * q.y * q.y, zz = 2 * q.z * q.z;
  const double xy = 2 * q.x * q.y, xz = 2 * q.x * q.z, yz = 2 * q.y * q.z;
  const double wx = 2 * q.w * q.x, wy = 2 * q.w * q.y, wz = 2 * q.w * q.z;
  return {{{1 - yy - zz, xy - wz, xz + wy},
           {xy + wz, 1 - xx - zz, yz - wx},
           {xz - wy, yz + wx, 1 - xx - yy}}};
}
// exp: the rotation by the rotation vector theta (axis times angle).
inline Quat exp_map(const Vec3& theta) {
  const double a2 = 0.25 * norm_squared(theta);  // (angle/2)²
  // sin(x)/(2x) by series near 0, exact to machine precision for x² < 1e-4.
  double c = 1, s = 0.5;
  if (a2 < 1e-4) {
    c = 1 - a2 / 2 * (1 - a2 / 12 * (1 - a2 / 30));
    s = 0.5 * (1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42)));
  } else {
    const double a = std::sqrt(a2);
    c = std::cos(a);
    s = std::sin(a) / (2 * a);
  }
  return {c, s * theta.x, s * theta.y, s * theta.z};
}
// log: the rotation vector (shortest, angle at most π) of q.
inline Vec3 log_map(const Quat& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Vec3 u{sign * q.x, sign * q.y, sign * q.z};
  const double s = norm(u);
  // angle/sin(angle/2) → 2 for small angles.
  const double f = s < 1e-8 ? 2.0 : 2 * std::atan2(s, sign * q.w) / s;
  return f * u;
}
Quat to_quaternion(const Mat3& R);

}  // namespace cenic
