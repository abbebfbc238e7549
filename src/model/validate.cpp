// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/validate.h"

#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "model/contact_filter.h"
#include "model/mass_properties.h"
#include "model/topology.h"

namespace cenic::detail {

namespace {

using NameSet = std::unordered_set<std::string>;

// Reports the second use of a name; names may be empty.
void check_unique(const char* what, const std::string& name, NameSet* seen, Problems* problems) {
  if (name.empty() || seen->insert(name).second) return;
  problems->add(fmt::format("{} '{}'", what, name),
                fmt::format("another {} has the same name; give each its own", what));
}

// A Shape can be filled in by hand, past the checks of make_sphere() and the like.
void check_shape(const std::string& who, const Shape& shape, Problems* problems) {
  if (shape.kind == ShapeKind::kHalfSpace) return;
  if (shape.kind == ShapeKind::kConvex) {
    if (!shape.hull) problems->add(who, "it has no hull; build the shape with make_convex()");
    return;
  }
  if (shape.kind == ShapeKind::kHeightField) {
    if (!shape.height_field) {
      problems->add(who, "it has no heights; build the shape with make_height_field()");
    }
    return;
  }
  if (shape.kind == ShapeKind::kSurface) {
    if (!shape.surface) {
      problems->add(who, "it has no triangles; build the shape with make_surface()");
    }
    return;
  }
  const bool round = shape.kind == ShapeKind::kCylinder || shape.kind == ShapeKind::kCapsule;
  const bool uses_y = shape.kind == ShapeKind::kBox || shape.kind == ShapeKind::kEllipsoid;
  const auto is_size = [](double s) {
    return std::isfinite(s) && s > 0;
  };
  const bool good = is_size(shape.size.x) && (!uses_y || is_size(shape.size.y)) &&
                    (!(round || uses_y) || is_size(shape.size.z));
  if (!good) {
    problems->add(who,
                  fmt::format("a size of the {} is not positive ({}, {}, {}); give positive "
                              "sizes",
                              to_string(shape.kind), shape.size.x, shape.size.y, shape.size.z));
  }
}

void check_hydroelastic(const std::string& who, const GeometrySpec& geometry, Problems* problems) {
  const HydroelasticProperties& h = geometry.hydroelastic;
  if (h.compliance == Compliance::kNone) return;
  problems->check_not_negative(who, "hydroelastic resolution", h.resolution);
  problems->check_not_negative(who, "slab thickness", h.slab_thickness);
  if (h.compliance == Compliance::kCompliant && !(std::isfinite(h.modulus) && h.modulus > 0)) {
    problems->add(who, fmt::format("hydroelastic modulus is {} Pa; give a positive one, 1e7 for "
                                   "example",
                                   h.modulus));
  }
}

// Of a side or of a pair.
template <class Contact>
void check_contact(const std::string& who, const Contact& material, Problems* problems) {
  // Infinite stiffness is fine on one side of a contact (see check_rigid_pairs).
  if (!(material.stiffness > 0)) {
    problems->add(
        who, fmt::format("contact stiffness is {} N/m; give a positive one", material.stiffness));
  }
  problems->check_not_negative(who, "contact dissipation", material.dissipation);
  const bool finite =
      problems->check_not_negative(who, "static friction", material.static_friction) &&
      problems->check_not_negative(who, "dynamic friction", material.dynamic_friction);
  if (finite && material.static_friction < material.dynamic_friction) {
    problems->add(who, fmt::format("static friction {} is below dynamic friction {}; raise the "
                                   "first or lower the second",
                                   material.static_friction, material.dynamic_friction));
  }
  problems->check_not_negative(who, "torsional friction", material.torsional_friction);
  problems->check_not_negative(who, "rolling friction", material.rolling_friction);
}

void check_material(const std::string& who, const Material& material, Problems* problems) {
  check_contact(who, material, problems);
  const int n = material.friction_dimensions;
  if (n != 1 && n != 3 && n != 4 && n != 6) {
    problems->add(who, fmt::format("friction_dimensions is {}; give 1, 3, 4 or 6", n));
  }
}

void check_geometry(const ModelSpec& spec, int body, const GeometrySpec& geometry,
                    Problems* problems) {
  const std::string who = describe_geometry(spec, body, geometry);
  check_shape(who, geometry.shape, problems);
  if (geometry.shape.kind == ShapeKind::kSurface && geometry.collides) {
    problems->add(who, "a surface is only looked at; set collides to false, or use make_mesh()");
  }
  problems->check_pose(who, "X_BG", geometry.X_BG);
  check_material(who, geometry.material, problems);
  check_hydroelastic(who, geometry, problems);
  for (const float c : geometry.color) {
    if (!problems->check_finite(who, "color", c)) break;
  }
  // A density of zero is fine: the mass then comes from the other geometries (see
  // check_moved_mass).
  if (body >= 0 && !spec.bodies[body].inertia) {
    problems->check_not_negative(who, "density", geometry.density);
  }
}

void check_body(const BodySpec& body, Problems* problems) {
  const std::string who = describe(body);
  problems->check_pose(who, "X_PB", body.X_PB);
  problems->check_finite(who, "gravity_compensation", body.gravity_compensation);
  check_inertia(body, problems);
  for (int j = 0; j < static_cast<int>(body.joints.size()); ++j) {
    check_joint(body, j, problems);
  }
}

}  // namespace

void check_names(const ModelSpec& spec, Problems* problems) {
  NameSet bodies, joints, geometries, constraints, tendons;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    if (body.name.empty()) {
      problems->add(fmt::format("body {}", b + 1), "it has no name; give it one");
    } else if (body.name == kWorldName) {
      problems->add(describe(body), "the name means the fixed world; rename the body");
    }
    check_unique("body", body.name, &bodies, problems);
    for (const JointSpec& joint : body.joints) {
      check_unique("joint", joint.name, &joints, problems);
    }
  }
  for_each_geometry(spec, [&](int, const GeometrySpec& geometry) {
    check_unique("geometry", geometry.name, &geometries, problems);
  });
  for (std::size_t t = 0; t < spec.tendons.size(); ++t) {
    if (spec.tendons[t].name.empty()) {
      problems->add(fmt::format("tendon {}", t + 1), "it has no name; give it one");
    }
    check_unique("tendon", spec.tendons[t].name, &tendons, problems);
  }
  for (const ConstraintSpec& constraint : spec.constraints) {
    check_unique("constraint", constraint.name, &constraints, problems);
  }
}

void check_numbers(const ModelSpec& spec, Problems* problems) {
  const std::string who = "world";
  problems->check_finite(who, "gravity", spec.gravity);
  if (!std::isfinite(spec.stiction_velocity) || spec.stiction_velocity <= 0) {
    problems->add(who, fmt::format("stiction_velocity is {} m/s; give a positive one",
                                   spec.stiction_velocity));
  }
  if (!std::isfinite(spec.friction_transition) || spec.friction_transition <= 0) {
    problems->add(who, fmt::format("friction_transition is {}; give a positive number",
                                   spec.friction_transition));
  }
  for (const BodySpec& body : spec.bodies) {
    check_body(body, problems);
  }
  for_each_geometry(spec, [&](int body, const GeometrySpec& geometry) {
    check_geometry(spec, body, geometry, problems);
  });
  for (const ContactPair& pair : spec.pairs) {
    if (!pair.material) continue;
    const std::string both = fmt::format("pair '{}', '{}'", pair.a, pair.b);
    check_contact(both, *pair.material, problems);
    problems->check_finite(both, "contact stiffness", pair.material->stiffness);
  }
}

}  // namespace cenic::detail
