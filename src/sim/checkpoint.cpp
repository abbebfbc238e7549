// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The file: the magic, then the hash of all that follows, then an Archive of version, model hash,
// options, time and data.
#include "sim/checkpoint.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

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

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const std::string why = std::strerror(errno);
      ::close(file);
      ::unlink(path.c_str());
      fail(path, "cannot write the checkpoint: " + why);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Archive archive;
  std::string made_by = make_version();
  archive(&made_by);
  Checkpoint copy = checkpoint;
  exchange(&archive, &copy);
  std::uint64_t hash = hash_bytes(archive.bytes());
  const std::string partial = path + ".partial";
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) fail(path, std::string("cannot write the checkpoint: ") + std::strerror(errno));
  write_all(file, kMagic, partial);
  write_all(file, {reinterpret_cast<const char*>(&hash), sizeof hash}, partial);
  write_all(file, archive.bytes(), partial);
  // On disk before the name is: a power cut leaves the old file or the new one.
  const bool done = ::fsync(file) == 0;
  if (::close(file) != 0 || !done || std::rename(partial.c_str(), path.c_str()) != 0) {
    fail(path, std::string("cannot write the checkpoint: ") + std::strerror(errno));
  }
}

Checkpoint load_checkpoint(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, std::string("cannot open the checkpoint: ") + std::strerror(errno));
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
