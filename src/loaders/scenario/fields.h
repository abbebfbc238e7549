// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The keys of scenario files, each listed once. A list is a function describe(archive, struct) that
// calls archive.field(key, member, flags) for each member. The archives are: YamlReader,
// YamlWriter, Placement (names and poses of included models) and the schema of tests/loaders.
#pragma once

#include "geometry/hydroelastic/properties.h"
#include "loaders/load.h"
#include "model/contact_model.h"
#include "model/model_spec.h"
#include "systems/library/actuators.h"
#include "systems/library/frame_sensors.h"
#include "systems/library/trajectory.h"

namespace cenic::detail {

enum FieldFlags : unsigned {
  kRequired = 1,
  kInfinite = 2,   // infinite numbers make sense: no limit
  kName = 4,       // of a body, joint, geometry or constraint: a model's prefix goes before it
  kWorldAxes = 8,  // in the frame of the world: moves with the pose of its model
};

// The words of an enumeration, in its order.
template <typename E>
struct EnumWords;
template <>
struct EnumWords<JointKind> {
  static constexpr const char* kWords[] = {"revolute",  "prismatic", "screw", "curvilinear",
                                           "universal", "planar",    "ball",  "free"};
};
template <>
struct EnumWords<FrictionRule> {
  static constexpr const char* kWords[] = {"harmonic_mean", "larger"};
};
template <>
struct EnumWords<ConstraintKind> {
  static constexpr const char* kWords[] = {"coupler", "distance", "ball", "weld", "tendon"};
};
template <>
struct EnumWords<Compliance> {
  static constexpr const char* kWords[] = {"none", "rigid", "compliant"};
};
template <>
struct EnumWords<ActuatorDynamics> {
  static constexpr const char* kWords[] = {"none", "integrator", "filter"};
};
template <>
struct EnumWords<FrameQuantity> {
  static constexpr const char* kWords[] = {"position",
                                           "quaternion",
                                           "x_axis",
                                           "y_axis",
                                           "z_axis",
                                           "linear_velocity",
                                           "angular_velocity",
                                           "linear_acceleration",
                                           "angular_acceleration",
                                           "own_velocity",
                                           "world_vector"};
};
template <>
struct EnumWords<Interpolation> {
  static constexpr const char* kWords[] = {"hold", "linear", "cubic"};
};
template <>
struct EnumWords<ContactModel> {
  static constexpr const char* kWords[] = {"declared", "point", "hydroelastic"};
};
template <>
struct EnumWords<NormChoice> {
  static constexpr const char* kWords[] = {"position", "state"};
};

// An archive that does nothing, to ask whether a type has a list.
struct NoArchive {
  template <typename T>
  void field(const char* /*key*/, T& /*value*/, unsigned /*flags*/ = 0) {}
  void shape(Shape& /*shape*/) {}
  void picture(TextureSpec& /*texture*/) {}
};

template <typename T>
concept HasFields = requires(NoArchive& archive, T& value) {
  describe(archive, value);
};

}  // namespace cenic::detail
