// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The moment shown: follows a live simulation, or goes through the history. Playing from a moment of
// the past makes a live simulation go on from there.

export const RATES = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 0];  // 0: no bound

export class Player {
  constructor(source, onChange) {
    this.source = source;
    this.history = source.history;
    this.onChange = onChange;
    this.following = source.live;
    this.t = source.live ? 0 : this.history.first.t;
    this.filePlaying = false;
    this.fileRate = 1;
    this.last = 0;
  }

  get playing() { return this.source.live ? this.source.status.playing && this.following : this.filePlaying; }
  get rate() { return this.source.live ? this.source.status.rate : this.fileRate; }

  // Called with every picture: {a, b, s}, frames and the share of the way between them.
  moment(now) {
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const {frames} = this.history;
    if (this.following) {
      this.t = this.history.last.t;
      return {a: this.history.last, b: null, s: 0};
    }
    if (!this.source.live && this.filePlaying) this.advance(passed);
    const i = this.history.find(this.t), a = frames[i], b = frames[i + 1];
    const s = b && !this.source.live ? Math.max(0, (this.t - a.t) / (b.t - a.t)) : 0;
    return {a, b, s};
  }

  advance(passed) {
    this.t += passed * (this.fileRate || 20);
    if (this.t < this.history.last.t) return;
    this.t = this.history.last.t;
    this.filePlaying = false;
    this.onChange();
  }

  play() {
    if (!this.source.live) {
      if (this.t >= this.history.last.t) this.t = this.history.first.t;
      this.filePlaying = true;
    } else {
      this.goOnFromHere();
      this.source.send({do: 'play'});
    }
    this.onChange();
  }

  pause() {
    this.filePlaying = false;
    if (this.source.live) this.source.send({do: 'pause'});
    this.onChange();
  }

  toggle() {
    if (this.playing) this.pause(); else this.play();
  }

  // What came after the moment shown is another future now, here as in the simulation.
  goOnFromHere() {
    if (!this.following && this.source.scene.interactive) {
      this.source.send({do: 'seek', value: this.t});
      this.history.cut(this.t);
    }
    this.following = true;
  }

  // To a time of the history, which stays there.
  scrub(t) {
    const {first, last} = this.history;
    this.t = Math.min(Math.max(t, first.t), last.t);
    if (this.source.live) {
      if (this.source.status.playing && this.source.scene.interactive) this.source.send({do: 'pause'});
      this.following = false;
      this.t = this.history.frames[this.history.find(this.t)].t;
    }
    this.onChange();
  }

  follow() {
    if (!this.source.live) return this.scrub(this.history.last.t);
    this.following = true;
    this.onChange();
  }

  // A step of the simulation, or a frame of a file; backwards a frame.
  step(direction = 1) {
    if (this.source.live && direction > 0 && (this.following || this.t >= this.history.last.t)) {
      this.following = true;
      this.source.send({do: 'step'});
      return;
    }
    this.filePlaying = false;
    const i = this.history.find(this.t) + direction;
    this.scrub(this.history.frames[Math.min(Math.max(i, 0), this.history.frames.length - 1)].t);
  }

  reset() {
    if (!this.source.live) return this.scrub(this.history.first.t);
    this.following = true;
    this.source.send({do: 'reset'});
  }

  setRate(rate) {
    this.fileRate = rate;
    if (this.source.live) this.source.send({do: 'rate', value: rate});
    this.onChange();
  }
}
