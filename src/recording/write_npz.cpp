// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A zip archive, not compressed, of one .npy array for each series: numpy.load(F)["frames/q"].
// Formats: PKWARE's APPNOTE, sections 4.3 and 4.4; NumPy's documentation of numpy.lib.format.
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <zlib.h>

#include "core/error.h"
#include "recording/detail/little_endian.h"
#include "recording/detail/recorded_scene.h"
#include "recording/detail/tables.h"
#include "recording/sinks.h"

namespace cenic {
namespace {

using detail::put;

constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint16_t kDosDate = (1980 - 1980) << 9 | 1 << 5 | 1;  // no clock: runs repeat
constexpr std::uint64_t kZipLimit = 0xffffffff;

// The header's length is a multiple of 64 bytes, padded by spaces.
std::string make_array(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out = "\x93NUMPY\x01";
  put(&out, std::uint8_t{0});
  put(&out, static_cast<std::uint16_t>(header.size()));
  return out + header + data;
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

std::string make_array(const detail::Series& series) {
  using Series = detail::Series;
  const std::string data = series.type == Series::kInteger ? make_bytes<std::int32_t>(series.rows)
                           : series.type == Series::kFloat ? make_bytes<float>(series.rows)
                                                           : make_bytes<double>(series.rows);
  const std::string shape = series.columns == 1
                                ? fmt::format("({},)", series.num_rows())
                                : fmt::format("({}, {})", series.num_rows(), series.columns);
  constexpr const char* kTypes[] = {"<f8", "<f4", "<i4"};
  return make_array(kTypes[series.type], shape, data);
}

std::string make_text(const std::string& text) {
  return make_array(fmt::format("|S{}", std::max<std::size_t>(1, text.size())), "()",
                    text.empty() ? std::string(1, '\0') : text);
}

class NpzSink : public FrameSink {
 public:
  NpzSink(const std::string& path, const RecordingInfo& info, const RecordedScene& scene)
      : path_(path), file_(path, std::ios::binary), tables_(scene), info_(info) {
    if (!file_) throw Error(fmt::format("{}: error: cannot write the recording", path));
    scene_json_ = detail::to_json(scene);
    pictures_ = scene.pictures;
  }

  void on_frame(const Frame& frame) override { tables_.add(frame); }
  void on_step(const RecordedStep& step) override { tables_.add(step); }

  void finish(const std::string& failure) override {
    add("format", make_text(kRecordingFormat));
    for (const detail::InfoField& field : detail::list_info_fields()) {
      const auto as_number = [&](double x) {
        return make_array({field.name, 1, detail::Series::kDouble, {x}});
      };
      if (field.text != nullptr) add(field.name, make_text(info_.*field.text));
      if (field.number != nullptr) add(field.name, as_number(info_.*field.number));
      if (field.integer != nullptr) {
        add(field.name, as_number(static_cast<double>(info_.*field.integer)));
      }
    }
    add("failure", make_text(failure));
    add("model/scene", make_text(scene_json_));
    for (std::size_t i = 0; i < pictures_.size(); ++i) {
      add(detail::name_picture(i),
          make_array("|u1", fmt::format("({},)", pictures_[i]->size()), *pictures_[i]));
    }
    for (const detail::Series& series : tables_.series()) {
      add(series.name, make_array(series));
    }
    write_directory();
    file_.close();
    if (!file_) throw Error(fmt::format("{}: error: writing failed (disk full?)", path_));
  }

 private:
  // What the local header and the directory share, from the version on.
  static std::string make_entry(const std::string& name, const std::string& data) {
    std::string out;
    put(&out, kZipVersion);
    put(&out, std::uint16_t{1 << 11});  // names are UTF-8
    put(&out, std::uint16_t{0});        // stored
    put(&out, std::uint16_t{0});        // time
    put(&out, kDosDate);
    put(&out, static_cast<std::uint32_t>(
                  crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size())));
    put(&out, static_cast<std::uint32_t>(data.size()));
    put(&out, static_cast<std::uint32_t>(data.size()));
    put(&out, static_cast<std::uint16_t>(name.size()));
    put(&out, std::uint16_t{0});  // no extra field
    return out;
  }

  void add(const std::string& name, const std::string& data) {
    const std::string file_name = name + ".npy", entry = make_entry(file_name, data);
    if (offset_ + entry.size() + data.size() > kZipLimit) {
      throw Error(fmt::format("{}: error: the recording is larger than 4 GB; use .h5", path_));
    }
    const std::string head = "PK\x03\x04" + entry + file_name;
    put(&directory_, std::uint32_t{0x02014b50});
    put(&directory_, kZipVersion);
    directory_ += entry;
    put(&directory_, std::uint16_t{0});  // comment
    put(&directory_, std::uint16_t{0});  // disk
    put(&directory_, std::uint16_t{0});  // attributes
    put(&directory_, std::uint32_t{0});
    put(&directory_, static_cast<std::uint32_t>(offset_));
    directory_ += file_name;
    for (const std::string* part : {&head, &data}) {
      file_.write(part->data(), static_cast<std::streamsize>(part->size()));
      offset_ += part->size();
    }
    ++count_;
  }

  void write_directory() {
    std::string out = directory_;
    put(&out, std::uint32_t{0x06054b50});
    put(&out, std::uint32_t{0});  // disks
    put(&out, count_);
    put(&out, count_);
    put(&out, static_cast<std::uint32_t>(directory_.size()));
    put(&out, static_cast<std::uint32_t>(offset_));
    put(&out, std::uint16_t{0});  // comment
    file_.write(out.data(), static_cast<std::streamsize>(out.size()));
  }

  std::string path_;
  std::ofstream file_;
  detail::Tables tables_;
  RecordingInfo info_;
  std::string scene_json_, directory_;
  std::vector<std::shared_ptr<const std::string>> pictures_;
  std::uint64_t offset_ = 0;
  std::uint16_t count_ = 0;
};

}  // namespace

std::unique_ptr<FrameSink> make_npz_sink(const std::string& path, const RecordingInfo& info,
                                         const RecordedScene& scene) {
  return std::make_unique<NpzSink>(path, info, scene);
}

}  // namespace cenic
