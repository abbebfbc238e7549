#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Fuzzes the readers of files one after the other; stops at the first that crashes, leaks, hangs or takes too much memory.
#   tools/fuzz.sh [SECONDS [READER...]]   default: 600 s each, all folders of tests/fuzz/corpus
# Inputs that reach new code stay in build/fuzz/found/READER; a failing one is named at the end: minimise it with
#   CENIC_FUZZ_READER=READER build/fuzz/bin/fuzz_readers -minimize_crash=1 -runs=100000 FILE
# fix the reader, and add it to tests/fuzz/corpus/READER.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-600}
shift || true
readers=("$@")
if [ ${#readers[@]} -eq 0 ]; then mapfile -t readers < <(ls tests/fuzz/corpus); fi

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target fuzz_readers
for reader in "${readers[@]}"; do
  found=build/fuzz/found/$reader
  mkdir -p "$found"
  options=(-max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
           -artifact_prefix="$found/../$reader-")
  if [ -f "tests/fuzz/$reader.dict" ]; then options+=(-dict="tests/fuzz/$reader.dict"); fi
  echo "== $reader"
  # The fuzzer talks a lot; the last lines say what happened.
  if ! CENIC_FUZZ_READER=$reader build/fuzz/bin/fuzz_readers "${options[@]}" "$found" "tests/fuzz/corpus/$reader" \
      >"$found.log" 2>&1; then
    grep -v '^#' "$found.log" | tail -40
    exit 1
  fi
  grep '^stat::' "$found.log"
done
