// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <contact>, <equality> and the tendons that distances need.
#include <algorithm>
#include <cmath>

#include "loaders/mjcf/mjcf_writer.h"
#include "loaders/mjcf/world.h"

namespace cenic::detail {

void MjcfWriter::write_contacts() {
  for (const ContactFilter& filter : spec_.exclude) {
    Element* exclude = section("contact")->InsertNewChildElement("exclude");
    set(exclude, "body1", filter.a);
    set(exclude, "body2", filter.b);
  }
  for (const ContactPair& pair : spec_.pairs) {
    Element* element = section("contact")->InsertNewChildElement("pair");
    set(element, "geom1", pair.a);
    set(element, "geom2", pair.b);
    if (!pair.material) {
      note("pairs have MuJoCo's own friction and stiffness", pair.a + ", " + pair.b);
      continue;
    }
    const PairMaterial& m = *pair.material;
    const double sliding = m.dynamic_friction, rolling = m.rolling_friction;
    set(element, "friction",
        print_list(std::vector{sliding, sliding, m.torsional_friction, rolling, rolling}));
    const int condim = rolling > 0 ? 6 : m.torsional_friction > 0 ? 4 : sliding > 0 ? 3 : 1;
    set(element, "condim", fmt::format("{}", condim));
    note("stiffness and dissipation of pairs are MuJoCo's own", pair.a + ", " + pair.b);
  }
}

void MjcfWriter::write_constraint(const ConstraintSpec& constraint) {
  switch (constraint.kind) {
    case ConstraintKind::kBall:
      return write_connect(constraint);
    case ConstraintKind::kWeld:
      return write_weld(constraint);
    case ConstraintKind::kDistance:
      return write_distance(constraint);
    case ConstraintKind::kCoupler:
      return write_coupler(constraint);
    case ConstraintKind::kTendon:
      return write_tendon_constraint(constraint);
  }
}

// MJCF gives the point on the first body; on the second it is where that is at first.
void MjcfWriter::write_connect(const ConstraintSpec& c) {
  const Vec3 P = initial_pose(c.a) * c.X_AP.p, Q = initial_pose(c.b) * c.X_BQ.p;
  if (norm(P - Q) > 1e-9) {
    note("ball constraints that are open at first are left out", c.name);
    return;
  }
  const bool swap = c.a == kWorldName;
  Element* element = section("equality")->InsertNewChildElement("connect");
  if (!c.name.empty()) set(element, "name", c.name);
  set(element, "body1", swap ? c.b : c.a);
  if ((swap ? c.a : c.b) != kWorldName) set(element, "body2", swap ? c.a : c.b);
  set(element, "anchor", print(swap ? c.X_BQ.p : c.X_AP.p));
}

void MjcfWriter::write_weld(const ConstraintSpec& c) {
  const bool swap = c.a == kWorldName;
  const RigidTransform X_AB = c.X_AP * inverse(c.X_BQ), X = swap ? inverse(X_AB) : X_AB;
  Element* element = section("equality")->InsertNewChildElement("weld");
  if (!c.name.empty()) set(element, "name", c.name);
  set(element, "body1", swap ? c.b : c.a);
  if ((swap ? c.a : c.b) != kWorldName) set(element, "body2", swap ? c.a : c.b);
  set(element, "relpose", print(X.p) + " " + print(to_quaternion(X.R)));
}

std::string MjcfWriter::add_site(const std::string& body, const Vec3& p) {
  std::string name = fmt::format("site#{}", ++num_sites_);
  Element* site = body_elements_.at(body)->InsertNewChildElement("site");
  set(site, "name", name);
  set(site, "pos", print(p));
  return name;
}

// A tendon between two points: of a length that is kept, or with a spring.
void MjcfWriter::write_distance(const ConstraintSpec& c) {
  const std::string name = fmt::format("tendon#{}", ++num_tendons_);
  Element* tendon = section("tendon")->InsertNewChildElement("spatial");
  set(tendon, "name", name);
  for (const auto& [body, p] : {std::pair{&c.a, c.X_AP.p}, std::pair{&c.b, c.X_BQ.p}}) {
    set(tendon->InsertNewChildElement("site"), "site", add_site(*body, p));
  }
  if (std::isfinite(c.stiffness)) {
    set(tendon, "stiffness", c.stiffness);
    set(tendon, "damping", c.damping);
    set(tendon, "springlength", c.length);
    return;
  }
  const double at_zero = norm(initial_pose(c.a) * c.X_AP.p - initial_pose(c.b) * c.X_BQ.p);
  Element* element = section("equality")->InsertNewChildElement("tendon");
  if (!c.name.empty()) set(element, "name", c.name);
  set(element, "tendon1", name);
  set(element, "polycoef", fmt::format("{} 1 0 0 0", c.length - at_zero));
}

// Its length with all joints at their initial coordinates; NaN when MJCF cannot have the tendon.
double MjcfWriter::write_tendon(const TendonSpec& t) {
  const bool wraps = std::ranges::any_of(t.branches, [](const PathBranch& branch) {
    return !branch.obstacles.empty();
  });
  const bool known = std::ranges::all_of(t.joints, [&](const TendonPart& part) {
    return !find_part(part.joint, 0).name.empty();
  });
  if (wraps || !known) {
    note("tendons around obstacles, or of joints that are no hinges and slides, are left out",
         t.name);
    return NAN;
  }
  double length = 0;
  Element* tendon =
      section("tendon")->InsertNewChildElement(t.joints.empty() ? "spatial" : "fixed");
  set(tendon, "name", t.name);
  if (std::isfinite(t.lower) || std::isfinite(t.upper)) {
    set(tendon, "limited", "true");
    set(tendon, "range", print_range(t.lower, t.upper));
  }
  if (t.armature > 0) set(tendon, "armature", t.armature);
  for (const TendonPart& part : t.joints) {
    const MjcfJointPart joint = find_part(part.joint, 0);
    Element* element = tendon->InsertNewChildElement("joint");
    set(element, "joint", joint.name);
    set(element, "coef", part.coefficient);
    length += part.coefficient * joint.ref;
  }
  for (const PathBranch& branch : t.branches) {
    if (&branch != &t.branches.front() || branch.divisor != 1) {
      set(tendon->InsertNewChildElement("pulley"), "divisor", branch.divisor);
    }
    const PathPoint* last = nullptr;
    for (const PathPoint& point : branch.points) {
      set(tendon->InsertNewChildElement("site"), "site", add_site(point.body, point.p_B));
      if (last != nullptr) {
        const Vec3 from = initial_pose(last->body) * last->p_B;
        length += norm(initial_pose(point.body) * point.p_B - from) / branch.divisor;
      }
      last = &point;
    }
  }
  return length;
}

// In MJCF of the changes of length since the start.
void MjcfWriter::write_tendon_constraint(const ConstraintSpec& c) {
  constexpr std::size_t kMost = 5;
  const double a = tendon_lengths_[c.a], b = c.b.empty() ? 0 : tendon_lengths_[c.b];
  std::vector<double> polynomial =
      c.b.empty() ? std::vector{c.polynomial[0] - a} : shift_polynomial(c.polynomial, -a, -b);
  if (!std::isfinite(a + b) || polynomial.size() > kMost) {
    note("constraints of tendons that are left out, or of a degree above four, are left out",
         c.name);
    return;
  }
  polynomial.resize(kMost, 0);
  Element* element = section("equality")->InsertNewChildElement("tendon");
  if (!c.name.empty()) set(element, "name", c.name);
  set(element, "tendon1", c.a);
  if (!c.b.empty()) set(element, "tendon2", c.b);
  set(element, "polycoef", print_list(polynomial));
}

MjcfJointPart MjcfWriter::find_part(const std::string& joint, int k) const {
  const auto found = joints_.find(joint);
  if (found == joints_.end()) return {};
  const std::vector<MjcfJointPart> parts = split_joint(*found->second);
  const bool known = k >= 0 && k < static_cast<int>(parts.size()) && !(parts[k].axis == Vec3{});
  return known ? parts[k] : MjcfJointPart{};
}

// In MJCF of the distances from the initial coordinates.
void MjcfWriter::write_coupler(const ConstraintSpec& c) {
  constexpr std::size_t kMost = 5;
  const MjcfJointPart a = find_part(c.a, c.coordinate_a), b = find_part(c.b, c.coordinate_b);
  std::vector<double> polynomial = shift_polynomial(c.polynomial, -a.ref, -b.ref);
  if (a.name.empty() || b.name.empty() || polynomial.size() > kMost) {
    note("couplers of rotations in space, or of a degree above four, are left out", c.name);
    return;
  }
  polynomial.resize(kMost, 0);
  Element* element = section("equality")->InsertNewChildElement("joint");
  if (!c.name.empty()) set(element, "name", c.name);
  set(element, "joint1", a.name);
  set(element, "joint2", b.name);
  set(element, "polycoef", print_list(polynomial));
}

}  // namespace cenic::detail
