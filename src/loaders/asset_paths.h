// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// AssetPaths: which files a model may name. A model reads from the folder of its main file and
// below, and from folders that the user allows; other paths, links that lead elsewhere among them,
// are refused.
#pragma once

#include <string>
#include <vector>

namespace cenic {

class AssetPaths {
 public:
  // Throws FileError when the main file is not there.
  AssetPaths(const std::string& main_file, const std::vector<std::string>& allowed_folders);

  // Files of this folder may be read, too.
  void allow(const std::string& folder);

  const std::string& main_folder() const { return folders_.front(); }

  // Where the file `name` is: tried in each of `folders` in order when it is relative. `shown` is
  // the path for messages. Empty `path`: not found or not allowed, and `problem` says which.
  struct Found {
    std::string path{}, problem{};
  };
  Found find(const std::string& name, const std::vector<std::string>& folders) const;

 private:
  bool is_allowed(const std::string& path) const;  // canonical
  std::vector<std::string> folders_;               // canonical
};

// The folder of a path, "." when it has none.
std::string folder_of(const std::string& path);
// a/b, or b when it is absolute or a is empty.
std::string join_paths(const std::string& a, const std::string& b);

}  // namespace cenic
