// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/image.h"

#include <filesystem>

#include <fmt/format.h>
#include <png.h>

#include "core/error.h"
#include "loaders/read_file.h"

namespace cenic {
namespace {

[[noreturn]] void refuse_size(std::uintmax_t size) {
  throw Error(
      fmt::format("the picture has {} bytes, and more than {} are not drawn; make it smaller", size,
                  kLargestPicture));
}

}  // namespace

std::shared_ptr<const std::string> check_picture(std::string bytes) {
  if (bytes.size() > kLargestPicture) refuse_size(bytes.size());
  if (!bytes.starts_with("\x89PNG\r\n") && !bytes.starts_with("\xff\xd8\xff")) {
    throw Error("the picture is neither PNG nor JPEG");
  }
  return std::make_shared<const std::string>(std::move(bytes));
}

std::shared_ptr<const std::string> read_picture(const std::string& path) {
  std::error_code status;
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (status) throw Error("the picture cannot be read");
  if (size > kLargestPicture) refuse_size(size);
  return check_picture(read_file(path, path, kLargestPicture));
}

std::shared_ptr<const std::string> make_picture(int width, int height,
                                                const std::vector<Pixel>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = 0;
  std::string bytes;
  // Once for the size, once for the bytes.
  bool good = png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr) != 0;
  bytes.resize(size);
  good = good &&
         png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr) != 0;
  if (!good) throw Error("the picture cannot be made");
  bytes.resize(size);
  return std::make_shared<const std::string>(std::move(bytes));
}

}  // namespace cenic
