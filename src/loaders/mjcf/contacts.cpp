// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <contact>, and what the contact parameters of MJCF become: stiffness, dissipation and friction of
// surfaces.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"

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

void read_pair(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world) {
  const Attributes a = instance.document->attributes(element, "", world->diagnostics);
  const std::string geom1 = a.text("geom1"), geom2 = a.text("geom2");
  read_contact_parameters(a);
  a.accept({"name", "class"});
  a.approximate({"friction", "solref", "solreffriction", "solimp"},
                "a pair takes the parameters of its two geoms");
  a.approximate({"condim"}, "without torsional and rolling friction");
  a.ignore({"margin", "gap"}, "contacts are seen before they happen, whatever the margin");
  for_each_copy(world, instance, element, {{MjcfKind::kGeom, geom1}, {MjcfKind::kGeom, geom2}},
                [&](const std::string& suffix) {
                  ContactPair pair;
                  pair.a = resolve(*world, instance, MjcfKind::kGeom, geom1, suffix);
                  pair.b = resolve(*world, instance, MjcfKind::kGeom, geom2, suffix);
                  for (const std::string& name : {pair.a, pair.b}) {
                    GeometrySpec& g = world->geometry(world->surfaces[world->geom_index.at(name)]);
                    g.collides = world->options.contacts;
                  }
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

}  // namespace

std::vector<double> calc_tree_masses(const MjcfWorld& world, const ModelSpec& spec) {
  std::vector<int> tree(spec.bodies.size(), -1);
  std::vector<double> mass;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    const auto parent = world.body_index.find(body.parent);
    if (parent != world.body_index.end()) tree[b] = tree[parent->second];
    if (tree[b] < 0 && !body.joints.empty()) {
      tree[b] = static_cast<int>(mass.size());
      mass.push_back(0);
    }
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
  const std::vector<double> masses = calc_tree_masses(*world, world->spec());
  constexpr double kEarth = 9.81;
  const double g = norm(world->spec().gravity);
  int condim = 1;
  std::set<double> frictions;
  for (const MjcfSurface& s : world->surfaces) {
    if (!world->geometry(s).collides) continue;
    condim = std::max(condim, s.contact.condim);
    frictions.insert(s.contact.friction[0]);
  }
  for (const MjcfSurface& s : world->surfaces) {
    GeometrySpec& geometry = world->geometry(s);
    Material& material = geometry.material;
    const double mass = s.body < 0 ? std::numeric_limits<double>::infinity() : masses[s.body];
    set_stiffness(s.contact, mass, g > 0 ? g : kEarth, &material);
    const double mu = condim == 1 ? 0 : std::max(0.0, s.contact.friction[0]);
    material.static_friction = material.dynamic_friction = mu;
    if (!geometry.collides) continue;
    if (s.contact.condim == 1 && condim > 1 && s.condim_line > 0) {
      world->diagnostics->add(s.file, s.condim_line, Severity::kApproximated,
                              "condim 1: contacts between such geoms have friction");
    }
    if (frictions.size() > 1 && s.friction_line > 0) {
      world->diagnostics->add(
          s.file, s.friction_line, Severity::kApproximated,
          "friction: of a contact it is the harmonic mean of both sides', not the larger");
    }
  }
  if (!frictions.empty()) {
    const XmlElement& root = *world->instances.front()->document->root;
    world->report(root, Severity::kApproximated,
                  "contacts: stiffness and dissipation are estimated from solref, solimp and the "
                  "masses, given or not");
  }
}

}  // namespace cenic::detail
