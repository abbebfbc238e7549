#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Installs the Debian 12 packages cenic is built and tested with; touches nothing when all are present.
#   tools/setup.sh         what make needs
#   tools/setup.sh --dev   the formatter and the linter too
#   tools/setup.sh --fuzz  clang 16 and its fuzzer, for tools/fuzz.sh
#   tools/setup.sh --page  npm too, for the page of the browser (unless it came from elsewhere)
#   tools/setup.sh --browser   the same and chromium, for the tests of the page
#   tools/setup.sh --peers SUNDIALS too, for the integrator 'cvode' (Debian's package brings MPI and PETSc along)
set -euo pipefail

packages=(
  build-essential cmake ninja-build ccache git pkg-config python3
  libeigen3-dev libqhull-dev libfmt-dev nlohmann-json3-dev libcli11-dev libtinyxml2-dev libyaml-cpp-dev libpng-dev libhdf5-dev libzstd-dev zlib1g-dev libboost-dev librsvg2-bin fonts-dejavu-core   # the product (the last two: pictures of plots)
  libgtest-dev libfcl-dev libmujoco-dev libgl-dev libopengl-dev   # tests, their oracles (MuJoCo's CMake files ask for OpenGL), benchmarks
)
case "${1:-}" in
  "") ;;
  --page | --browser)
    command -v npm >/dev/null && packages=() || packages+=(nodejs npm)
    [ "$1" = --page ] || packages+=(chromium)
    ;;
  --dev) packages+=(clang-format clang-tidy) ;;
  --fuzz) packages+=(clang-16 libclang-rt-16-dev) ;;
  --peers) packages+=(libsundials-dev) ;;
  *) echo "usage: tools/setup.sh [--dev | --page | --browser | --fuzz | --peers]" >&2; exit 2 ;;
esac

if [ ${#packages[@]} -eq 0 ]; then exit 0; fi
if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; please install the equivalents of: ${packages[*]}" >&2
  exit 0
fi

# One query for all; a package counts only when it is fully installed.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null |
            sed -n 's/^installed //p' || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF -- "$package" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#packages[@]} packages are installed"
  exit 0
fi

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup: please install as root: apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo)
fi
# The settings go through env because sudo drops the caller's environment.
apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q)

echo "setup: installing ${missing[*]}"
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
