// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The few structures of HDF5's file format that recordings need, as bytes: what hdf5_writer.h puts
// into a file. Names and numbers are those of the "HDF5 File Format Specification", version 3.0;
// every structure ends in its checksum.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cenic::detail {

// Section III.A: the front of the file, of the only bytes that are ever written twice.
constexpr std::size_t kSuperblockSize = 48;
std::string make_superblock(std::uint64_t end_of_file, std::uint64_t root);

// Types of numbers and texts: messages 0x03 of an object header.
std::string make_integer_type(std::uint32_t bytes, bool is_signed);
std::string make_float_type(std::uint32_t bytes);  // 4 or 8
std::string make_text_type(std::uint32_t bytes);   // UTF-8, with a zero at its end

// A dataset in chunks over all columns, compressed by shuffle and deflate.
struct ChunkedLayout {
  std::string type{};
  std::uint32_t element = 8;     // bytes of a number
  std::uint64_t columns = 1;     // 1: the dataset has one dimension
  std::uint64_t chunk_rows = 1;  // of a chunk; the last chunk is filled up with zeros
};

struct Chunk {
  std::uint64_t address = 0;
  std::uint64_t size = 0;  // bytes, packed
};

// Where the chunks are: a "fixed array", made of the block of addresses and a header that knows
// where the block is.
std::string make_chunk_block(const ChunkedLayout& layout, const std::vector<Chunk>& chunks,
                             std::uint64_t header);
constexpr std::size_t kChunkHeaderSize = 28;
std::string make_chunk_header(const ChunkedLayout& layout, std::size_t num_chunks,
                              std::uint64_t block);

// Section IV.A.1.b: a header that holds messages. `index` is the address of the chunk header.
std::string make_dataset(const ChunkedLayout& layout, std::uint64_t rows, std::size_t num_chunks,
                         std::uint64_t index);

struct Link {
  std::string name{};
  std::uint64_t address = 0;
};
// `attributes` are whole messages from make_attribute().
std::string make_group(const std::vector<Link>& links, const std::string& attributes = "");

// One value. A message has at most 64 kB.
constexpr std::size_t kMostAttributeBytes = 65000;
std::string make_attribute(std::string_view name, const std::string& type, std::string_view value);

}  // namespace cenic::detail
