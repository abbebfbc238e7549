// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Puts a scenario together: models with their names and poses, then what changes all of them.
#pragma once

#include <string>

#include "loaders/scenario/yaml_reader.h"

namespace cenic::detail {

// Puts `model` into `whole` as the entry says: its names get the prefix "name::". A model that is
// placed or attached gets a body "name::world", which stands for its world.
void add_model(const ModelEntry& entry, LoadedModel model, YamlSource* source, LoadedModel* whole);

// Filters, materials, positions, velocities and outputs, by names of the whole.
void apply_to_whole(const Scenario& scenario, YamlSource* source, LoadedModel* whole);

// Does the name fit the pattern? * stands for any letters, also none.
bool matches(const std::string& pattern, const std::string& name);

}  // namespace cenic::detail
