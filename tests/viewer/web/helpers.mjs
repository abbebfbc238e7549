// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What the tests of the page share: the program, the browser, and questions to a page.
import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch, requirePage} from './browser.mjs';

export const binary = process.argv[2];
export const folder = mkdtempSync(join(tmpdir(), 'cenic_page_'));
requirePage(binary);
export const browser = await launch();

// Colours of the picture at places on the screen: what is really drawn.
export const pixels = (page) => page.evaluate(() => {
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

export const positions = (page) => page.evaluate(() => window.cenic.poses.bodies.map((m) => m.elements.slice(12, 15)));
export const time = (page) => page.evaluate(() => window.cenic.player.t);
export const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
export const until = (page, what, argument) => page.waitForFunction(what, argument, {timeout: 60000});

// Draws at a level of quality.
export const setLevel = async (page, level) => {
  await page.evaluate((l) => window.cenic.setLevel(l), level);
  await until(page, () => !window.cenic.dirty);
};

// Where a body is on the screen.
export const spot = (page, body) => page.evaluate((b) => {
  const {stage, poses} = window.cenic, at = stage.camera.position.clone().setFromMatrixPosition(poses.bodies[b]);
  const area = stage.canvas.getBoundingClientRect();
  at.project(stage.camera);
  return {x: area.left + ((at.x + 1) / 2) * area.width, y: area.top + ((1 - at.y) / 2) * area.height};
}, body);

export const toast = (page) => page.evaluate(() => (document.getElementById('toast').hidden ? '' : document.getElementById('toast').textContent));
export const badge = (page, text) => until(page, (wanted) => document.getElementById('badge').textContent === wanted, text);

// Runs and writes the page; returns its address.
export function writePage(name, args, status = 0) {
  const file = join(folder, `${name}.html`);
  const done = spawnSync(binary, ['run', ...args, '--html', file, '--quiet'], {encoding: 'utf8', cwd: folder});
  assert.equal(done.status, status, done.stderr);
  return {url: pathToFileURL(file).href, errors: done.stderr};
}

// The picture in squares of a 48th of its width: mean colours.
export const look = (page) => page.evaluate(() => {
  const {stage} = window.cenic, small = document.createElement('canvas'), pen = small.getContext('2d');
  stage.render();
  small.width = small.height = 48;
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(stage.canvas, 0, 0, 48, 48);
  return [...pen.getImageData(0, 0, 48, 48).data];
});

export const difference = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / a.length;
