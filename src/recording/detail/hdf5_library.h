// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// HDF5's own library, loaded when the first file is read: it brings thirty others (networks,
// encryption), and a program linked with it takes several times as long to start, whatever it does.
#pragma once

#include <hdf5.h>

namespace cenic::detail {

// A function or variable of the library: a pointer of whatever type it is taken for.
class Hdf5Symbol {
 public:
  explicit Hdf5Symbol(const char* name);  // throws Error when it is not there
  template <class T>
  operator T*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<T*>(address_);
  }

 private:
  void* address_;
};

// What we use of it, by its own names.
struct Hdf5Library {
  decltype(&::H5Eset_auto2) H5Eset_auto2 = Hdf5Symbol("H5Eset_auto2");
  decltype(&::H5Pcreate) H5Pcreate = Hdf5Symbol("H5Pcreate");
  decltype(&::H5Pclose) H5Pclose = Hdf5Symbol("H5Pclose");
  decltype(&::H5Pset_fclose_degree) H5Pset_fclose_degree = Hdf5Symbol("H5Pset_fclose_degree");
  decltype(&::H5Fis_hdf5) H5Fis_hdf5 = Hdf5Symbol("H5Fis_hdf5");
  decltype(&::H5Fopen) H5Fopen = Hdf5Symbol("H5Fopen");
  decltype(&::H5Fclose) H5Fclose = Hdf5Symbol("H5Fclose");
  decltype(&::H5Aopen) H5Aopen = Hdf5Symbol("H5Aopen");
  decltype(&::H5Aclose) H5Aclose = Hdf5Symbol("H5Aclose");
  decltype(&::H5Aread) H5Aread = Hdf5Symbol("H5Aread");
  decltype(&::H5Aget_type) H5Aget_type = Hdf5Symbol("H5Aget_type");
  decltype(&::H5Aget_space) H5Aget_space = Hdf5Symbol("H5Aget_space");
  decltype(&::H5Dopen2) H5Dopen2 = Hdf5Symbol("H5Dopen2");
  decltype(&::H5Dclose) H5Dclose = Hdf5Symbol("H5Dclose");
  decltype(&::H5Dread) H5Dread = Hdf5Symbol("H5Dread");
  decltype(&::H5Dget_space) H5Dget_space = Hdf5Symbol("H5Dget_space");
  decltype(&::H5Dget_storage_size) H5Dget_storage_size = Hdf5Symbol("H5Dget_storage_size");
  decltype(&::H5Sclose) H5Sclose = Hdf5Symbol("H5Sclose");
  decltype(&::H5Sget_simple_extent_npoints) H5Sget_simple_extent_npoints =
      Hdf5Symbol("H5Sget_simple_extent_npoints");
  decltype(&::H5Sget_simple_extent_ndims) H5Sget_simple_extent_ndims =
      Hdf5Symbol("H5Sget_simple_extent_ndims");
  decltype(&::H5Sget_simple_extent_dims) H5Sget_simple_extent_dims =
      Hdf5Symbol("H5Sget_simple_extent_dims");
  decltype(&::H5Tclose) H5Tclose = Hdf5Symbol("H5Tclose");
  decltype(&::H5Tget_class) H5Tget_class = Hdf5Symbol("H5Tget_class");
  decltype(&::H5Tget_size) H5Tget_size = Hdf5Symbol("H5Tget_size");
  decltype(&::H5Tis_variable_str) H5Tis_variable_str = Hdf5Symbol("H5Tis_variable_str");
  // Variables, which opening the library sets.
  decltype(&::H5open) H5open = Hdf5Symbol("H5open");
  bool is_open = H5open() >= 0;
  hid_t file_access = *static_cast<hid_t*>(Hdf5Symbol("H5P_CLS_FILE_ACCESS_ID_g"));
  hid_t native_double = *static_cast<hid_t*>(Hdf5Symbol("H5T_NATIVE_DOUBLE_g"));
  hid_t native_uint64 = *static_cast<hid_t*>(Hdf5Symbol("H5T_NATIVE_UINT64_g"));
  hid_t native_uint8 = *static_cast<hid_t*>(Hdf5Symbol("H5T_NATIVE_UINT8_g"));
};

// Loads it when it is first asked for; throws Error when it is not there. For one thread at a time:
// the library knows none.
const Hdf5Library& hdf5();

}  // namespace cenic::detail
