// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Makes dist/page.html: markup, style and scripts in one file that needs no network.
import {build} from 'esbuild';
import {mkdir, readFile, writeFile} from 'node:fs/promises';

const bundle = async (entry, options) => {
  const result = await build({entryPoints: [entry], bundle: true, minify: true, write: false, target: 'es2022',
                              legalComments: 'none', ...options});
  return result.outputFiles[0].text.trim();
};

const script = await bundle('src/main.js', {format: 'iife'});
const style = await bundle('src/style.css', {});
const html = await readFile('src/index.html', 'utf8');
const licenses = '<!-- contains three.js (MIT, three.js authors) and uPlot (MIT, Leon Sorokin) -->';
const page = html.replace('<!--style-->', () => `<style>${style}</style>`)
                 .replace('<!--script-->', () => `${licenses}\n<script>${script}</script>`);
await mkdir('dist', {recursive: true});
await writeFile('dist/page.html', page);
console.log(`dist/page.html: ${(page.length / 1024).toFixed(0)} KiB`);
