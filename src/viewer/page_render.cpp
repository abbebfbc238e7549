// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page: geometries on the graphics card, camera, shadows, one picture.
#include "viewer/page_source.h"

namespace cenic::detail {

const std::string_view kPageRender = R"js(
const canvas = document.getElementById('view');
const gl = canvas.getContext('webgl2', {antialias: true, alpha: true, preserveDrawingBuffer: true});
if (!gl) document.getElementById('title').textContent = 'This page needs WebGL 2.';

function makeProgram(vertex, fragment) {
  const program = gl.createProgram();
  for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  const at = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); ++i) {
    const name = gl.getActiveUniform(program, i).name;
    at[name] = gl.getUniformLocation(program, name);
  }
  return {program, at};
}
function upload(mesh) {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  [mesh.positions, mesh.normals].forEach((values, i) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
  });
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(mesh.indices), gl.STATIC_DRAW);
  return {vao, count: mesh.indices.length, radius: meshRadius(mesh)};
}

// Everything is drawn with z up, wherever the model's gravity points.
const up = norm(DATA.gravity) > 0 ? unit(scale(-1, DATA.gravity)) : [0, 0, 1];
const ROOT = {p: [0, 0, 0], q: quatBetween(up, [0, 0, 1])};
const solids = [], planes = [], meshes = new Map();
for (const g of DATA.geometries) {
  const item = {link: g.link, pose: {p: g.pose.slice(0, 3), q: g.pose.slice(3)}, color: g.color, size: g.size};
  item.pattern = {sphere: 1, ellipsoid: 1, box: 2}[g.kind] || 0;
  if (g.kind === 'half space' || g.kind === 'half_space') { planes.push(item); continue; }
  const source = g.same === undefined ? g : DATA.geometries[g.same];
  const key = source.hull || source.mesh ? source : g.kind + g.size;
  if (gl && !meshes.has(key)) meshes.set(key, upload(makeMesh(source)));
  item.mesh = meshes.get(key);
  solids.push(item);
}
// posesOfLinks: {p, q} of each moving link.
const poseOf = (item, links) => compose(item.link < 0 ? ROOT : compose(ROOT, links[item.link]), item.pose);

// The box around all that is ever seen, and a smaller one to look at: half way to where things mostly are.
function calcBounds(posesAt, frames) {
  const lows = [[], [], []], highs = [[], [], []], samples = 60;
  for (let k = 0; k < samples; ++k) {
    const links = posesAt(k / (samples - 1) * (frames - 1));
    for (const s of solids) {
      const p = poseOf(s, links).p, r = s.mesh.radius;
      for (let i = 0; i < 3; ++i) { lows[i].push(p[i] - r); highs[i].push(p[i] + r); }
    }
  }
  if (!solids.length) return {lo: [-1, -1, -1], hi: [1, 1, 1], radius: 2, center: [0, 0, 0], view: {lo: [-1, -1, -1], hi: [1, 1, 1]}};
  for (const list of [...lows, ...highs]) list.sort((a, b) => a - b);
  const at = (list, part) => list[Math.round(part * (list.length - 1))];
  const lo = lows.map((l) => l[0]), hi = highs.map((l) => at(l, 1));
  const view = {lo: lows.map((l, i) => 0.5 * (lo[i] + at(l, 0.02))), hi: highs.map((l, i) => 0.5 * (hi[i] + at(l, 0.98)))};
  return {lo, hi, view, center: scale(0.5, add(lo, hi)), radius: 0.5 * norm(sub(hi, lo))};
}

// A half space becomes the part of its plane that others leave free: walls end at the floor and at each other.
function layPlane(plane, links, bounds) {
  const X = poseOf(plane, links), n = rotate(X.q, [0, 0, 1]), R = bounds.radius;
  const ground = n[2] > 0.5, half = ground ? 6 * R : 1.6 * R;
  const c = sub(bounds.center, scale(dot(n, sub(bounds.center, X.p)), n));
  const a = rotate(X.q, [1, 0, 0]), b = rotate(X.q, [0, 1, 0]);
  let points = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([s, t]) => add(c, add(scale(s * half, a), scale(t * half, b))));
  let clipped = false;
  for (const other of planes) {
    const Y = poseOf(other, links), m = rotate(Y.q, [0, 0, 1]);
    if (other === plane || Math.abs(dot(m, n)) > 0.999) continue;
    const rest = clipPolygon(points, m, dot(m, Y.p));
    clipped = clipped || rest.length !== points.length || rest.some((p, i) => norm(sub(p, points[i])) > 1e-9);
    points = rest;
  }
  if (!ground) points = clipPolygon(points, [0, 0, -1], -bounds.view.hi[2]);
  if (points.length < 3) return null;
  const inPlane = points.map((p) => { const d = sub(p, X.p); return [dot(d, a), dot(d, b), 0]; });
  return {mesh: upload(makeFaces([inPlane])), pose: X, n, ground, fade: ground && !clipped ? half : 0, center: c,
    loop: points.length, color: plane.color};
}

const SHADOW_SIZE = 2048;
function makeShadowMap() {
  const texture = gl.createTexture(), buffer = gl.createFramebuffer();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
  gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  gl.drawBuffers([gl.NONE]);
  return {texture, buffer};
}

class Renderer {
  constructor(bounds, links) {
    this.bounds = bounds;
    this.lit = makeProgram(VERTEX, FRAGMENT);
    this.depth = makeProgram(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.line = makeProgram(SHADOW_VERTEX, LINE_FRAGMENT);
    this.shadows = makeShadowMap();
    this.planes = planes.filter((p) => p.link < 0).map((p) => layPlane(p, links, bounds)).filter((p) => p);
    this.sun = unit([0.38, -0.42, 1]);
    this.grid = Math.pow(10, Math.floor(Math.log10(bounds.radius))) / 2;
    this.resetCamera();
  }
  resetCamera() {
    const {lo, hi} = this.bounds.view;
    this.camera = {azimuth: -1.13, elevation: 0.36, zoom: 1, target: scale(0.5, add(lo, hi))};
    this.fitCamera();
  }
  directions() {
    const {azimuth: a, elevation: e} = this.camera;
    const back = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)];
    const right = [-Math.sin(a), Math.cos(a), 0];
    return {back, right, above: cross(back, right)};
  }
  // The distance at which the box to look at fits between the top and the controls.
  fitCamera() {
    const w = canvas.width || 1, h = canvas.height || 1, {back, right, above} = this.directions(), {lo, hi} = this.bounds.view;
    this.tanHalf = 0.3;
    this.deck = Math.min(0.5, (document.getElementById('deck').offsetHeight + 24) * devicePixelRatio / h);
    const tanX = 0.95 * this.tanHalf * w / h, tanY = 0.93 * this.tanHalf * (1 - this.deck), middle = scale(0.5, add(lo, hi));
    this.distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const p = sub([0, 1, 2].map((i) => (corner >> i & 1 ? hi : lo)[i]), middle);
      const need = Math.max(Math.abs(dot(p, right)) / tanX, Math.abs(dot(p, above)) / tanY);
      this.distance = Math.max(this.distance, dot(p, back) + need);
    }
  }
  calcView() {
    const c = this.camera, distance = this.distance / c.zoom, aspect = canvas.width / canvas.height;
    const eye = add(c.target, scale(distance, this.directions().back));
    const projection = perspective(this.tanHalf, aspect, 0.02 * distance, distance + 20 * this.bounds.radius, this.deck);
    return {eye, distance, tanHalf: this.tanHalf, matrix: matTimes(projection, lookAt(eye, c.target, [0, 0, 1]))};
  }
  use({program, at}, uniforms) {
    gl.useProgram(program);
    for (const [name, value] of Object.entries(uniforms)) {
      if (!(name in at)) continue;
      if (typeof value === 'number') gl.uniform1f(at[name], value);
      else if (value.length === 3) gl.uniform3fv(at[name], value);
      else if (value.length === 4) gl.uniform4fv(at[name], value);
      else gl.uniformMatrix4fv(at[name], false, value);
    }
  }
  drawMesh(program, mesh, uniforms, pattern) {
    this.use(program, uniforms);
    if (program.at.pattern) gl.uniform1i(program.at.pattern, pattern);
    gl.bindVertexArray(mesh.vao);
    gl.drawElements(gl.TRIANGLES, mesh.count, gl.UNSIGNED_INT, 0);
  }
  drawShadows(models) {
    const R = 1.05 * this.bounds.radius, center = this.bounds.center;
    const matrix = matTimes(orthographic(R, 0.1 * R, 8 * R), lookAt(add(center, scale(3 * R, this.sun)), center, [0, 1, 0]));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadows.buffer);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    solids.forEach((s, i) => { if (s.color[3] > 0.5) this.drawMesh(this.depth, s.mesh, {model: models[i], viewProjection: matrix}); });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return matrix;
  }
  drawPlane(plane, view) {
    const behind = dot(plane.n, sub(view.eye, plane.pose.p)) < 0;
    const model = poseMatrix(plane.pose);
    if (!behind) this.drawMesh(this.lit, plane.mesh, {model, color: plane.color, fade: plane.fade, center: plane.center}, plane.ground ? 3 : 4);
    if (plane.fade > 0) return;
    this.use(this.line, {model, viewProjection: view.matrix, color: this.dark ? [1, 1, 1, 0.22] : [0.1, 0.15, 0.25, 0.25]});
    gl.bindVertexArray(plane.mesh.vao);
    gl.drawArrays(gl.LINE_LOOP, 0, plane.loop);
  }
  draw(links, dark) {
    this.dark = dark;
    const models = solids.map((s) => poseMatrix(poseOf(s, links)));
    gl.enable(gl.DEPTH_TEST);
    gl.disable(gl.BLEND);
    const lightMatrix = this.drawShadows(models), view = this.calcView();
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.use(this.lit, {viewProjection: view.matrix, lightMatrix, eye: view.eye, sun: this.sun, grid: this.grid, dark: dark ? 1 : 0});
    gl.bindTexture(gl.TEXTURE_2D, this.shadows.texture);
    const drawSolid = (i) => this.drawMesh(this.lit, solids[i].mesh,
      {model: models[i], color: solids[i].color, size: solids[i].size}, solids[i].pattern);
    const order = solids.map((s, i) => i);
    this.planes.filter((p) => p.ground).forEach((p) => this.drawPlane(p, view));
    order.filter((i) => solids[i].color[3] >= 1).forEach(drawSolid);
    gl.depthMask(false);
    const depth = (i) => norm(sub(models[i].slice(12, 15), view.eye));
    order.filter((i) => solids[i].color[3] < 1).sort((i, j) => depth(j) - depth(i)).forEach(drawSolid);
    this.planes.filter((p) => !p.ground).forEach((p) => this.drawPlane(p, view));
    gl.depthMask(true);
    this.view = view;
  }
}
)js";

}  // namespace cenic::detail
