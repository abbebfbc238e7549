// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ModelSpec: the editable, named description of a world. Loaders and user code fill it in;
// compile() checks it and makes the constant Model the simulator runs on. References are by name.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geometry/hydroelastic/properties.h"
#include "geometry/shape.h"
#include "math/spatial.h"
#include "model/planar_curve.h"
#include "model/tendon_path.h"
#include "model/texture.h"

namespace cenic {

enum class JointKind {
  kRevolute,
  kPrismatic,
  kScrew,
  kCurvilinear,
  kUniversal,
  kPlanar,
  kBall,
  kFree
};
const char* to_string(JointKind kind);  // "revolute" ...

// A joint between a body and its parent (or the previous joint of the same body's stack). At zero
// coordinates the frames F (on the parent side) and M (on the body side) coincide with the joint
// frame posed at X_BF in the body.
// clang-format off
//   kRevolute   1 q, 1 v   angle about axis
//   kPrismatic  1 q, 1 v   travel along axis
//   kScrew      1 q, 1 v   angle; travel is pitch times angle
//   kCurvilinear 1 q, 1 v  way along `curve`, which starts along F's x and turns about z; M's x is tangent
//   kUniversal  2 q, 2 v   angle about F's x, then M's y
//   kPlanar     3 q, 3 v   travel along F's x and y, angle about z
//   kBall       4 q, 3 v   quaternion R_FM; w_FM in F
//   kFree       7 q, 6 v   quaternion R_WB, position p_WB; w_WB, v_WB in W (the parent must be the world)
// clang-format on
struct JointSpec {
  std::string name{};
  JointKind kind = JointKind::kRevolute;
  RigidTransform X_BF{};              // joint frame in the body's frame
  Vec3 axis{0, 0, 1};                 // revolute, prismatic, screw: in F, any length but zero
  double pitch = 0;                   // screw: travel per radian, m/rad
  std::vector<CurveSegment> curve{};  // curvilinear: the path
  bool periodic = false;              // curvilinear: the path is closed and begins again
  double damping = 0;                 // each dof: N m s/rad or N s/m
  double armature = 0;                // reflected inertia on each dof: kg m² or kg
  double stiffness = 0;               // spring on each dof: N m/rad or N/m
  std::vector<double> rest{};  // spring's rest coordinates (empty: zero; kFree: the body's pose)
  double dry_friction = 0;     // Coulomb friction on each dof: N m or N
  // Limits of each coordinate, infinite where there is none; empty: no limits. kBall: `upper`
  // alone, one number, the largest angle of the rotation from the zero position. Not for kFree.
  // kCurvilinear: where not given, the ends of a path that is not periodic.
  std::vector<double> lower{}, upper{};
  // Of the limits, N m/rad and N m s/rad, or N/m and N s/m; infinite stiffness: rigid.
  double limit_stiffness = std::numeric_limits<double>::infinity();
  double limit_damping = 0;
  std::vector<double> position{};  // initial coordinates (empty: zero; for kFree the body's pose)
  std::vector<double> velocity{};  // initial velocities (empty: zero)
};

// How the friction of two sides makes that of their contact.
enum class FrictionRule { kHarmonicMean, kLarger };
const char* to_string(FrictionRule rule);  // "harmonic_mean", "larger"

// One side of a contact; combine_materials() (pair_material.h) makes a contact's of two.
struct Material {
  double stiffness =
      1e6;  // of this side of a point contact, N/m; infinity means "the other side's"
  double dissipation = 50;       // Hunt & Crossley, s/m
  double static_friction = 0.5;  // must not be below dynamic_friction
  double dynamic_friction = 0.5;
  // Torque that resists turning about the contact's normal, and rolling, for each newton of normal
  // force: m. A patch of radius r under even pressure has the torsional friction 2/3 μ r.
  double torsional_friction = 0;
  double rolling_friction = 0;
  // What follows settles whose friction counts; it is what MJCF files say.
  FrictionRule friction_rule = FrictionRule::kHarmonicMean;  // kLarger on one side is enough
  int friction_dimensions = 6;  // 1: none, 3: sliding, 4: and torsional, 6: and rolling; the larger
                                // of both sides' counts
  int priority = 0;             // the side with the higher one sets the friction alone
};

// A contact, as two materials make it or as a ContactPair gives it.
struct PairMaterial {
  double stiffness = 0;    // N/m
  double dissipation = 0;  // s/m
  double static_friction = 0, dynamic_friction = 0;
  double torsional_friction = 0, rolling_friction = 0;  // m
};

// A belt's velocity that files can say: mean + amplitude cos(angular_frequency t + phase).
struct BeltVelocity {
  Vec3 mean{}, amplitude{};      // m/s
  double angular_frequency = 0;  // rad/s
  double phase = 0;              // rad
  Vec3 operator()(double t) const {
    return mean + std::cos(angular_frequency * t + phase) * amplitude;
  }
};

struct GeometrySpec {
  std::string name{};
  Shape shape{};
  RigidTransform X_BG{};  // pose in the body's frame
  Material material{};
  HydroelasticProperties hydroelastic{};  // pressure field contact, where both sides have it
  double density = 1000;                  // kg/m³, used when the body gives no inertia
  bool collides = true;                   // false: for the eye, and for the mass, alone
  // false: for contact alone; not drawn unless that is asked for, or its body has nothing else.
  bool visible = true;
  // A belt: velocity of the surface relative to its body at time t, in the geometry's frame, m/s.
  // What touches it feels the part along the surface. Empty: the surface moves with its body. A
  // BeltVelocity can be written to files.
  std::function<Vec3(double t)> surface_velocity{};
  // Two geometries may touch when (a.group & b.mask) or (b.group & a.mask) is not zero.
  std::uint32_t group = 1;
  std::uint32_t mask = 1;
  std::array<float, 4> color{0.6F, 0.6F, 0.6F, 1.0F};
  TextureSpec texture{};  // multiplies the colour
};

struct InertiaSpec {
  double mass = 0;  // kg
  Vec3 com{};       // centre of mass in the body's frame
  Mat3 I_com{};     // rotational inertia about the centre of mass, body axes, kg m²
};

inline constexpr const char* kWorldName = "world";

struct BodySpec {
  std::string name{};
  std::string parent = kWorldName;
  RigidTransform X_PB{};                 // pose in the parent's frame at zero joint coordinates
  std::vector<JointSpec> joints{};       // from the parent outwards; none: welded to the parent
  std::optional<InertiaSpec> inertia{};  // else from the geometries and their densities
  double gravity_compensation = 0;       // 1: this body does not feel gravity
  std::vector<GeometrySpec> geometries{};
};

// A string that is limited, has inertia or is held by constraints: l = Σ c_i q_i, or the length of
// a path. What pulls on it are systems along the same joints or path.
struct TendonSpec {
  std::string name{};
  std::vector<TendonPart> joints{};    // of one velocity each; or
  std::vector<PathBranch> branches{};  // a path
  // Limits of the length, infinite where there is none.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double limit_stiffness = std::numeric_limits<double>::infinity();  // N/m; infinite: rigid
  double limit_damping = 0;                                          // N s/m
  double armature = 0;  // inertia along it, kg: of tendons in one tree and without obstacles
};

enum class ConstraintKind { kCoupler, kDistance, kBall, kWeld, kTendon };
const char* to_string(ConstraintKind kind);  // "coupler" ...

// Something that holds two bodies, joints or tendons together besides the tree of joints: this is
// how loops are closed. Either body may be the world.
//   kCoupler   q_a = c0 + c1 q_b + c2 q_b² + …, of two joint coordinates, in one tree or in two
//   kDistance  the points P of A and Q of B are `length` apart, rigidly or by a spring
//   kBall      P and Q coincide
//   kWeld      the frames P and Q coincide
//   kTendon    l_a = c0 + c1 l_b + …, of the lengths of two tendons; without b: l_a = c0
struct ConstraintSpec {
  std::string name{};  // may be empty
  ConstraintKind kind = ConstraintKind::kBall;
  std::string a{}, b{};           // bodies; kCoupler: joints; kTendon: tendons
  RigidTransform X_AP{}, X_BQ{};  // kDistance, kBall: origins alone
  double length = 0;              // kDistance, m
  // Of a spring on each row, N/m and N s/m (kCoupler: for q_a); infinite stiffness: rigid.
  double stiffness = std::numeric_limits<double>::infinity();
  double damping = 0;
  // kWeld: the same for rotations, N m/rad and N m s/rad.
  double rotational_stiffness = std::numeric_limits<double>::infinity();
  double rotational_damping = 0;
  int coordinate_a = 0, coordinate_b = 0;    // kCoupler: which coordinate of a joint with several
  std::vector<double> polynomial{0.0, 1.0};  // kCoupler, kTendon: c0, c1, …
};

struct ContactFilter {
  std::string a{}, b{};  // names of bodies
};

// Two named geometries that may touch whatever the masks and filters say.
struct ContactPair {
  std::string a{}, b{};                    // names of geometries
  std::optional<PairMaterial> material{};  // instead of what their materials make
};

class ExternalSystem;  // external_system.h

// A controller, sensor or other external system at work in this world.
struct SystemSpec {
  std::string name{};
  std::shared_ptr<const ExternalSystem> system{};
  // s; > 0: runs at the times offset + k · period and holds its outputs in between; 0: continuous.
  double period = 0;
  double offset = 0;
  std::vector<double> initial{};  // its states at first; empty: as the system says
};

// An output feeds an input: "system.output" → "system.input"; ".output" may be left out where a
// system has only one.
struct WireSpec {
  std::string from{}, to{};
};

struct ModelSpec {
  std::string name = "model";
  Vec3 gravity{0, 0, -9.81};
  double stiction_velocity = 1e-4;  // v_s: slip below this is sticking, m/s
  // Δ: friction falls from static to dynamic as slip passes Δ v_s.
  double friction_transition = 10;
  std::vector<GeometrySpec> world_geometries{};
  std::vector<BodySpec> bodies{};
  std::vector<TendonSpec> tendons{};
  std::vector<ConstraintSpec> constraints{};
  std::vector<SystemSpec> systems{};
  std::vector<WireSpec> wires{};
  std::vector<ContactFilter> exclude{};
  std::vector<ContactPair> pairs{};
  bool filter_parent_child = true;  // a body and the body it hangs on do not touch
  // Sentences for the user about what was repaired or approximated on the way here.
  std::vector<std::string> notes{};
};

}  // namespace cenic
