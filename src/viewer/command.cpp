// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/command.h"

#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace cenic {
namespace {

using nlohmann::json;

const json& get(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(fmt::format("the command has no '{}'", key));
  return *found;
}

double get_number(const json& value) {
  if (!value.is_number()) throw Error("a number of the command is none");
  const double x = value.get<double>();
  if (!std::isfinite(x)) throw Error("a number of the command is not finite");
  return x;
}

int get_index(const json& object) {
  const json& value = get(object, "index");
  if (!value.is_number_integer() || value < 0 || value > 100'000'000) {
    throw Error("the index of the command is none");
  }
  return value.get<int>();
}

Vec3 get_point(const json& object, const char* key) {
  const json& list = get(object, key);
  if (!list.is_array() || list.size() != 3) {
    throw Error(fmt::format("'{}' of the command is no point", key));
  }
  return {get_number(list[0]), get_number(list[1]), get_number(list[2])};
}

std::string get_id(const json& value) {
  constexpr std::size_t kLongest = 64;
  if (!value.is_string() || value.get_ref<const std::string&>().size() > kLongest) {
    throw Error(fmt::format("the id of the command is no text of at most {} bytes", kLongest));
  }
  return value.get<std::string>();
}

CommandVerb get_verb(const json& object) {
  static const std::map<std::string, CommandVerb> verbs{
      {"play", CommandVerb::kPlay},   {"pause", CommandVerb::kPause},
      {"step", CommandVerb::kStep},   {"rate", CommandVerb::kRate},
      {"reset", CommandVerb::kReset}, {"joint", CommandVerb::kJoint},
      {"input", CommandVerb::kInput}, {"grab", CommandVerb::kGrab},
      {"drag", CommandVerb::kDrag},   {"release", CommandVerb::kRelease},
  };
  const json& value = get(object, "do");
  const auto found = value.is_string() ? verbs.find(value.get<std::string>()) : verbs.end();
  if (found == verbs.end()) throw Error("the command asks for something unknown");
  return found->second;
}

}  // namespace

Command parse_command(const std::string& text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) throw Error("the command is not a JSON object");
  Command c{.verb = get_verb(object)};
  if (object.contains("from")) c.from = get_number(object["from"]);
  if (object.contains("id")) c.id = get_id(object["id"]);
  switch (c.verb) {
    case CommandVerb::kRate:
      c.value = get_number(get(object, "value"));
      break;
    case CommandVerb::kJoint:
      c.index = get_index(object);
      c.value = get_number(get(object, "value"));
      break;
    case CommandVerb::kInput:
      if (!get(object, "name").is_string()) throw Error("the name of the command is no text");
      c.name = object["name"].get<std::string>();
      c.index = get_index(object);
      c.value = get_number(get(object, "value"));
      break;
    case CommandVerb::kGrab:
      c.index = get_index(object);
      c.point = get_point(object, "point");
      c.target = get_point(object, "target");
      break;
    case CommandVerb::kDrag:
      c.target = get_point(object, "target");
      break;
    default:
      break;
  }
  return c;
}

}  // namespace cenic
