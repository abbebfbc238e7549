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
  Vec3 axis{};  // in the joint's frame
};
std::vector<MjcfJointPart> split_joint(const JointSpec& joint);

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
  RigidTransform zero_pose(const std::string& body) const;  // in the world, joints at zero
  // The part that is coordinate k of the joint; empty when there is none.
  std::string find_part(const std::string& joint, int k) const;

  void write_options();
  void write_bodies(const std::string& parent, Element* element);
  void write_inertia(const BodySpec& body, Element* element);
  void write_joint(const JointSpec& joint, Element* element);
  void write_geometry(const std::string& body, const GeometrySpec& geometry, Element* element);
  void write_shape(const GeometrySpec& geometry, Element* element);
  void write_contact(const std::string& body, const GeometrySpec& geometry, Element* element);

  void write_contacts();
  void write_constraint(const ConstraintSpec& constraint);
  void write_connect(const ConstraintSpec& constraint);
  void write_weld(const ConstraintSpec& constraint);
  void write_distance(const ConstraintSpec& constraint);
  void write_coupler(const ConstraintSpec& constraint);

  void write_systems();
  bool write_actuator(const SystemSpec& system);
  bool write_pid(const SystemSpec& system);
  bool write_input(const SystemSpec& system);
  const SystemSpec* find_source(const SystemSpec& system) const;
  void write_keyframe();

  const ModelSpec& spec_;
  std::map<std::string, const BodySpec*> bodies_{};
  std::map<std::string, const JointSpec*> joints_{};
  std::map<std::string, double> tree_mass_{};  // of bodies that move
  std::map<std::string, std::vector<const BodySpec*>> children_{};
  std::map<std::string, Element*> body_elements_{};
  std::vector<WriteNote> notes_{};
  tinyxml2::XMLDocument document_{};
  Element* root_ = nullptr;
  int num_meshes_ = 0, num_sites_ = 0, num_tendons_ = 0;
  std::vector<double> qpos_{}, qvel_{}, ctrl_{};
  bool moved_ = false;  // the initial state is not the zero position at rest
};

}  // namespace cenic::detail
