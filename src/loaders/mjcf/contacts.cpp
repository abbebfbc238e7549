// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <contact>, and what the contact parameters of MJCF become: stiffness, dissipation and friction of
// surfaces.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "model/pair_material.h"

namespace cenic::detail {
namespace {

void read_exclude(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world) {
  const Attributes a(element, world->diagnostics);
  const std::string body1 = a.text("body1"), body2 = a.text("body2");
  a.accept({"name"});
  for_each_copy(world, instance, element, {{MjcfKind::kBody, body1}, {MjcfKind::kBody, body2}},
                [&](const std::string& suffix) {
                  world->spec().exclude.push_back(
                      {resolve(*world, instance, MjcfKind::kBody, body1, suffix),
                       resolve(*world, instance, MjcfKind::kBody, body2, suffix)});
                });
}

bool is_listed(const MjcfWorld& world, const MjcfPair& pair) {
  const auto key = [](const MjcfPair& p) {
    return std::minmax(p.surface[0], p.surface[1]);
  };
  return std::ranges::any_of(world.pairs, [&](const MjcfPair& p) {
    return key(p) == key(pair);
  });
}

void read_pair(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world) {
  const Attributes a = instance.document->attributes(element, "", world->diagnostics);
  const std::string geom1 = a.text("geom1"), geom2 = a.text("geom2");
  MjcfPair given;
  given.contact = read_contact_parameters(a);
  // Two of sliding, torsional, two of rolling.
  const std::vector<double> friction = a.numbers_over("friction", {1, 1, 0.005, 0.0001, 0.0001});
  given.contact.friction = {std::max(friction[0], friction[1]), friction[2],
                            std::max(friction[3], friction[4])};
  a.accept({"name", "class"});
  a.approximate({"solref", "solimp"}, "translated to stiffness and dissipation");
  a.ignore({"solreffriction"}, "friction is not a spring here");
  a.ignore({"margin", "gap"}, "contacts are seen before they happen, whatever the margin");
  if (friction[0] != friction[1] || friction[3] != friction[4]) {
    a.report(Severity::kApproximated, "friction",
             "friction: the larger of two directions holds in both");
  }
  for_each_copy(world, instance, element, {{MjcfKind::kGeom, geom1}, {MjcfKind::kGeom, geom2}},
                [&](const std::string& suffix) {
                  ContactPair pair;
                  pair.a = resolve(*world, instance, MjcfKind::kGeom, geom1, suffix);
                  pair.b = resolve(*world, instance, MjcfKind::kGeom, geom2, suffix);
                  given.surface[0] = world->geom_index.at(pair.a);
                  given.surface[1] = world->geom_index.at(pair.b);
                  if (is_listed(*world, given)) {
                    world->report(element, Severity::kWarning,
                                  fmt::format("the pair '{}', '{}' stands here again; the first "
                                              "counts",
                                              pair.a, pair.b));
                    return;
                  }
                  for (const int surface : given.surface) {
                    world->geometry(world->surfaces[surface]).collides = world->options.contacts;
                  }
                  world->pairs.push_back(given);
                  world->spec().pairs.push_back(std::move(pair));
                });
}

// Two bodies in contact count with the series of their masses, and two surfaces with that of their
// stiffnesses, so the mass is the body's own.
void set_stiffness(const MjcfContact& contact, double mass, double gravity, Material* material) {
  const SoftConstraint soft = calc_soft_constraint(contact.solref, contact.solimp);
  const double stiffness = mass * soft.stiffness;
  material->stiffness = stiffness > 0 ? stiffness : 1;
  if (!std::isfinite(mass)) material->stiffness = std::numeric_limits<double>::infinity();
  // Of Hunt and Crossley's law at the depth of rest.
  material->dissipation = soft.damping / gravity;
}

Material make_material(const MjcfContact& contact, double mass, double gravity) {
  Material material;
  set_stiffness(contact, mass, gravity, &material);
  material.static_friction = material.dynamic_friction = std::max(0.0, contact.friction[0]);
  material.torsional_friction = std::max(0.0, contact.friction[1]);
  material.rolling_friction = std::max(0.0, contact.friction[2]);
  material.friction_rule = FrictionRule::kLarger;
  material.friction_dimensions = contact.condim;
  material.priority = contact.priority;
  return material;
}

}  // namespace

std::vector<double> calc_tree_masses(const ModelSpec& spec) {
  std::unordered_map<std::string_view, int> tree_of;  // by name; parents come first
  std::vector<int> tree(spec.bodies.size(), -1);
  std::vector<double> mass;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    const auto parent = tree_of.find(body.parent);
    if (parent != tree_of.end()) tree[b] = parent->second;
    if (tree[b] < 0 && !body.joints.empty()) {
      tree[b] = static_cast<int>(mass.size());
      mass.push_back(0);
    }
    tree_of.emplace(body.name, tree[b]);
    if (tree[b] >= 0 && body.inertia) mass[tree[b]] += body.inertia->mass;
  }
  std::vector<double> result;
  result.reserve(tree.size());
  for (const int t : tree) {
    result.push_back(t < 0 ? std::numeric_limits<double>::infinity() : mass[t]);
  }
  return result;
}

// MuJoCo keeps a + d (b v + k r) = (1 − d) a₀, a₀ the acceleration without the constraint, so a
// mass m rests at the depth r = g (1 − d)/(d k): as on a spring of stiffness m k d/(1 − d), and its
// damping is d b m.
SoftConstraint calc_soft_constraint(const std::array<double, 2>& solref,
                                    const std::array<double, 5>& solimp) {
  const double d = std::clamp(solimp[1], 1e-4, 0.9999);
  const auto [time, ratio] = solref;
  const double b = time > 0 ? 2 / (d * time) : -ratio / d;
  const double k = time > 0 ? 1 / (d * time * time * ratio * ratio) : -time / d;
  return {.stiffness = std::max(0.0, k * d / (1 - d)), .damping = std::max(0.0, d * b)};
}

void read_contact_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "contact", [&](const XmlElement& child) {
    if (child.name == "exclude") read_exclude(instance, child, world);
    if (child.name == "pair") read_pair(instance, child, world);
  });
}

void translate_contacts(MjcfWorld* world) {
  const std::vector<double> masses = calc_tree_masses(world->spec());
  constexpr double kEarth = 9.81;
  const double weight = norm(world->spec().gravity), g = weight > 0 ? weight : kEarth;
  const auto mass_of = [&](const MjcfSurface& s) {
    return s.body < 0 ? std::numeric_limits<double>::infinity() : masses[s.body];
  };
  bool any = false;
  for (const MjcfSurface& s : world->surfaces) {
    GeometrySpec& geometry = world->geometry(s);
    any = any || geometry.collides;
    geometry.material = make_material(s.contact, mass_of(s), g);
  }
  for (std::size_t p = 0; p < world->pairs.size(); ++p) {
    const MjcfPair& pair = world->pairs[p];
    Material side[2];
    for (int i = 0; i < 2; ++i) {
      side[i] = make_material(pair.contact, mass_of(world->surfaces[pair.surface[i]]), g);
    }
    world->spec().pairs[p].material = combine_materials(side[0], side[1]);
  }
  if (any) {
    const XmlElement& root = *world->instances.front()->document->root;
    world->report(root, Severity::kApproximated,
                  "contacts: stiffness and dissipation are estimated from solref, solimp and the "
                  "masses, given or not");
  }
}

}  // namespace cenic::detail
