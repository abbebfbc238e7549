// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The parts of the SDFormat reader. Names are full everywhere: those of the models they are in come
// first, "arm::gripper::finger".
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "loaders/robot/robot.h"

namespace cenic::detail {

// A world or model and what holds for all in it.
struct SdfScope {
  std::string path{};  // full name; empty: the file as a whole
  bool fixed = false;
  int depth = 0;  // models in models
};

// Something that has a pose: a model, link, joint or frame.
struct SdfFrame {
  const XmlElement* element = nullptr;
  RigidTransform X_BF{};      // in its base
  std::string base{};         // full name; empty: the world
  std::string attached_to{};  // full name of what it moves with: a link is its own
  bool is_link = false;
  enum class State { kNew, kOpen, kDone } state = State::kNew;
  RigidTransform X_WF{};
};

// A model or joint, whose parts are read when all frames are known.
struct SdfPart {
  const XmlElement* element = nullptr;
  SdfScope scope{};     // in which names in it are looked for
  std::string name{};   // full
  std::string frame{};  // its name among the frames
};

struct SdfReader {
  Robot robot{};
  RobotContext context{};
  ModelSpec* spec = nullptr;
  std::map<std::string, SdfFrame> frames{};
  std::vector<SdfPart> links{}, joints{}, groups{};
  std::vector<std::unique_ptr<XmlElement>> included{};  // other files, kept for their lines
  std::vector<std::string> open_files{};                // that include each other
  std::set<std::string> geometry_names{};
  std::vector<RobotActuator> actuators{};
  // What full names begin with that is left out in the ModelSpec: a file of one model needs none.
  std::string common_prefix{};

  std::string shown(const std::string& name) const {
    return name.starts_with(common_prefix) ? name.substr(common_prefix.size()) : name;
  }

  Diagnostics* diagnostics() const { return context.diagnostics(); }
  Reporter& reporter() const { return *context.reporter; }
};

std::string join_scope(const std::string& scope, const std::string& name);

// ---- frames.cpp ----
struct SdfPose {
  RigidTransform X{};
  std::string relative_to{};
};
// <pose> of an element; the identity when there is none.
SdfPose read_sdf_pose(const XmlElement& element, SdfReader* reader);
// Adds a frame; an error when the name is taken.
void add_sdf_frame(const std::string& name, const SdfFrame& frame, SdfReader* reader);
// The full name of what `name` means in a scope; empty means the world.
std::string resolve_sdf_name(const std::string& scope, const std::string& name);
// Pose in the world. Reports frames that do not exist or depend on themselves, once.
RigidTransform find_sdf_pose(const std::string& name, const XmlElement& asks, SdfReader* reader);
// The link that a frame, joint or model moves with; kWorldName for the world, empty: none such.
std::string find_sdf_link(const std::string& name, SdfReader* reader);
// Pose of a part of a link in the link's frame.
RigidTransform read_pose_in_link(const XmlElement& element, const SdfPart& link, SdfReader* reader);

// ---- models.cpp: first all names ----
void collect_sdf_world(const XmlElement& element, SdfReader* reader);
void collect_sdf_model(const XmlElement& element, SdfReader* reader);

// ---- then the parts ----
void read_sdf_link(const SdfPart& part, SdfReader* reader);
void read_sdf_joint(const SdfPart& part, SdfReader* reader);
void read_sdf_filter_group(const SdfPart& part, SdfReader* reader);
void read_sdf_geometry_part(const XmlElement& element, bool collides, const SdfPart& link,
                            RobotLink* into, SdfReader* reader);

}  // namespace cenic::detail
