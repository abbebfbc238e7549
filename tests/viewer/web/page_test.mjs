// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page as people use it: page_test.mjs BINARY [TEST]. Exit code 77: skipped.
import {rmSync} from 'node:fs';
import {live, drag, joints, keys, inputs, watched, corners} from './live_tests.mjs';
import {failures, meanings, patches, recorded, still, far, replay, falling, opening} from './file_tests.mjs';
import {many, choice, grid, textures} from './drawing_tests.mjs';
import {browser, folder} from './helpers.mjs';

const tests = [live, drag, joints, keys, inputs, watched, failures, meanings, corners, patches, recorded, still, far, replay, falling, opening, many,
               choice, grid, textures];
let failed = 0;
const only = process.argv[3];
for (const test of tests) {
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
