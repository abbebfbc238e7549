// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Step size, error, energy and speed over the same axis of time. A click goes to that time.
import uPlot from 'uplot';
import {STEP} from './frames.js';

const LOWEST = 40, HIGHEST = 90;       // a plot
const FOOT = 18, ROOM = 6, FONT = 10;  // the axis of time below the last one, above each and below the others, letters
const FEW = 3;         // points, which make no line that can be seen
const APART = 14;      // labels beside a curve, at least
const POINTS = 1200;   // of a curve; more are joined
const REFRESH = 150;   // ms between drawings while it runs

// Numbers of all frames, appended as they come.
class Series {
  constructor() { this.clear(); }

  clear() {
    this.frames = 0;
    this.stepT = [], this.h = [], this.error = [], this.rejections = [];
    this.t = [], this.energy = [], this.rate = [];
  }

  append(frames) {
    for (; this.frames < frames.length; ++this.frames) {
      const f = frames[this.frames];
      this.t.push(f.t), this.energy.push(Number.isFinite(f.energy) ? f.energy : null), this.rate.push(f.rate > 0 ? f.rate : null);
      for (let i = 0; i < f.steps.length; i += STEP) {
        this.stepT.push(f.t + f.steps[i]), this.h.push(f.steps[i + 1]);
        this.error.push(f.steps[i + 2] > 0 ? f.steps[i + 2] : null), this.rejections.push(f.steps[i + 3]);
      }
    }
  }

  // The last step that had ended at t, −1 before the first.
  findStep(t) {
    let from = 0, to = this.stepT.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.stepT[middle] <= t + 1e-6) from = middle + 1; else to = middle;
    }
    return from - 1;
  }
}

// Fewer points: of each group of neighbours the one that `better` prefers.
function thin(t, y, better) {
  const group = Math.ceil(t.length / POINTS);
  if (group <= 1) return [t, y];
  const ts = [], ys = [];
  for (let i = 0; i < t.length; i += group) {
    let best = i;
    for (let j = i + 1; j < Math.min(i + group, t.length); ++j) {
      if (y[best] === null || (y[j] !== null && better(y[j], y[best]))) best = j;
    }
    ts.push(t[best]), ys.push(y[best]);
  }
  return [ts, ys];
}

// The numbers 1, 2 and 5 times powers of ten from lo to hi.
function findRound(lo, hi) {
  const found = [];
  for (let i = Math.floor(Math.log10(lo)); i <= Math.log10(hi); ++i) {
    found.push(...[1, 2, 5].map((k) => k * 10 ** i).filter((x) => x >= lo * (1 - 1e-9) && x <= hi * (1 + 1e-9)));
  }
  return found;
}

// Those whose labels have room, from the lowest on. place: a share of the height.
function keepApart(splits, {over}, place) {
  const kept = [];
  for (const x of splits) {
    if (!kept.length || over.clientHeight * (place(x) - place(kept.at(-1))) >= APART) kept.push(x);
  }
  return kept;
}

// Powers of ten within the scale; where there is one at most, round numbers.
function splitDecades(u, axis, lo, hi) {
  const first = Math.ceil(Math.log10(lo) - 1e-9), last = Math.floor(Math.log10(hi) + 1e-9);
  const splits = last <= first ? findRound(lo, hi) : Array.from({length: last - first + 1}, (_, i) => 10 ** (first + i));
  return keepApart(splits, u, (x) => Math.log(x) / Math.log(hi / lo));
}

// The upper decades: what is nearly zero would squeeze the rest. Wide enough for two round numbers; with what is to be seen.
function rangeDecades(lo, hi, seen) {
  if (!(hi > 0)) [lo, hi] = [seen || 1e-3, seen || 1];
  hi = Math.max(hi, seen);
  lo = Math.max(Math.min(lo, seen || lo), hi * 1e-5);
  const room = Math.max(1.3, Math.sqrt((5.1 * lo) / hi));
  return [lo / room, hi * room];
}

// Two multiples of a round number or more.
function splitEvenly(u, axis, lo, hi) {
  const step = findRound((hi - lo) / 5, (hi - lo) / 2).at(-1), splits = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; ++i) splits.push(i * step);
  return keepApart(splits, u, (x) => x / (hi - lo));
}

function rangeEvenly(lo, hi) {
  const room = 0.06 * (hi - lo) || 1e-3 * Math.abs(hi) || 1;
  return [lo - room, hi + room];
}

const less = (a, b) => a < b, more = (a, b) => a > b;
const CURVES = [
  {name: 'step size', unit: 's', log: true, data: (s) => thin(s.stepT, s.h, less), marks: true},
  {name: 'error of a step', unit: 'm', log: true, data: (s) => thin(s.stepT, s.error, more), bound: true},
  {name: 'energy', unit: 'J', data: (s) => thin(s.t, s.energy, more)},
  {name: 'solver speed', unit: '× real time', log: true, data: (s) => thin(s.t, s.rate, less)},
];

export function formatNumber(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return '–';
  const size = Math.abs(x);
  return size !== 0 && (size < 1e-2 || size >= 1e5) ? x.toExponential(1).replace('.0e', 'e').replace('e+', 'e') : String(+x.toPrecision(3));
}

// With as many digits as tell neighbours apart.
function formatTick(x, between) {
  if (between < Infinity && Math.abs(x) < 1e-6 * between) return '0';
  const digits = Math.ceil(Math.log10(Math.abs(x) / between)) + 1;
  return digits > 3 ? String(+x.toPrecision(Math.min(digits, 12))) : formatNumber(x);
}

export class Plots {
  // accuracy: bound of the error of steps, 0 for none.
  constructor(parent, accuracy, onPick) {
    Object.assign(this, {accuracy, onPick});
    this.span = [0, 1];  // of time
    this.series = new Series();
    this.version = -1;
    this.cursor = 0;
    this.drawnAt = 0;
    this.axes = CURVES.map(() => 0);  // widths
    this.plots = CURVES.map((curve, i) => this.makePlot(parent, curve, i));
    const observer = new ResizeObserver(() => this.resize(parent));
    for (const box of [parent.parentElement, ...parent.parentElement.children]) observer.observe(box);
  }

  makePlot(parent, curve, number) {
    const box = document.createElement('div');
    box.className = 'plot';
    const seen = curve.bound ? this.accuracy : 0;
    const note = curve.marks ? 'rejected in red' : seen ? 'accuracy dashed' : '';
    box.innerHTML = `<h3><span>${curve.name} <span class="dim">${note && `· ${note}`}</span></span><output></output></h3>`;
    parent.append(box);
    const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const axis = {stroke: () => color('--dim'), grid: {stroke: () => color('--edge'), width: 1},
                  ticks: {show: false}, font: `${FONT}px system-ui, sans-serif`};
    const last = number === CURVES.length - 1;
    const label = (ticks) => ticks.map((x) => (x === null ? '' : formatTick(x, curve.log ? Infinity : Math.abs(ticks[1] - ticks[0]))));
    // As wide as the labels of all plots, which would be cut into other numbers: a moment is below itself everywhere.
    const widest = (u, labels) => {
      this.axes[number] = Math.max(34, ...(labels ?? []).map((text) => text.length * 0.62 * FONT + 8));
      return Math.max(...this.axes);
    };
    const plot = new uPlot({
      width: 270, height: LOWEST + ROOM + (last ? FOOT : ROOM), legend: {show: false}, padding: [ROOM, 16, last ? 0 : ROOM, 0],
      cursor: {x: true, y: false, points: {show: false}, drag: {x: false, y: false}},
      scales: {x: {time: false, range: () => this.span},
               y: curve.log ? {distr: 3, range: (u, lo, hi) => rangeDecades(lo, hi, seen)} : {range: (u, lo, hi) => rangeEvenly(lo, hi)}},
      axes: [{...axis, size: last ? FOOT : 0, gap: 2, space: 60,
              values: (u, ticks, i, space, between) => ticks.map((x, k) => (last ? formatTick(x, between) + (k === ticks.length - 1 ? ' s' : '') : ''))},
             {...axis, size: widest, gap: 2, splits: curve.log ? splitDecades : splitEvenly, filter: (u, splits) => splits,
              values: (u, ticks) => label(ticks)}],
      series: [{}, {stroke: () => color('--accent'), width: 1.2, points: {show: (u) => u.data[0].length <= FEW, size: 4}, spanGaps: true}],
      hooks: {draw: [(u) => this.drawMarks(u, curve, color)]},
    }, [[0, 1], [null, null]], box);
    plot.over.addEventListener('click', () => this.onPick(plot.posToVal(plot.cursor.left, 'x')));
    return {plot, curve, value: box.querySelector('output')};
  }

  // Rejected tries as ticks at the foot, the accuracy, and where the moment shown is.
  drawMarks(u, curve, color) {
    const pen = u.ctx, {left, top, width, height} = u.bbox;
    pen.save();
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    if (curve.marks) {
      pen.fillStyle = color('--bad');
      const {stepT, rejections} = this.series, tall = height / 5;
      let last = -1;
      for (let i = 0; i < stepT.length; ++i) {
        if (!rejections[i]) continue;
        const x = Math.round(u.valToPos(stepT[i], 'x', true));
        if (x !== last) pen.fillRect(x, top + height - tall, 1.5, tall);
        last = x;
      }
    }
    if (curve.bound && this.accuracy) {
      const y = Math.round(u.valToPos(this.accuracy, 'y', true));
      pen.fillStyle = color('--dim');
      for (let x = left; x < left + width; x += 9) pen.fillRect(x, y, 5, 1);
    }
    const x = u.valToPos(this.cursor, 'x', true);
    pen.fillStyle = color('--ink');
    pen.globalAlpha = 0.55;
    pen.fillRect(Math.round(x), top, 1, height);
    pen.restore();
  }

  // As high as they have room below what stands above them.
  resize(parent) {
    const style = getComputedStyle(parent), side = parent.parentElement;
    const add = (...names) => names.reduce((sum, name) => sum + parseFloat(style[name]), 0);
    const width = parent.clientWidth - add('paddingLeft', 'paddingRight');
    const others = [...side.children].reduce((sum, box) => sum + (box === parent ? 0 : box.offsetHeight), 0);
    const words = [...parent.children].reduce((sum, box) => sum + box.offsetHeight - box.querySelector('.uplot').offsetHeight, 0);
    const margins = this.plots.length * parseFloat(getComputedStyle(parent.firstElementChild).marginBottom);
    const room = side.clientHeight - others - add('paddingTop', 'paddingBottom', 'borderBottomWidth') - words - margins - FOOT;
    const height = Math.min(Math.max(Math.floor(room / this.plots.length) - 2 * ROOM, LOWEST), HIGHEST) + ROOM;
    if (width > 40) this.plots.forEach(({plot}, i) => plot.setSize({width, height: height + (i === this.plots.length - 1 ? FOOT : ROOM)}));
  }

  // `now` forces drawing; else at most a few times a second.
  update(history, cursor, frame, now = false) {
    const time = performance.now();
    if (!now && time - this.drawnAt < REFRESH) return;
    if (history.version !== this.version) {
      this.series.clear();
      this.version = history.version;
    }
    const grew = this.series.frames !== history.frames.length;
    if (!grew && !now && cursor === this.cursor) return;
    this.drawnAt = time;
    this.series.append(history.frames);
    this.cursor = cursor;
    const {first, last: end} = history;
    this.span = [first.t, end.t > first.t ? end.t : first.t + 1];
    const last = this.series.findStep(cursor);
    const axis = Math.max(...this.axes);
    const values = [this.series.h[last], this.series.error[last], frame?.energy, frame?.rate];
    this.plots.forEach(({plot, curve, value}, i) => {
      if (grew || now) plot.setData(curve.data(this.series)); else plot.redraw(false);
      value.textContent = values[i] === undefined ? '' : Number.isFinite(values[i]) ? `${formatNumber(values[i])} ${curve.unit}` : '–';
    });
    if (Math.max(...this.axes) !== axis) for (const {plot} of this.plots) plot.redraw(false, true);
  }
}
