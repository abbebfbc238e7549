// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/surface_contacts.h"

#include <algorithm>
#include <cmath>

#include "geometry/hydroelastic/ball_contact.h"
#include "geometry/hydroelastic/overlap_energy.h"

namespace cenic {
namespace {

// A field goes out from its surface by at most this share of its foundation depth: cells widen
// outwards, and further away their areas would say nothing of the contact to come.
constexpr double kFurthest = 0.2;
// Half the way to the other side of the thinner solid.
constexpr double kBlind = 0.5;
// Approach within a step below this share of how far a field goes out is next to none.
constexpr double kStill = 0.05;
// Beside what presses a gap counts when it closes at more than this share of its corners.
constexpr double kPart = 0.5;
// A patch narrower than this share of the foundation depth (radius of gyration) cannot rock to
// speak of.
constexpr double kFine = 0.05;
// After this many queries for each list, those that were not used go.
constexpr std::uint64_t kForget = 1000;

double calc_reach(const PressureField& a, const PressureField& b) {
  return kFurthest * std::min(a.foundation, b.foundation);
}

// M, whose frame is used, is compliant; a half space comes second when both are.
bool comes_first(const PressureField& a, const PressureField& b) {
  if (a.compliance != b.compliance) return a.compliance == Compliance::kCompliant;
  return !a.half_space;
}

struct Ordered {
  const PressureField& M;
  const PressureField& N;
  const RigidTransform& X_WM;
  RigidTransform X_MN;
  double sign = 1;
};

Ordered order(const SurfaceContacts::Posed& A, const SurfaceContacts::Posed& B) {
  const bool first = comes_first(*A.geometry.field, *B.geometry.field);
  const SurfaceContacts::Posed &M = first ? A : B, &N = first ? B : A;
  // Normals point out of N, into M.
  return {*M.geometry.field, *N.geometry.field, M.X_WG, inverse(M.X_WG) * N.X_WG,
          first ? -1.0 : 1.0};
}

// The motion of N relative to M, about the centre of the bounded one of the two.
SurfaceMotion express(const SurfaceContacts::Motion& motion, const Vec3& p_WB,
                      const Ordered& pair) {
  const bool of_N = !pair.N.half_space;
  const Vec3 center = of_N ? pair.X_MN * pair.N.center : pair.M.center;
  const Vec3 travel = motion.travel + cross(motion.turn, pair.X_WM * center - p_WB);
  return {center, transpose_times(pair.X_WM.R, -pair.sign * travel),
          transpose_times(pair.X_WM.R, -pair.sign * motion.turn),
          of_N ? pair.N.radius : pair.M.radius, motion.nearby};
}

// How far points of two solids that press along nhat approach each other, at most. Sliding and
// spinning on the surface close no gaps.
double calc_closing(const SurfaceMotion& motion, const Vec3& nhat) {
  return std::max(dot(nhat, motion.travel), 0.0) + norm(cross(nhat, motion.turn)) * motion.radius;
}

// The direction in which a surface presses; zero when it does not.
Vec3 calc_direction(std::span<const SurfacePolygon> polygons) {
  Vec3 force;
  for (const SurfacePolygon& s : polygons) {
    if (s.pressure > 0) force += s.moments.area * s.pressure * s.nhat;
  }
  const double length = norm(force);
  return length > 0 ? force / length : Vec3{};
}

}  // namespace

SurfaceContacts::Found SurfaceContacts::find(const Posed& A, const Posed& B, const Motion& motion,
                                             SurfaceQuadrature quadrature) {
  const Ordered pair = order(A, B);
  SurfaceMotion step = express(motion, B.X_WG.p, pair);
  if (!pair.M.half_space && !pair.N.half_space) {
    // Nothing touches that does not cross what is between the boxes around the solids.
    const BoxGap gap = find_box_gap(pair.M.tree.bounds(), pair.N.tree.bounds(), pair.X_MN);
    if (gap.width > motion.nearby + calc_closing(step, -gap.nhat)) {
      return {{}, pair.X_WM, pair.sign, /*touching=*/false, /*apart=*/true};
    }
    step.gap = gap.width;
  }
  const double furthest = calc_reach(pair.M, pair.N);
  // At the present speeds no wider gap closes.
  const auto calc_margin = [&] {
    return std::min(norm(step.travel) + norm(step.turn) * step.radius + motion.nearby, furthest);
  };
  const double fine = kFine * std::min(pair.M.foundation, pair.N.foundation);
  points_.clear();
  const auto find_ball = [&] {
    return (pair.M.sphere_radius > 0 || pair.N.sphere_radius > 0) &&
           quadrature != SurfaceQuadrature::kCentroid &&
           add_ball_points(pair.M, pair.N, pair.X_MN, calc_margin(), &points_);
  };
  // How far to look across gaps beside what presses along nhat. What comes no closer needs no guess
  // of what may press next.
  const auto calc_beside = [&](const Vec3& nhat) {
    const double closing = calc_closing(step, nhat);
    return closing < kStill * furthest ? 0 : std::min(closing, furthest);
  };
  const auto find_section = [&] {
    return pair.N.half_space && calc_beside(pair.X_MN.R.column(2)) == 0 &&
           quadrature == SurfaceQuadrature::kReduced &&
           add_section_points(pair.M, pair.N, pair.X_MN, fine);
  };
  if (!find_ball() && !find_section()) {
    Entry& entry = find_entry(A.index, B.index);
    entry.before = entry.direction;
    const auto find = [&](double reach, double nearby, double part) {
      step.nearby = nearby;
      step.part = part;
      finder_.find(pair.M, pair.N, pair.X_MN, reach, &entry.candidates, &polygons_, &step);
      entry.direction = calc_direction(polygons_);
      return entry.presses();
    };
    // Beside what presses only gaps that close count. Where nothing pressed before that is known
    // only afterwards.
    const auto find_pressing = [&] {
      return find(calc_beside(entry.direction), 0, kPart);
    };
    if (!entry.presses() || !find_pressing()) {
      if (find(calc_margin(), motion.nearby, 0)) find_pressing();
    }
    maker_.make(polygons_, quadrature, &points_, fine, pair.M.convex && pair.N.convex ? fine : 0);
  }
  finder_.counters.points += points_.size();
  const bool touching = std::ranges::any_of(points_, [](const SurfacePoint& p) {
    return p.force > 0;
  });
  return {points_, pair.X_WM, pair.sign, touching, /*apart=*/false};
}

// On a rigid plane, without polygons.
bool SurfaceContacts::add_section_points(const PressureField& M, const PressureField& N,
                                         const RigidTransform& X_MN, double fine) {
  if (N.compliance != Compliance::kRigid) return false;
  const PlaneSection section =
      calc_plane_section(M, X_MN.R.column(2), X_MN.p, SurfaceFinder::calc_least_area(M, N),
                         PointMaker::kLeastGradient);
  if (!PointMaker::make(section, &points_, fine)) return false;
  ++finder_.counters.queries;
  finder_.counters.candidates += M.cells.size();
  finder_.counters.polygons += section.num_polygons;
  return true;
}

void SurfaceContacts::draw(const Posed& A, const Posed& B, const PolygonSink& sink) {
  const Ordered pair = order(A, B);
  finder_.keep_corners = true;
  finder_.find(pair.M, pair.N, pair.X_MN, 0, &find_entry(A.index, B.index).candidates, &polygons_);
  finder_.keep_corners = false;
  for (Vec3& p : finder_.corners) {
    p = pair.X_WM * p;
  }
  std::span<const Vec3> rest = finder_.corners;
  for (std::size_t i = 0; i < polygons_.size(); ++i) {
    const auto count = static_cast<std::size_t>(finder_.corner_counts[i]);
    sink(rest.first(count), polygons_[i].pressure);
    rest = rest.subspan(count);
  }
}

SurfaceContacts::Entry& SurfaceContacts::find_entry(int a, int b) {
  if (++query_ > clean_at_) {
    std::erase_if(entries_, [&](const auto& entry) {
      return entry.second.used < cleaned_at_;
    });
    cleaned_at_ = query_;
    clean_at_ = query_ + kForget * (entries_.size() + 1);
  }
  Entry& entry = entries_[pair_key(a, b)];
  entry.used = query_;
  return entry;
}

void SurfaceContacts::exchange(Archive* archive) {
  for (std::uint64_t* x : {&query_, &cleaned_at_, &clean_at_}) {
    (*archive)(x);
  }
  std::vector<std::uint64_t> keys;
  for (const auto& [key, entry] : entries_) {
    keys.push_back(key);
  }
  std::ranges::sort(keys);
  (*archive)(&keys);
  if (archive->loading()) entries_.clear();
  for (const std::uint64_t key : keys) {
    Entry& entry = entries_[key];
    (*archive)(&entry.used);
    (*archive)(&entry.direction);
    (*archive)(&entry.before);
    (*archive)(&entry.candidates.X_MN);
    (*archive)(&entry.candidates.skin);
    (*archive)(&entry.candidates.margin);
    (*archive)(&entry.candidates.pairs);
  }
}

void SurfaceContacts::rewind() {
  for (auto& [key, entry] : entries_) {
    entry.direction = entry.before;
  }
}

double SurfaceContacts::calc_furthest(const Geometry& A, const Geometry& B) {
  return calc_reach(*A.field, *B.field);
}

double SurfaceContacts::calc_blind_travel(const Geometry& A, const Geometry& B) {
  return kBlind * std::min(A.field->foundation, B.field->foundation);
}

bool SurfaceContacts::may_fall_back(const Geometry& A, const Geometry& B) {
  return A.field->half_space || B.field->half_space || (A.field->convex && B.field->convex);
}

double SurfaceContacts::calc_energy(const Posed& A, const Posed& B) {
  const Ordered pair = order(A, B);
  BallContact ball;
  return find_ball_contact(pair.M, pair.N, pair.X_MN, 0, &ball)
             ? calc_ball_cap(ball.pair).energy
             : calc_overlap_energy(pair.M, pair.N, pair.X_MN);
}

}  // namespace cenic
