// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/mouse_spring.h"

#include <algorithm>

#include "systems/library/signals.h"
#include "systems/system_io.h"

namespace cenic {
namespace {

constexpr const char* kMouseSpring = "mouse spring";
// Of the mass of the tree on the spring, critically damped: it follows within a fraction of a
// second and hangs g/ω² = 4 cm below the pointer.
constexpr double kFrequency = 15;  // rad/s

}  // namespace

double calc_mouse_stiffness(const Model& model, int body) {
  const Tree& tree = model.trees[model.links[model.bodies[body].link].tree];
  double mass = 0;
  for (int l = tree.link_begin; l < tree.link_end; ++l) {
    mass += model.links[l].M_BBo_B.mass;
  }
  return mass * kFrequency * kFrequency;
}

void MouseSpring::declare(Ports* ports) const {
  ports->push_body(body_);
  ports->add_input("target", 3);
  ports->depends_on_time = false;
}

void MouseSpring::evaluate(const SystemInput& in, SystemOutput* out) const {
  const Vec3 p_BoP_W = in.X_WB(0).R * p_BP_;
  const Vec3 target{in.u[0], in.u[1], in.u[2]};
  const Vec3 pull = stiffness_ * (target - in.X_WB(0).p - p_BoP_W) -
                    damping_ * shift_motion(in.V_WB(0), p_BoP_W).v;
  out->F[0] = {cross(p_BoP_W, pull), pull};
}

std::shared_ptr<const Model> add_mouse_spring(const ModelSpec& spec, const Model& model, int body,
                                              const Vec3& p_BP, const Vec3& target) {
  const double stiffness = calc_mouse_stiffness(model, body);
  ModelSpec with = spec;
  with.systems.push_back(
      {.name = kMouseTarget,
       .system = std::make_shared<HeldInput>(std::vector<double>{target.x, target.y, target.z})});
  with.systems.push_back(
      {.name = kMouseSpring,
       .system = std::make_shared<MouseSpring>(model.bodies[body].name, p_BP, stiffness,
                                               2 * stiffness / kFrequency)});
  with.wires.push_back({.from = kMouseTarget, .to = std::string(kMouseSpring) + ".target"});
  return compile(with);
}

State convert_state(const Model& from, const State& state, const Model& to) {
  State out = state;
  out.z = to.z0;
  for (const System& s : to.systems) {
    const auto old = std::ranges::find(from.systems, s.name, &System::name);
    if (old == from.systems.end() || old->nz != s.nz) continue;
    std::copy_n(state.z.begin() + old->z_start, s.nz, out.z.begin() + s.z_start);
  }
  return out;
}

}  // namespace cenic
