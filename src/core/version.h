// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What this build is; written into files, and checked when they are read.
#pragma once

namespace cenic {

const char* version();     // of CMakeLists.txt
const char* git_commit();  // when CMake ran, "-dirty" with changes; empty: not built from a clone

}  // namespace cenic
