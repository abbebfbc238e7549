// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/systems.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "core/error.h"
#include "core/union_find.h"
#include "model/external_system.h"

namespace cenic {

namespace {

// Things without a name cannot be meant.
template <typename T>
int find_named(const char* what, const std::vector<T>& things, const std::string& name) {
  for (std::size_t i = 0; i < things.size(); ++i) {
    if (!name.empty() && things[i].name == name) return static_cast<int>(i);
  }
  throw Error(fmt::format("there is no {} '{}'; check the name", what, name));
}

}  // namespace

int Ports::find_joint(const std::string& name) const {
  return find_named("joint", model_.joints, name);
}

void Ports::read_joint(const std::string& name) {
  const Joint& joint = model_.joints[find_joint(name)];
  if (joint.nv > 0 && std::ranges::find(velocities, joint.v_start) != velocities.end()) {
    throw Error(fmt::format("joint '{}' is named twice; once is enough", name));
  }
  for (int i = 0; i < joint.nq; ++i) {
    coordinates.push_back(joint.q_start + i);
  }
  for (int i = 0; i < joint.nv; ++i) {
    velocities.push_back(joint.v_start + i);
  }
}

void Ports::drive_joint(const std::string& name, double effort_limit) {
  if (!(effort_limit >= 0)) {
    throw Error(fmt::format("the effort limit of joint '{}' is {}; give zero or a positive number",
                            name, effort_limit));
  }
  const Joint& joint = model_.joints[find_joint(name)];
  read_joint(name);
  for (int i = 0; i < joint.nv; ++i) {
    efforts.push_back({joint.v_start + i, effort_limit});
  }
}

int Ports::find_body(const std::string& name) const {
  if (name == kWorldName) return -1;
  return find_named("body", model_.bodies, name);
}

int Ports::read_body(const std::string& name) {
  bodies.push_back(find_body(name));
  return static_cast<int>(bodies.size()) - 1;
}

int Ports::read_geometry(const std::string& name) {
  geometries.push_back(find_named("geometry", model_.geometries, name));
  reads_measurements = true;
  return static_cast<int>(geometries.size()) - 1;
}

int Ports::read_geometries_of(const std::string& name) {
  const int body = find_body(name), first = static_cast<int>(geometries.size());
  for (std::size_t g = 0; g < model_.geometries.size(); ++g) {
    if (model_.geometries[g].body == body) geometries.push_back(static_cast<int>(g));
  }
  if (static_cast<int>(geometries.size()) == first) {
    throw Error(fmt::format("body '{}' has no geometry to touch; name another body", name));
  }
  reads_measurements = true;
  return first;
}

int Ports::read_constraint(const std::string& name) {
  constraints.push_back(find_named("constraint", model_.constraints, name));
  reads_measurements = true;
  return static_cast<int>(constraints.size()) - 1;
}

int Ports::push_body(const std::string& name) {
  pushed.push_back(read_body(name));
  return static_cast<int>(pushed.size()) - 1;
}

namespace {

int add_signal(const std::string& name, int size, std::vector<Ports::Signal>* signals) {
  if (size < 1) {
    throw Error(fmt::format("signal '{}' has {} numbers; give it at least one", name, size));
  }
  if (std::ranges::find(*signals, name, &Ports::Signal::name) != signals->end()) {
    throw Error(fmt::format("two signals are named '{}'; names are unique", name));
  }
  const int start = signals->empty() ? 0 : signals->back().start + signals->back().size;
  signals->push_back({name, start, size});
  return static_cast<int>(signals->size()) - 1;
}

}  // namespace

int Ports::add_input(const std::string& name, int size) { return add_signal(name, size, &inputs); }

int Ports::add_output(const std::string& name, int size) {
  return add_signal(name, size, &outputs);
}

void Ports::add_state(const std::string& name, double value, double error_weight) {
  if (!std::isfinite(value)) {
    throw Error(fmt::format("state '{}' starts at {}; give a finite number", name, value));
  }
  if (!(error_weight >= 0) || !std::isfinite(error_weight)) {
    throw Error(fmt::format("the error weight of state '{}' is {}; give zero or a positive number",
                            name, error_weight));
  }
  state_names.push_back(name);
  initial.push_back(value);
  weight.push_back(error_weight);
}

namespace detail {
namespace {

constexpr double kShortestPeriod = 1e-9;  // s

std::string who(const SystemSpec& spec) { return fmt::format("system '{}'", spec.name); }

std::vector<System::Signal> to_signals(const std::vector<Ports::Signal>& ports) {
  std::vector<System::Signal> signals;
  signals.reserve(ports.size());
  for (const Ports::Signal& p : ports) {
    signals.push_back({.name = p.name, .start = p.start, .size = p.size});
  }
  return signals;
}

int size_of(const std::vector<System::Signal>& signals) {
  return signals.empty() ? 0 : signals.back().start + signals.back().size;
}

// Velocities that move the body.
void add_moving_dofs(const Model& model, int body, std::vector<int>* dofs) {
  for (int l = body < 0 ? -1 : model.bodies[body].link; l >= model.num_anchored_links;
       l = model.links[l].parent) {
    for (int i = 0; i < model.links[l].nv; ++i) {
      const int v = model.links[l].v_start + i;
      if (std::ranges::find(*dofs, v) == dofs->end()) dofs->push_back(v);
    }
  }
}

int tree_of(const Model& model, int velocity) { return model.links[model.dof_link[velocity]].tree; }

void sort_unique(std::vector<int>* list) {
  std::ranges::sort(*list);
  list->erase(std::unique(list->begin(), list->end()), list->end());
}

// Asks the system what it reads and gives.
System declare(const SystemSpec& spec, Model* model) {
  Ports ports(*model, spec.period);
  spec.system->declare(&ports);
  System s{.name = spec.name,
           .law = spec.system,
           .period = spec.period,
           .offset = spec.offset,
           .depends_on_time = ports.depends_on_time,
           .feedthrough = ports.feedthrough,
           .coordinates = ports.coordinates,
           .velocities = ports.velocities,
           .bodies = ports.bodies,
           .pushed = ports.pushed,
           .geometries = ports.geometries,
           .constraints = ports.constraints};
  for (const Ports::Effort& e : ports.efforts) {
    s.efforts.push_back({e.velocity, e.limit});
  }
  s.dofs = s.velocities;
  for (const int body : s.bodies) {
    add_moving_dofs(*model, body, &s.dofs);
  }
  for (const int v : s.dofs) {
    s.trees.push_back(tree_of(*model, v));
  }
  sort_unique(&s.trees);
  s.inputs = to_signals(ports.inputs);
  s.outputs = to_signals(ports.outputs);
  s.nu = size_of(s.inputs);
  s.ny = size_of(s.outputs);
  s.state_names = ports.state_names;
  if (!spec.initial.empty() && spec.initial.size() != ports.initial.size()) {
    throw Error(fmt::format("initial has {} numbers, and the system {} states; give as many",
                            spec.initial.size(), ports.initial.size()));
  }
  const std::vector<double>& initial = spec.initial.empty() ? ports.initial : spec.initial;
  model->z0.insert(model->z0.end(), initial.begin(), initial.end());
  model->z_weight.insert(model->z_weight.end(), ports.weight.begin(), ports.weight.end());
  s.nz = static_cast<int>(ports.initial.size());
  if (s.period > 0) s.nz += s.num_held() + 1;
  model->z0.resize(model->nz + s.nz, 0.0);
  model->z_weight.resize(model->nz + s.nz, 0.0);
  s.z_start = model->nz;
  s.y_start = model->ny;
  model->nz += s.nz;
  model->ny += s.ny;
  model->reads_measurements = model->reads_measurements || ports.reads_measurements;
  return s;
}

struct Port {
  int system = -1, signal = -1;
};

// "system.signal", or "system" where it has one such signal.
std::optional<Port> find_port(const Model& model, const std::string& text, bool output,
                              Problems* problems) {
  const auto report = [&](const std::string& problem) {
    problems->add(fmt::format("wire {} '{}'", output ? "from" : "to", text), problem);
    return std::nullopt;
  };
  for (std::size_t i = 0; i < model.systems.size(); ++i) {
    const System& s = model.systems[i];
    const auto& signals = output ? s.outputs : s.inputs;
    if (text == s.name && signals.size() == 1) return Port{static_cast<int>(i), 0};
    if (text != s.name && !text.starts_with(s.name + ".")) continue;
    std::string known;
    for (std::size_t k = 0; k < signals.size(); ++k) {
      if (text == s.name + "." + signals[k].name) {
        return Port{static_cast<int>(i), static_cast<int>(k)};
      }
      known += (known.empty() ? "" : ", ") + signals[k].name;
    }
    return report(fmt::format("system '{}' has no such {}; it has: {}", s.name,
                              output ? "output" : "input", known.empty() ? "none" : known));
  }
  return report("there is no such system; write 'system.signal'");
}

void connect(const ModelSpec& spec, Problems* problems, Model* model) {
  for (const WireSpec& wire : spec.wires) {
    const auto from = find_port(*model, wire.from, true, problems);
    const auto to = find_port(*model, wire.to, false, problems);
    if (!from || !to) continue;
    const System& source = model->systems[from->system];
    const System::Signal& out = source.outputs[from->signal];
    System::Signal& in = model->systems[to->system].inputs[to->signal];
    const std::string name = fmt::format("wire from '{}' to '{}'", wire.from, wire.to);
    if (in.source >= 0) {
      problems->add(name, "that input has a wire already; an input takes one");
    } else if (in.size != out.size) {
      problems->add(name, fmt::format("the output has {} numbers and the input {}; make them equal",
                                      out.size, in.size));
    }
    in.source = source.y_start + out.start;
  }
  if (!problems->empty()) return;  // an input may be without a wire for that reason
  for (const System& s : model->systems) {
    for (const System::Signal& in : s.inputs) {
      if (in.source < 0) {
        problems->add(fmt::format("system '{}'", s.name),
                      fmt::format("input '{}' has no wire; connect an output to it", in.name));
      }
    }
  }
}

// Which system computes the signal.
int system_of_signal(const Model& model, int y) {
  for (std::size_t i = 0; i < model.systems.size(); ++i) {
    const System& s = model.systems[i];
    if (y >= s.y_start && y < s.y_start + s.ny) return static_cast<int>(i);
  }
  return -1;
}

// Sources before those that pass their signals on at once. What does not pass them on at once (a
// filter, a delay) may come in any order as far as its outputs go, but reads its inputs last.
// Depth-first; a system met while its own sources are being visited closes a cycle.
class Sorter {
 public:
  explicit Sorter(const Model& model) : model_(model), mark_(model.systems.size(), kNew) {}

  // Indices in order; empty when there is a cycle, whose names are then in cycle().
  std::vector<int> sort() {
    for (std::size_t i = 0; i < mark_.size(); ++i) {
      if (!visit(static_cast<int>(i))) return {};
    }
    return order_;
  }
  std::string cycle() const {
    std::string text;
    const auto first = std::ranges::find(path_, path_.back());
    // The path goes from readers to sources; signals flow the other way.
    for (auto i = path_.end(); i != first; --i) {
      text += (i == path_.end() ? "'" : " → '") + model_.systems[*(i - 1)].name + "'";
    }
    return text;
  }

 private:
  enum Mark { kNew, kOpen, kDone };

  bool visit(int i) {
    path_.push_back(i);
    if (mark_[i] == kOpen) return false;
    if (mark_[i] == kNew) {
      mark_[i] = kOpen;
      if (model_.systems[i].feedthrough) {
        for (const System::Signal& in : model_.systems[i].inputs) {
          if (in.source >= 0 && !visit(system_of_signal(model_, in.source))) return false;
        }
      }
      mark_[i] = kDone;
      order_.push_back(i);
    }
    path_.pop_back();
    return true;
  }

  const Model& model_;
  std::vector<Mark> mark_;
  std::vector<int> order_, path_;
};

// Does a step need it? Not a display of signals.
std::vector<char> find_active(const Model& model) {
  std::vector<char> active;
  std::vector<int> open;
  for (std::size_t i = 0; i < model.systems.size(); ++i) {
    const System& s = model.systems[i];
    active.push_back(s.nz > 0 || !s.efforts.empty() || !s.pushed.empty() ? 1 : 0);
    if (active.back() != 0) open.push_back(static_cast<int>(i));
  }
  while (!open.empty()) {  // and what it reads
    const System& s = model.systems[open.back()];
    open.pop_back();
    for (const System::Signal& in : s.inputs) {
      const int source = system_of_signal(model, in.source);
      if (active[source] == 0) open.push_back(source);
      active[source] = 1;
    }
  }
  return active;
}

// What a system reads, keeps and drives.
void add_to_group(const Model& model, const System& s, SystemGroup* group) {
  group->depends_on_time = group->depends_on_time || s.depends_on_time;
  group->dofs.insert(group->dofs.end(), s.dofs.begin(), s.dofs.end());
  for (int z = 0; z < s.nz; ++z) {
    group->states.push_back(s.z_start + z);
  }
  for (const int p : s.pushed) {
    add_moving_dofs(model, s.bodies[p], &group->driven);
  }
  for (const System::Effort& e : s.efforts) {
    if (std::isinf(e.limit)) {
      group->driven.push_back(e.velocity);
    } else {
      group->trees.push_back(tree_of(model, e.velocity));
    }
  }
}

void make_groups(Model* model) {
  const int n = static_cast<int>(model->systems.size());
  const std::vector<char> active = find_active(*model);
  UnionFind sets;
  sets.reset(n);
  for (int i = 0; i < n; ++i) {
    if (model->systems[i].period > 0) continue;
    for (const System::Signal& in : model->systems[i].inputs) {
      const int source = system_of_signal(*model, in.source);
      if (model->systems[source].period == 0 && active[source] == active[i]) sets.unite(source, i);
    }
  }
  std::map<int, int> group_of;
  for (int i = 0; i < n; ++i) {
    System& s = model->systems[i];
    if (s.period > 0) continue;
    const auto [entry, added] =
        group_of.try_emplace(sets.find(i), static_cast<int>(model->system_groups.size()));
    if (added) model->system_groups.emplace_back();
    s.group = entry->second;
    model->system_groups[s.group].systems.push_back(i);
    add_to_group(*model, s, &model->system_groups[s.group]);
  }
  for (SystemGroup& group : model->system_groups) {
    sort_unique(&group.dofs);
    sort_unique(&group.driven);
    for (const auto* list : {&group.dofs, &group.driven}) {
      for (const int v : *list) {
        group.trees.push_back(tree_of(*model, v));
      }
    }
    sort_unique(&group.trees);
  }
}

void list_limited_efforts(Model* model) {
  for (std::size_t s = 0; s < model->systems.size(); ++s) {
    const auto& efforts = model->systems[s].efforts;
    for (std::size_t i = 0; i < efforts.size(); ++i) {
      if (std::isinf(efforts[i].limit)) continue;
      model->limited_efforts.push_back(
          {static_cast<int>(s), static_cast<int>(i), efforts[i].velocity, efforts[i].limit});
    }
  }
  std::ranges::stable_sort(model->limited_efforts, {}, &LimitedEffort::velocity);
  for (std::size_t l = 0; l < model->limited_efforts.size(); ++l) {
    const LimitedEffort& e = model->limited_efforts[l];
    System& system = model->systems[e.system];
    system.efforts[e.output].limited = static_cast<int>(l);
    if (system.group >= 0) {
      model->system_groups[system.group].limited.push_back(static_cast<int>(l));
    }
  }
}

void check_sampling(const SystemSpec& spec, Problems* problems) {
  problems->check_not_negative(who(spec), "period", spec.period);
  problems->check_not_negative(who(spec), "offset", spec.offset);
  if (spec.period > 0 && spec.period < kShortestPeriod) {
    problems->add(who(spec), fmt::format("period is {} s; give at least {} s, or 0 for continuous",
                                         spec.period, kShortestPeriod));
  }
}

}  // namespace

void bind_systems(const ModelSpec& spec, Problems* problems, Model* model) {
  std::set<std::string> names;
  for (const SystemSpec& s : spec.systems) {
    if (s.name.empty()) problems->add("a system", "has no name; give it one");
    if (s.name.find('.') != std::string::npos) {
      problems->add(who(s), "the name has a dot, which separates a system from its signals");
    }
    if (!names.insert(s.name).second) {
      problems->add(who(s), "another system has this name; names are unique");
    }
    check_sampling(s, problems);
    if (!s.system) {
      problems->add(who(s), "has no law; give it an ExternalSystem");
      continue;
    }
    try {
      model->systems.push_back(declare(s, model));
    } catch (const std::exception& e) {
      problems->add(who(s), e.what());
    }
  }
  if (!problems->empty()) return;
  connect(spec, problems, model);
  if (!problems->empty()) return;
  Sorter sorter(*model);
  const std::vector<int> order = sorter.sort();
  if (order.size() != model->systems.size()) {
    problems->add("systems",
                  fmt::format("{} form a cycle of signals without delay; put a filter or "
                              "a delay into it",
                              sorter.cycle()));
    return;
  }
  std::vector<System> sorted;
  sorted.reserve(order.size());
  for (const int i : order) {
    sorted.push_back(model->systems[i]);
  }
  model->systems = std::move(sorted);
  make_groups(model);
  list_limited_efforts(model);
}

}  // namespace detail
}  // namespace cenic
