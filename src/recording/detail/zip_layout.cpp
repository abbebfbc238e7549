// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/zip_layout.h"

#include "recording/detail/little_endian.h"

namespace cenic::detail {
namespace {

constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kDate = (1980 - 1980) << 9 | 1 << 5 | 1;  // no clock: runs repeat

// What the header and the directory share, from the version on.
std::string make_entry(const ZipFile& file) {
  std::string out;
  put(&out, kVersion);
  put(&out, std::uint16_t{1 << 11});  // names are UTF-8
  put(&out, std::uint16_t{0});        // stored
  put(&out, std::uint16_t{0});        // time
  put(&out, kDate);
  put(&out, file.checksum);
  put(&out, static_cast<std::uint32_t>(file.size));
  put(&out, static_cast<std::uint32_t>(file.size));
  put(&out, static_cast<std::uint16_t>(file.name.size()));
  put(&out, std::uint16_t{0});  // no extra field
  return out;
}

}  // namespace

std::string make_zip_header(const ZipFile& file) {
  std::string out;
  put(&out, std::uint32_t{0x04034b50});
  return out + make_entry(file) + file.name;
}

void ZipDirectory::add(const ZipFile& file, std::uint64_t header) {
  put(&entries_, std::uint32_t{0x02014b50});
  put(&entries_, kVersion);
  entries_ += make_entry(file);
  put(&entries_, std::uint16_t{0});  // comment
  put(&entries_, std::uint16_t{0});  // disk
  put(&entries_, std::uint16_t{0});  // attributes
  put(&entries_, std::uint32_t{0});
  put(&entries_, static_cast<std::uint32_t>(header));
  entries_ += file.name;
  ++count_;
}

std::string ZipDirectory::make_bytes(std::uint64_t address) const {
  std::string out = entries_;
  put(&out, std::uint32_t{0x06054b50});
  put(&out, std::uint32_t{0});  // disks
  put(&out, count_);
  put(&out, count_);
  put(&out, static_cast<std::uint32_t>(entries_.size()));
  put(&out, static_cast<std::uint32_t>(address));
  put(&out, std::uint16_t{0});  // comment
  return out;
}

}  // namespace cenic::detail
