// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/mcap_file.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

#include <fmt/core.h>
#include <zstd.h>

#include "core/version.h"
#include "recording/detail/checksum.h"
#include "recording/detail/little_endian.h"

namespace cenic::detail {
namespace {

enum Kind : std::uint8_t {
  kHeader = 1,
  kFooter = 2,
  kSchema = 3,
  kChannel = 4,
  kMessage = 5,
  kChunk = 6,
  kMessageIndex = 7,
  kChunkIndex = 8,
  kStatistics = 11,
  kMetadata = 12,
  kMetadataIndex = 13,
  kSummaryOffset = 14,
  kDataEnd = 15,
};

constexpr char kMagic[] = "\x89MCAP0\r\n";
// Bytes before compression: few enough to be in the cache still, and to leave little for the end of
// the run, and little to lose. But each chunk costs 9 µs: those of long files that come in fast are
// larger.
constexpr std::size_t kChunkSize = 1 << 17, kMostChunk = 1 << 19;
constexpr std::uint64_t kLongFile = 3 << 20;
constexpr double kFast = 0.02;  // s, in which a chunk came in
// A simulation that is a thousand times faster than real time makes messages faster than zstd packs
// them, and would have to wait. Packing may take this share of the time in which a chunk came in;
// else it is stored as it is.
constexpr double kPackingShare = 0.25, kPackingTime = 2.5e-9;  // s for a byte
constexpr int kCompression = 1;
constexpr double kMostPlanned = 1e15;  // bytes

std::string make_map(const std::map<std::string, std::string>& values) {
  std::string content, out;
  for (const auto& [key, value] : values) {
    put_text(&content, key);
    put_text(&content, value);
  }
  put_text(&out, content);
  return out;
}

using Counts = std::map<std::uint16_t, std::uint64_t>;  // by channel

std::string make_map(const Counts& values) {
  std::string content, out;
  for (const auto& [key, value] : values) {
    put(&content, key);
    put(&content, value);
  }
  put_text(&out, content);
  return out;
}

}  // namespace

McapFile::McapFile(OutputFile file, double end)
    : file_(std::move(file)), end_(end), packer_(ZSTD_createCCtx()) {
  waiting_.append(kMagic, sizeof kMagic - 1);
  std::string header;
  put_text(&header, "");
  put_text(&header, fmt::format("cenic {}", version()));
  write_record(kHeader, header);
}

McapFile::~McapFile() { ZSTD_freeCCtx(packer_); }

void McapFile::write_record(std::uint8_t kind, const std::string& content) {
  put(&waiting_, kind);
  put(&waiting_, static_cast<std::uint64_t>(content.size()));
  waiting_ += content;
}

void McapFile::write_out(std::string_view more) {
  file_.append(std::array{std::string_view(waiting_), more});
  start_ += waiting_.size() + more.size();
  waiting_.clear();
}

int McapFile::add_channel(const std::string& topic, const Schema& schema) {
  const auto number = static_cast<std::uint16_t>(channels_.size() + 1);
  std::string description, record;
  put(&description, number);
  put_text(&description, schema.name);
  put_text(&description, schema.encoding == kJson ? "jsonschema" : "protobuf");
  put_text(&description, schema.data);
  write_record(kSchema, description);
  put(&record, number);
  put(&record, number);  // of the schema
  put_text(&record, topic);
  put_text(&record, schema.encoding == kJson ? "json" : "protobuf");
  record += make_map(std::map<std::string, std::string>{});
  write_record(kChannel, record);
  channels_.push_back({description, record});
  return number;
}

void McapFile::write_metadata(const std::string& name,
                              const std::map<std::string, std::string>& values) {
  std::string record, index;
  put_text(&record, name);
  record += make_map(values);
  const std::uint64_t start = find_position();
  write_record(kMetadata, record);
  put(&index, start);
  put(&index, find_position() - start);
  put_text(&index, name);
  metadata_indices_.push_back(index);
}

std::string* McapFile::begin(int channel, double t) {
  const auto time = static_cast<std::uint64_t>(std::llround(1e9 * std::max(0.0, t)));
  std::string& out = chunk_.records;
  if (out.empty()) chunk_.start = Clock::now();
  Channel& c = channels_[channel - 1];
  put(&c.index, time);
  put(&c.index, static_cast<std::uint64_t>(out.size()));
  put(&out, static_cast<std::uint8_t>(kMessage));
  put(&out, std::uint64_t{0});  // its length, when it is known
  chunk_.message = out.size();
  put(&out, static_cast<std::uint16_t>(channel));
  put(&out, static_cast<std::uint32_t>(c.num_messages++));
  put(&out, time);  // logged
  put(&out, time);  // published
  chunk_.first = std::min(chunk_.first, time);
  chunk_.last = std::max(chunk_.last, time);
  ++num_messages_;
  return &out;
}

void McapFile::end() {
  std::string length;
  put(&length, static_cast<std::uint64_t>(chunk_.records.size() - chunk_.message));
  chunk_.records.replace(chunk_.message - length.size(), length.size(), length);
  const std::size_t size = chunk_.records.size();
  if (size > kChunkSize && (size > room_ || measure_chunk() > kFast)) flush();
}

// For how long it has been coming in, s.
double McapFile::measure_chunk() const {
  return std::chrono::duration<double>(Clock::now() - chunk_.start).count();
}

bool McapFile::has_time_to_pack() const {
  return kPackingTime * static_cast<double>(chunk_.records.size()) <
         kPackingShare * measure_chunk();
}

std::string_view McapFile::pack() {
  const std::string& records = chunk_.records;
  packed_.resize(std::max(packed_.size(), ZSTD_compressBound(records.size())));
  return {packed_.data(), ZSTD_compressCCtx(packer_, packed_.data(), packed_.size(), records.data(),
                                            records.size(), kCompression)};
}

void McapFile::flush() {
  if (chunk_.records.empty()) return;
  const std::string& records = chunk_.records;
  const bool packs = has_time_to_pack();
  const std::string_view bytes = packs ? pack() : records, packing = packs ? "zstd" : "";
  std::string head;
  put(&head, chunk_.first);
  put(&head, chunk_.last);
  put(&head, static_cast<std::uint64_t>(records.size()));
  put(&head, calc_crc32(records));
  put_text(&head, packing);
  put(&head, static_cast<std::uint64_t>(bytes.size()));
  const std::uint64_t start = find_position();
  put(&waiting_, static_cast<std::uint8_t>(kChunk));
  put(&waiting_, static_cast<std::uint64_t>(head.size() + bytes.size()));
  waiting_ += head;
  write_out(bytes);
  const std::uint64_t end = find_position();
  Counts offsets;  // of the message indices
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].index.empty()) continue;
    const auto number = static_cast<std::uint16_t>(i + 1);
    offsets[number] = find_position();
    std::string messages;
    put(&messages, number);
    put_text(&messages, channels_[i].index);
    write_record(kMessageIndex, messages);
    channels_[i].index.clear();
  }
  std::string index;
  put(&index, chunk_.first);
  put(&index, chunk_.last);
  put(&index, start);
  put(&index, end - start);
  index += make_map(offsets);
  put(&index, find_position() - end);
  put_text(&index, packing);
  put(&index, static_cast<std::uint64_t>(bytes.size()));
  put(&index, static_cast<std::uint64_t>(records.size()));
  chunk_indices_.push_back(index);
  first_ = std::min(first_, chunk_.first);
  last_ = std::max(last_, chunk_.last);
  plan();
  chunk_.records.clear();
  chunk_.first = ~std::uint64_t{0};
  chunk_.last = 0;
}

// As many bytes for the rest of the run as for what there is of it.
void McapFile::plan() {
  const double start = 1e-9 * static_cast<double>(first_), t = 1e-9 * static_cast<double>(last_);
  if (!(t > start) || !(end_ > t)) return;
  const double size = static_cast<double>(find_position()) * (end_ - start) / (t - start);
  const auto planned = static_cast<std::uint64_t>(std::min(size, kMostPlanned));
  file_.plan(planned);
  room_ = planned > kLongFile ? kMostChunk : kChunkSize;
}

void McapFile::write_group(std::uint8_t kind, const std::vector<std::string>& contents) {
  if (contents.empty()) return;
  const std::uint64_t start = find_position();
  for (const std::string& content : contents) {
    write_record(kind, content);
  }
  groups_.push_back({kind, start, find_position() - start});
}

std::string McapFile::make_statistics() const {
  std::string out;
  put(&out, num_messages_);
  put(&out, static_cast<std::uint16_t>(channels_.size()));  // schemas
  put(&out, static_cast<std::uint32_t>(channels_.size()));
  put(&out, std::uint32_t{0});  // attachments
  put(&out, static_cast<std::uint32_t>(metadata_indices_.size()));
  put(&out, static_cast<std::uint32_t>(chunk_indices_.size()));
  put(&out, num_messages_ > 0 ? first_ : std::uint64_t{0});
  put(&out, last_);
  Counts counts;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].num_messages > 0) {
      counts[static_cast<std::uint16_t>(i + 1)] = channels_[i].num_messages;
    }
  }
  return out + make_map(counts);
}

void McapFile::close() {
  flush();
  std::string data_end, footer;
  put(&data_end, std::uint32_t{0});  // no checksum of the whole
  write_record(kDataEnd, data_end);
  std::vector<std::string> schemas, channels;
  for (const Channel& channel : channels_) {
    schemas.push_back(channel.schema);
    channels.push_back(channel.record);
  }
  const std::uint64_t summary = find_position();
  write_group(kSchema, schemas);
  write_group(kChannel, channels);
  write_group(kStatistics, {make_statistics()});
  write_group(kChunkIndex, chunk_indices_);
  write_group(kMetadataIndex, metadata_indices_);
  const std::uint64_t offsets = find_position();
  for (const Group& group : groups_) {
    std::string record;
    put(&record, group.kind);
    put(&record, group.start);
    put(&record, group.length);
    write_record(kSummaryOffset, record);
  }
  put(&footer, summary);
  put(&footer, offsets);
  put(&footer, std::uint32_t{0});  // no checksum
  write_record(kFooter, footer);
  waiting_.append(kMagic, sizeof kMagic - 1);
  write_out();
  file_.close();
}

}  // namespace cenic::detail
