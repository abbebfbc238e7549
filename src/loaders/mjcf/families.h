// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The attributes of elements that have defaults, as plain data: what the file says, before it means
// anything to a model.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "loaders/mjcf/compliance.h"
#include "loaders/mjcf/document.h"

namespace cenic::detail {

enum class GeomType {
  kPlane,
  kHfield,
  kSphere,
  kCapsule,
  kEllipsoid,
  kCylinder,
  kBox,
  kMesh,
  kSdf,
};

// What MJCF says of contacts, of geoms and of pairs.
struct MjcfContact {
  int condim = 3;
  int priority = 0;
  double solmix = 1;
  std::array<double, 2> solref{0.02, 1};
  std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};
  std::array<double, 3> friction{1, 0.005, 0.0001};  // sliding, torsional, rolling
};
MjcfContact read_contact_parameters(const Attributes& a);

struct GeomData {
  std::string name{}, mesh{}, hfield{}, material{};
  GeomType type = GeomType::kSphere;
  std::vector<double> size{};
  std::vector<double> fromto{};
  RigidTransform X{};  // in its frame or body
  unsigned contype = 1, conaffinity = 1;
  int group = 0;
  std::optional<double> mass{};
  double density = 1000;
  double fitscale = 1;
  std::vector<double> rgba{};
  std::vector<double> surface_velocity{};
  MjcfContact contact{};
};
GeomData read_geom_data(const Attributes& a, const MjcfCompiler& compiler, Diagnostics* d);

enum class JointType { kFree, kBall, kSlide, kHinge };

struct JointData {
  std::string name{};
  JointType type = JointType::kHinge;
  Vec3 pos{}, axis{0, 0, 1};
  double stiffness = 0, damping = 0, armature = 0, frictionloss = 0;
  double ref = 0, springref = 0;                         // radians for a hinge
  std::vector<double> more_stiffness{}, more_damping{};  // further coefficients of polynomials
  bool limited = false;
  std::array<double, 2> range{};
  double margin = 0;  // limits stand so much further in
  SoftParameters limit{};
  std::vector<double> springdamper{};
  bool force_limited = false;
  std::array<double, 2> force_range{};  // of all actuators together
};
JointData read_joint_data(const Attributes& a, const MjcfCompiler& compiler);

// A coefficient, and `more` of them where the file has a polynomial.
double read_polynomial(const Attributes& a, const char* name, std::vector<double>* more);

// Is something with the attributes `name` and `range` limited? By its word, or (auto) because it
// has a range.
bool read_limited(const Attributes& a, const char* name, const char* range,
                  const MjcfCompiler& compiler);

// How much further in than the range limits stand. Where they would cross, in the middle; an error
// where the range is none.
double read_margin(const Attributes& a, bool limited, const std::array<double, 2>& range);

// Reads each default once, so that what is known counts as read, whether a class is used or not.
void mark_default_attributes(const MjcfDocument& document);

}  // namespace cenic::detail
