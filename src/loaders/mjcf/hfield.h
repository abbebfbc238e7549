// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <hfield>: a height field asset.
#pragma once

#include <memory>
#include <string>

#include "geometry/height_field.h"
#include "loaders/xml/attributes.h"

namespace cenic::detail {

struct MjcfHfield {
  std::shared_ptr<const HeightField> field{};
  std::string problem{};  // why there is none
};

// `path`: of the file that it names, if any.
MjcfHfield read_hfield(const Attributes& a, const std::string& path);

}  // namespace cenic::detail
