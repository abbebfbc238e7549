// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/contact_model.h"

namespace cenic {
namespace {

void set_geometry(ContactModel contact, const HydroelasticOverrides& overrides,
                  GeometrySpec* geometry) {
  HydroelasticProperties& h = geometry->hydroelastic;
  if (contact == ContactModel::kPoint) h.compliance = Compliance::kNone;
  if (contact == ContactModel::kHydroelastic && h.compliance == Compliance::kNone) {
    h.compliance =
        geometry->shape.kind == ShapeKind::kHalfSpace ? Compliance::kRigid : Compliance::kCompliant;
  }
  h.modulus = overrides.modulus.value_or(h.modulus);
  h.resolution = overrides.resolution.value_or(h.resolution);
  h.slab_thickness = overrides.slab_thickness.value_or(h.slab_thickness);
}

}  // namespace

void set_contact_model(ModelSpec* spec, ContactModel contact,
                       const HydroelasticOverrides& overrides) {
  for (GeometrySpec& geometry : spec->world_geometries) {
    set_geometry(contact, overrides, &geometry);
  }
  for (BodySpec& body : spec->bodies) {
    for (GeometrySpec& geometry : body.geometries) {
      set_geometry(contact, overrides, &geometry);
    }
  }
}

}  // namespace cenic
