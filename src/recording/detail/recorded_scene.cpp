// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/recorded_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "geometry/drawn_mesh.h"
#include "model/coordinate_names.h"

namespace cenic::detail {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPictures = 10000;  // more are a damaged file

// The name alone for one of its kind, else with its number.
std::string make_name(const std::string& name, int index, int count) {
  return count == 1 ? name : fmt::format("{}[{}]", name, index);
}

// Each picture once.
RecordedTexture add_texture(const TextureSpec& texture, RecordedScene* scene) {
  if (texture.image == nullptr) return {};
  const auto found = std::ranges::find(scene->pictures, texture.image);
  const int number = static_cast<int>(found - scene->pictures.begin());
  if (found == scene->pictures.end()) scene->pictures.push_back(texture.image);
  return {number, texture.cube, texture.repeat, texture.per_metre};
}

void add_geometries(const Model& model, RecordedScene* scene) {
  std::map<const void*, int> numbers;  // of meshes
  for (const Geometry& g : model.geometries) {
    RecordedGeometry recorded{g.name,
                              kind_name(g.shape),
                              g.body,
                              g.collides,
                              g.shape.size,
                              g.X_LG,
                              g.color,
                              -1,
                              add_texture(g.texture, scene),
                              g.visible};
    if (const void* source = find_drawn_source(g.shape)) {
      recorded.kind = "mesh";
      const auto [found, is_new] = numbers.emplace(source, static_cast<int>(scene->meshes.size()));
      if (is_new) {
        TriangleMesh mesh = make_drawn_mesh(g.shape);
        scene->meshes.push_back(
            {std::move(mesh.vertices), std::move(mesh.triangles), std::move(mesh.uv)});
      }
      recorded.mesh = found->second;
    }
    scene->geometries.push_back(std::move(recorded));
    scene->has_surfaces = scene->has_surfaces || g.field != nullptr;
  }
}

// Whose the coordinates and velocities are.
void add_coordinates(const Model& model, RecordedScene* scene) {
  CoordinateNames names = name_coordinates(model);
  scene->coordinates = std::move(names.q);
  scene->velocities = std::move(names.v);
  scene->coordinate_bodies.resize(model.nq);
  scene->velocity_bodies.resize(model.nv);
  for (const Joint& joint : model.joints) {
    std::fill_n(scene->coordinate_bodies.begin() + joint.q_start, joint.nq, joint.body);
    std::fill_n(scene->velocity_bodies.begin() + joint.v_start, joint.nv, joint.body);
  }
}

// What they measure.
void add_units(const Model& model, RecordedScene* scene) {
  scene->coordinate_width.assign(model.nq, 1);
  scene->coordinate_units.resize(model.nq);
  scene->velocity_units.resize(model.nv);
  for (const Link& link : model.links) {
    // Quaternion and angular velocity first, then position and velocity.
    const bool turns = link.kind == MobilizerKind::kBall || link.kind == MobilizerKind::kFree;
    const int of_rotation = turns ? 4 : slides(link.kind) ? 0 : 1;
    for (int i = 0; i < link.nq; ++i) {
      if (turns && i < 4) {
        scene->coordinate_width[link.q_start + i] = i == 0 ? 4 : 0;
      } else {
        scene->coordinate_units[link.q_start + i] = i < of_rotation ? "rad" : "m";
      }
    }
    for (int i = 0; i < link.nv; ++i) {
      const bool is_angular = i < (turns ? 3 : of_rotation);
      scene->velocity_units[link.v_start + i] = is_angular ? "rad/s" : "m/s";
    }
  }
}

// Text is put together without a document in between: with that a small scene took longer than many
// of its steps, and a large mesh many times its size.
class JsonText {
 public:
  template <typename... Fields>
  void put_object(const Fields&... fields) {
    put_list('{', '}', [&] {
      put_fields(fields...);
    });
  }

  void put(bool value) { text_ += value ? "true" : "false"; }
  void put(int value) { fmt::format_to(std::back_inserter(text_), "{}", value); }
  void put(std::size_t value) { fmt::format_to(std::back_inserter(text_), "{}", value); }
  // The fewest digits that are read back as the same number; JSON has no infinite ones.
  template <std::floating_point T>
  void put(T value) {
    if (std::isfinite(value)) {
      fmt::format_to(std::back_inserter(text_), "{}", value);
    } else {
      text_ += "null";
    }
  }
  void put(const std::string& value) {
    const bool plain = std::ranges::all_of(value, [](char c) {
      return c >= ' ' && c <= '~' && c != '"' && c != '\\';
    });
    if (plain) {
      text_.append(1, '"').append(value).append(1, '"');
    } else {
      text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  void put(const Vec3& v) { put(std::array{v.x, v.y, v.z}); }
  void put(const Quat& r) { put(std::array{r.w, r.x, r.y, r.z}); }
  void put(const RecordedGeometry& g) {
    put_object("name", g.name, "kind", g.kind, "body", g.body, "collides", g.collides, "visible",
               g.visible, "size", g.size, "position", g.X_BG.p, "quaternion",
               to_quaternion(g.X_BG.R), "color", g.color, "mesh", g.mesh, "picture",
               g.texture.picture, "cube", g.texture.cube, "repeat", g.texture.repeat, "per_metre",
               g.texture.per_metre);
  }
  void put(const RecordedMesh& mesh) {
    put_object("vertices", mesh.vertices, "triangles", mesh.triangles, "uv", mesh.uv);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put_array(values);
  }
  template <typename T, std::size_t n>
  void put(const std::array<T, n>& values) {
    put_array(values);
  }

  std::string& text() { return text_; }

 private:
  // What is in it ends with a comma, or there is nothing.
  template <typename Contents>
  void put_list(char open, char close, Contents put_contents) {
    text_ += open;
    put_contents();
    if (text_.back() == ',') text_.pop_back();
    text_ += close;
  }

  template <typename Values>
  void put_array(const Values& values) {
    put_list('[', ']', [&] {
      for (const auto& value : values) {
        put(value);
        text_ += ',';
      }
    });
  }

  template <typename T, typename... Rest>
  void put_fields(const char* name, const T& value, const Rest&... rest) {
    text_.append(1, '"').append(name).append("\":");
    put(value);
    text_ += ',';
    if constexpr (sizeof...(rest) > 0) put_fields(rest...);
  }

  std::string text_;
};

Vec3 read_vector(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

RecordedGeometry read_geometry(const Json& json) {
  const Json& r = json.at("quaternion");
  const Quat quat{r.at(0).get<double>(), r.at(1).get<double>(), r.at(2).get<double>(),
                  r.at(3).get<double>()};
  return {json.at("name"),
          json.at("kind"),
          json.at("body"),
          json.at("collides"),
          read_vector(json.at("size")),
          {to_matrix(quat), read_vector(json.at("position"))},
          json.at("color"),
          json.at("mesh"),
          {json.value("picture", -1), json.value("cube", false),
           json.value("repeat", std::array<double, 2>{1, 1}), json.value("per_metre", false)},
          json.value("visible", true)};
}

RecordedMesh read_mesh(const Json& json) {
  RecordedMesh mesh;
  for (const Json& p : json.at("vertices")) {
    mesh.vertices.push_back(read_vector(p));
  }
  mesh.triangles = json.at("triangles");
  mesh.uv = json.value("uv", decltype(mesh.uv){});
  return mesh;
}

// Coordinates are numbers of one velocity each, or unit quaternions with three.
bool has_good_widths(const RecordedScene& s) {
  const std::vector<int>& width = s.coordinate_width;
  if (width.size() != s.coordinates.size()) return false;
  std::size_t num_velocities = 0;
  for (std::size_t i = 0; i < width.size(); i += static_cast<std::size_t>(width[i])) {
    if (width[i] != 1 && (width[i] != 4 || i + 4 > width.size())) return false;
    num_velocities += width[i] == 4 ? 3 : 1;
  }
  return num_velocities == s.velocities.size();
}

// Indices that others will follow.
bool is_consistent(const RecordedScene& s) {
  const auto within = [](int i, std::size_t n) {
    return i >= -1 && i < static_cast<int>(n);
  };
  bool good = has_good_widths(s) && s.masses.size() == s.bodies.size() &&
              s.moves.size() == s.bodies.size() &&
              s.coordinate_units.size() == s.coordinates.size() &&
              s.velocity_units.size() == s.velocities.size() &&
              s.coordinate_bodies.size() == s.coordinates.size() &&
              s.velocity_bodies.size() == s.velocities.size();
  for (const std::vector<int>* bodies : {&s.coordinate_bodies, &s.velocity_bodies}) {
    for (const int body : *bodies) {
      good = good && within(body, s.bodies.size());
    }
  }
  for (const RecordedGeometry& g : s.geometries) {
    good = good && within(g.body, s.bodies.size()) && within(g.mesh, s.meshes.size()) &&
           within(g.texture.picture, s.pictures.size()) && (g.kind == "mesh") == (g.mesh >= 0);
  }
  for (const RecordedMesh& mesh : s.meshes) {
    good = good && (mesh.uv.empty() || mesh.uv.size() == mesh.triangles.size());
    for (const auto& triangle : mesh.triangles) {
      for (const int v : triangle) {
        good = good && v >= 0 && within(v, mesh.vertices.size());
      }
    }
  }
  return good;
}

}  // namespace

RecordedScene make_recorded_scene(const Model& model) {
  RecordedScene scene;
  for (const Body& body : model.bodies) {
    scene.bodies.push_back(body.name);
    scene.masses.push_back(model.links[body.link].M_BBo_B.mass);
    scene.moves.push_back(model.links[body.link].tree >= 0 ? 1 : 0);
  }
  add_geometries(model, &scene);
  add_coordinates(model, &scene);
  add_units(model, &scene);
  scene.states.assign(model.nz, "");
  for (const System& s : model.systems) {
    for (int i = 0; i < s.nz; ++i) {
      scene.states[s.z_start + i] = s.name + "." + s.name_state(i);
    }
    for (const System::Signal& signal : s.outputs) {
      for (int i = 0; i < signal.size; ++i) {
        scene.outputs.push_back(make_name(s.name + "." + signal.name, i, signal.size));
      }
    }
  }
  return scene;
}

std::string to_json(const RecordedScene& scene) {
  JsonText json;
  json.put_object("bodies", scene.bodies, "masses", scene.masses, "moves", scene.moves,
                  "coordinates", scene.coordinates, "velocities", scene.velocities, "states",
                  scene.states, "outputs", scene.outputs, "coordinate_width",
                  scene.coordinate_width, "has_surfaces", scene.has_surfaces, "coordinate_units",
                  scene.coordinate_units, "velocity_units", scene.velocity_units,
                  "coordinate_bodies", scene.coordinate_bodies, "velocity_bodies",
                  scene.velocity_bodies, "geometries", scene.geometries, "meshes", scene.meshes,
                  "num_pictures", scene.pictures.size());
  return std::move(json.text());
}

RecordedScene read_scene_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    RecordedScene scene{.bodies = json.at("bodies"),
                        .masses = json.at("masses"),
                        .moves = {},
                        .geometries = {},
                        .meshes = {},
                        .pictures = {},
                        .coordinates = json.at("coordinates"),
                        .velocities = json.at("velocities"),
                        .states = json.at("states"),
                        .outputs = json.at("outputs"),
                        .coordinate_width = json.at("coordinate_width"),
                        .has_surfaces = json.value("has_surfaces", false)};
    using Units = std::vector<std::string>;
    scene.coordinate_units = json.value("coordinate_units", Units(scene.coordinates.size()));
    scene.velocity_units = json.value("velocity_units", Units(scene.velocities.size()));
    using Bodies = std::vector<int>;
    scene.moves = json.value("moves", Bodies(scene.bodies.size(), 1));
    scene.coordinate_bodies = json.value("coordinate_bodies", Bodies(scene.coordinates.size(), -1));
    scene.velocity_bodies = json.value("velocity_bodies", Bodies(scene.velocities.size(), -1));
    for (const Json& g : json.at("geometries")) {
      scene.geometries.push_back(read_geometry(g));
    }
    for (const Json& mesh : json.at("meshes")) {
      scene.meshes.push_back(read_mesh(mesh));
    }
    scene.pictures.resize(std::min<std::size_t>(json.value("num_pictures", 0), kMostPictures));
    if (is_consistent(scene)) return scene;
  } catch (const Json::exception&) {
    // said below
  }
  throw Error("the description of the scene is damaged");
}

std::string name_picture(std::size_t number) { return fmt::format("pictures/{}", number); }

const std::vector<InfoField>& list_info_fields() {
  static const std::vector<InfoField> fields{
      {"scene", &RecordingInfo::scene},
      {"scene_hash", &RecordingInfo::scene_hash},
      {"model_hash", &RecordingInfo::model_hash},
      {"settings", &RecordingInfo::settings},
      {"contact", &RecordingInfo::contact},
      {"integrator", &RecordingInfo::integrator},
      {"version", &RecordingInfo::version},
      {"git_commit", &RecordingInfo::git_commit},
      {.name = "accuracy", .number = &RecordingInfo::accuracy},
      {.name = "fixed_step", .number = &RecordingInfo::fixed_step},
      {.name = "fps", .number = &RecordingInfo::fps},
      {.name = "duration", .number = &RecordingInfo::duration},
      {.name = "seed", .integer = &RecordingInfo::seed}};
  return fields;
}

}  // namespace cenic::detail
