#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Makes the page for the browser, src/viewer/web/dist/page.html, when it is older than what it is made of.
#   tools/build_page.sh        fails when it cannot be made
#   tools/build_page.sh --try  says so and goes on: all else works without the page
set -euo pipefail
tools=$(cd "$(dirname "$0")" && pwd)
cd "$tools/../src/viewer/web"

give_up() {
  echo "page: $1; 'cenic view' and '--html' will not work ('make page' tries again)" >&2
  [ "${try}" = --try ] && exit 0
  exit 1
}

try=${1:-}
# What the page depends on, in one line.
inputs=$(cat package-lock.json build.mjs src/* | sha256sum)
[ -f dist/page.html ] && [ "$(cat dist/inputs 2>/dev/null)" = "$inputs" ] && exit 0
"$tools/install_npm.sh" "$PWD" || give_up "it cannot be built here"
npm run --silent build || give_up "the page cannot be built"
echo "$inputs" >dist/inputs
