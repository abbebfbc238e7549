// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Writes a model as a scenario that reads back as the same model, to the last bit.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "loaders/load.h"

namespace cenic {

// What no file can say, by name: systems that are not of the library or hold a function, surface
// velocities other than a BeltVelocity.
std::vector<std::string> find_unwritable(const ModelSpec& spec);
// Leaves out systems that cannot be written, and the wires to and from them; returns their names.
std::vector<std::string> remove_unwritable_systems(ModelSpec* spec);

// The text of the file; its models, if it was made of several, are one now. Throws Error when
// something is unwritable.
std::string write_scenario(const LoadedModel& model);

// A picture of a model, and its path beside the scenario.
struct ScenarioPicture {
  std::string file{};
  std::shared_ptr<const std::string> image{};
};
// The same with textures, whose pictures, in `folder`, the caller writes. The other keeps those
// that came from a scenario, by the path they had there.
std::string write_scenario(LoadedModel model, const std::string& folder,
                           std::vector<ScenarioPicture>* pictures);

}  // namespace cenic
