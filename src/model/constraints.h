// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Limits and constraints of a Model, from those of a ModelSpec. Private to the model module.
#pragma once

#include <string>

#include "model/model.h"

namespace cenic::detail {

// Appends the limit of the link that has the coordinate `k` of the joint, if it has any.
void add_limit(const JointSpec& joint, int k, int link, Model* model);

// Fills Model::tendons; needs bodies, joints and links, and a spec whose names were checked.
void fill_tendons(const ModelSpec& spec, Model* model);

// Fills Model::constraints; needs bodies, joints, links and tendons, and a spec whose names were
// checked.
void fill_constraints(const ModelSpec& spec, Model* model);

// "weld 'name'", or "weld between 'a' and 'b'" when it has no name.
std::string describe_constraint(ConstraintKind kind, const std::string& name, const std::string& a,
                                const std::string& b);

}  // namespace cenic::detail
