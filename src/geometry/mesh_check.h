// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Meshes as people export them made fit for contact: repaired where that is safe, with a note, and
// refused with the element at fault where it is not. Elements keep the file's numbers, from 0, in
// all texts.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "geometry/tet_mesh.h"
#include "geometry/triangle_mesh.h"

namespace cenic {

// What was repaired or is worth knowing, as sentences.
struct MeshNotes {
  std::vector<std::string> repairs;
};

// Larger meshes are refused: they are a mistake (a scan nobody decimated) far more often than not.
inline constexpr int kMaxMeshElements = 500'000;

// A closed, consistently outward surface: duplicate vertices merged, triangles without area
// dropped or resolved, orientation made one, vertices at which parts only touch split, vertices of
// no triangle left out. Parts inside out are taken for cavities as long as the volume of all is
// positive. Throws Error when the surface is not the boundary of a solid; notes may be null.
TriangleMesh prepare_closed_surface(const TriangleMesh& mesh, MeshNotes* notes);

// The same for a rigid surface, which may have holes, and edges of more than two triangles.
TriangleMesh prepare_open_surface(const TriangleMesh& mesh, MeshNotes* notes);

// Is every edge shared by two triangles that run along it in opposite directions?
bool is_closed(const TriangleMesh& mesh);

// Signed volume enclosed by a closed surface.
double calc_volume(const TriangleMesh& mesh);

namespace detail {

// Throws Error unless the mesh has elements, not too many, all vertices are finite and near enough
// to the origin to calculate with, and all indices are in range. `element` is "triangle" or so.
template <std::size_t N>
void check_elements(std::span<const Vec3> vertices, std::span<const std::array<int, N>> elements,
                    const char* element);

// Largest extent of the box around the vertices of the elements: strays do not count.
template <std::size_t N>
double calc_size(std::span<const Vec3> vertices, std::span<const std::array<int, N>> elements);

// For each vertex the first one at its place; places are equal within 1e-9 of the size.
std::vector<int> find_duplicates(std::span<const Vec3> vertices, double size);

// Adds the sentence; notes may be null.
void add_note(MeshNotes* notes, const std::string& text);

}  // namespace detail
}  // namespace cenic
