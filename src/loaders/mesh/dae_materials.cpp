// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/dae_materials.h"

#include <algorithm>

#include "loaders/xml/attributes.h"

namespace cenic::detail {
namespace {

std::string attribute(const XmlElement& element, const char* name) {
  const XmlAttribute* a = element.find(name);
  return a == nullptr ? "" : a->value;
}

// The text of the first element at the end of a path of names; empty when there is none.
std::string text_at(const XmlElement* element, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (element != nullptr) element = element->child(name);
  }
  return element == nullptr ? "" : element->text;
}

const XmlElement* find_parameter(const XmlElement& profile, const std::string& sid) {
  for (const auto& child : profile.children) {
    if (child->name == "newparam" && attribute(*child, "sid") == sid) return child.get();
  }
  return nullptr;
}

// <diffuse> of the one shading model of a technique.
const XmlElement* find_diffuse(const XmlElement& profile) {
  const XmlElement* technique = profile.child("technique");
  for (const char* model : {"phong", "lambert", "blinn"}) {
    const XmlElement* shading = technique == nullptr ? nullptr : technique->child(model);
    if (shading != nullptr) return shading->child("diffuse");
  }
  return nullptr;
}

}  // namespace

const MeshLook* DaeMaterials::look(const XmlElement& material) {
  const auto [at, added] = looks_.try_emplace(&material);
  if (added) at->second.known = read(material, &at->second.look);
  return at->second.known ? &at->second.look : nullptr;
}

bool DaeMaterials::read(const XmlElement& material, MeshLook* look) {
  const XmlElement* instance = material.child("instance_effect");
  const XmlElement* effect = instance == nullptr ? nullptr : find_(attribute(*instance, "url"));
  const XmlElement* profile = effect == nullptr ? nullptr : effect->child("profile_COMMON");
  const XmlElement* diffuse = profile == nullptr ? nullptr : find_diffuse(*profile);
  if (diffuse == nullptr) return false;
  if (const XmlElement* color = diffuse->child("color")) {
    std::string reason;
    const auto rgba = parse_numbers(color->text, &reason);
    if (!rgba || rgba->size() < 3) return false;
    for (std::size_t k = 0; k < 3; ++k) {
      look->color[k] = static_cast<float>(std::clamp((*rgba)[k], 0.0, 1.0));
    }
    return true;
  }
  const XmlElement* texture = diffuse->child("texture");
  if (texture == nullptr) return false;
  read_texture(*profile, attribute(*texture, "texture"), look);
  return look->picture != nullptr;
}

// The sampler names a surface, that an image, and that a file; in later versions, and in files of
// careless exporters, a step is left out.
void DaeMaterials::read_texture(const XmlElement& profile, const std::string& sampler,
                                MeshLook* look) {
  std::string image = sampler;
  if (const XmlElement* parameter = find_parameter(profile, sampler)) {
    const std::string surface = text_at(parameter, {"sampler2D", "source"});
    const XmlElement* held = find_parameter(profile, surface);
    image = text_at(held, {"surface", "init_from"});
    const XmlElement* sampled = parameter->child("sampler2D");
    const XmlElement* direct = sampled == nullptr ? nullptr : sampled->child("instance_image");
    if (direct != nullptr) image = attribute(*direct, "url");
  }
  const XmlElement* element = find_(image);
  std::string file = text_at(element, {"init_from"});
  if (file.empty()) file = text_at(element, {"init_from", "ref"});
  if (file.empty()) {
    notes_.emplace_back("a texture of its materials names no picture");
    return;
  }
  look->picture = find_picture(path_, std::move(file), &notes_);
}

}  // namespace cenic::detail
