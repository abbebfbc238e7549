// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A writer of MCAP files (https://mcap.dev/spec): messages in chunks compressed by zstd, with
// indices and statistics. Every record is a byte that says its kind, its length and its content.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace cenic::detail {

class McapFile {
 public:
  // Throws Error when it cannot be written.
  explicit McapFile(const std::string& path);

  // Messages are JSON; the schema is JSON Schema. Returns the channel's number.
  int add_channel(const std::string& topic, const std::string& schema_name,
                  const std::string& schema);
  void write_metadata(const std::string& name, const std::map<std::string, std::string>& values);
  void write(int channel, double t, const std::string& message);
  // Ends the present chunk; all of it is in the file then.
  void flush();
  void close();  // throws Error when writing failed

 private:
  using Counts = std::map<std::uint16_t, std::uint64_t>;
  struct Chunk {
    std::uint64_t first = ~std::uint64_t{0}, last = 0;  // times, ns
    std::string records{};
    std::map<std::uint16_t, std::string> index{};  // of each channel: (time, offset) each
  };
  struct Group {  // of the summary
    std::uint8_t kind = 0;
    std::uint64_t start = 0, length = 0;
  };
  void append(const std::string& bytes);
  void write_record(std::uint8_t kind, const std::string& content);
  void write_group(std::uint8_t kind, const std::vector<std::string>& contents);
  std::string make_statistics() const;

  std::string path_;
  std::ofstream file_;
  std::uint64_t position_ = 0;
  std::vector<std::string> schemas_, channels_, chunk_indices_, metadata_indices_;
  std::vector<Group> groups_;
  Chunk chunk_;
  Counts counts_;  // of messages by channel
  std::uint64_t num_messages_ = 0, first_ = ~std::uint64_t{0}, last_ = 0;
};

}  // namespace cenic::detail
