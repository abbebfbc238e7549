// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Many arrows of one colour in one mesh: a flat shaft that faces the eye, and a head of four sides, which is also seen
// from the front and from behind.
import {BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshBasicMaterial, Vector3} from 'three';

const CORNERS = 9, TRIANGLES = [0, 1, 2, 2, 1, 3, 4, 6, 8, 6, 5, 8, 5, 7, 8, 7, 4, 8];
// Scratch, so that pictures leave no garbage behind.
const side = new Vector3(), other = new Vector3(), neck = new Vector3();

export class Arrows {
  constructor(options) {
    this.material = new MeshBasicMaterial({...options, side: DoubleSide, forceSinglePass: true});
    this.mesh = new Mesh(new BufferGeometry(), this.material);
    this.mesh.frustumCulled = false;
    this.capacity = 0;
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
