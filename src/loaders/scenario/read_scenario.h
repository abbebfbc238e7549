// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Reads a scenario: our own YAML that composes models (docs/scenario.md).
#pragma once

#include <string>
#include <vector>

#include "loaders/asset_paths.h"
#include "loaders/load.h"

namespace cenic {

// `chain`: the scenarios that lead to this one, the first first. Mistakes are in the diagnostics;
// FileError is thrown when the file is no YAML.
LoadedModel read_scenario(const std::string& path, const AssetPaths& paths,
                          const LoadOptions& options, const std::vector<std::string>& chain);

}  // namespace cenic
