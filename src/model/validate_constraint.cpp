// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <cmath>

#include <fmt/format.h>

#include "model/constraints.h"
#include "model/joint_layout.h"
#include "model/validate.h"

namespace cenic::detail {

namespace {

std::string describe(const ConstraintSpec& c) {
  return describe_constraint(c.kind, c.name, c.a, c.b);
}

// The two bodies must be there, and able to move against each other.
void check_bodies(const ConstraintSpec& c, const SpecNames& names, const Topology* topology,
                  Problems* problems) {
  const std::string who = describe(c);
  int weld[2] = {0, 0};  // as in ContactClass: 0 never moves
  bool known = true;
  for (int side = 0; side < 2; ++side) {
    const std::string& name = side == 0 ? c.a : c.b;
    if (name == kWorldName) continue;
    const auto found = names.bodies.find(name);
    if (found == names.bodies.end()) {
      problems->add(who, fmt::format("there is no body '{}'; name a body of the model or '{}'",
                                     name, kWorldName));
      known = false;
    } else if (topology != nullptr) {
      weld[side] = topology->weld[found->second];
    }
  }
  if (!known) return;
  if (c.a == c.b) {
    problems->add(who, fmt::format("both sides are '{}'; name two different bodies", c.a));
  } else if (topology != nullptr && weld[0] == weld[1]) {
    problems->add(
        who, weld[0] == 0
                 ? std::string("neither side can move; attach one of them to a body with a joint")
                 : fmt::format("'{}' and '{}' are one rigid piece, nothing moves between them; "
                               "remove the constraint, or put a joint between the bodies",
                               c.a, c.b));
  }
}

bool check_coordinate(const ConstraintSpec& c, const std::string& name, int coordinate,
                      const SpecNames& names, Problems* problems) {
  const std::string who = describe(c);
  const auto found = names.joints.find(name);
  if (found == names.joints.end()) {
    problems->add(who, fmt::format("there is no joint '{}'; name a joint of the model", name));
    return false;
  }
  const JointKind kind = found->second.joint->kind;
  if (kind == JointKind::kBall || kind == JointKind::kFree) {
    problems->add(who, fmt::format("joint '{}' is a {} joint, whose coordinates cannot be coupled; "
                                   "couple joints that turn about or slide along axes",
                                   name, to_string(kind)));
    return false;
  }
  const int n = num_positions(kind);
  if (coordinate < 0 || coordinate >= n) {
    problems->add(who,
                  fmt::format("joint '{}' has no coordinate {}; give {}", name, coordinate,
                              n == 1 ? std::string("0") : fmt::format("one of 0 to {}", n - 1)));
    return false;
  }
  return true;
}

void check_polynomial(const ConstraintSpec& c, Problems* problems) {
  const std::string who = describe(c);
  if (c.polynomial.empty()) {
    problems->add(who, "the polynomial is empty; give its coefficients, (0, 1) for equal ones");
  }
  for (const double x : c.polynomial) {
    if (!problems->check_finite(who, "a coefficient of the polynomial", x)) break;
  }
}

void check_tendon_sides(const ConstraintSpec& c, const SpecNames& names, Problems* problems) {
  const std::string who = describe(c);
  for (const std::string* name : {&c.a, &c.b}) {
    if (name == &c.b && name->empty()) continue;  // a constant length
    const auto found = names.tendons.find(*name);
    if (found == names.tendons.end()) {
      problems->add(who, fmt::format("there is no tendon '{}'; name a tendon of the model", *name));
    }
  }
  if (c.a == c.b) {
    problems->add(who, fmt::format("both sides are '{}'; name two different tendons", c.a));
  }
  check_polynomial(c, problems);
}

void check_coupler(const ConstraintSpec& c, const SpecNames& names, Problems* problems) {
  const std::string who = describe(c);
  const bool a_good = check_coordinate(c, c.a, c.coordinate_a, names, problems);
  const bool b_good = check_coordinate(c, c.b, c.coordinate_b, names, problems);
  if (a_good && b_good && c.a == c.b && c.coordinate_a == c.coordinate_b) {
    problems->add(
        who, fmt::format("both sides are the coordinate {} of joint '{}'; name two different ones",
                         c.coordinate_a, c.a));
  }
  check_polynomial(c, problems);
}

void check_distance(const ConstraintSpec& c, Problems* problems) {
  const std::string who = describe(c);
  if (problems->check_not_negative(who, "length", c.length) && std::isinf(c.stiffness) &&
      c.length == 0) {
    problems->add(
        who,
        "a rigid distance of length 0 has no direction; use a ball constraint to hold two "
        "points together");
  }
}

// What would be ignored is refused.
void check_springs(const ConstraintSpec& c, Problems* problems) {
  check_compliance(describe(c), "", c.stiffness, c.damping, problems);
  if (c.kind == ConstraintKind::kWeld) {
    check_compliance(describe(c), "rotational ", c.rotational_stiffness, c.rotational_damping,
                     problems);
  } else if (!std::isinf(c.rotational_stiffness) || c.rotational_damping != 0) {
    problems->add(describe(c),
                  "only a weld holds rotations; leave rotational_stiffness infinite and "
                  "rotational_damping zero");
  }
}

}  // namespace

void check_compliance(const std::string& who, const char* what, double stiffness, double damping,
                      Problems* problems) {
  if (!(stiffness > 0)) {
    problems->add(who, fmt::format("{}stiffness is {}; give a positive one, or infinity for rigid",
                                   what, stiffness));
  } else if (std::isinf(stiffness) && damping > 0) {
    problems->add(who, fmt::format("what is rigid has no {}damping; set it to zero, or give a "
                                   "stiffness",
                                   what));
  }
  problems->check_not_negative(who, fmt::format("{}damping", what).c_str(), damping);
}

void check_constraints(const ModelSpec& spec, const Topology* topology, Problems* problems) {
  if (spec.constraints.empty()) return;
  const SpecNames names(spec);
  for (const ConstraintSpec& c : spec.constraints) {
    check_springs(c, problems);
    if (c.kind == ConstraintKind::kDistance) {
      check_distance(c, problems);
    } else if (c.length != 0) {
      problems->add(describe(c), "only a distance has a length; leave it zero");
    }
    if (c.kind == ConstraintKind::kCoupler) {
      check_coupler(c, names, problems);
      continue;
    }
    if (c.kind == ConstraintKind::kTendon) {
      check_tendon_sides(c, names, problems);
      continue;
    }
    check_bodies(c, names, topology, problems);
    problems->check_pose(describe(c), "X_AP", c.X_AP);
    problems->check_pose(describe(c), "X_BQ", c.X_BQ);
  }
}

}  // namespace cenic::detail
