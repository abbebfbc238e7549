// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/pressure_fields.h"

#include <map>
#include <tuple>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/hydroelastic/pressure_field.h"
#include "model/contact_filter.h"

namespace cenic::detail {
namespace {

using Key = std::tuple<ShapeKind, double, double, double, const void*, const void*, Compliance,
                       double, double, double>;

Key make_key(const Shape& s, const HydroelasticProperties& h) {
  return {s.kind,       s.size.x,     s.size.y,  s.size.z,     s.hull.get(),
          s.mesh.get(), h.compliance, h.modulus, h.resolution, h.slab_thickness};
}

}  // namespace

void fill_pressure_fields(const ModelSpec& spec, Problems* problems, Model* model) {
  std::map<Key, std::shared_ptr<const PressureField>> made;
  int index = 0;
  for_each_geometry(spec, [&](int body, const GeometrySpec& geometry) {
    Geometry& g = model->geometries[index++];
    if (geometry.hydroelastic.compliance == Compliance::kNone || !g.collides) return;
    const std::string who =
        !geometry.name.empty()
            ? fmt::format("geometry '{}'", geometry.name)
            : fmt::format("a geometry of {}", body < 0 ? "the world" : spec.bodies[body].name);
    if (geometry.shape.kind == ShapeKind::kHeightField) {
      model->notes.push_back(
          fmt::format("{}: a height field has no pressure field; it is touched in points", who));
      return;
    }
    auto& field = made[make_key(geometry.shape, geometry.hydroelastic)];
    if (field == nullptr) {
      std::vector<std::string> notes;
      try {
        field = make_pressure_field(geometry.shape, geometry.hydroelastic, &notes);
      } catch (const Error& e) {
        problems->add(who, e.what());
      }
      for (const std::string& note : notes) {
        model->notes.push_back(fmt::format("{}: {}", who, note));
      }
    }
    g.field = field;
  });
}

}  // namespace cenic::detail
