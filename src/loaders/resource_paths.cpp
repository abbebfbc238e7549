// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/resource_paths.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/xml/read_xml.h"

namespace cenic {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code status;
  return fs::is_directory(path, status);
}

// A folder that says of itself that it is a package.
bool is_package(const fs::path& path) {
  std::error_code status;
  for (const char* file : {"package.xml", "model.config", "manifest.xml"}) {
    if (fs::is_regular_file(path / file, status)) return true;
  }
  return false;
}

// A single name, which cannot lead anywhere else.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string("/\\\0", 3)) == std::string::npos;
}

}  // namespace

std::string ResourcePaths::find_package(const std::string& name, const std::string& from) const {
  if (const auto given = packages_.find(name); given != packages_.end()) return given->second;
  if (!is_plain(name)) return "";
  std::error_code status;
  const fs::path start = fs::weakly_canonical(from, status).parent_path();
  // Not as far as the folders below the root: a file must not open all of /home by its name.
  for (fs::path folder = start; folder.has_relative_path() && folder.parent_path() != folder;
       folder = folder.parent_path()) {
    const bool deep = folder.parent_path().has_relative_path();
    if (deep && folder.filename() == name) return folder.string();
    if (is_folder(folder / name) && is_package(folder / name)) return (folder / name).string();
  }
  if (const char* list = std::getenv("ROS_PACKAGE_PATH")) {
    std::istringstream folders(list);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const fs::path path = fs::path(folder) / name;
      if (!folder.empty() && is_package(path)) return path.string();
    }
  }
  return "";
}

AssetPaths::Found ResourcePaths::find_in_package(const std::string& uri, const std::string& from) {
  const std::size_t start = uri.find("://") + 3;
  const std::size_t slash = std::min(uri.find('/', start), uri.size());
  const std::string name = uri.substr(start, slash - start);
  const std::string folder = find_package(name, from);
  if (folder.empty()) {
    return {"",
            fmt::format("there is no folder of the name '{}' above the file for '{}'; say where "
                        "it is (--package {}=DIR)",
                        name, uri, name)};
  }
  paths_.allow(folder);
  const std::string rest = slash < uri.size() ? uri.substr(slash + 1) : "";
  AssetPaths::Found found = paths_.find(rest.empty() ? "." : rest, {folder});
  if (found.path.empty()) found.problem += fmt::format(" in package '{}'", name);
  return found;
}

AssetPaths::Found ResourcePaths::find(const std::string& uri, const std::string& from) {
  if (first_) {
    const std::string name = first_->strip ? uri.substr(uri.find_last_of("/\\") + 1) : uri;
    if (!name.empty()) {
      AssetPaths::Found found = paths_.find(name, {first_->folder});
      if (!found.path.empty()) return found;
    }
  }
  for (const char* scheme : {"package://", "model://"}) {
    if (uri.starts_with(scheme)) return find_in_package(uri, from);
  }
  constexpr std::string_view kFile = "file://";
  if (uri.starts_with(kFile)) return paths_.find(uri.substr(kFile.size()), {folder_of(from)});
  if (uri.find("://") != std::string::npos) {
    return {"", fmt::format("'{}' is not a file here; keep a copy beside the model", uri)};
  }
  return paths_.find(uri, {folder_of(from)});
}

AssetPaths::Found ResourcePaths::find_model(const std::string& uri, const std::string& from) {
  AssetPaths::Found direct = find(uri, from);
  if (!direct.path.empty()) return direct;
  const std::string folder = uri.ends_with('/') ? uri : uri + "/";
  const AssetPaths::Found config = find(folder + "model.config", from);
  if (!config.path.empty()) {
    const auto root = read_xml(config.path, config.path);
    for (const auto& child : root->children) {
      if (child->name != "sdf" || !is_plain(child->text)) continue;
      AssetPaths::Found found = find(folder + child->text, from);
      if (!found.path.empty()) return found;
    }
  }
  AssetPaths::Found model = find(folder + "model.sdf", from);
  return model.path.empty() ? direct : model;
}

}  // namespace cenic
