// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Poses of bodies at the moment shown, blended between two frames.
import {Matrix4, Quaternion, Vector3} from 'three';
import {POSE} from './frames.js';

const p = new Vector3(), q = new Quaternion(), one = new Vector3(1, 1, 1);

export function toMatrix(numbers, at = 0, matrix = new Matrix4()) {
  p.set(numbers[at], numbers[at + 1], numbers[at + 2]);
  q.set(numbers[at + 4], numbers[at + 5], numbers[at + 6], numbers[at + 3]).normalize();
  return matrix.compose(p, q, one);
}

export class Poses {
  constructor(scene) {
    this.bodies = scene.bodies.map((body) => (body.slot < 0 ? toMatrix(body.pose) : new Matrix4()));
    this.slots = scene.bodies.map((body) => body.slot);
    this.blended = null;
  }

  // The moment the share s of the way from frame a to frame b.
  show(a, b, s) {
    const numbers = b && s > 0 ? this.blend(a.poses, b.poses, s) : a.poses;
    for (let i = 0; i < this.bodies.length; ++i) {
      if (this.slots[i] >= 0) toMatrix(numbers, POSE * this.slots[i], this.bodies[i]);
    }
  }

  blend(a, b, s) {
    if (!this.blended || this.blended.length !== a.length) this.blended = new Float32Array(a.length);
    const out = this.blended;
    for (let i = 0; i < a.length; i += POSE) {
      const near = a[i + 3] * b[i + 3] + a[i + 4] * b[i + 4] + a[i + 5] * b[i + 5] + a[i + 6] * b[i + 6] < 0 ? -1 : 1;
      for (let k = 0; k < POSE; ++k) {
        out[i + k] = a[i + k] + s * ((k < 3 ? 1 : near) * b[i + k] - a[i + k]);
      }
    }
    return out;
  }
}
