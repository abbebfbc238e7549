// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How much is drawn: everything, or less on machines that draw slowly.

// From everything down; `without` is what a level leaves out that the one above it draws. Pixels: each way. Cost: of a
// picture of 1000 objects where the processor draws, to judge how far to go.
export const LEVELS = [
  {without: '', cost: 100, shadows: true, plain: false, coarse: false, walls: true, pixels: 1},
  {without: 'shadows', cost: 70, shadows: false, plain: false, coarse: false, walls: true, pixels: 1},
  {without: 'gloss and sharp textures', cost: 22, shadows: false, plain: true, coarse: false, walls: true, pixels: 1},
  {without: 'round outlines and walls', cost: 10, shadows: false, plain: true, coarse: true, walls: false, pixels: 1},
  {without: 'half of the pixels', cost: 7, shadows: false, plain: true, coarse: true, walls: false, pixels: 0.7},
  {without: 'half of the rest of them', cost: 5.5, shadows: false, plain: true, coarse: true, walls: false, pixels: 0.5},
];
export const IN_SOFTWARE = 2;  // the best level where the processor draws: more is too slow whatever the scene is

const SLOW = 29, WANTED = 33;           // pictures a second
const SCREEN = 57;                      // most screens show no more: there may be room for anything
const PLENTY = 45, DOUBT = 1 / 8;       // some screens are slower: seldom, that is tried as well
const PATIENCE = 4, LONGEST = 1 << 10;  // s of plenty before more is tried

export class Quality {
  constructor(best) {
    this.best = best;
    this.level = best;
    this.patience = PATIENCE;
    this.plenty = 0;      // s
    this.settling = true; // pictures after a change compile and upload: not judged
    this.tried = false;   // the last change was for more
  }

  // With the pictures a second of the last second; true: the level changed.
  judge(rate) {
    if (this.settling) return (this.settling = false);
    if (rate < SLOW && this.level + 1 < LEVELS.length) return this.goDown(rate);
    const hope = this.hope(rate);
    this.plenty = hope ? this.plenty + hope : 0;
    if (this.plenty < this.patience) return (this.tried = false);
    this.set(this.level - 1);
    return (this.tried = true);
  }

  // That there is room for the level above: 0 to 1.
  hope(rate) {
    if (this.level === this.best) return 0;
    const above = (rate * LEVELS[this.level].cost) / LEVELS[this.level - 1].cost;
    return rate >= SCREEN || above >= WANTED ? 1 : rate >= PLENTY ? DOUBT : 0;
  }

  // At once as far as needed. What was tried in vain is not tried again soon.
  goDown(rate) {
    if (this.tried) this.patience = Math.min(2 * this.patience, LONGEST);
    this.tried = false;
    const allowed = (LEVELS[this.level].cost * rate) / WANTED;
    const enough = LEVELS.findIndex((l, i) => i > this.level && l.cost <= allowed);
    this.set(enough < 0 ? LEVELS.length - 1 : enough);
    return true;
  }

  set(level) {
    this.level = level;
    this.plenty = 0;
    this.settling = true;
  }

  // What is not drawn, for people.
  describe() { return LEVELS.slice(1, this.level + 1).map((l) => l.without); }
}
