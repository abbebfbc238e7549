// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/read_mtl.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/read_file.h"

namespace cenic::detail {
namespace {

constexpr std::size_t kMostBytes = 16U << 20U;

float read_share(std::string_view word) {
  const double x = parse_number(word).value_or(1);
  return static_cast<float>(std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 1);
}

}  // namespace

std::map<std::string, MeshLook> read_mtl(const std::string& path, std::vector<std::string>* notes) {
  std::map<std::string, MeshLook> materials;
  std::istringstream text;
  try {
    text.str(read_file(path, path, kMostBytes));
  } catch (const Error&) {
    notes->push_back("its materials cannot be read: the mesh has no colours");
    return materials;
  }
  MeshLook* material = nullptr;
  std::vector<std::string_view> words;
  for (std::string line; std::getline(text, line);) {
    split_words(line, &words);
    if (words.size() < 2) continue;
    if (words[0] == "newmtl") {
      material = &materials[std::string(words[1])];
    } else if (material == nullptr) {
      continue;
    } else if (words[0] == "Kd" && words.size() >= 4) {
      for (std::size_t k = 0; k < 3; ++k) {
        material->color[k] = read_share(words[k + 1]);
      }
    } else if (words[0] == "d" && read_share(words[1]) > 0) {  // some write 0 for a solid
      material->color[3] = read_share(words[1]);
    } else if (words[0] == "map_Kd") {
      // The last word: options stand before the name.
      material->picture = find_picture(path, std::string(words.back()), notes);
    }
  }
  // The picture has the colour; files often give black besides.
  for (auto& [name, m] : materials) {
    if (m.picture != nullptr) m.color = {1, 1, 1, m.color[3]};
  }
  return materials;
}

}  // namespace cenic::detail
