// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The built-in worlds, shared by the command line, tests, benchmarks and examples. Each is a name,
// a few numeric parameters with defaults, files it can take in, and a seed where chance plays a
// part.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/model_spec.h"

namespace cenic {

struct SceneParameter {
  std::string name;
  double value = 0;  // default
  std::string description;
};

struct SceneFile {
  std::string name;
  std::string description;
};

struct SceneInfo {
  std::string name;
  std::string description;  // one sentence
  double duration = 0;      // how long a run is worth watching, s
  std::vector<SceneParameter> parameters;
  std::vector<SceneFile> files{};
};

// In the order they are best shown to a newcomer.
const std::vector<SceneInfo>& list_scenes();

using SceneParameters = std::map<std::string, double>;  // overrides of the defaults, by name
using SceneFiles = std::map<std::string, std::string>;  // paths, by name

// The world of that name. The same seed gives the same world on every platform (up to rounding);
// scenes without chance ignore it. Throws Error for an unknown scene, parameter or file name, a
// value out of range, or a file that cannot be used.
ModelSpec make_scene(const std::string& name, const SceneParameters& overrides = {},
                     std::uint64_t seed = 1, const SceneFiles& files = {});

}  // namespace cenic
