// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/step_table.h"

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
  stream_ << '\n';
}

void StepTable::on_step(const StepEvent& event) {
  const StepResult& r = event.result;
  fmt::memory_buffer row;
  auto out = std::back_inserter(row);
  const std::string culprit =
      r.velocity >= 0 ? quote(model_.describe_velocity(r.velocity)) : std::string();
  fmt::format_to(out, "{},{},{},{},{}", event.after.t, r.h, r.error, r.rejections, culprit);
  for (const double x : event.after.q) {
    fmt::format_to(out, ",{}", x);
  }
  for (const double x : event.after.v) {
    fmt::format_to(out, ",{}", x);
  }
  row.push_back('\n');
  stream_.write(row.data(), static_cast<std::streamsize>(row.size()));
}

void StepTable::finish() {
  stream_.close();
  if (!stream_) throw Error(fmt::format("{}: error: writing failed (disk full?)", file_.path()));
  file_.commit();
}

}  // namespace cenic::cli
