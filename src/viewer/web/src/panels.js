// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The side panel: what is shown, the selected body, sliders of joints and inputs.
import {Quaternion, Vector3} from 'three';
import {CONTACT, POSE} from './frames.js';
import {formatNumber} from './plots.js';

const NOISE = 1e-6;   // of what a slider spans: rounding
const FULL_TURNS = 2;  // rad between two frames: perhaps it was more than half a turn

const $ = (id) => document.getElementById(id);

// As many digits as have room beside each other, down to millimetres.
function formatPlace(numbers) {
  const digits = numbers.some((x) => Math.abs(x) >= 1000) ? 1 : numbers.some((x) => Math.abs(x) >= 100) ? 2 : 3;
  return numbers.map((x) => x.toFixed(digits).replace(/^-(0\.0+)$/, '$1')).join(' ');
}

// A name that is cut in its middle where there is no room: names are often told apart by their ends.
function makeName(name) {
  const box = document.createElement('span'), [start, end] = [document.createElement('span'), document.createElement('span')];
  box.className = 'name';
  box.title = name;
  start.textContent = name.slice(0, -6);
  end.textContent = name.slice(-6);
  box.append(start, end);
  return box;
}

// A row with a name, a slider and a number. Where nothing bounds the value the slider spans as much around it.
function makeSlider(parent, name, {min, max, bounded, value, unit, onInput}) {
  const row = document.createElement('label');
  const output = document.createElement('output'), input = document.createElement('input');
  Object.assign(input, {type: 'range', min, max, step: 'any', value});
  let held = false;  // somebody moves it
  input.addEventListener('pointerdown', () => (held = true));
  for (const end of ['pointerup', 'pointercancel']) input.addEventListener(end, () => (held = false));
  const isNoise = (x) => Math.abs(x) < NOISE * (input.max - input.min);
  const show = (x) => (output.textContent = `${formatNumber(isNoise(x) ? 0 : x)} ${unit}`);
  input.addEventListener('input', () => {
    show(input.valueAsNumber);
    onInput(input.valueAsNumber);
  });
  row.append(makeName(name), input, output);
  parent.append(row);
  show(value);
  return {input, set(x) {
    if (held && !input.disabled) return;
    if (bounded) {
      if (x < +input.min) input.min = x;
      if (x > +input.max) input.max = x;
    } else if (x >= min && x <= max) {
      Object.assign(input, {min, max});
    } else if (x < +input.min || x > +input.max) {
      Object.assign(input, {min: x - (max - min) / 2, max: x + (max - min) / 2});
    }
    input.value = x;
    show(x);
  }};
}

export class Panels {
  constructor(app) {
    this.app = app;
    this.makeShow();
    this.makeBodies();
    this.joints = this.makeJoints();
    this.inputs = this.makeInputs();
    this.refreshedAt = 0;
  }

  makeShow() {
    const {bodies, contacts, marks, stage} = this.app;
    for (const button of $('shapes').children) {
      button.setAttribute('role', 'radio');
      button.addEventListener('click', () => this.setShapes(button.dataset.shapes));
    }
    this.setShapes(bodies.shapes);
    const bind = (id, set) => {
      const apply = () => (set($(id).checked), this.app.redraw());
      $(id).addEventListener('change', apply);
      apply();
    };
    bind('show-forces', (on) => (contacts.showForces = on));
    bind('show-patches', (on) => (contacts.showPatches = on));
    bind('show-frames', (on) => (marks.showFrames = on));
    const floor = bodies.floors.length > 0;
    bind('show-grid', (on) => {
      stage.grid.visible = on && !floor;
      bodies.showGrid(on);
    });
    $('force-scale').addEventListener('input', (event) => {
      contacts.scale = 10 ** event.target.valueAsNumber;
      this.app.redraw();
    });
  }

  // All bodies by name: also those that cannot be clicked.
  makeBodies() {
    const {scene} = this.app, list = $('bodies');
    list.append(new Option(scene.bodies.length ? 'none' : 'the scene has none', -1), ...scene.bodies.map(({name}, i) => new Option(name, i)));
    list.disabled = !scene.bodies.length;
    list.addEventListener('change', () => {
      this.app.select(+list.value);
      if (!list.matches(':focus-visible')) list.blur();
    });
  }

  setShapes(shapes) {
    this.app.bodies.shapes = shapes;
    for (const button of $('shapes').children) {
      button.setAttribute('aria-checked', String(button.dataset.shapes === shapes));
    }
    this.app.redraw();
  }

  nextShapes() {
    const all = ['visual', 'collision', 'both'];
    this.setShapes(all[(all.indexOf(this.app.bodies.shapes) + 1) % all.length]);
  }

  makeJoints() {
    const {scene, player} = this.app;
    $('joints-section').hidden = !scene.joints.length;
    $('joints-section').addEventListener('toggle', () => this.app.redraw());
    return scene.joints.map((joint, index) => {
      const reach = joint.unit === 'rad' ? Math.PI : this.app.stage.radius;
      return makeSlider($('joints'), joint.name, {
        min: joint.lower ?? -reach, max: joint.upper ?? reach, bounded: joint.lower !== null && joint.upper !== null,
        value: 0, unit: joint.unit,
        onInput: (value) => player.command({do: 'joint', index, value}),
      });
    });
  }

  // For each input a slider for each of its numbers.
  makeInputs() {
    const {scene, player} = this.app;
    $('inputs-section').hidden = !scene.inputs.length || !scene.interactive;
    return scene.inputs.map(({name, values, lower, upper}) => values.map((value, index) => {
      const reach = Math.max(1, 2 * Math.abs(value));
      return makeSlider($('inputs'), values.length > 1 ? `${name}[${index}]` : name, {
        min: lower ?? -reach, max: upper ?? reach, bounded: true, value, unit: '',
        onInput: (x) => player.command({do: 'input', name, index, value: x}),
      });
    }));
  }

  // As the simulation has them, whoever set them.
  showInputs() {
    this.app.source.status.inputs.forEach((values, i) => values.forEach((x, k) => this.inputs[i]?.[k]?.set(x)));
  }

  update(frame, force) {
    const time = performance.now();
    if (!force && time - this.refreshedAt < 100) return;
    this.refreshedAt = time;
    const {source} = this.app, may = this.app.mayChange(), free = may && !source.status.playing;
    $('joints-note').textContent = !may ? '' : free ? '· set them' : '· pause to set them';
    $('inputs-note').textContent = this.app.player.following ? '' : '· at present';
    for (const {input} of this.inputs.flat()) input.disabled = !may;
    if ($('joints-section').open) {
      this.joints.forEach((slider, i) => {
        slider.input.disabled = !free;
        slider.set(frame.joints[i]);
      });
    }
    this.updateSelection(frame);
  }

  updateSelection(frame) {
    const {marks, scene, poses} = this.app, box = $('selection'), selected = marks.selected;
    box.classList.toggle('dim', selected < 0);
    $('bodies').value = selected;
    if (selected < 0) {
      box.textContent = this.app.mayChange() ? 'Click a body; shift-drag pulls it.' : 'Click a body.';
      return;
    }
    const body = scene.bodies[selected], p = new Vector3().setFromMatrixPosition(poses.bodies[selected]);
    const e = poses.bodies[selected].elements;
    const degrees = (x) => ((x * 180) / Math.PI).toFixed(1).replace('-0.0', '0.0');
    const rpy = [Math.atan2(e[6], e[10]), Math.asin(Math.max(-1, Math.min(1, -e[2]))), Math.atan2(e[1], e[0])];
    const {count, total} = this.sumForces(frame, selected);
    const rows = [['mass', `${formatNumber(body.mass)} kg`],
                  ['position', `${formatPlace(p.toArray())} m`],
                  ['roll pitch yaw', `${rpy.map(degrees).join(' ')} °`],
                  ['speed', `${formatNumber(this.findSpeed(body))} m/s, ${formatNumber(this.findTurning(body))} rad/s`],
                  ['contacts', count ? `${count}, ${formatNumber(total.length())} N in sum` : 'none']];
    box.replaceChildren(...rows.flatMap(([name, value]) => {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = value;
      return [dt, dd];
    }));
  }

  // Of the origin of a body.
  findSpeed({slot}) {
    const place = ({poses}) => new Vector3().fromArray(poses, POSE * slot);
    return this.findRate(slot, (a, b) => place(b).sub(place(a)));
  }

  findTurning({slot}) {
    const turn = ({poses}) => {
      const [w, x, y, z] = poses.subarray(POSE * slot + 3, POSE * slot + 7);
      return new Quaternion(x, y, z, w);
    };
    return this.findRate(slot, (a, b) => {
      const {x, y, z, w} = turn(b).multiply(turn(a).conjugate()), sine = Math.hypot(x, y, z);
      const angle = 2 * Math.atan2(sine, Math.abs(w));
      return new Vector3(x, y, z).multiplyScalar(angle > FULL_TURNS ? NaN : sine > 0 ? (Math.sign(w) || 1) * angle / sine : 0);
    });
  }

  // How fast something changes at the moment shown: on a parabola through three frames around it, or a line through two.
  // Not across what somebody set, which took no time. change: from one frame to another.
  findRate(slot, change) {
    const {t, history} = this.app.player, {frames} = history;
    if (slot < 0) return 0;
    const at = history.find(t);
    let first = at, last = at;
    while (first > 0 && first > at - 2 && !frames[first].jumped) --first;
    while (last + 1 < frames.length && last < at + 2 && !frames[last + 1].jumped) ++last;
    if (first === last) return NaN;
    const from = Math.max(Math.min(at - 1, last - 2), first), [a, b, c] = frames.slice(from, Math.min(from + 3, last + 1));
    const mean = (one, other) => change(one, other).divideScalar(other.t - one.t);
    return c ? mean(a, b).lerp(mean(b, c), (2 * t - a.t - b.t) / (c.t - a.t)).length() : mean(a, b).length();
  }

  // Contact forces on a body.
  sumForces(frame, body) {
    const {numbers, ids, count: all} = frame.contacts, {geometries} = this.app.scene;
    const total = new Vector3(), force = new Vector3();
    let count = 0;
    for (let i = 0; i < all; ++i) {
      const a = geometries[ids[CONTACT * i + 10]]?.body === body, b = geometries[ids[CONTACT * i + 11]]?.body === body;
      if (!a && !b) continue;
      ++count;
      total.addScaledVector(force.fromArray(numbers, CONTACT * i + 6), b ? 1 : -1);
    }
    return {count, total};
  }
}
