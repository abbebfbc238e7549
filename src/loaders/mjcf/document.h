// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MjcfDocument: one MJCF file with what it includes, and the parts of it that others refer to:
// compiler settings, default classes, assets. An attached model is a document of its own.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loaders/asset_paths.h"
#include "loaders/mjcf/hfield.h"
#include "loaders/mjcf/mesh.h"
#include "loaders/xml/attributes.h"
#include "loaders/xml/element.h"
#include "math/rigid_transform.h"
#include "model/texture.h"

namespace cenic::detail {

enum class InertiaFromGeom { kNo, kYes, kAuto };

struct MjcfCompiler {
  bool degrees = true;
  bool autolimits = true;
  std::string eulerseq = "xyz";
  std::string meshdir{}, texturedir{};
  bool strippath = false;
  bool fitaabb = false;
  bool exact_mesh_inertia = false;
  bool balance_inertia = false;
  bool fuse_static = false;  // what cannot move has no mass in the total
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::kAuto;
  int group_first = 0, group_last = 5;  // of geoms that count for the inertia
  double bound_mass = 0, bound_inertia = 0;
  double total_mass = -1;  // scaled to it when positive

  double angle(double given) const;  // to radians
};
// `c` is what holds where the file says nothing.
MjcfCompiler read_compiler(const XmlElement& root, Diagnostics* diagnostics, MjcfCompiler c = {});

// A class of defaults and those it is derived from. Actuators of all kinds share one default.
struct MjcfClass {
  const MjcfClass* parent = nullptr;
  std::map<std::string, std::vector<const XmlElement*>> elements{};  // by family
};

class MjcfDefaults {
 public:
  void read(const XmlElement& root, Diagnostics* diagnostics);
  // The class of that name; the main class when it is empty; nullptr when there is none.
  const MjcfClass* find(const std::string& name) const;
  const std::map<std::string, MjcfClass>& classes() const { return classes_; }

 private:
  void read_class(const XmlElement& element, const MjcfClass* parent, Diagnostics* diagnostics);
  std::map<std::string, MjcfClass> classes_{{"", {}}};
  std::string main_name_ = "main";
};
// "geom", "joint", "actuator", ...: which default an element takes.
std::string family_of(const std::string& element_name);

struct MjcfDocument {
  std::unique_ptr<XmlElement> root{};
  std::string name{};    // as messages call the file
  std::string folder{};  // assets are relative to it
  MjcfCompiler compiler{};
  MjcfDefaults defaults{};
  std::map<std::string, MjcfMesh> meshes{};
  std::map<std::string, MjcfHfield> hfields{};
  std::map<std::string, const XmlElement*> pid_instances{};  // of plugins in <extension>
  std::set<std::string> paired_geoms{};  // named by a <pair>: they touch whatever their masks
  std::map<std::string, TextureSpec> textures{};
  struct Material {
    std::array<float, 4> color{};
    TextureSpec texture{};  // perhaps without an image
  };
  std::map<std::string, Material> materials{};
  struct Model {
    std::string path, name;
  };
  std::map<std::string, Model> models{};  // to attach

  // The element with its defaults: of its own class, else of the nearest childclass. The family is
  // that of the element's name when it is empty.
  Attributes attributes(const XmlElement& element, const std::string& childclass,
                        Diagnostics* diagnostics, const std::string& family = "") const;
};

MjcfDocument read_document(const std::string& path, const std::string& name,
                           const AssetPaths& paths, Diagnostics* diagnostics);
void read_extensions(MjcfDocument* document);
// A <texture>; one that is not drawn is reported, and has no image.
void read_texture_asset(const Attributes& a, const AssetPaths& paths, MjcfDocument* document);
// Of a <material>, when all textures are read; none where it has none that can be drawn.
std::optional<TextureSpec> read_material_texture(const Attributes& a, const MjcfDocument& document,
                                                 Diagnostics* diagnostics);
void read_assets(const AssetPaths& paths, MjcfDocument* document, Diagnostics* diagnostics);

// pos and one of quat, axisangle, xyaxes, zaxis, euler.
RigidTransform read_pose(const Attributes& a, const MjcfCompiler& compiler, Diagnostics* d);
Mat3 euler_to_matrix(const Vec3& euler, const MjcfCompiler& compiler);
// The smallest rotation that turns z into the direction.
Mat3 z_to_direction(const Vec3& direction);

}  // namespace cenic::detail
