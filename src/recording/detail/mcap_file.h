// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A writer of MCAP files (https://mcap.dev/spec): messages in chunks, compressed by zstd when
// there is time, with indices and statistics. Every record is a byte that says its kind, its length
// and its content.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recording/detail/output_file.h"

struct ZSTD_CCtx_s;

namespace cenic::detail {

class McapFile {
 public:
  enum Encoding { kJson, kProtobuf };
  struct Schema {
    std::string name;
    Encoding encoding;  // of the messages
    std::string data;   // JSON Schema, or google.protobuf.FileDescriptorSet
  };

  // `end`: of the run, s, as far as it is known.
  explicit McapFile(OutputFile file, double end = 0);
  ~McapFile();

  // Returns the channel's number.
  int add_channel(const std::string& topic, const Schema& schema);
  void write_metadata(const std::string& name, const std::map<std::string, std::string>& values);
  // What is appended to the text until end() is the message.
  std::string* begin(int channel, double t);
  void end();
  // Ends the present chunk; its messages are in the file then.
  void flush();
  void close();  // throws Error when writing failed

 private:
  using Clock = std::chrono::steady_clock;
  struct Channel {
    std::string schema, record;
    std::string index{};  // of the present chunk: time and offset of each message
    std::uint64_t num_messages = 0;
  };
  struct Chunk {
    Clock::time_point start{};                          // of its first message
    std::uint64_t first = ~std::uint64_t{0}, last = 0;  // times, ns
    std::string records{};
    std::size_t message = 0;  // where the last one starts
  };
  struct Group {  // of the summary
    std::uint8_t kind = 0;
    std::uint64_t start = 0, length = 0;
  };
  std::uint64_t find_position() const { return start_ + waiting_.size(); }
  void write_record(std::uint8_t kind, const std::string& content);
  void plan();
  double measure_chunk() const;
  bool has_time_to_pack() const;
  std::string_view pack();  // the present chunk; holds until the next call
  void write_group(std::uint8_t kind, const std::vector<std::string>& contents);
  void write_out(std::string_view more = {});  // what waits, and what follows it
  std::string make_statistics() const;

  OutputFile file_;
  double end_;
  std::uint64_t start_ = 0;  // address of the bytes that wait
  std::string waiting_, packed_;
  std::vector<Channel> channels_;
  std::vector<std::string> chunk_indices_, metadata_indices_;
  std::vector<Group> groups_;
  Chunk chunk_;
  std::size_t room_ = 0;  // bytes of a chunk that comes in fast, at most
  ZSTD_CCtx_s* packer_;
  std::uint64_t num_messages_ = 0, first_ = ~std::uint64_t{0}, last_ = 0;
};

}  // namespace cenic::detail
