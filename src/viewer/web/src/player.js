// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The moment shown: follows a live simulation, or goes through the history. Playing from a moment of
// the past makes a live simulation go on from there. Where nobody can steer, it is played back.

export const RATES = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 0];  // 0: no bound
export const FASTEST_BACK = 20;                                     // what that means when history is played back

export class Player {
  // onRefuse: with what cannot be done, and why.
  constructor(source, onChange, onRefuse = () => {}) {
    Object.assign(this, {source, onChange, onRefuse});
    this.history = source.history;
    this.following = source.live;
    this.t = this.history.first.t;
    this.playingBack = false;
    this.backRate = 1;
    this.asked = null;  // time of the past that the simulation was asked to go on from
    this.last = 0;
  }

  // Is it the simulation that plays, rather than its history?
  get steers() { return this.source.connected && (this.source.scene.interactive || (this.following && !this.finished)); }
  get finished() {
    const {end, failure} = this.source.status;
    return !this.source.scene.interactive && (Boolean(failure) || (end !== null && this.history.last.t >= end));
  }
  get playing() { return this.playingBack || (this.steers && this.following && this.source.status.playing); }
  get rate() { return this.steers ? this.source.status.rate : this.backRate; }

  // Called with every picture: {a, b, s}, frames and the share of the way between them.
  moment(now) {
    const passed = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    const {frames, first, last} = this.history;
    if (this.playingBack) this.advance(passed);
    if (this.following && this.asked === null) {
      this.t = last.t;
      return {a: last, b: null, s: 0};
    }
    this.t = Math.min(Math.max(this.asked ?? this.t, first.t), last.t);  // another page may have reset it
    const i = this.history.find(this.t), a = frames[i], b = frames[i + 1];
    const s = b && (this.playingBack || !this.source.live) ? Math.max(0, (this.t - a.t) / (b.t - a.t)) : 0;
    return {a, b, s};
  }

  advance(passed) {
    this.t += passed * (this.backRate || FASTEST_BACK);
    if (this.t < this.history.last.t) return;
    this.t = this.history.last.t;
    this.playingBack = false;
    this.following = this.source.live;
    this.onChange();
  }

  play() {
    if (this.steers) {
      this.command({do: 'play'});
    } else {
      if (this.t >= this.history.last.t) this.t = this.history.first.t;
      this.playingBack = true;
      this.following = false;
    }
    this.onChange();
  }

  pause() {
    if (this.playingBack) this.playingBack = false; else this.source.send({do: 'pause'});
    this.onChange();
  }

  toggle() {
    if (this.playing) this.pause(); else this.play();
  }

  // A command that goes on from the moment shown: what came after it is another future then, in the simulation as here,
  // where it is forgotten with the first frame from there. False: it cannot.
  command(command) {
    if (!this.source.connected) return false;
    if (!this.following && this.source.scene.interactive) {
      if (this.t < (this.source.status.earliest ?? Infinity)) {
        this.onRefuse(`This can be seen, but not gone on from: the program only remembers what came after ${this.source.status.earliest?.toFixed(2)} s.`);
        return false;
      }
      command.from = this.asked = this.t;
    }
    this.following = true;
    this.source.send(command);
    return true;
  }

  // A frame came.
  arrived(frame) {
    if (frame.t <= this.asked) this.asked = null;
  }

  // The simulation refused something, or is gone.
  stay() {
    if (this.asked === null) return;
    this.asked = null;
    this.following = false;
    this.onChange();
  }

  // To a time of the history, which stays there. The last moment of what does not play is the present.
  scrub(t) {
    const {first, last} = this.history;
    this.t = Math.min(Math.max(t, first.t), last.t);
    this.asked = null;
    if (this.source.live) {
      if (this.source.status.playing && this.source.scene.interactive) this.source.send({do: 'pause'});
      this.following = !this.source.status.playing && this.t === last.t;
      if (!this.playingBack) this.t = this.history.frames[this.history.find(this.t)].t;
    }
    this.onChange();
  }

  follow() {
    this.playingBack = false;
    if (!this.source.live) return this.scrub(this.history.last.t);
    this.following = true;
    this.t = this.history.last.t;  // keys may come before the next picture
    this.onChange();
  }

  // A step of the simulation, or a frame of its history; backwards a frame.
  step(direction = 1) {
    if (this.steers && direction > 0 && (this.following || this.t >= this.history.last.t)) return this.command({do: 'step'});
    this.playingBack = false;
    const i = this.history.find(this.t) + direction;
    this.scrub(this.history.frames[Math.min(Math.max(i, 0), this.history.frames.length - 1)].t);
  }

  reset() {
    if (!this.source.connected || !this.source.scene.interactive) return this.scrub(this.history.first.t);
    this.following = true;
    this.asked = null;
    this.source.send({do: 'reset'});
  }

  setRate(rate) {
    this.backRate = rate;
    if (this.steers) this.source.send({do: 'rate', value: rate});
    this.onChange();
  }
}
