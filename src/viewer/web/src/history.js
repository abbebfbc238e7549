// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The frames that are known, in the order of time, within a bound of memory.
import {CONTACT} from './frames.js';

const LARGE = 0.95;           // so many forces of all are smaller than a large one
const OCTAVE = 4, LEAST = -40;  // forces are counted by quarters of octaves, from 2^LEAST N

// How strong contacts were in all frames, so that colours and lengths do not depend on which of them were looked at.
class Strengths {
  highestPressure = 0;
  counts = new Float64Array(100 * OCTAVE);
  total = 0;

  add({polygons, contacts: {count, numbers}}) {
    for (const p of polygons.pressures) this.highestPressure = Math.max(this.highestPressure, p);
    for (let at = 6; at < CONTACT * count; at += CONTACT) {
      const octaves = 0.5 * Math.log2(numbers[at] ** 2 + numbers[at + 1] ** 2 + numbers[at + 2] ** 2) - LEAST;
      if (!(octaves > 0)) continue;
      ++this.counts[Math.min(Math.floor(OCTAVE * octaves), this.counts.length - 1)];
      ++this.total;
    }
  }

  // N; 0: there was none.
  get largeForce() {
    if (!this.total) return 0;
    let i = 0;
    for (let sum = this.counts[0]; sum < LARGE * this.total; sum += this.counts[i]) ++i;
    return 2 ** (LEAST + (i + 1) / OCTAVE);
  }
}

export class History {
  constructor(maxBytes = Infinity) {
    this.maxBytes = maxBytes;
    this.frames = [];
    this.bytes = 0;
    this.version = 0;  // changes when the past does
    this.strengths = new Strengths();
  }

  get first() { return this.frames[0]; }
  get last() { return this.frames[this.frames.length - 1]; }

  // A frame that is not later than the last replaces what came after it: time went back. The steps that led to its time
  // stay. What takes the place of another frame of the same time did not come from the one before by motion.
  add(frame) {
    while (this.frames.length && this.last.t >= frame.t) {
      if (this.last.t === frame.t) {
        frame.steps = Float32Array.of(...this.last.steps, ...frame.steps);
        frame.jumped = this.last.jumped || frame.poses.some((x, i) => x !== this.last.poses[i]);
      }
      this.pop();
    }
    if (!this.frames.length) this.strengths = new Strengths();  // reset
    this.strengths.add(frame);
    this.frames.push(frame);
    this.bytes += frame.bytes;
    let gone = 0;
    for (let bytes = this.bytes; bytes > this.maxBytes && gone < this.frames.length - 1; ++gone) {
      bytes -= this.frames[gone].bytes;
    }
    if (gone > 0) this.drop(Math.max(gone, this.frames.length >> 4));  // seldom, not with each frame
  }

  pop() {
    this.bytes -= this.frames.pop().bytes;
    ++this.version;
  }

  drop(count) {
    for (const frame of this.frames.splice(0, count)) this.bytes -= frame.bytes;
    ++this.version;
  }

  // Index of the last frame not after t.
  find(t) {
    let lo = 0, hi = this.frames.length - 1;
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1;
      if (this.frames[mid].t <= t) lo = mid; else hi = mid - 1;
    }
    return lo;
  }
}
