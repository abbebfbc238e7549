// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/step_table.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "cli/column_list.h"
#include "core/error.h"
#include "model/coordinate_names.h"
#include "plots/column_names.h"

namespace cenic::cli {
namespace {

constexpr const char* kDefault =
    "t,h,error,rejections,limited_by,q,v,z,y,normal_force,friction_force,slip_speed,"
    "constraint_error";

// Names hold spaces and quotes: quoted, and quotes doubled.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

// What has several numbers counts them: "[2]".
std::string make_index(int i, int count) { return count > 1 ? fmt::format("[{}]", i) : ""; }

[[noreturn]] void fail_name(const char* kind, const std::string& asked,
                            const std::vector<std::string>& names,
                            const std::vector<std::string>& aliases = {}) {
  throw Error("--columns: " + describe_unknown_name(kind, asked, names, aliases));
}

struct Forces {
  double normal = 0;            // sum over all contacts, N
  double friction = 0;          // length of the sum of the friction forces on the B sides, N
  double slip = 0;              // fastest slip of a contact that carries force, m/s
  double constraint_error = 0;  // largest, m or rad
  double penetration = 0;       // deepest, m
};

Forces sum_forces(const Simulator& sim) {
  Forces sum;
  Vec3 friction;
  for (const ContactReport& c : sim.contacts()) {
    const double normal = dot(c.force_B_W, c.point.nhat_AB_W);
    sum.normal += normal;
    friction += c.force_B_W - normal * c.point.nhat_AB_W;
    if (normal > 0) sum.slip = std::max(sum.slip, norm(c.slip_W));
    sum.penetration = std::max(sum.penetration, -c.point.phi);
  }
  sum.friction = norm(friction);
  for (const ConstraintReport& c : sim.constraints()) {
    for (int r = 0; r < c.rows; ++r) {
      sum.constraint_error = std::max(sum.constraint_error, std::abs(c.error[r]));
    }
  }
  return sum;
}

Vec3 sum_contact_force(const Simulator& sim, int body) {
  Vec3 sum;
  for (const ContactReport& c : sim.contacts()) {
    if (sim.model().geometries[c.point.geometry_b].body == body) sum += c.force_B_W;
    if (sim.model().geometries[c.point.geometry_a].body == body) sum -= c.force_B_W;
  }
  return sum;
}

}  // namespace

// What the columns of a row share, computed when one asks.
struct StepTable::Row {
  const StepEvent& event;
  Simulator* sim = nullptr;
  std::optional<Forces> forces{};
  bool has_outputs = false;

  const Forces& get_forces() {
    if (!forces) forces = sum_forces(*sim);
    return *forces;
  }
};

StepTable::StepTable(const std::string& path, const std::vector<std::string>& columns,
                     const Model& model)
    : model_(model), stream_(stdout, std::fflush) {
  if (path != "-") {
    file_.emplace(path);
    stream_ = {std::fopen(file_->path_to_write().c_str(), "w"), std::fclose};
    if (stream_ == nullptr) fail();
  }
  for (const std::string& name : columns.empty() ? split_columns(kDefault) : columns) {
    add(name);
  }
  std::string header;
  for (const Column& column : columns_) {
    header += (header.empty() ? "" : ",") + column.header;
  }
  write(header + '\n');
}

void StepTable::fail() const {
  if (file_) file_->fail();
  throw Error(fmt::format("cannot write standard output: {}", std::strerror(errno)));
}

void StepTable::write(const std::string& row) {
  if (std::fwrite(row.data(), 1, row.size(), stream_.get()) != row.size()) fail();
}

void StepTable::add(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string of = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (of.empty() && add_number(kind)) return;
  if (name == "limited_by") {
    columns_.push_back({name, [this](Row* row) {
                          const StepResult& r = row->event.result;
                          return r.velocity >= 0 ? quote(model_.describe_velocity(r.velocity))
                                 : r.state >= 0  ? quote(model_.describe_state(r.state))
                                                 : std::string();
                        }});
    return;
  }
  if (kind == "q" || kind == "v") return add_coordinates(kind, of);
  if (kind == "z") return add_states(of);
  if (kind == "y") return add_outputs(of);
  if (kind == "force" && !of.empty()) return add_force(of);
  throw Error(fmt::format(
      "--columns: there is no '{}'; the columns are {}, energy, penetration, and q:JOINT, v:JOINT, "
      "z:SYSTEM, y:SYSTEM.OUTPUT, one of them (q:JOINT[0]), force:BODY",
      name, kDefault));
}

void StepTable::add_number(const std::string& header, std::function<double(Row*)> value) {
  columns_.push_back({header, [value = std::move(value)](Row* row) {
                        return fmt::format("{}", value(row));
                      }});
}

bool StepTable::add_number(const std::string& name) {
  const std::pair<const char*, double (*)(Row*)> known[] = {
      {"t",
       [](Row* r) {
         return r->event.after.t;
       }},
      {"h",
       [](Row* r) {
         return r->event.result.h;
       }},
      {"error",
       [](Row* r) {
         return r->event.result.error;
       }},
      {"rejections",
       [](Row* r) {
         return static_cast<double>(r->event.result.rejections);
       }},
      {"energy",
       [](Row* r) {
         return r->sim->calc_energy();
       }},
      {"normal_force",
       [](Row* r) {
         return r->get_forces().normal;
       }},
      {"friction_force",
       [](Row* r) {
         return r->get_forces().friction;
       }},
      {"slip_speed",
       [](Row* r) {
         return r->get_forces().slip;
       }},
      {"constraint_error",
       [](Row* r) {
         return r->get_forces().constraint_error;
       }},
      {"penetration", [](Row* r) {
         return r->get_forces().penetration;
       }}};
  for (const auto& [known_name, value] : known) {
    if (name != known_name) continue;
    add_number(name, value);
    return true;
  }
  return false;
}

void StepTable::add_coordinate(const std::string& header, bool is_q, int i) {
  add_number(header, [is_q, i](Row* row) {
    return is_q ? row->event.after.q[i] : row->event.after.v[i];
  });
}

// All of them as q0, q1, …, or those of a joint by its name; a free body's joint goes by the
// body's.
void StepTable::add_coordinates(const std::string& kind, const std::string& joint) {
  const bool is_q = kind == "q";
  if (joint.empty()) {
    for (int i = 0; i < (is_q ? model_.nq : model_.nv); ++i) {
      add_coordinate(fmt::format("{}{}", kind, i), is_q, i);
    }
    return;
  }
  const std::size_t before = columns_.size();
  const CoordinateNames coordinates = name_coordinates(model_);
  std::vector<std::string> names, by_body;
  for (const Joint& j : model_.joints) {
    const auto [start, count] = is_q ? std::pair{j.q_start, j.nq} : std::pair{j.v_start, j.nv};
    const auto [first, last] = std::ranges::equal_range(model_.joints, j.body, {}, &Joint::body);
    for (int i = 0; i < count; ++i) {
      names.push_back((is_q ? coordinates.q : coordinates.v)[start + i]);
      // The body stands for its joint, or for all of several.
      const std::string& body = model_.bodies[j.body].name;
      const bool alone = last - first == 1;
      by_body.push_back(alone ? body + make_index(i, count) : body);
      const bool by_name = means_coordinate(joint, names.back());
      if (!by_name && !means_coordinate(joint, by_body.back())) continue;
      const std::string& header = by_name || !alone ? names.back() : by_body.back();
      add_coordinate(quote(fmt::format("{}:{}", kind, header)), is_q, start + i);
    }
  }
  if (columns_.size() == before) fail_name(is_q ? "coordinate" : "velocity", joint, names, by_body);
}

void StepTable::add_states(const std::string& system) {
  const std::size_t before = columns_.size();
  std::vector<std::string> names;
  for (const System& s : model_.systems) {
    // What sampled systems hold has to be asked for.
    const int count = system.empty() ? static_cast<int>(s.state_names.size()) : s.nz;
    for (int i = 0; i < count; ++i) {
      names.push_back(s.name + "." + s.name_state(i));
      if (!system.empty() && !means_signal(system, names.back())) continue;
      const int index = s.z_start + i;
      add_number(quote(names.back()), [index](Row* row) {
        return row->event.after.z[index];
      });
    }
  }
  if (!system.empty() && columns_.size() == before) fail_name("state", system, names);
}

void StepTable::add_outputs(const std::string& name) {
  const std::size_t before = columns_.size();
  std::vector<std::string> names;
  for (const System& s : model_.systems) {
    for (const System::Signal& signal : s.outputs) {
      for (int i = 0; i < signal.size; ++i) {
        names.push_back(s.name + "." + signal.name + make_index(i, signal.size));
        if (!name.empty() && !means_signal(name, names.back())) continue;
        add_output(names.back(), s.y_start + signal.start + i);
      }
    }
  }
  if (!name.empty() && columns_.size() == before) fail_name("output", name, names);
}

void StepTable::add_output(const std::string& header, int output) {
  add_number(quote(header), [output](Row* row) {
    // Once a row: the simulator keeps them.
    const std::vector<double>& y =
        row->has_outputs ? row->sim->last_outputs() : row->sim->outputs();
    row->has_outputs = true;
    return y[output];
  });
}

void StepTable::add_force(const std::string& body) {
  std::vector<std::string> names;
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    names.push_back(model_.bodies[b].name);
    if (names.back() != body) continue;
    for (int axis = 0; axis < 3; ++axis) {
      add_number(quote(fmt::format("force:{}.{}", body, "xyz"[axis])), [b, axis](Row* row) {
        return sum_contact_force(*row->sim, static_cast<int>(b))[axis];
      });
    }
    return;
  }
  fail_name("body", body, names);
}

void StepTable::on_step(const StepEvent& event, Simulator* sim) {
  Row row{event, sim};
  std::string text;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (i > 0) text += ',';
    text += columns_[i].value(&row);
  }
  text += '\n';
  if (file_) file_->keep();
  write(text);
}

void StepTable::finish() {
  const auto end = stream_.get_deleter();
  if (end(stream_.release()) != 0) fail();
  if (file_) file_->commit();
}

}  // namespace cenic::cli
