// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads XML files into trees of XmlElement, within limits that keep a bad file from taking the
// machine with it. Errors are FileError "file:line: error: ...".
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "loaders/asset_paths.h"
#include "loaders/xml/element.h"

namespace cenic {

struct XmlLimits {
  std::size_t file_bytes = std::size_t{256} << 20;
  std::size_t elements = 4'000'000;  // of a document with all it includes
  int depth = 400;                   // of elements in each other
  int include_depth = 30;
};

// The root element. `name` is what messages call the file.
std::unique_ptr<XmlElement> read_xml(const std::string& path, const std::string& name,
                                     const XmlLimits& limits = {});

// The same with each <include file="..."/> replaced by the children of that file's root, as MJCF
// has it: names are relative to the main file's folder, or else to the including file's.
std::unique_ptr<XmlElement> read_xml_with_includes(const std::string& path, const std::string& name,
                                                   const AssetPaths& paths,
                                                   const XmlLimits& limits = {});

}  // namespace cenic
