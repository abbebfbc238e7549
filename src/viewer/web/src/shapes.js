// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Triangles of the shapes. Shapes that differ in scale alone share them.
import {BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, CylinderGeometry, IcosahedronGeometry, PlaneGeometry,
        SphereGeometry} from 'three';
import {mergeVertices, toCreasedNormals} from 'three/examples/jsm/utils/BufferGeometryUtils.js';

const CREASE = 0.6;              // rad; sharper edges look sharp
const MANY_TRIANGLES = 200000;   // smooth throughout: looking for edges would take too long
const TURN = Math.PI / 2;

function bytes(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

function makeMesh(mesh) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(bytes(mesh.vertices)), 3));
  geometry.setIndex(new BufferAttribute(new Uint32Array(bytes(mesh.triangles)), 1));
  if (mesh.uv) geometry.setAttribute('uv', new BufferAttribute(new Float32Array(bytes(mesh.uv)), 2));
  if (geometry.index.count < 3 * MANY_TRIANGLES) return toCreasedNormals(geometry, CREASE);
  geometry.computeVertexNormals();
  return geometry;
}

// Triangles by detail: 3 where there are few things, 2 where there are many; 1 and 0 for machines that draw slowly. Light goes by the
// normals of the true shape, so that coarse ones look round but for their outline.
const makeSphere = (detail) =>
    (detail < 2 ? makeRoundish(detail) : new SphereGeometry(1, [14, 32][detail - 2], [9, 20][detail - 2]));
const makeCylinder = (detail) => new CylinderGeometry(1, 1, 1, [7, 10, 16, 36][detail]).rotateX(TURN);
const makeCapsule = (detail, length) =>
    new CapsuleGeometry(1, length, [1, 2, 3, 8][detail], [6, 8, 12, 28][detail]).rotateX(TURN);

// An icosahedron, or one with each triangle in four: the roundest for its triangles, and with few corners.
function makeRoundish(detail) {
  const geometry = new IcosahedronGeometry(1, detail).deleteAttribute('uv').deleteAttribute('normal');
  const merged = mergeVertices(geometry);
  merged.setAttribute('normal', merged.attributes.position.clone());
  return merged;
}

// Where each corner is in the picture of a shape that does not say: seen along z, or once on each of six sides.
// Coordinates are those of the shape before it is scaled.
function addPlaces(geometry, texture, scale) {
  const plain = geometry.index ? geometry.toNonIndexed() : geometry;
  const p = plain.attributes.position, uv = new Float32Array(2 * p.count);
  plain.computeBoundingBox();
  const {min, max} = plain.boundingBox;
  const low = [min.x, min.y, min.z], size = [max.x - min.x, max.y - min.y, max.z - min.z].map((s) => s || 1);
  const at = (i, k) => p.array[3 * i + k];
  // The axis that the triangle of a corner faces.
  const side = (i) => {
    const a = i - (i % 3), d = (j, k) => at(a + j, k) - at(a, k);
    const n = [0, 1, 2].map((k) => {
      const [u, v] = [(k + 1) % 3, (k + 2) % 3];
      return Math.abs(d(1, u) * d(2, v) - d(1, v) * d(2, u)) / size[k];
    });
    return n.indexOf(Math.max(...n));
  };
  for (let i = 0; i < p.count; ++i) {
    const axis = texture.cube ? side(i) : 2;
    // Pictures stand upright on the sides.
    const axes = axis === 2 ? [0, 1] : [axis === 0 ? 1 : 0, 2];
    axes.forEach((k, j) => {
      const share = (at(i, k) - low[k]) / size[k];
      const repeat = texture.cube ? 1 : texture.repeat[j] * (texture.per_metre ? size[k] * scale[k] : 1);
      uv[2 * i + j] = share * repeat;
    });
  }
  plain.setAttribute('uv', new BufferAttribute(uv, 2));
  return plain;
}

// The same shape with a picture on it.
function paintShape(shape, texture, hasPlaces) {
  const key = `${shape.key} ${JSON.stringify(texture)}`;
  if (hasPlaces || shape.plane) return {...shape, key};
  return {...shape, key: `${key} ${shape.scale}`, make: (detail) => addPlaces(shape.make(detail), texture, shape.scale)};
}

export function describeShape(geometry, scene) {
  const shape = describePlainShape(geometry, scene);
  if (!shape || !geometry.texture) return shape;
  return paintShape(shape, geometry.texture, Boolean(scene.meshes[geometry.mesh]?.uv));
}

// {key: what shapes with the same triangles share, scale, make(detail), flat: the same at any detail}; null for a shape that
// this page does not know.
function describePlainShape(geometry, scene) {
  const [x, y, z] = geometry.size;
  switch (geometry.kind) {
    case 'sphere': return {key: 'sphere', scale: [x, x, x], make: makeSphere};
    case 'ellipsoid': return {key: 'sphere', scale: [x, y, z], make: makeSphere};
    case 'box': return {key: 'box', scale: [2 * x, 2 * y, 2 * z], flat: true, make: () => new BoxGeometry(1, 1, 1)};
    case 'cylinder':
      return {key: 'cylinder', scale: [x, x, 2 * z], make: makeCylinder};
    case 'capsule':
      return {key: `capsule ${(z / x).toFixed(6)}`, scale: [x, x, x],
              make: (detail) => makeCapsule(detail, (2 * z) / x)};
    case 'half space':
    case 'half_space':
      return {key: 'plane', scale: [1, 1, 1], plane: true, make: () => new PlaneGeometry(1, 1)};
    default:
      if (!scene.meshes[geometry.mesh]) return null;
      return {key: `mesh ${geometry.mesh}`, scale: [1, 1, 1], flat: true, make: () => makeMesh(scene.meshes[geometry.mesh])};
  }
}
