// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/hdf5_writer.h"

#include <algorithm>
#include <bit>
#include <new>

#include <fmt/core.h>
#include <zlib.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

constexpr std::uint64_t kChunkNumbers = 1024;           // 8 kB
constexpr std::uint64_t kMinRows = 16, kMaxRows = 256;  // of a chunk
constexpr std::size_t kMostWaiting = 1 << 15;           // bytes
constexpr std::size_t kMostAtOnce = 1 << 30;            // bytes that zlib can count

template <typename T>
std::string_view as_bytes(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// zlib's format, in memory that suits the size: the usual 256 kB take longer to get than a few kB
// of text to pack.
std::string deflate_bytes(const std::string& bytes, int level) {
  const int window = std::clamp(static_cast<int>(std::bit_width(bytes.size())), 9, 15);
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, window - 7, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  const auto limit = [](std::size_t rest) {
    return static_cast<uInt>(std::min(rest, kMostAtOnce));
  };
  for (int status = Z_OK; status == Z_OK;) {
    stream.avail_in = limit(bytes.size() - stream.total_in);
    stream.avail_out = limit(packed.size() - stream.total_out);
    const bool last = stream.total_in + stream.avail_in == bytes.size();
    status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
  }
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

void Hdf5Writer::set_attribute(const char* name, const std::string& type, std::string_view value) {
  if (value.size() > kMostAttributeBytes) {
    throw Error(fmt::format("{}: error: '{}' is too long for a recording: {} bytes, at most {}",
                            file_.path(), name, value.size(), kMostAttributeBytes));
  }
  attributes_[name] = make_attribute(name, type, value);
}

void Hdf5Writer::write_text(const char* name, const std::string& value) {
  const std::string_view with_zero(value.c_str(), value.size() + 1);
  set_attribute(name, make_text_type(static_cast<std::uint32_t>(with_zero.size())), with_zero);
}

void Hdf5Writer::write_number(const char* name, double value) {
  set_attribute(name, make_float_type(sizeof value), as_bytes(value));
}

void Hdf5Writer::write_integer(const char* name, std::uint64_t value) {
  set_attribute(name, make_integer_type(sizeof value, false), as_bytes(value));
}

void Hdf5Writer::write_bytes(const std::string& name, const std::string& bytes, int level) {
  Dataset dataset{.name = name,
                  .layout = {.type = make_integer_type(1, false),
                             .element = 1,
                             .chunk_rows = std::max<std::uint64_t>(1, bytes.size())},
                  .rows = bytes.size()};
  if (!bytes.empty()) {
    const std::string packed = deflate_bytes(bytes, level);
    dataset.chunks.push_back({add(packed), packed.size()});
  }
  texts_.push_back(std::move(dataset));
}

void Hdf5Writer::create_series(const Series& series) {
  const auto columns = static_cast<std::uint64_t>(series.columns);
  const std::string types[] = {make_float_type(8), make_float_type(4), make_integer_type(4, true)};
  series_.push_back(
      {.name = series.name,
       .layout = {.type = types[series.type],
                  .element = series.type == Series::kDouble ? 8u : 4u,
                  .columns = columns,
                  .chunk_rows = std::clamp(kChunkNumbers / columns, kMinRows, kMaxRows)},
       .type = series.type});
}

void Hdf5Writer::append(std::size_t series, std::vector<double>* rows, bool all) {
  Dataset& dataset = series_[series];
  const std::size_t width = dataset.layout.columns, chunk = dataset.layout.chunk_rows * width;
  std::size_t done = 0;
  for (; rows->size() - done >= chunk; done += chunk) {
    write_chunk(&dataset, std::span(*rows).subspan(done, chunk));
    ++dataset.full_chunks;
  }
  rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(done));
  const std::uint64_t end = dataset.full_chunks * dataset.layout.chunk_rows + rows->size() / width;
  if (all && end > dataset.rows) write_chunk(&dataset, *rows);
}

// The chunk after those that are full.
void Hdf5Writer::write_chunk(Dataset* dataset, std::span<const double> rows) {
  const ChunkedLayout& layout = dataset->layout;
  const auto bytes = packer_.pack(rows, static_cast<int>(layout.columns),
                                  layout.chunk_rows * layout.columns, dataset->type);
  dataset->rows = dataset->full_chunks * layout.chunk_rows + rows.size() / layout.columns;
  dataset->chunks.resize(dataset->full_chunks + 1);
  dataset->chunks.back() = {add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}),
                            bytes.size()};
  dataset->address = 0;
}

void Hdf5Writer::write_header(Dataset* dataset) {
  const ChunkedLayout& layout = dataset->layout;
  const std::size_t num_chunks = dataset->chunks.size();
  std::uint64_t index = 0;
  if (num_chunks > 0) {
    // Block and header point to each other.
    index = start_ + waiting_.size();
    add(make_chunk_header(layout, num_chunks, index + kChunkHeaderSize));
    add(make_chunk_block(layout, dataset->chunks, index));
  }
  dataset->address = add(make_dataset(layout, dataset->rows, num_chunks, index));
}

std::uint64_t Hdf5Writer::add(std::string_view bytes) {
  if (waiting_.size() > kMostWaiting) write_out();
  const std::uint64_t address = start_ + waiting_.size();
  waiting_.append(bytes);
  return address;
}

void Hdf5Writer::write_out() {
  file_.write_at(start_, waiting_);
  start_ += waiting_.size();
  waiting_.clear();
}

void Hdf5Writer::flush() {
  std::map<std::string, std::vector<Link>> folders;
  for (std::vector<Dataset>* datasets : {&texts_, &series_}) {
    for (Dataset& dataset : *datasets) {
      if (dataset.address == 0) write_header(&dataset);
      const std::size_t slash = dataset.name.find('/');
      folders[dataset.name.substr(0, slash)].push_back(
          {dataset.name.substr(slash + 1), dataset.address});
    }
  }
  std::vector<Link> links;
  links.reserve(folders.size());
  for (const auto& [name, entries] : folders) {
    links.push_back({name, add(make_group(entries))});
  }
  std::string attributes;
  for (const auto& [name, message] : attributes_) {
    attributes += message;
  }
  const std::uint64_t root = add(make_group(links, attributes));
  write_out();
  file_.write_at(0, make_superblock(start_, root));
}

void Hdf5Writer::close() {
  flush();
  file_.close();
}

}  // namespace cenic::detail
