// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The frames that are known, in the order of time, within a bound of memory.

export class History {
  constructor(maxBytes = Infinity) {
    this.maxBytes = maxBytes;
    this.frames = [];
    this.bytes = 0;
    this.version = 0;  // changes when the past does
  }

  get first() { return this.frames[0]; }
  get last() { return this.frames[this.frames.length - 1]; }

  // A frame that is not later than the last replaces what came after it: time went back. The steps that led to its time
  // stay.
  add(frame) {
    while (this.frames.length && this.last.t >= frame.t) {
      if (this.last.t === frame.t) frame.steps = Float32Array.of(...this.last.steps, ...frame.steps);
      this.pop();
    }
    this.frames.push(frame);
    this.bytes += frame.bytes;
    let gone = 0;
    for (let bytes = this.bytes; bytes > this.maxBytes && gone < this.frames.length - 1; ++gone) {
      bytes -= this.frames[gone].bytes;
    }
    if (gone > 0) this.drop(Math.max(gone, this.frames.length >> 4));  // seldom, not with each frame
  }

  // Forgets what comes after t.
  cut(t) {
    while (this.frames.length > 1 && this.last.t > t) this.pop();
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
