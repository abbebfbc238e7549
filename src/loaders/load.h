// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Loads models from files: a ModelSpec, and a report of all that does not mean in cenic what it
// meant in the file. docs/loaders.md lists what is known of each format.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loaders/diagnostics.h"
#include "model/contact_model.h"
#include "model/model_spec.h"

namespace cenic {

struct LoadOptions {
  // Folders besides that of the file from which it may read meshes and other files.
  std::vector<std::string> allowed_folders{};
  // Folders of packages by name: what package://name/... and model://name/... mean.
  std::map<std::string, std::string> packages{};
  // Start from this keyframe; empty: from the model's own initial position.
  std::string keyframe{};
  // Mocap bodies of MJCF can be moved; else they stay, and have no coordinates.
  bool mocap = false;
  // A link that the caller will weld: nothing is said about its being free.
  std::string welded{};
  // Of noise: in a scenario, instead of its own.
  std::optional<std::uint64_t> seed{};
};

// A state and controls with a name. Coordinates and velocities are those of cenic, joint after
// joint in the order of ModelSpec.
struct Keyframe {
  std::string name{};
  double time = 0;
  std::vector<double> q{}, v{};  // empty: as in the model
  std::vector<double> ctrl{};    // one for each of LoadedModel::controls
  // States of other systems: activations of actuators, poses of mocap bodies.
  struct SystemState {
    std::string system{};
    std::vector<double> z{};
  };
  std::vector<SystemState> states{};
};

// A sensor of the file and the signal that Simulator::output() gives for it.
struct SensorOutput {
  std::string name{}, signal{};
};

enum class NormChoice { kPosition, kState };

// How a scenario asks to be run; other formats say nothing. The command line overrides it.
struct RunSettings {
  std::optional<double> duration{};  // s
  std::optional<double> accuracy{}, max_step{}, fixed_step{};
  std::string integrator{};  // empty: not said
  std::optional<NormChoice> error_norm{};
  std::optional<ContactModel> contact{};
  std::optional<std::uint64_t> seed{};  // of noise: added to each Noise system's own
};

struct LoadedModel {
  ModelSpec spec{};
  Diagnostics diagnostics{};
  // The names of the HeldInputs that actuators follow, in the order of the file: set them with
  // Simulator::set_input().
  std::vector<std::string> controls{};
  std::vector<SensorOutput> sensors{};
  std::vector<Keyframe> keyframes{};
  RunSettings run{};
};

// By the ending of its name or its root element: a scenario (.yaml), MJCF (<mujoco>), URDF
// (<robot>) or SDFormat (<sdf>). Throws Error with all mistakes of the files, a line "file:line:
// error: ..." each.
LoadedModel load_model(const std::string& path, const LoadOptions& options = {});

// The same, but mistakes stay in the diagnostics; only what cannot be read at all is thrown. For
// scenarios, `chain` being those that lead here.
LoadedModel read_model(const std::string& path, const LoadOptions& options,
                       const std::vector<std::string>& chain = {});

// Makes the keyframe the initial state and controls.
void apply_keyframe(const Keyframe& keyframe, const LoadedModel& loaded, ModelSpec* spec);

}  // namespace cenic
