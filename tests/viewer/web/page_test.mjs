// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page as people use it: page_test.mjs BINARY [TEST]. Exit code 77: skipped.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {IN_SOFTWARE, LEVELS, Quality} from '../../../src/viewer/web/src/quality.js';
import {launch, openPage, requirePage, serve} from './browser.mjs';

const binary = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'cenic_page_'));
requirePage(binary);
const browser = await launch();

// Colours of the picture at places on the screen: what is really drawn.
const pixels = (page) => page.evaluate(() => {
  const {stage} = window.cenic, {renderer} = stage;
  stage.render();
  const gl = renderer.getContext(), w = gl.drawingBufferWidth, h = gl.drawingBufferHeight;
  const bytes = new Uint8Array(4 * w * h);
  gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  const colors = new Set();
  let drawn = 0;
  for (let i = 0; i < bytes.length; i += 4) {
    if (bytes[i + 3] > 0) ++drawn;
    colors.add((bytes[i] >> 4) * 256 + (bytes[i + 1] >> 4) * 16 + (bytes[i + 2] >> 4));
  }
  return {drawn: drawn / (w * h), colors: colors.size};
});
const positions = (page) => page.evaluate(() => window.cenic.poses.bodies.map((m) => m.elements.slice(12, 15)));
const time = (page) => page.evaluate(() => window.cenic.player.t);
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
const until = (page, what, argument) => page.waitForFunction(what, argument, {timeout: 60000});
// Draws at a level of quality.
const setLevel = async (page, level) => {
  await page.evaluate((l) => window.cenic.setLevel(l), level);
  await until(page, () => !window.cenic.dirty);
};
// Where a body is on the screen.
const spot = (page, body) => page.evaluate((b) => {
  const {stage, poses} = window.cenic, at = stage.camera.position.clone().setFromMatrixPosition(poses.bodies[b]);
  const area = stage.canvas.getBoundingClientRect();
  at.project(stage.camera);
  return {x: area.left + ((at.x + 1) / 2) * area.width, y: area.top + ((1 - at.y) / 2) * area.height};
}, body);

async function live() {
  const server = await serve(binary, ['view', 'hard_clutter', '--no-open', '--paused', '--port', '0']);
  const page = await openPage(browser, server.url);

  // The scene is drawn: many colours, over much of the picture.
  const picture = await pixels(page);
  assert.ok(picture.drawn > 0.3 && picture.colors > 20, JSON.stringify(picture));

  // Play moves objects, and contacts get arrows.
  const before = await positions(page);
  await page.keyboard.press('Space');
  await until(page, () => window.cenic.player.t > 1.2 && window.cenic.contacts.count > 10);
  const after = await positions(page);
  assert.ok(before.every((p, i) => distance(p, after[i]) > 0.01));
  await page.uncheck('#show-forces');
  await until(page, () => window.cenic.contacts.count === 0);
  await page.check('#show-forces');

  // Scrub lands on the time asked for, and play goes on from there.
  await page.keyboard.press('Space');
  await until(page, () => !window.cenic.source.status.playing);
  await page.evaluate(() => window.cenic.player.scrub(0.5));
  const asked = await time(page);
  assert.ok(Math.abs(asked - 0.5) < 1.5 / 60, `${asked}`);
  const past = await page.evaluate(() => window.cenic.source.history.frames.find((f) => f.t === window.cenic.player.t).poses[2]);
  await until(page, (z) => Math.abs(window.cenic.poses.bodies[0].elements[14] - z) < 1e-6, past);
  await page.keyboard.press('s');  // in the past: the next frame
  const next = await time(page);
  assert.ok(next > asked && next < 0.55, `${next}`);
  // A step from there: what was the present is not seen for a moment.
  await page.evaluate(() => {
    const {player} = window.cenic, {moment} = player;
    window.times = [];
    player.moment = (now) => {
      const shown = moment.call(player, now);
      window.times.push(player.t);
      return shown;
    };
    player.command({do: 'step'});
  });
  await until(page, (from) => window.cenic.player.t > from, next);
  const times = await page.evaluate(() => window.times);
  assert.ok(times.every((t) => t >= next && t < 1), `${times}`);
  assert.ok(await page.evaluate(() => window.cenic.source.history.last.t) < 1);

  // A click selects and names a body.
  const place = await spot(page, 0);
  await page.mouse.click(place.x, place.y);
  await until(page, () => window.cenic.marks.selected >= 0);
  assert.match(await page.textContent('#bodies option:checked'), /object_/);
  assert.match(await page.textContent('#selection'), /kg.*m\/s/);

  // Reset is the start again.
  await page.keyboard.press('Home');
  await until(page, () => window.cenic.player.t === 0);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);  // Ctrl-C is a clean end
}

async function drag() {
  const server = await serve(binary, ['view', 'hard_clutter', '--set', 'count=4', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url);
  await until(page, () => window.cenic.player.t > 3);  // they lie still
  const body = await page.evaluate(() => window.cenic.poses.bodies.reduce(  // the one nearest to the camera
      (best, m, i, all) => (m.elements[12] - m.elements[13] > all[best].elements[12] - all[best].elements[13] ? i : best), 0));
  const place = await spot(page, body), before = (await positions(page))[body];
  await page.keyboard.down('Shift');
  await page.mouse.move(place.x, place.y);
  await page.mouse.down();
  await until(page, () => window.cenic.source.status.grabbed >= 0);
  for (let i = 1; i <= 5; ++i) await page.mouse.move(place.x, place.y - 40 * i);
  await until(page, (z) => window.cenic.poses.bodies[window.cenic.source.status.grabbed].elements[14] > z + 0.05, before[2]);
  const t = await time(page);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  await until(page, (from) => window.cenic.source.status.grabbed < 0 && window.cenic.player.t > from + 0.5, t);
  // A drag ends with its page.
  const other = await openPage(browser, server.url), at = await spot(other, body);
  await other.keyboard.down('Shift');
  await other.mouse.move(at.x, at.y);
  await other.mouse.down();
  await until(page, () => window.cenic.source.status.grabbed >= 0);
  await other.context().close();
  await until(page, () => window.cenic.source.status.grabbed < 0);
  // While it is paused it says so, and Esc lets go.
  await page.evaluate(() => window.cenic.player.pause());
  const again = await spot(page, body);
  await page.keyboard.down('Shift');
  await page.mouse.move(again.x, again.y);
  await page.mouse.down();
  assert.match(await toast(page), /Paused/);
  await page.mouse.move(again.x, again.y - 60);
  await until(page, () => / N$/.test(document.getElementById('pull-scale').textContent));
  await page.evaluate(() => window.cenic.player.play());
  await until(page, () => document.getElementById('toast').hidden && window.cenic.source.status.grabbed >= 0);
  await page.keyboard.press('Escape');
  await until(page, () => window.cenic.source.status.grabbed < 0);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

async function joints() {
  const server = await serve(binary, ['view', 'double_pendulum', '--paused', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url);
  await page.click('#joints-section summary');
  // They stand where the joints are, though nothing moves.
  await until(page, () => {
    const shown = [...document.querySelectorAll('#joints input')].map((input) => input.valueAsNumber);
    const {joints} = window.cenic.source.history.last;
    return Math.max(...joints.map(Math.abs)) > 0.1 && shown.every((x, i) => Math.abs(x - joints[i]) < 1e-6);
  });
  await page.locator('#joints input').first().fill('0.7');
  await until(page, () => Math.abs(window.cenic.source.history.last.joints[0] - 0.7) < 1e-3);
  // The rate dial: a tenth of real time.
  await page.locator('#rate').fill('2');
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.cenic.player.play());
  await until(page, () => window.cenic.source.status.rate === 0.1 && window.cenic.source.status.playing);
  // Never faster; slower where the machine is busy.
  const start = await page.evaluate(() => window.cenic.source.history.last.t), from = Date.now();
  await until(page, (t) => window.cenic.source.history.last.t > t, start + 0.3);
  const rate = ((await time(page)) - start) / ((Date.now() - from) / 1000);
  assert.ok(rate < 0.2, `${rate}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

async function watched() {
  const server = await serve(binary, ['run', 'hard_clutter', '--duration', '1', '--view=0', '--quiet']);
  const page = await openPage(browser, server.url);
  await until(page, () => window.cenic.player.t === 1 && !window.cenic.source.status.playing);
  await page.evaluate(() => window.cenic.source.send({do: 'reset'}));  // not this run
  await page.waitForSelector('#toast[data-kind=bad]:not([hidden])');
  assert.equal(await time(page), 1);
  // Finished, it can be played back, and is then finished again.
  await badge(page, 'finished');
  await page.evaluate(() => (window.cenic.player.setRate(0.02), window.cenic.player.play()));
  await badge(page, 'past');
  await until(page, () => window.cenic.player.t > 0);
  assert.ok((await time(page)) < 1);
  await page.evaluate(() => window.cenic.player.setRate(0));
  await badge(page, 'finished');
  assert.equal(await time(page), 1);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

const toast = (page) => page.evaluate(() => (document.getElementById('toast').hidden ? '' : document.getElementById('toast').textContent));
const badge = (page, text) => until(page, (wanted) => document.getElementById('badge').textContent === wanted, text);
// Runs and writes the page; returns its address.
function writePage(name, args, status = 0) {
  const file = join(folder, `${name}.html`);
  const done = spawnSync(binary, ['run', ...args, '--html', file, '--quiet'], {encoding: 'utf8', cwd: folder});
  assert.equal(done.status, status, done.stderr);
  return {url: pathToFileURL(file).href, errors: done.stderr};
}

// Keys come faster than answers, and belong to what has the focus.
async function keys() {
  const server = await serve(binary, ['view', 'double_pendulum', '--paused', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url);
  const rate = await page.evaluate(() => {
    for (const key of ['-', '-', ' ', ' ', ' ']) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    return window.cenic.player.rate;
  });
  assert.equal(rate, 0.2);
  await until(page, () => window.cenic.source.status.playing && window.cenic.player.t > 0.1);
  await page.focus('#force-scale');
  await page.keyboard.press('Home');
  assert.equal(await page.inputValue('#force-scale'), '-1');
  assert.ok((await time(page)) > 0, 'not reset');
  await page.focus('#show-frames');
  await page.keyboard.press('Space');
  assert.ok(await page.isChecked('#show-frames'));
  assert.ok(await page.evaluate(() => window.cenic.player.playing));
  await page.click('#show-frames');  // what was clicked does not take the key
  await page.keyboard.press('Space');
  assert.ok(!(await page.isChecked('#show-frames')) && !(await page.evaluate(() => window.cenic.player.playing)));
  // What the program does not remember is refused at once, and nothing is forgotten.
  const refused = await page.evaluate(() => {
    const {player, source} = window.cenic, count = player.history.frames.length;
    player.scrub(player.history.last.t / 2);
    source.status.earliest = player.history.last.t;
    return !player.command({do: 'play'}) && !player.following && player.history.frames.length >= count;
  });
  assert.ok(refused);
  assert.match(await toast(page), /only remembers what came after/);
  // Nor does it play what the program refuses.
  await page.evaluate(() => {
    const {player, source} = window.cenic;
    Object.assign(source.status, {earliest: -2});
    Object.assign(player, {following: false, t: -1});
    player.command({do: 'play'});
  });
  await until(page, () => window.cenic.player.asked === null && !window.cenic.player.following && !window.cenic.source.status.playing);
  assert.match(await toast(page), /not in the history/);
  // Another page resets: there is no such time any more.
  const other = await openPage(browser, server.url);
  await other.click('#reset');
  await until(page, () => /^0.00 . 0.00 s/.test(document.getElementById('clock').textContent));
  assert.deepEqual(page.problems, []);
  for (const p of [page, other]) await p.context().close();
  assert.equal(await server.stop(), 0);
}

// Sliders of inputs stand where the simulation has them, whoever set them, and go as far as it follows.
async function inputs() {
  const model = join(folder, 'motor.xml');
  writeFileSync(model, `<mujoco><worldbody><body><joint name="a_long_name_of_a_joint_left" axis="0 1 0"/><geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>
    </body></worldbody><actuator><motor name="m" joint="a_long_name_of_a_joint_left" ctrlrange="-3 2"/></actuator></mujoco>`);
  const server = await serve(binary, ['view', model, '--paused', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url), other = await openPage(browser, server.url);
  const read = () => {
    const {min, max, value} = document.querySelector('#inputs input');
    return [min, max, value].map(Number);
  };
  assert.deepEqual(await page.evaluate(read), [-3, 2, 0]);
  for (const p of [page, other]) await p.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
  await page.locator('#inputs input').fill('1.5');
  await until(other, () => document.querySelector('#inputs input').valueAsNumber === 1.5);
  // A joint that was set is not held after that: it moves with the simulation.
  const box = await page.locator('#joints input').boundingBox();
  await page.mouse.click(box.x + 0.8 * box.width, box.y + box.height / 2);
  await until(page, () => window.cenic.source.history.last.joints[0] > 0.5);
  await page.click('#reset');
  await until(page, () => Math.abs(document.querySelector('#joints input').valueAsNumber) < 1e-6 &&
                          document.querySelector('#inputs input').valueAsNumber === 0);
  assert.match(await page.getAttribute('#joints .name', 'title'), /a_long_name_of_a_joint_left/);
  assert.deepEqual([...page.problems, ...other.problems], []);
  for (const p of [page, other]) await p.context().close();
  assert.equal(await server.stop(), 0);
}

// A run that failed says so, wherever it is seen; one that was never begun claims nothing.
async function failures() {
  const failing = ['hard_clutter', '--set', 'integrator.min_step=1e-3', '--accuracy', '1e-9'];
  const {url, errors} = writePage('failed', failing, 4);
  const page = await openPage(browser, `${url}#t=9`);
  await badge(page, 'stopped');
  const reason = await toast(page);
  assert.ok(reason.length > 20 && errors.includes(reason), reason);
  const last = await page.evaluate(() => window.cenic.source.history.last.t);
  assert.ok(reason.includes(`t = ${last.toPrecision(3).slice(0, 4)}`), `${last}: ${reason}`);
  await page.click('#toast');
  assert.equal(await toast(page), '');
  await page.context().close();

  const server = await serve(binary, ['view', ...failing, '--no-open', '--port', '0']);
  const live = await openPage(browser, server.url);
  await badge(live, 'stopped');
  assert.ok((await toast(live)).length > 20);
  await live.click('#step');  // the same again
  await live.evaluate(() => window.cenic.source.send({do: 'pause'}));
  await live.click('#reset');
  await until(live, () => !window.cenic.source.status.failure && document.getElementById('toast').hidden);
  // The program ends: what was seen stays.
  assert.equal(await server.stop(), 0);
  await badge(live, 'not connected');
  assert.match(await toast(live), /has ended/);
  assert.ok(await live.evaluate(() => !window.cenic.player.playing && document.getElementById('reset').disabled));
  await live.context().close();

  const still = await openPage(browser, writePage('still', ['bouncing_ball', '--duration', '0']).url);
  await until(still, () => document.querySelectorAll('.plot output')[2].textContent.startsWith('10.'));  // m g (h + r)
  assert.match(await still.locator('.plot output').nth(3).textContent(), /^–/);
  assert.deepEqual([...page.problems, ...still.problems], []);
  await still.context().close();
}

// Colours and arrows mean the same whatever was looked at before; what is selected can be seen.
async function meanings() {
  const hydro = await openPage(browser, `${writePage('colours', ['hydro_mesh', '--duration', '1']).url}#t=1&quality=full`);
  await until(hydro, () => window.cenic.contacts.polygons > 3);
  assert.ok(await hydro.evaluate(() => {
    const {contacts, source} = window.cenic;
    return contacts.highest === Math.max(...source.history.frames.flatMap((f) => [...f.polygons.pressures]));
  }));
  assert.match(await hydro.textContent('#pressure-scale'), /pressure.* kPa/);
  await hydro.context().close();

  const {url} = writePage('arrows', ['hard_clutter', '--duration', '3']);
  const page = await openPage(browser, `${url}#t=3&quality=full`);
  await until(page, () => window.cenic.contacts.count > 10 && !window.cenic.dirty);
  const {lowest, longest, all} = await page.evaluate(() => {
    const {contacts, scene, player, stage} = window.cenic, {ids, count} = player.moment(0).a.contacts;
    const corners = contacts.arrows.mesh.geometry.attributes.position.array, rises = [], lengths = [];
    for (let i = 0; i < count; ++i) {
      const from = [0, 1, 2].map((k) => (corners[27 * i + k] + corners[27 * i + 3 + k]) / 2), tip = corners.slice(27 * i + 24, 27 * i + 27);
      const isFloor = [10, 11].some((k) => scene.geometries[ids[12 * i + k]].body < 0) && from[2] < 0.005;
      if (isFloor) rises.push(tip[2] - from[2]);
      lengths.push(Math.hypot(...from.map((x, k) => tip[k] - x)));
    }
    return {lowest: Math.min(...rises), longest: Math.max(...lengths), all: 0.4 * stage.radius};
  });
  assert.ok(lowest > -1e-6, `the floor pushes up: ${lowest}`);
  assert.ok(longest <= 1.001 * all, `${longest} of ${all}`);
  assert.match(await page.textContent('#force-scale-bar'), /\d N/);
  // Each body can be chosen, and has an outline; the panel stays where it is.
  const place = await page.locator('#plots').boundingBox(), before = await look(page);
  const sphere = await page.evaluate(() => window.cenic.scene.geometries.find((g) => g.kind === 'sphere' && g.body >= 0).body);
  await page.selectOption('#bodies', String(sphere));
  await until(page, () => !window.cenic.dirty);
  assert.ok(difference(before, await look(page)) > 0.02);
  assert.deepEqual(await page.locator('#plots').boundingBox(), place);
  await page.keyboard.press('f');
  assert.ok(await page.evaluate((body) => window.cenic.stage.controls.target.distanceTo(window.cenic.findPlace(body)) < 1e-9, sphere));
  await page.evaluate(() => window.cenic.player.scrub(0.3));
  await until(page, () => !window.cenic.dirty);
  assert.ok(await page.evaluate((body) => window.cenic.stage.controls.target.distanceTo(window.cenic.findPlace(body)) < 1e-9, sphere));
  // All plots have the same times; labels are whole, and at least two.
  const axes = await page.evaluate(() => window.cenic.plots.plots.map(({plot}) => {
    const [x, y] = plot.axes, pen = document.createElement('canvas').getContext('2d');
    pen.font = '10px system-ui, sans-serif';
    return {span: [plot.scales.x.min, plot.scales.x.max], unit: x._values.at(-1), labels: y._values.length,
            room: y._size - Math.max(...y._values.map((text) => pen.measureText(text).width))};
  }));
  for (const {span, unit, labels, room} of axes) {
    assert.deepEqual(span, [0, 3]);
    assert.match(unit, / s$/);
    assert.ok(labels >= 2 && room >= 0, JSON.stringify(axes));
  }
  assert.deepEqual([...hydro.problems, ...page.problems], []);
  await page.context().close();
}

// Scenes and places that are seldom.
async function corners() {
  // What is behind something that can be seen through is clicked.
  const glass = join(folder, 'glass.xml');
  writeFileSync(glass, `<mujoco><worldbody><geom type="box" size="2 0.02 2" pos="0 -0.5 0" rgba="1 1 1 0.2"/>
    <body name="ball"><freejoint/><geom size="0.2"/></body></worldbody></mujoco>`);
  const page = await openPage(browser, `${writePage('glass', [glass, '--duration', '0']).url}#az=-90&el=5`);
  const place = await spot(page, 0);
  await page.mouse.click(place.x, place.y);
  assert.equal(await page.evaluate(() => window.cenic.marks.selected), 0);
  // The grid of a scene without a floor is below what moves.
  assert.ok(await page.evaluate(() => window.cenic.stage.grid.position.z <= -0.2));
  await page.context().close();

  const empty = join(folder, 'empty.xml');
  writeFileSync(empty, '<mujoco><worldbody/></mujoco>');
  const nothing = await openPage(browser, writePage('empty', [empty, '--duration', '0']).url);
  assert.match(await toast(nothing), /nothing to see/);
  await nothing.context().close();

  // In a frame of another page, which may not remember anything.
  const outer = join(folder, 'outer.html');
  writeFileSync(outer, '<iframe sandbox="allow-scripts" src="glass.html" width="800" height="500"></iframe>');
  const context = await browser.newContext(), framed = await context.newPage();
  await framed.goto(pathToFileURL(outer).href);
  await framed.frameLocator('iframe').locator('#badge').filter({hasText: 'replay'}).waitFor({timeout: 60000});
  await framed.frameLocator('iframe').locator('#theme').click();
  await context.close();
  assert.deepEqual([...page.problems, ...nothing.problems], []);
}

async function patches() {
  const file = join(folder, 'hydro.html');
  const done = spawnSync(binary, ['run', 'hydro_mesh', '--duration', '1', '--html', file, '--quiet'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const page = await openPage(browser, `${pathToFileURL(file)}#t=1`, {offline: true});
  await until(page, () => window.cenic.contacts.polygons > 3);
  // The patches lie on the floor.
  const height = await page.evaluate(() => {
    const {corners} = window.cenic.player.moment(0).a.polygons;
    return Math.max(...corners.filter((x, i) => i % 3 === 2).map(Math.abs));
  });
  assert.ok(height < 0.02, `${height}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// A recording shows contact surfaces as the live scene does.
async function recorded() {
  const file = join(folder, 'hydro.h5');
  const done = spawnSync(binary, ['run', 'hydro_mesh', '--duration', '1', '--record', file, '--quiet'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  const server = await serve(binary, ['view', file, '--no-open', '--port', '0']);
  const page = await openPage(browser, `${server.url}#t=1`);
  await until(page, () => window.cenic.player.t === 1 && window.cenic.contacts.polygons > 3);
  const height = await page.evaluate(() => Math.max(
      ...window.cenic.player.moment(0).a.polygons.corners.filter((x, i) => i % 3 === 2).map(Math.abs)));
  assert.ok(height < 0.02, `${height}`);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

async function replay() {
  const file = join(folder, 'replay.html');
  const done = spawnSync(binary, ['run', 'hard_clutter', '--html', file, '--json'], {encoding: 'utf8'});
  assert.equal(done.status, 0, done.stderr);
  assert.ok(statSync(file).size < 3e6);
  const page = await openPage(browser, pathToFileURL(file).href, {offline: true, colorScheme: 'dark'});
  assert.equal(await page.getAttribute('html', 'data-theme'), 'dark');
  await until(page, () => window.cenic.player.t > 0.5);  // it plays
  await page.evaluate(() => (window.cenic.player.pause(), window.cenic.player.scrub(7.25)));
  await until(page, () => document.getElementById('clock').textContent.startsWith('7.25'));
  assert.equal(await time(page), 7.25);
  // The pause does not count as slow drawing.
  const counted = await page.evaluate(() => window.cenic.rateFrom[0]);
  await until(page, (from) => window.cenic.rateFrom[0] > from, counted);
  await until(page, () => window.cenic.contacts.count > 10);
  // The last step's numbers, though none ended in this frame.
  const readings = await page.evaluate(async () => {
    const {player, source} = window.cenic;
    player.scrub(source.history.frames.find((f) => f.t > 7 && f.steps.length === 0).t);
    for (let i = 0; i < 3; ++i) await new Promise((done) => requestAnimationFrame(done));
    return [...document.querySelectorAll('.plot output')].map((o) => o.textContent);
  });
  for (const text of readings) assert.match(text, /^[-0-9]/);
  const picture = await pixels(page);
  assert.ok(picture.drawn > 0.3 && picture.colors > 20, JSON.stringify(picture));
  // Poses are those of the run, to the bits that are kept.
  await page.evaluate(() => window.cenic.player.scrub(10));
  await until(page, () => window.cenic.player.t === 10 && !window.cenic.dirty);
  const final = JSON.parse(done.stdout).final.q;
  (await positions(page)).forEach((p, i) => assert.ok(distance(p, final.slice(7 * i + 4, 7 * i + 7)) < 1e-4));
  // Steps, too.
  const steps = await page.evaluate(() => window.cenic.source.history.frames.reduce((n, f) => n + f.steps.length / 4, 0));
  assert.equal(steps, JSON.parse(done.stdout).steps);
  assert.deepEqual(page.requests, [pathToFileURL(file).href]);
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

// What a page shows when it opens: all parts, at the start as well.
async function opening() {
  for (const [scene, hash] of [['newton_cradle', ''], ['bouncing_ball', ''], ['bouncing_ball', '&az=abc&zoom=0']]) {
    const file = join(folder, `${scene}.html`);
    const done = spawnSync(binary, ['run', scene, '--html', file, '--quiet'], {encoding: 'utf8'});
    assert.equal(done.status, 0, done.stderr);
    const page = await openPage(browser, `${pathToFileURL(file)}#t=0${hash}`, {offline: true});
    await until(page, () => !window.cenic.dirty);
    assert.ok(await page.evaluate(() => window.cenic.bodies.entries.every((e) => window.cenic.bodies.isShown(e))), scene);
    const area = await page.locator('#view').boundingBox(), at = await spot(page, 0);
    assert.ok(at.x > area.x && at.x < area.x + area.width && at.y > area.y && at.y < area.y + area.height,
              `${scene} ${hash}: ${JSON.stringify(at)} in ${JSON.stringify(area)}`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
}

// A thousand objects cost a handful of draw calls and few triangles, and less with each level of simpler drawing. Counted,
// not timed: the machine that tests may have no graphics card.
async function many() {
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
  assert.match(plain.hint, /left away: shadows\./);
  assert.match(quarter.hint, /shadows, gloss and .*, round outlines and walls, half of the pixels, half of the rest/);
  // What is left away changes little: objects are where they were, with their colours. Walls aside.
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

// The picture in squares of a 48th of its width: mean colours.
const look = (page) => page.evaluate(() => {
  const {stage} = window.cenic, small = document.createElement('canvas'), pen = small.getContext('2d');
  stage.render();
  small.width = small.height = 48;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(stage.canvas, 0, 0, 48, 48);
  return [...pen.getImageData(0, 0, 48, 48).data];
});
const difference = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / a.length;

// The choice of the level, second by second, on machines of which the speed is known.
function choice() {
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
async function textures() {
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

let failed = 0;
const only = process.argv[3];
for (const test of [live, drag, joints, keys, inputs, watched, failures, meanings, corners, patches, recorded, replay, opening, many, choice, textures]) {
  if (only && test.name !== only) continue;
  const from = Date.now();
  try {
    await test();
    console.log(`ok      ${test.name} (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${test.name}: ${error.stack}`);
  }
}
await browser.close();
rmSync(folder, {recursive: true});
process.exit(failed ? 1 : 0);
