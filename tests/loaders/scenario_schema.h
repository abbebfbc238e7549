// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The JSON schema of scenarios, made from the same lists of keys as the reader, and a check of
// values against the part of JSON Schema that it uses.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "loaders/scenario/scenario.h"
#include "loaders/scenario/shape_choice.h"
#include "loaders/scenario/system_fields.h"

namespace cenic::detail {

using Json = nlohmann::ordered_json;

class SchemaArchive {
 public:
  template <typename T>
  void field(const char* key, T& value, unsigned flags = 0) {
    properties[key] = make(value);
    if ((flags & kRequired) != 0) required.push_back(key);
  }
  void shape(Shape& /*shape*/) {
    ShapeChoice choice;
    describe(*this, choice);
  }
  void picture(TextureSpec& /*texture*/) {}
  Json object() const {
    Json json{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) json["required"] = required;
    return json;
  }

  Json properties = Json::object(), required = Json::array();

 private:
  static Json make(double) { return {{"type", "number"}}; }
  static Json make(float) { return {{"type", "number"}}; }
  static Json make(int) { return {{"type", "integer"}}; }
  static Json make(std::uint32_t) { return {{"type", "integer"}, {"minimum", 0}}; }
  static Json make(std::uint64_t) { return {{"type", "integer"}, {"minimum", 0}}; }
  static Json make(bool) { return {{"type", "boolean"}}; }
  static Json make(const std::string&) { return {{"type", "string"}}; }
  static Json make_array(const Json& items, int least = -1, int most = -1) {
    Json json{{"type", "array"}, {"items", items}};
    if (least >= 0) json["minItems"] = least;
    if (most >= 0) json["maxItems"] = most;
    return json;
  }
  static Json make_rows(const char* type, int columns) {
    return {{"anyOf",
             {{{"type", "string"}}, make_array(make_array({{"type", type}}, columns, columns))}}};
  }
  static Json make(const Vec3&) { return make_array(make(0.0), 3, 3); }
  static Json make(const Mat3&) { return make_array(make(0.0), 3, 9); }
  static Json make(const RigidTransform&) { return {{"$ref", "#/$defs/pose"}}; }
  static Json make(const GeometrySpec&) { return {{"$ref", "#/$defs/geometry"}}; }
  static Json make(const std::vector<double>&) {
    return {{"anyOf", {make(0.0), make_array(make(0.0))}}};
  }
  static Json make(const NumbersByName&) {
    return {{"type", "object"}, {"additionalProperties", make(std::vector<double>{})}};
  }
  static Json make(const SystemSpec& /*system*/) {
    Json types = Json::array();
    for_each_system_type([&](auto& type) {
      SchemaArchive archive;
      std::string name;
      double period = 0, offset = 0;
      std::vector<double> start;
      archive.field("name", name, kRequired);
      archive.properties["type"] = {{"const", type.name}};
      archive.required.push_back("type");
      archive.field("period", period);
      archive.field("offset", offset);
      archive.field("start", start);
      type.visit(archive);
      types.push_back(archive.object());
      return false;
    });
    return {{"oneOf", types}};
  }
  static Json make(const std::vector<Vec3>&) { return make_rows("number", 3); }
  template <std::size_t N>
  static Json make(const std::vector<std::array<int, N>>&) {
    return make_rows("integer", N);
  }
  template <typename T>
  static Json make(const T&) requires std::is_enum_v<T> {
    return {{"enum", EnumWords<T>::kWords}};
  }
  template <typename T, std::size_t N>
  static Json make(const std::array<T, N>&) {
    return make_array(make(T{}), N, N);
  }
  template <typename T>
  static Json make(const std::vector<T>&) {
    return make_array(make(T{}));
  }
  template <typename T>
  static Json make(const std::optional<T>&) {
    return make(T{});
  }
  template <HasFields T>
  static Json make(const T&) {
    return make_object<T>();
  }

 public:
  template <typename T>
  static Json make_object() {
    SchemaArchive archive;
    T value;
    describe(archive, value);
    return archive.object();
  }
};

inline Json make_scenario_schema() {
  Json schema = SchemaArchive::make_object<Scenario>();
  Json head{{"$schema", "http://json-schema.org/draft-07/schema#"},
            {"title", "cenic scenario"},
            {"$defs",
             {{"pose", SchemaArchive::make_object<PoseFields>()},
              {"geometry", SchemaArchive::make_object<GeometrySpec>()}}}};
  head.update(schema);
  return head;
}

// YAML as JSON: words that look like numbers are numbers.
inline Json to_json(const YAML::Node& node) {
  if (node.IsMap()) {
    Json json = Json::object();
    for (const auto& entry : node) {
      json[entry.first.Scalar()] = to_json(entry.second);
    }
    return json;
  }
  if (node.IsSequence()) {
    Json json = Json::array();
    for (const YAML::Node& child : node) {
      json.push_back(to_json(child));
    }
    return json;
  }
  if (node.IsNull()) return nullptr;
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // in quotes
  if (text == "true" || text == "false") return text == "true";
  std::uint64_t whole = 0;
  if (YAML::convert<std::uint64_t>::decode(node, whole)) return whole;
  double number = 0;
  if (YAML::convert<double>::decode(node, number)) return number;
  return text;
}

// "" when the value fits, else the path of what does not.
inline std::string find_misfit(const Json& schema, const Json& root, const Json& value,
                               const std::string& path = "") {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"].get<std::string>().substr(8);
    return find_misfit(root["$defs"][name], root, value, path);
  }
  for (const char* any : {"anyOf", "oneOf"}) {
    if (!schema.contains(any)) continue;
    int fits = 0;
    for (const Json& choice : schema[any]) {
      fits += find_misfit(choice, root, value, path).empty() ? 1 : 0;
    }
    return fits == 0 || (fits > 1 && any == std::string("oneOf")) ? path + ": none fits" : "";
  }
  if (schema.contains("const")) return schema["const"] == value ? "" : path + ": another";
  if (schema.contains("enum")) {
    for (const Json& word : schema["enum"]) {
      if (word == value) return "";
    }
    return path + ": no such word";
  }
  const std::string type = schema["type"];
  const bool fits =
      (type == "number" && value.is_number()) || (type == "integer" && value.is_number_integer()) ||
      (type == "boolean" && value.is_boolean()) || (type == "string" && value.is_string()) ||
      (type == "array" && value.is_array()) || (type == "object" && value.is_object());
  if (!fits) return path + ": no " + type;
  if (type == "array") {
    if (value.size() < schema.value("minItems", std::size_t{0})) return path + ": too short";
    if (value.size() > schema.value("maxItems", value.size())) return path + ": too long";
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string misfit =
          find_misfit(schema["items"], root, value[i], path + "/" + std::to_string(i));
      if (!misfit.empty()) return misfit;
    }
  }
  if (type != "object") return "";
  for (const Json& key : schema.value("required", Json::array())) {
    if (!value.contains(key.get<std::string>())) return path + ": no " + key.get<std::string>();
  }
  for (const auto& [key, child] : value.items()) {
    const bool known = schema.contains("properties") && schema["properties"].contains(key);
    const Json& other = schema["additionalProperties"];
    if (!known && !other.is_object()) return path + ": unknown " + key;
    const std::string misfit =
        find_misfit(known ? schema["properties"][key] : other, root, child, path + "/" + key);
    if (!misfit.empty()) return misfit;
  }
  return "";
}

}  // namespace cenic::detail
