// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A real browser for tests and screenshots: Debian's chromium as it starts by itself. Without a graphics card it draws
// WebGL with SwiftShader, and puts the page together in software.
import {spawn, spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

const web = join(dirname(fileURLToPath(import.meta.url)), '../../../src/viewer/web');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const SKIPPED = 77;  // the exit code that ctest takes for it

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(SKIPPED);
}

export async function launch() {
  const library = join(web, 'node_modules/playwright-core/index.mjs');
  if (!existsSync(library)) skip("playwright-core is not there; 'make page' installs it");
  if (!existsSync(CHROMIUM)) skip(`${CHROMIUM} is not there; install Debian's chromium`);
  const {chromium} = await import(pathToFileURL(library));
  return chromium.launch({executablePath: CHROMIUM, args: ['--no-sandbox']});
}

// Without a page there is nothing to test.
export function requirePage(binary) {
  const done = spawnSync(binary, ['run', 'bouncing_ball', '--duration', '0', '--html', '/dev/null', '--quiet'], {encoding: 'utf8'});
  if (done.stderr.includes('page for the browser')) skip(done.stderr.trim());
}

// Starts `cenic` with the arguments and waits for the line with the address of the page.
export async function serve(binary, args) {
  const child = spawn(binary, args, {stdio: ['ignore', 'pipe', 'pipe']});
  let errors = '';
  child.stderr.on('data', (bytes) => (errors += bytes));
  const url = await new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (bytes) => {
      out += bytes;
      const found = out.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.on('exit', (code) => reject(new Error(`cenic ended with ${code}: ${errors}`)));
  });
  const stop = () => new Promise((resolve) => {
    child.on('exit', (code) => resolve(code));
    child.kill('SIGINT');
  });
  return {url, stop, pid: child.pid};
}

// How the browser itself gets at the canvas where it has no graphics card: nothing that the page does.
const NOISE = /GPU stall due to ReadPixels/;

// A page on which any message of the console or error is remembered.
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({viewport: {width: 900, height: 600}, ...options});
  const page = await context.newPage();
  page.problems = [];
  page.requests = [];
  page.on('console', (m) => ['error', 'warning'].includes(m.type()) && !NOISE.test(m.text()) && page.problems.push(m.text()));
  page.on('pageerror', (e) => page.problems.push(String(e)));
  page.on('request', (r) => page.requests.push(r.url()));
  await page.goto(url);
  await page.waitForFunction(() => window.cenic?.pictures > 0, null, {timeout: 60000});
  return page;
}
