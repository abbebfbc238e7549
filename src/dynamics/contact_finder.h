// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which geometries touch, or may touch within a step, at a state: broad phase, narrow phase,
// material rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "dynamics/contact_point.h"
#include "dynamics/options.h"
#include "dynamics/surface_contacts.h"
#include "geometry/broad_phase.h"
#include "geometry/height_field_contact.h"
#include "geometry/manifold.h"
#include "model/model.h"
#include "multibody/multibody.h"

namespace cenic {

class ContactFinder {
 public:
  explicit ContactFinder(const Model& model);

  // Replaces `contacts` by all points that overlap at the kinematics' configuration or, when
  // speculative, close their gap at their present speed within `horizon` seconds or are closer than
  // the proximity. Contacts of a pair of geometries stand together.
  void find(const Kinematics& kin, double horizon, const ContactOptions& options,
            std::vector<ContactPoint>* contacts);

  // From now on uses the candidate pairs of another finder of the model as long as they will do:
  // the middle of a step is within the boxes swept from its start. It must outlive the finds.
  void borrow_candidates(const ContactFinder& lender) { lender_ = &lender; }

  // From now on finds contacts of these trees alone, among themselves and with what is anchored, as
  // long as they stay within the boxes in which `whole` looked for contacts last; it must outlive
  // the finds. Contacts with other trees are not added, but noted where they press or will.
  void restrict_to(std::span<const int> trees, const ContactFinder& whole);
  // Of a restricted finder: the members' boxes at a state, and the other trees near them there,
  // which find() then needs the kinematics of.
  std::span<const int> find_neighbours(const Kinematics& kin, double horizon,
                                       const ContactOptions& options);
  struct Outside {
    std::vector<int> touched;  // other trees that the given ones touched, possibly repeated
    bool left = false;         // one of them left its box
  };
  const Outside& outside() const { return outside_; }  // since restrict_to()
  bool is_member(int tree) const { return role_[tree] == kMember; }

  // The longest step for which it is sure that nothing passes unseen: gaps to meshes are seen no
  // further than their fields go out, and of a height field only what is below now.
  double safe_step() const { return safe_step_; }

  // Energy of the compressed solids and springs of contacts that find() has found, J.
  double calc_elastic_energy(std::span<const ContactPoint> contacts) const;
  static double calc_point_energy(std::span<const ContactPoint> contacts);
  void exchange(Archive* archive) { surfaces_.exchange(archive); }
  void rewind() { surfaces_.rewind(); }  // before the last find is repeated
  SurfaceCounters take_surface_counters() { return surfaces_.take_counters(); }

 private:
  // What two geometries have in common while their contacts are looked for.
  struct Pair {
    int a, b;
    double share;    // of the deformation that B takes
    double reach;    // distance that they may come closer within the horizon
    double horizon;  // 0: no speculative points
    double nearby;   // speculative points closer than this are always in
  };
  enum class PointRule { kAll, kFallback };
  void update_boxes(const Kinematics& kin, double horizon, const ContactOptions& options);
  void update_box(int b, const Kinematics& kin, double sweep, double inflation);
  void update_candidates();
  bool fit_into(const std::vector<Aabb>& fat_boxes) const;
  struct Travel {
    Vec3 along;
    double turn = 0;
  };
  Travel place(int geometry, const Kinematics& kin, double sweep);
  void add_pair(int a, int b, const Kinematics& kin, double horizon, const ContactOptions& options,
                std::vector<ContactPoint>* contacts);
  // Points of the manifold between the two shapes, or of their contact surface.
  void add_points(const Pair& pair, const Kinematics& kin, const ContactOptions& options,
                  PointRule rule, std::vector<ContactPoint>* contacts);
  // Of a shape with a height field, which comes second in the pair.
  void add_height_field(const Pair& pair, const Kinematics& kin,
                        std::vector<ContactPoint>* contacts);
  void add_point(const Pair& pair, const Kinematics& kin, const PairMaterial& material,
                 const ManifoldPoint& point, const Vec3& nhat_AB_W,
                 std::vector<ContactPoint>* contacts) const;
  SurfaceContacts::Motion calc_motion(const Pair& pair, const Kinematics& kin) const;
  // False: other contact may still be found between the two.
  bool add_surface(const Pair& pair, const Kinematics& kin, const ContactOptions& options,
                   std::vector<ContactPoint>* contacts);
  // Fills in the rest of the last point, or takes it away when it is a gap that will not close.
  void complete_last(const Pair& pair, const Kinematics& kin, const PairMaterial& material,
                     std::vector<ContactPoint>* contacts) const;

  const Model& model_;
  BroadPhase broad_phase_;
  std::vector<int> bounded_, half_spaces_;  // colliding geometries
  std::vector<int> members_;   // of bounded_ (indices): those whose contacts are sought
  std::vector<int> box_tree_;  // tree of each of bounded_; −1: anchored
  // Of a restricted finder: other trees and their geometries near the members.
  const ContactFinder* whole_ = nullptr;
  std::vector<int> neighbours_;  // near the members at the present state
  static constexpr char kMember = 1, kNeighbour = 2;
  std::vector<char> role_;  // of each tree
  Outside outside_;
  std::vector<ContactPoint> foreign_;  // contacts with neighbours
  std::vector<RigidTransform> X_WG_;   // (num_geometries)
  std::vector<double>
      reach_;  // distance a surface point may travel within the horizon (num_geometries)
  std::vector<Aabb> boxes_;       // of bounded_, swept over the horizon
  std::vector<Aabb> fat_boxes_;   // boxes_ with slack at the last broad phase
  std::vector<IndexPair> pairs_;  // of fat_boxes_: candidates while every box is inside its fat one
  const std::vector<IndexPair>* candidates_ = nullptr;  // of the last find: these, or borrowed ones
  const ContactFinder* lender_ = nullptr;
  Manifold manifold_;
  HeightFieldCollider height_field_;
  SurfaceContacts surfaces_;
  double safe_step_ = 0;
};

}  // namespace cenic
