// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/model.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {

std::string Model::describe_velocity(int v) const {
  CENIC_CHECK(v >= 0 && v < nv);
  for (const Joint& joint : joints) {
    if (v < joint.v_start || v >= joint.v_start + joint.nv) continue;
    if (!joint.name.empty() && joint.kind != JointKind::kFree) {
      return fmt::format("joint '{}'", joint.name);
    }
    break;
  }
  return fmt::format("body '{}'", bodies[links[dof_link[v]].body].name);
}

std::string System::name_state(int i) const {
  const int own = static_cast<int>(state_names.size());
  return i < own ? state_names[i] : fmt::format("held[{}]", i);
}

std::string Model::describe_state(int z) const {
  for (const System& s : systems) {
    const int i = z - s.z_start;
    if (i < 0 || i >= s.nz) continue;
    if (i >= static_cast<int>(s.state_names.size())) return fmt::format("system '{}'", s.name);
    return fmt::format("state '{}' of system '{}'", s.state_names[i], s.name);
  }
  return "the external systems";
}

int Model::find_system(const std::string& system) const {
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (systems[s].name == system) return static_cast<int>(s);
  }
  std::string known;
  for (const System& s : systems) {
    known += (known.empty() ? "" : ", ") + s.name;
  }
  throw Error(fmt::format("no system is named '{}'; there are: {}", system,
                          known.empty() ? "none" : known));
}

State make_initial_state(const Model& model) {
  return {.t = 0, .q = model.q0, .v = model.v0, .z = model.z0};
}

void copy_tree(const Tree& tree, const State& from, State* to) {
  std::copy_n(from.q.begin() + tree.q_start, tree.nq, to->q.begin() + tree.q_start);
  std::copy_n(from.v.begin() + tree.v_start, tree.nv, to->v.begin() + tree.v_start);
}

bool is_same_motion(const State& a, const State& b) {
  const auto same_bytes = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  };
  return a.t == b.t && same_bytes(a.q, b.q) && same_bytes(a.v, b.v);
}

}  // namespace cenic
