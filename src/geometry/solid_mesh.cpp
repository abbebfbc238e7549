// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "geometry/solid_mesh.h"

#include "core/error.h"
#include "geometry/volume_field.h"

namespace cenic {

std::shared_ptr<const SolidMesh> make_solid_mesh(const TriangleMesh& surface, MeshNotes* notes) {
  auto solid = std::make_shared<SolidMesh>();
  MeshNotes found;
  try {
    solid->surface = prepare_closed_surface(surface, &found);
    solid->closed = true;
  } catch (const Error& error) {
    // What is wrong with any surface is thrown from here again.
    found = {};
    solid->surface = prepare_open_surface(surface, &found);
    detail::add_note(&found, std::string("taken as an open surface: ") + error.what());
  }
  solid->hull = make_convex_hull(solid->surface.vertices);
  for (const std::string& note : found.repairs) {
    detail::add_note(notes, note);
  }
  return solid;
}

std::shared_ptr<const SolidMesh> make_solid_mesh(const TetMesh& tets, MeshNotes* notes) {
  auto solid = std::make_shared<SolidMesh>();
  solid->tets = prepare_tets(tets, notes);
  solid->surface = extract_boundary(*solid->tets);
  solid->closed = true;
  solid->hull = make_convex_hull(solid->surface.vertices);
  return solid;
}

}  // namespace cenic
