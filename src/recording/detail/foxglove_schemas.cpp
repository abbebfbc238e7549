// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Names, types and numbers are those of https://docs.foxglove.dev/docs/sdk/schemas, which gives
// each message a file of its own; numbers of fields in descriptors are those of descriptor.proto.
#include "recording/detail/foxglove_schemas.h"

#include <map>
#include <set>
#include <vector>

#include "recording/detail/protobuf.h"

namespace cenic::detail {
namespace {

struct Field {
  const char* type;  // of protobuf, a message, or "Type": an enumeration within the message
  const char* name;
  bool repeated = false;
};

struct Message {
  std::vector<Field> fields;               // numbered from 1 on
  std::vector<const char*> enumerators{};  // of Type, numbered from 0 on
};

constexpr bool kRepeated = true;

using Messages = std::map<std::string, Message>;

Messages list_parts() {
  const std::vector<Field> xyz{{"double", "x"}, {"double", "y"}, {"double", "z"}};
  const std::vector<Field> time{{"int64", "seconds"}, {"int32", "nanos"}};
  return {{"Timestamp", {time}},
          {"Duration", {time}},
          {"Vector3", {xyz}},
          {"Point3", {xyz}},
          {"Quaternion", {{{"double", "x"}, {"double", "y"}, {"double", "z"}, {"double", "w"}}}},
          {"Color", {{{"double", "r"}, {"double", "g"}, {"double", "b"}, {"double", "a"}}}},
          {"Pose", {{{"Vector3", "position"}, {"Quaternion", "orientation"}}}},
          {"KeyValuePair", {{{"string", "key"}, {"string", "value"}}}}};
}

Messages list_primitives() {
  const std::vector<Field> box{{"Pose", "pose"}, {"Vector3", "size"}, {"Color", "color"}};
  return {{"ArrowPrimitive",
           {{{"Pose", "pose"},
             {"double", "shaft_length"},
             {"double", "shaft_diameter"},
             {"double", "head_length"},
             {"double", "head_diameter"},
             {"Color", "color"}}}},
          {"CubePrimitive", {box}},
          {"SpherePrimitive", {box}},
          {"CylinderPrimitive",
           {{{"Pose", "pose"},
             {"Vector3", "size"},
             {"double", "bottom_scale"},
             {"double", "top_scale"},
             {"Color", "color"}}}},
          {"LinePrimitive",
           {{{"Type", "type"},
             {"Pose", "pose"},
             {"double", "thickness"},
             {"bool", "scale_invariant"},
             {"Point3", "points", kRepeated},
             {"Color", "color"},
             {"Color", "colors", kRepeated},
             {"fixed32", "indices", kRepeated}},
            {"LINE_STRIP", "LINE_LOOP", "LINE_LIST"}}},
          {"TriangleListPrimitive",
           {{{"Pose", "pose"},
             {"Point3", "points", kRepeated},
             {"Color", "color"},
             {"Color", "colors", kRepeated},
             {"fixed32", "indices", kRepeated}}}},
          {"TextPrimitive",
           {{{"Pose", "pose"},
             {"bool", "billboard"},
             {"double", "font_size"},
             {"bool", "scale_invariant"},
             {"Color", "color"},
             {"string", "text"}}}},
          {"ModelPrimitive",
           {{{"Pose", "pose"},
             {"Vector3", "scale"},
             {"Color", "color"},
             {"bool", "override_color"},
             {"string", "url"},
             {"string", "media_type"},
             {"bytes", "data"}}}}};
}

Messages list_wholes() {
  return {
      {"FrameTransform",
       {{{"Timestamp", "timestamp"},
         {"string", "parent_frame_id"},
         {"string", "child_frame_id"},
         {"Vector3", "translation"},
         {"Quaternion", "rotation"}}}},
      {"FrameTransforms", {{{"FrameTransform", "transforms", kRepeated}}}},
      {"SceneEntity",
       {{{"Timestamp", "timestamp"},
         {"string", "frame_id"},
         {"string", "id"},
         {"Duration", "lifetime"},
         {"bool", "frame_locked"},
         {"KeyValuePair", "metadata", kRepeated},
         {"ArrowPrimitive", "arrows", kRepeated},
         {"CubePrimitive", "cubes", kRepeated},
         {"SpherePrimitive", "spheres", kRepeated},
         {"CylinderPrimitive", "cylinders", kRepeated},
         {"LinePrimitive", "lines", kRepeated},
         {"TriangleListPrimitive", "triangles", kRepeated},
         {"TextPrimitive", "texts", kRepeated},
         {"ModelPrimitive", "models", kRepeated}}}},
      {"SceneEntityDeletion",
       {{{"Timestamp", "timestamp"}, {"Type", "type"}, {"string", "id"}}, {"MATCHING_ID", "ALL"}}},
      {"SceneUpdate",
       {{{"SceneEntityDeletion", "deletions", kRepeated},
         {"SceneEntity", "entities", kRepeated}}}}};
}

const Messages& list_messages() {
  static const Messages messages = [] {
    Messages all = list_parts();
    all.merge(list_primitives());
    all.merge(list_wholes());
    return all;
  }();
  return messages;
}

std::string name_package(const std::string& message) {
  return message == "Timestamp" || message == "Duration" ? "google.protobuf" : "foxglove";
}

std::string name_file(const std::string& message) {
  if (message == "Timestamp") return "google/protobuf/timestamp.proto";
  if (message == "Duration") return "google/protobuf/duration.proto";
  return "foxglove/" + message + ".proto";
}

constexpr std::uint64_t kMessage = 11, kEnumeration = 14;

// FieldDescriptorProto.Type.
std::uint64_t number_type(const std::string& type) {
  static const std::map<std::string, std::uint64_t> numbers{
      {"double", 1}, {"int64", 3},  {"int32", 5},  {"fixed32", 7},
      {"bool", 8},   {"string", 9}, {"bytes", 12}, {"Type", kEnumeration}};
  const auto found = numbers.find(type);
  return found == numbers.end() ? kMessage : found->second;
}

std::string make_field(const std::string& message, const Field& field, std::uint64_t number) {
  const std::uint64_t type = number_type(field.type);
  std::string out;
  put_bytes(&out, 1, field.name);
  put_integer(&out, 3, number);
  put_integer(&out, 4, field.repeated ? 3 : 1);
  put_integer(&out, 5, type);
  if (type == kMessage) {
    put_bytes(&out, 6, "." + name_package(field.type) + "." + field.type);
  }
  if (type == kEnumeration) put_bytes(&out, 6, ".foxglove." + message + ".Type");
  return out;
}

std::string make_enumeration(const std::vector<const char*>& enumerators) {
  std::string out;
  put_bytes(&out, 1, "Type");
  for (std::size_t i = 0; i < enumerators.size(); ++i) {
    std::string value;
    put_bytes(&value, 1, enumerators[i]);
    put_integer(&value, 2, i);
    put_bytes(&out, 2, value);
  }
  return out;
}

// FileDescriptorProto.
std::string make_file(const std::string& name, const Message& message) {
  std::string type, out;
  put_bytes(&type, 1, name);
  for (std::size_t i = 0; i < message.fields.size(); ++i) {
    put_bytes(&type, 2, make_field(name, message.fields[i], i + 1));
  }
  if (!message.enumerators.empty()) put_bytes(&type, 4, make_enumeration(message.enumerators));
  put_bytes(&out, 1, name_file(name));
  put_bytes(&out, 2, name_package(name));
  std::set<std::string> imports;
  for (const Field& field : message.fields) {
    if (number_type(field.type) == kMessage) imports.insert(name_file(field.type));
  }
  for (const std::string& file : imports) {
    put_bytes(&out, 3, file);
  }
  put_bytes(&out, 4, type);
  put_bytes(&out, 12, "proto3");
  return out;
}

// Each file stands behind those it imports.
void add_files(const std::string& name, std::set<std::string>* done, std::string* out) {
  if (!done->insert(name).second) return;
  const Message& message = list_messages().at(name);
  for (const Field& field : message.fields) {
    if (number_type(field.type) == kMessage) add_files(field.type, done, out);
  }
  put_bytes(out, 1, make_file(name, message));
}

}  // namespace

std::string make_foxglove_schema(const std::string& message) {
  std::set<std::string> done;
  std::string out;
  add_files(message, &done, &out);
  return out;
}

}  // namespace cenic::detail
