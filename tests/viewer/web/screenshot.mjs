// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// screenshot.mjs FILE#HASH PICTURE: a replay page as it looks, with its first body selected.
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {launch, openPage} from './browser.mjs';

const [file, hash] = process.argv[2].split('#');
const browser = await launch();
const page = await openPage(browser, `${pathToFileURL(resolve(file))}#${hash}`, {viewport: {width: 1024, height: 780}});
await page.evaluate(() => window.cenic.select(window.cenic.scene.bodies.findLastIndex((b) => b.slot >= 0)));
await page.waitForTimeout(1500);
await page.screenshot({path: process.argv[3]});
if (page.problems.length) throw new Error(page.problems.join('\n'));
await browser.close();
