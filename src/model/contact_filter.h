// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which geometries may touch. Private to the model module.
#pragma once

#include "model/model.h"
#include "model/problems.h"
#include "model/topology.h"

namespace cenic::detail {

// Fills the fields of Model that may_touch() reads. Reports unknown names in exclude and pairs.
void fill_contact_filter(const ModelSpec& spec, const Topology& topology, Problems* problems,
                         Model* model);

// Reports pairs of rigid geometries that may touch: with two infinite stiffnesses nothing gives
// way. Needs the contact filter.
void check_rigid_pairs(const ModelSpec& spec, const Model& model, Problems* problems);

// The geometries in the order of Model::geometries: the world's, then each body's. f(body or −1,
// geometry).
template <class F>
void for_each_geometry(const ModelSpec& spec, F&& f) {
  for (const GeometrySpec& geometry : spec.world_geometries) {
    f(-1, geometry);
  }
  for (int b = 0; b < static_cast<int>(spec.bodies.size()); ++b) {
    for (const GeometrySpec& geometry : spec.bodies[b].geometries) {
      f(b, geometry);
    }
  }
}

// "body 'arm', geometry 'hand'"; a geometry without a name goes by its shape.
std::string describe_geometry(const ModelSpec& spec, int body, const GeometrySpec& geometry);

}  // namespace cenic::detail
