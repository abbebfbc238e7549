// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads MuJoCo's MJCF files. Errors are collected in LoadedModel::diagnostics.
#pragma once

#include <string>

#include "loaders/asset_paths.h"
#include "loaders/load.h"

namespace cenic {

LoadedModel read_mjcf(const std::string& path, const AssetPaths& paths, const LoadOptions& options);

}  // namespace cenic
