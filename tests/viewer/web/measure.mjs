// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// measure.mjs FILE [LEVELS [SECONDS]]: what pictures of a replay cost, level by level (src/viewer/web/src/quality.js;
// '4,5,auto' for some alone). It plays slowly from its middle for some seconds with each. 'auto': as a user has it, with
// the level that the page chooses.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch, openPage} from './browser.mjs';

const levels = (process.argv[3] ?? '0,1,2,3,4,5,auto').split(','), seconds = Number(process.argv[4] ?? 3);
const browser = await launch();
const system = await browser.newBrowserCDPSession();
const page = await openPage(browser, pathToFileURL(resolve(process.argv[2])).href, {viewport: {width: 1280, height: 800}});

// Processor time of all threads of the browser, s.
async function processorTime() {
  const {processInfo} = await system.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, p) => sum + p.cpuTime, 0);
}

async function measure(level) {
  const auto = level === 'auto';
  await page.evaluate((keep) => {
    const app = window.cenic, {first, last} = app.source.history;
    app.view.full = keep !== null;  // not judged
    app.setLevel(keep ?? app.quality.best);
    app.player.setRate(0.02);
    app.player.scrub((first.t + last.t) / 2);
    app.player.play();
  }, auto ? null : Number(level));
  await page.waitForTimeout(auto ? 6000 : 1500);  // compiles; chooses
  const read = () => page.evaluate(() => [window.cenic.pictures, performance.now()]);
  const used = await processorTime(), [count, from] = await read();
  await page.waitForTimeout(1000 * seconds);
  const usedMore = await processorTime(), [countMore, to] = await read();
  const rest = await page.evaluate(() => {
    const {stage, cost, quality, contacts} = window.cenic, {calls, triangles} = stage.renderer.info.render;
    return {level: quality.level, calls, triangles, contacts: contacts.count,
            pixels: `${stage.canvas.width} x ${stage.canvas.height}`, 'numbers, ms': +cost.toFixed(1)};
  });
  return {...rest, 'processor, ms': Math.round((1000 * (usedMore - used)) / (countMore - count)),
          'pictures/s': +((1000 * (countMore - count)) / (to - from)).toFixed(1)};
}

const rows = [];
for (const level of levels) rows.push(await measure(level));
console.table(rows);
await browser.close();
