// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Hydroelastic properties of a spec become fields of the model, or complaints by name.
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/hydroelastic/pressure_field.h"
#include "model/contact_model.h"
#include "model/model.h"

namespace cenic {
namespace {

ModelSpec make_spec() {
  ModelSpec spec;
  GeometrySpec floor{.name = "floor", .shape = make_half_space()};
  floor.hydroelastic.compliance = Compliance::kRigid;
  spec.world_geometries = {floor};
  for (const char* name : {"a", "b", "c"}) {
    GeometrySpec geometry{.name = name, .shape = make_box({0.1, 0.1, 0.1})};
    geometry.hydroelastic.compliance = Compliance::kCompliant;
    JointSpec joint{.kind = JointKind::kFree};
    spec.bodies.push_back({.name = name, .joints = {joint}, .geometries = {geometry}});
  }
  return spec;
}

std::string error_of(const ModelSpec& spec) {
  try {
    compile(spec);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(PressureFields, EqualShapesShareOne) {
  ModelSpec spec = make_spec();
  spec.bodies[2].geometries[0].hydroelastic.modulus = 1e6;
  const auto model = compile(spec);
  EXPECT_EQ(model->geometries[1].field, model->geometries[2].field);
  EXPECT_NE(model->geometries[1].field, model->geometries[3].field);
  EXPECT_EQ(model->geometries[1].field->cells.size(), 6u);
  EXPECT_EQ(model->geometries[0].field->compliance, Compliance::kRigid);
}

TEST(PressureFields, WhoPressesWhom) {
  ModelSpec spec = make_spec();
  spec.bodies[1].geometries[0].hydroelastic.compliance = Compliance::kNone;
  spec.bodies[2].geometries[0].hydroelastic.compliance = Compliance::kRigid;
  const auto model = compile(spec);
  EXPECT_TRUE(model->is_hydroelastic(0, 1));
  EXPECT_TRUE(model->is_hydroelastic(1, 3));
  EXPECT_FALSE(model->is_hydroelastic(0, 3));  // both rigid
  EXPECT_FALSE(model->is_hydroelastic(1, 2));  // one has no field
}

TEST(PressureFields, ContactModelOfAll) {
  ModelSpec spec = make_spec();
  set_contact_model(&spec, ContactModel::kPoint);
  EXPECT_EQ(compile(spec)->geometries[1].field, nullptr);
  set_contact_model(&spec, ContactModel::kHydroelastic, {.modulus = 3e6});
  const auto model = compile(spec);
  EXPECT_EQ(model->geometries[0].field->compliance, Compliance::kRigid);
  EXPECT_EQ(model->geometries[1].field->modulus, 3e6);
}

TEST(PressureFields, MistakesAreNamed) {
  ModelSpec spec = make_spec();
  spec.world_geometries[0].hydroelastic.compliance = Compliance::kCompliant;
  EXPECT_NE(error_of(spec).find("geometry 'floor': a compliant half space needs a slab_thickness"),
            std::string::npos);
  spec = make_spec();
  spec.bodies[1].geometries[0].hydroelastic.modulus = 0;
  EXPECT_NE(error_of(spec).find("hydroelastic modulus is 0 Pa"), std::string::npos);
}

}  // namespace
}  // namespace cenic
