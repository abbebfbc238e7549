#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Everything to pass before a change is shared; goes on after a failure and sums up at the end.
#   tools/check.sh [BASE]   lints the files changed since the commit BASE (default: the upstream branch, else HEAD)
set -uo pipefail
cd "$(dirname "$0")/.."

failed=()
step() {  # step NAME COMMAND...
  local name=$1
  shift
  echo "== $name"
  "$@" || failed+=("$name")
}

sources() { find src include scenes tests benchmarks examples \( -name '*.h' -o -name '*.cpp' \) -print 2>/dev/null | sort; }

check_format() { sources | xargs -r clang-format --dry-run --Werror; }

changed_sources() {
  local base
  base=${1:-$(git rev-parse -q --verify '@{upstream}' 2>/dev/null || git rev-parse -q --verify HEAD)}
  # A repository without a commit: all files are new.
  if [ -n "$base" ]; then
    git diff --name-only --diff-filter=d "$(git merge-base "$base" HEAD)" -- '*.h' '*.cpp'
  fi
  git ls-files --others --exclude-standard -- '*.h' '*.cpp'
}

# A header is linted through the file that compiles it alone (tests/CMakeLists.txt), or its own source.
check_tidy() {
  local file units=()
  while read -r file; do
    case $file in
      *.h)
        [ -f "build/debug/headers_alone/$file.cpp" ] && file=build/debug/headers_alone/$file.cpp || file=${file%.h}.cpp ;;
    esac
    [ -f "$file" ] && units+=("$file")
  done < <(changed_sources "$@" | sort -u)
  [ ${#units[@]} -eq 0 ] && { echo "nothing changed"; return 0; }
  # The assertions of GoogleTest expand to branches, so complexity means nothing in tests.
  # shellcheck disable=SC2016
  printf '%s\0' "${units[@]}" | sort -zu | xargs -0 -n 1 -P "$(nproc)" sh -c '
    case $1 in tests/*) set -- "$1" --checks=-readability-function-cognitive-complexity ;; esac
    exec clang-tidy --quiet -p build/debug --extra-arg=-Wno-unknown-warning-option "$@"' tidy
}

# Long files are listed, not refused: over 500 lines wants a reason.
list_long_files() {
  sources | xargs -r wc -l | awk '$1 > 500 && $2 != "total" {print "  " $2 ": " $1 " lines"}'
}

# The thread sanitizer of gcc 12 needs a predictable address space; not every container may ask for one.
no_aslr=()
if setarch "$(uname -m)" -R true 2>/dev/null; then no_aslr=(setarch "$(uname -m)" -R); fi

build_and_test() {
  cmake --preset "$1" >/dev/null && "${no_aslr[@]}" cmake --build --preset "$1" &&
    "${no_aslr[@]}" ctest --preset "$1" -j2
}

step format check_format
step layers tools/check_layers.py
step "long files" list_long_files
step debug build_and_test debug
step tidy check_tidy "$@"
step asan build_and_test asan
step tsan build_and_test tsan

if [ ${#failed[@]} -gt 0 ]; then
  echo "check: FAILED: ${failed[*]}"
  exit 1
fi
echo "check: all passed"
