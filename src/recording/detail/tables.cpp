// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/tables.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace cenic::detail {
namespace {

enum Index {
  kContactGeometry,
  kContactPoint,
  kContactNormal,
  kContactForce,
  kContactPenetration,
  kStepTime,
  kStepSize,
  kStepError,
  kStepRejections,
  kStepVelocity,
  kStepState,
  kStepWallTime,
  kFrameQ,
  kFrameV,
  kFrameZ,
  kFrameOutputs,
  kFramePoses,
  kFrameEnergy,
  kFrameStep,
  kFrameContactStart,
  kFrameContactCount,
  kFrameTime,
};

void append(Series* series, const Vec3& v) {
  series->rows.insert(series->rows.end(), {v.x, v.y, v.z});
}

void append(Series* series, const std::vector<double>& row) {
  series->rows.insert(series->rows.end(), row.begin(), row.end());
}

Vec3 read_vector(const Series& series, std::size_t row) {
  const double* x = series.rows.data() + 3 * row;
  return {x[0], x[1], x[2]};
}

std::vector<double> read_row(const Series& series, std::size_t row) {
  const auto first = series.rows.begin() + static_cast<std::ptrdiff_t>(row * series.columns);
  return {first, first + series.columns};
}

}  // namespace

Tables::Tables(const RecordedScene& scene) {
  const auto count = [](const std::vector<std::string>& names) {
    return static_cast<int>(names.size());
  };
  series_ = {{"contacts/geometry", 2, Series::kInteger},
             {"contacts/point", 3, Series::kFloat},
             {"contacts/normal", 3, Series::kFloat},
             {"contacts/force", 3, Series::kFloat},
             {"contacts/penetration", 1, Series::kFloat},
             {"steps/time"},
             {"steps/h"},
             {"steps/error"},
             {"steps/rejections", 1, Series::kInteger},
             {"steps/velocity", 1, Series::kInteger},
             {"steps/state", 1, Series::kInteger},
             {"steps/wall_time"},
             {"frames/q", count(scene.coordinates)},
             {"frames/v", count(scene.velocities)},
             {"frames/z", count(scene.states)},
             {"frames/outputs", count(scene.outputs)},
             {"frames/poses", 7 * count(scene.bodies), Series::kFloat},
             {"frames/energy"},
             {"frames/step", 1, Series::kInteger},
             {"frames/contact_start", 1, Series::kInteger},
             {"frames/contact_count", 1, Series::kInteger},
             {"frames/time"}};
}

void Tables::add(const Frame& frame) {
  auto& s = series_;
  // Frames within one step share its contacts.
  const bool is_new = frame.step != contact_step_;
  if (is_new) contact_start_ = num_contacts_;
  contact_step_ = frame.step;
  for (const RecordedContact& c : frame.contacts) {
    if (!is_new) break;
    s[kContactGeometry].rows.push_back(c.geometry_a);
    s[kContactGeometry].rows.push_back(c.geometry_b);
    append(&s[kContactPoint], c.point_W);
    append(&s[kContactNormal], c.normal_AB_W);
    append(&s[kContactForce], c.force_B_W);
    s[kContactPenetration].rows.push_back(c.penetration);
  }
  append(&s[kFrameQ], frame.q);
  append(&s[kFrameV], frame.v);
  append(&s[kFrameZ], frame.z);
  append(&s[kFrameOutputs], frame.outputs);
  append(&s[kFramePoses], frame.poses);
  s[kFrameEnergy].rows.push_back(frame.energy);
  s[kFrameStep].rows.push_back(frame.step);
  s[kFrameContactStart].rows.push_back(contact_start_);
  s[kFrameContactCount].rows.push_back(static_cast<double>(frame.contacts.size()));
  s[kFrameTime].rows.push_back(frame.t);
  if (is_new) num_contacts_ += static_cast<double>(frame.contacts.size());
}

void Tables::add(const RecordedStep& step) {
  const double row[] = {step.t,
                        step.h,
                        step.error,
                        static_cast<double>(step.rejections),
                        static_cast<double>(step.velocity),
                        static_cast<double>(step.state),
                        step.wall_time};
  for (std::size_t i = 0; i < std::size(row); ++i) {
    series_[kStepTime + i].rows.push_back(row[i]);
  }
}

std::size_t Tables::bytes() const {
  std::size_t numbers = 0;
  for (const Series& s : series_) {
    numbers += s.rows.size();
  }
  return numbers * sizeof(double);
}

void Tables::clear() {
  for (Series& s : series_) {
    s.rows.clear();
  }
}

void Tables::extract(Recording* recording) const {
  const auto& s = series_;
  const auto count_rows = [&](int first, int last) {
    std::size_t rows = s[last].num_rows();
    for (int i = first; i <= last; ++i) {
      if (s[i].columns > 0) rows = std::min(rows, s[i].num_rows());
    }
    return rows;
  };
  const std::size_t num_contacts = count_rows(kContactGeometry, kContactPenetration);
  for (std::size_t i = 0; i < count_rows(kStepTime, kStepWallTime); ++i) {
    const auto number = [&](int index) {
      return s[index].rows[i];
    };
    recording->steps.push_back({number(kStepTime), number(kStepSize), number(kStepError),
                                static_cast<int>(number(kStepRejections)),
                                static_cast<int>(number(kStepVelocity)),
                                static_cast<int>(number(kStepState)), number(kStepWallTime)});
  }
  const int num_geometries = static_cast<int>(recording->scene.geometries.size());
  for (std::size_t i = 0; i < count_rows(kFrameQ, kFrameTime); ++i) {
    Frame frame{s[kFrameTime].rows[i],
                read_row(s[kFrameQ], i),
                read_row(s[kFrameV], i),
                read_row(s[kFrameZ], i),
                read_row(s[kFrameOutputs], i),
                read_row(s[kFramePoses], i),
                s[kFrameEnergy].rows[i],
                static_cast<int>(s[kFrameStep].rows[i]),
                {}};
    const double first = s[kFrameContactStart].rows[i], count = s[kFrameContactCount].rows[i];
    if (!(first >= 0) || !(count >= 0)) throw Error("a contact count is negative");
    if (first + count > static_cast<double>(num_contacts)) break;  // cut off here
    if (i > 0 && !(frame.t > recording->frames.back().t)) throw Error("time does not go on");
    for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(first + count);
         ++c) {
      const int a = static_cast<int>(s[kContactGeometry].rows[2 * c]),
                b = static_cast<int>(s[kContactGeometry].rows[2 * c + 1]);
      if (a < 0 || b < 0 || a >= num_geometries || b >= num_geometries) {
        throw Error("a contact is between geometries that do not exist");
      }
      frame.contacts.push_back({a, b, read_vector(s[kContactPoint], c),
                                read_vector(s[kContactNormal], c), read_vector(s[kContactForce], c),
                                s[kContactPenetration].rows[c]});
    }
    recording->frames.push_back(std::move(frame));
  }
}

}  // namespace cenic::detail
