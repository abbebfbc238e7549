#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""Keeps the layers: who may include whom is the table of docs/architecture.md, and this enforces it.

Checks every #include of src/ against the table, that a folder's detail/ stays private, and that each
cenic_module() line of CMakeLists.txt links just what the table allows. Prints file:line: error: ...
"""
import pathlib
import re
import sys

TABLE = "docs/architecture.md"
EVERYTHING = "everything"
ROW = re.compile(r"^\|\s*`src/(\w+)`\s*\|[^|]*\|([^|]*)\|\s*$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
MODULE = re.compile(r"^\s*cenic_module\(\s*(\w+)([^)]*)\)")
SOURCES = {".h", ".cpp", ".cu", ".cuh"}


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.allowed = {}  # folder of src/ -> set of folders it may include, besides itself

    def error(self, path, line, text):
        self.errors.append(f"{path}:{line}: error: {text}")

    def lines(self, path):
        text = (self.root / path).read_text(encoding="utf-8")
        return enumerate(text.splitlines(), start=1)

    def read_table(self):
        for number, line in self.lines(TABLE):
            row = ROW.match(line)
            if not row:
                continue
            name, cell = row.group(1), row.group(2)
            if name in self.allowed:
                self.error(TABLE, number, f"two rows for src/{name}")
            names = re.findall(r"\w+", cell)
            if names == [EVERYTHING]:
                names = [*self.allowed, "scenes"]
            for other in names:
                if other not in self.allowed and other != "scenes":
                    self.error(TABLE, number, f"src/{name} may include '{other}', which has no row above it")
            self.allowed[name] = set(names)
        if not self.allowed:
            self.error(TABLE, 1, "found no table of folders (rows like | `src/core` | ... | ... |)")

    def check_include(self, path, number, module, quote, target):
        first = pathlib.PurePosixPath(target).parts[0]
        known = first in self.allowed or first == "scenes"
        if not known:
            if quote == '"':
                self.error(path, number, f'"{target}": name the folder of src/ it is in, e.g. "{module}/{target}"')
            return
        if first == module:
            return
        if first not in self.allowed[module]:
            may = " ".join(sorted(self.allowed[module])) or "nothing"
            self.error(path, number, f"src/{module} may not include {first}/ (allowed: {may}; see {TABLE})")
        elif "/detail/" in target:
            self.error(path, number, f"{target} is private to src/{first}")

    def check_sources(self):
        count = 0
        for file in sorted((self.root / "src").rglob("*")):
            if file.suffix not in SOURCES:
                continue
            count += 1
            path = file.relative_to(self.root)
            module = path.parts[1]
            if module not in self.allowed:
                self.error(path, 1, f"src/{module} has no row in {TABLE}")
                continue
            for number, line in self.lines(path):
                include = INCLUDE.match(line)
                if include:
                    self.check_include(path, number, module, *include.groups())
        return count

    def check_cmake(self):
        path = "CMakeLists.txt"
        for number, line in self.lines(path):
            match = MODULE.match(line)
            if not match:
                continue
            name, linked = match.group(1), set(match.group(2).split())
            if name not in self.allowed:
                self.error(path, number, f"module {name} has no row in {TABLE}")
            elif linked != self.allowed[name]:
                table = " ".join(sorted(self.allowed[name])) or "nothing"
                self.error(path, number, f"module {name} links {' '.join(sorted(linked)) or 'nothing'}, "
                                         f"but {TABLE} says {table}")


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    checker = Checker(root)
    checker.read_table()
    count = checker.check_sources()
    checker.check_cmake()
    for error in checker.errors:
        print(error)
    if checker.errors:
        return 1
    print(f"layers: {count} files of src/ keep to the table of {TABLE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
