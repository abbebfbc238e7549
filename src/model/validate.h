// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Checks of single entries of a ModelSpec: names and numbers. Private to the model module.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "model/model_spec.h"
#include "model/problems.h"
#include "model/topology.h"

namespace cenic::detail {

// Names: no body without one, none twice, none called 'world'.
void check_names(const ModelSpec& spec, Problems* problems);

// Numbers of the world, of each body, its geometries and its joints.
void check_numbers(const ModelSpec& spec, Problems* problems);

// What the names of a spec mean.
struct SpecNames {
  explicit SpecNames(const ModelSpec& spec);
  struct NamedJoint {
    const JointSpec* joint = nullptr;
    int body = -1;
  };
  std::unordered_map<std::string, int> bodies{}, tendons{};
  std::unordered_map<std::string, NamedJoint> joints{};
};

// One joint of one body (validate_joint.cpp).
void check_joint(const BodySpec& body, int joint, Problems* problems);

// Names and numbers of the constraints, and whether there is something between their sides to
// constrain; the last needs the topology, null when there is none (validate_constraint.cpp).
void check_constraints(const ModelSpec& spec, const Topology* topology, Problems* problems);

// Of the tendons (validate_tendon.cpp).
void check_tendons(const ModelSpec& spec, const Topology* topology, Problems* problems);
// The trees that change its length; what is not known is left out.
std::set<int> find_trees(const TendonSpec& tendon, const SpecNames& names,
                         const Topology& topology);

// Stiffness is positive, infinite for rigid, and what is rigid has no damping.
void check_compliance(const std::string& who, const char* what, double stiffness, double damping,
                      Problems* problems);

}  // namespace cenic::detail
