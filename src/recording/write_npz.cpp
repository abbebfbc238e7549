// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A zip archive, not compressed, of one .npy array for each series: numpy.load(F)["frames/q"].
// The format of arrays is in NumPy's documentation of numpy.lib.format.
//
// Arrays stand one after the other, and their lengths in front of them. First what is known before
// the run. When its length is known, so are the places of all that has a row for each frame: where
// rows are long they are written during the run, and behind them one of the others, which may grow.
// The rest is kept until the end: a place costs a write then, more than one number for each frame.
#include <algorithm>
#include <bit>
#include <cmath>
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
#include "recording/detail/zip_layout.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using detail::calc_crc32;
using detail::make_zip_header;
using detail::put;
using detail::Series;

// Numbers that are taken over at once: few enough to be in the cache still, and to leave little for
// the end of the run; enough for the checksum to be fast.
constexpr std::size_t kPiece = 2048;
constexpr double kMostPlanned = 1e9;  // frames: an archive has no room for so many

// The bytes of an array as they will stand in the file, in pieces: what is there never moves.
struct Content {
  std::vector<std::string> pieces{};
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;

  void count(std::string_view bytes) {
    checksum = calc_crc32(bytes, checksum);
    size += bytes.size();
  }
  void append(std::string bytes) {
    count(bytes);
    pieces.push_back(std::move(bytes));
  }
};

// Where the content of an array is in the file already.
struct Place {
  std::uint64_t start = 0;  // of the entry
  std::uint64_t data = 0;   // address of the content; 0: it has no place, and is kept
};

// The header's length is a multiple of 64 bytes, padded by spaces: for tables 128 bytes, whatever
// the number of rows.
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

std::uint64_t calc_row_size(const Series& series) {
  return (series.type == Series::kDouble ? 8u : 4u) * static_cast<std::uint64_t>(series.columns);
}

std::string make_header(const Series& series, std::uint64_t size) {
  constexpr const char* kTypes[] = {"<f8", "<f4", "<i4"};
  const std::uint64_t row = calc_row_size(series), num_rows = row > 0 ? size / row : 0;
  return make_header(kTypes[series.type], series.columns == 1
                                              ? fmt::format("({},)", num_rows)
                                              : fmt::format("({}, {})", num_rows, series.columns));
}

// An array in the archive: its header, then its content.
detail::ZipFile describe(const std::string& name, const std::string& header,
                         const Content& content) {
  const uLong checksum =
      crc32_combine(calc_crc32(header), content.checksum, static_cast<z_off_t>(content.size));
  return {name + ".npy", header.size() + content.size, static_cast<std::uint32_t>(checksum)};
}

class NpzSink : public FrameSink {
 public:
  NpzSink(detail::OutputFile file, RecordingInfo info, const RecordedScene& scene)
      : file_(std::move(file)),
        info_(std::move(info)),
        has_surfaces_(scene.has_surfaces),
        tables_(scene),
        arrays_(tables_.series().size()),
        places_(arrays_.size()) {
    describe_run(scene);
  }

  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void on_frame(const Frame& frame) override {
    if (num_frames_++ == 0) choose_places(frame.t);
    tables_.add(frame);
    take_rows(kPiece);
  }

  void finish(const std::string& failure) override {
    if (num_frames_ != planned_) give_up_places();
    complete_places();
    take_rows(1);
    add_text("failure", failure);
    add_integer("complete", 1);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Series& series = tables_.series()[i];
      if (places_[i].data > 0 || series.columns == 0) continue;
      add(series.name, make_header(series, arrays_[i].size), arrays_[i]);
    }
    add_part(directory_.make_bytes(offset_));
    write_parts();
    file_.close();
  }

 private:
  // ---- before the run ----

  void describe_run(const RecordedScene& scene) {
    add_text("format", kRecordingFormat);
    add_integer("format_version", kRecordingVersion);
    for (const detail::InfoField& field : detail::list_info_fields()) {
      if (field.text != nullptr) add_text(field.name, info_.*field.text);
      if (field.number != nullptr) add_number(field.name, info_.*field.number);
      if (field.integer != nullptr) add_integer(field.name, info_.*field.integer);
    }
    add_text("model/scene", detail::to_json(scene));
    for (std::size_t i = 0; i < scene.pictures.size(); ++i) {
      const std::string& picture = *scene.pictures[i];
      add(detail::name_picture(i), make_header("|u1", fmt::format("({},)", picture.size())),
          keep(picture));
    }
    description_size_ = offset_;
  }

  // ---- during the run ----

  // Behind the description, in the order of the series.
  void choose_places(double start) {
    const FrameTimes times(start, info_.fps);
    const double planned = times.count(info_.duration);
    if (!(planned > 1) || planned > kMostPlanned || !file_.plain()) return;
    planned_ = static_cast<long>(planned);
    if (times.at(planned_ - 1) + kTimeSlack < info_.duration) ++planned_;  // the end
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const Series& series = tables_.series()[i];
      if (!series.name.starts_with("frames/") || series.columns < 2) continue;
      add_place(i, static_cast<std::uint64_t>(planned_) * calc_row_size(series));
    }
    // The largest of those whose length nobody knows.
    const char* growing = has_surfaces_ ? "surfaces/corner" : "contacts/force";
    const auto found = std::ranges::find(tables_.series(), growing, &Series::name);
    add_place(static_cast<std::size_t>(found - tables_.series().begin()), 0);
    if (offset_ > detail::kMostZipBytes) {
      give_up_places();  // the run may still be broken off before there are so many
    } else {
      write_parts();
    }
  }

  void add_place(std::size_t array, std::uint64_t size) {
    const Series& series = tables_.series()[array];
    const std::string header = make_header(series, size),
                      before = make_zip_header(describe(series.name, header, {})) + header;
    places_[array] = {offset_, offset_ + before.size()};
    placed_.push_back(array);
    offset_ = places_[array].data + size;
  }

  // Rows of series that have at least so many numbers.
  void take_rows(std::size_t at_least) {
    if (planned_ > 0 && num_frames_ > planned_) give_up_places();
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      Series& series = tables_.series()[i];
      if (series.rows.size() < at_least) continue;
      std::string bytes = make_bytes(series);
      if (places_[i].data > 0) {
        file_.write_at(places_[i].data + arrays_[i].size, bytes);
        arrays_[i].count(bytes);
      } else {
        arrays_[i].append(std::move(bytes));
      }
      series.rows.clear();
    }
  }

  // The run was longer or shorter than it should have been: all is kept, and written anew.
  void give_up_places() {
    for (const std::size_t i : placed_) {
      std::string bytes(arrays_[i].size, '\0');
      file_.read_at(places_[i].data, bytes);
      arrays_[i].pieces.push_back(std::move(bytes));
    }
    if (planned_ > 0) file_.empty();
    places_.assign(places_.size(), {});
    placed_.clear();
    planned_ = 0;
    num_written_ = 0;
    offset_ = description_size_;
  }

  // ---- what is known as a whole ----

  void add_text(const std::string& name, const std::string& text) {
    add(name, make_header(fmt::format("|S{}", std::max<std::size_t>(1, text.size())), "()"),
        keep(text.empty() ? std::string(1, '\0') : text));
  }

  void add_number(const std::string& name, double number) {
    add(name, make_header("<f8", "(1,)"), keep(make_bytes<double>({number})));
  }

  void add_integer(const std::string& name, std::uint64_t number) {
    std::string bytes;
    put(&bytes, number);
    add(name, make_header("<u8", "(1,)"), keep(std::move(bytes)));
  }

  // Until the file is written.
  const Content& keep(std::string bytes) {
    kept_.emplace_back().append(std::move(bytes));
    return kept_.back();
  }
  void add_part(std::string bytes) { parts_.push_back(keep(std::move(bytes)).pieces.front()); }

  void add(const std::string& name, const std::string& header, const Content& content) {
    const detail::ZipFile file = describe(name, header, content);
    const std::string before = make_zip_header(file) + header;
    directory_.add(file, offset_);
    add_part(before);
    parts_.insert(parts_.end(), content.pieces.begin(), content.pieces.end());
    offset_ += before.size() + content.size;
    if (offset_ <= detail::kMostZipBytes) return;
    throw Error(fmt::format("{}: error: the recording is larger than 4 GB; use .h5", file_.path()));
  }

  // ---- at its end ----

  // Of arrays that have a place: their last rows, and what stands before each. The last rows of one
  // and what stands before the next are side by side, and are written together.
  void complete_places() {
    if (placed_.empty()) return;
    std::uint64_t address = places_[placed_.front()].start;
    std::string waiting;  // to be written there
    for (const std::size_t i : placed_) {
      Series& series = tables_.series()[i];
      std::string last_rows = make_bytes(series);
      series.rows.clear();
      const std::uint64_t end = places_[i].data + arrays_[i].size;
      arrays_[i].count(last_rows);
      // As long as when the place was chosen: a header has room for any number of rows.
      const std::string header = make_header(series, arrays_[i].size);
      const detail::ZipFile file = describe(series.name, header, arrays_[i]);
      directory_.add(file, places_[i].start);
      file_.write_at(address, waiting + make_zip_header(file) + header);
      address = end;
      waiting = std::move(last_rows);
      offset_ = places_[i].data + arrays_[i].size;
    }
    file_.seek(address);
    add_part(std::move(waiting));
  }

  void write_parts() {
    file_.append(std::span(parts_).subspan(num_written_));
    num_written_ = parts_.size();
  }

  detail::OutputFile file_;
  RecordingInfo info_;
  bool has_surfaces_;
  detail::Tables tables_;            // rows that were not taken over yet
  std::vector<Content> arrays_;      // one for each series
  std::vector<Place> places_;        // likewise
  std::vector<std::size_t> placed_;  // arrays that have a place, in that order
  long num_frames_ = 0;
  long planned_ = 0;  // frames for which there is place; 0: there are no places
  detail::ZipDirectory directory_;
  std::deque<Content> kept_;
  std::vector<std::string_view> parts_;  // of the file, without what is in its place
  std::size_t num_written_ = 0;          // so many of them are in the file
  std::uint64_t description_size_ = 0;
  std::uint64_t offset_ = 0;  // where the next one goes
};

}  // namespace

std::unique_ptr<FrameSink> make_npz_sink(detail::OutputFile file, const RecordingInfo& info,
                                         const RecordedScene& scene) {
  return std::make_unique<NpzSink>(std::move(file), info, scene);
}

}  // namespace cenic
