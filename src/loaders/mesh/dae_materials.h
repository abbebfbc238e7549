// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Materials of COLLADA files: the diffuse colour or picture of their effects.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "loaders/mesh/look.h"
#include "loaders/xml/element.h"

namespace cenic::detail {

class DaeMaterials {
 public:
  // `find` gives the element of an id, with or without '#', or null.
  using Find = std::function<const XmlElement*(const std::string&)>;
  DaeMaterials(const std::string& path, Find find) : path_(path), find_(std::move(find)) {}

  // Of a <material>; null when its effect gives neither colour nor picture.
  const MeshLook* look(const XmlElement& material);
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  bool read(const XmlElement& material, MeshLook* look);
  void read_texture(const XmlElement& profile, const std::string& sampler, MeshLook* look);

  const std::string& path_;
  Find find_;
  struct Entry {
    bool known = false;
    MeshLook look{};
  };
  std::map<const XmlElement*, Entry> looks_{};
  std::vector<std::string> notes_{};
};

}  // namespace cenic::detail
