// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic {
namespace {

const double kDifference = std::sqrt(std::numeric_limits<double>::epsilon());

// Number of samples that a sampled system has taken: the last of its states.
const double& samples_of(const System& s, std::span<const double> z) {
  return z[s.z_start + s.nz - 1];
}

double next_sample(const System& s, std::span<const double> z) {
  return s.offset + s.period * samples_of(s, z);
}

double clamp_effort(double tau, double limit) { return std::clamp(tau, -limit, limit); }

// Times that differ by rounding alone are the same: 3 · 0.1 s and 0.3 s.
double calc_slack(double t) { return 1e-12 * std::max(1.0, std::abs(t)); }

// A sampled system's count at time t when it has missed none: samples before t are taken, one at t
// is not yet.
double count_samples(const System& s, double t) {
  return std::max(0.0, std::ceil((t - calc_slack(t) - s.offset) / s.period));
}

}  // namespace

std::string describe_fault(const Model& model, const SystemFault& fault) {
  const System& s = model.systems[fault.system];
  const auto describe = [&](const std::string& what) {
    return fmt::format("{} of system '{}' is {}", what, s.name, fault.value);
  };
  switch (fault.kind) {
    case SystemFault::Kind::kRate:
      return describe(fmt::format("the rate of state '{}'", s.state_names[fault.index]));
    case SystemFault::Kind::kState:
      return describe(fmt::format("state '{}'", s.state_names[fault.index]));
    case SystemFault::Kind::kSignal:
      for (const System::Signal& out : s.outputs) {
        const int i = fault.index - out.start;
        if (i >= 0 && i < out.size) {
          return describe(out.size == 1 ? fmt::format("output '{}'", out.name)
                                        : fmt::format("output '{}[{}]'", out.name, i));
        }
      }
      break;
    case SystemFault::Kind::kEffort:
      return describe(fmt::format("the effort on {}",
                                  model.describe_velocity(s.efforts[fault.index].velocity)));
    case SystemFault::Kind::kForce: {
      const int body = s.bodies[s.pushed[fault.index]];
      return describe(
          fmt::format("the force on body '{}'", body < 0 ? kWorldName : model.bodies[body].name));
    }
    case SystemFault::Kind::kNone:
      break;
  }
  return fmt::format("system '{}' is at fault", s.name);
}

void count_samples(const Model& model, State* state) {
  for (const System& s : model.systems) {
    if (s.period > 0) state->z[s.z_start + s.nz - 1] = count_samples(s, state->t);
  }
}

bool is_sample_due(const Model& model, const State& state) {
  return calc_next_sample_time(model, state.z) <= state.t + calc_slack(state.t);
}

double calc_next_sample_time(const Model& model, std::span<const double> z) {
  double next = std::numeric_limits<double>::infinity();
  for (const System& s : model.systems) {
    if (s.period > 0) next = std::min(next, next_sample(s, z));
  }
  return next;
}

SystemEvaluator::SystemEvaluator(const Model& model)
    : model_(model),
      view_(model),
      z_(model.z0),
      y_(model.ny, 0.0),
      zdot_(model.nz, 0.0),
      slots_(model.systems.size()),
      groups_(model.system_groups.size()),
      source_system_(model.ny, -1) {
  if (!model.systems.empty()) tau_.resize(model.nv);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const System& s = model.systems[i];
    Slot& slot = slots_[i];
    const std::size_t nz = s.state_names.size();
    slot.q.resize(s.coordinates.size());
    slot.v.resize(s.velocities.size());
    slot.z.resize(nz);
    slot.u.resize(s.nu);
    slot.zdot.resize(nz);
    slot.y.resize(s.ny);
    slot.tau.resize(s.efforts.size());
    slot.F.resize(s.pushed.size());
    for (int y = 0; y < s.ny; ++y) {
      source_system_[s.y_start + y] = static_cast<int>(i);
    }
    if (s.group < 0) continue;
    const SystemGroup& group = model.system_groups[s.group];
    slot.jacobian.resize(s);
    slot.base.resize(slot.jacobian.rows());
    scratch_.resize(std::max<std::size_t>(scratch_.size(), slot.jacobian.rows()));
    slot.sensitivity.resize(s.ny * (2 * group.dofs.size() + group.states.size()));
    for (const int v : s.dofs) {
      const auto at = std::ranges::lower_bound(group.dofs, v);
      slot.dof_column.push_back(static_cast<int>(at - group.dofs.begin()));
    }
    const auto first = std::ranges::find(group.states, s.z_start);
    slot.z_column = static_cast<int>(first - group.states.begin());
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    for (const System::Signal& in : model.systems[i].inputs) {
      if (source_system_[in.source] >= static_cast<int>(i)) slots_[i].late_inputs = true;
    }
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const SystemGroup& spec = model.system_groups[g];
    Group& group = groups_[g];
    group.nd = static_cast<int>(spec.dofs.size());
    group.nz = static_cast<int>(spec.states.size());
    group.driven = static_cast<int>(spec.driven.size());
    group.limited = static_cast<int>(spec.limited.size());
    group.value.resize(group.rows());
    group.jacobian.resize(static_cast<std::size_t>(group.rows()) * group.columns());
  }
}

void SystemEvaluator::set_state(const State& state) {
  if (empty()) return;
  view_.set(state.q, state.v);
  std::ranges::copy(state.z, z_.begin());
}

void SystemEvaluator::set_state(const State& state, const Kinematics& kin) {
  if (empty()) return;
  set_state(state);
  view_.take_over(kin);
}

void SystemEvaluator::gather_coordinates(const System& s, Slot* slot) const {
  for (std::size_t i = 0; i < s.coordinates.size(); ++i) {
    slot->q[i] = view_.q()[s.coordinates[i]];
  }
  for (std::size_t i = 0; i < s.velocities.size(); ++i) {
    slot->v[i] = view_.v()[s.velocities[i]];
  }
}

void SystemEvaluator::gather_signals(const System& s, Slot* slot) const {
  for (const System::Signal& in : s.inputs) {
    std::copy_n(y_.begin() + in.source, in.size, slot->u.begin() + in.start);
  }
}

SystemInput SystemEvaluator::make_input(int index, double t) {
  SystemInput in(model_.systems[index], &view_);
  const Slot& slot = slots_[index];
  in.t = t;
  in.z = slot.z;
  in.u = slot.u;
  in.q = slot.q;
  in.v = slot.v;
  return in;
}

// The law with the arrays of its slot as they are.
void SystemEvaluator::call(int index, double t) {
  const System& s = model_.systems[index];
  Slot& slot = slots_[index];
  std::ranges::fill(slot.zdot, 0.0);
  std::ranges::fill(slot.y, 0.0);
  std::ranges::fill(slot.tau, 0.0);
  std::ranges::fill(slot.F, Spatial{});
  SystemOutput out{&s, slot.zdot, slot.y, slot.tau, slot.F};
  try {
    s.law->evaluate(make_input(index, t), &out);
  } catch (const std::exception& e) {  // the user's code: say whose
    throw Error(fmt::format("system '{}': {}", s.name, e.what()));
  }
  ++evaluations_;
}

// Are its numbers finite? Of a system whose inputs are not all known yet, the outputs alone.
bool SystemEvaluator::check(int index, bool outputs_alone) {
  const Slot& slot = slots_[index];
  const auto all_finite = [&](SystemFault::Kind kind, const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(x[i])) continue;
      fault_ = {kind, index, static_cast<int>(i), x[i]};
      return false;
    }
    return true;
  };
  if (outputs_alone) return all_finite(SystemFault::Kind::kSignal, slot.y);
  for (std::size_t i = 0; i < slot.F.size(); ++i) {
    if (is_finite(slot.F[i].w) && is_finite(slot.F[i].v)) continue;
    fault_ = {SystemFault::Kind::kForce, index, static_cast<int>(i),
              norm(slot.F[i].w) + norm(slot.F[i].v)};
    return false;
  }
  return all_finite(SystemFault::Kind::kEffort, slot.tau) &&
         all_finite(SystemFault::Kind::kSignal, slot.y) &&
         all_finite(SystemFault::Kind::kRate, slot.zdot);
}

double* SystemEvaluator::store_outputs(const Slot& slot, double* to) {
  to = std::ranges::copy(slot.y, to).out;
  to = std::ranges::copy(slot.tau, to).out;
  for (const Spatial& F : slot.F) {
    for (const Vec3& part : {F.w, F.v}) {
      *to++ = part.x, *to++ = part.y, *to++ = part.z;
    }
  }
  return to;
}

void SystemEvaluator::load_outputs(const double* from, Slot* slot) {
  for (std::vector<double>* x : {&slot->y, &slot->tau}) {
    std::copy_n(from, x->size(), x->begin());
    from += x->size();
  }
  for (Spatial& F : slot->F) {
    F = {{from[0], from[1], from[2]}, {from[3], from[4], from[5]}};
    from += 6;
  }
}

// All signals at t, in order: of continuous systems and those to be sampled computed, of the others
// as they are held. Then, for those whose inputs came late, rates and forces.
bool SystemEvaluator::pass_signals(double t, Purpose purpose) {
  fault_ = {};
  const auto is_held = [&](const System& s) {
    return s.period > 0 && !(purpose == Purpose::kSamples && is_due(s, t));
  };
  const auto is_skipped = [&](const System& s) {
    if (purpose == Purpose::kOutputs) return s.ny == 0;
    return purpose == Purpose::kStep && s.group >= 0 && model_.system_groups[s.group].passive();
  };
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const System& s = model_.systems[i];
    Slot& slot = slots_[i];
    if (is_skipped(s)) continue;
    if (is_held(s)) {
      load_outputs(z_.data() + s.z_start + s.state_names.size(), &slot);
    } else {
      gather_coordinates(s, &slot);
      std::copy_n(z_.begin() + s.z_start, slot.z.size(), slot.z.begin());
      gather_signals(s, &slot);
      call(i, t);
      if (!check(i, slot.late_inputs || purpose == Purpose::kOutputs)) return false;
    }
    std::ranges::copy(slot.y, y_.begin() + s.y_start);
  }
  if (purpose == Purpose::kOutputs) return true;
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const System& s = model_.systems[i];
    if (!slots_[i].late_inputs || is_held(s) || is_skipped(s)) continue;
    gather_signals(s, &slots_[i]);
    call(i, t);
    if (!check(i, false)) return false;
  }
  return true;
}

bool SystemEvaluator::evaluate_outputs(double t) { return pass_signals(t, Purpose::kOutputs); }

bool SystemEvaluator::evaluate(double t, bool all) {
  if (!pass_signals(t, all ? Purpose::kAll : Purpose::kStep)) return false;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const System& s = model_.systems[i];
    if (s.period == 0) std::ranges::copy(slots_[i].zdot, zdot_.begin() + s.z_start);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!model_.system_groups[g].passive()) collect(static_cast<int>(g));
  }
  return true;
}

// body(p, v, H) for the p-th body that the system pushes and each velocity v that moves it; H is
// ∂V_WB/∂v of that body.
template <class Body>
void SystemEvaluator::for_each_push(const System& s, Body body) {
  for (int p = 0; p < static_cast<int>(s.pushed.size()); ++p) {
    const int pushed = s.bodies[s.pushed[p]];
    const int link = pushed < 0 ? -1 : model_.bodies[pushed].link;
    if (link < model_.num_anchored_links) continue;
    const Kinematics& kin = view_.kinematics(model_.links[link].tree);
    for (int l = link; l >= model_.num_anchored_links; l = model_.links[l].parent) {
      for (int v = model_.links[l].v_start; v < model_.links[l].v_start + model_.links[l].nv; ++v) {
        body(p, v, shift_motion(kin.H_W[v], kin.X_WB[link].p - kin.X_WB[l].p));
      }
    }
  }
}

// tau += Jᵀ F of the bodies that the system pushes.
void SystemEvaluator::add_body_forces(const System& s, const Slot& slot, std::span<double> tau) {
  for_each_push(s, [&](int p, int v, const Spatial& H) {
    tau[v] += dot(H, slot.F[p]);
  });
}

// The values of a group's rows from those of its systems.
void SystemEvaluator::collect(int g) {
  const SystemGroup& spec = model_.system_groups[g];
  Group& group = groups_[g];
  for (int i = 0; i < group.nz; ++i) {
    group.value[i] = zdot_[spec.states[i]];
  }
  for (const int v : spec.driven) {
    tau_[v] = 0;
  }
  for (const int i : spec.systems) {
    const System& s = model_.systems[i];
    add_body_forces(s, slots_[i], tau_);
    for (std::size_t e = 0; e < s.efforts.size(); ++e) {
      if (s.efforts[e].limited < 0) tau_[s.efforts[e].velocity] += slots_[i].tau[e];
    }
  }
  for (int i = 0; i < group.driven; ++i) {
    group.value[group.nz + i] = tau_[spec.driven[i]];
  }
  for (int i = 0; i < group.limited; ++i) {
    const LimitedEffort& e = model_.limited_efforts[spec.limited[i]];
    group.value[group.nz + group.driven + i] = slots_[e.system].tau[e.output];
  }
}

// tau += the forces of one system, efforts within their limits.
void SystemEvaluator::add_forces_of(std::size_t i, std::span<double> tau) {
  const System& s = model_.systems[i];
  add_body_forces(s, slots_[i], tau);
  for (std::size_t e = 0; e < s.efforts.size(); ++e) {
    tau[s.efforts[e].velocity] += clamp_effort(slots_[i].tau[e], s.efforts[e].limit);
  }
}

void SystemEvaluator::add_held_forces(std::span<double> tau) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (model_.systems[i].period > 0) add_forces_of(i, tau);
  }
}

void SystemEvaluator::add_forces(std::span<double> tau) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    add_forces_of(i, tau);
  }
}

std::string SystemEvaluator::describe_largest_force(int velocity) {
  double largest = 0;
  int culprit = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    std::ranges::fill(tau_, 0.0);
    add_forces_of(i, tau_);
    if (std::abs(tau_[velocity]) <= largest) continue;
    largest = std::abs(tau_[velocity]);
    culprit = static_cast<int>(i);
  }
  if (culprit < 0) return "";
  return fmt::format(", driven by system '{}' with a force of {:.3g} there",
                     model_.systems[culprit].name, largest);
}

// Differences in everything that the system reads, one number at a time: forwards, or backwards
// where the law has no value ahead, or none. The state is restored by what was saved, so that not a
// bit of it changes.
void SystemEvaluator::take_differences(int index, double t) {
  const System& s = model_.systems[index];
  Slot& slot = slots_[index];
  SystemJacobian& J = slot.jacobian;
  const auto store = [&](std::vector<double>* to) {
    store_outputs(slot, std::ranges::copy(slot.zdot, to->data()).out);
  };
  store(&slot.base);
  // move(δ) sets the number off by δ from where it is, and must undo what it did before.
  const auto fill = [&](int column, double size, const auto& move) {
    for (const double delta : {size, -size}) {
      move(delta);
      call(index, t);
      if (!check(index, false)) continue;
      store(&scratch_);
      for (int r = 0; r < J.rows(); ++r) {
        J(r, column) = (scratch_[r] - slot.base[r]) / delta;
      }
      return;
    }
  };
  for (int i = 0; i < static_cast<int>(s.dofs.size()); ++i) {
    const int dof = s.dofs[i];
    view_.save(dof);
    fill(J.q(i), kDifference, [&](double delta) {
      view_.restore(dof);
      view_.displace(dof, delta);
      gather_coordinates(s, &slot);
    });
    view_.restore(dof);
    fill(J.v(i), kDifference * std::max(1.0, std::abs(view_.v()[dof])), [&](double delta) {
      view_.restore(dof);
      view_.add_velocity(dof, delta);
      gather_coordinates(s, &slot);
    });
    view_.restore(dof);
  }
  gather_coordinates(s, &slot);
  const auto perturb = [&](std::vector<double>* x, int i, int column) {
    const double value = (*x)[i];
    fill(column, kDifference * std::max(1.0, std::abs(value)), [&](double delta) {
      (*x)[i] = value + delta;
    });
    (*x)[i] = value;
  };
  for (int i = 0; i < static_cast<int>(slot.z.size()); ++i) {
    perturb(&slot.z, i, J.z(i));
  }
  for (int i = 0; i < s.nu; ++i) {
    perturb(&slot.u, i, J.u(i));
  }
  // The values again, as evaluate() left them.
  fault_ = {};
  std::copy_n(slot.base.begin(), slot.zdot.size(), slot.zdot.begin());
  load_outputs(slot.base.data() + slot.zdot.size(), &slot);
}

// target (columns of the group) += scale · row of the system's Jacobian, inputs replaced by what
// they depend on.
void SystemEvaluator::chain(int index, int row, double scale, std::span<double> target) const {
  const System& s = model_.systems[index];
  const Slot& slot = slots_[index];
  const SystemJacobian& J = slot.jacobian;
  const int nd = groups_[s.group].nd, columns = groups_[s.group].columns();
  for (int i = 0; i < static_cast<int>(s.dofs.size()); ++i) {
    target[slot.dof_column[i]] += scale * J(row, J.q(i));
    target[nd + slot.dof_column[i]] += scale * J(row, J.v(i));
  }
  for (int i = 0; i < static_cast<int>(slot.z.size()); ++i) {
    target[2 * nd + slot.z_column + i] += scale * J(row, J.z(i));
  }
  for (const System::Signal& in : s.inputs) {
    for (int i = 0; i < in.size; ++i) {
      const int y = in.source + i, source = source_system_[y];
      const double slope = scale * J(row, J.u(in.start + i));
      if (slope == 0 || model_.systems[source].group < 0) continue;
      const double* dy =
          slots_[source].sensitivity.data() + (y - model_.systems[source].y_start) * columns;
      for (int c = 0; c < columns; ++c) {
        target[c] += slope * dy[c];
      }
    }
  }
}

bool SystemEvaluator::linearize(double t) {
  fault_ = {};
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const SystemGroup& spec = model_.system_groups[g];
    Group& group = groups_[g];
    if (spec.passive()) continue;
    const int columns = group.columns();
    std::ranges::fill(group.jacobian, 0.0);
    for (const int i : spec.systems) {
      const System& s = model_.systems[i];
      Slot& slot = slots_[i];
      slot.jacobian.resize(s);
      if (!s.law->differentiate(make_input(i, t), &slot.jacobian)) take_differences(i, t);
      std::ranges::fill(slot.sensitivity, 0.0);
      for (int y = 0; y < s.ny; ++y) {
        chain(i, slot.jacobian.y(y), 1, std::span(slot.sensitivity).subspan(y * columns, columns));
      }
    }
    const auto driven_row = [&](int velocity) {
      const auto at = std::ranges::lower_bound(spec.driven, velocity) - spec.driven.begin();
      return std::span(group.row(group.nz + static_cast<int>(at)), columns);
    };
    for (const int i : spec.systems) {
      const System& s = model_.systems[i];
      const Slot& slot = slots_[i];
      for (int z = 0; z < static_cast<int>(slot.z.size()); ++z) {
        chain(i, slot.jacobian.zdot(z), 1, std::span(group.row(slot.z_column + z), columns));
      }
      for (int e = 0; e < static_cast<int>(s.efforts.size()); ++e) {
        const int limited = s.efforts[e].limited;
        if (limited < 0) {
          chain(i, slot.jacobian.tau(e), 1, driven_row(s.efforts[e].velocity));
        } else {
          const auto at = std::ranges::lower_bound(spec.limited, limited) - spec.limited.begin();
          const int row = group.nz + group.driven + static_cast<int>(at);
          chain(i, slot.jacobian.tau(e), 1, std::span(group.row(row), columns));
        }
      }
      for_each_push(s, [&](int p, int v, const Spatial& H) {
        for (int c = 0; c < 3; ++c) {
          chain(i, slot.jacobian.F(p, c), H.w[c], driven_row(v));
          chain(i, slot.jacobian.F(p, 3 + c), H.v[c], driven_row(v));
        }
      });
    }
  }
  return true;
}

bool SystemEvaluator::is_due(const System& s, double t) const {
  return s.period > 0 && next_sample(s, z_) <= t + calc_slack(t);
}

bool SystemEvaluator::sample(double t, std::span<double> z) {
  if (!pass_signals(t, Purpose::kSamples)) return false;
  // What they remember and hold; nothing is written before all of it is known to be good.
  next_z_ = z_;
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const System& s = model_.systems[i];
    const Slot& slot = slots_[i];
    if (!is_due(s, t)) continue;
    const SystemOutput out{&s, slots_[i].zdot, slots_[i].y, slots_[i].tau, slots_[i].F};
    double* own = next_z_.data() + s.z_start;
    for (std::size_t k = 0; k < slot.z.size(); ++k) {
      own[k] += s.period * slot.zdot[k];
    }
    s.law->update(make_input(i, t), out, {own, slot.z.size()});
    for (std::size_t k = 0; k < slot.z.size(); ++k) {
      if (std::isfinite(own[k])) continue;
      fault_ = {SystemFault::Kind::kState, i, static_cast<int>(k), own[k]};
      return false;
    }
    // Samples that were missed are not made up for.
    double* count = store_outputs(slot, own + slot.z.size());
    *count = std::max(*count, count_samples(s, t)) + 1;
  }
  std::ranges::copy(next_z_, z.begin());
  return true;
}

}  // namespace cenic
