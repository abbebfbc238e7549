// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "integrators/baselines/baselines.h"

namespace cenic {

const std::vector<Baseline>& list_baselines() {
  static const std::vector<Baseline> baselines = [] {
    std::vector<Baseline> list{{"rk3", make_rk3},
                               {"implicit-euler", make_implicit_euler},
                               {"sdirk2", make_sdirk2},
                               {"ros2", make_ros2}};
    if (has_cvode()) list.push_back({"cvode", make_cvode});
    return list;
  }();
  return baselines;
}

const Baseline* find_baseline(const std::string& name) {
  for (const Baseline& baseline : list_baselines()) {
    if (name == baseline.name) return &baseline;
  }
  return nullptr;
}

}  // namespace cenic
