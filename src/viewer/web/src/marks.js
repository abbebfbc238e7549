// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The edges of the selected body, the frames of bodies, and the spring between a body and the pointer.
import {BufferAttribute, BufferGeometry, EdgesGeometry, Group, Line, LineBasicMaterial, LineSegments, Matrix4,
        Vector3} from 'three';

const MANY_TRIANGLES = 30000;  // whose edges are not looked for
const AXES = ['#e5484d', '#30a46c', '#3b82f6'];

export class Marks {
  constructor(scene, stage, bodies) {
    this.scene = scene;
    this.stage = stage;
    this.bodies = bodies;
    this.edges = new Group();
    this.edgeMaterial = new LineBasicMaterial({color: '#2563eb', depthTest: false, transparent: true, opacity: 0.9});
    this.selected = -1;
    this.showFrames = false;
    this.frames = AXES.map((color) => this.makeLines(color, scene.bodies.length));
    this.spring = new Line(new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3)),
                           new LineBasicMaterial({color: '#e5484d', depthTest: false, transparent: true}));
    this.spring.visible = false;
    this.spring.frustumCulled = false;
    this.spring.renderOrder = 13;
    stage.add(this.edges);
    stage.add(this.spring);
    this.matrix = new Matrix4();
  }

  makeLines(color, count) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * count), 3));
    const lines = new LineSegments(geometry, new LineBasicMaterial({color, depthTest: false, transparent: true}));
    lines.frustumCulled = false;
    lines.renderOrder = 12;
    lines.visible = false;
    this.stage.add(lines);
    return lines;
  }

  select(body) {
    this.selected = body;
    for (const line of [...this.edges.children]) {
      this.edges.remove(line);
      line.geometry.dispose();
    }
    if (body < 0) return;
    for (const {mesh, entries} of this.bodies.batches) {
      const count = (mesh.geometry.index ?? mesh.geometry.attributes.position).count / 3;
      if (count > MANY_TRIANGLES) continue;
      for (const entry of entries) {
        if (entry.geometry.body !== body) continue;
        const line = new LineSegments(new EdgesGeometry(mesh.geometry, 25), this.edgeMaterial);
        line.matrixAutoUpdate = false;
        line.frustumCulled = false;
        line.renderOrder = 12;
        line.userData.entry = entry;
        this.edges.add(line);
      }
    }
  }

  setTheme(dark) { this.edgeMaterial.color.set(dark ? '#8ec0ff' : '#1d4ed8'); }

  setSpring(from, to) {
    this.spring.visible = Boolean(from);
    if (!from) return;
    const position = this.spring.geometry.attributes.position;
    from.toArray(position.array, 0);
    to.toArray(position.array, 3);
    position.needsUpdate = true;
  }

  update(poses) {
    for (const line of this.edges.children) {
      this.bodies.worldMatrix(line.userData.entry, poses, line.matrix);
      line.visible = this.bodies.isShown(line.userData.entry);
    }
    this.frames.forEach((lines, axis) => {
      lines.visible = this.showFrames;
      if (this.showFrames) this.updateFrames(lines, axis, poses);
    });
  }

  updateFrames(lines, axis, poses) {
    const position = lines.geometry.attributes.position, from = new Vector3(), along = new Vector3();
    const length = 0.12 * this.stage.radius;
    poses.bodies.forEach((matrix, i) => {
      from.setFromMatrixPosition(matrix).toArray(position.array, 6 * i);
      along.setFromMatrixColumn(matrix, axis);
      from.addScaledVector(along, length).toArray(position.array, 6 * i + 3);
    });
    position.needsUpdate = true;
  }
}
