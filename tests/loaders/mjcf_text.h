// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Models from texts, and folders of files that last as long as a test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "loaders/load.h"

namespace cenic::test {

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess() << text;
  return testing::AssertionFailure() << "'" << part << "' is not in: " << text;
}
inline testing::AssertionResult matches(const std::string& text, const std::string& pattern) {
  if (std::regex_search(text, std::regex(pattern))) return testing::AssertionSuccess() << text;
  return testing::AssertionFailure() << "'" << pattern << "' does not match: " << text;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "cenic_loader_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes a file and returns its path.
  std::string write(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = path_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::string path(const std::string& name = "") const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline LoadedModel load_text_model(const std::string& text, const LoadOptions& options = {}) {
  const TemporaryFolder folder;
  return load_model(folder.write("model.xml", text), options);
}

}  // namespace cenic::test
