// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The file: the magic, then the hash of all that follows, then an Archive of version, model hash,
// options, time and data.
#include "sim/checkpoint.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/archive.h"
#include "core/hash.h"
#include "core/version.h"

namespace cenic {
namespace {

constexpr std::string_view kMagic = "cenic checkpoint\n";

// Equal versions only: what a checkpoint holds follows the code.
std::string make_version() { return fmt::format("{} {}", version(), git_commit()); }

void exchange(Archive* archive, Checkpoint* c) {
  (*archive)(&c->t);
  (*archive)(&c->model_hash);
  std::uint64_t count = c->options.size();
  (*archive)(&count);
  if (count > 1000) Archive::fail();
  c->options.resize(count);
  for (auto& [name, value] : c->options) {
    (*archive)(&name);
    (*archive)(&value);
  }
  (*archive)(&c->data);
}

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(fmt::format("{}: error: {}", path, why));
}

[[noreturn]] void fail_to_write(const std::string& path) {
  fail(path, std::string("cannot write the checkpoint: ") + std::strerror(errno));
}

// A new file beside the old one, whose place it takes when it is complete.
class NewFile {
 public:
  explicit NewFile(const std::string& path) : path_(path), target_(path) {
    namespace fs = std::filesystem;
    std::error_code problem;
    const fs::file_status there = fs::status(path, problem);
    if (fs::exists(there)) {
      if (!fs::is_regular_file(there)) {
        fail(path,
             "cannot write the checkpoint: what is there is no plain file; give another name");
      }
      // A link stays a link.
      const fs::path end_of_links = fs::canonical(path, problem);
      if (!problem) target_ = end_of_links.string();
    }
    partial_ = target_ + ".partial";
    file_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0) fail_to_write(path_);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile() {
    if (file_ >= 0) ::close(file_);
    if (!complete_) ::unlink(partial_.c_str());
  }

  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_to_write(path_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  // On disk before the name is: a power cut leaves the old file or the new one.
  void complete() {
    if (::fsync(file_) != 0) fail_to_write(path_);
    if (::close(std::exchange(file_, -1)) != 0) fail_to_write(path_);
    if (std::rename(partial_.c_str(), target_.c_str()) != 0) fail_to_write(path_);
    complete_ = true;
  }

 private:
  std::string path_, target_, partial_;
  int file_ = -1;
  bool complete_ = false;
};

}  // namespace

void check_checkpoint_path(const std::string& path) { const NewFile unused(path); }

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Archive archive;
  std::string made_by = make_version();
  archive(&made_by);
  Checkpoint copy = checkpoint;
  exchange(&archive, &copy);
  const std::uint64_t hash = hash_bytes(archive.bytes());
  NewFile file(path);
  file.write(kMagic);
  file.write({reinterpret_cast<const char*>(&hash), sizeof hash});
  file.write(archive.bytes());
  file.complete();
}

Checkpoint load_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::string("cannot open the checkpoint: ") + std::strerror(errno));
  if (std::filesystem::is_directory(path)) fail(path, "this is a folder, no checkpoint");
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) fail(path, "cannot read the checkpoint");
  if (bytes.compare(0, kMagic.size(), kMagic) != 0) {
    fail(path, "this is no checkpoint; 'cenic run SCENE --checkpoint FILE' writes one");
  }
  std::uint64_t hash = 0;
  const std::size_t start = kMagic.size() + sizeof hash;
  if (bytes.size() >= start) std::memcpy(&hash, bytes.data() + kMagic.size(), sizeof hash);
  if (bytes.size() < start || hash_bytes(std::string_view(bytes).substr(start)) != hash) {
    fail(path, "the checkpoint is damaged or was cut short; write it again");
  }
  Archive archive(bytes.substr(start));
  Checkpoint checkpoint;
  std::string made_by;
  try {
    archive(&made_by);
    if (made_by != make_version()) {
      fail(path, fmt::format("the checkpoint is of cenic {}, this is {}; a run goes on bit for bit "
                             "only with the program that began it",
                             made_by, make_version()));
    }
    exchange(&archive, &checkpoint);
  } catch (const Error& e) {
    const std::string text = e.what();
    if (text.starts_with(path)) throw;
    fail(path, text);
  }
  return checkpoint;
}

}  // namespace cenic
