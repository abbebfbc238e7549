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
// Motion within a step below this share of how far a field goes out is next to none.
constexpr double kStill = 0.05;
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
  double sign;
};

Ordered order(const SurfaceContacts::Posed& A, const SurfaceContacts::Posed& B) {
  const bool first = comes_first(*A.geometry.field, *B.geometry.field);
  const SurfaceContacts::Posed &M = first ? A : B, &N = first ? B : A;
  // Normals point out of N, into M.
  return {*M.geometry.field, *N.geometry.field, M.X_WG, inverse(M.X_WG) * N.X_WG,
          first ? -1.0 : 1.0};
}

}  // namespace

SurfaceContacts::Found SurfaceContacts::find(const Posed& A, const Posed& B, double reach,
                                             SurfaceQuadrature quadrature) {
  const Ordered pair = order(A, B);
  const double margin = std::min(reach, calc_reach(pair.M, pair.N));
  points_.clear();
  if (quadrature == SurfaceQuadrature::kCentroid ||
      !add_ball_points(pair.M, pair.N, pair.X_MN, margin, &points_)) {
    SurfaceCandidates* candidates = find_candidates(A.index, B.index);
    // What lies still and touches needs no guess of what may touch next.
    const bool still = margin < kStill * calc_reach(pair.M, pair.N);
    finder_.find(pair.M, pair.N, pair.X_MN, still ? 0 : margin, candidates, &polygons_);
    if (still && margin > 0 && polygons_.empty()) {
      finder_.find(pair.M, pair.N, pair.X_MN, margin, candidates, &polygons_);
    }
    maker_.make(polygons_, quadrature, &points_,
                kFine * std::min(pair.M.foundation, pair.N.foundation));
  }
  finder_.counters.points += points_.size();
  const bool touching = std::ranges::any_of(points_, [](const SurfacePoint& p) {
    return p.force > 0;
  });
  return {points_, pair.X_WM, pair.sign, touching};
}

void SurfaceContacts::draw(const Posed& A, const Posed& B, const PolygonSink& sink) {
  const Ordered pair = order(A, B);
  finder_.keep_corners = true;
  finder_.find(pair.M, pair.N, pair.X_MN, 0, find_candidates(A.index, B.index), &polygons_);
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

SurfaceCandidates* SurfaceContacts::find_candidates(int a, int b) {
  if (++query_ > clean_at_) {
    std::erase_if(entries_, [&](const auto& entry) {
      return entry.second.used < cleaned_at_;
    });
    cleaned_at_ = query_;
    clean_at_ = query_ + kForget * (entries_.size() + 1);
  }
  Entry& entry = entries_[pair_key(a, b)];
  entry.used = query_;
  return &entry.candidates;
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
    (*archive)(&entry.candidates.X_MN);
    (*archive)(&entry.candidates.skin);
    (*archive)(&entry.candidates.margin);
    (*archive)(&entry.candidates.pairs);
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
