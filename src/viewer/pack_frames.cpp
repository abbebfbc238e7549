// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/pack_frames.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>
#include <zlib.h>

#include "core/error.h"

namespace cenic {
namespace {

// Numbers are multiples of a step: a 16-bit share of their range, but no coarser than so many m or
// rad, and no finer than a float, however far things go.
constexpr double kSteps = 65535, kCoarsest = 2e-5, kMostSteps = 1 << 30;

struct Range {
  float lo = std::numeric_limits<float>::infinity();
  float hi = -std::numeric_limits<float>::infinity();
  void add(float x) {
    lo = std::min(lo, x);
    hi = std::max(hi, x);
  }
  float step() const {
    const double size = static_cast<double>(hi) - lo;
    return static_cast<float>(std::max(std::min(size / kSteps, kCoarsest), size / kMostSteps));
  }
};

class Grid {
 public:
  explicit Grid(const Range& range) : lo_(range.lo), step_(range.step()) {}
  std::uint32_t quantize(float x) const {
    const double steps = (static_cast<double>(x) - lo_) / step_;
    if (!(steps >= 0)) return 0;  // or no number
    return static_cast<std::uint32_t>(std::lround(std::min(steps, kMostSteps)));
  }
  float lo() const { return lo_; }
  float step() const { return step_; }

 private:
  float lo_, step_;
};

// What changes little is a small number: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...
std::uint32_t calc_change(std::uint32_t from, std::uint32_t to) {
  const auto change = static_cast<std::int32_t>(to - from);
  return (static_cast<std::uint32_t>(change) << 1U) ^ static_cast<std::uint32_t>(change >> 31);
}

// The upper half of a float.
std::uint16_t shorten(float x) {
  return static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(x) + 0x8000U) >> 16U);
}

// Columns of numbers, each with a name, one after the other. Words stand as their lowest bytes,
// then those above them: high bytes are nearly all alike.
class Columns {
 public:
  template <typename Word>
  void add(const char* name, const std::vector<Word>& words) {
    start(name, sizeof(Word) == 2 ? "w16" : "w32", words.size());
    for (std::size_t byte = 0; byte < sizeof(Word); ++byte) {
      for (const Word word : words) {
        bytes_ += static_cast<char>((word >> (8 * byte)) & 0xffU);
      }
    }
  }
  template <typename T>
  void add_plain(const char* name, const char* type, const std::vector<T>& numbers) {
    start(name, type, numbers.size());
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T));
  }
  std::string finish(nlohmann::json header) {
    header["columns"] = columns_;
    std::string text = header.dump();
    const auto size = static_cast<std::uint32_t>(text.size());
    return std::string(reinterpret_cast<const char*>(&size), sizeof size) + text + bytes_;
  }

 private:
  void start(const char* name, const char* type, std::size_t count) {
    columns_.push_back({{"name", name}, {"type", type}, {"count", count}});
  }
  nlohmann::json columns_ = nlohmann::json::array();
  std::string bytes_;
};

// Quaternions q and −q are the same rotation: those that follow the one before change least.
void align_quaternions(std::vector<std::vector<float>>* poses) {
  for (std::size_t f = 1; f < poses->size(); ++f) {
    const std::vector<float>& before = (*poses)[f - 1];
    std::vector<float>& now = (*poses)[f];
    for (std::size_t i = 3; i + 3 < now.size(); i += kPoseSize) {
      float dot = 0;
      for (std::size_t k = i; k < i + 4; ++k) {
        dot += before[k] * now[k];
      }
      for (std::size_t k = i; dot < 0 && k < i + 4; ++k) {
        now[k] = -now[k];
      }
    }
  }
}

// Numbers that every frame has, channel by channel as differences from frame to frame.
void add_channels(std::span<const ViewFrame> frames, Columns* columns) {
  std::vector<std::vector<float>> rows;
  for (const ViewFrame& frame : frames) {
    rows.push_back(frame.poses);
  }
  align_quaternions(&rows);
  for (std::size_t f = 0; f < rows.size(); ++f) {
    rows[f].insert(rows[f].end(), frames[f].joints.begin(), frames[f].joints.end());
  }
  std::vector<float> grids;
  std::vector<std::uint32_t> words;
  for (std::size_t channel = 0; !rows.empty() && channel < rows[0].size(); ++channel) {
    Range range;
    for (const auto& row : rows) {
      range.add(row[channel]);
    }
    const Grid grid(range);
    grids.insert(grids.end(), {grid.lo(), grid.step()});
    std::uint32_t last = 0;
    for (const auto& row : rows) {
      const std::uint32_t word = grid.quantize(row[channel]);
      words.push_back(calc_change(last, word));
      last = word;
    }
  }
  columns->add_plain("grids", "f32", grids);
  columns->add("channels", words);
}

// Of points in the world.
Grid calc_box(std::span<const ViewFrame> frames) {
  Range range;
  for (const ViewFrame& frame : frames) {
    for (const FrameContact& c : frame.contacts) {
      std::ranges::for_each(c.p, [&](float x) {
        range.add(x);
      });
    }
    std::ranges::for_each(frame.corners, [&](float x) {
      range.add(x);
    });
  }
  return Grid(range.hi >= range.lo ? range : Range{0, 0});
}

void add_contacts(std::span<const ViewFrame> frames, const Grid& box, Columns* columns) {
  std::vector<std::uint32_t> counts;
  std::vector<FrameContact> contacts;
  for (const ViewFrame& frame : frames) {
    counts.push_back(static_cast<std::uint32_t>(frame.contacts.size()));
    contacts.insert(contacts.end(), frame.contacts.begin(), frame.contacts.end());
  }
  std::vector<std::uint32_t> points, pairs;
  std::vector<std::uint16_t> forces;
  for (int i = 0; i < 3; ++i) {
    for (const FrameContact& c : contacts) {
      points.push_back(box.quantize(c.p[i]));
      forces.push_back(shorten(c.force[i]));
    }
  }
  for (const auto geometry : {&FrameContact::geometry_a, &FrameContact::geometry_b}) {
    for (const FrameContact& c : contacts) {
      pairs.push_back(static_cast<std::uint32_t>(c.*geometry));
    }
  }
  columns->add_plain("contact_counts", "u32", counts);
  columns->add("contact_points", points);
  columns->add("contact_forces", forces);
  columns->add("contact_pairs", pairs);
}

void add_surfaces(std::span<const ViewFrame> frames, const Grid& box, Columns* columns) {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint16_t> sizes, pressures;
  std::vector<std::uint32_t> corners;
  for (const ViewFrame& frame : frames) {
    counts.push_back(static_cast<std::uint32_t>(frame.pressures.size()));
    for (std::size_t i = 0; i < frame.pressures.size(); ++i) {
      sizes.push_back(static_cast<std::uint16_t>(frame.polygon_sizes[i]));
      pressures.push_back(shorten(frame.pressures[i]));
    }
    // Neighbours are near each other.
    std::uint32_t last[3] = {};
    for (std::size_t i = 0; i < frame.corners.size(); ++i) {
      const std::uint32_t word = box.quantize(frame.corners[i]);
      corners.push_back(calc_change(last[i % 3], word));
      last[i % 3] = word;
    }
  }
  columns->add_plain("polygon_counts", "u32", counts);
  columns->add("polygon_sizes", sizes);
  columns->add("pressures", pressures);
  columns->add("corners", corners);
}

void add_steps(std::span<const ViewFrame> frames, Columns* columns) {
  std::vector<std::uint32_t> counts;
  std::vector<float> numbers;
  for (const ViewFrame& frame : frames) {
    counts.push_back(static_cast<std::uint32_t>(frame.steps.size()));
    for (const FrameStep& s : frame.steps) {
      numbers.insert(numbers.end(), {s.t, s.h, s.error, s.rejections});
    }
  }
  columns->add_plain("step_counts", "u32", counts);
  columns->add_plain("steps", "f32", numbers);
}

std::string deflate_all(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw Error("the frames cannot be compressed: out of memory");
  }
  out.resize(size);
  return out;
}

}  // namespace

std::string pack_frames(std::span<const ViewFrame> frames) {
  std::vector<double> times;
  std::vector<float> energies, rates;
  for (const ViewFrame& frame : frames) {
    times.push_back(frame.t);
    energies.push_back(frame.energy);
    rates.push_back(frame.rate);
  }
  const Grid box = calc_box(frames);
  Columns columns;
  columns.add_plain("times", "f64", times);
  columns.add_plain("energies", "f32", energies);
  columns.add_plain("rates", "f32", rates);
  add_channels(frames, &columns);
  add_contacts(frames, box, &columns);
  add_surfaces(frames, box, &columns);
  add_steps(frames, &columns);
  return deflate_all(columns.finish({{"frames", frames.size()},
                                     {"poses", frames.empty() ? 0 : frames[0].poses.size()},
                                     {"joints", frames.empty() ? 0 : frames[0].joints.size()},
                                     {"box", {box.lo(), box.step()}}}));
}

}  // namespace cenic
