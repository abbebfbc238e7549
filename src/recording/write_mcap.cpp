// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Topics: /tf (foxglove.FrameTransforms, poses of the bodies), /scene (foxglove.SceneUpdate, the
// shapes, once, each fixed to the frame of its body), /contacts (foxglove.SceneUpdate, forces as
// arrows), all in protobuf; /state and /steps (JSON of our own).
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/utf8.h"
#include "math/spatial.h"
#include "recording/detail/foxglove_schemas.h"
#include "recording/detail/little_endian.h"
#include "recording/detail/mcap_file.h"
#include "recording/detail/print_digits.h"
#include "recording/detail/protobuf.h"
#include "recording/detail/recorded_scene.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using Json = nlohmann::json;
using detail::kNumberSize;
using detail::McapFile;
using detail::put_bytes;
using detail::put_head;
using detail::put_integer;
using detail::put_number;
using detail::put_numbers;

constexpr double kGround = 20;         // side of the square drawn for a half space, m
constexpr double kForceScale = 0.005;  // length of an arrow, m/N
constexpr double kLongestArrow = 0.5;  // m

// ---- Foxglove's messages, field by field (see detail/foxglove_schemas.cpp) ----

constexpr std::size_t kPoseSize = 2 + 3 * kNumberSize + 2 + 4 * kNumberSize;

void put_position(std::string* out, int field, const Vec3& p) {
  put_numbers<3>(out, field, {p.x, p.y, p.z});
}

void put_orientation(std::string* out, int field, const Quat& r) {
  put_numbers<4>(out, field, {r.x, r.y, r.z, r.w});
}

void put_pose(std::string* out, int field, const Vec3& p, const Quat& r) {
  put_head(out, field, kPoseSize);
  put_position(out, 1, p);
  put_orientation(out, 2, r);
}

void put_pose(std::string* out, int field, const RigidTransform& X) {
  put_pose(out, field, X.p, to_quaternion(X.R));
}

void put_color(std::string* out, int field, const std::array<float, 4>& c) {
  put_numbers<4>(out, field, {c[0], c[1], c[2], c[3]});
}

std::string make_time(double t) {
  const auto ns = static_cast<std::uint64_t>(std::llround(1e9 * std::max(0.0, t)));
  std::string out;
  put_integer(&out, 1, ns / 1000000000);
  put_integer(&out, 2, ns % 1000000000);
  return out;
}

// A scene entity without its shapes.
std::string make_entity(const std::string& frame, const std::string& id, double t) {
  std::string out;
  put_bytes(&out, 1, make_time(t));
  put_bytes(&out, 2, frame);
  put_bytes(&out, 3, id);
  put_bytes(&out, 4, "");   // lifetime: until it is replaced
  put_integer(&out, 5, 1);  // moves with its frame
  return out;
}

constexpr int kEntities = 2;  // field of a scene update
// Fields of a scene entity.
enum Kind { kArrows = 7, kCubes = 8, kSpheres = 9, kCylinders = 10, kTriangles = 12 };

void add_primitive(Kind kind, const RigidTransform& X, const Vec3& size,
                   const std::array<float, 4>& color, std::string* entity) {
  std::string primitive;
  put_pose(&primitive, 1, X);
  put_position(&primitive, 2, size);
  if (kind == kCylinders) {
    put_number(&primitive, 3, 1);  // as wide at the bottom
    put_number(&primitive, 4, 1);  // and at the top
  }
  put_color(&primitive, kind == kCylinders ? 5 : 3, color);
  put_bytes(entity, kind, primitive);
}

void add_mesh(const RecordedMesh& mesh, const RigidTransform& X, const std::array<float, 4>& color,
              std::string* entity) {
  std::string triangles, indices;
  put_pose(&triangles, 1, X);
  for (const Vec3& p : mesh.vertices) {
    put_position(&triangles, 2, p);
  }
  put_color(&triangles, 3, color);
  for (const auto& triangle : mesh.triangles) {
    for (const int corner : triangle) {
      detail::put(&indices, static_cast<std::uint32_t>(corner));
    }
  }
  put_bytes(&triangles, 5, indices);
  put_bytes(entity, kTriangles, triangles);
}

void add_shape(const RecordedScene& scene, const RecordedGeometry& g, std::string* entity) {
  const Vec3 s = g.size;
  if (g.kind == "box") {
    add_primitive(kCubes, g.X_BG, 2.0 * s, g.color, entity);
  } else if (g.kind == "sphere") {
    add_primitive(kSpheres, g.X_BG, {2 * s.x, 2 * s.x, 2 * s.x}, g.color, entity);
  } else if (g.kind == "ellipsoid") {
    add_primitive(kSpheres, g.X_BG, 2.0 * s, g.color, entity);
  } else if (g.kind == "cylinder" || g.kind == "capsule") {
    add_primitive(kCylinders, g.X_BG, {2 * s.x, 2 * s.x, 2 * s.z}, g.color, entity);
    for (const double end : {-s.z, s.z}) {
      if (g.kind == "cylinder") break;
      add_primitive(kSpheres, g.X_BG * RigidTransform::translation({0, 0, end}),
                    {2 * s.x, 2 * s.x, 2 * s.x}, g.color, entity);
    }
  } else if (g.kind == "mesh") {
    add_mesh(scene.meshes[g.mesh], g.X_BG, g.color, entity);
  } else {  // a half space
    add_primitive(kCubes, g.X_BG * RigidTransform::translation({0, 0, -0.005}),
                  {kGround, kGround, 0.01}, g.color, entity);
  }
}

// A rotation that takes x to the direction.
Quat turn_x_to(const Vec3& direction) {
  const Vec3 x{1, 0, 0}, axis = cross(x, direction);
  const double w = 1 + dot(x, direction);
  if (w < 1e-9) return {0, 0, 0, 1};  // backwards
  return normalized(Quat{w, axis.x, axis.y, axis.z});
}

// Poses are shown, not computed with: 32 bits, which pack better.
double shorten(double x) { return static_cast<float>(x); }
Vec3 shorten(const Vec3& p) { return {shorten(p.x), shorten(p.y), shorten(p.z)}; }
Quat shorten(const Quat& r) { return {shorten(r.w), shorten(r.x), shorten(r.y), shorten(r.z)}; }

void put_arrow(std::string* out, const RecordedContact& c, double force) {
  constexpr std::size_t kSize = 2 + kPoseSize + 4 * kNumberSize + 2 + 4 * kNumberSize;
  const double length = std::min(kForceScale * force, kLongestArrow);
  put_head(out, kArrows, kSize);
  put_pose(out, 1, shorten(c.point_W), shorten(turn_x_to(c.force_B_W * (1 / force))));
  put_number(out, 2, shorten(0.8 * length));  // shaft
  put_number(out, 3, 0.006);
  put_number(out, 4, shorten(0.2 * length));  // head
  put_number(out, 5, 0.012);
  put_color(out, 6, {0.9f, 0.3f, 0.1f, 1});
}

// ---- Messages of our own, as text at once: a tree of JSON would take ten times as long. ----

// The shortest text that reads back as the same number.
template <typename T>
void print_number(std::string* out, T x) {
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
void print_fields(std::string* out, const char* const (&names)[N], const T (&values)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    *out += i == 0 ? '{' : ',';
    *out += names[i];
    print_number(out, values[i]);
  }
  *out += '}';
}

std::string quote(const std::string& name) {
  return Json(name).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// An object of numbers by their names, "a[0]" and those that follow as an array "a".
struct Names {
  std::vector<std::string> before{};  // what stands before each number
  std::size_t num_characters = 0;     // of all those
  std::string end = "{}";
};

Names make_names(const std::vector<std::string>& names) {
  Names out;
  std::string array;  // whose elements stand last, if any
  int num_elements = 0;
  for (const std::string& name : names) {
    if (!array.empty() && name == fmt::format("{}[{}]", array, num_elements)) {
      out.before.emplace_back(",");
      ++num_elements;
      continue;
    }
    std::string before = out.before.empty() ? "{" : array.empty() ? "," : "],";
    const bool is_array = name.ends_with("[0]");
    array = is_array ? name.substr(0, name.size() - 3) : "";
    num_elements = 1;
    out.before.push_back(before + quote(is_array ? array : name) + (is_array ? ":[" : ":"));
  }
  for (const std::string& before : out.before) {
    out.num_characters += before.size();
  }
  if (!names.empty()) out.end = array.empty() ? "}" : "]}";
  return out;
}

// Without asking for room for each number.
void print_values(std::string* out, const Names& names, const std::vector<double>& values) {
  const std::size_t start = out->size();
  out->resize(start + names.num_characters + values.size() * detail::kMostDigits);
  const char* end = detail::print_nine_digits(values, names.before, out->data() + start);
  out->resize(static_cast<std::size_t>(end - out->data()));
  *out += names.end;
}

// The schemas say what a reader needs to show the fields; parts that vary are plain objects.
std::string make_schema(const std::string& title,
                        const std::map<std::string, std::string>& fields) {
  Json properties = Json::object();
  for (const auto& [name, type] : fields) {
    properties[name] = {{"type", type}};
  }
  return Json{{"title", title}, {"type", "object"}, {"properties", properties}}.dump();
}

class McapSink : public FrameSink {
 public:
  McapSink(detail::OutputFile file, const RecordingInfo& info, RecordedScene scene)
      : file_(std::move(file), info.duration), scene_(std::move(scene)) {
    add_channels();
    prepare_names();
    write_info(info);
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
    std::string* out = file_.begin(steps_, step.t);
    const double numbers[] = {step.t, step.h, step.error};
    print_fields(out, {"\"t\":", "\"h\":", "\"error\":"}, numbers);
    out->back() = ',';
    *out += R"("rejections":)";
    print_number(out, step.rejections);
    *out += R"(,"limited_by":)";
    *out += limit;
    *out += '}';
    file_.end();
  }

  void finish(const std::string& failure) override {
    if (!failure.empty()) file_.write_metadata("failure", {{"failure", failure}});
    file_.close();
  }

 private:
  void prepare_names() {
    const std::vector<std::string>* names[] = {&scene_.coordinates, &scene_.velocities,
                                               &scene_.states, &scene_.outputs};
    for (int i = 0; i < 4; ++i) {
      names_[i] = make_names(*names[i]);
    }
    for (const auto& [from, to] :
         {std::pair(&scene_.velocities, &limits_[0]), {&scene_.states, &limits_[1]}}) {
      std::ranges::transform(*from, std::back_inserter(*to), quote);
    }
    for (const std::string& body : scene_.bodies) {
      std::string& frames = frames_.emplace_back();
      put_bytes(&frames, 2, "world");
      put_bytes(&frames, 3, make_utf8(body));
    }
  }

  void write_info(const RecordingInfo& info) {
    std::map<std::string, std::string> metadata;
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) metadata[field.name] = info.*field.text;
      if (field.number != nullptr) metadata[field.name] = fmt::format("{}", info.*field.number);
      if (field.integer != nullptr) metadata[field.name] = fmt::format("{}", info.*field.integer);
    }
    file_.write_metadata("cenic", metadata);
  }

  void add_channels() {
    const std::string update = detail::make_foxglove_schema("SceneUpdate");
    tf_ = file_.add_channel("/tf", {"foxglove.FrameTransforms", McapFile::kProtobuf,
                                    detail::make_foxglove_schema("FrameTransforms")});
    shapes_ = file_.add_channel("/scene", {"foxglove.SceneUpdate", McapFile::kProtobuf, update});
    contacts_ =
        file_.add_channel("/contacts", {"foxglove.SceneUpdate", McapFile::kProtobuf, update});
    state_ = add_text_channel("/state", "cenic.State",
                              {{"t", "number"},
                               {"q", "object"},
                               {"v", "object"},
                               {"z", "object"},
                               {"outputs", "object"},
                               {"energy", "number"}});
    steps_ = add_text_channel("/steps", "cenic.Step",
                              {{"t", "number"},
                               {"h", "number"},
                               {"error", "number"},
                               {"rejections", "integer"},
                               {"limited_by", "string"}});
  }

  int add_text_channel(const std::string& topic, const std::string& schema,
                       const std::map<std::string, std::string>& fields) {
    return file_.add_channel(topic, {schema, McapFile::kJson, make_schema(schema, fields)});
  }

  void write_shapes(double t) {
    std::string* out = file_.begin(shapes_, t);
    for (std::size_t i = 0; i < scene_.geometries.size(); ++i) {
      const RecordedGeometry& g = scene_.geometries[i];
      if (!g.visible) continue;
      const std::string frame = g.body < 0 ? "world" : make_utf8(scene_.bodies[g.body]);
      std::string entity = make_entity(frame, fmt::format("{} {}", i, make_utf8(g.name)), t);
      add_shape(scene_, g, &entity);
      put_bytes(out, kEntities, entity);
    }
    file_.end();
  }

  void write_poses(const Frame& frame) {
    std::string time;
    put_bytes(&time, 1, make_time(frame.t));
    std::string* out = file_.begin(tf_, frame.t);
    for (std::size_t b = 0; b < frames_.size(); ++b) {
      const double* p = frame.poses.data() + 7 * b;
      put_head(out, 1, time.size() + frames_[b].size() + kPoseSize);
      *out += time;
      *out += frames_[b];
      put_position(out, 4, shorten(Vec3{p[0], p[1], p[2]}));
      put_orientation(out, 5, shorten(Quat{p[3], p[4], p[5], p[6]}));
    }
    file_.end();
  }

  // One entity that the next step with a frame replaces: frames within one step share it.
  void write_contacts(const Frame& frame) {
    if (frame.step == contact_step_) return;
    contact_step_ = frame.step;
    entity_ = make_entity("world", "contacts", frame.t);
    for (const RecordedContact& c : frame.contacts) {
      const double force = norm(c.force_B_W);
      if (force > 0) put_arrow(&entity_, c, force);
    }
    put_bytes(file_.begin(contacts_, frame.t), kEntities, entity_);
    file_.end();
  }

  void write_state(const Frame& frame) {
    std::string* out = file_.begin(state_, frame.t);
    *out += R"({"t":)";
    print_number(out, frame.t);
    *out += R"(,"energy":)";
    print_number(out, frame.energy);
    const std::vector<double>* values[] = {&frame.q, &frame.v, &frame.z, &frame.outputs};
    const char* const names[] = {R"(,"q":)", R"(,"v":)", R"(,"z":)", R"(,"outputs":)"};
    for (int i = 0; i < 4; ++i) {
      *out += names[i];
      print_values(out, names_[i], *values[i]);
    }
    *out += '}';
    file_.end();
  }

  McapFile file_;
  RecordedScene scene_;
  std::string entity_;                  // of the contacts
  Names names_[4];                      // of q, v, z and outputs
  std::vector<std::string> limits_[2];  // quoted: velocities and states
  std::vector<std::string> frames_;     // for each body: where its pose is from and to
  std::string nobody_ = "\"\"";
  int tf_ = 0, shapes_ = 0, contacts_ = 0, state_ = 0, steps_ = 0;
  bool shapes_written_ = false;
  int contact_step_ = -1;  // of the contacts written last
};

}  // namespace

std::unique_ptr<FrameSink> make_mcap_sink(detail::OutputFile file, const RecordingInfo& info,
                                          const RecordedScene& scene) {
  return std::make_unique<McapSink>(std::move(file), info, scene);
}

}  // namespace cenic
