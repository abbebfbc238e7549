#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Makes the pictures of docs/viewer.md from runs, with the page in a real browser: tools/screenshots.sh (after make page).
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shot() {  # shot NAME HASH SCENE OPTIONS...
  local name=$1 hash=$2
  shift 2
  build/bin/cenic run "$@" --html "$folder/$name.html" --quiet
  node tests/viewer/web/screenshot.mjs "$folder/$name.html#$hash&quality=full" "docs/viewer_$name.png"
}
shot clutter 't=0.42&theme=light&el=16&zoom=1.1' hard_clutter --duration 4
shot franka 't=3.4&theme=dark&az=-40&zoom=1.25' franka --duration 5
shot hydroelastic 't=1&theme=dark&az=-50&el=30&zoom=1.2' hydro_mesh --duration 2 --set modulus=1e5
ls -l docs/viewer_*.png
