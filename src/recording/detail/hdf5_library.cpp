// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/hdf5_library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

void* load_library() {
  // Its names stay among themselves: a program may have brought an HDF5 of its own.
  void* library = dlopen(CENIC_HDF5_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    throw Error(fmt::format("HDF5 files cannot be read: {}; install the library", dlerror()));
  }
  return library;
}

}  // namespace

Hdf5Symbol::Hdf5Symbol(const char* name) {
  static void* library = load_library();
  address_ = dlsym(library, name);
  if (address_ == nullptr) {
    throw Error(fmt::format("HDF5 files cannot be read: {} has no '{}'; install another version",
                            CENIC_HDF5_LIBRARY, name));
  }
}

const Hdf5Library& hdf5() {
  static const Hdf5Library library;
  return library;
}

}  // namespace cenic::detail
