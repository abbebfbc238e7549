// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/scene_json.h"

#include <cmath>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"
#include "multibody/multibody.h"
#include "systems/library/signals.h"
#include "viewer/frame.h"

namespace cenic {
namespace {

using nlohmann::json;

// Infinite: null.
json make_limit(double x) { return std::isfinite(x) ? json(x) : json(nullptr); }

json make_pose(const RigidTransform& X) {
  std::vector<float> numbers;
  append_pose(X, &numbers);
  return numbers;
}

struct DrawnMesh {
  std::vector<float> vertices;
  std::vector<std::uint32_t> triangles;
};

void append_vertices(std::span<const Vec3> vertices, DrawnMesh* mesh) {
  for (const Vec3& p : vertices) {
    for (const double x : {p.x, p.y, p.z}) {
      mesh->vertices.push_back(static_cast<float>(x));
    }
  }
}

DrawnMesh make_drawn(const TriangleMesh& surface) {
  DrawnMesh mesh;
  append_vertices(surface.vertices, &mesh);
  for (const auto& triangle : surface.triangles) {
    mesh.triangles.insert(mesh.triangles.end(), triangle.begin(), triangle.end());
  }
  return mesh;
}

DrawnMesh make_drawn(const ConvexHull& hull) {
  DrawnMesh mesh;
  append_vertices(hull.vertices, &mesh);
  for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f) {
    for (int i = hull.face_start[f] + 1; i + 1 < hull.face_start[f + 1]; ++i) {
      for (const int corner : {hull.face_start[f], i, i + 1}) {
        mesh.triangles.push_back(static_cast<std::uint32_t>(hull.face_vertices[corner]));
      }
    }
  }
  return mesh;
}

// What shapes that are drawn by the same triangles have in common; nullptr: drawn without.
const void* find_source(const Shape& shape) {
  if (shape.mesh != nullptr) return shape.mesh.get();
  if (shape.surface != nullptr) return shape.surface.get();
  if (shape.height_field != nullptr) return shape.height_field.get();
  return shape.hull.get();
}

DrawnMesh make_drawn(const Shape& shape) {
  if (shape.mesh != nullptr) return make_drawn(shape.mesh->surface);
  if (shape.surface != nullptr) return make_drawn(*shape.surface);
  if (shape.height_field != nullptr) return make_drawn(make_height_field_mesh(*shape.height_field));
  return make_drawn(*shape.hull);
}

std::string calc_hash(const DrawnMesh& mesh) {
  std::uint64_t hash = mix(mesh.vertices.size());
  for (const float x : mesh.vertices) {
    hash = mix(hash ^ std::bit_cast<std::uint32_t>(x));
  }
  for (const std::uint32_t i : mesh.triangles) {
    hash = mix(hash ^ i);
  }
  return fmt::format("{:016x}", hash);
}

// Writes meshes once each.
class MeshTable {
 public:
  // The hash of the shape's mesh; empty when it has none.
  std::string add(const Shape& shape) {
    const void* source = find_source(shape);
    if (source == nullptr) return "";
    const auto [entry, is_new] = hashes_.try_emplace(source);
    if (!is_new) return entry->second;
    const DrawnMesh mesh = make_drawn(shape);
    entry->second = calc_hash(mesh);
    meshes_[entry->second] = {
        {"vertices", encode_base64(mesh.vertices.data(), mesh.vertices.size() * sizeof(float))},
        {"triangles",
         encode_base64(mesh.triangles.data(), mesh.triangles.size() * sizeof(std::uint32_t))}};
    return entry->second;
  }
  json take() { return std::move(meshes_); }

 private:
  std::map<const void*, std::string> hashes_;
  json meshes_ = json::object();
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

// The pose is in the body, or in the world for what is not of a body.
json make_geometries(const Model& model, MeshTable* meshes) {
  json geometries = json::array();
  for (const Geometry& g : model.geometries) {
    json entry = {{"name", g.name},
                  {"kind", find_source(g.shape) != nullptr ? "mesh" : kind_name(g.shape)},
                  {"size", {g.shape.size.x, g.shape.size.y, g.shape.size.z}},
                  {"color", g.color},
                  {"body", g.body},
                  {"pose", make_pose(g.X_LG)},
                  {"collides", g.collides}};
    const std::string mesh = meshes->add(g.shape);
    if (!mesh.empty()) entry["mesh"] = mesh;
    geometries.push_back(std::move(entry));
  }
  return geometries;
}

// Coordinates with a name for people and their limits, in the order of ViewFrame::joints.
json make_joints(const Model& model) {
  std::vector<std::pair<double, double>> limits(
      model.nq,
      {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()});
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
      const bool slides =
          joint.kind == JointKind::kPrismatic || (joint.kind == JointKind::kPlanar && i < 2);
      joints.push_back({{"name", joint.nq > 1 ? fmt::format("{}[{}]", name, i) : name},
                        {"kind", to_string(joint.kind)},
                        {"unit", slides ? "m" : "rad"},
                        {"body", joint.body},
                        {"q", q},
                        {"lower", make_limit(limits[q].first)},
                        {"upper", make_limit(limits[q].second)}});
    }
  }
  return joints;
}

json make_inputs(const Model& model) {
  json inputs = json::array();
  for (const System& s : model.systems) {
    if (dynamic_cast<const HeldInput*>(s.law.get()) == nullptr) continue;
    inputs.push_back({{"name", s.name},
                      {"values", std::vector<double>(model.z0.begin() + s.z_start,
                                                     model.z0.begin() + s.z_start + s.nz)}});
  }
  return inputs;
}

}  // namespace

std::string make_scene_json(const Model& model, const std::string& title, bool interactive) {
  Kinematics kin;
  kin.resize(model);
  update_positions(model, model.q0, &kin);
  const FrameLayout layout = make_frame_layout(model);
  MeshTable meshes;
  json scene = {{"title", title},
                {"interactive", interactive},
                {"gravity", {model.gravity.x, model.gravity.y, model.gravity.z}},
                {"bodies", make_bodies(model, layout, kin)},
                {"geometries", make_geometries(model, &meshes)},
                {"joints", make_joints(model)},
                {"inputs", make_inputs(model)}};
  scene["meshes"] = meshes.take();
  // Names may hold bytes that are no text.
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
