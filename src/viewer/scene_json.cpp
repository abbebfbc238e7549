// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/scene_json.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "geometry/drawn_mesh.h"
#include "multibody/multibody.h"
#include "systems/library/actuators.h"
#include "systems/library/signals.h"
#include "systems/library/transmission.h"
#include "viewer/frame.h"
#include "viewer/recorded_frames.h"

namespace cenic {
namespace {

using nlohmann::json;

struct Limits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

// Infinite: null.
json make_limit(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

json make_pose(const RigidTransform& X) {
  std::vector<float> numbers;
  append_pose(X, &numbers);
  return numbers;
}

// A mesh as the page reads it, under its hash.
struct PageMesh {
  std::string hash{};
  json entry{};
};

PageMesh make_page_mesh(std::span<const Vec3> points, std::span<const std::array<int, 3>> corners,
                        std::span<const std::array<float, 2>> uv = {}) {
  std::vector<float> vertices, places;
  std::vector<std::uint32_t> triangles;
  std::uint64_t hash = mix(points.size());
  const auto add = [&](float x, std::vector<float>* to) {
    to->push_back(x);
    hash = mix(hash ^ std::bit_cast<std::uint32_t>(x));
  };
  for (const Vec3& p : points) {
    for (const double x : {p.x, p.y, p.z}) {
      add(static_cast<float>(x), &vertices);
    }
  }
  for (const auto& triangle : corners) {
    for (const int v : triangle) {
      triangles.push_back(static_cast<std::uint32_t>(v));
      hash = mix(hash ^ triangles.back());
    }
  }
  for (const auto& place : uv) {
    add(place[0], &places);
    add(place[1], &places);
  }
  PageMesh mesh{
      fmt::format("{:016x}", hash),
      {{"vertices", encode_base64(vertices.data(), vertices.size() * sizeof(float))},
       {"triangles", encode_base64(triangles.data(), triangles.size() * sizeof(std::uint32_t))}}};
  if (!places.empty()) {
    mesh.entry["uv"] = encode_base64(places.data(), places.size() * sizeof(float));
  }
  return mesh;
}

// A vertex that is at several places of the picture becomes several.
PageMesh make_painted_mesh(const TriangleMesh& mesh) {
  std::map<std::tuple<int, float, float>, int> index;
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles(mesh.triangles.size());
  std::vector<std::array<float, 2>> uv;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const int v = mesh.triangles[t][k];
      const auto& place = mesh.uv[t][k];
      const auto [found, is_new] =
          index.try_emplace({v, place[0], place[1]}, static_cast<int>(points.size()));
      if (is_new) points.push_back(mesh.vertices[v]), uv.push_back(place);
      triangles[t][k] = found->second;
    }
  }
  return make_page_mesh(points, triangles, uv);
}

// Writes meshes once each.
class MeshTable {
 public:
  // The hash of the shape's mesh; empty when it has none.
  std::string add(const Shape& shape, bool painted) {
    const void* source = find_drawn_source(shape);
    if (source == nullptr) return "";
    return add(source, painted, [&] {
      return make_drawn_mesh(shape);
    });
  }
  std::string add(const RecordedMesh& mesh, bool painted) {
    return add(&mesh, painted, [&] {
      return TriangleMesh{mesh.vertices, mesh.triangles, mesh.uv};
    });
  }
  json take() { return std::move(meshes_); }

 private:
  template <typename MakeMesh>
  std::string add(const void* source, bool painted, const MakeMesh& make_mesh) {
    const auto [found, is_new] = hashes_.try_emplace({source, painted});
    if (!is_new) return found->second;
    const TriangleMesh drawn = make_mesh();
    PageMesh mesh = painted && !drawn.uv.empty() ? make_painted_mesh(drawn)
                                                 : make_page_mesh(drawn.vertices, drawn.triangles);
    meshes_[mesh.hash] = std::move(mesh.entry);
    return found->second = mesh.hash;
  }

  std::map<std::pair<const void*, bool>, std::string> hashes_;
  json meshes_ = json::object();
};

// Writes pictures once each, as the page can show them.
class PictureTable {
 public:
  std::string add(const std::string& bytes) {
    const auto [found, is_new] = keys_.try_emplace(&bytes);
    if (!is_new) return found->second;
    std::uint64_t hash = mix(bytes.size());
    for (const char c : bytes) {
      hash = mix(hash ^ static_cast<unsigned char>(c));
    }
    found->second = fmt::format("{:016x}", hash);
    const char* type = bytes.starts_with("\x89PNG") ? "png" : "jpeg";
    pictures_[found->second] =
        fmt::format("data:image/{};base64,{}", type, encode_base64(bytes.data(), bytes.size()));
    return found->second;
  }
  json take() { return std::move(pictures_); }

 private:
  std::map<const std::string*, std::string> keys_;
  json pictures_ = json::object();
};

json make_bodies(const Model& model, const FrameLayout& layout, const Kinematics& kin) {
  std::vector<int> pose(model.bodies.size(), -1);
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    pose[layout.bodies[i]] = static_cast<int>(i);
  }
  json bodies = json::array();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    json entry = {{"name", body.name},
                  {"mass", model.links[body.link].M_BBo_B.mass},
                  {"parent", body.parent},
                  {"slot", pose[b]}};
    if (pose[b] < 0) entry["pose"] = make_pose(kin.X_WB[body.link]);
    bodies.push_back(std::move(entry));
  }
  return bodies;
}

json make_bodies(const Recording& recording) {
  const RecordedScene& scene = recording.scene;
  json bodies = json::array();
  int num_moving = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const bool moves = scene.moves[b] != 0;
    json& entry = bodies.emplace_back(json{{"name", scene.bodies[b]},
                                           {"mass", scene.masses[b]},
                                           {"parent", -1},
                                           {"slot", moves ? num_moving++ : -1}});
    if (moves) continue;
    const auto pose =
        recording.frames.front().poses.begin() + static_cast<std::ptrdiff_t>(kPoseSize * b);
    entry["pose"] = std::vector<float>(pose, pose + kPoseSize);
  }
  return bodies;
}

// `texture` is a TextureSpec or a RecordedTexture.
template <typename Texture>
json make_texture(const std::string& picture, const Texture& texture) {
  return {{"picture", picture},
          {"cube", texture.cube},
          {"repeat", texture.repeat},
          {"per_metre", texture.per_metre}};
}

// The pose is in the body, or in the world for what is not of a body.
json make_geometries(const Model& model, MeshTable* meshes, PictureTable* pictures) {
  json geometries = json::array();
  for (const Geometry& g : model.geometries) {
    json entry = {{"name", g.name},
                  {"kind", find_drawn_source(g.shape) != nullptr ? "mesh" : kind_name(g.shape)},
                  {"size", {g.shape.size.x, g.shape.size.y, g.shape.size.z}},
                  {"color", g.color},
                  {"body", g.body},
                  {"pose", make_pose(g.X_LG)},
                  {"collides", g.collides},
                  {"visible", g.visible}};
    const bool painted = g.texture.image != nullptr;
    const std::string mesh = meshes->add(g.shape, painted);
    if (!mesh.empty()) entry["mesh"] = mesh;
    if (painted) entry["texture"] = make_texture(pictures->add(*g.texture.image), g.texture);
    geometries.push_back(std::move(entry));
  }
  return geometries;
}

// Coordinates with a name for people and their limits, in the order of ViewFrame::joints.
json make_joints(const Model& model) {
  std::vector<Limits> limits(model.nq);
  for (const JointLimit& limit : model.limits) {
    const Link& link = model.links[limit.link];
    if (link.nq == 1) limits[link.q_start] = {limit.lower, limit.upper};
  }
  json joints = json::array();
  for (const Joint& joint : model.joints) {
    if (joint.kind == JointKind::kBall || joint.kind == JointKind::kFree) continue;
    const std::string name = joint.name.empty() ? model.bodies[joint.body].name : joint.name;
    for (int i = 0; i < joint.nq; ++i) {
      const int q = joint.q_start + i;
      const bool slides = joint.kind == JointKind::kPrismatic ||
                          joint.kind == JointKind::kCurvilinear ||
                          (joint.kind == JointKind::kPlanar && i < 2);
      joints.push_back({{"name", joint.nq > 1 ? fmt::format("{}[{}]", name, i) : name},
                        {"kind", to_string(joint.kind)},
                        {"unit", slides ? "m" : "rad"},
                        {"body", joint.body},
                        {"q", q},
                        {"lower", make_limit(limits[q].lower)},
                        {"upper", make_limit(limits[q].upper)}});
    }
  }
  return joints;
}

// The range that an actuator clamps its control to; of a motor that knows none, that which makes a
// difference to its force.
Limits find_control_limits(const ActuatorParameters& p) {
  const bool has_range = std::isfinite(p.ctrl_min) || std::isfinite(p.ctrl_max);
  const bool is_motor = p.gain[0] != 0 && p.gain[1] == 0 && p.gain[2] == 0 &&
                        p.bias == std::array{0.0, 0.0, 0.0} &&
                        p.dynamics == ActuatorDynamics::kNone;
  if (has_range || !is_motor) return {p.ctrl_min, p.ctrl_max};
  const double most = p.force_limit / std::abs(p.gain[0]);
  return {-most, most};
}

Limits find_control_limits(const ExternalSystem& law) {
  if (const auto* a = dynamic_cast<const ActuatorModel*>(&law)) {
    return find_control_limits(std::get<0>(a->parameters()));
  }
  if (const auto* a = dynamic_cast<const TransmissionActuator*>(&law)) {
    return find_control_limits(std::get<0>(a->parameters()).law);
  }
  return {};
}

// Of the first actuator that follows the input.
Limits find_input_limits(const Model& model, const System& input) {
  for (const System& s : model.systems) {
    for (const System::Signal& in : s.inputs) {
      if (in.source == input.y_start && in.size == input.ny) return find_control_limits(*s.law);
    }
  }
  return {};
}

json make_inputs(const Model& model) {
  json inputs = json::array();
  for (const int i : find_inputs(model)) {
    const System& s = model.systems[i];
    const auto first = model.z0.begin() + s.z_start;
    const Limits limits = find_input_limits(model, s);
    inputs.push_back({{"name", s.name},
                      {"values", std::vector<double>(first, first + s.nz)},
                      {"lower", make_limit(limits.lower)},
                      {"upper", make_limit(limits.upper)}});
  }
  return inputs;
}

void add_run(const SceneRun& run, json* scene) {
  (*scene)["accuracy"] = run.accuracy;
  (*scene)["failure"] = run.failure;
}

}  // namespace

std::vector<int> find_inputs(const Model& model) {
  std::vector<int> inputs;
  for (std::size_t i = 0; i < model.systems.size(); ++i) {
    const bool held = dynamic_cast<const HeldInput*>(model.systems[i].law.get()) != nullptr;
    if (held) inputs.push_back(static_cast<int>(i));
  }
  return inputs;
}

std::string make_scene_json(const Model& model, const std::string& title, bool interactive,
                            const SceneRun& run) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  const FrameLayout layout = make_frame_layout(model);
  MeshTable meshes;
  PictureTable pictures;
  json scene = {{"title", title},
                {"interactive", interactive},
                {"gravity", {model.gravity.x, model.gravity.y, model.gravity.z}},
                {"bodies", make_bodies(model, layout, kin)},
                {"geometries", make_geometries(model, &meshes, &pictures)},
                {"joints", make_joints(model)},
                {"inputs", make_inputs(model)}};
  scene["meshes"] = meshes.take();
  scene["pictures"] = pictures.take();
  add_run(run, &scene);
  // Names may hold bytes that are no text.
  return scene.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string make_scene_json(const Recording& recording, const std::string& title) {
  const RecordedScene& recorded = recording.scene;
  json geometries = json::array(), joints = json::array();
  MeshTable meshes;
  PictureTable pictures;
  for (const RecordedGeometry& g : recorded.geometries) {
    json& entry = geometries.emplace_back(json{{"name", g.name},
                                               {"kind", g.kind},
                                               {"size", {g.size.x, g.size.y, g.size.z}},
                                               {"color", g.color},
                                               {"body", g.body},
                                               {"pose", make_pose(g.X_BG)},
                                               {"collides", g.collides},
                                               {"visible", g.visible}});
    const int picture = g.texture.picture;
    if (g.mesh >= 0) entry["mesh"] = meshes.add(recorded.meshes[g.mesh], picture >= 0);
    if (picture < 0) continue;
    entry["texture"] = make_texture(pictures.add(*recorded.pictures[picture]), g.texture);
  }
  for (const int i : find_plain_coordinates(recorded)) {
    joints.push_back({{"name", recorded.coordinates[i]},
                      {"kind", ""},
                      {"unit", recorded.coordinate_units[i]},
                      {"body", -1},
                      {"q", i},
                      {"lower", nullptr},
                      {"upper", nullptr}});
  }
  json scene = {{"title", title},
                {"interactive", false},
                {"gravity", {0, 0, -1}},
                {"bodies", make_bodies(recording)},
                {"geometries", geometries},
                {"joints", joints},
                {"inputs", json::array()},
                {"meshes", meshes.take()},
                {"pictures", pictures.take()}};
  const RecordingInfo& info = recording.info;
  add_run({info.fixed_step > 0 ? 0 : info.accuracy, recording.failure}, &scene);
  return scene.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string encode_base64(const void* data, std::size_t size) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (std::size_t i = 0; i < size; i += 3) {
    const std::size_t left = size - i;
    const unsigned word =
        (bytes[i] << 16U) | (left > 1 ? bytes[i + 1] << 8U : 0U) | (left > 2 ? bytes[i + 2] : 0U);
    out += kDigits[word >> 18U];
    out += kDigits[(word >> 12U) & 63U];
    out += left > 1 ? kDigits[(word >> 6U) & 63U] : '=';
    out += left > 2 ? kDigits[word & 63U] : '=';
  }
  return out;
}

}  // namespace cenic
