// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <equality>: constraints, rigid unless the file makes them soft.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"

namespace cenic::detail {

// By Horner's rule.
std::vector<double> shift_polynomial(const std::vector<double>& c, double a0, double b0) {
  std::vector<double> p{0};
  for (std::size_t k = c.size(); k-- > 0;) {
    std::vector<double> next(p.size() + 1, 0);  // p (q_b − b0) + c_k
    for (std::size_t i = 0; i < p.size(); ++i) {
      next[i + 1] += p[i];
      next[i] -= b0 * p[i];
    }
    next[0] += c[k];
    p = std::move(next);
  }
  p[0] += a0;
  while (p.size() > 1 && p.back() == 0) {
    p.pop_back();
  }
  return p;
}

namespace {

class EqualityReader {
 public:
  EqualityReader(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world)
      : instance_(instance),
        element_(element),
        world_(*world),
        a_(instance.document->attributes(element, "", world->diagnostics, "equality")) {}

  void read() {
    const bool active = a_.flag("active", true);
    soft_ = read_soft_parameters(a_, "solref", "solimp");
    a_.accept({"class", "name"});
    if (!active || !world_.options.equality) {
      world_.ignore(element_, fmt::format("<{}>: it is not active", element_.name));
    } else if (element_.name == "connect") {
      read_bodies(ConstraintKind::kBall);
    } else if (element_.name == "weld") {
      torque_scale_ = a_.number("torquescale", 1);
      if (!is_soft(soft_)) a_.ignore({"torquescale"}, "the constraint is rigid");
      if (!(torque_scale_ > 0)) {
        a_.error("torquescale", "torquescale is not positive; use <connect> to hold a point alone");
        return;
      }
      read_bodies(ConstraintKind::kWeld);
    } else if (element_.name == "joint") {
      read_joints();
    } else if (element_.name == "tendon") {
      read_tendons();
    } else {
      world_.ignore(element_, fmt::format("<{}>: not known among constraints", element_.name));
    }
  }

 private:
  std::string name(const std::string& suffix) const {
    return make_name(instance_, a_.text("name"), suffix);
  }
  int body_of(const std::string& full) const {
    const auto found = world_.body_index.find(full);
    return found == world_.body_index.end() ? -1 : found->second;
  }

  void read_bodies(ConstraintKind kind) {
    if (a_.has("site1") || a_.has("site2")) {
      read_sites(kind);
      return;
    }
    const std::string body1 = a_.text("body1"), body2 = a_.text("body2", kWorldName);
    const Vec3 anchor = a_.vector("anchor", {});
    const std::vector<double> relpose = a_.numbers("relpose", 7, 7);
    for_each_copy(
        &world_, instance_, element_, {{MjcfKind::kBody, body1}, {MjcfKind::kBody, body2}},
        [&](const std::string& suffix) {
          ConstraintSpec c{.name = name(suffix), .kind = kind};
          c.a = resolve(world_, instance_, MjcfKind::kBody, body1, suffix);
          c.b = resolve(world_, instance_, MjcfKind::kBody, body2, suffix);
          const RigidTransform X_AB =
              inverse(world_.pose(body_of(c.a))) * world_.pose(body_of(c.b));
          if (kind == ConstraintKind::kBall) {
            c.X_AP.p = anchor;
            c.X_BQ.p = inverse_times(X_AB, anchor);
          } else {
            c.X_AP = X_AB;
            const Quat q = relpose.empty() ? Quat{0, 0, 0, 0}
                                           : Quat{relpose[3], relpose[4], relpose[5], relpose[6]};
            if (norm(q) > 0) {
              c.X_AP = {to_matrix(normalized(q)), {relpose[0], relpose[1], relpose[2]}};
            }
          }
          soften(body_of(c.a), body_of(c.b), &c);
          world_.spec().constraints.push_back(std::move(c));
        });
  }

  // Of a constraint between two bodies.
  void soften(int a, int b, ConstraintSpec* c) {
    if (!is_soft(soft_) || world_.skeleton() == nullptr) return;
    const auto w_a = world_.skeleton()->calc_body_inverse(a);
    const auto w_b = world_.skeleton()->calc_body_inverse(b);
    set_spring(w_a.translation + w_b.translation, c);
    if (c->kind != ConstraintKind::kWeld) return;
    const SoftSpring turning = calc_soft_spring(soft_, w_a.rotation + w_b.rotation);
    // Its error is half the angle, as quaternions have it, times the scale.
    const double square = 0.25 * torque_scale_ * torque_scale_;
    c->rotational_stiffness = square * turning.stiffness;
    c->rotational_damping = square * turning.damping;
  }

  void set_spring(double inverse_mass, ConstraintSpec* c) const {
    const SoftSpring spring = calc_soft_spring(soft_, inverse_mass);
    c->stiffness = spring.stiffness;
    c->damping = spring.damping;
  }

  void read_sites(ConstraintKind kind) {
    const std::string site1 = a_.text("site1"), site2 = a_.text("site2");
    for_each_copy(
        &world_, instance_, element_, {{MjcfKind::kSite, site1}, {MjcfKind::kSite, site2}},
        [&](const std::string& suffix) {
          const auto place = [&](const std::string& site) {
            return world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, site, suffix));
          };
          const MjcfPlace P = place(site1), Q = place(site2);
          ConstraintSpec c{.name = name(suffix),
                           .kind = kind,
                           .a = world_.body_name(P.body),
                           .b = world_.body_name(Q.body),
                           .X_AP = P.X_B,
                           .X_BQ = Q.X_B};
          soften(P.body, Q.body, &c);
          world_.spec().constraints.push_back(std::move(c));
        });
  }

  const MjcfJoint* one_axis_joint(const std::string& full) {
    const MjcfJoint& joint = world_.joints[world_.joint_index.at(full)];
    if (joint.data.type == JointType::kHinge || joint.data.type == JointType::kSlide) return &joint;
    a_.error("joint1", fmt::format("joint '{}' is no hinge or slide", full));
    return nullptr;
  }

  void read_joints() {
    const std::string joint1 = a_.text("joint1"), joint2 = a_.text("joint2");
    const std::vector<double> c = a_.numbers_over("polycoef", {0, 1, 0, 0, 0});
    std::vector<MjcfReference> references{{MjcfKind::kJoint, joint1}};
    if (!joint2.empty()) references.push_back({MjcfKind::kJoint, joint2});
    for_each_copy(&world_, instance_, element_, references, [&](const std::string& suffix) {
      const std::string full1 = resolve(world_, instance_, MjcfKind::kJoint, joint1, suffix);
      const MjcfJoint* first = one_axis_joint(full1);
      if (first == nullptr) return;
      if (joint2.empty()) {  // held where it is
        JointSpec& joint = world_.joint(*first);
        joint.lower = joint.upper = {first->data.ref + c[0]};
        const SoftSpring spring = calc_soft_spring(soft_, joint_inverse(full1));
        joint.limit_stiffness = spring.stiffness;
        joint.limit_damping = spring.damping;
        return;
      }
      const std::string full2 = resolve(world_, instance_, MjcfKind::kJoint, joint2, suffix);
      const MjcfJoint* second = one_axis_joint(full2);
      if (second == nullptr) return;
      ConstraintSpec coupler{.name = name(suffix),
                             .kind = ConstraintKind::kCoupler,
                             .a = full1,
                             .b = full2,
                             .polynomial = shift_polynomial(c, first->data.ref, second->data.ref)};
      set_spring(joint_inverse(full1) + joint_inverse(full2), &coupler);
      world_.spec().constraints.push_back(std::move(coupler));
    });
  }

  // Asked for only where it matters.
  double joint_inverse(const std::string& full) {
    if (!is_soft(soft_) || world_.skeleton() == nullptr) return 0;
    return world_.skeleton()->calc_joint_inverse(world_.joint_index.at(full));
  }

  // Of the changes of length since the start; without a second tendon, the first keeps its own.
  void read_tendons() {
    const std::string tendon1 = a_.text("tendon1"), tendon2 = a_.text("tendon2");
    const std::vector<double> c = a_.numbers_over("polycoef", {0, 1, 0, 0, 0});
    std::vector<MjcfReference> references{{MjcfKind::kTendon, tendon1}};
    if (!tendon2.empty()) references.push_back({MjcfKind::kTendon, tendon2});
    for_each_copy(&world_, instance_, element_, references, [&](const std::string& suffix) {
      std::vector<MjcfTendon*> tendons;
      tendons.reserve(references.size());
      for (const MjcfReference& r : references) {
        tendons.push_back(
            &world_.tendons.at(resolve(world_, instance_, MjcfKind::kTendon, r.name, suffix)));
      }
      double inverse = 0;
      std::set<std::string> trees;
      for (const MjcfTendon* t : tendons) {
        const auto skeleton = make_skeleton(world_.spec(), t->transmission);
        if (!skeleton) return;  // nor will the model compile
        inverse += skeleton->calc_response().inverse_mass;
        trees.merge(skeleton->list_trees());
      }
      if (trees.empty()) {
        world_.report(element_, Severity::kIgnored, "<tendon>: nothing moves these tendons");
        return;
      }
      ConstraintSpec spec{.name = name(suffix), .kind = ConstraintKind::kTendon};
      spec.a = require_tendon(&world_, tendons[0]).name;
      spec.polynomial = {tendons[0]->length + c[0]};
      if (tendons.size() == 2) {
        spec.b = require_tendon(&world_, tendons[1]).name;
        spec.polynomial = shift_polynomial(c, tendons[0]->length, tendons[1]->length);
      }
      set_spring(inverse, &spec);
      world_.spec().constraints.push_back(std::move(spec));
    });
  }

  const MjcfInstance& instance_;
  const XmlElement& element_;
  MjcfWorld& world_;
  const Attributes a_;
  SoftParameters soft_{};
  double torque_scale_ = 1;
};

}  // namespace

void read_equality_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "equality", [&](const XmlElement& child) {
    EqualityReader(instance, child, world).read();
  });
}

}  // namespace cenic::detail
