// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// MJCF files for MuJoCo, among them those of newer versions: what an old MuJoCo does not know, and
// what changes nothing that the tests look at, is taken out first.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "loaders/asset_paths.h"
#include "loaders/xml/read_xml.h"
#include "multibody/mujoco_model.h"

namespace cenic::test {

struct ForMujoco {
  MujocoModel model;
  std::string error;
  bool other_actuators = false;  // something about actuators had to be taken out
  bool full_inertia = false;     // MuJoCo rounds these, by finding their axes, to some 1e-8
};

// The collection, when it is there.
inline std::vector<std::string> shared_folders() {
  if (!std::filesystem::is_directory(CENIC_SHARED_MODELS)) return {};
  return {CENIC_SHARED_MODELS};
}

inline std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    out += c == '<' ? "&lt;" : (c == '&' ? "&amp;" : (c == '"' ? "&quot;" : std::string(1, c)));
  }
  return out;
}

inline void print_xml(const XmlElement& element, std::string* text) {
  *text += "<" + element.name;
  for (const XmlAttribute& a : element.attributes) {
    *text += " " + a.name + "=\"" + escape(a.value) + "\"";
  }
  *text += ">";
  for (const auto& child : element.children) {
    print_xml(*child, text);
  }
  *text += "</" + element.name + ">\n";
}

inline void remove_attribute(const std::string& element, const std::string& attribute,
                             XmlElement* tree) {
  if (tree->name == element) {
    std::erase_if(tree->attributes, [&](const XmlAttribute& a) {
      return a.name == attribute;
    });
  }
  for (auto& child : tree->children) {
    remove_attribute(element, attribute, child.get());
  }
}

inline bool has_attribute(const XmlElement& tree, const std::string& attribute) {
  return tree.find(attribute) != nullptr ||
         std::ranges::any_of(tree.children, [&](const auto& child) {
           return has_attribute(*child, attribute);
         });
}

// Without textures, with folders that do not depend on where the text is, and an old integrator.
inline void simplify(const std::string& folder, XmlElement* tree) {
  for (XmlAttribute& a : tree->attributes) {
    if (a.name == "assetdir") a.name = "meshdir";
    if (a.name == "meshdir") a.value = folder + "/" + a.value;
    if (a.name == "integrator") a.value = "Euler";
  }
  std::erase_if(tree->attributes, [&](const XmlAttribute& a) {
    return a.name == "texturedir" || (tree->name == "material" && a.name == "texture");
  });
  std::erase_if(tree->children, [](const auto& child) {
    return child->name == "texture" || child->name == "visual" || child->name == "statistic" ||
           child->name == "size" || child->name == "keyframe" || child->name == "sensor" ||
           child->name == "light" || child->name == "camera";
  });
  for (auto& child : tree->children) {
    simplify(folder, child.get());
  }
}

inline ForMujoco load_text(const std::string& text) {
  ForMujoco result;
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(text.size()));
  std::memcpy(vfs->filedata[mj_findFileVFS(vfs.get(), "model.xml")], text.data(), text.size());
  char error[1000] = "";
  result.model.reset(mj_loadXML("model.xml", vfs.get(), error, sizeof(error)));
  result.error = error;
  mj_deleteVFS(vfs.get());
  return result;
}

inline ForMujoco load_for_mujoco(const std::string& path) {
  ForMujoco result;
  char error[1000] = "";
  result.model.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof(error)));
  result.error = error;
  try {
    const AssetPaths paths(path, shared_folders());
    result.full_inertia = has_attribute(*read_xml_with_includes(path, path, paths), "fullinertia");
  } catch (const Error& e) {
    result.error = e.what();
  }
  if (result.model != nullptr) return result;
  static const std::set<std::string> kHarmless = {
      "ls_iterations", "ls_tolerance",    "island",           "eulerdamp",
      "sleep",         "sleep_tolerance", "ccd_iterations",   "nativeccd",
      "multiccd",      "adhesion",        "actuatorfrcrange", "kv",
      "dampratio",     "inheritrange",    "timeconst",        "maxhullvert"};
  static const std::set<std::string> kOfActuators = {"actuatorfrcrange", "kv", "dampratio",
                                                     "inheritrange", "timeconst"};
  static const std::regex kUnknown("unrecognized attribute: '(\\w+)'[^]*Element '(\\w+)'");
  try {
    const AssetPaths paths(path, shared_folders());
    auto root = read_xml_with_includes(path, path, paths);
    if (root->name != "mujoco") return result;
    simplify(std::filesystem::path(path).parent_path().string(), root.get());
    if (!has_attribute(*root, "autolimits")) {  // newer versions begin so
      auto compiler = std::make_unique<XmlElement>();
      compiler->name = "compiler";
      compiler->attributes.push_back({"autolimits", "true", 0});
      root->children.insert(root->children.begin(), std::move(compiler));
    }
    bool other_actuators = false;
    for (int attempt = 0; attempt < 50; ++attempt) {
      std::string text;
      print_xml(*root, &text);
      const bool full_inertia = result.full_inertia;
      result = load_text(text);
      result.full_inertia = full_inertia;
      result.other_actuators = other_actuators;
      std::smatch match;
      if (result.model != nullptr || !std::regex_search(result.error, match, kUnknown)) break;
      if (!kHarmless.contains(match[1])) break;
      other_actuators = other_actuators || kOfActuators.contains(match[1]);
      remove_attribute(match[2], match[1], root.get());
    }
  } catch (const Error& e) {
    result.error = e.what();
  }
  return result;
}

}  // namespace cenic::test
