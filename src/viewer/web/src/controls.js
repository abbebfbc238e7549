// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The bar at the foot, the badge, messages, the theme, keys.
import {RATES} from './player.js';

const $ = (id) => document.getElementById(id);
const PLAY = '<svg viewBox="0 0 16 16"><path d="M4 2l10 6-10 6z"/></svg>';
const PAUSE = '<svg viewBox="0 0 16 16"><path d="M3 2h4v12H3zM9 2h4v12H9z"/></svg>';

export class Controls {
  constructor(app) {
    this.app = app;
    const {player, source} = app;
    $('title').textContent = app.scene.title;
    document.title = `${app.scene.title} · cenic`;
    $('play').addEventListener('click', () => player.toggle());
    $('step').addEventListener('click', () => player.step());
    $('reset').addEventListener('click', () => player.reset());
    $('follow').addEventListener('click', () => player.follow());
    $('reset').hidden = source.live && !app.scene.interactive;
    $('time').addEventListener('input', (event) => player.scrub(event.target.valueAsNumber));
    $('rate').addEventListener('input', (event) => player.setRate(RATES[event.target.valueAsNumber]));
    $('theme').addEventListener('click', () => this.setDark(!this.dark, true));
    $('help-button').addEventListener('click', () => $('help').showModal());
    this.initTheme();
    this.makeKeys();
  }

  initTheme() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const stored = this.app.view.theme ?? localStorage.getItem('cenic-theme');
    this.setDark(stored ? stored === 'dark' : system.matches, false);
    system.addEventListener('change', () => {
      if (!localStorage.getItem('cenic-theme')) this.setDark(system.matches, false);
    });
  }

  setDark(dark, remember) {
    this.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    if (remember) localStorage.setItem('cenic-theme', dark ? 'dark' : 'light');
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
      [['Home'], 'Home', 'back to the start', () => $('reset').hidden || player.reset()],
      [['End'], 'End', source.live ? 'follow the simulation' : 'to the end', () => player.follow()],
      [['-', '_'], '−', 'slower', rate(-1)],
      [['+', '='], '+', 'faster', rate(1)],
      [['v'], 'V', 'visual, collision or both shapes', () => panels.nextShapes()],
      [['c'], 'C', 'contact forces', check('show-forces')],
      [['p'], 'P', 'contact patches', check('show-patches')],
      [['f'], 'F', 'frames of bodies', check('show-frames')],
      [['g'], 'G', 'grid', check('show-grid')],
      [['r'], 'R', 'look at all there is', () => this.app.fit({}, [1])],
      [['t'], 'T', 'dark or light', () => this.setDark(!this.dark, true)],
      [['Escape'], 'Esc', 'select nothing', () => this.app.select(-1)],
      [['?', 'h'], '?', 'this list', () => $('help').showModal()],
    ];
    const mouse = [['drag', 'turn the view'], ['right drag', 'move the view'], ['wheel', 'zoom'], ['click', 'select a body']];
    if (source.live && scene.interactive) mouse.push(['shift or ctrl + drag', 'pull a body by a spring']);
    for (const [name, what] of [...mouse, ...keys.map((key) => [key[1], key[2]])]) {
      const dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = what;
      $('keys').append(dt, dd);
    }
    addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
      if (event.target.matches('input[type=range]') && event.key.startsWith('Arrow')) return;
      const found = keys.find(([names]) => names.includes(event.key) || names.includes(event.key.toLowerCase()));
      if (!found) return;
      event.preventDefault();
      found[3](event);
    });
  }

  // After something changed other than the moment shown.
  refresh() {
    const {player, source} = this.app;
    $('play').innerHTML = player.playing ? PAUSE : PLAY;
    $('follow').hidden = !source.live || player.following;
    const index = RATES.indexOf(player.rate);
    if (index >= 0) $('rate').value = index;
    $('rate-label').textContent = player.rate === 0 ? 'max' : `${player.rate}×`;
    const [kind, text] = this.describe();
    $('badge').dataset.kind = kind;
    $('badge').textContent = text;
    if (source.live && source.status.failure) this.say(source.status.failure, true, Infinity);
  }

  describe() {
    const {source, player} = this.app;
    if (!source.live) return ['file', 'replay'];
    if (!source.connected) return ['bad', 'not connected'];
    if (source.status.failure) return ['bad', 'stopped'];
    if (!player.following) return ['past', 'past'];
    return source.status.playing ? ['live', 'live'] : ['paused', 'paused'];
  }

  showTime() {
    const {player, source} = this.app, {first, last} = player.history;
    const end = source.live ? Math.max(last.t, source.status.end ?? 0) : last.t;
    const slider = $('time');
    if (+slider.min !== first.t) slider.min = first.t;
    if (+slider.max !== end) slider.max = Math.max(end, first.t + 1e-9);
    slider.value = player.t;
    $('clock').textContent = `${player.t.toFixed(2)} / ${end.toFixed(2)} s`;
  }

  say(text, bad = false, time = 4000) {
    const toast = $('toast');
    toast.textContent = text;
    toast.dataset.kind = bad ? 'bad' : '';
    toast.hidden = false;
    clearTimeout(this.hiding);
    if (time < Infinity) this.hiding = setTimeout(() => (toast.hidden = true), time);
  }
}
