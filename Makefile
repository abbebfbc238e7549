# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
# Front door for people and CI. Everything a fresh Debian 12 machine lacks is installed by tools/setup.sh on the way.

SOURCES = $(shell find src include scenes tests benchmarks examples -name '*.h' -o -name '*.cpp' 2>/dev/null)

.DEFAULT_GOAL := build
.PHONY: help setup page build demo test bench fuzz format check clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' $(MAKEFILE_LIST) | expand -t 10

setup:  ## install missing Debian packages (quick when nothing is missing)
	@tools/setup.sh

page:  ## build with the page for the browser (installs npm from Debian when it is missing)
	@tools/setup.sh --page
	@tools/build_page.sh
	@$(MAKE) --no-print-directory build TARGET=cenic_cli

build: setup  ## configure and build everything, or TARGET=cenic_cli; leaves the link ./cenic
	@tools/build_page.sh --try
	@cmake --preset release >/dev/null  # again each time: what setup installed just now is found
	@cmake --build --preset release $(addprefix --target ,$(TARGET))
	@if [ -x build/bin/cenic ]; then ln -sfn build/bin/cenic cenic; fi

demo:  ## spheres and cubes fall into a bin at accuracy 1e-3; writes a replay page
	@tools/setup.sh --page
	@$(MAKE) --no-print-directory build TARGET=cenic_cli
	@if [ -f src/viewer/web/dist/page.html ]; then \
	  ./cenic run hard_clutter --accuracy 1e-3 --html build/hard_clutter.html && \
	  echo "open in a browser: $(CURDIR)/build/hard_clutter.html"; \
	else ./cenic run hard_clutter --accuracy 1e-3; fi

test:  ## build, run all tests (those of the page in chromium, which is installed when it is missing)
	@tools/setup.sh --browser || echo "test: what needs the browser or npm will be skipped" >&2
	@$(MAKE) --no-print-directory build
	@tools/install_npm.sh tests/recording/mcap || echo "test: MCAP files will not be read by the reference reader" >&2
	@tools/check_layers.py
	@ctest --preset release -j2 --progress

bench: build  ## run every benchmark (bench_work_precision gives up ten times sooner than for its published table)
	@cmake --build --preset release --target benchmarks
	@for bench in build/bin/bench_*; do \
	  [ -x "$$bench" ] || continue; \
	  case $$bench in */bench_work_precision) set -- --limit 10 ;; *) set -- ;; esac; \
	  echo "== $$bench $$*"; "$$bench" "$$@" || exit 1; \
	done

fuzz:  ## fuzz the readers of files with clang, SECONDS (600) each
	@tools/setup.sh --fuzz
	@tools/fuzz.sh $(or $(SECONDS),600)

format:  ## format all sources in place
	@tools/setup.sh --dev
	@clang-format -i $(SOURCES)

check:  ## format, lint, layers, sizes; debug, address and thread sanitizer builds and their tests
	@tools/setup.sh --dev
	@tools/check.sh

clean:  ## remove what was built
	rm -rf build cenic
