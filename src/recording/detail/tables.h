// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A run as tables of numbers: what HDF5 and NumPy files hold, by the same names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recording/recording.h"

namespace cenic::detail {

// Rows of numbers that grow with the run.
struct Series {
  std::string name;                                        // "frames/q"
  int columns = 1;                                         // may be 0: then there is none in a file
  enum Type { kDouble, kFloat, kInteger } type = kDouble;  // in files
  std::vector<double> rows{};
  std::size_t num_rows() const { return columns > 0 ? rows.size() / columns : 0; }
};

class Tables {
 public:
  explicit Tables(const RecordedScene& scene);

  void add(const Frame& frame);
  void add(const RecordedStep& step);
  // In an order in which a file cut short anywhere still makes sense: the frames' times last.
  std::vector<Series>& series() { return series_; }
  const std::vector<Series>& series() const { return series_; }

  // All frames and steps of which every number is there. Throws Error when they make no sense.
  void extract(Recording* recording) const;

 private:
  struct Range {
    std::size_t first = 0, end = 0;
  };
  void add_surfaces(const Frame& frame);
  std::size_t count_rows(int first, int last) const;
  static std::optional<Range> read_range(double first, double count, std::size_t total);
  // False: the table ends before.
  bool extract_contacts(std::size_t row, int num_geometries, Frame* frame) const;
  bool extract_surfaces(std::size_t row, Frame* frame) const;

  std::vector<Series> series_;
  double num_contacts_ = 0, contact_start_ = 0;
  double num_polygons_ = 0, num_corners_ = 0;
  int contact_step_ = -1;  // whose contacts stand at contact_start_
};

}  // namespace cenic::detail
