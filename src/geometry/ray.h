// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How far a ray goes until it meets a shape.
#pragma once

#include "geometry/shape.h"

namespace cenic {

// The distance from the point x along the unit vector dir, both in G, to the surface of the shape;
// infinite when the ray does not meet it. A ray that starts inside meets the surface on its way
// out, but for a half space, which is met from outside alone. Meshes are met where they are drawn,
// at triangles with two sides; each triangle is looked at.
double cast_ray(const Shape& shape, const Vec3& x, const Vec3& dir);

}  // namespace cenic
