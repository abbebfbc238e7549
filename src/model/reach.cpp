// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The reach of a rotation is the largest distance from its axis to what it carries. It must not
// depend on q (it is a unit of measure, and a Model is constant), so what a further rotation
// carries is replaced by the ball around that joint's centre which holds it at every angle. Sliding
// joints have no bound; they are taken where they start (q0).
#include "model/reach.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cenic::detail {

namespace {

// A ball that holds a part of what a link carries, in the link's frame.
struct Blob {
  Vec3 center;
  double radius = 0;
};
using Blobs = std::vector<Blob>;

bool rotates(MobilizerKind kind) {
  return kind != MobilizerKind::kFixed && kind != MobilizerKind::kPrismatic;
}

// Own blobs of each link: one for each geometry; a link that shows none but has mass counts by its
// radius of gyration √(trace(I_cm)/2m).
std::vector<Blobs> make_own_blobs(const Model& model) {
  std::vector<Blobs> blobs(model.links.size());
  for (const Geometry& geometry : model.geometries) {
    if (geometry.link < 0 || geometry.shape.kind == ShapeKind::kHalfSpace) continue;
    blobs[geometry.link].push_back({geometry.X_LG.p, geometry.bounding_radius});
  }
  for (std::size_t l = 0; l < blobs.size(); ++l) {
    const SpatialInertia& M = model.links[l].M_BBo_B;
    if (!blobs[l].empty() || M.mass <= 0) continue;
    blobs[l].push_back({M.com(), std::sqrt(0.5 * trace(M.I_com()) / M.mass)});
  }
  return blobs;
}

// Largest distance of the blobs from the joint's centre Mo (along no axis), or from the axis
// through Mo.
double calc_distance(const Blobs& blobs, const Vec3& p_BoMo, const Vec3* axis_B) {
  double largest = 0;
  for (const Blob& blob : blobs) {
    Vec3 r = blob.center - p_BoMo;
    if (axis_B != nullptr) r -= dot(r, *axis_B) * *axis_B;
    largest = std::max(largest, norm(r) + blob.radius);
  }
  return largest;
}

// p_FoMo at the start.
Vec3 calc_initial_travel(const Model& model, const Link& link) {
  switch (link.kind) {
    case MobilizerKind::kPrismatic:
      return model.q0[link.q_start] * link.axis_F;
    case MobilizerKind::kScrew:
      return link.pitch * model.q0[link.q_start] * link.axis_F;
    case MobilizerKind::kCurvilinear:
      return link.curve->at(model.q0[link.q_start]).position;
    default:
      return {};
  }
}

// Hands what the link carries to its parent.
void merge_into_parent(const Model& model, int l, double radius, std::vector<Blobs>* blobs) {
  const Link& link = model.links[l];
  if (link.parent < 0 || model.links[link.parent].tree < 0) return;
  Blobs& parent = (*blobs)[link.parent];
  Blobs& own = (*blobs)[l];
  const RigidTransform X_PM =
      link.X_PF * RigidTransform::translation(calc_initial_travel(model, link));  // angle aside
  if (rotates(link.kind)) {
    if (!own.empty()) parent.push_back({X_PM.p, radius});
  } else {
    const RigidTransform X_PB = X_PM * link.X_MB;
    for (const Blob& blob : own) {
      parent.push_back({X_PB * blob.center, blob.radius});
    }
  }
  own = {};
}

}  // namespace

void fill_reach(Model* model) {
  model->reach.assign(model->nv, 1.0);
  std::vector<Blobs> blobs = make_own_blobs(*model);
  for (int l = static_cast<int>(model->links.size()) - 1; l >= model->num_anchored_links; --l) {
    const Link& link = model->links[l];
    const RigidTransform X_BM = inverse(link.X_MB);
    const double radius = calc_distance(blobs[l], X_BM.p, nullptr);
    if (rotates(link.kind)) {
      const bool has_axis = link.nv == 1;
      const Vec3 axis_B = X_BM.R * link.axis_F;
      double reach = has_axis ? calc_distance(blobs[l], X_BM.p, &axis_B) : radius;
      if (link.kind == MobilizerKind::kScrew) reach = std::max(reach, std::fabs(link.pitch));
      if (link.kind == MobilizerKind::kCurvilinear) {
        reach = 1 + link.curve->largest_curvature() * reach;  // a metre of way, and the turn on it
      }
      // A rotor without shape or mass (armature alone): a radian counts as a metre.
      if (!(reach > 0)) reach = 1;
      for (int i = 0; i < std::min(link.nv, 3); ++i) {
        model->reach[link.v_start + i] = reach;
      }
    }
    merge_into_parent(*model, l, radius, &blobs);
  }
}

}  // namespace cenic::detail
