// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Topology: who hangs on whom, and what follows from it (order, trees, welds). Private to the model
// module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model_spec.h"
#include "model/problems.h"

namespace cenic::detail {

// Arrays over ModelSpec::bodies.
struct Topology {
  std::vector<int> parent;       // body; −1: world
  std::vector<int> tree;         // −1: anchored to the world
  std::vector<int> weld;         // see ContactClass
  std::vector<int> weld_parent;  // see ContactClass
  std::vector<int> order;        // the bodies, parents first, else as in the spec
  int num_trees = 0;
};

// Resolves the parents' names. Reports unknown parents and cycles; empty when there are any.
std::optional<Topology> make_topology(const ModelSpec& spec, Problems* problems);

// "body 'arm'", and "body 'arm', joint 'elbow'" or "body 'arm', joint 2" when it has no name.
std::string describe(const BodySpec& body);
std::string describe_joint(const BodySpec& body, int joint);

}  // namespace cenic::detail
