// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The bar at the foot, the badge, messages, the theme, keys.
import {FASTEST_BACK, RATES} from './player.js';
import {formatNumber} from './plots.js';

const $ = (id) => document.getElementById(id);
const PLAY = '<svg viewBox="0 0 16 16"><path d="M4 2l10 6-10 6z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';

// Pages in frames of others may not remember anything.
function remember(key, value) {
  try {
    if (value !== undefined) localStorage.setItem(key, value);
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

// Keys that move a slider.
const MOVES = ['Arrow', 'Home', 'End', 'Page'];

// Does what has the focus need the key itself? Keys press and move what was reached by keys, not what was clicked last.
function isOwnKey({target, key}, reached) {
  if (target.matches('select')) return key !== 'Escape';
  if (!reached) return false;
  if (target.matches('input[type=range]')) return MOVES.some((name) => key.startsWith(name));
  return key === ' ' && target.matches('button, input, summary');
}

export class Controls {
  constructor(app) {
    this.app = app;
    this.toast = null;    // what is said for a while
    this.dismissed = '';  // what was said all the time until it was clicked away
    const {player, source} = app;
    $('title').textContent = $('title').title = app.scene.title;
    document.title = `${app.scene.title} · cenic`;
    $('play').addEventListener('click', () => player.toggle());
    $('step').addEventListener('click', () => player.step());
    $('reset').addEventListener('click', () => player.reset());
    $('follow').addEventListener('click', () => player.follow());
    $('reset').hidden = source.live && !app.scene.interactive;
    $('reached').hidden = !source.live;
    if (!source.live) $('step').title = 'one frame on (S)';
    $('toast').addEventListener('click', () => {
      if (!this.toast) this.dismissed = this.findTrouble();
      this.toast = null;
      this.showToast();
    });
    $('time').addEventListener('input', (event) => player.scrub(event.target.valueAsNumber));
    $('rate').addEventListener('input', (event) => player.setRate(RATES[event.target.valueAsNumber]));
    $('theme').addEventListener('click', () => this.setDark(!this.dark, true));
    $('help-button').addEventListener('click', () => $('help').showModal());
    this.initTheme();
    this.makeKeys();
  }

  initTheme() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const stored = this.app.view.theme ?? remember('cenic-theme');
    this.setDark(stored ? stored === 'dark' : system.matches, false);
    system.addEventListener('change', () => {
      if (!remember('cenic-theme')) this.setDark(system.matches, false);
    });
  }

  setDark(dark, keep) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    if (keep) remember('cenic-theme', dark ? 'dark' : 'light');
    this.app.setTheme(dark);
  }

  makeKeys() {
    const {player, panels, scene, source} = this.app;
    const check = (id) => () => $(id).click();
    const rate = (by) => () => {
      const i = RATES.indexOf(player.rate);
      player.setRate(RATES[Math.min(Math.max((i < 0 ? 5 : i) + by, 0), RATES.length - 1)]);
    };
    const keys = [
      [[' '], 'space', 'play or pause', () => player.toggle()],
      [['s', '.'], 'S', source.live ? 'one step of the simulation' : 'one frame on', () => player.step()],
      [['ArrowLeft', 'ArrowRight'], '← →', 'a frame back or on', (e) => player.step(e.key === 'ArrowLeft' ? -1 : 1)],
      [['Home'], 'Home', `back to the ${$('reset').hidden ? 'first frame that is kept' : 'start'}`, () => player.reset()],
      [['End'], 'End', source.live ? 'follow the simulation' : 'to the end', () => player.follow()],
      [['-', '_'], '−', 'slower', rate(-1)],
      [['+', '='], '+', 'faster', rate(1)],
      [['v'], 'V', 'visual, collision or both shapes', () => panels.nextShapes()],
      [['c'], 'C', 'contact forces', check('show-forces')],
      [['p'], 'P', 'contact patches', check('show-patches')],
      [['x'], 'X', 'frames of bodies', check('show-frames')],
      [['g'], 'G', 'grid', check('show-grid')],
      [['f'], 'F', 'look at the selected body and follow it; again: stop', () => this.app.follow()],
      [['r'], 'R', 'look at all there is', () => this.app.fit({}, [player.moment(performance.now()).a])],
      [['t'], 'T', 'dark or light', () => this.setDark(!this.dark, true)],
      [['Escape'], 'Esc', 'let go, or select nothing', () => this.app.pointer.letGo() || this.app.select(-1)],
      [['?', 'h'], '?', 'this list', () => $('help').showModal()],
    ];
    // A key that is held goes on stepping; it does not switch to and fro.
    const repeated = keys.filter(([names]) => ['s', 'ArrowLeft', '-', '+'].some((name) => names.includes(name)));
    const mouse = [['drag', 'turn the view'], ['right drag', 'move the view'], ['wheel', 'zoom'], ['click', 'select a body']];
    if (source.live && scene.interactive) mouse.push(['shift or ctrl + drag', 'pull a body by a spring']);
    for (const [name, what] of [...mouse, ...keys.map((key) => [key[1], key[2]])]) {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = what;
      $('keys').append(dt, dd);
    }
    let clicks = false, reached = true;  // the last thing done; what has the focus got it by keys
    addEventListener('pointerdown', () => (clicks = true, reached = false), {capture: true});
    addEventListener('focusin', () => (reached = !clicks));
    addEventListener('keydown', (event) => {
      clicks = false;
      if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
      if (isOwnKey(event, reached)) return;
      const found = keys.find(([names]) => names.includes(event.key) || names.includes(event.key.toLowerCase()));
      if (!found) return;
      event.preventDefault();
      if (!event.repeat || repeated.includes(found)) found[3](event);
    });
  }

  // After something changed other than the moment shown.
  refresh() {
    const {player, source, panels} = this.app;
    $('play').innerHTML = player.playing ? PAUSE : PLAY;
    $('follow').hidden = !source.live || player.following;
    $('reset').disabled = source.live && !source.connected;
    const index = RATES.indexOf(player.rate);
    if (index >= 0) $('rate').value = index;
    $('rate-label').textContent = player.rate ? `${player.rate}×` : player.steers ? 'max' : `${FASTEST_BACK}×`;
    const [kind, text] = this.describe();
    $('badge').dataset.kind = kind;
    $('badge').textContent = text;
    panels?.showInputs();
    this.showToast();
  }

  describe() {
    const {source, player} = this.app;
    if (source.status.failure && (player.following || !source.live)) return ['bad', 'stopped'];
    if (!source.live) return ['file', 'replay'];
    if (!source.connected) return ['bad', 'not connected'];
    if (!player.following) return ['past', 'past'];
    if (player.finished) return ['paused', 'finished'];
    return source.status.playing ? ['live', 'live'] : ['paused', 'paused'];
  }

  // Simulated over real time of a live simulation, about once a second.
  measureRate() {
    const {player} = this.app, now = performance.now(), {t} = player.history.last;
    const live = player.playing && player.following;
    if (!live || !(t >= this.rateFrom?.t)) {
      this.rateFrom = live ? {t, now} : null;
      $('reached').textContent = '';
    } else if (now - this.rateFrom.now > 1000) {
      $('reached').textContent = `now ${formatNumber((1000 * (t - this.rateFrom.t)) / (now - this.rateFrom.now))}×`;
      this.rateFrom = {t, now};
    }
  }

  showTime() {
    this.measureRate();
    const {player, source} = this.app, {first, last} = player.history;
    const end = Math.max(last.t, source.status.end ?? 0);
    const slider = $('time');
    if (+slider.min !== first.t) slider.min = first.t;
    if (+slider.max !== end) slider.max = Math.max(end, first.t + 1e-9);
    slider.value = player.t;
    const digits = this.findDigits();
    $('clock').textContent = `${player.t.toFixed(digits)} / ${end.toFixed(digits)} s`;
    $('clock').title = `${player.t.toFixed(9)} s`;
  }

  // Of the time: as many as tell frames apart. While it plays they are those of the whole run.
  findDigits() {
    const {playing, t, history} = this.app.player, {frames, first, last} = history;
    const i = history.find(t), near = [frames[i].t - frames[i - 1]?.t, frames[i + 1]?.t - frames[i].t].filter((dt) => dt > 0);
    const dt = playing || !near.length ? (last.t - first.t) / (frames.length - 1) : Math.min(...near);
    return dt > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(dt)), 2), 6) : 2;
  }

  // For a while, if that is so long as what is said is so.
  say(text, {bad = false, time = 4000, asLongAs = () => true} = {}) {
    const toast = (this.toast = {text, bad, asLongAs});
    this.showToast();
    if (time < Infinity) setTimeout(() => this.toast === toast && this.showToast((this.toast = null)), time);
  }

  // What is said until it is not so any more.
  findTrouble() {
    const {source} = this.app;
    if (source.live && !source.connected) return 'The program has ended. What was seen of it can still be looked at and played back.';
    return source.status.failure;
  }

  showToast() {
    if (this.toast && !this.toast.asLongAs()) this.toast = null;
    const trouble = this.findTrouble();
    if (trouble && trouble !== this.trouble) this.toast = null;  // news
    this.trouble = trouble;
    if (!trouble) this.dismissed = '';
    const {text, bad} = this.toast ?? {text: trouble === this.dismissed ? '' : trouble, bad: true};
    $('toast').hidden = !text;
    $('toast').textContent = text;
    $('toast').dataset.kind = bad ? 'bad' : '';
  }
}
