// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/hdf5_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>

#include <fmt/core.h>
#include <hdf5.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

constexpr std::uint64_t kChunkNumbers = 8192;            // 64 kB
constexpr std::uint64_t kMinRows = 16, kMaxRows = 2048;  // of a chunk
constexpr hsize_t kAlignment = 1024;
constexpr int kCompression = 1;  // of gzip: fast
constexpr unsigned kReadAttempts = 5;
// No compressed data grow by more than this: a size that claims it is damaged.
constexpr double kMaxRatio = 2000;

// An identifier that closes itself.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor)

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// The library knows no threads, and recorders may have one each.
std::unique_lock<std::recursive_mutex> lock_library() {
  static std::recursive_mutex mutex;
  return std::unique_lock(mutex);
}

// HDF5 prints its errors unless told not to: ours say what matters.
void silence_errors() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace

void Hdf5File::fail(const std::string& what) const {
  throw Error(fmt::format("{}: error: {}", path_, what));
}

// HDF5 does not say why.
void Hdf5File::check_writable(const std::string& path) {
  if (std::ofstream(path, std::ios::app)) return;
  throw Error(fmt::format("{}: error: cannot write the recording: {}", path, std::strerror(errno)));
}

Hdf5File::Hdf5File(const std::string& path, Mode mode) : path_(path) {
  const auto lock = lock_library();
  silence_errors();
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  if (mode == Mode::kCreate) {
    check_writable(path);
    // Space that is free again is not used again: until the next flush the file on the disk says
    // that it holds what it held before, which is what a killed run leaves behind.
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_NONE, 0, 1);
    // A kill may cut a write short where a page of memory ends: what is small does not cross one.
    H5Pset_meta_block_size(access, 0);
    H5Pset_alignment(access, 1, kAlignment);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access);
    if (file_ < 0) fail("cannot write the recording (is another program writing it?)");
    return;
  }
  if (!std::ifstream(path)) {
    fail(fmt::format("cannot open the recording: {}", std::strerror(errno)));
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    fail("this is no recording; 'cenic run SCENE --record FILE.h5' writes one");
  }
  // As a reader beside a writer: a file whose writer was killed looks as if it still had one. What
  // is wrong is tried again in case it is being written, but not for the minutes that HDF5 would.
  H5Pset_metadata_read_attempts(access, kReadAttempts);
  const unsigned flags = mode == Mode::kRead ? H5F_ACC_RDONLY | H5F_ACC_SWMR_READ
                                             : static_cast<unsigned>(H5F_ACC_RDWR);
  file_ = H5Fopen(path.c_str(), flags, access);
  if (file_ < 0 && mode == Mode::kRead) file_ = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access);
  if (file_ < 0) fail("the file is damaged: HDF5 cannot open it");
}

Hdf5File::~Hdf5File() {
  const auto lock = lock_library();
  for (const Stream& stream : streams_) {
    H5Dclose(stream.dataset);
  }
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::close() {
  const auto lock = lock_library();
  for (const Stream& stream : streams_) {
    if (H5Dclose(stream.dataset) < 0) fail("writing failed (disk full?)");
  }
  streams_.clear();
  const Id file = file_;
  file_ = -1;
  if (H5Fclose(file) < 0) fail("writing failed (disk full?)");
}

void Hdf5File::write_attribute(const char* name, Id file_type, Id memory_type, const void* value) {
  const auto lock = lock_library();
  if (H5Aexists(file_, name) > 0) H5Adelete(file_, name);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(file_, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  if (attribute < 0 || H5Awrite(attribute, memory_type, value) < 0) {
    fail(fmt::format("cannot write the attribute '{}'", name));
  }
}

void Hdf5File::write_text(const char* name, const std::string& value) {
  const auto lock = lock_library();
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, value.size() + 1);
  H5Tset_cset(type, H5T_CSET_UTF8);
  write_attribute(name, type, type, value.c_str());
}

void Hdf5File::write_number(const char* name, double value) {
  write_attribute(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void Hdf5File::write_integer(const char* name, std::int64_t value) {
  write_attribute(name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Hdf5File::read_attribute(const char* name, Id memory_type, void* value) const {
  const auto lock = lock_library();
  const Handle attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (attribute < 0 || H5Sget_simple_extent_npoints(space) != 1 ||
      H5Aread(attribute, memory_type, value) < 0) {
    fail(fmt::format("the attribute '{}' is missing or damaged", name));
  }
}

std::string Hdf5File::read_text(const char* name) const {
  const auto lock = lock_library();
  const Handle attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  if (attribute < 0 || H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    fail(fmt::format("the attribute '{}' is missing or damaged", name));
  }
  std::string text(H5Tget_size(type), '\0');
  read_attribute(name, type, text.data());
  return text.c_str();  // without the zeros at its end
}

double Hdf5File::read_number(const char* name) const {
  double value = 0;
  read_attribute(name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

std::int64_t Hdf5File::read_integer(const char* name) const {
  std::int64_t value = 0;
  read_attribute(name, H5T_NATIVE_INT64, &value);
  return value;
}

Hdf5File::Id Hdf5File::create_dataset(const std::string& name, Id type, int columns,
                                      std::uint64_t rows, std::uint64_t chunk_rows) const {
  const int rank = columns > 1 ? 2 : 1;
  const hsize_t width = static_cast<hsize_t>(columns);
  const hsize_t size[] = {rows, width}, limit[] = {H5S_UNLIMITED, width},
                chunk[] = {chunk_rows, width};
  const Handle space(H5Screate_simple(rank, size, limit), H5Sclose);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(creation, rank, chunk);
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, kCompression);  // which checks a checksum as it unpacks
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t dataset = H5Dcreate2(file_, name.c_str(), type, space, links, creation, H5P_DEFAULT);
  if (dataset < 0) fail(fmt::format("cannot write '{}'", name));
  return dataset;
}

void Hdf5File::write_long_text(const std::string& name, const std::string& text) {
  const auto lock = lock_library();
  const std::uint64_t chunk = std::clamp<std::uint64_t>(text.size(), 1, 1 << 20);
  const Handle dataset(create_dataset(name, H5T_STD_U8LE, 1, text.size(), chunk), H5Dclose);
  if (H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) {
    fail(fmt::format("cannot write '{}'", name));
  }
}

void Hdf5File::create_series(const Series& series) {
  const auto lock = lock_library();
  const std::uint64_t chunk =
      std::clamp(kChunkNumbers / static_cast<std::uint64_t>(series.columns), kMinRows, kMaxRows);
  const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE};
  const Id dataset = create_dataset(series.name, types[series.type], series.columns, 0, chunk);
  streams_.push_back({dataset, series.columns, series.type, chunk});
}

void Hdf5File::start_streaming() {
  const auto lock = lock_library();
  if (H5Fstart_swmr_write(file_) < 0) fail("HDF5 cannot stream to this file");
}

void Hdf5File::append(std::size_t series, std::vector<double>* rows, bool all) {
  Stream& stream = streams_[series];
  const auto width = static_cast<std::size_t>(stream.columns);
  const std::size_t chunk = stream.chunk * width;
  std::size_t done = 0;
  for (; rows->size() - done >= chunk; done += chunk) {
    write_chunk(&stream, std::span(*rows).subspan(done, chunk));
    stream.packed += stream.chunk;
    stream.length = 0;
  }
  rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(done));
  if (all && stream.packed + rows->size() / width > stream.written) write_chunk(&stream, *rows);
}

// The chunk after those that are full, past HDF5's own filters.
void Hdf5File::write_chunk(Stream* stream, std::span<const double> rows) {
  const auto width = static_cast<std::uint64_t>(stream->columns);
  const auto bytes = packer_.pack(rows, stream->columns, stream->chunk * width, stream->type);
  // A chunk of the same length would be written over the last one, and a kill could leave half of
  // each: a byte more makes it another.
  stream->length = bytes.size() + (bytes.size() == stream->length ? 1 : 0);
  const auto lock = lock_library();
  stream->written = stream->packed + rows.size() / width;
  const hsize_t size[] = {stream->written, width}, start[] = {stream->packed, 0};
  if (H5Dset_extent(stream->dataset, size) < 0 ||
      H5Dwrite_chunk(stream->dataset, H5P_DEFAULT, 0, start, stream->length, bytes.data()) < 0) {
    fail("writing failed (disk full?)");
  }
}

void Hdf5File::flush() {
  const auto lock = lock_library();
  if (H5Fflush(file_, H5F_SCOPE_LOCAL) < 0) fail("writing failed (disk full?)");
}

void Hdf5File::read_rows(const std::string& name, int columns, Id memory_type, std::size_t element,
                         std::vector<char>* bytes) const {
  const auto lock = lock_library();
  const Handle dataset(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  if (dataset < 0 || rank != (columns > 1 ? 2 : 1) ||
      H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      size[1] != static_cast<hsize_t>(columns)) {
    fail(fmt::format("'{}' is missing or damaged", name));
  }
  const double total = static_cast<double>(size[0]) * static_cast<double>(columns * element);
  if (total > kMaxRatio * static_cast<double>(H5Dget_storage_size(dataset)) + 1e6) {
    fail(fmt::format("'{}' is damaged: it claims {} rows", name, size[0]));
  }
  bytes->resize(size[0] * static_cast<std::size_t>(columns) * element);
  if (size[0] > 0 &&
      H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes->data()) < 0) {
    fail(fmt::format("'{}' is damaged", name));
  }
}

std::string Hdf5File::read_long_text(const std::string& name) const {
  std::vector<char> bytes;
  read_rows(name, 1, H5T_NATIVE_UINT8, 1, &bytes);
  return {bytes.begin(), bytes.end()};
}

void Hdf5File::read_series(Series* series) const {
  std::vector<char> bytes;
  read_rows(series->name, series->columns, H5T_NATIVE_DOUBLE, sizeof(double), &bytes);
  series->rows.resize(bytes.size() / sizeof(double));
  std::memcpy(series->rows.data(), bytes.data(), bytes.size());
}

}  // namespace cenic::detail
