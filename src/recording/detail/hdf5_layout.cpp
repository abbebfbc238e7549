// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/hdf5_layout.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstring>
#include <utility>

#include "recording/detail/little_endian.h"

namespace cenic::detail {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr U64 kUndefined = ~U64{0};
constexpr U8 kFiltered = 1;  // a fixed array of packed chunks
// Arrays of more than 2^31 chunks would come in pages.
constexpr U8 kPageBits = 31;
constexpr U32 kDeflateLevel = 1;  // for the record: chunk_packer.h knows no levels

enum Message : U8 {
  kDataspace = 0x01,
  kLinkInfo = 0x02,
  kDatatype = 0x03,
  kFillValue = 0x05,
  kLink = 0x06,
  kLayout = 0x08,
  kGroupInfo = 0x0a,
  kFilters = 0x0b,
  kAttribute = 0x0c
};

// Bob Jenkins's hash "lookup3", HDF5's checksum of all that is not data.
U32 calc_checksum(std::string_view bytes) {
  U32 a = 0xdeadbeef + static_cast<U32>(bytes.size()), b = a, c = a;
  const auto subtract = [](U32* x, U32 y, int bits, U32* z, U32 w) {
    *x = (*x - y) ^ std::rotl(y, bits);
    *z += w;
  };
  const auto take = [&] {
    U32 words[3] = {};
    const std::size_t count = std::min<std::size_t>(12, bytes.size());
    std::memcpy(words, bytes.data(), count);
    bytes.remove_prefix(count);
    a += words[0], b += words[1], c += words[2];
  };
  while (bytes.size() > 12) {
    take();
    subtract(&a, c, 4, &c, b);
    subtract(&b, a, 6, &a, c);
    subtract(&c, b, 8, &b, a);
    subtract(&a, c, 16, &c, b);
    subtract(&b, a, 19, &a, c);
    subtract(&c, b, 4, &b, a);
  }
  take();
  const auto close = [](U32* x, U32 y, int bits) {
    *x = (*x ^ y) - std::rotl(y, bits);
  };
  close(&c, b, 14), close(&a, c, 11), close(&b, a, 25), close(&c, b, 16);
  close(&a, c, 4), close(&b, a, 14), close(&c, b, 24);
  return c;
}

std::string seal(std::string bytes) {
  put(&bytes, calc_checksum(bytes));
  return bytes;
}

void put_bytes(std::string* out, std::initializer_list<U8> bytes) {
  out->append(bytes.begin(), bytes.end());
}

void put_short(std::string* out, U64 value, int bytes) {
  put(out, value);
  out->resize(out->size() - sizeof value + static_cast<std::size_t>(bytes));
}

int count_bytes(U64 value) { return (static_cast<int>(std::bit_width(value)) + 7) / 8; }

template <std::unsigned_integral T>
void replace(std::string* out, std::size_t at, T value) {
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(out->data() + at, &value, sizeof value);
}

// A message; `put_content` appends what is in it.
template <typename F>
void put_message(std::string* out, Message kind, const F& put_content) {
  put(out, static_cast<U8>(kind));
  const std::size_t at = out->size();
  put(out, U16{0});  // the size, known below
  put(out, U8{0});
  const std::size_t start = out->size();
  put_content();
  replace(out, at, static_cast<U16>(out->size() - start));
}

// An object of messages, which `put_messages` appends.
template <typename F>
std::string make_object(const F& put_messages) {
  std::string out;
  out.reserve(256);  // of a dataset, at most
  out.append("OHDR");
  put_bytes(&out, {2, 0x02});  // version; four bytes for the size
  const std::size_t at = out.size();
  put(&out, U32{0});
  const std::size_t start = out.size();
  put_messages(&out);
  replace(&out, at, static_cast<U32>(out.size() - start));
  return seal(std::move(out));
}

int count_dimensions(const ChunkedLayout& layout) { return layout.columns > 1 ? 2 : 1; }

// At most as many rows as the chunks have room for: the array of chunks has a fixed length.
void put_dataspace(std::string* out, const ChunkedLayout& layout, U64 rows, U64 most_rows) {
  const int rank = count_dimensions(layout);
  put_bytes(out, {2, static_cast<U8>(rank), 1, 1});  // version, rank, with limits, an array
  for (const U64 size : {rows, most_rows}) {
    put(out, size);
    if (rank == 2) put(out, layout.columns);
  }
}

void put_layout(std::string* out, const ChunkedLayout& layout, U64 index) {
  const int rank = count_dimensions(layout);
  // In as many bytes as the largest size needs, and no more.
  const int bytes = count_bytes(std::max({layout.chunk_rows, layout.columns, U64{layout.element}}));
  // Version, chunked, no flags, dimensions and bytes of a size; the element is a dimension as well.
  put_bytes(out, {4, 2, 0, static_cast<U8>(rank + 1), static_cast<U8>(bytes)});
  put_short(out, layout.chunk_rows, bytes);
  if (rank == 2) put_short(out, layout.columns, bytes);
  put_short(out, layout.element, bytes);
  put_bytes(out, {3, kPageBits});  // a fixed array
  put(out, index);
}

void put_filters(std::string* out, const ChunkedLayout& layout) {
  put_bytes(out, {2, 2});  // version, number
  for (const auto& [id, value] : {std::pair<U16, U32>{2, layout.element}, {1, kDeflateLevel}}) {
    put(out, id);
    put(out, U16{1});  // optional
    put(out, U16{1});  // one value
    put(out, value);
  }
}

// Bytes for the size of a packed chunk, which may be larger than one that is not.
int count_size_bytes(const ChunkedLayout& layout) {
  const U64 size = layout.chunk_rows * layout.columns * layout.element;
  return std::min(8, 1 + count_bytes(size));
}

}  // namespace

std::string make_superblock(U64 end_of_file, U64 root) {
  std::string out = "\x89HDF\r\n\x1a\n";
  put_bytes(&out, {2, 8, 8, 0});  // version, bytes of an address and of a length, no flags
  for (const U64 address : {U64{0}, kUndefined, end_of_file, root}) {
    put(&out, address);
  }
  return seal(std::move(out));
}

std::string make_integer_type(U32 bytes, bool is_signed) {
  std::string out;
  put_bytes(&out, {0x10, static_cast<U8>(is_signed ? 0x08 : 0), 0, 0});
  put(&out, bytes);
  put(&out, U16{0});
  put(&out, static_cast<U16>(8 * bytes));
  return out;
}

std::string make_float_type(U32 bytes) {
  const bool is_double = bytes == 8;
  std::string out;
  put_bytes(&out, {0x11, 0x20, static_cast<U8>(8 * bytes - 1), 0});  // the place of the sign
  put(&out, bytes);
  put(&out, U16{0});
  put(&out, static_cast<U16>(8 * bytes));
  // Exponent and mantissa: first bit, number of bits.
  put_bytes(&out, {static_cast<U8>(is_double ? 52 : 23), static_cast<U8>(is_double ? 11 : 8), 0,
                   static_cast<U8>(is_double ? 52 : 23)});
  put(&out, is_double ? U32{1023} : U32{127});
  return out;
}

std::string make_text_type(U32 bytes) {
  std::string out;
  put_bytes(&out, {0x13, 0x10, 0, 0});
  put(&out, bytes);
  return out;
}

std::string make_chunk_block(const ChunkedLayout& layout, const std::vector<Chunk>& chunks,
                             U64 header) {
  const int size_bytes = count_size_bytes(layout);
  std::string out;
  out.reserve(18 + 20 * chunks.size());
  out.append("FADB");
  put_bytes(&out, {0, kFiltered});
  put(&out, header);
  for (const Chunk& chunk : chunks) {
    put(&out, chunk.address);
    put_short(&out, chunk.size, size_bytes);
    put(&out, U32{0});  // no filter is left out
  }
  return seal(std::move(out));
}

std::string make_chunk_header(const ChunkedLayout& layout, std::size_t num_chunks, U64 block) {
  std::string out = "FAHD";
  put_bytes(&out, {0, kFiltered, static_cast<U8>(8 + count_size_bytes(layout) + 4), kPageBits});
  put(&out, U64{num_chunks});
  put(&out, block);
  return seal(std::move(out));
}

std::string make_dataset(const ChunkedLayout& layout, U64 rows, std::size_t num_chunks, U64 index) {
  const U64 most_rows = std::max<U64>(1, num_chunks) * layout.chunk_rows;
  return make_object([&](std::string* out) {
    put_message(out, kDataspace, [&] {
      put_dataspace(out, layout, rows, most_rows);
    });
    put_message(out, kDatatype, [&] {
      out->append(layout.type);
    });
    put_message(out, kFillValue, [&] {
      put_bytes(out, {3, 0x0b});  // version; space as it is needed, filled when somebody says so
    });
    put_message(out, kLayout, [&] {
      put_layout(out, layout, num_chunks > 0 ? index : kUndefined);
    });
    put_message(out, kFilters, [&] {
      put_filters(out, layout);
    });
  });
}

std::string make_group(const std::vector<Link>& links, const std::string& attributes) {
  return make_object([&](std::string* out) {
    put_message(out, kGroupInfo, [&] {
      put_bytes(out, {0, 0});
    });
    put_message(out, kLinkInfo, [&] {
      put_bytes(out, {0, 0});
      put(out, kUndefined);  // links and names are here, not elsewhere
      put(out, kUndefined);
    });
    for (const Link& link : links) {
      put_message(out, kLink, [&] {
        put_bytes(out, {1, 0, static_cast<U8>(link.name.size())});
        out->append(link.name);
        put(out, link.address);
      });
    }
    out->append(attributes);
  });
}

std::string make_attribute(std::string_view name, const std::string& type, std::string_view value) {
  std::string out;
  put_message(&out, kAttribute, [&] {
    put_bytes(&out, {3, 0});
    put(&out, static_cast<U16>(name.size() + 1));
    put(&out, static_cast<U16>(type.size()));
    put(&out, U16{4});  // bytes of the space below
    put(&out, U8{0});
    out.append(name);
    out.push_back('\0');
    out.append(type);
    put_bytes(&out, {2, 0, 0, 0});  // version; one value
    out.append(value);
  });
  return out;
}

}  // namespace cenic::detail
