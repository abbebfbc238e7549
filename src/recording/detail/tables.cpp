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
  kSurfaceSize,
  kSurfacePressure,
  kSurfaceCorner,
  kFrameQ,
  kFrameV,
  kFrameZ,
  kFrameOutputs,
  kFramePoses,
  kFrameEnergy,
  kFrameStep,
  kFrameContactStart,
  kFrameContactCount,
  kFramePolygonStart,
  kFramePolygonCount,
  kFrameCornerStart,
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
  const int surfaces = scene.has_surfaces ? 1 : 0;
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
             {"surfaces/size", surfaces, Series::kInteger},
             {"surfaces/pressure", surfaces, Series::kFloat},
             {"surfaces/corner", 3 * surfaces, Series::kFloat},
             {"frames/q", count(scene.coordinates)},
             {"frames/v", count(scene.velocities)},
             {"frames/z", count(scene.states)},
             {"frames/outputs", count(scene.outputs)},
             {"frames/poses", 7 * count(scene.bodies), Series::kFloat},
             {"frames/energy"},
             {"frames/step", 1, Series::kInteger},
             {"frames/contact_start", 1, Series::kInteger},
             {"frames/contact_count", 1, Series::kInteger},
             {"frames/polygon_start", surfaces, Series::kInteger},
             {"frames/polygon_count", surfaces, Series::kInteger},
             {"frames/corner_start", surfaces, Series::kInteger},
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
  if (s[kSurfaceSize].columns > 0) add_surfaces(frame);
}

void Tables::add_surfaces(const Frame& frame) {
  auto& s = series_;
  s[kSurfaceSize].rows.insert(s[kSurfaceSize].rows.end(), frame.polygon_sizes.begin(),
                              frame.polygon_sizes.end());
  append(&s[kSurfacePressure], frame.pressures);
  for (const Vec3& p : frame.corners) {
    append(&s[kSurfaceCorner], p);
  }
  s[kFramePolygonStart].rows.push_back(num_polygons_);
  s[kFramePolygonCount].rows.push_back(static_cast<double>(frame.polygon_sizes.size()));
  s[kFrameCornerStart].rows.push_back(num_corners_);
  num_polygons_ += static_cast<double>(frame.polygon_sizes.size());
  num_corners_ += static_cast<double>(frame.corners.size());
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

// The smallest number of rows of series that belong together.
std::size_t Tables::count_rows(int first, int last) const {
  std::size_t rows = series_[last].num_rows();
  for (int i = first; i <= last; ++i) {
    if (series_[i].columns > 0) rows = std::min(rows, series_[i].num_rows());
  }
  return rows;
}

// The rows `first` to `first + count` of a table with `total` rows; none: it is cut off before.
std::optional<Tables::Range> Tables::read_range(double first, double count, std::size_t total) {
  if (!(first >= 0) || !(count >= 0)) throw Error("a count is negative");
  if (first + count > static_cast<double>(total)) return {};
  return Range{static_cast<std::size_t>(first), static_cast<std::size_t>(first + count)};
}

bool Tables::extract_contacts(std::size_t row, int num_geometries, Frame* frame) const {
  const auto& s = series_;
  const auto range = read_range(s[kFrameContactStart].rows[row], s[kFrameContactCount].rows[row],
                                count_rows(kContactGeometry, kContactPenetration));
  if (!range) return false;
  for (std::size_t c = range->first; c < range->end; ++c) {
    const int a = static_cast<int>(s[kContactGeometry].rows[2 * c]),
              b = static_cast<int>(s[kContactGeometry].rows[2 * c + 1]);
    if (a < 0 || b < 0 || a >= num_geometries || b >= num_geometries) {
      throw Error("a contact is between geometries that do not exist");
    }
    frame->contacts.push_back({a, b, read_vector(s[kContactPoint], c),
                               read_vector(s[kContactNormal], c), read_vector(s[kContactForce], c),
                               s[kContactPenetration].rows[c]});
  }
  return true;
}

bool Tables::extract_surfaces(std::size_t row, Frame* frame) const {
  const auto& s = series_;
  if (s[kSurfaceSize].columns == 0) return true;
  const auto polygons = read_range(s[kFramePolygonStart].rows[row], s[kFramePolygonCount].rows[row],
                                   count_rows(kSurfaceSize, kSurfacePressure));
  if (!polygons) return false;
  double num_corners = 0;
  for (std::size_t i = polygons->first; i < polygons->end; ++i) {
    const double size = s[kSurfaceSize].rows[i];
    if (size < 0) throw Error("a count is negative");
    frame->polygon_sizes.push_back(static_cast<int>(size));
    frame->pressures.push_back(s[kSurfacePressure].rows[i]);
    num_corners += size;
  }
  const auto corners =
      read_range(s[kFrameCornerStart].rows[row], num_corners, s[kSurfaceCorner].num_rows());
  if (!corners) return false;
  for (std::size_t i = corners->first; i < corners->end; ++i) {
    frame->corners.push_back(read_vector(s[kSurfaceCorner], i));
  }
  return true;
}

void Tables::extract(Recording* recording) const {
  const auto& s = series_;
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
    Frame frame{.t = s[kFrameTime].rows[i],
                .q = read_row(s[kFrameQ], i),
                .v = read_row(s[kFrameV], i),
                .z = read_row(s[kFrameZ], i),
                .outputs = read_row(s[kFrameOutputs], i),
                .poses = read_row(s[kFramePoses], i),
                .energy = s[kFrameEnergy].rows[i],
                .step = static_cast<int>(s[kFrameStep].rows[i])};
    if (!extract_contacts(i, num_geometries, &frame) || !extract_surfaces(i, &frame)) break;
    if (i > 0 && !(frame.t > recording->frames.back().t)) throw Error("time does not go on");
    recording->frames.push_back(std::move(frame));
  }
}

}  // namespace cenic::detail
