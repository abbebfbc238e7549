// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Puts a whole model on one kind of contact.
#pragma once

#include <optional>

#include "model/model_spec.h"

namespace cenic {

enum class ContactModel {
  kDeclared,      // as each geometry says
  kPoint,         // points everywhere
  kHydroelastic,  // geometries that say nothing become compliant, half spaces rigid
};

// Numbers that replace those of every geometry.
struct HydroelasticOverrides {
  std::optional<double> modulus{}, resolution{}, slab_thickness{};
};

void set_contact_model(ModelSpec* spec, ContactModel contact,
                       const HydroelasticOverrides& overrides = {});

}  // namespace cenic
