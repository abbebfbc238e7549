// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/asset_paths.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {
namespace {

namespace fs = std::filesystem;

std::string canonical(const fs::path& path) {
  std::error_code status;
  const fs::path result = fs::weakly_canonical(path, status);
  return status ? std::string() : result.string();
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string join_paths(const std::string& a, const std::string& b) {
  return (fs::path(a) / b).string();
}

AssetPaths::AssetPaths(const std::string& main_file,
                       const std::vector<std::string>& allowed_folders) {
  std::error_code status;
  if (!fs::is_regular_file(main_file, status)) {
    throw FileError(main_file, 0,
                    "the file cannot be opened; check its name and that it may be read");
  }
  folders_.push_back(folder_of(canonical(main_file)));
  for (const std::string& folder : allowed_folders) {
    // An empty path would be the beginning of every other.
    if (!fs::is_directory(folder, status)) {
      throw Error(
          fmt::format("there is no folder '{}' to read from; correct --allow-path", folder));
    }
    folders_.push_back(canonical(folder));
  }
}

void AssetPaths::allow(const std::string& folder) {
  const std::string path = canonical(folder);
  if (!path.empty() && !is_allowed(path)) folders_.push_back(path);
}

bool AssetPaths::is_allowed(const std::string& path) const {
  return std::ranges::any_of(folders_, [&](const std::string& folder) {
    if (folder.empty()) return false;
    return path == folder ||
           (path.starts_with(folder) && (folder.ends_with('/') || path[folder.size()] == '/'));
  });
}

AssetPaths::Found AssetPaths::find(const std::string& name,
                                   const std::vector<std::string>& folders) const {
  if (name.empty() || name.find('\0') != std::string::npos) return {"", "the file has no name"};
  std::string refused;
  for (const std::string& folder : folders) {
    const std::string path = canonical(join_paths(folder, name));
    std::error_code status;
    if (path.empty()) continue;
    if (!is_allowed(path)) {
      refused = path;
    } else if (fs::is_regular_file(path, status)) {
      return {path, ""};
    }
  }
  if (!refused.empty()) {
    return {"", fmt::format("file '{}' lies outside of the model's folder; move it there, or allow "
                            "its folder (--allow-path)",
                            name)};
  }
  return {"", fmt::format("file '{}' is not there", name)};
}

}  // namespace cenic
