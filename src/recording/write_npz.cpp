// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A zip archive, not compressed, of one .npy array for each series: numpy.load(F)["frames/q"].
// Formats: PKWARE's APPNOTE, sections 4.3 and 4.4; NumPy's documentation of numpy.lib.format.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.h"
#include "recording/detail/checksum.h"
#include "recording/detail/little_endian.h"
#include "recording/detail/output_file.h"
#include "recording/detail/recorded_scene.h"
#include "recording/detail/tables.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using detail::calc_crc32;
using detail::put;
using detail::Series;

constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint16_t kDosDate = (1980 - 1980) << 9 | 1 << 5 | 1;  // no clock: runs repeat
constexpr std::uint64_t kZipLimit = 0xffffffff;
// Numbers that are taken over at once: few enough to be in the cache still, and to leave little for
// the end of the run; enough for the checksum to be fast.
constexpr std::size_t kPiece = 512;

// The bytes of an array as they will stand in the file, in pieces: what is there never moves.
struct Content {
  std::vector<std::string> pieces{};
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;

  void append(std::string bytes) {
    checksum = calc_crc32(bytes, checksum);
    size += bytes.size();
    pieces.push_back(std::move(bytes));
  }
};

// The header's length is a multiple of 64 bytes, padded by spaces.
std::string make_header(const std::string& type, const std::string& shape) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out = "\x93NUMPY\x01";
  put(&out, std::uint8_t{0});
  put(&out, static_cast<std::uint16_t>(header.size()));
  return out + header;
}

template <typename T>
std::string make_bytes(const std::vector<double>& numbers) {
  static_assert(std::endian::native == std::endian::little);
  std::string data(numbers.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const T x = static_cast<T>(numbers[i]);
    std::memcpy(data.data() + i * sizeof(T), &x, sizeof(T));
  }
  return data;
}

std::string make_bytes(const Series& series) {
  return series.type == Series::kInteger ? make_bytes<std::int32_t>(series.rows)
         : series.type == Series::kFloat ? make_bytes<float>(series.rows)
                                         : make_bytes<double>(series.rows);
}

std::string make_header(const Series& series, std::uint64_t size) {
  constexpr const char* kTypes[] = {"<f8", "<f4", "<i4"};
  const std::uint64_t element = series.type == Series::kDouble ? 8 : 4;
  const std::uint64_t row = element * static_cast<std::uint64_t>(series.columns);
  const std::uint64_t num_rows = row > 0 ? size / row : 0;
  return make_header(kTypes[series.type], series.columns == 1
                                              ? fmt::format("({},)", num_rows)
                                              : fmt::format("({}, {})", num_rows, series.columns));
}

class NpzSink : public FrameSink {
 public:
  NpzSink(const std::string& path, RecordingInfo info, const RecordedScene& scene)
      : file_(path),
        info_(std::move(info)),
        scene_(scene),
        tables_(scene),
        arrays_(tables_.series().size()) {}

  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void on_frame(const Frame& frame) override {
    describe_scene();
    tables_.add(frame);
    take_rows(kPiece);
  }

  void finish(const std::string& failure) override {
    describe_scene();
    take_rows(1);
    add_text("format", kRecordingFormat);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) add_text(field.name, info_.*field.text);
      if (field.number != nullptr) add_number(field.name, info_.*field.number);
      if (field.integer != nullptr) {
        add_number(field.name, static_cast<double>(info_.*field.integer));
      }
    }
    add_text("failure", failure);
    add_text("model/scene", scene_json_);
    for (std::size_t i = 0; i < scene_.pictures.size(); ++i) {
      const std::string& picture = *scene_.pictures[i];
      add(detail::name_picture(i), make_header("|u1", fmt::format("({},)", picture.size())),
          keep(picture));
    }
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Series& series = tables_.series()[i];
      add(series.name, make_header(series, arrays_[i].size), arrays_[i]);
    }
    add_directory();
    file_.append(parts_);
    file_.close();
  }

 private:
  // On the thread that writes, and while the run goes on.
  void describe_scene() {
    if (scene_json_.empty()) scene_json_ = detail::to_json(scene_);
  }

  // Rows of series that have at least so many numbers.
  void take_rows(std::size_t at_least) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      Series& series = tables_.series()[i];
      if (series.rows.size() < at_least) continue;
      arrays_[i].append(make_bytes(series));
      series.rows.clear();
    }
  }

  void add_text(const std::string& name, const std::string& text) {
    add(name, make_header(fmt::format("|S{}", std::max<std::size_t>(1, text.size())), "()"),
        keep(text.empty() ? std::string(1, '\0') : text));
  }

  void add_number(const std::string& name, double number) {
    const Series series{name, 1, Series::kDouble, {number}};
    add(name, make_header(series, sizeof number), keep(make_bytes(series)));
  }

  // Until the file is written.
  const Content& keep(std::string bytes) {
    kept_.emplace_back().append(std::move(bytes));
    return kept_.back();
  }
  void add_part(std::string bytes) { parts_.push_back(keep(std::move(bytes)).pieces.front()); }

  void add(const std::string& name, const std::string& header, const Content& content) {
    const std::string file_name = name + ".npy", entry = make_entry(file_name, header, content),
                      head = "PK\x03\x04" + entry + file_name + header;
    if (offset_ + head.size() + content.size > kZipLimit) {
      throw Error(
          fmt::format("{}: error: the recording is larger than 4 GB; use .h5", file_.path()));
    }
    put(&directory_, std::uint32_t{0x02014b50});
    put(&directory_, kZipVersion);
    directory_ += entry;
    put(&directory_, std::uint16_t{0});  // comment
    put(&directory_, std::uint16_t{0});  // disk
    put(&directory_, std::uint16_t{0});  // attributes
    put(&directory_, std::uint32_t{0});
    put(&directory_, static_cast<std::uint32_t>(offset_));
    directory_ += file_name;
    add_part(head);
    parts_.insert(parts_.end(), content.pieces.begin(), content.pieces.end());
    offset_ += head.size() + content.size;
    ++count_;
  }

  // What the local header and the directory share, from the version on.
  static std::string make_entry(const std::string& name, const std::string& header,
                                const Content& content) {
    const auto size = static_cast<std::uint32_t>(header.size() + content.size);
    std::string out;
    put(&out, kZipVersion);
    put(&out, std::uint16_t{1 << 11});  // names are UTF-8
    put(&out, std::uint16_t{0});        // stored
    put(&out, std::uint16_t{0});        // time
    put(&out, kDosDate);
    put(&out, static_cast<std::uint32_t>(crc32_combine(calc_crc32(header), content.checksum,
                                                       static_cast<z_off_t>(content.size))));
    put(&out, size);
    put(&out, size);
    put(&out, static_cast<std::uint16_t>(name.size()));
    put(&out, std::uint16_t{0});  // no extra field
    return out;
  }

  void add_directory() {
    std::string out = directory_;
    put(&out, std::uint32_t{0x06054b50});
    put(&out, std::uint32_t{0});  // disks
    put(&out, count_);
    put(&out, count_);
    put(&out, static_cast<std::uint32_t>(directory_.size()));
    put(&out, static_cast<std::uint32_t>(offset_));
    put(&out, std::uint16_t{0});  // comment
    add_part(out);
  }

  detail::OutputFile file_;
  RecordingInfo info_;
  RecordedScene scene_;
  detail::Tables tables_;        // rows that were not taken over yet
  std::vector<Content> arrays_;  // one for each series
  std::string scene_json_, directory_;
  std::deque<Content> kept_;
  std::vector<std::string_view> parts_;  // of the file
  std::uint64_t offset_ = 0;
  std::uint16_t count_ = 0;
};

}  // namespace

std::unique_ptr<FrameSink> make_npz_sink(const std::string& path, const RecordingInfo& info,
                                         const RecordedScene& scene) {
  return std::make_unique<NpzSink>(path, info, scene);
}

}  // namespace cenic
