// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The outline of the selected body, the frames of bodies, and the spring between a body and the pointer.
import {BackSide, BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
        ShaderMaterial, Vector2, Vector3} from 'three';
import {Arrows} from './arrows.js';

const AXES = ['#e5484d', '#30a46c', '#3b82f6'];
const OUTLINE = 3;  // pixels

// The shape from behind, some pixels larger each way.
const SHELL = `
  uniform vec2 pixels;
  void main() {
    gl_Position = projectionMatrix * (viewMatrix * (modelMatrix * vec4(position, 1.0)));
    mat3 turn = mat3(modelMatrix);
    vec3 n = turn * (normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2])));
    vec2 way = (projectionMatrix * (viewMatrix * vec4(n, 0.0))).xy;
    gl_Position.xy += normalize(way + vec2(1e-9)) * pixels * gl_Position.w;
  }`;
const PLAIN = `
  uniform vec3 color;
  void main() {
    gl_FragColor = vec4(color, 1.0);
    #include <colorspace_fragment>
  }`;

export class Marks {
  constructor(scene, stage, bodies) {
    this.scene = scene;
    this.stage = stage;
    this.bodies = bodies;
    this.outline = new Group();
    const color = new Color();
    this.shell = new ShaderMaterial({vertexShader: SHELL, fragmentShader: PLAIN, side: BackSide,
                                     uniforms: {color: {value: color}, pixels: {value: new Vector2()}}});
    // Seen through what is before it.
    this.veil = new MeshBasicMaterial({depthTest: false, depthWrite: false, transparent: true, opacity: 0.22});
    this.veil.color = color;
    this.selected = -1;
    this.showFrames = false;
    this.frames = AXES.map((axis) => this.makeLines(axis, scene.bodies.length));
    this.spring = new Arrows(1);
    this.spring.setColor('#ffd60a', '#1b2230');
    this.spring.mesh.renderOrder = 13;
    stage.add(this.outline);
    stage.add(this.spring.mesh);
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
    this.outline.clear();
    for (const {geometry, entries} of this.bodies.batches) {
      for (const entry of entries) {
        if (body < 0 || entry.geometry.body !== body) continue;
        for (const material of [this.shell, this.veil]) {
          const mesh = new Mesh(geometry, material);
          mesh.matrixAutoUpdate = false;
          mesh.frustumCulled = false;
          mesh.renderOrder = material === this.veil ? 8 : 0;
          mesh.userData.entry = entry;
          this.outline.add(mesh);
        }
      }
    }
  }

  setTheme(dark) {
    this.veil.color.set(dark ? '#ffffff' : '#1d4ed8');
  }

  // A spring from a point of a body to where the pointer holds it.
  setSpring(from, to, {camera, pixelsPerMetre}) {
    this.spring.resize(from ? 1 : 0);
    if (!from) return;
    const way = to.clone().sub(from), length = way.length(), width = 3 / pixelsPerMetre;
    this.spring.set(0, from, way.normalize(), {length, head: Math.min(7 * width, length), width}, camera.position);
  }

  update(poses) {
    const {width, height} = this.stage.canvas, pixels = 2 * OUTLINE * this.stage.renderer.getPixelRatio();
    this.shell.uniforms.pixels.value.set(pixels / width, pixels / height);
    for (const mesh of this.outline.children) {
      this.bodies.worldMatrix(mesh.userData.entry, poses, mesh.matrix);
      mesh.visible = this.bodies.isShown(mesh.userData.entry);
    }
    this.frames.forEach((lines, axis) => {
      lines.visible = this.showFrames;
      if (this.showFrames) this.updateFrames(lines, axis, poses);
    });
  }

  updateFrames(lines, axis, poses) {
    const position = lines.geometry.attributes.position, from = new Vector3(), along = new Vector3();
    const {radius} = this.stage;
    poses.bodies.forEach((matrix, i) => {
      const length = Math.min(Math.max(1.3 * (this.bodies.reach[i] || this.bodies.typical), 0.01 * radius), 0.3 * radius);
      from.setFromMatrixPosition(matrix).toArray(position.array, 6 * i);
      along.setFromMatrixColumn(matrix, axis);
      from.addScaledVector(along, length).toArray(position.array, 6 * i + 3);
    });
    position.needsUpdate = true;
  }
}
