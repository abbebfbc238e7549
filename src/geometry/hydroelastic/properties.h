// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a user says about the hydroelastic contact of a geometry.
#pragma once

namespace cenic {

enum class Compliance {
  kNone,       // point contact alone
  kRigid,      // touches compliant solids with its surface
  kCompliant,  // carries a pressure field
};
const char* to_string(Compliance compliance);

struct HydroelasticProperties {
  Compliance compliance = Compliance::kNone;
  double modulus = 1e7;       // E, pressure at the deepest point, Pa
  double resolution = 0;      // length of the facets that stand for round surfaces, m; 0: by size
  double slab_thickness = 0;  // of a compliant half space: depth at which the pressure is E, m
};

}  // namespace cenic
