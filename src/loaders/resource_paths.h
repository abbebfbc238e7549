// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// ResourcePaths: the files that URIs mean. package://name/path and model://name/path are looked for
// in the packages that the user names, in those above and beside the file, and in ROS_PACKAGE_PATH;
// a package that is found so may be read. file:// and plain paths follow the rules of AssetPaths.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "loaders/asset_paths.h"

namespace cenic {

class ResourcePaths {
 public:
  ResourcePaths(AssetPaths paths, std::map<std::string, std::string> packages)
      : paths_(std::move(paths)), packages_(std::move(packages)) {}

  // Files, whatever their URI, are looked for in this folder before anywhere else; `strip`: by
  // their name alone.
  void look_first_in(std::string folder, bool strip) { first_ = {std::move(folder), strip}; }

  // `from` is the path of the file that names the URI.
  AssetPaths::Found find(const std::string& uri, const std::string& from);
  // The same for a model: a folder means its model.sdf, or what its model.config says.
  AssetPaths::Found find_model(const std::string& uri, const std::string& from);

 private:
  // Empty when there is none.
  std::string find_package(const std::string& name, const std::string& from) const;
  AssetPaths::Found find_in_package(const std::string& uri, const std::string& from);

  AssetPaths paths_;
  std::map<std::string, std::string> packages_;
  struct First {
    std::string folder;
    bool strip = false;
  };
  std::optional<First> first_;
};

}  // namespace cenic
