// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Camera, light and renderer. World z is up.
import {AmbientLight, BufferAttribute, BufferGeometry, Color, DirectionalLight, HemisphereLight, Line3, LineBasicMaterial, LineSegments,
        Matrix4, PCFShadowMap, PerspectiveCamera, Plane, Scene, Sphere, Vector3, WebGLRenderer} from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';

const SUN = new Vector3(0.45, -0.6, 1.1).normalize();
const SQUARES = 20;  // of the grid, each way from its middle

// Does the processor draw, for want of a graphics card?
export function drawsInSoftware() {
  const gl = document.createElement('canvas').getContext('webgl2');
  const name = gl?.getExtension('WEBGL_debug_renderer_info');
  const software = Boolean(name) && /swiftshader|llvmpipe|softpipe|software|basic render/i.test(gl.getParameter(name.UNMASKED_RENDERER_WEBGL));
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return software;
}

// Squares one wide around the origin. Where the processor draws, a line that reaches behind the camera is left out whole:
// they are cut off before it.
class Grid extends LineSegments {
  constructor() {
    super(new BufferGeometry(), new LineBasicMaterial());
    this.lines = [];
    for (let i = -SQUARES; i <= SQUARES; ++i) {
      this.lines.push(new Line3(new Vector3(i, -SQUARES, 0), new Vector3(i, SQUARES, 0)),
                      new Line3(new Vector3(-SQUARES, i, 0), new Vector3(SQUARES, i, 0)));
    }
    this.geometry.setAttribute('position', new BufferAttribute(new Float32Array(6 * this.lines.length), 3));
    this.frustumCulled = false;
  }

  cut(camera) {
    const way = camera.getWorldDirection(new Vector3()), near = camera.position.clone().addScaledVector(way, camera.near);
    this.updateMatrixWorld();
    const plane = new Plane().setFromNormalAndCoplanarPoint(way, near).applyMatrix4(new Matrix4().copy(this.matrixWorld).invert());
    const {position} = this.geometry.attributes, at = new Vector3();
    this.lines.forEach((line, i) => {
      const crosses = plane.intersectLine(line, at);
      [line.start, line.end].forEach((end, k) => {
        (crosses && plane.distanceToPoint(end) < 0 ? at : end).toArray(position.array, 6 * i + 3 * k);
      });
    });
    position.needsUpdate = true;
  }
}

export class Stage {
  // smooth: edges are; cannot be changed later.
  constructor(canvas, smooth = true) {
    this.canvas = canvas;
    this.smooth = smooth;
    this.renderer = new WebGLRenderer({canvas, antialias: smooth, alpha: true});
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(40, 1, 0.01, 1000);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.addLights();
    this.grid = new Grid();
    this.scene.add(this.grid);
    this.pixels = 1;  // each way, for one of the screen
    this.radius = 1;
    this.lowest = Infinity;
    this.home = null;
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  addLights() {
    this.ambient = new AmbientLight('#ffffff', 0.55);
    this.sky = new HemisphereLight('#ffffff', '#8f9aa8', 1.1);
    this.sky.position.set(0, 0, 1);
    this.sun = new DirectionalLight('#fff6e8', 2.1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.normalBias = 0.02;
    this.scene.add(this.sky, this.sun, this.sun.target, this.ambient);
    // The same for plain drawing.
    this.light = {sunWay: {value: SUN}, sun: {value: new Color()}, sky: {value: new Color()}, ground: {value: new Color()}};
    this.updateLight();
  }

  updateLight() {
    const {sun, sky, ground} = this.light, part = (light, color = light.color) => color.clone().multiplyScalar(light.intensity / Math.PI);
    const all = part(this.ambient);
    sun.value.copy(part(this.sun));
    sky.value.copy(part(this.sky)).add(all);
    ground.value.copy(part(this.sky, this.sky.groundColor)).add(all);
  }

  add(object) { this.scene.add(object); }

  remove(object) { this.scene.remove(object); }

  resize() {
    const {clientWidth: width, clientHeight: height} = this.canvas.parentElement;
    if (!width || !height) return;
    this.height = height;
    this.renderer.setPixelRatio(this.pixels < 1 ? this.pixels : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // Looks at the box from the side; angles in degrees.
  frame(box, {azimuth = -58, elevation = 24, zoom = 1} = {}) {
    const sphere = box.getBoundingSphere(new Sphere());
    this.radius = Math.max(sphere.radius, 1e-3);
    this.center = sphere.center;
    this.square = 10 ** Math.round(Math.log10(this.radius));
    const line = 10 ** Math.floor(Math.log10(this.radius)), snap = (x) => line * Math.round(x / line);
    this.grid.scale.setScalar(line);
    this.grid.position.set(snap(sphere.center.x), snap(sphere.center.y), this.grid.position.z);
    const a = (azimuth * Math.PI) / 180, e = (elevation * Math.PI) / 180;
    const distance = (1.12 * this.radius) / Math.sin((this.camera.fov * Math.PI) / 360) / zoom;
    const away = new Vector3(Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e));
    this.home = {target: sphere.center.clone(), position: sphere.center.clone().addScaledVector(away, distance)};
    this.camera.near = this.radius / 200;
    this.camera.far = 400 * this.radius;
    this.camera.updateProjectionMatrix();
    this.controls.minDistance = 2 * this.camera.near;
    this.controls.maxDistance = 0.5 * this.camera.far;
    this.goHome();
    const reach = 2.2 * this.radius;
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.1 * this.radius;
    camera.far = 12 * this.radius;
    camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.radius;
    this.sun.target.position.copy(sphere.center);
    this.sun.position.copy(sphere.center).addScaledVector(SUN, 6 * this.radius);
  }

  goHome() {
    if (!this.home) return;
    this.controls.target.copy(this.home.target);
    this.camera.position.copy(this.home.position);
    this.controls.update();
  }

  // From the same side, near enough to see something of that size.
  lookAt(point, size) {
    const away = this.camera.position.clone().sub(this.controls.target).clampLength(0, Math.max(10 * size, 0.1 * this.radius));
    this.controls.target.copy(point);
    this.camera.position.copy(point).add(away);
    this.controls.update();
  }

  move(by) {
    this.controls.target.add(by);
    this.camera.position.add(by);
    this.controls.update();
  }

  // Pixels of a metre where the camera looks.
  get pixelsPerMetre() {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return this.height / (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360));
  }

  // The grid lies below all that was seen.
  lowerGrid(z) {
    if (!(z < this.lowest)) return;
    this.lowest = this.grid.position.z = z;
  }

  setTheme(dark) {
    this.sky.intensity = dark ? 0.75 : 1.1;
    this.updateLight();
    this.grid.material.color.set(dark ? '#4a5362' : '#a3afbf');
  }

  // A level of quality.js.
  setLevel({shadows, pixels}) {
    this.sun.castShadow = shadows;
    this.pixels = pixels;
    this.resize();
  }

  render() {
    if (this.grid.visible) this.grid.cut(this.camera);
    this.renderer.render(this.scene, this.camera);
  }
}
