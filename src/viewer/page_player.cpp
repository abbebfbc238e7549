// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page: poses at any time, the clock, mouse and keys, and the plot of the step size.
#include "viewer/page_source.h"

namespace cenic::detail {

const std::string_view kPagePlayer = R"js(
const $ = (id) => document.getElementById(id);
const decode = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
const poses = new Int16Array(decode(DATA.poses)), points = new Float32Array(decode(DATA.steps));
const LENGTH = (DATA.frames - 1) / DATA.fps, SPAN = Math.max(DATA.end - DATA.start, LENGTH, 1e-9);

function poseOfFrame(frame, link) {
  const at = 7 * (frame * DATA.links + link), q = [];
  const p = [0, 1, 2].map((i) => {
    const lo = DATA.boxes[6 * link + 2 * i], hi = DATA.boxes[6 * link + 2 * i + 1];
    return lo + (poses[at + i] + 32767) / 65534 * (hi - lo);
  });
  for (let i = 3; i < 7; ++i) q.push(poses[at + i] / 32767);
  return {p, q};
}
function mix(A, B, s) {
  const sign = A.q.reduce((sum, x, i) => sum + x * B.q[i], 0) < 0 ? -1 : 1;
  const q = A.q.map((x, i) => (1 - s) * x + s * sign * B.q[i]), n = Math.hypot(...q) || 1;
  return {p: add(scale(1 - s, A.p), scale(s, B.p)), q: q.map((x) => x / n)};
}
function posesAt(frame) {
  const f = Math.min(Math.max(frame, 0), DATA.frames - 1), i = Math.floor(f), j = Math.min(i + 1, DATA.frames - 1);
  return Array.from({length: DATA.links}, (_, link) => mix(poseOfFrame(i, link), poseOfFrame(j, link), f - i));
}

// #t=2.5 starts paused at a time; az, el (degrees), zoom and theme=light|dark set the rest.
const hash = new URLSearchParams(location.hash.slice(1));
const scheme = matchMedia('(prefers-color-scheme: dark)');
const isDark = () => hash.has('theme') ? hash.get('theme') === 'dark' : scheme.matches;
const SPEEDS = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const player = {time: Number(hash.get('t')) || 0, playing: !hash.has('t'), speed: 1, dirty: true, last: 0};

// The index of the group of steps a time falls in (points: start, smallest, largest size, rejections).
function findStep(t) {
  let lo = 0, hi = points.length / 4 - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (points[4 * mid] <= t) lo = mid; else hi = mid - 1;
  }
  return lo;
}
function describeTime(h) {
  const [value, name] = h >= 0.1 ? [h, 's'] : h >= 1e-4 ? [1e3 * h, 'ms'] : [1e6 * h, 'µs'];
  return `${Number(value.toPrecision(3))} ${name}`;
}

// The plot: a line of sizes on a logarithmic scale, red marks where steps were rejected, the present time.
const MARGIN = {left: 58, right: 8, top: 8, bottom: 6};
const plotX = (width, t) => MARGIN.left + (t - DATA.start) / SPAN * (width - MARGIN.left - MARGIN.right);
function drawSteps(c, width, height, ink) {
  let lo = Infinity, hi = 0;
  for (let i = 0; i < points.length; i += 4) { lo = Math.min(lo, points[i + 1]); hi = Math.max(hi, points[i + 2]); }
  if (!(hi > 0)) return;
  const a = Math.floor(Math.log10(lo * 1.001)), b = Math.max(a + 1, Math.ceil(Math.log10(hi * 0.999)));
  const y = (h) => MARGIN.top + (b - Math.log10(h)) / (b - a) * (height - MARGIN.top - MARGIN.bottom);
  c.font = '11px system-ui, sans-serif';
  c.textAlign = 'right';
  c.textBaseline = 'middle';
  for (let k = a; k <= b; ++k) {
    const every = Math.ceil((b - a) / 4);
    c.fillStyle = ink('--edge');
    c.fillRect(MARGIN.left, y(10 ** k), width - MARGIN.left - MARGIN.right, 1);
    c.fillStyle = ink('--dim');
    if ((k - a) % every === 0) c.fillText(describeTime(10 ** k), MARGIN.left - 8, y(10 ** k));
  }
  c.strokeStyle = ink('--line');
  c.lineWidth = 1.4;
  c.lineJoin = 'round';
  c.beginPath();
  for (let i = 0; i < points.length; i += 4) {
    const x = plotX(width, points[i]), next = i + 4 < points.length ? points[i + 4] : DATA.end;
    if (points[i + 1] < points[i + 2]) c.lineTo(x, y(points[i + 2]));
    c.lineTo(x, y(points[i + 1]));
    c.lineTo(plotX(width, next), y(points[i + 1]));
  }
  c.stroke();
  c.fillStyle = ink('--reject');
  for (let i = 0; i < points.length; i += 4) {
    if (points[i + 3] > 0) { c.beginPath(); c.arc(plotX(width, points[i]), y(points[i + 1]), 1.9, 0, 7); c.fill(); }
  }
}
const plotBack = document.createElement('canvas');
function sizePlot() {
  const plot = $('plot'), r = devicePixelRatio, style = getComputedStyle(document.documentElement);
  plot.width = plotBack.width = plot.clientWidth * r;
  plot.height = plotBack.height = plot.clientHeight * r;
  const c = plotBack.getContext('2d');
  c.scale(r, r);
  drawSteps(c, plot.clientWidth, plot.clientHeight, (name) => style.getPropertyValue(name).trim());
}
function drawPlot() {
  const plot = $('plot'), c = plot.getContext('2d'), r = devicePixelRatio;
  c.clearRect(0, 0, plot.width, plot.height);
  c.drawImage(plotBack, 0, 0);
  c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--ink').trim();
  c.fillRect(r * plotX(plot.clientWidth, DATA.start + player.time) - 0.75 * r, 0, 1.5 * r, plot.height);
}

function applyTheme() {
  if (!hash.has('theme')) return;
  const sheet = document.styleSheets[0].cssRules, root = document.documentElement.style;
  const from = isDark() ? [...sheet].find((rule) => rule.media && rule.cssRules[0].selectorText === ':root').cssRules[0] : sheet[0];
  for (const name of from.style) root.setProperty(name, from.style.getPropertyValue(name));
  root.colorScheme = hash.get('theme');
}
function resize() {
  canvas.width = canvas.clientWidth * devicePixelRatio;
  canvas.height = canvas.clientHeight * devicePixelRatio;
  sizePlot();
  renderer.fitCamera();
  player.dirty = true;
}
function setTime(t) { player.time = Math.min(Math.max(t, 0), LENGTH); player.dirty = true; }
function setPlaying(on) {
  if (on && player.time >= LENGTH) player.time = 0;
  player.playing = on;
  player.dirty = true;
}
function setSpeed(s) { player.speed = s; $('speed').value = s; }
function stepSpeed(by) { setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(player.speed) + by, 0), SPEEDS.length - 1)]); }

function showStatus() {
  const t = DATA.start + player.time, i = 4 * findStep(t), step = points.length ? describeTime(points[i + 1]) : 'none';
  $('play').textContent = player.playing ? 'Pause' : 'Play';
  $('scrub').value = LENGTH > 0 ? player.time / LENGTH : 0;
  $('clock').textContent = `${t.toFixed(3)} / ${(DATA.start + LENGTH).toFixed(2)} s`;
  $('status').textContent = `step ${step} · ${DATA.num_steps} steps in all`;
}
function tick(now) {
  const passed = Math.min(0.1, (now - player.last) / 1000);
  player.last = now;
  if (player.playing) {
    setTime(player.time + passed * player.speed);
    if (player.time >= LENGTH) player.playing = false;
  }
  if (player.dirty) {
    player.dirty = false;
    renderer.draw(posesAt(player.time * DATA.fps), isDark());
    drawPlot();
    showStatus();
  }
  requestAnimationFrame(tick);
}

function listenMouse() {
  const held = new Map();
  canvas.addEventListener('contextmenu', (e) => e.preventDefault());
  canvas.addEventListener('pointerdown', (e) => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, e.button); });
  const drop = (e) => held.delete(e.pointerId);
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener('pointermove', (e) => {
    if (!held.has(e.pointerId)) return;
    const camera = renderer.camera, move = held.get(e.pointerId) !== 0 || e.shiftKey || held.size > 1;
    if (move) {
      const perPixel = 2 * renderer.view.distance * renderer.view.tanHalf / canvas.clientHeight;
      const {right, above} = renderer.directions();
      camera.target = add(camera.target, add(scale(-e.movementX * perPixel, right), scale(e.movementY * perPixel, above)));
    } else {
      camera.azimuth -= 0.006 * e.movementX;
      camera.elevation = Math.min(Math.max(camera.elevation + 0.006 * e.movementY, -1.5), 1.5);
    }
    player.dirty = true;
  });
  canvas.addEventListener('wheel', (e) => {
    e.preventDefault();
    renderer.camera.zoom = Math.min(Math.max(renderer.camera.zoom * Math.exp(-0.0012 * e.deltaY), 0.1), 40);
    player.dirty = true;
  }, {passive: false});
  const seek = (e) => setTime((e.offsetX - MARGIN.left) / ($('plot').clientWidth - MARGIN.left - MARGIN.right) * SPAN);
  $('plot').addEventListener('pointerdown', (e) => { $('plot').setPointerCapture(e.pointerId); seek(e); });
  $('plot').addEventListener('pointermove', (e) => { if (e.buttons) seek(e); });
}
function listenKeys() {
  const frame = 1 / DATA.fps;
  const keys = {
    ' ': () => setPlaying(!player.playing), Home: () => setTime(0), End: () => setTime(LENGTH),
    ArrowLeft: (e) => { player.playing = false; setTime(player.time - (e.shiftKey ? 1 : frame)); },
    ArrowRight: (e) => { player.playing = false; setTime(player.time + (e.shiftKey ? 1 : frame)); },
    ArrowUp: () => stepSpeed(1), ArrowDown: () => stepSpeed(-1),
    r: () => { renderer.resetCamera(); player.dirty = true; },
  };
  addEventListener('keydown', (e) => {
    const action = keys[e.key] || keys[e.key.toLowerCase()];
    if (!action || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    action(e);
  });
}
function listenControls() {
  for (const s of SPEEDS) $('speed').add(new Option(`${s}×`, s));
  setSpeed(1);
  $('speed').addEventListener('change', (e) => { setSpeed(Number(e.target.value)); e.target.blur(); });
  $('play').addEventListener('click', (e) => { setPlaying(!player.playing); e.target.blur(); });
  $('scrub').addEventListener('input', (e) => setTime(e.target.value * LENGTH));
  addEventListener('resize', resize);
  scheme.addEventListener('change', resize);
}

$('title').textContent = DATA.title;
const renderer = new Renderer(calcBounds(posesAt, DATA.frames), posesAt(0));
const radians = (name, otherwise) => hash.has(name) ? Number(hash.get(name)) * Math.PI / 180 : otherwise;
renderer.camera.azimuth = radians('az', renderer.camera.azimuth);
renderer.camera.elevation = radians('el', renderer.camera.elevation);
renderer.camera.zoom = Number(hash.get('zoom')) || 1;
listenMouse();
listenKeys();
listenControls();
applyTheme();
setTime(player.time);
resize();
requestAnimationFrame((now) => { player.last = now; tick(now); });
)js";

}  // namespace cenic::detail
