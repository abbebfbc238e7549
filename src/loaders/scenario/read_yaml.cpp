// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/parser.h>

#include "core/error.h"
#include "loaders/scenario/yaml_reader.h"

namespace cenic::detail {
namespace {

// Larger meshes belong into mesh files, which read much faster.
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
constexpr int kMaxNodes = 4'000'000;
constexpr int kMaxDepth = 100;

std::string place(const std::string& name, const YAML::Mark& mark) {
  return fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

// Walks as the reader will: an alias counts as what it stands for.
class LimitCheck {
 public:
  explicit LimitCheck(const std::string& name) : name_(name) {}

  void check(const YAML::Node& node, int depth) {
    if (++nodes_ > kMaxNodes) {
      fail(node, fmt::format("more than {} values; are aliases piled up?", kMaxNodes));
    }
    if (depth > kMaxDepth) {
      fail(node, fmt::format("nested more than {} deep; does an alias contain itself?", kMaxDepth));
    }
    if (node.IsSequence()) {
      for (const YAML::Node& child : node) {
        check(child, depth + 1);
      }
    } else if (node.IsMap()) {
      check_map(node, depth);
    }
  }

 private:
  [[noreturn]] void fail(const YAML::Node& node, const std::string& text) {
    throw FileError(place(name_, node.Mark()), 0, text);
  }
  void check_map(const YAML::Node& node, int depth) {
    std::set<std::string> keys;
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) fail(entry.first, "a key must be a plain word");
      if (!keys.insert(entry.first.Scalar()).second) {
        fail(entry.first,
             fmt::format("the key '{}' is there twice; keep one", entry.first.Scalar()));
      }
      check(entry.second, depth + 1);
    }
  }

  const std::string& name_;
  int nodes_ = 0;
};

// Where the second document begins, if there is one. (YAML::LoadAll would collect documents for
// ever out of a text that begins with a comma.)
class DocumentStart : public YAML::EventHandler {
 public:
  YAML::Mark mark;

  void OnDocumentStart(const YAML::Mark& start) override { mark = start; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

void check_one_document(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStart start;
  if (!parser.HandleNextDocument(start)) throw FileError(name, 0, "the file is empty");
  if (parser.HandleNextDocument(start)) {
    throw FileError(place(name, start.mark), 0, "a scenario is one document; remove the second");
  }
}

std::string read_text(const std::string& path, const std::string& name) {
  std::error_code status;
  const auto size = std::filesystem::file_size(path, status);
  if (status) throw FileError(name, 0, "the file cannot be read");
  if (size > kMaxBytes) {
    throw FileError(name, 0,
                    fmt::format("the file has {} MB, more than {}; put meshes into files "
                                "of their own",
                                size >> 20, kMaxBytes >> 20));
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw FileError(name, 0, "the file cannot be read");
  return text.str();
}

}  // namespace

YAML::Node read_yaml(const std::string& path, const std::string& name) {
  const std::string text = read_text(path, name);
  try {
    check_one_document(text, name);
    YAML::Node document = YAML::Load(text);
    if (document.IsNull()) throw FileError(name, 0, "the file is empty");
    LimitCheck(name).check(document, 0);
    return document;
  } catch (const YAML::DeepRecursion&) {
    throw FileError(name, 0, "nested far too deep for a scenario");
  } catch (const YAML::Exception& e) {
    throw FileError(place(name, e.mark), 0, fmt::format("no YAML: {}", e.msg));
  }
}

}  // namespace cenic::detail
