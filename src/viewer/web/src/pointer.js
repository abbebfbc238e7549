// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the pointer does besides turning the view: a click selects a body, shift or ctrl and a drag
// pulls one by a spring.
import {Matrix4, Plane, Raycaster, Vector2, Vector3} from 'three';

const CLICK = 4;     // pixels that a click may move
const OPAQUE = 0.5;  // less can be seen through

export class Pointer {
  constructor({stage, bodies, poses, onSelect, onGrab, onDrag, onRelease, mayGrab}) {
    Object.assign(this, {stage, bodies, poses, onSelect, onGrab, onDrag, onRelease, mayGrab});
    this.ray = new Raycaster();
    this.grabbed = null;
    this.pull = null;  // what the simulation calls it
    const canvas = stage.canvas;
    // Before the controls of the camera see it.
    canvas.addEventListener('pointerdown', (event) => this.down(event), {capture: true});
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerup', (event) => this.up(event));
    canvas.addEventListener('pointercancel', () => this.letGo());
  }

  aim(event) {
    const area = this.stage.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - area.left) / area.width) * 2 - 1,
                           1 - ((event.clientY - area.top) / area.height) * 2);
    this.ray.setFromCamera(at, this.stage.camera);
  }

  // {body, point} or nothing. What can be seen through is hit where nothing is behind it.
  pick(event) {
    this.aim(event);
    let best = null;
    for (const {mesh, entries} of this.bodies.batches) {
      for (const {instanceId, distance, point} of this.ray.intersectObject(mesh, false)) {
        const {geometry, alpha} = entries[instanceId], clear = alpha < OPAQUE;
        const better = !best || (clear === best.clear ? distance < best.distance : best.clear);
        if (better) best = {body: geometry.body, point, distance, clear};
      }
    }
    return best;
  }

  down(event) {
    this.start = [event.clientX, event.clientY];
    if (event.button !== 0 || !(event.shiftKey || event.ctrlKey || event.metaKey)) return;
    const hit = this.pick(event);
    if (!hit || hit.body < 0 || !this.mayGrab(hit.body)) return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    const inverse = new Matrix4().copy(this.poses.bodies[hit.body]).invert();
    const facing = this.stage.camera.getWorldDirection(new Vector3());
    this.grabbed = {body: hit.body, local: hit.point.clone().applyMatrix4(inverse), target: hit.point.clone(),
                    plane: new Plane().setFromNormalAndCoplanarPoint(facing, hit.point)};
    this.onSelect(hit.body);
    this.onGrab(hit.body, this.grabbed.local, this.grabbed.target);
  }

  move(event) {
    if (!this.grabbed) return;
    this.aim(event);
    if (!this.ray.ray.intersectPlane(this.grabbed.plane, this.grabbed.target)) return;
    this.onDrag(this.grabbed.target);
  }

  up(event) {
    if (this.grabbed) return this.letGo();
    if (event.button !== 0 || !this.start) return;
    if (Math.hypot(event.clientX - this.start[0], event.clientY - this.start[1]) > CLICK) return;
    this.onSelect(this.pick(event)?.body ?? -1);
  }

  // True: something was held.
  letGo() {
    if (!this.drop()) return false;
    this.onRelease();
    return true;
  }

  // The same when the simulation has let go already.
  drop() {
    const held = this.grabbed !== null;
    this.grabbed = this.pull = null;
    return held;
  }

  // What the simulation pulls may be another page's by now, or nothing.
  hear({pull}) {
    if (this.pull !== null && pull !== this.pull) this.drop();
  }
}
