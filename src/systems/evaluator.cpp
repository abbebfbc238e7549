// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "systems/evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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

// The law with the arrays of its slot as they are.
bool SystemEvaluator::call(int index, double t) {
  const System& s = model_.systems[index];
  Slot& slot = slots_[index];
  SystemInput in(s, &view_);
  in.t = t;
  in.z = slot.z;
  in.u = slot.u;
  in.q = slot.q;
  in.v = slot.v;
  std::ranges::fill(slot.zdot, 0.0);
  std::ranges::fill(slot.y, 0.0);
  std::ranges::fill(slot.tau, 0.0);
  std::ranges::fill(slot.F, Spatial{});
  SystemOutput out{&s, slot.zdot, slot.y, slot.tau, slot.F};
  s.law->evaluate(in, &out);
  ++evaluations_;
  return check(index);
}

bool SystemEvaluator::check(int index) {
  const Slot& slot = slots_[index];
  const auto all_finite = [&](SystemFault::Kind kind, const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isfinite(x[i])) continue;
      fault_ = {kind, index, static_cast<int>(i), x[i]};
      return false;
    }
    return true;
  };
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

// What a sampled system holds.
void SystemEvaluator::load_held(int index) {
  const System& s = model_.systems[index];
  Slot& slot = slots_[index];
  const double* held = z_.data() + s.z_start + s.state_names.size();
  std::copy_n(held, slot.y.size(), slot.y.begin());
  held += slot.y.size();
  std::copy_n(held, slot.tau.size(), slot.tau.begin());
  held += slot.tau.size();
  for (Spatial& F : slot.F) {
    F = {{held[0], held[1], held[2]}, {held[3], held[4], held[5]}};
    held += 6;
  }
}

bool SystemEvaluator::evaluate(double t, bool all) {
  fault_ = {};
  const auto skip = [&](const System& s) {
    return s.group >= 0 && !all && model_.system_groups[s.group].passive();
  };
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const System& s = model_.systems[i];
    Slot& slot = slots_[i];
    if (skip(s)) continue;
    if (s.period > 0) {
      load_held(i);
    } else {
      gather_coordinates(s, &slot);
      std::copy_n(z_.begin() + s.z_start, slot.z.size(), slot.z.begin());
      gather_signals(s, &slot);
      if (!call(i, t)) return false;
    }
    std::ranges::copy(slot.y, y_.begin() + s.y_start);
  }
  for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
    const System& s = model_.systems[i];
    Slot& slot = slots_[i];
    if (s.period > 0 || skip(s)) continue;
    if (slot.late_inputs) {  // its rates and forces may depend on signals that are known only now
      gather_signals(s, &slot);
      if (!call(i, t)) return false;
    }
    std::ranges::copy(slot.zdot, zdot_.begin() + s.z_start);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (!model_.system_groups[g].passive()) collect(static_cast<int>(g));
  }
  return true;
}

// tau += Jᵀ F of the bodies that the system pushes.
void SystemEvaluator::add_body_forces(const System& s, const Slot& slot, std::span<double> tau) {
  for (std::size_t p = 0; p < s.pushed.size(); ++p) {
    const int body = s.bodies[s.pushed[p]];
    const int link = body < 0 ? -1 : model_.bodies[body].link;
    if (link < model_.num_anchored_links) continue;
    const Kinematics& kin = view_.kinematics(model_.links[link].tree);
    for (int l = link; l >= model_.num_anchored_links; l = model_.links[l].parent) {
      const Spatial F = shift_force(slot.F[p], kin.X_WB[l].p - kin.X_WB[link].p);
      for (int k = 0; k < model_.links[l].nv; ++k) {
        tau[model_.links[l].v_start + k] += dot(kin.H_W[model_.links[l].v_start + k], F);
      }
    }
  }
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

void SystemEvaluator::add_held_forces(std::span<double> tau) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const System& s = model_.systems[i];
    if (s.period == 0) continue;
    add_body_forces(s, slots_[i], tau);
    for (std::size_t e = 0; e < s.efforts.size(); ++e) {
      tau[s.efforts[e].velocity] += clamp_effort(slots_[i].tau[e], s.efforts[e].limit);
    }
  }
}

void SystemEvaluator::add_forces(std::span<double> tau) {
  add_held_forces(tau);
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const System& s = model_.systems[i];
    if (s.period > 0) continue;
    add_body_forces(s, slots_[i], tau);
    for (std::size_t e = 0; e < s.efforts.size(); ++e) {
      tau[s.efforts[e].velocity] += clamp_effort(slots_[i].tau[e], s.efforts[e].limit);
    }
  }
}

std::string SystemEvaluator::describe_largest_force(int velocity) {
  double largest = 0;
  int culprit = -1;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const System& s = model_.systems[i];
    std::ranges::fill(tau_, 0.0);
    add_body_forces(s, slots_[i], tau_);
    for (std::size_t e = 0; e < s.efforts.size(); ++e) {
      tau_[s.efforts[e].velocity] += clamp_effort(slots_[i].tau[e], s.efforts[e].limit);
    }
    if (std::abs(tau_[velocity]) <= largest) continue;
    largest = std::abs(tau_[velocity]);
    culprit = static_cast<int>(i);
  }
  if (culprit < 0) return "";
  return fmt::format(", driven by system '{}' with a force of {:.3g} there",
                     model_.systems[culprit].name, largest);
}

void SystemEvaluator::flatten(const Slot& slot, std::vector<double>* values) const {
  auto at = std::ranges::copy(slot.zdot, values->begin()).out;
  at = std::ranges::copy(slot.y, at).out;
  at = std::ranges::copy(slot.tau, at).out;
  for (const Spatial& F : slot.F) {
    for (const Vec3& part : {F.w, F.v}) {
      *at++ = part.x, *at++ = part.y, *at++ = part.z;
    }
  }
}

// Forward differences in everything that the system reads, one number at a time. The state is
// restored by what was saved, so that not a bit of it changes.
void SystemEvaluator::take_differences(int index, double t) {
  const System& s = model_.systems[index];
  Slot& slot = slots_[index];
  SystemJacobian& J = slot.jacobian;
  flatten(slot, &slot.base);
  const auto fill = [&](int column, double delta) {
    call(index, t);
    flatten(slot, &scratch_);
    for (int r = 0; r < J.rows(); ++r) {
      J(r, column) = (scratch_[r] - slot.base[r]) / delta;
    }
  };
  for (int i = 0; i < static_cast<int>(s.dofs.size()); ++i) {
    view_.save(s.dofs[i]);
    view_.displace(s.dofs[i], kDifference);
    gather_coordinates(s, &slot);
    fill(J.q(i), kDifference);
    view_.restore(s.dofs[i]);
  }
  for (int i = 0; i < static_cast<int>(s.dofs.size()); ++i) {
    view_.save(s.dofs[i]);
    const double delta = kDifference * std::max(1.0, std::abs(view_.v()[s.dofs[i]]));
    view_.add_velocity(s.dofs[i], delta);
    gather_coordinates(s, &slot);
    fill(J.v(i), delta);
    view_.restore(s.dofs[i]);
  }
  gather_coordinates(s, &slot);
  const auto perturb = [&](std::vector<double>* x, int i, int column) {
    const double value = (*x)[i];
    const double delta = kDifference * std::max(1.0, std::abs(value));
    (*x)[i] += delta;
    fill(column, delta);
    (*x)[i] = value;
  };
  for (int i = 0; i < static_cast<int>(slot.z.size()); ++i) {
    perturb(&slot.z, i, J.z(i));
  }
  for (int i = 0; i < s.nu; ++i) {
    perturb(&slot.u, i, J.u(i));
  }
  // The base again, as evaluate() left it.
  const double* base = slot.base.data();
  const auto take = [&base](std::vector<double>* x) {
    std::copy_n(base, x->size(), x->begin());
    base += x->size();
  };
  take(&slot.zdot), take(&slot.y), take(&slot.tau);
  for (Spatial& F : slot.F) {
    F = {{base[0], base[1], base[2]}, {base[3], base[4], base[5]}};
    base += 6;
  }
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
      SystemInput in(s, &view_);
      in.t = t, in.z = slot.z, in.u = slot.u, in.q = slot.q, in.v = slot.v;
      if (!s.law->differentiate(in, &slot.jacobian)) take_differences(i, t);
      if (fault_.kind != SystemFault::Kind::kNone) return false;
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
      for (std::size_t p = 0; p < s.pushed.size(); ++p) {
        const int body = s.bodies[s.pushed[p]];
        const int link = body < 0 ? -1 : model_.bodies[body].link;
        if (link < model_.num_anchored_links) continue;
        const Kinematics& kin = view_.kinematics(model_.links[link].tree);
        for (int l = link; l >= model_.num_anchored_links; l = model_.links[l].parent) {
          for (int k = 0; k < model_.links[l].nv; ++k) {
            const int v = model_.links[l].v_start + k;
            const Spatial H = shift_motion(kin.H_W[v], kin.X_WB[link].p - kin.X_WB[l].p);
            for (int c = 0; c < 3; ++c) {
              const int b = static_cast<int>(p);
              chain(i, slot.jacobian.F(b, c), H.w[c], driven_row(v));
              chain(i, slot.jacobian.F(b, 3 + c), H.v[c], driven_row(v));
            }
          }
        }
      }
    }
  }
  return true;
}

bool SystemEvaluator::is_due(const System& s, double t) const {
  return s.period > 0 && next_sample(s, z_) <= t;
}

bool SystemEvaluator::sample(double t, std::span<double> z) {
  fault_ = {};
  const int n = static_cast<int>(slots_.size());
  // Signals as they are at t, those of the systems that are due computed anew.
  for (int i = 0; i < n; ++i) {
    const System& s = model_.systems[i];
    Slot& slot = slots_[i];
    if (s.period > 0 && !is_due(s, t)) {
      load_held(i);
    } else {
      gather_coordinates(s, &slot);
      std::copy_n(z_.begin() + s.z_start, slot.z.size(), slot.z.begin());
      gather_signals(s, &slot);
      if (!call(i, t)) return false;
    }
    std::ranges::copy(slot.y, y_.begin() + s.y_start);
  }
  // Then what they remember and hold.
  for (int i = 0; i < n; ++i) {
    const System& s = model_.systems[i];
    Slot& slot = slots_[i];
    if (!is_due(s, t)) continue;
    if (slot.late_inputs) {
      gather_signals(s, &slot);
      if (!call(i, t)) return false;
    }
    SystemInput in(s, &view_);
    in.t = t, in.z = slot.z, in.u = slot.u, in.q = slot.q, in.v = slot.v;
    const SystemOutput out{&s, slot.zdot, slot.y, slot.tau, slot.F};
    double* own = z.data() + s.z_start;
    s.law->update(in, out, {own, slot.z.size()});
    for (std::size_t k = 0; k < slot.z.size(); ++k) {
      if (std::isfinite(own[k])) continue;
      fault_ = {SystemFault::Kind::kState, i, static_cast<int>(k), own[k]};
      return false;
    }
    double* held = own + slot.z.size();
    held = std::ranges::copy(slot.y, held).out;
    held = std::ranges::copy(slot.tau, held).out;
    for (const Spatial& F : slot.F) {
      for (const Vec3& part : {F.w, F.v}) {
        *held++ = part.x, *held++ = part.y, *held++ = part.z;
      }
    }
    // Samples that were missed because the state was set to a later time are not made up for.
    *held = std::max(*held + 1, std::floor((t - s.offset) / s.period));
    while (s.offset + s.period * *held <= t) {
      *held += 1;
    }
  }
  return true;
}

}  // namespace cenic
