// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/xml/read_xml.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <tinyxml2.h>

#include "core/error.h"
#include "loaders/read_file.h"

namespace cenic {
namespace {

// A zero byte would end the text for the parser, and drop the rest without a word.
std::string read_text(const std::string& path, const std::string& name, const XmlLimits& limits) {
  std::string text = read_file(path, name, limits.file_bytes);
  if (text.find('\0') != std::string::npos) {
    throw FileError(name, 0, "the file holds a zero byte, so it is no XML text; save it as UTF-8");
  }
  return text;
}

// What tinyxml2 has to say, without the words around it.
std::string describe(const tinyxml2::XMLDocument& document) {
  switch (document.ErrorID()) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "the file is empty; an XML document is expected";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deeply";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "an element is closed by the tag of another, or not at all";
    default:
      return fmt::format("this is no well-formed XML ({})", document.ErrorName());
  }
}

// The text between the tags; comments may interrupt it.
std::string text_of(const tinyxml2::XMLElement& element) {
  std::string text;
  for (const auto* n = element.FirstChild(); n != nullptr; n = n->NextSibling()) {
    if (n->ToText() != nullptr) text += n->Value();
  }
  constexpr const char* kBlank = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

// Copies a parsed document into our tree, file after file.
class Builder {
 public:
  Builder(const AssetPaths* paths, const XmlLimits& limits) : paths_(paths), limits_(limits) {}

  std::unique_ptr<XmlElement> read(const std::string& path, const std::string& name, int depth) {
    const std::string text = read_text(path, name, limits_);
    tinyxml2::XMLDocument document;
    document.Parse(text.data(), text.size());
    if (document.Error()) throw FileError(name, document.ErrorLineNum(), describe(document));
    const tinyxml2::XMLElement* root = document.RootElement();
    if (root == nullptr) throw FileError(name, 1, "the file holds no element");
    files_.push_back({path, std::make_shared<const std::string>(name)});
    auto element = copy(*root, depth);
    files_.pop_back();
    return element;
  }

 private:
  struct File {
    std::string path;
    std::shared_ptr<const std::string> name;
  };

  std::unique_ptr<XmlElement> copy(const tinyxml2::XMLElement& from, int depth) {
    const std::shared_ptr<const std::string> file = files_.back().name;
    if (depth > limits_.depth) {
      throw FileError(*file, from.GetLineNum(),
                      fmt::format("elements are nested more than {} deep", limits_.depth));
    }
    if (++num_elements_ > limits_.elements) {
      throw FileError(*file, from.GetLineNum(),
                      fmt::format("there are more than {} elements, included files among them",
                                  limits_.elements));
    }
    auto element = std::make_unique<XmlElement>();
    element->name = from.Name();
    element->file = file;
    element->line = from.GetLineNum();
    for (const auto* a = from.FirstAttribute(); a != nullptr; a = a->Next()) {
      element->attributes.push_back({a->Name(), a->Value(), a->GetLineNum()});
    }
    element->text = text_of(from);
    for (const auto* c = from.FirstChildElement(); c != nullptr; c = c->NextSiblingElement()) {
      auto child = copy(*c, depth + 1);
      if (paths_ != nullptr && child->name == "include") {
        include(*child, depth, element.get());
      } else {
        element->children.push_back(std::move(child));
      }
    }
    return element;
  }

  void include(const XmlElement& element, int depth, XmlElement* into) {
    const auto fail = [&](const std::string& text) {
      throw FileError(*element.file, element.line, text);
    };
    const XmlAttribute* file = element.find("file");
    if (file == nullptr) fail("<include> names no file; write file=\"...\"");
    const auto found =
        paths_->find(file->value, {paths_->main_folder(), folder_of(files_.back().path)});
    if (found.path.empty()) fail("included " + found.problem);
    if (static_cast<int>(files_.size()) > limits_.include_depth) {
      fail(fmt::format("files include each other more than {} deep", limits_.include_depth));
    }
    for (const File& open : files_) {
      std::error_code status;
      if (std::filesystem::equivalent(open.path, found.path, status)) {
        fail(fmt::format("'{}' includes itself, in the end; break the cycle", file->value));
      }
    }
    std::string name = join_paths(folder_of(*files_.front().name), file->value);
    std::error_code missing;
    if (!std::filesystem::exists(name, missing)) {
      name = join_paths(folder_of(*files_.back().name), file->value);
    }
    auto root = read(found.path, name, depth);
    for (auto& child : root->children) {
      into->children.push_back(std::move(child));
    }
  }

  const AssetPaths* paths_;
  const XmlLimits& limits_;
  std::vector<File> files_;  // open ones, the main file first
  std::size_t num_elements_ = 0;
};

}  // namespace

std::unique_ptr<XmlElement> read_xml(const std::string& path, const std::string& name,
                                     const XmlLimits& limits) {
  return Builder(nullptr, limits).read(path, name, 1);
}

std::unique_ptr<XmlElement> read_xml_with_includes(const std::string& path, const std::string& name,
                                                   const AssetPaths& paths,
                                                   const XmlLimits& limits) {
  return Builder(&paths, limits).read(path, name, 1);
}

}  // namespace cenic
