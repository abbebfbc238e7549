// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The geometries of the scene: one instanced mesh for all that share their triangles, so that a
// thousand objects are a few draw calls.
import {Box3, CanvasTexture, Color, Frustum, InstancedMesh, Matrix4, Mesh, MeshStandardMaterial, RepeatWrapping, Sphere, SRGBColorSpace,
        TextureLoader, Vector3} from 'three';
import {POSE} from './frames.js';
import {eraseWritten, makePlainMaterial, refreshPicture, roundUp, setPicture, writeOut} from './plain.js';
import {describeShape} from './shapes.js';
import {toMatrix} from './poses.js';

const FLOOR = 400;  // size of a half space that is drawn, in squares of its grid

const MANY = 200;   // so many geometries are drawn with fewer triangles
const COARSER = 2;  // in detail: what is drawn coarsely

function makeMaterial(alpha) {
  return new MeshStandardMaterial({transparent: alpha < 1, opacity: alpha, depthWrite: alpha >= 1, roughness: 0.62, metalness: 0.04});
}

// A square, divided into ten by ten.
function makeFloorTexture() {
  const canvas = document.createElement('canvas');
  const size = (canvas.width = canvas.height = 512);
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, size, size);
  const lines = (count, style, width) => {
    pen.strokeStyle = style;
    pen.lineWidth = width;
    for (let i = 0; i <= count; ++i) {
      const x = (i * size) / count;
      pen.beginPath();
      pen.moveTo(x, 0), pen.lineTo(x, size), pen.moveTo(0, x), pen.lineTo(size, x);
      pen.stroke();
    }
  };
  lines(10, 'rgba(20,30,50,.10)', 1.5);
  lines(1, 'rgba(20,30,50,.34)', 4);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.anisotropy = 8;
  return texture;
}

// Boxes that are more than twice as far from the middle of them as four of five have left.
function dropFarAway(boxes) {
  const centers = boxes.map((b) => b.getCenter(new Vector3()));
  const rank = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.floor(share * (boxes.length - 1))];
  const middle = new Vector3(...[0, 1, 2].map((k) => rank(centers.map((c) => c.getComponent(k)), 0.5)));
  const distances = centers.map((c) => c.distanceTo(middle)), far = 2 * rank(distances, 0.8);
  return boxes.length < 10 ? boxes : boxes.filter((b, i) => distances[i] <= far);
}

export class Bodies {
  // onPicture: a picture on a geometry is there, so that it can be drawn.
  constructor(scene, stage, onPicture = () => {}) {
    this.scene = scene;
    this.stage = stage;
    this.onPicture = onPicture;
    this.pictures = new Map();
    const entries = scene.geometries.map((g, index) => this.makeEntry(g, index));
    this.entries = entries.filter((e) => e.shape);
    this.unknown = new Set(entries.filter((e) => !e.shape).map((e) => e.geometry.kind));
    this.batches = this.makeBatches();
    this.measure();
    this.floors = this.entries.filter((e) => e.shape.plane).map((e) => this.makeFloor(e));
    this.shapes = 'visual';
    this.walls = true;    // drawn
    this.most = 1 << 20;  // corners of a batch that are written out, 40 bytes each
    this.matrix = new Matrix4();
  }

  // The picture on a geometry, null where it has none. All that show it share it.
  findPicture({texture}) {
    if (!texture) return null;
    if (!this.pictures.has(texture.picture)) this.pictures.set(texture.picture, this.loadPicture(texture));
    return this.pictures.get(texture.picture);
  }

  loadPicture(texture) {
    const map = new TextureLoader().load(this.scene.pictures[texture.picture], (loaded) => {
      refreshPicture(loaded);
      this.onPicture();
    });
    map.wrapS = map.wrapT = RepeatWrapping;
    map.colorSpace = SRGBColorSpace;
    map.anisotropy = 8;
    return map;
  }

  makeEntry(geometry, index) {
    const shape = describeShape(geometry, this.scene);
    if (!shape) return {geometry, shape};
    const local = toMatrix(geometry.pose).scale(new Vector3(...shape.scale));
    return {geometry, index, shape, local, alpha: Math.round(20 * geometry.color[3]) / 20};
  }

  makeBatches() {
    const groups = new Map();
    for (const e of this.entries) {
      if (e.shape.plane || e.alpha === 0) continue;
      const key = `${e.shape.key} ${e.alpha}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(e);
    }
    this.detail = this.entries.length > MANY ? 2 : 3;
    const triangles = new Map();
    return [...groups.values()].map((entries) => {
      const {shape, alpha} = entries[0];
      if (!triangles.has(shape.key)) triangles.set(shape.key, shape.make(this.detail));
      const material = makeMaterial(alpha);
      material.map = this.findPicture(entries[0].geometry);
      const mesh = new InstancedMesh(triangles.get(shape.key), material, roundUp(entries.length));
      mesh.count = entries.length;
      mesh.castShadow = alpha > 0.6;
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;  // its bounds move with every frame
      entries.forEach((e, i) => mesh.setColorAt(i, new Color().setRGB(...e.geometry.color.slice(0, 3), SRGBColorSpace)));
      this.stage.add(mesh);
      return {mesh, entries, geometry: mesh.geometry, full: material};
    });
  }

  // A floor has its picture, or a grid of metres; a wall is hardly seen, and not at all from behind.
  makeFloor(entry) {
    entry.level = entry.local.elements[10] > 0.7;
    const material = makeMaterial(entry.level ? 1 : 0.3);
    material.roughness = 0.95;
    const mesh = new Mesh(entry.shape.make(), material);
    entry.painted = entry.level && Boolean(entry.geometry.texture);
    if (entry.painted) {
      material.map = this.loadPicture(entry.geometry.texture);  // its own: repeated as this floor asks
      material.color.setRGB(...entry.geometry.color.slice(0, 3), SRGBColorSpace);
    } else if (entry.level) {
      material.map = makeFloorTexture();
      material.map.repeat.set(FLOOR, FLOOR);
    }
    mesh.receiveShadow = entry.level;
    mesh.matrixAutoUpdate = false;
    this.stage.add(mesh);
    return {mesh, entry, full: material, map: material.map, plain: makePlainMaterial(material, this.stage.light)};
  }

  // Floors go on far away, with squares of a power of ten in metres; walls end around what is seen.
  fitFloors({square, center, radius}) {
    for (const {entry, map} of this.floors) {
      const size = entry.level ? FLOOR * square : 2.4 * radius;
      if (entry.painted) {
        // A corner of the picture is at the origin of the floor.
        const [x, y] = entry.geometry.texture.repeat.map((r) => r * size);
        map.repeat.set(x, y);
        map.offset.set(-x / 2, -y / 2);
        map.updateMatrix();
      }
      entry.local.copy(toMatrix(entry.geometry.pose));
      if (!entry.level) {
        const inverse = entry.local.clone().invert(), at = center.clone().applyMatrix4(inverse);
        entry.local.multiply(new Matrix4().makeTranslation(at.x, at.y, 0));
      }
      entry.local.scale(new Vector3(size, size, 1));
    }
  }

  isShown(entry) {
    if (this.shapes === 'both') return true;
    return this.shapes === 'visual' ? entry.geometry.visible : entry.geometry.collides;
  }

  worldMatrix(entry, poses, out) {
    const body = entry.geometry.body;
    return body < 0 ? out.copy(entry.local) : out.multiplyMatrices(poses.bodies[body], entry.local);
  }

  update(poses) {
    for (const {mesh, entries, written} of this.batches) {
      const numbers = mesh.instanceMatrix.array;
      for (let i = 0; i < entries.length; ++i) {
        if (this.isShown(entries[i])) {
          this.worldMatrix(entries[i], poses, this.matrix).toArray(numbers, 16 * i);
        } else {
          numbers.fill(0, 16 * i, 16 * i + 16);  // no size
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
      if (written) written.material.uniforms.poses.value.needsUpdate = true;
      mesh.boundingSphere = null;  // for picking
    }
    for (const {mesh, entry} of this.floors) {
      this.worldMatrix(entry, poses, mesh.matrix);
      mesh.visible = this.isShown(entry) && (this.walls || entry.level);
    }
  }

  // A level of quality.js.
  setLevel({plain, coarse, walls}) {
    this.walls = walls;
    for (const batch of this.batches) {
      if (batch.written) this.stage.remove(batch.written), eraseWritten(batch.written);
      batch.written = null;
      Object.assign(batch.mesh, {visible: true, geometry: batch.geometry, material: batch.full});
      if (plain) this.drawPlainly(batch, coarse);
    }
    for (const {mesh, full, plain: flat} of this.floors) mesh.material = plain ? flat : full;
  }

  // An instanced mesh that is written out is not drawn, but still picked. Too many triangles stay instances.
  drawPlainly(batch, coarse) {
    const {mesh, entries, full} = batch, {shape} = entries[0], {light} = this.stage;
    const geometry = coarse && !shape.flat ? (batch.coarse ??= shape.make(this.detail - COARSER)) : batch.geometry;
    mesh.visible = entries.length * geometry.attributes.position.count > this.most;
    if (mesh.visible) {
      Object.assign(mesh, {geometry, material: (batch.plain ??= makePlainMaterial(full, light))});
    } else {
      batch.written = writeOut(mesh, geometry, light);
      this.stage.add(batch.written);
    }
  }

  // The grid of floors without a picture of their own.
  showGrid(on) {
    for (const {entry, full, plain, map} of this.floors) {
      if (entry.painted) continue;
      full.map = on ? map : null;
      full.needsUpdate = true;
      setPicture(plain, full.map);
    }
  }

  setTheme(dark) {
    for (const {entry, full} of this.floors) {
      if (!entry.painted) full.color.set(dark ? '#39414e' : '#e9edf2');
    }
  }

  moves(body) { return body >= 0 && this.scene.bodies[body].slot >= 0; }

  // How far bodies reach from their origins, m; 0 for those without shapes. What moves of the others, and a typical size of it.
  measure() {
    this.reach = new Float64Array(this.scene.bodies.length);
    const sizes = [];
    for (const {geometry, entries} of this.batches) {
      geometry.computeBoundingSphere();
      for (const {geometry: {body}, shape, local} of entries) {
        if (body < 0) continue;
        const {center, radius} = geometry.boundingSphere, size = radius * Math.max(...shape.scale);
        this.reach[body] = Math.max(this.reach[body], size + center.clone().applyMatrix4(local).length());
        if (this.moves(body)) sizes.push(size);
      }
    }
    this.movers = [...this.reach.keys()].filter((body) => this.moves(body) && this.reach[body] > 0);
    this.typical = sizes.sort((a, b) => a - b)[sizes.length >> 1] ?? 0;
  }

  // The height that nothing that moves is below, in a frame.
  findLowest({poses}) {
    let lowest = Infinity;
    this.scene.bodies.forEach(({slot}, i) => {
      if (slot >= 0) lowest = Math.min(lowest, poses[POSE * slot + 2] - this.reach[i]);
    });
    return lowest;
  }

  // Do bodies move, and is none of them in the picture?
  areOut(poses, {projectionMatrix, matrixWorldInverse}) {
    const picture = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(projectionMatrix, matrixWorldInverse));
    const around = new Sphere();
    return this.movers.length > 0 && !this.movers.some((body) => {
      around.center.setFromMatrixPosition(poses.bodies[body]);
      around.radius = this.reach[body];
      return picture.intersectsSphere(around);
    });
  }

  // What there is to see: what moves, and of the rest what is not much larger. Of many things that
  // move those that left do not count.
  calcBounds(poses) {
    const all = new Box3(), boxes = [], moved = [];
    for (const {mesh, entries} of this.batches) {
      mesh.geometry.computeBoundingBox();
      for (const e of entries) {
        const box = new Box3().copy(mesh.geometry.boundingBox).applyMatrix4(this.worldMatrix(e, poses, this.matrix));
        (this.moves(e.geometry.body) ? moved : boxes).push(box);
        all.union(box);
      }
    }
    const moving = new Box3();
    for (const box of dropFarAway(moved)) moving.union(box);
    if (moving.isEmpty()) return all.isEmpty() ? new Box3(new Vector3(-1, -1, 0), new Vector3(1, 1, 1)) : all;
    const size = moving.getSize(new Vector3()).length();
    for (const b of boxes) {
      if (b.getSize(new Vector3()).length() < 2.5 * size) moving.union(b);
    }
    return moving;
  }
}
