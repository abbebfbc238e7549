// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Heights come from a grey image, from MuJoCo's own binary format, or stand in the file. Whatever
// their range, they are scaled to [0, 1] times the height given.
#include "loaders/mjcf/hfield.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_png.h"

namespace cenic::detail {
namespace {

constexpr int kMostSide = 100'000;

// Rows of text go from the top, where y is largest, down.
void set_rows_from_top(int rows, int columns, const std::vector<double>& values,
                       HeightField* field) {
  field->rows = rows, field->columns = columns;
  for (int r = rows - 1; r >= 0; --r) {
    const auto row = values.begin() + static_cast<std::ptrdiff_t>(r) * columns;
    field->heights.insert(field->heights.end(), row, row + columns);
  }
}

// Two integers, the numbers of rows and columns, and heights in single precision; little endian.
void read_binary(const std::string& path, HeightField* field) {
  const std::string bytes = read_bytes(path);
  std::int32_t counts[2] = {0, 0};
  if (bytes.size() >= sizeof(counts)) std::memcpy(counts, bytes.data(), sizeof(counts));
  const bool sensible =
      counts[0] > 0 && counts[1] > 0 && counts[0] <= kMostSide && counts[1] <= kMostSide;
  const std::size_t n =
      sensible ? static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1]) : 0;
  if (!sensible || bytes.size() != sizeof(counts) + n * sizeof(float)) {
    throw FileError(path, 0,
                    fmt::format("this is no height field: {} rows and {} columns do not make {} "
                                "bytes; give a PNG image, or MuJoCo's binary format",
                                counts[0], counts[1], bytes.size()));
  }
  field->rows = counts[0], field->columns = counts[1];
  field->heights.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + sizeof(counts) + i * sizeof(float), sizeof(float));
    field->heights[i] = value;
  }
}

void read_heights(const Attributes& a, const std::string& path, HeightField* field) {
  if (!path.empty()) {
    const bool png =
        path.ends_with(".png") || path.ends_with(".PNG") || a.text("content_type") == "image/png";
    if (!png) return read_binary(path, field);
    GreyImage image = read_grey_png(path);
    field->rows = image.height, field->columns = image.width;
    field->heights = std::move(image.values);
    return;
  }
  const int rows = a.integer("nrow", 0), columns = a.integer("ncol", 0);
  if (rows < 2 || columns < 2 || rows > kMostSide || columns > kMostSide) {
    throw Error("a height field without a file needs nrow and ncol, each 2 or more");
  }
  const long n = static_cast<long>(rows) * columns;
  std::vector<double> values = a.numbers("elevation", 0, 100'000'000);
  if (!values.empty() && static_cast<long>(values.size()) != n) {
    throw Error(fmt::format("elevation has {} numbers; nrow × ncol is {}", values.size(), n));
  }
  if (values.empty() && n > 50'000'000) throw Error("nrow × ncol is more than 50 million");
  if (values.empty()) values.assign(static_cast<std::size_t>(n), 0.0);
  set_rows_from_top(rows, columns, values, field);
}

}  // namespace

MjcfHfield read_hfield(const Attributes& a, const std::string& path) {
  MjcfHfield result;
  const std::vector<double> size = a.numbers("size", 4, 4);
  try {
    if (size.empty()) throw Error("size: four numbers, half sizes along x and y, height, and base");
    HeightField field;
    field.half_x = size[0], field.half_y = size[1], field.base = size[3];
    if (!(size[2] > 0)) throw Error("size: the height, its third number, is not positive");
    read_heights(a, path, &field);
    if (std::ranges::any_of(field.heights, [](double h) {
          return !std::isfinite(h);
        })) {
      throw Error("a height is not a finite number");
    }
    const auto [low, high] = std::ranges::minmax(field.heights);
    const double scale = high > low ? size[2] / (high - low) : 0;
    for (double& h : field.heights) {
      h = scale * (h - low);
    }
    result.field = make_height_field_data(std::move(field));
  } catch (const Error& e) {
    result.problem = e.what();
  }
  a.accept({"class", "content_type", "nrow", "ncol", "elevation"});
  return result;
}

}  // namespace cenic::detail
