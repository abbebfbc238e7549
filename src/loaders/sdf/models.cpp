// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Worlds, models in models and included files: who is there, and where.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "loaders/sdf/sdf.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/read_xml.h"
#include "loaders/xml/values.h"

namespace cenic::detail {
namespace {

constexpr int kMostNested = 30;  // files
constexpr int kDeepest = 300;    // models in models
constexpr std::size_t kMostFiles = 10'000;

void collect_children(const XmlElement& element, const SdfScope& scope, SdfReader* reader);

// The pose and name an include gives to what it includes.
struct Override {
  const XmlElement* include = nullptr;
  std::string name{};
};

// The link that moves the model: the one that is named, or the first.
std::string canonical_link(const XmlElement& model, const std::string& path) {
  if (const XmlAttribute* given = model.find("canonical_link")) {
    return resolve_sdf_name(path, given->value);
  }
  for (const auto& child : model.children) {
    const XmlAttribute* name = child->find("name");
    if (child->name == "link" && name != nullptr) return join_scope(path, name->value);
  }
  for (const auto& child : model.children) {
    const XmlAttribute* name = child->find("name");
    // An inner model's canonical link is this one's.
    if (child->name == "model" && name != nullptr) return join_scope(path, name->value);
    if (child->name == "include" && child->child("name") != nullptr) {
      return join_scope(path, child_text(*child, "name"));
    }
  }
  return "";
}

void ignore_self_collide(const XmlElement& element, SdfReader* reader) {
  if (const XmlElement* e = element.child("self_collide")) {
    reader->reporter().ignore_once(
        *e, "<self_collide>: links of a model touch unless they are neighbours or filtered");
  }
}

// A pose for the model such that its frame `placement` comes to lie where the pose says.
void place_by_frame(const std::string& path, const std::string& placement, SdfFrame* frame,
                    SdfReader* reader) {
  if (placement.empty()) return;
  // Inside of the model only: its own pose is not known yet.
  RigidTransform X_MF;
  std::string at = resolve_sdf_name(path, placement);
  for (int k = 0; at != path; ++k) {
    const auto found = reader->frames.find(at);
    if (found == reader->frames.end() || k > kMostNested * 100) {
      reader->reporter().error(*frame->element,
                               fmt::format("placement_frame: there is no frame '{}'", placement));
      return;
    }
    X_MF = found->second.X_BF * X_MF;
    at = found->second.base;
  }
  frame->X_BF = frame->X_BF * inverse(X_MF);
}

void collect_model(const XmlElement& element, const SdfScope& parent, const Override& over,
                   SdfReader* reader) {
  if (parent.depth > kDeepest) {  // included files may be deep, each of them
    reader->reporter().error(element, fmt::format("models are nested more than {} deep", kDeepest));
    return;
  }
  const Attributes a(element, reader->diagnostics());
  const std::string own = a.text("name");
  const std::string name = over.name.empty() ? own : over.name;
  const XmlElement& placed = over.include != nullptr ? *over.include : element;
  if (name.empty()) {
    reader->reporter().error(element, "<model> has no name; give it one");
    return;
  }
  SdfScope scope = parent;
  scope.path = join_scope(parent.path, name);
  ++scope.depth;
  scope.fixed = parent.fixed || child_flag(element, "static", false, reader->diagnostics()) ||
                (over.include != nullptr &&
                 child_flag(*over.include, "static", false, reader->diagnostics()));
  ignore_self_collide(element, reader);
  const bool own_pose = over.include != nullptr && over.include->child("pose") == nullptr;
  const SdfPose pose = read_sdf_pose(own_pose ? element : placed, reader);
  if (!own_pose && over.include != nullptr) {
    if (const XmlElement* p = element.child("pose")) mark_read(*p);
  }
  SdfFrame frame;
  frame.element = &element;
  frame.X_BF = pose.X;
  frame.base = resolve_sdf_name(parent.path, pose.relative_to);
  frame.attached_to = canonical_link(element, scope.path);
  std::string placement = a.text("placement_frame");
  if (over.include != nullptr && over.include->child("placement_frame") != nullptr) {
    placement = child_text(*over.include, "placement_frame");
  }
  collect_children(element, scope, reader);
  place_by_frame(scope.path, placement, &frame, reader);
  add_sdf_frame(scope.path, frame, reader);
}

// The model of the file that an <include> names.
const XmlElement* open_include(const XmlElement& element, SdfReader* reader) {
  const std::string uri = child_text(element, "uri");
  const auto found = reader->context.resources->find_model(uri, *element.file);
  if (found.path.empty()) {
    reader->reporter().error(element, fmt::format("included {}", found.problem));
    return nullptr;
  }
  if (std::ranges::find(reader->open_files, found.path) != reader->open_files.end()) {
    reader->reporter().error(element,
                             fmt::format("'{}' includes itself, in the end; break the cycle", uri));
    return nullptr;
  }
  if (reader->open_files.size() > kMostNested || reader->included.size() > kMostFiles) {
    reader->reporter().error(element, "too many files include each other");
    return nullptr;
  }
  auto root = read_xml(found.path, found.path);
  const XmlElement* model = root->name == "sdf" ? root->child("model") : nullptr;
  if (model == nullptr) {
    reader->reporter().error(element, fmt::format("'{}' holds no <model> of SDFormat", uri));
    return nullptr;
  }
  for (const XmlAttribute& a : root->attributes) {
    a.read = true;
  }
  root->read = true;
  reader->included.push_back(std::move(root));
  reader->open_files.push_back(found.path);
  return model;
}

void collect_include(const XmlElement& element, const SdfScope& scope, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  if (a.flag("merge", false)) {
    a.error("merge", "merged includes are not known; include the model as a nested one");
    return;
  }
  const XmlElement* model = open_include(element, reader);
  if (model == nullptr) {
    mark_read(element);
    return;
  }
  collect_model(*model, scope, {&element, child_text(element, "name")}, reader);
  reader->open_files.pop_back();
}

void collect_frame(const XmlElement& element, const SdfScope& scope, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  const SdfPose pose = read_sdf_pose(element, reader);
  SdfFrame frame;
  frame.element = &element;
  frame.attached_to = resolve_sdf_name(scope.path, a.text("attached_to"));
  frame.X_BF = pose.X;
  frame.base =
      pose.relative_to.empty() ? frame.attached_to : resolve_sdf_name(scope.path, pose.relative_to);
  add_sdf_frame(join_scope(scope.path, a.text("name")), frame, reader);
}

void collect_link(const XmlElement& element, const SdfScope& scope, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  const SdfPose pose = read_sdf_pose(element, reader);
  SdfFrame frame;
  frame.element = &element;
  frame.X_BF = pose.X;
  frame.base = resolve_sdf_name(scope.path, pose.relative_to);
  frame.is_link = true;
  const std::string name = join_scope(scope.path, a.text("name"));
  add_sdf_frame(name, frame, reader);
  reader->links.push_back({&element, scope, name, name});
}

void collect_joint(const XmlElement& element, const SdfScope& scope, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  const SdfPose pose = read_sdf_pose(element, reader);
  const XmlElement* child = element.child("child");
  if (child == nullptr) child = element.child("drake:child");
  SdfFrame frame;
  frame.element = &element;
  frame.X_BF = pose.X;
  const std::string inside =
      child == nullptr ? "" : resolve_sdf_name(scope.path, value_text(*child));
  frame.base = pose.relative_to.empty() ? inside : resolve_sdf_name(scope.path, pose.relative_to);
  frame.attached_to = inside;
  const std::string name = join_scope(scope.path, a.text("name"));
  // Up to version 1.6 a joint may have the name of a link.
  std::string frame_name = name;
  if (reader->frames.contains(name) && !name.ends_with("::")) {
    frame_name += "__joint__";
    reader->reporter().report(element, Severity::kWarning,
                              fmt::format("joint '{}' has the name of another element", name));
  }
  add_sdf_frame(frame_name, frame, reader);
  reader->joints.push_back({&element, scope, name, frame_name});
}

void collect_children(const XmlElement& element, const SdfScope& scope, SdfReader* reader) {
  for (const auto& child : element.children) {
    if (child->name == "link") {
      collect_link(*child, scope, reader);
    } else if (child->name == "frame") {
      collect_frame(*child, scope, reader);
    } else if (child->name == "model") {
      collect_model(*child, scope, {}, reader);
    } else if (child->name == "include") {
      collect_include(*child, scope, reader);
    } else if (child->name == "drake:collision_filter_group") {
      reader->groups.push_back({child.get(), scope, "", ""});
    }
  }
  for (const auto& child : element.children) {
    if (child->name == "joint" || child->name == "drake:joint") {
      collect_joint(*child, scope, reader);
    }
  }
}

}  // namespace

void collect_sdf_model(const XmlElement& element, SdfReader* reader) {
  collect_model(element, {}, {}, reader);
}

void collect_sdf_world(const XmlElement& element, SdfReader* reader) {
  const Attributes a(element, reader->diagnostics());
  reader->spec->name = a.text("name", "world");
  const auto gravity = child_vector(element, "gravity", reader->diagnostics());
  reader->spec->gravity = gravity.value_or(Vec3{0, 0, -9.8});  // SDFormat's own default
  collect_children(element, {}, reader);
}

}  // namespace cenic::detail
