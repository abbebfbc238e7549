#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Installs the npm packages that package-lock.json of a folder names, when they are not there: tools/install_npm.sh FOLDER
set -euo pipefail
cd "$1"
cmp -s package-lock.json node_modules/.installed && exit 0
command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }
# A machine without a network must not wait long for it.
if ! log=$(timeout 120 npm ci --ignore-scripts --fetch-retries=1 --fetch-timeout=20000 2>&1); then
  tail -n 3 <<<"$log" >&2
  echo "npm cannot fetch the packages of $1" >&2
  exit 1
fi
cp package-lock.json node_modules/.installed
