// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/wrapping.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace cenic {
namespace {

struct Vec2 {
  double x = 0, y = 0;
};
Vec2 operator+(const Vec2& a, const Vec2& b) { return {a.x + b.x, a.y + b.y}; }
Vec2 operator-(const Vec2& a, const Vec2& b) { return {a.x - b.x, a.y - b.y}; }
Vec2 operator*(double s, const Vec2& a) { return {s * a.x, s * a.y}; }
double dot(const Vec2& a, const Vec2& b) { return a.x * b.x + a.y * b.y; }
double cross(const Vec2& a, const Vec2& b) { return a.x * b.y - a.y * b.x; }
double norm(const Vec2& a) { return std::sqrt(dot(a, a)); }

bool do_segments_cross(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double area = cross(b - a, d - c);
  if (std::fabs(area) < 1e-15) return false;
  const double s = cross(c - a, d - c) / area, t = cross(c - a, b - a) / area;
  return s >= 0 && s <= 1 && t >= 0 && t <= 1;
}

// Does the segment pass the circle without touching it, and on the right side?
bool passes_by(const Vec2& from, const Vec2& to, double radius, const std::optional<Vec2>& side) {
  const Vec2 d = to - from;
  const double length_squared = dot(d, d);
  const double s = length_squared > 0 ? std::clamp(-dot(d, from) / length_squared, 0.0, 1.0) : 0.0;
  const Vec2 nearest = from + s * d;
  return norm(nearest) > radius && (!side || dot(*side, nearest) >= 0);
}

struct CircleWrap {
  Vec2 a, b;         // tangent points
  double angle = 0;  // between them, along the string
};

// The tangent points of the two ways around: turn = 1 or −1.
CircleWrap calc_tangents(const Vec2& from, const Vec2& to, double radius, double turn) {
  const auto tangent = [&](const Vec2& p, double sign) {
    const double square = dot(p, p);
    const double away = radius * std::sqrt(std::max(0.0, square - radius * radius));
    return (1 / square) * Vec2{radius * radius * p.x + sign * away * p.y,
                               radius * radius * p.y - sign * away * p.x};
  };
  CircleWrap wrap{tangent(from, turn), tangent(to, -turn)};
  // The string goes round by −turn.
  wrap.angle = -turn * std::atan2(cross(wrap.a, wrap.b), dot(wrap.a, wrap.b));
  if (wrap.angle < 0) wrap.angle += 2 * std::numbers::pi;
  return wrap;
}

std::optional<CircleWrap> wrap_circle(const Vec2& from, const Vec2& to, double radius,
                                      const std::optional<Vec2>& side) {
  if (norm(from) < radius || norm(to) < radius) return std::nullopt;
  if (passes_by(from, to, radius, side)) return std::nullopt;
  std::optional<CircleWrap> best;
  double best_merit = 0;
  for (const double turn : {1.0, -1.0}) {
    const CircleWrap wrap = calc_tangents(from, to, radius, turn);
    if (do_segments_cross(from, wrap.a, to, wrap.b)) continue;
    const Vec2 middle = wrap.a + wrap.b;
    const double merit =
        side ? dot(*side, (1 / std::max(norm(middle), 1e-15)) * middle) : -norm(wrap.a - wrap.b);
    if (best && merit <= best_merit) continue;
    best = wrap;
    best_merit = merit;
  }
  return best;
}

// Touches the circle where |p − from| + |p − to| is least: between the directions of the two, where
// both parts meet the circle at the same angle. Both are outside.
std::optional<CircleWrap> touch_circle(const Vec2& from, const Vec2& to, double radius) {
  constexpr double kHalfTurn = 1e-9;  // less than a half turn by this there are two ways
  if (norm(from) <= radius || norm(to) <= radius) return std::nullopt;
  if (!passes_by(from, to, radius, std::nullopt)) return std::nullopt;
  const double turn = std::atan2(cross(from, to), dot(from, to));
  if (std::numbers::pi - std::fabs(turn) < kHalfTurn) return std::nullopt;
  // With x the angle from the direction of `from`, the way is √(r² + l² − 2 r l cos x) and the same
  // for `to`. Its derivative rises from one end to the other: Newton's method within what is known.
  const double end = std::fabs(turn), la = norm(from), lb = norm(to);
  struct Slope {
    double first = 0, second = 0;
  };
  const auto slope = [&](double length, double x) {
    const double c = radius * length * std::cos(x);
    const double way = std::sqrt(radius * radius + length * length - 2 * c);
    const double first = radius * length * std::sin(x) / way;
    return Slope{first, (c - first * first) / way};
  };
  double low = 0, high = end, x = 0.5 * end;
  for (int i = 0; i < 60 && high - low > 1e-16 * end; ++i) {
    const Slope a = slope(la, x), b = slope(lb, end - x);
    const double rise = a.first - b.first;
    (rise < 0 ? low : high) = x;
    const double next = x - rise / (a.second + b.second);
    const double last = std::exchange(x, next > low && next < high ? next : 0.5 * (low + high));
    if (std::fabs(x - last) < 1e-15 * end) break;
  }
  const double angle = std::atan2(from.y, from.x) + std::copysign(x, turn);
  const Vec2 p{radius * std::cos(angle), radius * std::sin(angle)};
  return CircleWrap{p, p, 0};
}

}  // namespace

std::optional<Wrap> calc_wrap(const WrapObstacle& obstacle, const Vec3& from_G, const Vec3& to_G) {
  // The plane of the string around a sphere; for a cylinder, across its axis.
  Vec3 x{1, 0, 0}, y{0, 1, 0};
  if (!obstacle.cylinder) {
    if (!(norm(from_G) > 1e-12) || !(norm(to_G) > 1e-12)) return std::nullopt;
    x = normalized(from_G);
    Vec3 normal = cross(from_G, to_G);
    if (!(norm(normal) > 1e-8 * norm(from_G) * norm(to_G))) {  // straight through the centre
      normal = obstacle.side_G ? cross(x, *obstacle.side_G) : Vec3{};
      if (!(norm(normal) > 0)) normal = any_orthogonal(x);
    }
    y = normalized(cross(normal, x));
  }
  const auto flat = [&](const Vec3& p) {
    return Vec2{cenic::dot(x, p), cenic::dot(y, p)};
  };
  std::optional<Vec2> side;
  if (obstacle.side_G) side = flat(*obstacle.side_G);
  const Vec2 from = flat(from_G), to = flat(to_G);
  const std::optional<CircleWrap> circle = obstacle.inside
                                               ? touch_circle(from, to, obstacle.radius)
                                               : wrap_circle(from, to, obstacle.radius, side);
  if (!circle) return std::nullopt;
  Wrap wrap{circle->a.x * x + circle->a.y * y, circle->b.x * x + circle->b.y * y,
            obstacle.radius * circle->angle};
  if (obstacle.cylinder) {  // z grows evenly along the unrolled string
    const double before = norm(circle->a - from), after = norm(to - circle->b);
    const double all = before + wrap.length + after, rise = to_G.z - from_G.z;
    wrap.a_G.z = from_G.z + rise * before / all;
    wrap.b_G.z = to_G.z - rise * after / all;
    wrap.length = std::hypot(wrap.length, wrap.b_G.z - wrap.a_G.z);
  }
  return wrap;
}

}  // namespace cenic
