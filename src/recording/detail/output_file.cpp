// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "recording/detail/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/error.h"

namespace cenic::detail {
namespace {

constexpr std::size_t kMostParts = 1024;  // that Linux takes at once
// Bytes: of a file that asks for room, and asked for at once.
constexpr std::uint64_t kLargeFile = 1 << 21, kLeastRoom = 1 << 18, kMostRoom = 1 << 22;
constexpr double kSureShare = 0.8;  // of what is planned

// Some file systems write a file that was emptied to the disk when it is closed, and somebody may
// be reading it: it makes place for a new one. What is no plain file is written as it is.
// Returns whether a plain file will be there.
bool remove_old(const std::string& path) {
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::regular) std::filesystem::remove(path, ignored);
  return type == std::filesystem::file_type::regular ||
         type == std::filesystem::file_type::not_found;
}

// Takes away what was written.
void remove_front(std::span<iovec>* parts, std::size_t count) {
  while (!parts->empty() && count >= parts->front().iov_len) {
    count -= parts->front().iov_len;
    *parts = parts->subspan(1);
  }
  if (count == 0) return;
  iovec& first = parts->front();
  first.iov_base = static_cast<char*>(first.iov_base) + count;
  first.iov_len -= count;
}

}  // namespace

OutputFile::OutputFile(const std::string& path) : path_(path), plain_(remove_old(path)) {
  const int access = plain_ ? O_RDWR : O_WRONLY;
  file_ = open(path.c_str(), access | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file_ < 0) fail();
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  give_back();
  ::close(file_);
}

// To find room for each page takes a file system as long as to copy its bytes, so it is asked for
// in large pieces, behind the end: the file is not longer for that. Not for more than will surely
// be needed, since to give room back takes as long as to write a megabyte. A file in memory alone
// has no room but its pages, which would all be made at once.
void OutputFile::reserve(std::uint64_t size) {
  const std::uint64_t end = position_ + size;
  const auto rest = static_cast<std::uint64_t>(
      kSureShare * static_cast<double>(planned_ - std::min(planned_, end)));
  const std::uint64_t more = end > kLargeFile && rest >= kLeastRoom ? std::min(rest, kMostRoom) : 0;
  if (end <= room_ || std::max(size, more) < kLeastRoom || !plain_ || !asks_for_room_) return;
  struct statfs system {};
  asks_for_room_ = fstatfs(file_, &system) == 0 && system.f_type != TMPFS_MAGIC;
  if (!asks_for_room_) return;
  const std::uint64_t first = std::max(room_, position_);
  room_ = end + more;
  asks_for_room_ = fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                             static_cast<off_t>(room_ - first)) == 0;
  if (!asks_for_room_) give_back();  // some take all there is before they say that it is too little
}

// The room behind the end.
void OutputFile::give_back() {
  struct stat status {};
  if (room_ == 0 || fstat(file_, &status) != 0) return;
  const bool is_left = room_ > static_cast<std::uint64_t>(status.st_size);
  [[maybe_unused]] const int done = is_left ? ftruncate(file_, status.st_size) : 0;
  room_ = 0;
}

void OutputFile::fail() const {
  throw Error(
      fmt::format("{}: error: cannot write the recording: {}", path_, std::strerror(errno)));
}

void OutputFile::append(std::span<const std::string_view> parts) {
  std::vector<iovec> vectors;
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    if (!part.empty()) vectors.push_back({const_cast<char*>(part.data()), part.size()});
    size += part.size();
  }
  reserve(size);
  position_ += size;
  for (std::span<iovec> rest = vectors; !rest.empty();) {
    const ssize_t count =
        writev(file_, rest.data(), static_cast<int>(std::min(rest.size(), kMostParts)));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail();
    remove_front(&rest, static_cast<std::size_t>(count));
  }
}

template <class Transfer>
void OutputFile::repeat(std::uint64_t address, std::size_t size, const Transfer& transfer) const {
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = transfer(done, static_cast<off_t>(address + done));
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = EIO;  // somebody cut the file off
    if (count <= 0) fail();
    done += static_cast<std::size_t>(count);
  }
}

void OutputFile::write_at(std::uint64_t address, std::string_view bytes) const {
  repeat(address, bytes.size(), [&](std::size_t done, off_t place) {
    return pwrite(file_, bytes.data() + done, bytes.size() - done, place);
  });
}

void OutputFile::read_at(std::uint64_t address, std::span<char> bytes) const {
  repeat(address, bytes.size(), [&](std::size_t done, off_t place) {
    return pread(file_, bytes.data() + done, bytes.size() - done, place);
  });
}

void OutputFile::seek(std::uint64_t address) {
  if (lseek(file_, static_cast<off_t>(address), SEEK_SET) < 0) fail();
  position_ = address;
}

void OutputFile::empty() {
  if (ftruncate(file_, 0) != 0) fail();
  room_ = 0;
  seek(0);
}

void OutputFile::close() {
  give_back();
  const int file = std::exchange(file_, -1);
  if (::close(file) != 0) fail();
}

}  // namespace cenic::detail
