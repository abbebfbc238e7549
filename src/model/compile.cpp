// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// compile(): check the spec, then lay bodies out as links, links as trees, and everything in flat
// arrays.
#include <algorithm>
#include <cmath>

#include "model/constraints.h"
#include "model/contact_filter.h"
#include "model/joint_layout.h"
#include "model/mass_properties.h"
#include "model/model.h"
#include "model/pressure_fields.h"
#include "model/reach.h"
#include "model/systems.h"
#include "model/topology.h"
#include "model/validate.h"

namespace cenic {

namespace detail {
namespace {

// Appends the velocities of one link to the per-velocity arrays.
void add_dofs(const JointSpec& joint, int link_index, int nv, Model* model) {
  for (int i = 0; i < nv; ++i) {
    model->damping.push_back(joint.damping);
    model->armature.push_back(joint.armature);
    model->stiffness.push_back(joint.stiffness);
    model->dry_friction.push_back(joint.dry_friction);
    model->dof_link.push_back(link_index);
  }
  model->nv += nv;
}

// Coordinates as given; else zero, and for a free body the pose it was placed at.
std::vector<double> make_positions(const BodySpec& body, const JointSpec& joint,
                                   const std::vector<double>& given) {
  if (joint.kind != JointKind::kFree || !given.empty()) {
    return complete_positions(joint.kind, given);
  }
  const Quat e = to_quaternion(body.X_PB.R);
  return {e.w, e.x, e.y, e.z, body.X_PB.p.x, body.X_PB.p.y, body.X_PB.p.z};
}

// Appends the links of one joint; `parent` is the link it hangs on and becomes its last link.
// At zero coordinates each link's frame is the body frame: the first is placed by X_PB, the others
// sit on top.
Joint add_joint(const BodySpec& body, const JointSpec& spec, bool first, int* parent,
                Model* model) {
  Joint joint{.name = spec.name, .kind = spec.kind, .q_start = model->nq, .v_start = model->nv};
  for (const Mobilizer& mobilizer : mobilizers_of(spec.kind)) {
    Link link{
        .kind = mobilizer.kind, .parent = *parent, .q_start = model->nq, .v_start = model->nv};
    link.nq = num_positions(mobilizer.kind);
    link.nv = num_velocities(mobilizer.kind);
    if (mobilizer.kind != MobilizerKind::kFree) {
      link.X_PF = first ? body.X_PB * spec.X_BF : spec.X_BF;
      link.X_MB = inverse(spec.X_BF);
    }
    link.axis_F = normalized(mobilizer.axis_F == Vec3{} ? spec.axis : mobilizer.axis_F);
    link.pitch = spec.kind == JointKind::kScrew ? spec.pitch : 0.0;
    if (spec.kind == JointKind::kCurvilinear) {
      link.curve = std::make_shared<const PlanarCurve>(spec.curve, spec.periodic);
    }
    first = false;
    *parent = static_cast<int>(model->links.size());
    add_limit(spec, model->nq - joint.q_start, *parent, model);
    model->nq += link.nq;
    add_dofs(spec, *parent, link.nv, model);
    model->links.push_back(link);
  }
  joint.nq = model->nq - joint.q_start;
  joint.nv = model->nv - joint.v_start;

  const auto append = [](const std::vector<double>& from, std::vector<double>* to) {
    to->insert(to->end(), from.begin(), from.end());
  };
  append(make_positions(body, spec, spec.position), &model->q0);
  append(make_positions(body, spec, spec.rest), &model->rest);
  append(spec.velocity.empty() ? std::vector<double>(joint.nv, 0.0) : spec.velocity, &model->v0);
  return joint;
}

// Appends the links of one body, the last of which carries it.
void add_body(const ModelSpec& spec, const Topology& topology, int b, int first_joint,
              Model* model) {
  const BodySpec& body = spec.bodies[b];
  const int parent_body = topology.parent[b];
  const std::size_t first_link = model->links.size();
  int link = parent_body < 0 ? -1 : model->bodies[parent_body].link;
  if (body.joints.empty()) {
    model->links.push_back(
        {.parent = link, .q_start = model->nq, .v_start = model->nv, .X_PF = body.X_PB});
    link = static_cast<int>(model->links.size()) - 1;
  }
  for (std::size_t j = 0; j < body.joints.size(); ++j) {
    Joint& joint = model->joints[first_joint + j];
    joint = add_joint(body, body.joints[j], j == 0, &link, model);
    joint.body = b;
  }
  for (std::size_t l = first_link; l < model->links.size(); ++l) {
    model->links[l].body = b;
    model->links[l].tree = topology.tree[b];
  }
  Link& carrier = model->links[link];
  carrier.M_BBo_B = calc_body_inertia(body);
  carrier.gravity_factor = 1 - body.gravity_compensation;
  if (carrier.tree >= 0) model->total_mass += carrier.M_BBo_B.mass;
  model->bodies[b] = {.name = body.name, .parent = parent_body, .link = link};
}

void add_bodies(const ModelSpec& spec, const Topology& topology, Model* model) {
  std::vector<int> first_joint(spec.bodies.size() + 1, 0);
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    first_joint[b + 1] = first_joint[b] + static_cast<int>(spec.bodies[b].joints.size());
  }
  model->bodies.resize(spec.bodies.size());
  model->joints.resize(first_joint.back());
  // Anchored bodies (tree −1) first, then tree after tree; within a tree the order stays parents
  // first.
  std::vector<int> order = topology.order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return topology.tree[a] < topology.tree[b];
  });
  for (const int b : order) {
    add_body(spec, topology, b, first_joint[b], model);
  }
}

void add_trees(int num_trees, Model* model) {
  model->trees.resize(num_trees);
  for (int l = 0; l < static_cast<int>(model->links.size()); ++l) {
    const Link& link = model->links[l];
    if (link.tree < 0) {
      ++model->num_anchored_links;
      continue;
    }
    Tree& tree = model->trees[link.tree];
    if (tree.link_end == 0) {
      tree.link_begin = l;
      tree.q_start = link.q_start;
      tree.v_start = link.v_start;
    }
    tree.link_end = l + 1;
    tree.nq += link.nq;
    tree.nv += link.nv;
    // One link, free: true at the first link, false again at a second one.
    tree.free_body = link.kind == MobilizerKind::kFree && l == tree.link_begin;
  }
}

void add_geometries(const ModelSpec& spec, Model* model) {
  for_each_geometry(spec, [&](int body, const GeometrySpec& geometry) {
    model->geometries.push_back({.link = body < 0 ? -1 : model->bodies[body].link,
                                 .body = body,
                                 .bounding_radius = calc_bounding_radius(geometry.shape),
                                 .X_LG = geometry.X_BG,
                                 .shape = geometry.shape,
                                 .material = geometry.material,
                                 .collides = geometry.collides,
                                 .visible = geometry.visible,
                                 .group = geometry.group,
                                 .mask = geometry.mask,
                                 .color = geometry.color,
                                 .texture = geometry.texture,
                                 .name = geometry.name,
                                 .surface_velocity = geometry.surface_velocity});
  });
  // Of a body that would not be seen, what collides.
  std::vector<char> seen(model->bodies.size() + 1, 0);
  for (const Geometry& g : model->geometries) {
    if (g.visible) seen[1 + g.body] = 1;
  }
  for (Geometry& g : model->geometries) {
    if (seen[1 + g.body] == 0) g.visible = true;
  }
}

}  // namespace
}  // namespace detail

std::shared_ptr<const Model> compile(const ModelSpec& spec) {
  auto model = std::make_shared<Model>();

  // Everything that can be checked is checked before giving up.
  detail::Problems problems;
  detail::check_names(spec, &problems);
  detail::check_numbers(spec, &problems);
  const auto topology = detail::make_topology(spec, &problems);
  detail::check_tendons(spec, topology ? &*topology : nullptr, &problems);
  detail::check_constraints(spec, topology ? &*topology : nullptr, &problems);
  if (topology) {
    detail::check_moved_mass(spec, *topology, &problems);
    detail::fill_contact_filter(spec, *topology, &problems, model.get());
    detail::check_rigid_pairs(spec, *model, &problems);
  }
  problems.raise(spec.name);

  model->name = spec.name;
  model->notes = spec.notes;
  model->gravity = spec.gravity;
  model->stiction_velocity = spec.stiction_velocity;
  model->friction_transition = spec.friction_transition;
  detail::add_bodies(spec, *topology, model.get());
  detail::add_trees(topology->num_trees, model.get());
  detail::add_geometries(spec, model.get());
  detail::fill_pressure_fields(spec, &problems, model.get());
  detail::fill_tendons(spec, model.get());
  detail::fill_constraints(spec, model.get());
  detail::fill_reach(model.get());
  detail::bind_systems(spec, &problems, model.get());
  problems.raise(spec.name);
  return model;
}

}  // namespace cenic
