// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <worldbody>: bodies, frames, copies (<replicate>) and attached models, with all that stands in
// them.
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/body_parts.h"

namespace cenic::detail {
namespace {

constexpr int kMostBodies = 1'000'000;
constexpr std::size_t kMostInstances = 100'000;  // each reads all sections of its model
constexpr long kMostCopies = 1'000'000;          // elements read in copies and attached models
constexpr int kDeepest = 1000;  // of elements in each other, attached ones included

class BodyReader {
 public:
  explicit BodyReader(MjcfWorld* world) : world_(world) {}

  // What stands in a body, in a frame of it or in a copy.
  void read_children(const XmlElement& element, const BodyContext& in) {
    if (++depth_ > kDeepest) {
      throw FileError(*element.file, element.line,
                      fmt::format("elements are nested more than {} deep", kDeepest));
    }
    for (const auto& child : element.children) {
      if (copying_ > 0) count_copy(*child);
      read_child(*child, in);
    }
    --depth_;
  }

 private:
  // Copies of copies and models that attach themselves twice are many before they are bodies.
  void count_copy(const XmlElement& element) {
    if (++num_copies_ <= kMostCopies) return;
    throw FileError(
        *element.file, element.line,
        fmt::format("copies and attached models make more than {} elements", kMostCopies));
  }

  void read_child(const XmlElement& child, const BodyContext& in) {
    const std::string& kind = child.name;
    if (kind == "body") {
      read_body(child, in);
    } else if (kind == "frame") {
      read_frame(child, in);
    } else if (kind == "replicate") {
      replicate(child, in);
    } else if (kind == "attach") {
      attach(child, in);
    } else if (kind == "geom") {
      read_geom(child, in, world_);
    } else if (kind == "joint" || kind == "freejoint") {
      read_joint(child, in, world_);
    } else if (kind == "inertial") {
      read_inertial(child, in, world_);
    } else if (kind == "site") {
      read_site(child, in, world_);
    } else if (kind == "camera" || kind == "light") {
      world_->ignore(child, fmt::format("<{}>: for the eye alone", kind));
    } else if (kind == "composite" || kind == "flexcomp" || kind == "plugin") {
      world_->ignore(child, fmt::format("<{}>: soft bodies and plugins are not known", kind));
    }
  }

  void read_body(const XmlElement& element, const BodyContext& in) {
    ModelSpec& spec = world_->spec();
    if (static_cast<int>(spec.bodies.size()) >= kMostBodies) {
      throw FileError(*element.file, element.line,
                      fmt::format("there are more than {} bodies", kMostBodies));
    }
    const MjcfDocument& document = *in.instance->document;
    const Attributes a(element, world_->diagnostics);
    BodyContext inside = in;
    OpenBody open{.index = static_cast<int>(spec.bodies.size()), .element = &element};
    inside.body = &open;
    inside.X_BF = {};
    if (a.has("childclass")) inside.childclass = a.text("childclass");

    BodySpec body;
    body.name = make_name(*in.instance, a.text("name"), in.suffix);
    if (body.name.empty()) body.name = fmt::format("body#{}", open.index + 1);
    if (body.name == kWorldName || !world_->body_index.try_emplace(body.name, open.index).second) {
      a.error("name", fmt::format("another body is named '{}'; names are unique", body.name));
    }
    body.parent = world_->body_name(in.body->index);
    body.X_PB = in.X_BF * read_pose(a, document.compiler, world_->diagnostics);
    body.gravity_compensation = a.number("gravcomp", 0);
    if (a.flag("mocap", false)) {
      world_->mocaps.push_back({.body = open.index, .element = &element});
    }
    a.ignore({"user"}, "data of the user");
    a.ignore({"sleep"}, "bodies do not sleep");
    world_->X_WB.push_back(world_->pose(in.body->index) * body.X_PB);
    spec.bodies.push_back(std::move(body));

    read_children(element, inside);
    finish_body(document.compiler, open, world_);
  }

  void read_frame(const XmlElement& element, const BodyContext& in) {
    const Attributes a(element, world_->diagnostics);
    BodyContext inside = in;
    inside.X_BF = in.X_BF * read_pose(a, in.instance->document->compiler, world_->diagnostics);
    if (a.has("childclass")) inside.childclass = a.text("childclass");
    a.accept({"name"});
    read_children(element, inside);
  }

  // Copy k stands at Xᵏ, and its names end in k with as many digits as `count` has.
  void replicate(const XmlElement& element, const BodyContext& in) {
    const Attributes a(element, world_->diagnostics);
    const int copies = a.integer("count", 0);
    if (copies < 1 || copies > kMostBodies) {
      a.error("count", fmt::format("count is {}; give 1 to {}", copies, kMostBodies));
      return;
    }
    const MjcfCompiler& compiler = in.instance->document->compiler;
    RigidTransform X;
    X.p = a.vector("offset", {});
    if (const auto e = a.vector("euler")) {
      X.R = euler_to_matrix({compiler.angle(e->x), compiler.angle(e->y), compiler.angle(e->z)},
                            compiler);
    }
    const std::string sep = a.text("sep");
    const std::size_t digits = std::to_string(copies).size();
    BodyContext inside = in;
    ++copying_;
    for (int k = 0; k < copies; ++k) {
      count_copy(element);
      inside.suffix = fmt::format("{}{:0{}}{}", sep, k, digits, in.suffix);
      in.instance->add_suffix(inside.suffix);
      read_children(element, inside);
      inside.X_BF = inside.X_BF * X;
    }
    --copying_;
  }

  // A body or a frame of another file, or of this one, or all of its bodies, with what acts on
  // them.
  void attach(const XmlElement& element, const BodyContext& in) {
    const Attributes a(element, world_->diagnostics);
    MjcfDocument* document = open_attached(*in.instance->document, a);
    if (document == nullptr) return;
    auto instance = std::make_unique<MjcfInstance>(document, in.suffix);
    instance->prefix = in.instance->prefix + a.text("prefix");
    if (world_->instances.size() > kMostInstances) {
      throw FileError(*element.file, element.line,
                      fmt::format("more than {} models are attached", kMostInstances));
    }
    instance->attached = true;
    BodyContext inside = in;
    inside.instance = instance.get();
    inside.childclass.clear();
    const std::string kind = a.has("frame") ? "frame" : "body", name = a.text(kind);
    ++attach_depth_, ++copying_;
    bool attached = false;
    for (const auto& section : document->root->children) {
      if (section->name != "worldbody") continue;
      section->read = true;
      if (name.empty()) {
        read_children(*section, inside);
        attached = true;
      } else {
        attached = attach_part(*section, kind, name, inside) || attached;
      }
    }
    --attach_depth_, --copying_;
    if (!attached) a.error(kind, fmt::format("that model has no {} '{}'", kind, name));
    world_->instances.push_back(std::move(instance));
  }

  // Finds the body or frame anywhere below the element.
  bool attach_part(const XmlElement& element, const std::string& kind, const std::string& name,
                   const BodyContext& in) {
    for (const auto& child : element.children) {
      const XmlAttribute* own = child->find("name");
      if (child->name == kind && own != nullptr && own->value == name) {
        read_child(*child, in);
        return true;
      }
      BodyContext inside = in;
      if (const XmlAttribute* c = child->find("childclass")) inside.childclass = c->value;
      if ((child->name == "body" || child->name == "frame") &&
          attach_part(*child, kind, name, inside)) {
        child->read = true;
        return true;
      }
    }
    return false;
  }

  MjcfDocument* open_attached(MjcfDocument& from, const Attributes& a) {
    constexpr int kMostNested = 20;
    if (attach_depth_ >= kMostNested) {
      a.error("model", "models attach each other without end");
      return nullptr;
    }
    if (!a.has("model")) return &from;
    const auto found = from.models.find(a.text("model"));
    if (found == from.models.end()) {
      a.error("model",
              fmt::format("there is no <model name=\"{}\"> among the assets", a.text("model")));
      return nullptr;
    }
    auto& document = world_->attached[found->second.path];
    if (!document) {
      document = std::make_unique<MjcfDocument>(read_document(
          found->second.path, found->second.name, *world_->paths, world_->diagnostics));
    }
    return document.get();
  }

  MjcfWorld* world_;
  int attach_depth_ = 0, depth_ = 0;
  int copying_ = 0;  // in how many copies and attached models we are
  long num_copies_ = 0;
};

}  // namespace

void read_worldbody(MjcfInstance* instance, MjcfWorld* world) {
  BodyReader reader(world);
  OpenBody open{.index = -1, .element = instance->document->root.get()};
  BodyContext context{.instance = instance, .body = &open};
  for (const auto& section : instance->document->root->children) {
    if (section->name != "worldbody") continue;
    const Attributes a(*section, world->diagnostics);
    context.childclass = a.text("childclass");
    reader.read_children(*section, context);
  }
}

}  // namespace cenic::detail
