// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Model: a compiled world, constant and shareable between threads. Bodies become links (one joint
// each), links are grouped into trees, and every array is flat. Made by compile() alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "geometry/shape.h"
#include "math/spatial.h"
#include "model/model_spec.h"

namespace cenic {

struct PressureField;  // geometry/hydroelastic/pressure_field.h

// What moves a link relative to its parent. The other kinds of JointSpec are stacks of these.
enum class MobilizerKind { kFixed, kRevolute, kPrismatic, kScrew, kCurvilinear, kBall, kFree };

// Its one coordinate is a length.
inline bool slides(MobilizerKind kind) {
  return kind == MobilizerKind::kPrismatic || kind == MobilizerKind::kCurvilinear;
}

// A frame that moves: a body, or an intermediate massless frame of a stack of joints.
// X_PB(q) = X_PF X_FM(q) X_MB.
// What every link needs comes first, in as few lines of the cache as will do: a free body reads no
// further.
struct alignas(64) Link {
  MobilizerKind kind = MobilizerKind::kFixed;
  int parent = -1;  // link, before this one; −1: world
  int tree = -1;    // −1: anchored to the world, never moves
  int body = -1;    // of ModelSpec::bodies
  int q_start = 0;  // first coordinate in q
  int v_start = 0;  // first velocity in v
  int nq = 0;
  int nv = 0;
  SpatialInertia M_BBo_B{};   // zero for an intermediate frame
  double gravity_factor = 1;  // 1 − gravity compensation
  RigidTransform X_PF{};
  RigidTransform X_MB{};
  Vec3 axis_F{};  // unit
  double pitch = 0;
  std::shared_ptr<const PlanarCurve> curve{};  // kCurvilinear only
};

// Links that share velocities; nothing outside a tree depends on them except through contacts and
// constraints.
struct Tree {
  int link_begin = 0, link_end = 0;  // contiguous in Model::links
  int q_start = 0, nq = 0;
  int v_start = 0, nv = 0;
  // One link with a free joint at its origin: velocities are the world spatial velocity of the
  // body's origin.
  bool free_body = false;
};

// What contact needs comes first, as in Link.
struct alignas(64) Geometry {
  int link = -1;               // −1: world
  int body = -1;               // −1: world
  double bounding_radius = 0;  // about the geometry's origin
  RigidTransform X_LG{};       // pose in the link (world: in the world)
  Shape shape{};
  Material material{};
  std::shared_ptr<const PressureField> field{};  // hydroelastic contact; none: point contact
  bool collides = true;
  bool visible = true;  // drawn where no collision shapes are asked for
  std::uint32_t group = 1, mask = 1;
  std::array<float, 4> color{};
  TextureSpec texture{};
  std::string name{};
  std::function<Vec3(double t)> surface_velocity{};  // in the geometry's frame; empty: none
};

// Limits of a link with one coordinate, or the largest angle (upper) of a ball joint.
struct JointLimit {
  int link = -1;
  double lower = 0, upper = 0;  // infinite: none
  double stiffness = 0, damping = 0;
};

// See TendonSpec.
struct Tendon {
  std::string name{};
  struct Part {
    int link = -1;  // with one velocity
    double coefficient = 0;
  };
  std::vector<Part> parts{};
  std::vector<PathBranch> branches{};
  std::vector<int> links{};  // of the bodies of the path as walk_path() numbers them; −1: world
  std::vector<int> trees{};  // that change its length, ascending
  double lower = 0, upper = 0;
  double stiffness = 0, damping = 0;  // of the limits
  double armature = 0;
};

// Of a constraint, infinite stiffness: rigid.
struct ConstraintSpring {
  double stiffness = 0, damping = 0;
};

struct Constraint {
  std::string name{};  // may be empty
  ConstraintKind kind = ConstraintKind::kBall;
  int link[2] = {-1, -1};    // of A and B; −1: world. kCoupler: the links of the two coordinates
  int tendon[2] = {-1, -1};  // kTendon; the second may be −1
  std::vector<int> trees{};  // of those links or tendons that move, ascending; at least one
  RigidTransform X_LP{}, X_LQ{};  // P in A's link, Q in B's
  double length = 0;
  ConstraintSpring translation{}, rotation{};  // of its rows; rotation: the first three of a weld
  ConstraintSpring spring(int row) const {
    return kind == ConstraintKind::kWeld && row < 3 ? rotation : translation;
  }
  std::vector<double> polynomial{};  // kCoupler, kTendon
};

// What may_touch() needs to know of a geometry, small and contiguous for the broad phase.
struct ContactClass {
  // Bodies welded together share a group: 0 for what never moves, else 1 + the body whose joint
  // moves the group.
  int weld = 0;
  int weld_parent = -1;  // group on which that joint hangs; −1: what never moves, which is not
                         // filtered as a parent
  int body = -1;         // −1: world
  std::uint32_t group = 1, mask = 1;
  bool collides = true;
};

// A joint as the user named it; it may own several links (universal, planar).
struct Joint {
  std::string name{};  // may be empty
  JointKind kind = JointKind::kRevolute;
  int body = -1;
  int q_start = 0, nq = 0;
  int v_start = 0, nv = 0;
};

// An external system, bound to this model.
struct System {
  std::string name{};
  std::shared_ptr<const ExternalSystem> law{};
  double period = 0, offset = 0;  // s; period 0: continuous
  bool depends_on_time = true, feedthrough = true;
  int group = -1;                                // of system_groups; −1: sampled
  std::vector<int> coordinates{}, velocities{};  // of the joints it reads
  std::vector<int> bodies{};                     // it reads, −1: world
  std::vector<int> pushed{};                     // indices into bodies
  std::vector<int> geometries{}, constraints{};  // whose forces it reads
  std::vector<int>
      dofs{};  // velocities it depends on: its joints', then those that move its bodies
  std::vector<int> trees{};  // of those
  struct Effort {
    int velocity = -1;
    double limit = 0;  // infinite: none
    int limited = -1;  // number among all limited efforts
  };
  std::vector<Effort> efforts{};
  struct Signal {
    std::string name{};
    int start = 0, size = 0;  // in the system's y or u
    int source = -1;          // inputs: where in the output signals of all systems
  };
  std::vector<Signal> inputs{}, outputs{};
  int nu = 0;
  int y_start = 0, ny = 0;
  // Its states. A sampled system's are followed by what it holds, (y, τ, F), and the number of
  // samples it has taken.
  int z_start = 0, nz = 0;
  std::vector<std::string> state_names{};
  int num_held() const { return ny + static_cast<int>(efforts.size() + 6 * pushed.size()); }
  std::string name_state(int i) const;  // "held[i]" for what follows its own
};

// Continuous systems that signals connect: linearised together.
struct SystemGroup {
  std::vector<int> systems;  // in order
  std::vector<int> dofs;     // velocities they depend on, ascending
  std::vector<int> states;   // indices into z
  std::vector<int> driven;   // velocities that they drive or push without limit, ascending
  std::vector<int> limited;  // of Model::limited_efforts
  std::vector<int> trees;    // of dofs and driven and limited velocities, ascending
  bool depends_on_time = false;
  // Sensors alone: nothing that a step needs.
  bool passive() const { return states.empty() && driven.empty() && limited.empty(); }
};

// A force output with a limit: an actuator on one velocity.
struct LimitedEffort {
  int system = -1, output = -1;  // the output-th effort of the system
  int velocity = -1;
  double limit = 0;
};

struct Body {
  std::string name{};
  int parent = -1;  // body; −1: world
  int link = -1;    // the link that carries the body
};

struct Model {
  std::string name;
  Vec3 gravity;
  double stiction_velocity = 1e-4;
  double friction_transition = 10;
  int nq = 0, nv = 0;

  std::vector<Body> bodies;   // in the order of ModelSpec
  std::vector<Joint> joints;  // in the order of ModelSpec
  std::vector<Link> links;    // parents before children, trees contiguous, anchored links first
  std::vector<Tree> trees;
  int num_anchored_links = 0;
  std::vector<Geometry> geometries;     // the world's, then each body's in the order of ModelSpec
  std::vector<JointLimit> limits;       // by link
  std::vector<Tendon> tendons;          // in the order of ModelSpec
  std::vector<int> heavy_tendons;       // those with armature
  std::vector<Constraint> constraints;  // in the order of ModelSpec
  std::vector<System> systems;          // in an order in which signals are known when they are read
  std::vector<SystemGroup> system_groups;
  std::vector<LimitedEffort> limited_efforts;  // ascending in their trees
  bool reads_measurements = false;             // some system does
  int nz = 0, ny = 0;                          // states and output signals of all systems
  std::vector<double> z0, z_weight;            // (nz)

  // Per velocity (nv)
  std::vector<double> damping;
  std::vector<double> armature;
  std::vector<double> stiffness;
  std::vector<double> dry_friction;
  std::vector<int> dof_link;  // link of each velocity
  // Size of what each velocity moves, m: 1 for a translation; for a rotation the reach, i.e. the
  // largest distance from its axis (ball, free: its centre) to any geometry of its subtree. It is
  // an upper bound over all angles of the joints further out, with sliding joints where they start;
  // see reach.cpp. Turns coordinate errors into displacements.
  std::vector<double> reach;

  std::vector<double> rest;    // rest coordinates of springs, laid out as q (nq)
  std::vector<double> q0, v0;  // initial coordinates and velocities

  double total_mass = 0;  // of the links that move, kg

  // May the geometries i and j touch? Same body, welded together, parent/child, masks, exclusions
  // and pairs.
  bool may_touch(int i, int j) const;
  // Do they press by their pressure fields when they touch? Else they touch in points: one has no
  // field, or both are rigid.
  bool is_hydroelastic(int i, int j) const;
  std::vector<ContactClass> contact_classes;  // of each geometry
  std::vector<std::uint64_t> excluded;        // sorted pair_key()s of 1 + body (0: world)
  std::vector<std::uint64_t> forced;          // sorted keys of geometry pairs
  struct PairOverride {
    std::uint64_t key = 0;
    PairMaterial material{};
  };
  std::vector<PairOverride> pair_materials;  // sorted by key: pairs with a material of their own
  bool filter_parent_child = true;

  // Sentences about what was repaired or approximated.
  std::vector<std::string> notes;

  // −1: the world, or what never moves.
  int tree_of(int link) const { return link < 0 ? -1 : links[link].tree; }

  // "body 'name'", "joint 'name'": for messages.
  std::string describe_velocity(int v) const;
  // "state 'integral' of system 'pid'".
  std::string describe_state(int z) const;
  // Index of the system of that name; throws Error.
  int find_system(const std::string& system) const;
  // "weld 'name'", or "weld between 'a' and 'b'" when it has no name.
  std::string describe_constraint(int c) const;
  // Name of its body A or B (side 0 or 1), of the world, or of a joint or tendon; may be empty.
  std::string constraint_side(int c, int side) const;
};

inline std::uint64_t pair_key(int a, int b) {
  const auto lo = static_cast<std::uint64_t>(a < b ? a : b),
             hi = static_cast<std::uint64_t>(a < b ? b : a);
  return (hi << 32) | lo;
}

// Checks everything and throws one Error that lists all problems, each naming the thing and the
// fix.
std::shared_ptr<const Model> compile(const ModelSpec& spec);

// Time, coordinates, velocities and the states of external systems.
struct State {
  double t = 0;
  std::vector<double> q{}, v{}, z{};
};

State make_initial_state(const Model& model);
// The coordinates and velocities of one tree.
void copy_tree(const Tree& tree, const State& from, State* to);
// Time, coordinates and velocities, bit for bit.
bool is_same_motion(const State& a, const State& b);

}  // namespace cenic
