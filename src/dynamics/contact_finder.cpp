// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/contact_finder.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/hash.h"
#include "model/pair_material.h"

namespace cenic {
namespace {

constexpr double kSlack = 0.15;  // of a box, as a share of its size

// Of each of two boxes.
double calc_inflation(double sweep, const ContactOptions& options) {
  return sweep > 0 ? 0.5 * options.proximity : 0;
}

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
  for (const int i : bounded_) {
    const int link = model.geometries[i].link;
    box_tree_.push_back(link >= 0 ? model.links[link].tree : -1);
  }
  boxes_.resize(bounded_.size());
  members_.resize(bounded_.size());
  std::iota(members_.begin(), members_.end(), 0);
}

void ContactFinder::restrict_to(std::span<const int> trees, const ContactFinder& whole) {
  whole_ = &whole;
  outside_.touched.clear();
  outside_.left = false;
  role_.assign(model_.trees.size(), 0);
  for (const int t : trees) {
    role_[t] = kMember;
  }
  const auto role_of = [&](int b) {
    return box_tree_[b] >= 0 ? role_[box_tree_[b]] : 0;
  };
  pairs_.clear();
  for (const IndexPair& pair : whole.pairs_) {
    if (role_of(pair.a) == kMember || role_of(pair.b) == kMember) pairs_.push_back(pair);
  }
  for (const IndexPair& pair : pairs_) {
    for (const int b : {pair.a, pair.b}) {
      // For what is anchored, and for other trees: all places where they are during the step.
      boxes_[b] = whole.boxes_[b];
      X_WG_[bounded_[b]] = whole.X_WG_[bounded_[b]];
    }
  }
  members_.clear();
  for (std::size_t b = 0; b < bounded_.size(); ++b) {
    if (role_of(static_cast<int>(b)) == kMember) members_.push_back(static_cast<int>(b));
  }
}

std::span<const int> ContactFinder::find_neighbours(const Kinematics& kin, double horizon,
                                                    const ContactOptions& options) {
  update_boxes(kin, horizon, options);
  neighbours_.clear();
  for (const IndexPair& pair : pairs_) {
    if (!overlap(boxes_[pair.a], boxes_[pair.b])) continue;
    for (const int b : {pair.a, pair.b}) {
      const int tree = box_tree_[b];
      if (tree < 0 || role_[tree] != 0) continue;
      role_[tree] = kNeighbour;
      neighbours_.push_back(tree);
    }
  }
  for (const int tree : neighbours_) {
    role_[tree] = 0;
  }
  return neighbours_;
}

void ContactFinder::find(const Kinematics& kin, double horizon, const ContactOptions& options,
                         std::vector<ContactPoint>* contacts) {
  contacts->clear();
  safe_step_ = INFINITY;
  const double sweep = options.speculative ? horizon : 0;
  const double inflation = calc_inflation(sweep, options);
  for (const int i : half_spaces_) {
    const Geometry& g = model_.geometries[i];
    if (g.link >= 0) X_WG_[i] = kin.X_WB[g.link] * g.X_LG;
  }
  if (whole_ == nullptr) update_boxes(kin, horizon, options);  // else find_neighbours() did
  for (const int plane : half_spaces_) {
    const Vec3 nhat = X_WG_[plane].R.column(2);
    const double offset = dot(nhat, X_WG_[plane].p);
    for (const int b : members_) {
      // Lowest corner of the swept box above the plane. A plane that moves may sweep anywhere.
      const Aabb& box = boxes_[b];
      const double low = dot(nhat, 0.5 * (box.lower + box.upper)) -
                         dot(cwise_abs(nhat), 0.5 * (box.upper - box.lower)) - offset;
      if (low > inflation && (model_.geometries[plane].link < 0 || sweep == 0)) continue;
      if (model_.may_touch(plane, bounded_[b])) {
        add_pair(plane, bounded_[b], kin, sweep, options, contacts);
      }
    }
  }
  update_candidates();
  for (const IndexPair& pair : *candidates_) {
    if (!overlap(boxes_[pair.a], boxes_[pair.b])) continue;
    const int a = bounded_[pair.a], b = bounded_[pair.b];
    if (!model_.may_touch(a, b)) continue;
    if (whole_ == nullptr) {
      add_pair(a, b, kin, sweep, options, contacts);
      continue;
    }
    int other = -1;
    for (const int side : {pair.a, pair.b}) {
      if (box_tree_[side] >= 0 && role_[box_tree_[side]] != kMember) other = side;
    }
    if (other < 0) {
      add_pair(a, b, kin, sweep, options, contacts);
      continue;
    }
    // A gap that stays open, however small, lets nothing pass.
    ContactOptions closing = options;
    closing.proximity = 0;
    place(bounded_[other], kin, sweep);
    foreign_.clear();
    add_pair(a, b, kin, sweep, closing, &foreign_);
    if (!foreign_.empty()) outside_.touched.push_back(box_tree_[other]);
  }
}

void ContactFinder::update_boxes(const Kinematics& kin, double horizon,
                                 const ContactOptions& options) {
  const double sweep = options.speculative ? horizon : 0;
  for (const int b : members_) {
    update_box(b, kin, sweep, calc_inflation(sweep, options));
  }
}

// Pose and reach of a geometry; returns how far it travels and turns within the horizon.
ContactFinder::Travel ContactFinder::place(int geometry, const Kinematics& kin, double sweep) {
  const Geometry& g = model_.geometries[geometry];
  Travel travel;
  if (g.link >= 0) {
    X_WG_[geometry] = kin.X_WB[g.link] * g.X_LG;
    if (sweep > 0) {
      const Spatial V_WG = shift_motion(kin.V_WB[g.link], X_WG_[geometry].p - kin.X_WB[g.link].p);
      travel = {sweep * V_WG.v, sweep * norm(V_WG.w) * g.bounding_radius};
    }
  }
  reach_[geometry] = norm(travel.along) + travel.turn;
  return travel;
}

// The box of a geometry, swept over the horizon.
void ContactFinder::update_box(int b, const Kinematics& kin, double sweep, double inflation) {
  const int i = bounded_[b];
  const Travel travel = place(i, kin, sweep);
  Aabb box = inflated(calc_aabb(model_.geometries[i].shape, X_WG_[i]), travel.turn + inflation);
  box.lower += cwise_min({}, travel.along);
  box.upper += cwise_max({}, travel.along);
  boxes_[b] = box;
}

bool ContactFinder::fit_into(const std::vector<Aabb>& fat_boxes) const {
  if (fat_boxes.size() != boxes_.size()) return false;
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    if (!contains(fat_boxes[b], boxes_[b])) return false;
  }
  return true;
}

// The broad phase runs on boxes with slack and serves until a box leaves its slack: usually for the
// middle of the step as well, and for long while things rest.
void ContactFinder::update_candidates() {
  candidates_ = &pairs_;
  if (whole_ != nullptr) {
    const ContactFinder* root = whole_;
    while (root->whole_ != nullptr) {
      root = root->whole_;
    }
    for (const int b : members_) {
      if (!contains(root->fat_boxes_[b], boxes_[b])) outside_.left = true;
    }
    return;
  }
  if (lender_ != nullptr && fit_into(lender_->fat_boxes_)) {
    candidates_ = &lender_->pairs_;
    return;
  }
  if (fit_into(fat_boxes_)) return;
  fat_boxes_.resize(boxes_.size());
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const Vec3 size = boxes_[b].upper - boxes_[b].lower;
    fat_boxes_[b] = inflated(boxes_[b], kSlack * std::max({size.x, size.y, size.z}));
  }
  broad_phase_.find_pairs(fat_boxes_, &pairs_);
}

void ContactFinder::add_pair(int a, int b, const Kinematics& kin, double horizon,
                             const ContactOptions& options, std::vector<ContactPoint>* contacts) {
  const Geometry& A = model_.geometries[a];
  const Geometry& B = model_.geometries[b];
  Pair pair{a, b, calc_share_of_b(A.material, B.material), 0, horizon, 0};
  if (horizon > 0) {
    pair.nearby = options.proximity;
    pair.reach = reach_[a] + reach_[b] + options.proximity;
    if (A.shape.kind == ShapeKind::kHalfSpace &&
        A.link >= 0) {  // its surface near B moves with the body that carries it
      const Spatial V = shift_motion(kin.V_WB[A.link], X_WG_[b].p - kin.X_WB[A.link].p);
      pair.reach += horizon * (norm(V.v) + norm(V.w) * B.bounding_radius);
    }
  }
  if (A.shape.kind == ShapeKind::kHeightField) {
    std::swap(pair.a, pair.b);
    add_height_field(pair, kin, contacts);
  } else if (B.shape.kind == ShapeKind::kHeightField) {
    add_height_field(pair, kin, contacts);
  } else if (!model_.is_hydroelastic(a, b)) {
    add_points(pair, kin, options, PointRule::kAll, contacts);
  } else if (!add_surface(pair, kin, options, contacts)) {
    if (SurfaceContacts::may_fall_back(A, B)) {
      add_points(pair, kin, options, PointRule::kFallback, contacts);
    } else if (horizon > 0) {
      const double travel = pair.reach - options.proximity;
      const double limit = SurfaceContacts::calc_blind_travel(A, B);
      if (travel > limit) safe_step_ = std::min(safe_step_, horizon * limit / travel);
    }
  }
}

void ContactFinder::add_points(const Pair& pair, const Kinematics& kin,
                               const ContactOptions& options, PointRule rule,
                               std::vector<ContactPoint>* contacts) {
  const Geometry& A = model_.geometries[pair.a];
  const Geometry& B = model_.geometries[pair.b];
  calc_manifold(A.shape, X_WG_[pair.a], B.shape, X_WG_[pair.b],
                {.margin = pair.reach, .face_bias = options.face_bias}, &manifold_);
  if (manifold_.count == 0) return;
  const PairMaterial material = combine_materials(model_, pair.a, pair.b);
  for (int i = 0; i < manifold_.count; ++i) {
    const ManifoldPoint& point = manifold_.points[i];
    // Within its reach the surface, which found nothing, is right.
    if (rule == PointRule::kFallback &&
        std::fabs(point.phi) <= SurfaceContacts::calc_furthest(A, B)) {
      continue;
    }
    add_point(pair, kin, material, point, manifold_.nhat_AB_W, contacts);
  }
}

void ContactFinder::add_height_field(const Pair& pair, const Kinematics& kin,
                                     std::vector<ContactPoint>* contacts) {
  const Geometry& A = model_.geometries[pair.a];
  const Geometry& B = model_.geometries[pair.b];
  const bool bounded =
      A.shape.kind != ShapeKind::kHalfSpace && A.shape.kind != ShapeKind::kHeightField;
  if (!bounded) return;
  const RigidTransform &X_WA = X_WG_[pair.a], &X_WB = X_WG_[pair.b];
  const PairMaterial material = combine_materials(model_, pair.a, pair.b);
  for (const HeightFieldPoint& p : height_field_.find(A.shape, X_WA, B.shape, X_WB, pair.reach)) {
    add_point(pair, kin, material, p.point, p.nhat_AB_W, contacts);
  }
  if (!(pair.horizon > 0)) return;
  const Vec3 v =
      calc_point_velocity(kin, A.link, X_WA.p) - calc_point_velocity(kin, B.link, X_WA.p);
  const double part = calc_safe_part(A.shape, X_WA, B.shape, X_WB, pair.horizon * v);
  if (part < 1) safe_step_ = std::min(safe_step_, pair.horizon * part);
}

void ContactFinder::add_point(const Pair& pair, const Kinematics& kin, const PairMaterial& material,
                              const ManifoldPoint& point, const Vec3& nhat_AB_W,
                              std::vector<ContactPoint>* contacts) const {
  ContactPoint& c = contacts->emplace_back();
  c.p_WC = pair.share * point.p_WA + (1 - pair.share) * point.p_WB;
  c.nhat_AB_W = nhat_AB_W;
  c.phi = point.phi;
  c.stiffness = material.stiffness * point.weight;
  c.elastic_force = -c.stiffness * c.phi;
  c.key = point.feature;
  complete_last(pair, kin, material, contacts);
}

// At the present speeds. Things that move together, as in a pile or in a hand, close no gaps.
SurfaceContacts::Motion ContactFinder::calc_motion(const Pair& pair, const Kinematics& kin) const {
  const auto turning = [&](int link) {
    return link < 0 ? Vec3{} : kin.V_WB[link].w;
  };
  if (!(pair.horizon > 0)) return {};
  const int link_a = model_.geometries[pair.a].link, link_b = model_.geometries[pair.b].link;
  const Vec3& p = X_WG_[pair.b].p;
  const Vec3 v = calc_point_velocity(kin, link_b, p) - calc_point_velocity(kin, link_a, p);
  const Vec3 w = turning(link_b) - turning(link_a);
  return {pair.horizon * v, pair.horizon * w, pair.nearby, pair.reach};
}

bool ContactFinder::add_surface(const Pair& pair, const Kinematics& kin,
                                const ContactOptions& options,
                                std::vector<ContactPoint>* contacts) {
  const Geometry& A = model_.geometries[pair.a];
  const Geometry& B = model_.geometries[pair.b];
  const SurfaceContacts::Found found =
      surfaces_.find({pair.a, A, X_WG_[pair.a]}, {pair.b, B, X_WG_[pair.b]}, calc_motion(pair, kin),
                     options.quadrature);
  if (found.points.empty()) return found.apart;
  PairMaterial material = combine_materials(model_, pair.a, pair.b);
  material.torsional_friction = 0;  // the points of a surface resist turning by themselves
  Pair closing = pair;
  // Beside what presses already only gaps that close count.
  if (found.touching) closing.nearby = 0;
  for (const SurfacePoint& point : found.points) {
    ContactPoint& c = contacts->emplace_back();
    c.p_WC = found.X_WM * point.p;
    c.nhat_AB_W = found.sign * (found.X_WM.R * point.nhat);
    c.phi = -point.depth;
    c.stiffness = point.stiffness;
    c.elastic_force = point.force;
    c.key = (1ULL << 32) | point.feature;
    c.hydroelastic = true;
    complete_last(closing, kin, material, contacts);
  }
  return true;
}

// Filled in where it stands: a copy would wait for what was just written.
void ContactFinder::complete_last(const Pair& pair, const Kinematics& kin,
                                  const PairMaterial& material,
                                  std::vector<ContactPoint>* contacts) const {
  ContactPoint& c = contacts->back();
  c.geometry_a = pair.a;
  c.geometry_b = pair.b;
  c.link_a = model_.geometries[pair.a].link;
  c.link_b = model_.geometries[pair.b].link;
  c.v_AB_W =
      calc_point_velocity(kin, c.link_b, c.p_WC) - calc_point_velocity(kin, c.link_a, c.p_WC);
  const double vn = dot(c.v_AB_W, c.nhat_AB_W);
  // Speculative: the gap closes within the horizon at the present speed, or is next to nothing.
  const bool stays_open = c.phi >= 0 && c.phi >= std::max(-pair.horizon * vn, pair.nearby);
  if (stays_open || !(c.stiffness > 0)) return contacts->pop_back();
  c.dissipation = material.dissipation;
  c.mu_static = material.static_friction;
  c.mu_dynamic = material.dynamic_friction;
  c.torsional_friction = material.torsional_friction;
  c.rolling_friction = material.rolling_friction;
  c.key ^= mix(pair_key(pair.a, pair.b));
}

double ContactFinder::calc_point_energy(std::span<const ContactPoint> contacts) {
  double energy = 0;
  for (const ContactPoint& c : contacts) {
    if (!c.hydroelastic && c.phi < 0) energy += 0.5 * c.stiffness * c.phi * c.phi;
  }
  return energy;
}

double ContactFinder::calc_elastic_energy(std::span<const ContactPoint> contacts) const {
  double energy = calc_point_energy(contacts);
  const ContactPoint* last = nullptr;
  for (const ContactPoint& c : contacts) {
    if (!c.hydroelastic) continue;
    // Contacts of a pair stand together.
    if (last != nullptr && last->geometry_a == c.geometry_a && last->geometry_b == c.geometry_b) {
      continue;
    }
    last = &c;
    energy += SurfaceContacts::calc_energy(
        {c.geometry_a, model_.geometries[c.geometry_a], X_WG_[c.geometry_a]},
        {c.geometry_b, model_.geometries[c.geometry_b], X_WG_[c.geometry_b]});
  }
  return energy;
}

}  // namespace cenic
