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
    this.body = scene.geometries.map((g) => g.body);
    this.moves = scene.geometries.map((g) => g.body >= 0 && scene.bodies[g.body].slot >= 0);
    this.reference = 1;  // N: a large force of those that were seen
    this.fit(1, 1);
    this.scale = 1;  // as the user likes it
    this.showForces = this.showPatches = true;
    this.count = 0;     // arrows drawn
    this.polygons = 0;  // polygons drawn
    this.highest = 0;   // pressure of the history, Pa
    this.group = new Group();
    this.group.renderOrder = 10;
    stage.add(this.group);
    this.camera = stage.camera;
    this.arrows = new Arrows(0.92);
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

  // unit: of the reference force, m; longest: any arrow.
  fit(unit, longest) { Object.assign(this, {unit, longest}); }

  setTheme(dark) { this.arrows.setColor(dark ? '#ff6fdc' : '#c2189b', dark ? '#2b0a24' : '#4a0339'); }

  update(frame, {largeForce, highestPressure}, selected) {
    this.reference = largeForce || 1;
    this.highest = highestPressure;
    this.updateForces(frame.contacts, selected);
    this.updatePatches(frame.polygons);
  }

  // The length grows with the square root of the force: resting bodies and impacts in one picture.
  lengthOf(strength) { return Math.min(this.scale * this.unit * Math.sqrt(strength / this.reference), this.longest); }

  // A round force and the pixels of its arrow, for the legend.
  example(pixelsPerMetre) {
    let force = 10 ** Math.round(Math.log10(this.reference));
    const pixels = () => this.lengthOf(force) * pixelsPerMetre;
    while (pixels() > 160 && force > 1e-9) force /= 10;
    while (pixels() < 16 && force < 1e9) force *= 10;
    return {force, length: Math.min(pixels(), 160)};
  }

  // Forces are those on B. Shown are those on what is selected, or moves.
  pointsBack(a, b, selected) {
    if (selected >= 0 && this.body[a] === selected) return this.body[b] !== selected;
    return this.moves[a] && !this.moves[b];
  }

  updateForces({count, numbers, ids}, selected) {
    this.count = this.showForces ? count : 0;
    this.arrows.resize(this.count);
    const thick = 0.035 * this.unit * Math.sqrt(this.scale);
    for (let i = 0; i < this.count; ++i) {
      from.fromArray(numbers, CONTACT * i);
      force.fromArray(numbers, CONTACT * i + 6);
      const strength = force.length() || 1e-12;
      size.length = this.lengthOf(strength);
      size.head = Math.min(4.5 * thick, 0.5 * size.length);
      size.width = Math.min(thick, 0.2 * size.length);
      const back = this.pointsBack(ids[CONTACT * i + 10], ids[CONTACT * i + 11], selected);
      this.arrows.set(i, from, force.divideScalar(back ? -strength : strength), size, this.camera.position);
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
