// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/contact_finder.h"

#include <algorithm>
#include <cmath>

#include "core/hash.h"

namespace cenic {
namespace {

constexpr double kSlack = 0.15;  // of a box, as a share of its size

}  // namespace

ContactFinder::ContactFinder(const Model& model) : model_(model) {
  const int n = static_cast<int>(model.geometries.size());
  X_WG_.resize(n);
  reach_.assign(n, 0.0);
  for (int i = 0; i < n; ++i) {
    const Geometry& g = model.geometries[i];
    if (!g.collides) continue;
    (g.shape.kind == ShapeKind::kHalfSpace ? half_spaces_ : bounded_).push_back(i);
    if (g.link < 0) X_WG_[i] = g.X_LG;
  }
  boxes_.resize(bounded_.size());
}

void ContactFinder::find(const Kinematics& kin, double horizon, const ContactOptions& options,
                         std::vector<ContactPoint>* contacts) {
  contacts->clear();
  const double sweep = options.speculative ? horizon : 0;
  const double inflation = sweep > 0 ? 0.5 * options.proximity : 0;  // of each of two boxes
  for (const int i : half_spaces_) {
    const Geometry& g = model_.geometries[i];
    if (g.link >= 0) X_WG_[i] = kin.X_WB[g.link] * g.X_LG;
  }
  for (std::size_t b = 0; b < bounded_.size(); ++b) {
    const int i = bounded_[b];
    const Geometry& g = model_.geometries[i];
    Vec3 travel;
    double turn = 0;
    if (g.link >= 0) {
      X_WG_[i] = kin.X_WB[g.link] * g.X_LG;
      if (sweep > 0) {
        const Spatial V_WG = shift_motion(kin.V_WB[g.link], X_WG_[i].p - kin.X_WB[g.link].p);
        travel = sweep * V_WG.v;
        turn = sweep * norm(V_WG.w) * g.bounding_radius;
      }
    }
    reach_[i] = norm(travel) + turn;
    Aabb box = inflated(calc_aabb(g.shape, X_WG_[i]), turn + inflation);
    box.lower += cwise_min({}, travel);
    box.upper += cwise_max({}, travel);
    boxes_[b] = box;
  }
  for (const int plane : half_spaces_) {
    const Vec3 nhat = X_WG_[plane].R.column(2);
    const double offset = dot(nhat, X_WG_[plane].p);
    for (std::size_t b = 0; b < bounded_.size(); ++b) {
      // Lowest corner of the swept box above the plane. A plane that moves may sweep anywhere.
      const Aabb& box = boxes_[b];
      const double low = dot(nhat, 0.5 * (box.lower + box.upper)) -
                         dot(cwise_abs(nhat), 0.5 * (box.upper - box.lower)) - offset;
      if (low > inflation && (model_.geometries[plane].link < 0 || sweep == 0)) continue;
      if (model_.may_touch(plane, bounded_[b]))
        add_pair(plane, bounded_[b], kin, sweep, options, contacts);
    }
  }
  update_candidates();
  for (const IndexPair& pair : pairs_) {
    if (!overlap(boxes_[pair.a], boxes_[pair.b])) continue;
    const int a = bounded_[pair.a], b = bounded_[pair.b];
    if (model_.may_touch(a, b)) add_pair(a, b, kin, sweep, options, contacts);
  }
}

// The broad phase runs on boxes with slack and serves until a box leaves its slack: usually for the
// middle of the step as well, and for long while things rest.
void ContactFinder::update_candidates() {
  bool valid = fat_boxes_.size() == boxes_.size();
  for (std::size_t b = 0; valid && b < boxes_.size(); ++b) {
    valid = contains(fat_boxes_[b], boxes_[b]);
  }
  if (valid) return;
  fat_boxes_.resize(boxes_.size());
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const Vec3 size = boxes_[b].upper - boxes_[b].lower;
    fat_boxes_[b] = inflated(boxes_[b], kSlack * std::max({size.x, size.y, size.z}));
  }
  broad_phase_.find_pairs(fat_boxes_, &pairs_);
}

// Springs in series; friction by the harmonic mean; dissipation weighted by the other side's
// stiffness, so that the softer side, which deforms more, counts more.
ContactFinder::PairMaterial ContactFinder::combine(const Material& a, const Material& b) const {
  const auto mean = [](double x, double y) {
    return x + y > 0 ? 2 * x * y / (x + y) : 0;
  };
  PairMaterial pair{};
  pair.mu_static = mean(a.static_friction, b.static_friction);
  pair.mu_dynamic = mean(a.dynamic_friction, b.dynamic_friction);
  // An infinitely stiff side does not deform: the pair is the other side.
  pair.share_a = std::isinf(a.stiffness)
                     ? 1
                     : (std::isinf(b.stiffness) ? 0 : a.stiffness / (a.stiffness + b.stiffness));
  pair.stiffness = std::isinf(a.stiffness) ? b.stiffness : (1 - pair.share_a) * a.stiffness;
  pair.dissipation = (1 - pair.share_a) * a.dissipation + pair.share_a * b.dissipation;
  return pair;
}

void ContactFinder::add_pair(int a, int b, const Kinematics& kin, double horizon,
                             const ContactOptions& options, std::vector<ContactPoint>* contacts) {
  const Geometry& A = model_.geometries[a];
  const Geometry& B = model_.geometries[b];
  ManifoldOptions manifold_options{.margin = 0, .face_bias = options.face_bias};
  if (horizon > 0) {
    manifold_options.margin = reach_[a] + reach_[b] + options.proximity;
    if (A.shape.kind == ShapeKind::kHalfSpace &&
        A.link >= 0) {  // its surface near B moves with the body that carries it
      const Spatial V = shift_motion(kin.V_WB[A.link], X_WG_[b].p - kin.X_WB[A.link].p);
      manifold_options.margin += horizon * (norm(V.v) + norm(V.w) * B.bounding_radius);
    }
  }
  calc_manifold(A.shape, X_WG_[a], B.shape, X_WG_[b], manifold_options, &manifold_);
  if (manifold_.count == 0) return;
  const double nearby = horizon > 0 ? options.proximity : 0;
  const PairMaterial material = combine(A.material, B.material);
  for (int i = 0; i < manifold_.count; ++i) {
    const ManifoldPoint& point = manifold_.points[i];
    ContactPoint c;
    c.p_WC = material.share_a * point.p_WA + (1 - material.share_a) * point.p_WB;
    c.v_AB_W = calc_point_velocity(kin, B.link, c.p_WC) - calc_point_velocity(kin, A.link, c.p_WC);
    const double vn = dot(c.v_AB_W, manifold_.nhat_AB_W);
    // Speculative: the gap closes within the horizon at the present speed, or is next to nothing.
    if (point.phi >= 0 && point.phi >= std::max(-horizon * vn, nearby)) continue;
    c.geometry_a = a;
    c.geometry_b = b;
    c.link_a = A.link;
    c.link_b = B.link;
    c.nhat_AB_W = manifold_.nhat_AB_W;
    c.phi = point.phi;
    c.stiffness = material.stiffness * point.weight;
    c.dissipation = material.dissipation;
    c.mu_static = material.mu_static;
    c.mu_dynamic = material.mu_dynamic;
    c.key = mix(pair_key(a, b)) ^ point.feature;
    if (c.stiffness > 0) contacts->push_back(c);
  }
}

}  // namespace cenic
