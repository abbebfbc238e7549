// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page: its elements and how they look.
#include <string>

#include "viewer/page_data.h"
#include "viewer/page_source.h"

namespace cenic::detail {

const std::string_view kPageStyle = R"css(
:root {
  color-scheme: light dark;
  --ink: #1d2430; --dim: #667085; --panel: rgba(255, 255, 255, 0.82); --edge: rgba(20, 30, 50, 0.13);
  --line: #2a6fdb; --reject: #d92d20; --back: radial-gradient(circle at 50% 35%, #fbfcfd, #d9dfe8);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e8ebf0; --dim: #98a2b3; --panel: rgba(24, 28, 36, 0.82); --edge: rgba(255, 255, 255, 0.12);
    --line: #6ea8fe; --reject: #ff7066; --back: radial-gradient(circle at 50% 35%, #2b313c, #0f1217);
  }
}
* { box-sizing: border-box; }
html, body { margin: 0; height: 100%; overflow: hidden; }
body { background: var(--back); color: var(--ink); font: 14px/1.4 system-ui, sans-serif; }
#view { position: absolute; inset: 0; width: 100%; height: 100%; display: block; cursor: grab; touch-action: none; }
#view:active { cursor: grabbing; }
.panel { position: absolute; background: var(--panel); border: 1px solid var(--edge); border-radius: 10px;
  backdrop-filter: blur(8px); }
#head { left: 16px; top: 16px; padding: 10px 14px; max-width: calc(100% - 32px); }
#head h1 { margin: 0; font-size: 15px; font-weight: 600; }
#head div { color: var(--dim); font-variant-numeric: tabular-nums; }
#help { right: 16px; top: 16px; padding: 8px 12px; color: var(--dim); font-size: 12px; }
#deck { left: 16px; right: 16px; bottom: 16px; padding: 10px 14px 12px; }
#plot { width: 100%; height: 84px; display: block; cursor: pointer; touch-action: none; }
#row { display: flex; align-items: center; gap: 12px; margin-top: 6px; }
#scrub { flex: 1; min-width: 60px; accent-color: var(--line); }
#clock { font-variant-numeric: tabular-nums; min-width: 116px; text-align: right; }
button, select { font: inherit; color: inherit; background: transparent; border: 1px solid var(--edge);
  border-radius: 7px; padding: 4px 10px; cursor: pointer; }
select option { color: #1d2430; background: #fff; }
button:hover, select:hover { border-color: var(--dim); }
button:focus-visible, select:focus-visible, #scrub:focus-visible { outline: 2px solid var(--line); }
#play { width: 74px; }
@media (max-width: 700px) { #help { display: none; } }
)css";

const std::string_view kPageBody = R"html(
<canvas id="view"></canvas>
<div id="head" class="panel"><h1 id="title"></h1><div id="status"></div></div>
<div id="help" class="panel">drag: turn &nbsp; right drag: move &nbsp; wheel: zoom &nbsp; space: play
&nbsp; arrows: frame, speed &nbsp; R: reset view</div>
<div id="deck" class="panel">
  <canvas id="plot" aria-label="step size over time"></canvas>
  <div id="row">
    <button id="play">Play</button>
    <select id="speed" aria-label="speed"></select>
    <input id="scrub" type="range" min="0" max="1" step="any" value="0" aria-label="time">
    <span id="clock"></span>
  </div>
</div>
)html";

std::string make_page(std::string_view title, std::string_view data) {
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
  page += escape_html(title);
  page += "</title>\n<style>";
  page += kPageStyle;
  page += "</style></head><body>";
  page += kPageBody;
  page += "<script>\n'use strict';\nconst DATA = ";
  page += data;
  page += ";\n";
  page += kPageMeshes;
  page += kPageShaders;
  page += kPageRender;
  page += kPagePlayer;
  page += "</script></body></html>\n";
  return page;
}

}  // namespace cenic::detail
