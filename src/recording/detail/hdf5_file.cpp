// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/hdf5_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>

#include <fmt/core.h>

#include "core/error.h"
#include "recording/detail/hdf5_library.h"

namespace cenic::detail {
namespace {

static_assert(sizeof(hid_t) == sizeof(std::int64_t));

// No compressed data grow by more than this: a size that claims it is damaged.
constexpr double kMaxRatio = 2000;
constexpr unsigned kReadOnly = 0;  // H5F_ACC_RDONLY, a macro that calls the library

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
void silence_errors() { hdf5().H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

}  // namespace

void Hdf5File::fail(const std::string& what) const {
  throw Error(fmt::format("{}: error: {}", path_, what));
}

Hdf5File::Hdf5File(const std::string& path) : path_(path) {
  // HDF5 does not say why.
  if (!std::ifstream(path)) {
    fail(fmt::format("cannot open the recording: {}", std::strerror(errno)));
  }
  const auto lock = lock_library();
  silence_errors();
  if (hdf5().H5Fis_hdf5(path.c_str()) <= 0) {
    fail("this is no recording; 'cenic run SCENE --record FILE.h5' writes one");
  }
  const Handle access(hdf5().H5Pcreate(hdf5().file_access), hdf5().H5Pclose);
  hdf5().H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  file_ = hdf5().H5Fopen(path.c_str(), kReadOnly, access);
  if (file_ < 0) fail("the file is damaged: HDF5 cannot open it");
}

Hdf5File::~Hdf5File() {
  const auto lock = lock_library();
  if (file_ >= 0) hdf5().H5Fclose(file_);
}

void Hdf5File::read_attribute(const char* name, Id memory_type, void* value) const {
  const auto lock = lock_library();
  const Handle attribute(hdf5().H5Aopen(file_, name, H5P_DEFAULT), hdf5().H5Aclose);
  const Handle space(hdf5().H5Aget_space(attribute), hdf5().H5Sclose);
  if (attribute < 0 || hdf5().H5Sget_simple_extent_npoints(space) != 1 ||
      hdf5().H5Aread(attribute, memory_type, value) < 0) {
    fail(fmt::format("the attribute '{}' is missing or damaged", name));
  }
}

std::string Hdf5File::read_text(const char* name) const {
  const auto lock = lock_library();
  const Handle attribute(hdf5().H5Aopen(file_, name, H5P_DEFAULT), hdf5().H5Aclose);
  const Handle type(hdf5().H5Aget_type(attribute), hdf5().H5Tclose);
  if (attribute < 0 || hdf5().H5Tget_class(type) != H5T_STRING ||
      hdf5().H5Tis_variable_str(type) != 0) {
    fail(fmt::format("the attribute '{}' is missing or damaged", name));
  }
  std::string text(hdf5().H5Tget_size(type), '\0');
  read_attribute(name, type, text.data());
  text.resize(std::strlen(text.c_str()));  // without the zeros at its end
  return text;
}

double Hdf5File::read_number(const char* name) const {
  double value = 0;
  read_attribute(name, hdf5().native_double, &value);
  return value;
}

std::uint64_t Hdf5File::read_integer(const char* name) const {
  std::uint64_t value = 0;
  read_attribute(name, hdf5().native_uint64, &value);
  return value;
}

void Hdf5File::read_rows(const std::string& name, int columns, Id memory_type, std::size_t element,
                         std::vector<char>* bytes) const {
  const auto lock = lock_library();
  const Handle dataset(hdf5().H5Dopen2(file_, name.c_str(), H5P_DEFAULT), hdf5().H5Dclose);
  const Handle space(hdf5().H5Dget_space(dataset), hdf5().H5Sclose);
  const int rank = hdf5().H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  if (dataset < 0 || rank != (columns > 1 ? 2 : 1) ||
      hdf5().H5Sget_simple_extent_dims(space, size, nullptr) < 0 ||
      size[1] != static_cast<hsize_t>(columns)) {
    fail(fmt::format("'{}' is missing or damaged", name));
  }
  const double total = static_cast<double>(size[0]) * static_cast<double>(columns * element);
  if (total > kMaxRatio * static_cast<double>(hdf5().H5Dget_storage_size(dataset)) + 1e6) {
    fail(fmt::format("'{}' is damaged: it claims {} rows", name, size[0]));
  }
  bytes->resize(size[0] * static_cast<std::size_t>(columns) * element);
  if (size[0] > 0 &&
      hdf5().H5Dread(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes->data()) < 0) {
    fail(fmt::format("'{}' is damaged", name));
  }
}

std::string Hdf5File::read_bytes(const std::string& name) const {
  std::vector<char> bytes;
  read_rows(name, 1, hdf5().native_uint8, 1, &bytes);
  return {bytes.begin(), bytes.end()};
}

void Hdf5File::read_series(Series* series) const {
  std::vector<char> bytes;
  read_rows(series->name, series->columns, hdf5().native_double, sizeof(double), &bytes);
  series->rows.resize(bytes.size() / sizeof(double));
  if (!bytes.empty()) std::memcpy(series->rows.data(), bytes.data(), bytes.size());
}

}  // namespace cenic::detail
