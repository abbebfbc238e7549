// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/step_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/error.h"

namespace cenic::cli {
namespace {

// Names hold spaces and quotes: quoted, and quotes doubled.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

struct Forces {
  double normal = 0;            // sum over all contacts, N
  double friction = 0;          // length of the sum of the friction forces on the B sides, N
  double slip = 0;              // fastest slip of a contact that carries force, m/s
  double constraint_error = 0;  // largest, m or rad
};

Forces sum_forces(const Simulator& sim) {
  Forces sum;
  Vec3 friction;
  for (const ContactReport& c : sim.contacts()) {
    const double normal = dot(c.force_B_W, c.point.nhat_AB_W);
    sum.normal += normal;
    friction += c.force_B_W - normal * c.point.nhat_AB_W;
    if (normal > 0) sum.slip = std::max(sum.slip, norm(c.slip_W));
  }
  sum.friction = norm(friction);
  for (const ConstraintReport& c : sim.constraints()) {
    for (int r = 0; r < c.rows; ++r) {
      sum.constraint_error = std::max(sum.constraint_error, std::abs(c.error[r]));
    }
  }
  return sum;
}

}  // namespace

StepTable::StepTable(const std::string& path, const Model& model)
    : model_(model), file_(path), stream_(file_.path_to_write()) {
  stream_ << "t,h,error,rejections,limited_by";
  for (int i = 0; i < model.nq; ++i) {
    stream_ << ",q" << i;
  }
  for (int i = 0; i < model.nv; ++i) {
    stream_ << ",v" << i;
  }
  for (const System& s : model.systems) {
    for (const std::string& state : s.state_names) {
      stream_ << ',' << quote(s.name + "." + state);
    }
  }
  for (const System& s : model.systems) {
    for (const System::Signal& signal : s.outputs) {
      for (int i = 0; i < signal.size; ++i) {
        const std::string index = signal.size > 1 ? fmt::format("[{}]", i) : "";
        stream_ << ',' << quote(s.name + "." + signal.name + index);
      }
    }
  }
  stream_ << ",normal_force,friction_force,slip_speed,constraint_error\n";
}

void StepTable::on_step(const StepEvent& event, Simulator* sim) {
  const StepResult& r = event.result;
  fmt::memory_buffer row;
  auto out = std::back_inserter(row);
  const std::string culprit = r.velocity >= 0 ? quote(model_.describe_velocity(r.velocity))
                              : r.state >= 0  ? quote(model_.describe_state(r.state))
                                              : std::string();
  fmt::format_to(out, "{},{},{},{},{}", event.after.t, r.h, r.error, r.rejections, culprit);
  for (const double x : event.after.q) {
    fmt::format_to(out, ",{}", x);
  }
  for (const double x : event.after.v) {
    fmt::format_to(out, ",{}", x);
  }
  for (const System& s : model_.systems) {
    for (std::size_t i = 0; i < s.state_names.size(); ++i) {
      fmt::format_to(out, ",{}", event.after.z[s.z_start + i]);
    }
  }
  if (model_.ny > 0) {
    for (const double y : sim->outputs()) {
      fmt::format_to(out, ",{}", y);
    }
  }
  const Forces forces = sum_forces(*sim);
  fmt::format_to(out, ",{},{},{},{}\n", forces.normal, forces.friction, forces.slip,
                 forces.constraint_error);
  stream_.write(row.data(), static_cast<std::streamsize>(row.size()));
}

void StepTable::finish() {
  stream_.close();
  if (!stream_) throw Error(fmt::format("{}: error: writing failed (disk full?)", file_.path()));
  file_.commit();
}

}  // namespace cenic::cli
