// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page of a running simulation.
import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openPage, serve} from './browser.mjs';
import {binary, folder, browser, pixels, positions, time, distance, until, spot, toast, badge, writePage} from './helpers.mjs';

export async function live() {
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

export async function drag() {
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
  await until(page, () => document.getElementById('pull-scale').textContent === 'pulled by another page');
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
  // What the simulation has let go is not drawn as if it were pulled.
  const last = await spot(page, body);
  await page.mouse.move(last.x, last.y);
  await page.mouse.down();
  await until(page, () => window.cenic.pointer.grabbed && window.cenic.source.told.grabbed >= 0);
  await page.keyboard.press('Home');
  await until(page, () => !window.cenic.pointer.grabbed && window.cenic.source.told.grabbed < 0 && document.getElementById('pull-scale').hidden);
  await page.mouse.up();
  await page.keyboard.up('Shift');
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

export async function joints() {
  const server = await serve(binary, ['view', 'double_pendulum', '--paused', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url);
  await page.click('#joints-section summary');
  // They stand where the joints are, though nothing moves.
  await until(page, () => {
    const shown = [...document.querySelectorAll('#joints input')].map((input) => input.valueAsNumber);
    const {joints} = window.cenic.source.history.last;
    return Math.max(...joints.map(Math.abs)) > 0.1 && shown.every((x, i) => Math.abs(x - joints[i]) < 1e-6);
  });
  // Their numbers are whole; noise is none.
  const shown = await page.evaluate(() => [-8.8e-5, -3e-14].map((x) => {
    const output = document.querySelector('#joints output');
    window.cenic.panels.joints[0].set(x);
    return [output.textContent, output.scrollWidth <= output.clientWidth];
  }));
  assert.deepEqual(shown, [['-8.8e-5 rad', true], ['0 rad', true]]);
  // Where nothing bounds a joint the slider goes along with it, and comes back.
  const ranges = await page.evaluate(() => [20, 21, 0].map((x) => {
    const {input, set} = window.cenic.panels.joints[0];
    set(x);
    return [+input.min, +input.max].map((end) => Math.round(10 * end));
  }));
  assert.deepEqual(ranges, [[169, 231], [169, 231], [-31, 31]]);
  // What is set took no time: it has no speed.
  await page.selectOption('#bodies', '0');
  assert.match(await page.textContent('#selection'), /– m\/s, – rad\/s/);
  await page.keyboard.press('s');
  await until(page, () => /speed[0-9.e-]+ m\/s, [0-9.e-]+ rad\/s/.test(document.getElementById('selection').textContent));
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

export async function watched() {
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
  // It cannot start again, but its start can be seen; who steps to the end is there.
  await page.keyboard.press('Home');
  await badge(page, 'past');
  assert.equal(await time(page), 0);
  await page.evaluate(() => {  // keys faster than pictures
    for (const key of ['End', 'ArrowLeft']) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
  });
  await badge(page, 'past');
  assert.ok((await time(page)) > 0.9);
  await page.keyboard.press('s');
  await badge(page, 'finished');
  assert.equal(await time(page), 1);
  assert.deepEqual(page.problems, []);
  await page.context().close();
  assert.equal(await server.stop(), 0);
}

// Keys come faster than answers, and belong to what has the focus.
export async function keys() {
  const server = await serve(binary, ['view', 'double_pendulum', '--paused', '--no-open', '--port', '0']);
  const page = await openPage(browser, server.url);
  const rate = await page.evaluate(() => {
    for (const key of ['-', '-', ' ', ' ', ' ']) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
    return window.cenic.player.rate;
  });
  assert.equal(rate, 0.2);
  // Nor does an answer to the first of two undo the second.
  const shown = await page.evaluate(async () => {
    const {player, source} = window.cenic, {onStatus} = source, rates = [];
    source.onStatus = () => (rates.push(player.rate), onStatus());
    for (const value of [0.5, 1, 0.2]) player.setRate(value);
    while (source.asked.length) await new Promise((done) => setTimeout(done, 5));
    source.onStatus = onStatus;
    return rates.slice(3);
  });
  assert.ok(shown.length >= 3 && shown.every((value) => value === 0.2), `${shown}`);
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
  // Nor does a slider that was clicked: an arrow is a frame. By keys it can be reached and moved.
  const frame = () => page.evaluate(() => window.cenic.player.history.find(window.cenic.player.t));
  await page.click('#time');
  const clicked = await frame();
  assert.ok(clicked > 1, `${clicked}`);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await frame(), clicked - 1);
  await page.click('#rate', {position: {x: 12, y: 5}});
  const dialled = await page.evaluate(() => window.cenic.player.rate);
  assert.ok(dialled < 0.2, `${dialled}`);
  await page.keyboard.press('ArrowRight');
  assert.equal(await frame(), clicked);
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowRight');
  assert.ok((await page.evaluate(() => window.cenic.player.rate)) > dialled);
  // What the program does not remember is refused at once, and nothing is forgotten.
  const refused = await page.evaluate(() => {
    const {player, source} = window.cenic, count = player.history.frames.length;
    player.scrub(player.history.last.t / 2);
    source.told.earliest = player.history.last.t;
    return !player.command({do: 'play'}) && !player.following && player.history.frames.length >= count;
  });
  assert.ok(refused);
  assert.match(await toast(page), /only remembers what came after/);
  // Nor does it play what the program refuses.
  await page.evaluate(() => {
    const {player, source} = window.cenic;
    Object.assign(source.told, {earliest: -2});
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
export async function inputs() {
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

// Scenes and places that are seldom.
export async function corners() {
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
