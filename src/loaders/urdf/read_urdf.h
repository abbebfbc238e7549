// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads URDF; docs/loaders.md lists what is known of it.
#pragma once

#include <string>

#include "loaders/asset_paths.h"
#include "loaders/load.h"

namespace cenic {

// Mistakes of the file are in the diagnostics; throws FileError only when it is no URDF at all.
LoadedModel read_urdf(const std::string& path, const AssetPaths& paths, const LoadOptions& options);

}  // namespace cenic
