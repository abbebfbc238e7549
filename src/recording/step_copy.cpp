// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/step_copy.h"

#include <utility>

namespace cenic {
namespace {

std::array<float, 3> shorten(const Vec3& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

void exchange_motion(Archive* archive, State* state) {
  (*archive)(&state->t);
  (*archive)(&state->q);
  (*archive)(&state->v);
}

}  // namespace

void StepCopy::take(const StepEvent& event, const Simulator& sim,
                    std::vector<ContactForce>* scratch) {
  const bool goes_on = whole && is_same_motion(after, event.before);
  if (goes_on) {
    std::swap(before, after);
    before.z = event.before.z;
  } else {
    before = event.before;
  }
  take_end(event, sim, scratch);
  follows = goes_on;
}

void StepCopy::take_end(const StepEvent& event, const Simulator& sim,
                        std::vector<ContactForce>* scratch) {
  take_step(event, sim);
  whole = true;
  after = event.after;
  take_contacts(sim, scratch);
}

void StepCopy::take_standing(const Simulator& sim, std::vector<ContactForce>* scratch) {
  whole = stands = true;
  follows = false;
  before = after = sim.state();
  path = {};
  energy_before = energy_after = sim.find_point_energy();
  take_contacts(sim, scratch);
}

void StepCopy::take_contacts(const Simulator& sim, std::vector<ContactForce>* scratch) {
  sim.report_forces(scratch);
  contacts.clear();
  for (const auto& [point, force_B_C] : *scratch) {
    if (point->phi >= 0 && norm_squared(force_B_C) == 0) continue;
    contacts.push_back({point->geometry_a, point->geometry_b, point->nhat_AB_W,
                        shorten(point->p_WC), shorten(force_B_C), -static_cast<float>(point->phi)});
  }
  if (sim.model().reads_measurements) measurements = sim.measurements();
}

void StepCopy::take_step(const StepEvent& event, const Simulator& sim) {
  const StepResult& r = event.result;
  whole = stands = follows = false;
  energy_after = sim.find_point_energy();
  step = {event.after.t, r.h, r.error, r.rejections, r.velocity, r.state, sim.wall_seconds()};
}

void StepCopy::exchange(Archive* archive) {
  (*archive)(&whole);
  (*archive)(&stands);
  (*archive)(&step);
  if (!whole) return;
  (*archive)(&follows);
  if (!follows) {
    exchange_motion(archive, &before);
  } else if (archive->loading()) {
    std::swap(before, after);
  }
  exchange_motion(archive, &after);
  (*archive)(&before.z);
  (*archive)(&after.z);
  for (StateRate* rate : {&path.start, &path.end}) {
    (*archive)(&rate->v);
    (*archive)(&rate->z);
  }
  (*archive)(&path.knots);
  (*archive)(&energy_before);
  (*archive)(&energy_after);
  (*archive)(&contacts);
  Measurements& m = measurements;
  for (std::vector<double>* x : {&path.q, &path.v, &m.vdot, &m.effort, &m.contact_normal}) {
    (*archive)(x);
  }
  (*archive)(&m.F_contact_W);
  (*archive)(&m.F_constraint_W);
}

}  // namespace cenic
