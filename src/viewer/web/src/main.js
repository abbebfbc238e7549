// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page: one app over a source of frames.
import {Box3, Vector3} from 'three';
import {Bodies} from './bodies.js';
import {Contacts, PRESSURE_GRADIENT} from './contacts.js';
import {Controls} from './controls.js';
import {Marks} from './marks.js';
import {Panels} from './panels.js';
import {Player} from './player.js';
import {formatNumber, Plots} from './plots.js';
import {Pointer} from './pointer.js';
import {Poses} from './poses.js';
import {IN_SOFTWARE, LEVELS, Quality} from './quality.js';
import {FileSource, LiveSource} from './sources.js';
import {drawsInSoftware, Stage} from './stage.js';

const REST = 500;  // ms without a new picture
const AWAY = 500;  // ms without anything that moves in the picture

const $ = (id) => document.getElementById(id);

// #t=2.5&az=30&el=20&zoom=1.2&theme=dark&quality=full
function readHash() {
  const words = new URLSearchParams(location.hash.slice(1));
  const number = (name) => (words.has(name) && Number.isFinite(+words.get(name)) ? +words.get(name) : undefined);
  return {t: number('t'), azimuth: number('az'), elevation: number('el'), zoom: number('zoom') > 0 ? number('zoom') : undefined,
          theme: words.get('theme') ?? undefined,
          full: words.get('quality') === 'full'};
}

const formatPressure = (p) => (p >= 1e6 ? `${formatNumber(p / 1e6)} MPa` : p >= 1e3 ? `${formatNumber(p / 1e3)} kPa` : `${formatNumber(p)} Pa`);

// Shows a part of the legend; nothing hides it.
function setScale(box, html) {
  if (box.dataset.shown === html) return;
  box.dataset.shown = html;
  box.hidden = !html;
  box.innerHTML = html;
}

class App {
  constructor(source) {
    this.source = source;
    this.scene = source.scene;
    this.view = readHash();
    const weak = !this.view.full && drawsInSoftware();
    this.quality = new Quality(weak ? IN_SOFTWARE : 0);
    this.stage = new Stage($('view'), !weak);
    this.poses = new Poses(this.scene);
    this.bodies = new Bodies(this.scene, this.stage, () => this.redraw());
    this.contacts = new Contacts(this.scene, this.stage);
    this.marks = new Marks(this.scene, this.stage, this.bodies);
    this.player = new Player(source, () => this.changed(), (text) => this.controls.say(text, {bad: true}));
    const {frames} = source.history, shares = source.live ? [1] : [0, 0.25, 0.5, 0.75, 1];
    this.fit(this.view, shares.map((share) => frames[Math.round(share * (frames.length - 1))]));
    this.dirty = true;
    this.panels = new Panels(this);
    this.plots = new Plots($('plots'), this.scene.accuracy, (t) => this.player.scrub(t));
    this.controls = new Controls(this);
    this.pointer = this.makePointer();
    this.stage.controls.addEventListener('change', () => this.redraw());
    new ResizeObserver(() => this.redraw()).observe($('view'));
    this.cost = 0;      // of a picture: its numbers, ms of this thread
    this.drawing = 0;   // and handing it to the graphics card
    this.pictures = 0;  // drawn
    this.drawnAt = 0;   // the last one
    this.empty = false; // it shows nothing that moves
    this.restartRate(performance.now());
    document.addEventListener('visibilitychange', () => this.restartRate(performance.now()));
    if (source.live) this.listen(); else this.start();
    this.setLevel(this.quality.level);
    this.changed();
    if (this.bodies.unknown.size) this.controls.say(`Not drawn: shapes of kind ${[...this.bodies.unknown].join(', ')}.`, {bad: true});
    if (!this.scene.geometries.length) this.controls.say('There is nothing to see: the scene has no bodies with shapes.', {time: Infinity});
    requestAnimationFrame((now) => this.tick(now));
  }

  // Looks at all that is to be seen at some moments: a replay at what becomes of the scene more than at how it starts.
  fit(view, moments) {
    const {frames} = this.source.history, box = new Box3();
    for (const frame of moments) {
      this.poses.show(frame, null, 0);
      box.union(this.bodies.calcBounds(this.poses));
    }
    this.setFollowed(-1);
    this.stage.frame(box, view);
    const every = Math.ceil(frames.length / 200);
    for (let i = 0; i < frames.length; i += every) this.stage.lowerGrid(this.bodies.findLowest(frames[i]));
    this.stage.lowerGrid(box.min.z);
    this.bodies.fitFloors(this.stage);
    const {radius} = this.stage;
    this.contacts.fit(Math.min(Math.max(1.6 * this.bodies.typical, 0.015 * radius), 0.16 * radius), 0.4 * radius);
    this.redraw();
  }

  // Looks at the selected body and goes with it, until asked again.
  follow() {
    const body = this.marks.selected;
    this.setFollowed(body === this.followed ? -1 : body);
    if (body < 0) this.controls.say('Select a body to look at.', {asLongAs: () => this.marks.selected < 0});
    if (this.followed < 0) return;
    this.followedAt = this.findPlace(body);
    this.stage.lookAt(this.followedAt, this.bodies.reach[body]);
  }

  // The wheel brings nearer what the pointer is on, or what is followed.
  setFollowed(body) {
    this.followed = body;
    this.stage.controls.zoomToCursor = body < 0;
  }

  findPlace(body) { return new Vector3().setFromMatrixPosition(this.poses.bodies[body]); }

  goAlong() {
    if (this.followed < 0) return;
    const place = this.findPlace(this.followed);
    this.stage.move(place.clone().sub(this.followedAt));
    this.followedAt = place;
  }

  listen() {
    this.source.onFrame = (frame) => {
      this.player.arrived(frame);
      this.stage.lowerGrid(this.bodies.findLowest(frame));
      this.redraw();
      if (this.player.finished) this.changed();
    };
    this.source.onStatus = () => {
      if (!this.source.connected) this.player.stay();
      this.pointer.hear(this.source.status);
      this.changed();
    };
    this.source.onMessage = (text) => {
      this.player.stay();
      this.controls.say(text, {bad: true});
    };
  }

  start() {
    if (this.view.t === undefined) this.player.play(); else this.player.scrub(this.view.t);
  }

  mayChange() { return this.source.connected && this.scene.interactive; }

  makePointer() {
    return new Pointer({
      stage: this.stage, bodies: this.bodies, poses: this.poses,
      onSelect: (body) => this.select(body),
      mayGrab: (body) => this.mayChange() && this.scene.bodies[body].slot >= 0,
      onGrab: (index, point, target) => {
        const command = {do: 'grab', index, point: point.toArray(), target: target.toArray()};
        if (!this.player.command(command)) return this.pointer.drop();
        this.pointer.pull = command.id;
        const paused = () => !this.player.playing;
        if (paused()) this.controls.say('Paused: it will move when the simulation plays.', {asLongAs: paused});
      },
      onDrag: (target) => this.source.send({do: 'drag', target: target.toArray()}),
      onRelease: () => {
        this.source.send({do: 'release'});
        this.redraw();
      },
    });
  }

  select(body) {
    this.marks.select(body);
    this.changed();
    this.panels.update(this.player.moment(performance.now()).a, true);
  }

  setTheme(dark) {
    for (const part of [this.stage, this.bodies, this.contacts, this.marks]) part.setTheme(dark);
    this.changed();
  }

  redraw() { this.dirty = true; }

  changed() {
    this.dirty = true;
    this.controls?.refresh();
    this.plotNow = true;
  }

  tick(now) {
    requestAnimationFrame((next) => this.tick(next));
    const {a, b, s} = this.player.moment(now);
    this.controls.showTime();
    this.plots.update(this.source.history, this.player.t, a, this.plotNow);
    this.plotNow = false;
    if (!this.player.playing) this.restartRate(now);
    this.watchOut(now);
    const still = !this.dirty && !this.player.playing;
    if (still && !this.mayImprove(now)) return;
    this.show(still ? this.quality.best : this.quality.level);
    this.draw(a, b, s, now);
  }

  // Says so when all that moves has left the picture, and not just for a moment.
  watchOut(now) {
    if (!this.empty) [this.filledAt, this.told] = [now, false];
    if (this.told || now - this.filledAt < AWAY) return;
    this.told = true;
    this.controls.say('All that moves is out of sight: R shows it again, F follows the selected body.',
                      {time: Infinity, asLongAs: () => this.empty});
  }

  // While nothing moves there is time for a better picture.
  mayImprove(now) { return !this.view.full && this.shown > this.quality.best && now - this.drawnAt > REST; }

  draw(a, b, s, now) {
    this.dirty = false;
    this.drawnAt = now;
    const from = performance.now();
    this.prepare(a, b, s);
    const between = performance.now();
    this.stage.render();
    const empty = this.bodies.areOut(this.poses, this.stage.camera);
    if (empty !== this.empty) {
      this.empty = empty;
      this.controls.showToast();
    }
    const share = this.pictures < 3 ? 1 : 0.1;  // the first ones compile and upload
    this.cost += share * (between - from - this.cost);
    this.drawing += share * (performance.now() - between - this.drawing);
    this.measure(now);
  }

  prepare(a, b, s) {
    this.poses.show(a, b, s);
    this.goAlong();
    this.bodies.update(this.poses);
    this.contacts.update(a, this.source.history.strengths, this.marks.selected);
    this.marks.update(this.poses);
    this.showSpring();
    this.panels.update(a, !this.player.playing);
    this.showScales();
  }

  showSpring() {
    const {status} = this.source, grabbed = this.player.following && this.pointer.grabbed;
    const pull = grabbed && grabbed.local.clone().applyMatrix4(this.poses.bodies[grabbed.body]);
    this.marks.setSpring(pull, grabbed?.target, this.stage);
    const force = grabbed ? status.stiffness * pull.distanceTo(grabbed.target) : 0;
    setScale($('pull-scale'), force > 0 ? `spring ${formatNumber(force)} N` :
        status.grabbed >= 0 && !status.pull.startsWith(this.source.name) ? 'pulled by another page' : '');
  }

  // What the colours of patches and the lengths of arrows mean.
  showScales() {
    const {contacts} = this, {force, length} = contacts.example(this.stage.pixelsPerMetre);
    setScale($('pressure-scale'), contacts.polygons === 0 ? '' : `<div class="bar" style="background:${PRESSURE_GRADIENT}"></div>` +
        `<div class="ends"><span>0</span><span>pressure</span><span>${formatPressure(contacts.highest)}</span></div>`);
    setScale($('force-scale-bar'), contacts.count === 0 ? '' :
        `<div class="arrow" style="width:${length.toFixed(0)}px"></div>${formatNumber(force)} N`);
  }

  measure(now) {
    ++this.pictures;
    const [from, count] = this.rateFrom;
    if (now - from < 1000) return;
    const rate = ((this.pictures - count) * 1000) / (now - from);
    this.restartRate(now);
    $('speed').textContent = `${rate.toFixed(0)} fps · ${(this.cost + this.drawing).toFixed(1)} ms`;
    if (!this.view.full && document.hasFocus() && this.quality.judge(rate)) this.setLevel(this.quality.level);
  }

  // Pauses, and times when the page is not seen, are not slow.
  restartRate(now) {
    this.rateFrom = [now, this.pictures];
    if (!this.player.playing) $('speed').textContent = '';
  }

  // Draws with a level of quality from now on.
  setLevel(level) {
    this.quality.set(level);
    this.show(level);
    this.redraw();
    const without = [...(this.stage.smooth ? [] : ['smooth edges']), ...this.quality.describe()];
    $('simple').hidden = !without.length;
    $('simple').title = `This machine draws slowly; left out: ${without.join(', ')}. ` +
        'Add #quality=full to the address to keep everything.';
  }

  show(level) {
    if (this.shown === level) return;
    this.shown = level;
    this.stage.setLevel(LEVELS[level]);
    this.bodies.setLevel(LEVELS[level]);
  }
}

async function main() {
  const source = document.getElementById('frames') ? new FileSource() : new LiveSource();
  try {
    await source.load();
    window.cenic = new App(source);  // for the console, and for tests
  } catch (error) {
    $('badge').textContent = 'failed';
    $('badge').dataset.kind = 'bad';
    $('toast').hidden = false;
    $('toast').textContent = `The page cannot show this: ${error.message}`;
    throw error;
  }
}

main();
