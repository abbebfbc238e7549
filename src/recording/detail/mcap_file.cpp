// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/mcap_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <zlib.h>
#include <zstd.h>

#include "core/error.h"
#include "core/version.h"
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
constexpr std::size_t kMessageHeader = 2 + 4 + 8 + 8;  // bytes
constexpr std::size_t kChunkSize = 1 << 20;            // bytes before compression
constexpr int kCompression = 1;

std::string make_record(std::uint8_t kind, const std::string& content) {
  std::string out;
  put(&out, kind);
  put(&out, static_cast<std::uint64_t>(content.size()));
  return out + content;
}

std::string make_map(const std::map<std::string, std::string>& values) {
  std::string content, out;
  for (const auto& [key, value] : values) {
    put_text(&content, key);
    put_text(&content, value);
  }
  put_text(&out, content);
  return out;
}

std::string make_map(const std::map<std::uint16_t, std::uint64_t>& values) {
  std::string content, out;
  for (const auto& [key, value] : values) {
    put(&content, key);
    put(&content, value);
  }
  put_text(&out, content);
  return out;
}

}  // namespace

McapFile::McapFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {
  if (!file_) throw Error(fmt::format("{}: error: cannot write the recording", path));
  append({kMagic, sizeof kMagic - 1});
  std::string header;
  put_text(&header, "");
  put_text(&header, fmt::format("cenic {}", version()));
  write_record(kHeader, header);
}

void McapFile::append(const std::string& bytes) {
  file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  position_ += bytes.size();
}

void McapFile::write_record(std::uint8_t kind, const std::string& content) {
  append(make_record(kind, content));
}

int McapFile::add_channel(const std::string& topic, const std::string& schema_name,
                          const std::string& schema) {
  const auto number = static_cast<std::uint16_t>(channels_.size() + 1);
  std::string record;
  put(&record, number);
  put_text(&record, schema_name);
  put_text(&record, "jsonschema");
  put_text(&record, schema);
  schemas_.push_back(record);
  write_record(kSchema, record);
  std::string channel;
  put(&channel, number);
  put(&channel, number);  // of the schema
  put_text(&channel, topic);
  put_text(&channel, "json");
  channel += make_map(std::map<std::string, std::string>{});
  channels_.push_back(channel);
  write_record(kChannel, channel);
  return number;
}

void McapFile::write_metadata(const std::string& name,
                              const std::map<std::string, std::string>& values) {
  std::string record, index;
  put_text(&record, name);
  record += make_map(values);
  const std::uint64_t start = position_;
  write_record(kMetadata, record);
  put(&index, start);
  put(&index, position_ - start);
  put_text(&index, name);
  metadata_indices_.push_back(index);
}

void McapFile::write(int channel, double t, const std::string& message) {
  const auto number = static_cast<std::uint16_t>(channel);
  const auto time = static_cast<std::uint64_t>(std::llround(1e9 * std::max(0.0, t)));
  put(&chunk_.index[number], time);
  put(&chunk_.index[number], static_cast<std::uint64_t>(chunk_.records.size()));
  std::string& out = chunk_.records;
  put(&out, static_cast<std::uint8_t>(kMessage));
  put(&out, static_cast<std::uint64_t>(kMessageHeader + message.size()));
  put(&out, number);
  put(&out, static_cast<std::uint32_t>(counts_[number]++));
  put(&out, time);  // logged
  put(&out, time);  // published
  out += message;
  chunk_.first = std::min(chunk_.first, time);
  chunk_.last = std::max(chunk_.last, time);
  ++num_messages_;
  if (chunk_.records.size() > kChunkSize) flush();
}

void McapFile::flush() {
  if (chunk_.records.empty()) return;
  std::string packed(ZSTD_compressBound(chunk_.records.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), chunk_.records.data(),
                              chunk_.records.size(), kCompression));
  std::string record, index;
  for (std::string* out : {&record, &index}) {
    put(out, chunk_.first);
    put(out, chunk_.last);
  }
  put(&record, static_cast<std::uint64_t>(chunk_.records.size()));
  put(&record,
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(chunk_.records.data()),
                                         chunk_.records.size())));
  put_text(&record, "zstd");
  put(&record, static_cast<std::uint64_t>(packed.size()));
  record += packed;
  const std::uint64_t start = position_;
  write_record(kChunk, record);
  const std::uint64_t end = position_;
  Counts offsets;  // of the message indices
  for (const auto& [channel, entries] : chunk_.index) {
    offsets[channel] = position_;
    std::string messages;
    put(&messages, channel);
    put_text(&messages, entries);
    write_record(kMessageIndex, messages);
  }
  put(&index, start);
  put(&index, end - start);
  index += make_map(offsets);
  put(&index, position_ - end);
  put_text(&index, "zstd");
  put(&index, static_cast<std::uint64_t>(packed.size()));
  put(&index, static_cast<std::uint64_t>(chunk_.records.size()));
  chunk_indices_.push_back(index);
  first_ = std::min(first_, chunk_.first);
  last_ = std::max(last_, chunk_.last);
  chunk_ = {};
  file_.flush();
}

void McapFile::write_group(std::uint8_t kind, const std::vector<std::string>& contents) {
  if (contents.empty()) return;
  const std::uint64_t start = position_;
  for (const std::string& content : contents) {
    write_record(kind, content);
  }
  groups_.push_back({kind, start, position_ - start});
}

std::string McapFile::make_statistics() const {
  std::string out;
  put(&out, num_messages_);
  put(&out, static_cast<std::uint16_t>(schemas_.size()));
  put(&out, static_cast<std::uint32_t>(channels_.size()));
  put(&out, std::uint32_t{0});  // attachments
  put(&out, static_cast<std::uint32_t>(metadata_indices_.size()));
  put(&out, static_cast<std::uint32_t>(chunk_indices_.size()));
  put(&out, num_messages_ > 0 ? first_ : std::uint64_t{0});
  put(&out, last_);
  return out + make_map(counts_);
}

void McapFile::close() {
  flush();
  std::string data_end, footer;
  put(&data_end, std::uint32_t{0});  // no checksum of the whole
  write_record(kDataEnd, data_end);
  const std::uint64_t summary = position_;
  write_group(kSchema, schemas_);
  write_group(kChannel, channels_);
  write_group(kStatistics, {make_statistics()});
  write_group(kChunkIndex, chunk_indices_);
  write_group(kMetadataIndex, metadata_indices_);
  const std::uint64_t offsets = position_;
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
  append({kMagic, sizeof kMagic - 1});
  file_.close();
  if (!file_) throw Error(fmt::format("{}: error: writing failed (disk full?)", path_));
}

}  // namespace cenic::detail
