// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// How much is drawn, how fast, and with which pictures.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {IN_SOFTWARE, LEVELS, Quality} from '../../../src/viewer/web/src/quality.js';
import {openPage, serve} from './browser.mjs';
import {binary, folder, browser, pixels, until, setLevel, look, difference, writePage} from './helpers.mjs';

// A thousand objects cost a handful of draw calls and few triangles, and less with each level of simpler drawing. Counted,
// not timed: the machine that tests may have no graphics card.
export async function many() {
  const file = join(folder, 'many.html');
  const args = ['run', 'clutter', '--set', 'count=1000', '--duration', '0.02', '--html', file, '--quiet'];
  const done = spawnSync(binary, args, {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const page = await openPage(browser, `${pathToFileURL(file)}#t=0&quality=full`, {viewport: {width: 700, height: 450}});
  const draw = async (level) => {
    await setLevel(page, level);
    return page.evaluate(() => {
      const {stage} = window.cenic, {calls, triangles} = stage.renderer.info.render, hint = document.getElementById('simple');
      return {calls, triangles, pixels: stage.canvas.width * stage.canvas.height, hint: hint.title, hidden: hint.hidden};
    });
  };
  const levels = [], looks = [];
  for (let i = 0; i < LEVELS.length; ++i) levels.push(await draw(i)), looks.push(await look(page));
  const [full, plain, flat, coarse, half, quarter] = levels, all = JSON.stringify(levels);
  assert.ok(full.calls <= 20 && full.triangles < 350000, all);  // shadows draw everything twice
  assert.ok(plain.calls <= 10 && plain.triangles <= 0.55 * full.triangles, all);
  assert.ok(flat.calls <= 10 && flat.triangles <= plain.triangles, all);
  assert.ok(coarse.calls <= 5 && coarse.triangles < 20 * 1000, all);  // no walls
  assert.ok(half.triangles === coarse.triangles && half.pixels < 0.55 * coarse.pixels, all);
  assert.ok(quarter.triangles === coarse.triangles && quarter.pixels < 0.55 * half.pixels, all);
  // It says what it leaves away.
  assert.ok(full.hidden && !plain.hidden);
  assert.match(plain.hint, /left out: shadows\./);
  assert.match(quarter.hint, /shadows, gloss and .*, round outlines and walls, half of the pixels, half of the rest/);
  // What is left out changes little: objects are where they were, with their colours. Walls aside.
  await draw(2);
  await page.evaluate(() => (window.cenic.bodies.walls = false, window.cenic.redraw()));
  await until(page, () => !window.cenic.dirty);
  const open = await look(page), changes = [difference(looks[1], looks[2]), ...[3, 4, 5].map((i) => difference(open, looks[i]))];
  await page.evaluate(() => window.cenic.bodies.batches.forEach(({written}) => (written.visible = false)));
  const empty = difference(open, await look(page));
  assert.ok(Math.max(...changes) < 0.4 * empty, `${changes}, without objects ${empty}`);
  // Instances, where there is too much to write them out, look the same.
  await page.evaluate(() => (window.cenic.bodies.most = 0));
  await draw(1), await draw(2);
  assert.ok(await page.evaluate(() => window.cenic.bodies.batches.every(({mesh, written}) => mesh.visible && !written)));
  assert.ok(difference(looks[2], await look(page)) < 0.1);
  // And back: the same picture as at first.
  await draw(0);
  assert.ok(difference(looks[0], await look(page)) < 0.5);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  // Where the processor draws it starts without shadows and smooth edges, unless everything is asked for.
  for (const [view, everything] of [['t=0', false], ['t=0&quality=full', true]]) {
    const other = await openPage(browser, `${pathToFileURL(file)}#${view}`);
    const {software, level, smooth} = await other.evaluate(() => {
      const gl = window.cenic.stage.renderer.getContext(), name = gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL;
      return {software: /swiftshader|llvmpipe/i.test(gl.getParameter(name)), level: window.cenic.quality.best,
              smooth: gl.getContextAttributes().antialias};
    });
    assert.deepEqual({level, smooth}, everything || !software ? {level: 0, smooth: true} : {level: IN_SOFTWARE, smooth: false});
    await other.context().close();
  }
  await rests(file);
}

// What moves is drawn simply where that is needed, what rests as well as the machine can.
async function rests(file) {
  const page = await openPage(browser, `${pathToFileURL(file)}#t=0`);
  const {best, level, few} = await page.evaluate((last) => {
    window.cenic.setLevel(last);
    return {...window.cenic.quality, few: window.cenic.stage.canvas.width};
  }, LEVELS.length - 1);
  assert.ok(best < level);
  await until(page, (shown) => window.cenic.shown === shown && !window.cenic.dirty, best);
  assert.ok((await page.evaluate(() => window.cenic.stage.canvas.width)) > 1.9 * few);
  await page.evaluate(() => {  // a picture or two: too short to be seen by asking
    const app = window.cenic, {show} = app;
    window.drawnAt = [];
    app.show = (at) => (window.drawnAt.push(at), show.call(app, at));
    app.redraw();
  });
  await until(page, (at) => window.drawnAt.includes(at), level);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// The choice of the level, second by second, on machines of which the speed is known.
export function choice() {
  // Draws a level of cost c in c / speed; a screen shows 60 pictures a second.
  const run = (quality, speed, seconds, screen = 60) => {
    const levels = [];
    for (let t = 0; t < seconds; ++t) {
      quality.judge(Math.min(screen, speed / LEVELS[quality.level].cost));
      levels.push(quality.level);
    }
    return levels;
  };
  const last = LEVELS.length - 1;
  assert.deepEqual(new Set(run(new Quality(0), 1e5, 60)), new Set([0]));  // fast: everything
  // Slow: at the level it can draw after two seconds, and it stays there.
  const slow = run(new Quality(0), 34 * LEVELS[3].cost, 60);
  assert.deepEqual(slow.slice(0, 3), [0, 3, 3]);
  assert.deepEqual(new Set(slow.slice(1)), new Set([3]));
  assert.equal(run(new Quality(0), 1, 10).at(-1), last);  // ever so slow
  // Room, but not for the level above: hardly anything is tried in vain.
  assert.ok(run(new Quality(2), 48 * LEVELS[3].cost, 600).slice(2).filter((level) => level !== 3).length < 10);
  // Busy for a while: everything again later, and never more than the best.
  const busy = new Quality(2);
  assert.equal(run(busy, 60, 5).at(-1), last);
  assert.equal(run(busy, 1e5, 60).at(-1), 2);
  const slowScreen = new Quality(0);
  assert.equal(run(slowScreen, 60, 5, 50).at(-1), last);
  assert.equal(run(slowScreen, 1e5, 300, 50).at(-1), 0);
  // Between two levels: what is tried in vain is tried ever more seldom.
  const between = run(new Quality(0), 26 * LEVELS[1].cost, 3600);
  const changes = between.filter((level, i) => i && level !== between[i - 1]).length;
  assert.ok(changes > 2 && changes < 25, `${changes}`);
}

// All of the grid that is in the picture is drawn, also of lines that reach behind the camera.
export async function grid() {
  const {url} = writePage('grid', ['conveyor', '--duration', '0']);
  for (const view of ['el=60&zoom=0.5', 'zoom=4', 'quality=full']) {
    const page = await openPage(browser, `${url}#t=0&${view}`);
    const {sides, missing} = await page.evaluate(() => {
      const {stage} = window.cenic, {grid, camera} = stage, {material, position: {x, y, z}, scale: {x: size}} = grid;
      const gl = stage.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
      const draw = (on) => {
        const bytes = new Uint8Array(4 * w * h);
        grid.visible = on;
        stage.render();
        gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        return new Uint32Array(bytes.buffer);
      };
      material.depthTest = false, grid.renderOrder = 99;  // over all
      const without = draw(false), all = draw(true), near = [-1, 0, 1];
      let sides = 0, missing = 0;
      const check = (i, k) => {  // the middle of the side of a square
        const at = camera.position.clone().set(x + size * i, y + size * k, z).project(camera);
        const [column, row] = [Math.floor(((at.x + 1) / 2) * w), Math.floor(((at.y + 1) / 2) * h)];
        if (at.z > 1 || column < 1 || row < 1 || column > w - 2 || row > h - 2) return;
        const drawn = near.some((r) => near.some((c) => all[(row + r) * w + column + c] !== without[(row + r) * w + column + c]));
        ++sides, missing += drawn ? 0 : 1;
      };
      for (let i = -20; i <= 20; ++i) for (let k = -20; k < 20; ++k) check(i, k + 0.5), check(k + 0.5, i);
      return {sides, missing};
    });
    assert.ok(sides > 10 && missing === 0, `${missing} of ${sides}`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
}

// Red and green squares, the blue box, and of the card the yellow or the violet part alone.
async function expectTextures(url, level) {
  const page = await openPage(browser, `${url}#t=0&az=-70&el=25&theme=light`);
  await setLevel(page, level);
  await until(page, () => window.cenic.bodies.floors[0].map.image &&
                          window.cenic.bodies.batches.every(({full}) => full.map?.image));
  const shares = await page.evaluate(() => {
    const {stage} = window.cenic;
    stage.render();
    const gl = stage.renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
    const bytes = new Uint8Array(4 * w * h), counts = {};
    gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    for (let i = 0; i < bytes.length; i += 4) {
      const most = Math.max(bytes[i], bytes[i + 1], bytes[i + 2]);
      const name = ['r', 'g', 'b'].filter((_, k) => bytes[i + k] > 0.6 * most).join('');
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n / (w * h)]));
  });
  assert.ok(shares.r > 0.03 && shares.g > 0.03 && shares.b > 0.02, JSON.stringify(shares));
  assert.ok((shares.rg ?? 0) > 0.01 !== (shares.rb ?? 0) > 0.01, JSON.stringify(shares));
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// A floor of red and green squares, a box that is blue on all sides, and a mesh that is half of a picture.
export async function textures() {
  const [model, file, recording] = ['xml', 'html', 'h5'].map((end) => join(folder, `textures.${end}`));
  const flat = (name, type, colors) =>
      `<texture name="${name}" type="${type}" builtin="${colors.length > 1 ? 'checker' : 'flat'}" width="32" height="32"
        rgb1="${colors[0]}" rgb2="${colors[1] ?? colors[0]}"/><material name="${name}" texture="${name}"/>`;
  writeFileSync(model, `<mujoco><asset>
    ${flat('floor', '2d', ['1 0 0', '0 1 0'])} ${flat('box', 'cube', ['0 0 1'])} ${flat('card', '2d', ['1 1 0', '1 0 1'])}
    <mesh name="card" vertex="-1 0 0.2 1 0 0.2 1 0 1.4 -1 0 1.4 0 0.2 0.8" face="0 1 2 0 2 3 0 4 1 1 4 2 2 4 3 3 4 0"
      texcoord="0 0.6 0.4 0.6 0.4 0.9 0 0.9 0.2 0.8"/></asset>
    <worldbody><geom type="plane" size="3 3 1" material="floor"/>
    <geom type="mesh" mesh="card" material="card" pos="0 2 0"/>
    <body pos="0 0 0.5"><freejoint/><geom type="box" size="0.5 0.5 0.5" material="box"/></body></worldbody></mujoco>`);
  const done = spawnSync(binary, ['run', model, '--duration', '0.1', '--html', file, '--record', recording, '--quiet'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  for (const level of [0, 2, 5]) await expectTextures(pathToFileURL(file), level);
  const server = await serve(binary, ['view', recording, '--no-open', '--port', '0']);
  await expectTextures(server.url, 2);
  assert.equal(await server.stop(), 0);
}
