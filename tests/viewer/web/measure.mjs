// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// measure.mjs FILE: what a picture of a replay costs the thread of the page, without the drawing itself.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch, openPage} from './browser.mjs';

const browser = await launch();
const page = await openPage(browser, `${pathToFileURL(resolve(process.argv[2]))}#t=0`, {viewport: {width: 1280, height: 800}});
console.log(await page.evaluate(() => {
  const app = window.cenic, {frames} = app.source.history, count = Math.min(50, frames.length - 1);
  const time = (times, what) => {
    const from = performance.now();
    for (let i = 0; i < times; ++i) what(i);
    return (performance.now() - from) / times;
  };
  const numbers = time(count, (i) => app.prepare(frames[i], frames[i + 1], 0.5));
  const drawing = time(3, () => app.stage.render());  // also waits for what draws: means little without a graphics card
  const {calls, triangles} = app.stage.renderer.info.render;
  return {numbers_ms: numbers, drawing_ms: drawing, draw_calls: calls, triangles, contacts: frames[count].contacts.count};
}));
await browser.close();
