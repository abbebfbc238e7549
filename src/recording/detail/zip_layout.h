// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A zip archive of files that are stored as they are, as bytes: PKWARE's APPNOTE, sections 4.3 and
// 4.4. A file is its header and its content; the directory of all of them follows the last.
#pragma once

#include <cstdint>
#include <string>

namespace cenic::detail {

inline constexpr std::uint64_t kMostZipBytes = 0xffffffff;

struct ZipFile {
  std::string name;
  std::uint64_t size = 0;
  std::uint32_t checksum = 0;
};

// What stands before the content. Its length depends on the name alone.
std::string make_zip_header(const ZipFile& file);

class ZipDirectory {
 public:
  void add(const ZipFile& file, std::uint64_t header);  // address of the header
  std::string make_bytes(std::uint64_t address) const;  // at which they will stand

 private:
  std::string entries_;
  std::uint16_t count_ = 0;
};

}  // namespace cenic::detail
