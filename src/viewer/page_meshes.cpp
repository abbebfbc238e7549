// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page: vectors, quaternions, matrices, and triangles for each kind of shape.
#include "viewer/page_source.h"

namespace cenic::detail {

const std::string_view kPageMeshes = R"js(
// Vectors are arrays of 3, quaternions are (w, x, y, z), matrices are 16 numbers by columns.
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.sqrt(dot(a, a));
const unit = (a) => scale(1 / (norm(a) || 1), a);

const quatTimes = (a, b) => [
  a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
  a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]];
function rotate(q, p) {
  const u = [q[1], q[2], q[3]], t = scale(2, cross(u, p));
  return add(add(p, scale(q[0], t)), cross(u, t));
}
// The turn that takes the unit vector a to b.
function quatBetween(a, b) {
  if (dot(a, b) < -0.999999) return [0, ...unit(cross(a, Math.abs(a[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0]))];
  const c = cross(a, b), q = [1 + dot(a, b), ...c], n = Math.hypot(...q);
  return q.map((x) => x / n);
}
// Poses are {p, q}.
const compose = (A, B) => ({p: add(A.p, rotate(A.q, B.p)), q: quatTimes(A.q, B.q)});
function poseMatrix({p, q}) {
  const x = rotate(q, [1, 0, 0]), y = rotate(q, [0, 1, 0]), z = rotate(q, [0, 0, 1]);
  return [...x, 0, ...y, 0, ...z, 0, ...p, 1];
}
function matTimes(a, b) {
  const c = new Array(16).fill(0);
  for (let i = 0; i < 4; ++i) for (let j = 0; j < 4; ++j) for (let k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function lookAt(eye, target, up) {
  const z = unit(sub(eye, target)), x = unit(cross(up, z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
}
// A perspective whose centre is moved up by a part of the height, to stay clear of the controls.
function perspective(tanHalf, aspect, near, far, shift) {
  return [1 / (tanHalf * aspect), 0, 0, 0, 0, 1 / tanHalf, 0, 0,
    0, -shift, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
}
const orthographic = (r, near, far) =>
  [1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];

// A surface of revolution about z. The profile goes from the top down: [radius, z, normal radius, normal z].
function makeLathe(profile, segments) {
  const mesh = {positions: [], normals: [], indices: []};
  for (const [r, z, nr, nz] of profile) {
    for (let i = 0; i <= segments; ++i) {
      const a = 2 * Math.PI * i / segments, c = Math.cos(a), s = Math.sin(a);
      mesh.positions.push(r * c, r * s, z);
      mesh.normals.push(nr * c, nr * s, nz);
    }
  }
  const w = segments + 1;
  for (let j = 0; j + 1 < profile.length; ++j) {
    for (let i = 0; i < segments; ++i) {
      const a = j * w + i;
      mesh.indices.push(a, a + w, a + 1, a + 1, a + w, a + w + 1);
    }
  }
  return mesh;
}
function makeCapsule(radius, half, rows) {  // a sphere when half is 0
  const profile = [];
  for (let j = 0; j <= rows; ++j) {
    const a = Math.PI * j / rows, s = Math.sin(a), c = Math.cos(a);
    if (j === rows / 2) profile.push([radius, half, 1, 0]);
    profile.push([radius * s, radius * c + (j < rows / 2 ? half : -half), s, c]);
  }
  return makeLathe(profile, 40);
}
const makeCylinder = (r, h) => makeLathe([[0, h, 0, 1], [r, h, 0, 1], [r, h, 1, 0], [r, -h, 1, 0], [r, -h, 0, -1], [0, -h, 0, -1]], 40);
function makeEllipsoid(size) {
  const mesh = makeCapsule(1, 0, 24);
  mesh.positions = mesh.positions.map((x, i) => x * size[i % 3]);
  for (let i = 0; i < mesh.normals.length; i += 3) {
    const n = unit([0, 1, 2].map((k) => mesh.normals[i + k] / size[k]));
    for (let k = 0; k < 3; ++k) mesh.normals[i + k] = n[k];
  }
  return mesh;
}
// Flat faces, each a list of points counter-clockwise seen from outside.
function makeFaces(faces) {
  const mesh = {positions: [], normals: [], indices: []};
  for (const face of faces) {
    let n = [0, 0, 0];
    for (let i = 1; i + 1 < face.length; ++i) n = add(n, cross(sub(face[i], face[0]), sub(face[i + 1], face[0])));
    n = unit(n);
    const first = mesh.positions.length / 3;
    face.forEach((p) => { mesh.positions.push(...p); mesh.normals.push(...n); });
    for (let i = 1; i + 1 < face.length; ++i) mesh.indices.push(first, first + i, first + i + 1);
  }
  return mesh;
}
function makeBox([x, y, z]) {
  const face = (a, b, c) => [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => add(a, add(scale(s, b), scale(t, c))));
  const X = [x, 0, 0], Y = [0, y, 0], Z = [0, 0, z], minus = (v) => scale(-1, v);
  return makeFaces([face(X, Y, Z), face(minus(X), Z, Y), face(Y, Z, X), face(minus(Y), X, Z), face(Z, X, Y), face(minus(Z), Y, X)]);
}
function makeHull(hull) {
  const point = (i) => hull.vertices.slice(3 * i, 3 * i + 3);
  const faces = [];
  for (let f = 0; f + 1 < hull.starts.length; ++f) faces.push(hull.corners.slice(hull.starts[f], hull.starts[f + 1]).map(point));
  return makeFaces(faces);
}
function makeTriangles(mesh) {
  const point = (i) => mesh.vertices.slice(3 * i, 3 * i + 3);
  const faces = [];
  for (let k = 0; k < mesh.corners.length; k += 3) faces.push(mesh.corners.slice(k, k + 3).map(point));
  return makeFaces(faces);
}
function makeMesh(g) {
  switch (g.kind) {
    case 'sphere': return makeCapsule(g.size[0], 0, 24);
    case 'box': return makeBox(g.size);
    case 'cylinder': return makeCylinder(g.size[0], g.size[2]);
    case 'capsule': return makeCapsule(g.size[0], g.size[2], 24);
    case 'ellipsoid': return makeEllipsoid(g.size);
    case 'mesh': return makeTriangles(g.mesh);
    default: return g.hull ? makeHull(g.hull) : null;
  }
}
function meshRadius(mesh) {
  let r = 0;
  for (let i = 0; i < mesh.positions.length; i += 3) r = Math.max(r, norm(mesh.positions.slice(i, i + 3)));
  return r;
}

// The part of a polygon on the side of the plane (n, d) where n·p >= d.
function clipPolygon(points, n, d) {
  const out = [];
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length], a = dot(n, p) - d, b = dot(n, q) - d;
    if (a >= 0) out.push(p);
    if ((a >= 0) !== (b >= 0)) out.push(add(p, scale(a / (a - b), sub(q, p))));
  });
  return out;
}
)js";

}  // namespace cenic::detail
