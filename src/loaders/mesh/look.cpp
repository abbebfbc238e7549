// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/look.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/image.h"
#include "loaders/mesh/mesh_text.h"

namespace cenic::detail {

std::shared_ptr<const std::string> find_picture(const std::string& path, std::string name,
                                                std::vector<std::string>* notes) {
  std::ranges::replace(name, '\\', '/');
  const std::string file = find_beside(path, name);
  try {
    if (file.empty()) throw Error("it is not in the folder of the mesh, or below");
    return read_picture(file);
  } catch (const Error& e) {
    notes->push_back(fmt::format("texture '{}' is not drawn: {}", name, e.what()));
    return nullptr;
  }
}

}  // namespace cenic::detail
