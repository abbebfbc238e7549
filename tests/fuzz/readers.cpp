// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "fuzz/readers.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/error.h"
#include "loaders/load.h"
#include "loaders/mesh/read_mesh.h"
#include "loaders/mesh/read_mtl.h"
#include "loaders/mesh/read_png.h"
#include "loaders/mjcf_text.h"
#include "model/model.h"

namespace cenic::test {
namespace {

// What a file says must be fit for use, too.
void read_model(const std::string& path) { compile(load_model(path).spec); }

constexpr Reader kReaders[] = {
    {"mjcf", "model.xml", read_model},
    {"urdf", "model.urdf", read_model},
    {"sdf", "model.sdf", read_model},
    {"scenario", "model.yaml", read_model},
    {"obj", "mesh.obj",
     [](const std::string& path) {
       read_obj_parts(path);
     }},
    {"mtl", "mesh.mtl",
     [](const std::string& path) {
       std::vector<std::string> notes;
       if (detail::read_mtl(path, &notes).empty()) throw Error("no materials");
     }},
    {"stl", "mesh.stl",
     [](const std::string& path) {
       read_stl(path);
     }},
    {"dae", "mesh.dae",
     [](const std::string& path) {
       read_dae(path);
     }},
    {"vtk", "mesh.vtk",
     [](const std::string& path) {
       read_vtk(path);
     }},
    {"msh", "mesh.msh",
     [](const std::string& path) {
       read_msh(path);
     }},
    {"gltf", "mesh.gltf",
     [](const std::string& path) {
       read_gltf(path);
     }},
    {"glb", "mesh.glb",
     [](const std::string& path) {
       read_gltf(path);
     }},
    {"png", "heights.png",
     [](const std::string& path) {
       read_grey_png(path);
     }},
};

}  // namespace

std::span<const Reader> list_readers() { return kReaders; }

const Reader* find_reader(std::string_view name) {
  const auto* found = std::ranges::find_if(kReaders, [&](const Reader& reader) {
    return reader.name == name;
  });
  return found == std::end(kReaders) ? nullptr : found;
}

bool try_reader(const Reader& reader, const char* bytes, std::size_t size) {
  static const TemporaryFolder
      folder;  // one for all: the fuzzer calls this thousands of times a second
  const std::string path = folder.path(reader.file_name);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  const bool written = std::fwrite(bytes, 1, size, file) == size;
  if (std::fclose(file) != 0 || !written) throw std::runtime_error("cannot write " + path);
  try {
    reader.read(path);
  } catch (const Error&) {
    return false;
  }
  return true;
}

}  // namespace cenic::test
