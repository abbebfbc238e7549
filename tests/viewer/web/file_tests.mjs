// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page of replays and recordings, and what it says.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openPage, serve} from './browser.mjs';
import {
  binary, folder, browser, pixels, positions, time, distance, until, spot, toast, badge, writePage, look, difference,
} from './helpers.mjs';

// A run that failed says so, wherever it is seen; one that was never begun claims nothing.
export async function failures() {
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
  await live.click('#step');  // the same again, which is said again
  await live.click('#toast');
  assert.equal(await toast(live), '');
  await live.click('#play');
  await until(live, () => !document.getElementById('toast').hidden);
  await live.evaluate(() => window.cenic.source.send({do: 'pause'}));
  await live.click('#reset');
  await until(live, () => !window.cenic.source.status.failure && document.getElementById('toast').hidden);
  await live.click('#step');
  await until(live, () => window.cenic.source.history.frames.length > 1);
  // The program ends: what was seen stays.
  assert.equal(await server.stop(), 0);
  await badge(live, 'not connected');
  assert.match(await toast(live), /has ended/);
  assert.ok(await live.evaluate(() => !window.cenic.player.playing && document.getElementById('reset').disabled));
  // It is played back, though somebody asks for something that nobody does any more.
  await live.evaluate(() => (window.cenic.player.scrub(0), window.cenic.player.command({do: 'step'}), window.cenic.player.play()));
  await until(live, () => window.cenic.player.t > 0);
  await live.context().close();

  const still = await openPage(browser, writePage('still', ['bouncing_ball', '--duration', '0']).url);
  await until(still, () => document.querySelectorAll('.plot output')[2].textContent.startsWith('10.'));  // m g (h + r)
  assert.match(await still.locator('.plot output').nth(3).textContent(), /^–/);
  assert.deepEqual([...page.problems, ...still.problems], []);
  await still.context().close();
}

// Colours and arrows mean the same whatever was looked at before; what is selected can be seen.
export async function meanings() {
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
  // All plots have the same times, below each other; labels are whole, at least two, and apart, whatever the scale is.
  const axes = await page.evaluate(() => window.cenic.plots.plots.map(({plot}) => {
    const [x, y] = plot.axes, pen = document.createElement('canvas').getContext('2d');
    pen.font = '10px system-ui, sans-serif';
    const span = [plot.scales.x.min, plot.scales.x.max], unit = x._values.at(-1), {left, right} = plot.over.getBoundingClientRect();
    const labels = y._values.length, room = y._size - Math.max(...y._values.map((text) => pen.measureText(text).width));
    const gaps = [[200, 5000], [0.6, 60], [1, 9], [3e-8, 2e-3], [0.01, 0.1], [0.4, 1.3]].map((ends) => {
      plot.batch(() => plot.setData([[0, 3], ends]));
      const rows = y._splits.map((value) => plot.valToPos(value, 'y'));
      return Math.min(...rows.slice(1).map((row, i) => rows[i] - row));
    });
    return {span, unit, gaps, labels, room, left, right};
  }));
  assert.match(axes.at(-1).unit, / s$/);
  for (const {span, gaps, labels, room, left, right} of axes) {
    assert.deepEqual([...span, left, right], [0, 3, axes[0].left, axes[0].right]);
    assert.ok(labels >= 2 && room >= 0 && gaps.every((gap) => gap > 13 && gap < 48), JSON.stringify(axes));
  }
  assert.deepEqual([...hydro.problems, ...page.problems], []);
  await page.context().close();
}

export async function patches() {
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
export async function recorded() {
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

// A recording knows what can move: forces are drawn on that, and the picture is around it.
export async function still() {
  const model = join(folder, 'still.xml'), file = join(folder, 'still.h5');
  writeFileSync(model, `<mujoco><worldbody>
    <body name="wall" pos="3 0 0"><geom type="box" size=".1 4 2"/></body>
    <body name="cube" pos="0 0 .5449"><freejoint/><geom type="box" size=".025 .025 .025"/></body>
    <body name="table"><geom type="box" size=".2 .2 .02" pos="0 0 .5"/></body></worldbody></mujoco>`);
  const {url} = writePage('still', [model, '--duration', '1', '--record', file]);
  const server = await serve(binary, ['view', file, '--no-open', '--port', '0']);
  const seen = [];
  for (const address of [url, server.url]) {
    const page = await openPage(browser, `${address}#t=0.5`);
    await until(page, () => window.cenic.contacts.count === 4);
    seen.push(await page.evaluate(() => {
      const {bodies, poses, stage} = window.cenic;
      return {moving: bodies.movers, places: poses.bodies.map((m) => m.elements.slice(12, 15).map((x) => x.toFixed(4))),
              distance: stage.camera.position.length().toFixed(3)};
    }));
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
  assert.deepEqual(seen[0].moving, [1]);
  assert.deepEqual(seen[1], seen[0]);
  assert.equal(await server.stop(), 0);
}

// Poses are as exact when something goes far in the same run, as far as numbers of 32 bits are.
export async function far() {
  const model = join(folder, 'far.xml');
  writeFileSync(model, `<mujoco><option gravity="0 0 0"/><worldbody>
    <body pos="0.1 0 0"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body></worldbody>
    <keyframe><key name="slow" qvel="5"/><key name="fast" qvel="400"/></keyframe></mujoco>`);
  for (const [name, speed, exact] of [['slow', 5, 5e-5], ['fast', 400, 5e-3]]) {
    const {url} = writePage(`far_${name}`, [model, '--keyframe', name, '--duration', '90']), page = await openPage(browser, `${url}#t=0`);
    const worst = await page.evaluate((v) => Math.max(...window.cenic.source.history.frames.flatMap(
        ({t, poses, joints}) => [Math.abs(poses[0] - 0.1 - v * t), Math.abs(joints[0] - v * t)])), speed);
    assert.ok(worst < exact, `${name}: ${worst} m`);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  }
}

export async function replay() {
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

// A body that falls: its speed is that of the moment shown, also between two frames and in the first and last one.
export async function falling() {
  const model = join(folder, 'falling.xml');
  writeFileSync(model, '<mujoco><worldbody><body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>');
  const {url} = writePage('falling', [model, '--duration', '1']), page = await openPage(browser, `${url}#t=0`);
  await page.keyboard.press('f');
  assert.match(await toast(page), /Select a body/);
  for (const t of [0, 0.5, 0.505, 1]) {
    const speed = await page.evaluate((moment) => {
      window.cenic.player.scrub(moment);
      window.cenic.select(0);
      return parseFloat(document.querySelector('#selection').textContent.match(/speed(.*) m/)[1]);
    }, t);
    assert.ok(Math.abs(speed - 9.81 * t) < 0.02, `${speed} m/s at ${t} s`);
  }
  assert.equal(await toast(page), '');  // one is selected
  await page.context().close();
  // Out of the picture: the page says so, and what helps.
  const near = await openPage(browser, `${url}#t=0&zoom=8`), says = (wanted) => until(near, (text) => {
    const box = document.getElementById('toast');
    return box.hidden ? !text : text && box.textContent.startsWith(text);
  }, wanted);
  for (const t of [0, 1]) {
    await near.evaluate((moment) => window.cenic.player.scrub(moment), t);
    await says('All that moves is out of sight');
    await near.keyboard.press('r');
    await says('');
  }
  assert.deepEqual([...page.problems, ...near.problems], []);
  await near.context().close();
}

// What a page shows when it opens: all parts, at the start as well.
export async function opening() {
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
