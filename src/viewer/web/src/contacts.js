// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Contact forces as arrows, contact surfaces as polygons coloured by pressure. They lie between
// bodies, so they are drawn over them.
import {BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshBasicMaterial,
        Vector3} from 'three';
import {Arrows} from './arrows.js';
import {CONTACT} from './frames.js';

// Scratch, so that pictures leave no garbage behind.
const from = new Vector3(), force = new Vector3(), size = {length: 0, head: 0, width: 0}, shade = new Color();
const FAN = [0, 1, 2];
const ON_TOP = {depthTest: false, depthWrite: false, transparent: true};
// From no pressure to the highest seen.
const STOPS = ['#2c3e9e', '#1f8fb5', '#3fbf7f', '#f2d13c', '#e4572e'].map((c) => new Color(c));
export const PRESSURE_GRADIENT = `linear-gradient(90deg,${STOPS.map((c) => c.getStyle()).join(',')})`;

function colorOf(s, out) {
  const x = Math.min(Math.max(s, 0), 1) * (STOPS.length - 1), i = Math.min(Math.floor(x), STOPS.length - 2);
  return out.lerpColors(STOPS[i], STOPS[i + 1], x - i);
}

export class Contacts {
  constructor(scene, stage) {
    const weight = scene.bodies.reduce((sum, b) => sum + (b.slot < 0 ? 0 : b.mass ?? 0), 0) * 9.81;
    const moving = Math.max(1, scene.bodies.filter((b) => b.slot >= 0 && b.mass > 0).length);
    this.reference = Math.max(weight / moving, 1e-9);  // N: a typical body at rest
    this.unit = 1;   // m: the arrow of that force
    this.scale = 1;  // as the user likes it
    this.showForces = this.showPatches = true;
    this.count = 0;     // arrows drawn
    this.polygons = 0;  // polygons drawn
    this.highest = 0;   // pressure so far, Pa
    this.group = new Group();
    this.group.renderOrder = 10;
    stage.add(this.group);
    this.camera = stage.camera;
    this.arrows = new Arrows({...ON_TOP, opacity: 0.92});
    this.arrows.mesh.renderOrder = 11;
    this.group.add(this.arrows.mesh);
    this.makePatches();
  }

  makePatches() {
    this.patches = new Mesh(new BufferGeometry(), new MeshBasicMaterial({...ON_TOP, opacity: 0.85, vertexColors: true,
                                                                        side: DoubleSide}));
    this.patches.frustumCulled = false;
    this.patches.renderOrder = 9;
    this.group.add(this.patches);
    this.corners = 0;
  }

  setTheme(dark) { this.arrows.material.color.set(dark ? '#ffb454' : '#d9480f'); }

  update(frame) {
    this.updateForces(frame.contacts);
    this.updatePatches(frame.polygons);
  }

  // The length grows with the square root of the force: resting bodies and impacts in one picture.
  updateForces({count, numbers}) {
    this.count = this.showForces ? count : 0;
    this.arrows.resize(this.count);
    const thick = 0.035 * this.unit * Math.sqrt(this.scale);
    for (let i = 0; i < this.count; ++i) {
      from.fromArray(numbers, CONTACT * i);
      force.fromArray(numbers, CONTACT * i + 6);
      const strength = force.length() || 1e-12;
      size.length = this.unit * this.scale * Math.sqrt(strength / this.reference);
      size.head = Math.min(4.5 * thick, 0.5 * size.length);
      size.width = Math.min(thick, 0.2 * size.length);
      this.arrows.set(i, from, force.divideScalar(strength), size, this.camera.position);
    }
  }

  reserveCorners(count) {
    if (count <= this.corners) return;
    this.corners = Math.max(256, 2 * count);
    const geometry = this.patches.geometry;
    for (const name of ['position', 'color']) {
      geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * this.corners), 3).setUsage(DynamicDrawUsage));
    }
    geometry.setIndex(new BufferAttribute(new Uint32Array(3 * this.corners), 1).setUsage(DynamicDrawUsage));
  }

  updatePatches({sizes, pressures, corners}) {
    this.polygons = this.showPatches ? sizes.length : 0;
    this.patches.visible = this.polygons > 0;
    if (!this.polygons) return;
    this.reserveCorners(corners.length / 3);
    const {position, color} = this.patches.geometry.attributes, index = this.patches.geometry.index;
    position.array.set(corners);
    for (const p of pressures) this.highest = Math.max(this.highest, p);
    let corner = 0, triangles = 0;
    for (let i = 0; i < sizes.length; ++i) {
      colorOf(pressures[i] / this.highest, shade);
      for (let k = 0; k < sizes[i]; ++k) {
        shade.toArray(color.array, 3 * (corner + k));
        if (k + 2 >= sizes[i]) continue;
        for (const c of FAN) index.array[3 * triangles + c] = corner + (c && k + c);
        ++triangles;
      }
      corner += sizes[i];
    }
    this.patches.geometry.setDrawRange(0, 3 * triangles);
    for (const attribute of [position, color, index]) attribute.needsUpdate = true;
  }
}
