// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Many arrows of one colour with a rim in one mesh: a flat shaft that faces the eye, and a head of four sides, which is
// also seen from the front and from behind. They are drawn over everything.
import {BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Mesh, ShaderMaterial, Vector3} from 'three';

const CORNERS = 9, TRIANGLES = [0, 1, 2, 2, 1, 3, 4, 6, 8, 6, 5, 8, 5, 7, 8, 7, 4, 8];
// How far to the side each corner is, and how wide the arrow is there: the rim is where the first is nearly the second.
const RIMS = [1, 1, -1, 1, 1, 1, -1, 1, 1, 1, -1, 1, 0, 1, 0, 1, 0, 0];
const VERTEX = `
  attribute vec2 rim;
  varying vec2 place;
  void main() {
    place = rim;
    gl_Position = projectionMatrix * (viewMatrix * vec4(position, 1.0));
  }`;
const FRAGMENT = `
  uniform vec3 color, edge;
  uniform float opacity;
  varying vec2 place;
  void main() {
    gl_FragColor = vec4(abs(place.x) > 0.62 * place.y ? edge : color, opacity);
    #include <colorspace_fragment>
  }`;
// Scratch, so that pictures leave no garbage behind.
const side = new Vector3(), other = new Vector3(), neck = new Vector3();

export class Arrows {
  constructor(opacity) {
    this.material = new ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, side: DoubleSide, forceSinglePass: true,
      depthTest: false, depthWrite: false, transparent: true,
      uniforms: {color: {value: new Color()}, edge: {value: new Color()}, opacity: {value: opacity}},
    });
    this.mesh = new Mesh(new BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.capacity = 0;
  }

  setColor(color, edge) {
    const {uniforms} = this.material;
    uniforms.color.value.set(color), uniforms.edge.value.set(edge);
  }

  // Makes room for `count` arrows, which are then to be set.
  resize(count) {
    this.mesh.visible = count > 0;
    if (count > this.capacity) this.reserve(Math.max(64, 2 * count));
    this.mesh.geometry.setDrawRange(0, count * TRIANGLES.length);
    const {position} = this.mesh.geometry.attributes;
    if (!count) return;
    position.clearUpdateRanges();
    position.addUpdateRange(0, 3 * CORNERS * count);
    position.needsUpdate = true;
  }

  reserve(capacity) {
    this.capacity = capacity;
    this.mesh.geometry.dispose();
    const geometry = (this.mesh.geometry = new BufferGeometry());
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * CORNERS * capacity), 3).setUsage(DynamicDrawUsage));
    const rims = Float32Array.from({length: 2 * CORNERS * capacity}, (_, i) => RIMS[i % RIMS.length]);
    geometry.setAttribute('rim', new BufferAttribute(rims, 2));
    const index = new Uint32Array(TRIANGLES.length * capacity);
    for (let i = 0; i < index.length; ++i) index[i] = TRIANGLES[i % TRIANGLES.length] + CORNERS * Math.floor(i / TRIANGLES.length);
    geometry.setIndex(new BufferAttribute(index, 1));
  }

  // Arrow i: from a point along a unit vector, with a head of that length; `width` is half of the shaft's.
  set(i, from, way, {length, head, width}, eye) {
    side.subVectors(eye, from).cross(way);
    if (side.lengthSq() === 0) side.set(way.z, way.x, way.y).cross(way);
    side.normalize();
    neck.copy(from).addScaledVector(way, length - head);
    other.crossVectors(way, side);
    const {array} = this.mesh.geometry.attributes.position;
    let at = 3 * CORNERS * i;
    const put = (p, d, s) => {
      array[at++] = p.x + s * d.x;
      array[at++] = p.y + s * d.y;
      array[at++] = p.z + s * d.z;
    };
    for (const base of [from, neck]) put(base, side, width), put(base, side, -width);
    for (const d of [side, other]) put(neck, d, 2.4 * width), put(neck, d, -2.4 * width);
    put(neck, way, head);
  }
}
