// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <asset>: where meshes are, the colours of materials, and models to attach.
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mjcf/document.h"
#include "loaders/xml/read_xml.h"

namespace cenic::detail {
namespace {

constexpr int kMany = 100'000'000;

std::string file_name(const std::string& path) {
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string without_ending(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(0, dot);
}

// Points, and triangles of them, that stand in the file itself.
void read_inline(const Attributes& a, MjcfMesh* mesh) {
  const std::vector<double> numbers = a.numbers("vertex", 12, kMany);
  if (numbers.size() % 3 != 0) a.error("vertex", "vertex: three numbers make a point");
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    mesh->vertices.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  const std::vector<double> faces = a.numbers("face", 3, kMany);
  if (faces.size() % 3 != 0) a.error("face", "face: three numbers make a triangle");
  for (const double f : faces) {
    if (f < 0 || f >= static_cast<double>(mesh->vertices.size()) || std::trunc(f) != f) {
      a.error("face", fmt::format("face: there is no vertex {}", f));
      mesh->faces.clear();
      return;
    }
    mesh->faces.push_back(static_cast<int>(f));
  }
}

// Where each of the vertices that stand in the file is in a picture.
void read_inline_uv(const Attributes& a, MjcfMesh* mesh) {
  const std::vector<double> numbers = a.numbers("texcoord", 2, kMany);
  if (numbers.empty()) return;
  if (numbers.size() != 2 * mesh->vertices.size()) {
    a.ignore({"texcoord"}, "not drawn: it has not two numbers for each vertex");
    return;
  }
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    mesh->uv.push_back({static_cast<float>(numbers[i]), static_cast<float>(numbers[i + 1])});
  }
}

void read_builtin(const Attributes& a, MjcfMesh* mesh) {
  const std::string kind = a.text("builtin");
  try {
    const TriangleMesh made = make_builtin_mesh(kind, a.numbers("params", 0, 10));
    mesh->vertices = made.vertices;
    for (const auto& triangle : made.triangles) {
      mesh->faces.insert(mesh->faces.end(), triangle.begin(), triangle.end());
    }
    a.report(Severity::kApproximated, "builtin",
             fmt::format("builtin {}: of the shape that the manual gives, its triangles may differ",
                         kind));
  } catch (const Error& e) {
    mesh->problem = e.what();
  }
}

void read_mesh_asset(const Attributes& a, const AssetPaths& paths, MjcfDocument* document) {
  const MjcfCompiler& compiler = document->compiler;
  MjcfMesh mesh;
  std::string file = a.text("file");
  if (compiler.strippath) file = file_name(file);
  const std::string name = a.text("name", without_ending(file_name(file)));
  mesh.scale = a.vector("scale", {1, 1, 1});
  mesh.refpos = a.vector("refpos", {});
  if (const auto q = a.numbers("refquat", 4, 4); !q.empty()) {
    mesh.refquat = normalized(Quat{q[0], q[1], q[2], q[3]});
  }
  mesh.inertia = static_cast<MeshInertia>(a.keyword(
      "inertia", {"convex", "exact", "legacy", "shell"},
      static_cast<int>(compiler.exact_mesh_inertia ? MeshInertia::kExact : MeshInertia::kLegacy)));
  if (mesh.inertia == MeshInertia::kShell) {
    a.report(Severity::kApproximated, "inertia", "inertia: the mesh is taken as solid");
  }
  read_inline(a, &mesh);
  read_inline_uv(a, &mesh);
  if (!file.empty()) {
    const auto found = paths.find(file, {join_paths(document->folder, compiler.meshdir)});
    mesh.path = found.path;
    mesh.problem = found.problem;
  } else if (a.has("builtin")) {
    read_builtin(a, &mesh);
  } else if (mesh.vertices.empty()) {
    mesh.problem = fmt::format("mesh '{}' has neither a file nor vertices", name);
  }
  a.approximate({"maxhullvert"}, "the hull keeps all its vertices");
  a.accept({"class", "content_type", "params"});
  a.ignore({"smoothnormal", "normal", "material"}, "for the eye alone");
  a.ignore({"octree_maxdepth"}, "distance fields are not known");
  if (!document->meshes.try_emplace(name, std::move(mesh)).second) {
    a.error("name", fmt::format("another mesh is named '{}'; names are unique", name));
  }
}

void read_hfield_asset(const Attributes& a, const AssetPaths& paths, MjcfDocument* document) {
  const MjcfCompiler& compiler = document->compiler;
  std::string file = a.text("file");
  if (compiler.strippath) file = file_name(file);
  const std::string name = a.text("name", without_ending(file_name(file)));
  AssetPaths::Found found;
  if (!file.empty()) found = paths.find(file, {join_paths(document->folder, compiler.meshdir)});
  MjcfHfield hfield = read_hfield(a, found.path);
  if (!file.empty() && found.path.empty()) hfield = {nullptr, found.problem};
  if (!document->hfields.try_emplace(name, std::move(hfield)).second) {
    a.error("name", fmt::format("another height field is named '{}'; names are unique", name));
  }
}

// Geoms that pairs name collide even when their masks say that they do not.
void read_paired_geoms(MjcfDocument* document) {
  for (const auto& section : document->root->children) {
    if (section->name != "contact") continue;
    for (const auto& pair : section->children) {
      if (pair->name != "pair") continue;
      for (const char* side : {"geom1", "geom2"}) {
        if (const XmlAttribute* geom = pair->find(side)) document->paired_geoms.insert(geom->value);
      }
    }
  }
}

void read_material(const Attributes& a, MjcfDocument* document, Diagnostics* diagnostics) {
  const std::vector<double> rgba = a.numbers_over("rgba", {1, 1, 1, 1});
  a.accept({"class"});
  a.ignore({"emission", "specular", "shininess", "reflectance", "metallic", "roughness"},
           "for the eye alone");
  MjcfDocument::Material material;
  for (int i = 0; i < 4; ++i) {
    material.color[i] = static_cast<float>(rgba[i]);
  }
  if (const auto texture = read_material_texture(a, *document, diagnostics)) {
    material.texture = *texture;
  }
  document->materials[a.text("name")] = std::move(material);
}

// A model goes by the name it gives itself, unless it is given another.
void read_model_asset(const Attributes& a, const AssetPaths& paths, MjcfDocument* document) {
  const std::string file = a.text("file");
  const auto found = paths.find(file, {document->folder});
  a.has("content_type");
  if (found.path.empty()) {
    a.error("file", found.problem);
    return;
  }
  const std::string shown = join_paths(folder_of(document->name), file);
  std::string name = a.text("name");
  if (name.empty()) {
    const auto root = read_xml(found.path, shown);
    const XmlAttribute* own = root->find("model");
    name = own != nullptr ? own->value : without_ending(file_name(file));
  }
  document->models[name] = {found.path, shown};
}

// All but textures.
void read_asset(const XmlElement& element, const AssetPaths& paths, MjcfDocument* document,
                Diagnostics* diagnostics) {
  const Attributes a = document->attributes(element, "", diagnostics);
  if (element.name == "mesh") {
    read_mesh_asset(a, paths, document);
  } else if (element.name == "hfield") {
    read_hfield_asset(a, paths, document);
  } else if (element.name == "material") {
    read_material(a, document, diagnostics);
  } else if (element.name == "model") {
    read_model_asset(a, paths, document);
  } else {
    const bool known = element.name == "skin";
    diagnostics->add(*element.file, element.line, Severity::kIgnored,
                     fmt::format("<{}>: {}", element.name,
                                 known ? "not drawn, and nothing touches it" : "not known"));
    mark_read(element);
    return;
  }
  for (const auto& below : element.children) {
    if (below->read) continue;
    diagnostics->add(*below->file, below->line, Severity::kIgnored,
                     fmt::format("<{}> of <{}> is not known", below->name, element.name));
    mark_read(*below);
  }
}

}  // namespace

void read_assets(const AssetPaths& paths, MjcfDocument* document, Diagnostics* diagnostics) {
  read_paired_geoms(document);
  // Materials may stand before their textures.
  for (const auto& section : document->root->children) {
    if (section->name != "asset") continue;
    for (const auto& child : section->children) {
      if (child->name != "texture") continue;
      read_texture_asset(document->attributes(*child, "", diagnostics), paths, document);
    }
  }
  for (const auto& section : document->root->children) {
    if (section->name != "asset") continue;
    section->read = true;
    for (const auto& child : section->children) {
      if (child->name != "texture") read_asset(*child, paths, document, diagnostics);
    }
  }
}

}  // namespace cenic::detail
