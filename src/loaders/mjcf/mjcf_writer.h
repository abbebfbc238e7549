// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the parts of write_mjcf() share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include "loaders/mjcf/write_mjcf.h"

namespace cenic::detail {

// A joint of MJCF: universal and planar joints are stacks of them.
struct MjcfJointPart {
  std::string name{};
  const char* type = "hinge";
  Vec3 axis{};            // in the joint's frame
  RigidTransform X_BF{};  // the joint's frame in the body
  double ref = 0;         // hinge, slide: initial coordinate
};
std::vector<MjcfJointPart> split_joint(const JointSpec& joint);

// A body as MJCF has it: placed where its hinges and slides are at their initial coordinates, so
// that constraints are closed there.
struct MjcfBodyPose {
  RigidTransform X_PB{};
  std::vector<std::vector<MjcfJointPart>> joints{};  // parts of each
};
MjcfBodyPose place_at_initial(const BodySpec& body);

class MjcfWriter {
 public:
  explicit MjcfWriter(const ModelSpec& spec);
  MjcfText write();

 private:
  using Element = tinyxml2::XMLElement;

  static std::string print(const Vec3& a) { return fmt::format("{} {} {}", a.x, a.y, a.z); }
  static std::string print(const Quat& q) { return fmt::format("{} {} {} {}", q.w, q.x, q.y, q.z); }
  template <typename List>
  static std::string print_list(const List& list) {
    return fmt::format("{}", fmt::join(list, " "));
  }
  static void set(Element* element, const char* name, const std::string& value) {
    element->SetAttribute(name, value.c_str());
  }
  static void set(Element* element, const char* name, double value) {
    set(element, name, fmt::format("{}", value));
  }
  static void set_pose(Element* element, const RigidTransform& X);
  // "lower upper"; MJCF knows no infinite ends.
  static std::string print_range(double lower, double upper);

  void note(const std::string& what, const std::string& name);
  // The element of that name in the root, made when it is first asked for.
  Element* section(const char* name);
  // A point of a body with a name of its own.
  std::string add_site(const std::string& body, const Vec3& p);
  RigidTransform initial_pose(const std::string& body) const;  // in the world
  // The hinge or slide that is coordinate k of the joint; without a name when there is none.
  MjcfJointPart find_part(const std::string& joint, int k) const;

  void write_options();
  void write_bodies(const std::string& parent, Element* element);
  void write_inertia(const BodySpec& body, Element* element);
  void write_limits(const JointSpec& joint, std::size_t part, Element* element);
  void write_joint(const JointSpec& joint, const std::vector<MjcfJointPart>& parts,
                   Element* element);
  void write_geometry(const std::string& body, const GeometrySpec& geometry, Element* element);
  void write_shape(const GeometrySpec& geometry, Element* element);
  void write_height_field(const GeometrySpec& geometry, Element* element);
  void write_contact(const std::string& body, const GeometrySpec& geometry, Element* element);

  void write_contacts();
  void write_constraint(const ConstraintSpec& constraint);
  void write_connect(const ConstraintSpec& constraint);
  void write_weld(const ConstraintSpec& constraint);
  void write_distance(const ConstraintSpec& constraint);
  void write_coupler(const ConstraintSpec& constraint);
  double write_tendon(const TendonSpec& tendon);
  void write_tendon_constraint(const ConstraintSpec& constraint);

  void write_systems();
  bool write_actuator(const SystemSpec& system);
  bool write_pid(const SystemSpec& system);
  void find_sources();
  void write_keyframe();
  void add_to_keyframe(const JointSpec& joint, const BodySpec& body, const MjcfJointPart& part);

  const ModelSpec& spec_;
  std::map<std::string, const BodySpec*> bodies_{};
  std::map<std::string, MjcfBodyPose> poses_{};  // of bodies
  std::map<std::string, const JointSpec*> joints_{};
  std::map<std::string, double> tree_mass_{};  // of bodies that move
  // The HeldInput of one number that feeds an actuator, by the name of the actuator.
  std::map<std::string, const SystemSpec*> sources_{};
  std::map<std::string, std::vector<const BodySpec*>> children_{};
  std::map<std::string, Element*> body_elements_{};
  std::map<std::string, double> tendon_lengths_{};  // NaN: left out
  std::vector<WriteNote> notes_{};
  tinyxml2::XMLDocument document_{};
  Element* root_ = nullptr;
  int num_meshes_ = 0, num_sites_ = 0, num_tendons_ = 0;
  std::vector<double> qpos_{}, qvel_{}, ctrl_{};
  bool moved_ = false;  // something is elsewhere than a file without keyframe says
};

}  // namespace cenic::detail
