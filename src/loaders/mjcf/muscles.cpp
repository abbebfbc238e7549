// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Muscles, whose lengths and force are found where the file leaves them to MuJoCo.
#include <algorithm>
#include <cmath>

#include "loaders/mjcf/world.h"

namespace cenic::detail {

std::optional<MuscleParameters> make_muscle(const ActuatorData& data,
                                            const Transmission& transmission, const ModelSpec& spec,
                                            const Attributes& a, std::string* reason) {
  const auto& g = data.gainprm;
  if (data.gainprm != data.biasprm) {
    *reason = "gainprm and biasprm of the muscle differ";
    return std::nullopt;
  }
  MuscleParameters muscle{.length_range = data.lengthrange,
                          .range = {g[0], g[1]},
                          .force = g[2],
                          .lmin = g[4],
                          .lmax = g[5],
                          .vmax = g[6],
                          .fpmax = g[7],
                          .fvmax = g[8],
                          .time_constants = {data.dynprm[0], data.dynprm[1]},
                          .smoothing = data.dynprm[2]};
  const bool has_range = data.lengthrange[0] < data.lengthrange[1];
  if (has_range && g[2] >= 0) return muscle;
  const auto skeleton = make_skeleton(spec, transmission);
  if (!skeleton) return muscle;  // nor will the model compile
  const double gear = data.gear[0];
  if (!has_range) {
    const auto [shortest, longest] = skeleton->find_length_range();
    muscle.length_range = {std::min(gear * shortest, gear * longest),
                           std::max(gear * shortest, gear * longest)};
    a.report(Severity::kApproximated, "lengthrange",
             "lengthrange: the shortest and longest length within the limits of the joints");
  }
  if (g[2] < 0) muscle.force = g[3] / (std::abs(gear) * skeleton->calc_response().acceleration);
  if (muscle.length_range[0] < muscle.length_range[1] && std::isfinite(muscle.force)) return muscle;
  *reason = "nothing changes the muscle's length";
  return std::nullopt;
}

}  // namespace cenic::detail
