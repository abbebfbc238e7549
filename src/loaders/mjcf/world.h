// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MjcfWorld: the ModelSpec while it is being filled, and who is who in it. The sections of a file
// are read one after the other into it: bodies first, then what refers to them.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loaders/load.h"
#include "loaders/mjcf/actuator_data.h"
#include "loaders/mjcf/document.h"
#include "loaders/mjcf/families.h"
#include "loaders/mjcf/options.h"
#include "loaders/mjcf/skeleton.h"
#include "model/model_spec.h"
#include "systems/library/transmission.h"

namespace cenic::detail {

struct MjcfJoint {
  int body = -1, index = 0;  // in spec.bodies[body].joints
  JointData data{};
  const XmlElement* element = nullptr;
  Vec3 p_B{}, axis_B{};  // in the body, joints at their reference
};

struct MjcfPlace {
  int body = -1;  // −1: world
  RigidTransform X_B{};
};

struct MjcfTendon {
  const XmlElement* element = nullptr;
  TendonData data{};
  bool fixed = false;
  Transmission transmission{};
  std::vector<int> part_joints{};   // fixed: of MjcfWorld::joints
  std::vector<MjcfPlace> points{};  // spatial: all of them in order
  // From one point straight to another, as a rod between two bodies.
  bool is_line() const { return !fixed && points.size() == 2 && !wraps; }
  bool wraps = false;
  double length = 0;  // at the start
  int index = -1;     // of ModelSpec::tendons; −1: it is none of them
};

// What an actuator acts on, and how it is geared to it.
struct MjcfDrive {
  Transmission transmission{};
  double gear = 1;
  bool offset = false;  // it has a constant force besides
};

// A number of MuJoCo's `act`: which state of which system, none when that was left out.
struct MjcfActivation {
  std::string system{};
  int state = 0;
};

// A geometry and what the file says of its contacts; translated when all masses are known.
struct MjcfSurface {
  int body = -1, index = 0;
  unsigned contype = 1, conaffinity = 1;
  MjcfContact contact{};
};

// A <pair>, of MjcfWorld::surfaces: nothing of its contact comes from the geoms.
struct MjcfPair {
  int surface[2] = {-1, -1};
  MjcfContact contact{};
};

// A body that the user moves.
struct MjcfMocap {
  int body = -1;
  const XmlElement* element = nullptr;
  std::string input{};  // name of the HeldInput that has its pose; empty: it stays where it is
};

// A document as it stands in the world: names in it become prefix + name + suffix.
struct MjcfInstance {
  MjcfDocument* document = nullptr;
  std::string prefix{};
  std::vector<std::string> suffixes{};  // that of all first, then of copies made by <replicate>
  std::unordered_set<std::string> known_suffixes{};  // the same
  bool attached = false;

  explicit MjcfInstance(MjcfDocument* doc, const std::string& suffix = "") : document(doc) {
    add_suffix(suffix);
  }
  void add_suffix(const std::string& suffix) {
    suffixes.push_back(suffix);
    known_suffixes.insert(suffix);
  }
};

struct MjcfWorld {
  Diagnostics* diagnostics = nullptr;
  const AssetPaths* paths = nullptr;
  LoadedModel* loaded = nullptr;
  MjcfOptions options{};
  std::vector<RigidTransform> X_WB{};  // of the bodies, joints at their reference
  std::vector<MjcfJoint> joints{};     // in the order of the file
  std::unordered_map<std::string, int> body_index{}, joint_index{};
  std::unordered_map<std::string, MjcfPlace> sites{};
  std::unordered_map<std::string, int> geom_index{};  // into surfaces
  std::vector<MjcfSurface> surfaces{};                // of all geometries
  std::vector<MjcfPair> pairs{};                      // as in the ModelSpec
  std::unordered_map<std::string, MjcfTendon> tendons{};
  std::unordered_map<std::string, int> driven{};  // actuators on joints with a limit of their own
  std::vector<MjcfMocap> mocaps{};
  std::vector<MjcfActivation> activations{};  // in the order of the file
  std::unordered_set<std::string> system_names{};
  std::unordered_map<std::string, MjcfDrive> drives{};  // of the actuators, by control
  std::vector<int> controls{};  // of each actuator of the file, of LoadedModel::controls; −1: none
  std::vector<std::unique_ptr<MjcfInstance>> instances{};
  std::map<std::string, std::unique_ptr<MjcfDocument>> attached{};  // by path

  ModelSpec& spec() { return loaded->spec; }
  GeometrySpec& geometry(const MjcfSurface& s) {
    return s.body < 0 ? spec().world_geometries[s.index]
                      : spec().bodies[s.body].geometries[s.index];
  }
  JointSpec& joint(const MjcfJoint& j) { return spec().bodies[j.body].joints[j.index]; }
  const std::string& body_name(int body) {
    return body < 0 ? world_name : spec().bodies[body].name;
  }
  // The bodies as they stand when all of <worldbody> is read; null when they do not compile, which
  // the model's own compilation says better.
  const Skeleton* skeleton();
  RigidTransform pose(int body) const { return body < 0 ? RigidTransform{} : X_WB[body]; }

  void report(const XmlElement& element, Severity severity, const std::string& what) {
    diagnostics->add(*element.file, element.line, severity, what);
  }
  // Counted at the first place where it was said, for what would else fill pages.
  void report_once(const XmlElement& element, Severity severity, const std::string& what);
  // Reports and marks all of it as read.
  void ignore(const XmlElement& element, const std::string& what);

  std::string world_name = kWorldName;

 private:
  std::map<std::string, const XmlElement*> said_;
  std::unique_ptr<const Skeleton> skeleton_;
};

enum class MjcfKind { kBody, kJoint, kGeom, kSite, kTendon };

// A name that an element refers to.
struct MjcfReference {
  MjcfKind kind;
  std::string name;
  bool aside = false;  // of a tendon: not on its path
};

// Calls f(suffix) for the element, or for each of its copies when what it names was replicated;
// resolve() then gives the full names. Reports names that do not exist. In an attached model, an
// element that refers to what was not attached is none of ours: f is not called.
void for_each_copy(MjcfWorld* world, const MjcfInstance& instance, const XmlElement& element,
                   const std::vector<MjcfReference>& references,
                   const std::function<void(const std::string& suffix)>& f);
// The full name; "" when there is none such.
std::string resolve(const MjcfWorld& world, const MjcfInstance& instance, MjcfKind kind,
                    const std::string& name, const std::string& suffix);
// prefix + name + suffix, empty when the name is.
std::string make_name(const MjcfInstance& instance, const std::string& name,
                      const std::string& suffix);

// The tendon as part of the model itself, for limits, inertia and constraints.
TendonSpec& require_tendon(MjcfWorld* world, MjcfTendon* tendon);

// A name that a system may have: without dots.
std::string system_name(std::string name);

// Calls f(child) for each child of the sections of that name.
void for_each_in_section(const MjcfInstance& instance, const char* section,
                         const std::function<void(const XmlElement& child)>& f);

// ---- the sections, in this order ----
void read_worldbody(MjcfInstance* instance, MjcfWorld* world);
void scale_total_mass(const MjcfCompiler& compiler, ModelSpec* spec);
void set_joint_springs(MjcfWorld* world);  // those given by time constant and damping ratio
void set_limit_springs(MjcfWorld* world);  // of limits that are not rigid
void read_contact_section(const MjcfInstance& instance, MjcfWorld* world);
void read_tendon_section(const MjcfInstance& instance, MjcfWorld* world);
void read_equality_section(const MjcfInstance& instance, MjcfWorld* world);
// Those that constraints hold or that collide, if they are to be moved.
void free_mocap_bodies(bool move, MjcfWorld* world);
void read_actuator_section(const MjcfInstance& instance, MjcfWorld* world);
void read_sensor_section(const MjcfInstance& instance, MjcfWorld* world);
void translate_contacts(MjcfWorld* world);
void read_keyframes(const MjcfInstance& instance, MjcfWorld* world);

// Mass of the tree of joints that each body is part of; infinite for what never moves.
std::vector<double> calc_tree_masses(const ModelSpec& spec);
// Stiffness and damping rate, each by mass, of MuJoCo's soft constraints: see contacts.cpp.
struct SoftConstraint {
  double stiffness = 0, damping = 0;
};
SoftConstraint calc_soft_constraint(const std::array<double, 2>& solref,
                                    const std::array<double, 5>& solimp);

// q_a − a0 = Σ c_k (q_b − b0)ᵏ as a polynomial of q_b alone.
std::vector<double> shift_polynomial(const std::vector<double>& c, double a0, double b0);

// Rotational inertia about (hinge) or mass along (slide) the joint's axis of all that it moves,
// joints at their reference, with the armature: a diagonal entry of M(q0).
double calc_joint_inertia(MjcfWorld* world, const MjcfJoint& joint);

// The muscle of the data; none, and why, where it cannot be one.
std::optional<MuscleParameters> make_muscle(const ActuatorData& data,
                                            const Transmission& transmission, const ModelSpec& spec,
                                            const Attributes& a, std::string* reason);

// The bodies with something whose length is asked for; null when they do not compile.
std::unique_ptr<const Skeleton> make_skeleton(const ModelSpec& spec,
                                              const Transmission& transmission = {});

}  // namespace cenic::detail
