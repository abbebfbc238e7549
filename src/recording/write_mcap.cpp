// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Topics: /tf (foxglove.FrameTransforms, poses of the bodies), /scene (foxglove.SceneUpdate, the
// shapes, once, each fixed to the frame of its body), /contacts (foxglove.SceneUpdate, forces as
// arrows), /state and /steps (JSON of our own).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "math/spatial.h"
#include "recording/detail/mcap_file.h"
#include "recording/detail/recorded_scene.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using Json = nlohmann::json;

constexpr double kGround = 20;         // side of the square drawn for a half space, m
constexpr double kForceScale = 0.005;  // length of an arrow, m/N
constexpr double kLongestArrow = 0.5;  // m

Json make_position(const Vec3& p) { return {{"x", p.x}, {"y", p.y}, {"z", p.z}}; }

Json make_orientation(const Quat& r) { return {{"w", r.w}, {"x", r.x}, {"y", r.y}, {"z", r.z}}; }

Json make_pose(const RigidTransform& X) {
  return {{"position", make_position(X.p)}, {"orientation", make_orientation(to_quaternion(X.R))}};
}

Json make_color(const std::array<float, 4>& c) {
  return {{"r", c[0]}, {"g", c[1]}, {"b", c[2]}, {"a", c[3]}};
}

Json make_time(double t) {
  const auto ns = static_cast<std::int64_t>(std::llround(1e9 * std::max(0.0, t)));
  return {{"sec", ns / 1000000000}, {"nsec", ns % 1000000000}};
}

Json make_entity(const std::string& frame, const std::string& id, double t) {
  Json entity{{"timestamp", make_time(t)},
              {"frame_id", frame},
              {"id", id},
              {"lifetime", {{"sec", 0}, {"nsec", 0}}},
              {"frame_locked", true}};
  for (const char* kind : {"metadata", "arrows", "cubes", "spheres", "cylinders", "lines",
                           "triangles", "texts", "models"}) {
    entity[kind] = Json::array();
  }
  return entity;
}

void add_primitive(const char* kind, const RigidTransform& X, const Vec3& size, const Json& color,
                   Json* entity) {
  Json primitive{{"pose", make_pose(X)}, {"size", make_position(size)}, {"color", color}};
  if (std::string(kind) == "cylinders") {
    primitive["bottom_scale"] = primitive["top_scale"] = 1;
  }
  (*entity)[kind].push_back(primitive);
}

void add_mesh(const RecordedMesh& mesh, const RigidTransform& X, const Json& color, Json* entity) {
  Json points = Json::array(), indices = Json::array();
  for (const Vec3& p : mesh.vertices) {
    points.push_back(make_position(p));
  }
  for (const auto& triangle : mesh.triangles) {
    for (const int corner : triangle) {
      indices.push_back(corner);
    }
  }
  (*entity)["triangles"].push_back({{"pose", make_pose(X)},
                                    {"points", points},
                                    {"color", color},
                                    {"colors", Json::array()},
                                    {"indices", indices}});
}

void add_shape(const RecordedScene& scene, const RecordedGeometry& g, Json* entity) {
  const Json color = make_color(g.color);
  const Vec3 s = g.size;
  if (g.kind == "box") {
    add_primitive("cubes", g.X_BG, 2.0 * s, color, entity);
  } else if (g.kind == "sphere") {
    add_primitive("spheres", g.X_BG, {2 * s.x, 2 * s.x, 2 * s.x}, color, entity);
  } else if (g.kind == "ellipsoid") {
    add_primitive("spheres", g.X_BG, 2.0 * s, color, entity);
  } else if (g.kind == "cylinder" || g.kind == "capsule") {
    add_primitive("cylinders", g.X_BG, {2 * s.x, 2 * s.x, 2 * s.z}, color, entity);
    for (const double end : {-s.z, s.z}) {
      if (g.kind == "cylinder") break;
      add_primitive("spheres", g.X_BG * RigidTransform::translation({0, 0, end}),
                    {2 * s.x, 2 * s.x, 2 * s.x}, color, entity);
    }
  } else if (g.kind == "mesh") {
    add_mesh(scene.meshes[g.mesh], g.X_BG, color, entity);
  } else {  // a half space
    add_primitive("cubes", g.X_BG * RigidTransform::translation({0, 0, -0.005}),
                  {kGround, kGround, 0.01}, color, entity);
  }
}

// A rotation that takes x to the direction.
Quat turn_x_to(const Vec3& direction) {
  const Vec3 x{1, 0, 0}, axis = cross(x, direction);
  const double w = 1 + dot(x, direction);
  if (w < 1e-9) return {0, 0, 0, 1};  // backwards
  return normalized(Quat{w, axis.x, axis.y, axis.z});
}

// ---- Messages of every frame, as text at once: a tree of JSON would take ten times as long. ----

// The shortest text that reads back as the same number.
template <typename T>
void put_number(std::string* out, T x) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isfinite(x)) {
      *out += "null";
      return;
    }
  }
  char digits[32];
  out->append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

// "{name0x,name1y,...}" where the names bring their quotes and colons along.
template <typename T, std::size_t N>
void put_fields(std::string* out, const char* const (&names)[N], const T (&values)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    *out += i == 0 ? '{' : ',';
    *out += names[i];
    put_number(out, values[i]);
  }
  *out += '}';
}

// Poses are shown, not computed with: 32 bits.
void put_position(std::string* out, const Vec3& p) {
  const float numbers[] = {static_cast<float>(p.x), static_cast<float>(p.y),
                           static_cast<float>(p.z)};
  put_fields(out, {"\"x\":", "\"y\":", "\"z\":"}, numbers);
}

void put_orientation(std::string* out, const Quat& r) {
  const float numbers[] = {static_cast<float>(r.w), static_cast<float>(r.x),
                           static_cast<float>(r.y), static_cast<float>(r.z)};
  put_fields(out, {"\"w\":", "\"x\":", "\"y\":", "\"z\":"}, numbers);
}

void put_arrow(std::string* out, const RecordedContact& c, double force) {
  const double length = std::min(kForceScale * force, kLongestArrow);
  *out += R"({"color":{"a":1,"b":0.1,"g":0.3,"r":0.9},"pose":{"position":)";
  put_position(out, c.point_W);
  *out += R"(,"orientation":)";
  put_orientation(out, turn_x_to(c.force_B_W * (1 / force)));
  *out += R"(},"shaft_diameter":0.006,"head_diameter":0.012,"shaft_length":)";
  put_number(out, static_cast<float>(0.8 * length));
  *out += R"(,"head_length":)";
  put_number(out, static_cast<float>(0.2 * length));
  *out += '}';
}

std::string quote(const std::string& name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of names, each with quotes and a colon.
std::vector<std::string> make_keys(const std::vector<std::string>& names) {
  std::vector<std::string> keys;
  for (const std::string& name : names) {
    keys.push_back(quote(name) + ":");
  }
  return keys;
}

void put_values(std::string* out, const std::vector<std::string>& keys,
                const std::vector<double>& values) {
  *out += '{';
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) *out += ',';
    *out += keys[i];
    put_number(out, values[i]);
  }
  *out += '}';
}

// The schemas say what a reader needs to show the fields; parts that vary are plain objects.
std::string make_schema(const std::string& title,
                        const std::map<std::string, std::string>& fields) {
  Json properties = Json::object();
  for (const auto& [name, type] : fields) {
    properties[name] = {{"type", type}};
    if (type == "array") properties[name]["items"] = Json::object();
    if (type == "numbers") properties[name] = {{"type", "array"}, {"items", {{"type", "number"}}}};
    if (type == "objects") properties[name] = {{"type", "array"}, {"items", {{"type", "object"}}}};
  }
  return Json{{"title", title}, {"type", "object"}, {"properties", properties}}.dump();
}

class McapSink : public FrameSink {
 public:
  McapSink(const std::string& path, const RecordingInfo& info, const RecordedScene& scene)
      : file_(path), scene_(scene) {
    tf_ = add("/tf", "foxglove.FrameTransforms", {{"transforms", "objects"}});
    const std::map<std::string, std::string> update{{"deletions", "objects"},
                                                    {"entities", "objects"}};
    shapes_ = add("/scene", "foxglove.SceneUpdate", update);
    contacts_ = add("/contacts", "foxglove.SceneUpdate", update);
    state_ = add("/state", "cenic.State",
                 {{"t", "number"},
                  {"q", "object"},
                  {"v", "object"},
                  {"z", "object"},
                  {"outputs", "object"},
                  {"energy", "number"}});
    steps_ = add("/steps", "cenic.Step",
                 {{"t", "number"},
                  {"h", "number"},
                  {"error", "number"},
                  {"rejections", "integer"},
                  {"limited_by", "string"}});
    const std::vector<std::string>* names[] = {&scene.coordinates, &scene.velocities, &scene.states,
                                               &scene.outputs};
    for (int i = 0; i < 4; ++i) {
      keys_[i] = make_keys(*names[i]);
    }
    for (const auto& [from, to] : {std::pair(&scene.bodies, &bodies_),
                                   {&scene.velocities, &limits_[0]},
                                   {&scene.states, &limits_[1]}}) {
      std::ranges::transform(*from, std::back_inserter(*to), quote);
    }
    std::map<std::string, std::string> metadata;
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) metadata[field.name] = info.*field.text;
      if (field.number != nullptr) metadata[field.name] = fmt::format("{}", info.*field.number);
      if (field.integer != nullptr) metadata[field.name] = fmt::format("{}", info.*field.integer);
    }
    file_.write_metadata("cenic", metadata);
  }

  void on_frame(const Frame& frame) override {
    if (!shapes_written_) write_shapes(frame.t);
    shapes_written_ = true;
    write_poses(frame);
    write_contacts(frame);
    write_state(frame);
  }

  void on_step(const RecordedStep& step) override {
    const std::string& limit = step.velocity >= 0 ? limits_[0][step.velocity]
                               : step.state >= 0  ? limits_[1][step.state]
                                                  : nobody_;
    text_.clear();
    const double numbers[] = {step.t, step.h, step.error};
    put_fields(&text_, {"\"t\":", "\"h\":", "\"error\":"}, numbers);
    text_.back() = ',';
    text_ += R"("rejections":)";
    put_number(&text_, step.rejections);
    text_ += R"(,"limited_by":)" + limit + '}';
    file_.write(steps_, step.t, text_);
  }

  void finish(const std::string& failure) override {
    if (!failure.empty()) file_.write_metadata("failure", {{"failure", failure}});
    file_.close();
  }

 private:
  int add(const std::string& topic, const std::string& schema,
          const std::map<std::string, std::string>& fields) {
    return file_.add_channel(topic, schema, make_schema(schema, fields));
  }
  void write(int channel, double t, const Json& message) {
    file_.write(channel, t, message.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  void write_shapes(double t) {
    Json entities = Json::array();
    for (std::size_t i = 0; i < scene_.geometries.size(); ++i) {
      const RecordedGeometry& g = scene_.geometries[i];
      const std::string frame = g.body < 0 ? "world" : scene_.bodies[g.body];
      Json entity = make_entity(frame, fmt::format("{} {}", i, g.name), t);
      add_shape(scene_, g, &entity);
      entities.push_back(std::move(entity));
    }
    write(shapes_, t, {{"deletions", Json::array()}, {"entities", entities}});
  }

  void write_poses(const Frame& frame) {
    const std::string time = make_time(frame.t).dump();
    text_ = R"({"transforms":[)";
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      const double* p = frame.poses.data() + 7 * b;
      text_ += b > 0 ? R"(,{"timestamp":)" : R"({"timestamp":)";
      text_ += time;
      text_ += R"(,"parent_frame_id":"world","child_frame_id":)";
      text_ += bodies_[b];
      text_ += R"(,"translation":)";
      put_position(&text_, {p[0], p[1], p[2]});
      text_ += R"(,"rotation":)";
      put_orientation(&text_, {p[3], p[4], p[5], p[6]});
      text_ += '}';
    }
    text_ += "]}";
    file_.write(tf_, frame.t, text_);
  }

  // One entity that each frame replaces.
  void write_contacts(const Frame& frame) {
    Json entity = make_entity("world", "contacts", frame.t);
    entity.erase("arrows");
    text_ = R"({"deletions":[],"entities":[)" + entity.dump();
    text_.back() = ',';
    text_ += R"("arrows":[)";
    bool first = true;
    for (const RecordedContact& c : frame.contacts) {
      const double force = norm(c.force_B_W);
      if (!(force > 0)) continue;
      if (!first) text_ += ',';
      first = false;
      put_arrow(&text_, c, force);
    }
    text_ += "]}]}";
    file_.write(contacts_, frame.t, text_);
  }

  void write_state(const Frame& frame) {
    text_ = R"({"t":)";
    put_number(&text_, frame.t);
    text_ += R"(,"energy":)";
    put_number(&text_, frame.energy);
    const std::vector<double>* values[] = {&frame.q, &frame.v, &frame.z, &frame.outputs};
    const char* const names[] = {"q", "v", "z", "outputs"};
    for (int i = 0; i < 4; ++i) {
      text_ += fmt::format(",\"{}\":", names[i]);
      put_values(&text_, keys_[i], *values[i]);
    }
    text_ += '}';
    file_.write(state_, frame.t, text_);
  }

  detail::McapFile file_;
  RecordedScene scene_;
  std::string text_;                             // of the message being made
  std::vector<std::string> keys_[4];             // of q, v, z and outputs
  std::vector<std::string> bodies_, limits_[2];  // quoted: bodies; velocities and states
  std::string nobody_ = "\"\"";
  int tf_ = 0, shapes_ = 0, contacts_ = 0, state_ = 0, steps_ = 0;
  bool shapes_written_ = false;
};

}  // namespace

std::unique_ptr<FrameSink> make_mcap_sink(const std::string& path, const RecordingInfo& info,
                                          const RecordedScene& scene) {
  return std::make_unique<McapSink>(path, info, scene);
}

std::unique_ptr<FrameSink> make_sink(const std::string& path, const RecordingInfo& info,
                                     const RecordedScene& scene) {
  if (path.ends_with(".h5") || path.ends_with(".hdf5")) return make_hdf5_sink(path, info, scene);
  if (path.ends_with(".npz")) return make_npz_sink(path, info, scene);
  if (path.ends_with(".mcap")) return make_mcap_sink(path, info, scene);
  throw Error(
      fmt::format("{}: error: not a format of recordings; name it .h5, .npz or .mcap", path));
}

}  // namespace cenic
