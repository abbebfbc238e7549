// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mesh/read_png.h"

#include <csetjmp>
#include <cstring>

#include <png.h>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"

namespace cenic {
namespace {

constexpr png_uint_32 kLargest = 16384;  // pixels a side

struct Source {
  const std::string* bytes = nullptr;
  std::size_t at = 0;
};

void read_some(png_structp png, png_bytep out, std::size_t count) {
  auto* source = static_cast<Source*>(png_get_io_ptr(png));
  if (count > source->bytes->size() - source->at) png_error(png, "the file ends too early");
  std::memcpy(out, source->bytes->data() + source->at, count);
  source->at += count;
}

void on_error(png_structp png, png_const_charp text) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = text;
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

struct Pixels {
  png_uint_32 width = 0, height = 0;
  int bits = 0;
  std::vector<png_byte> bytes;
  std::vector<png_bytep> rows;
};

// False when libpng gives up. Nothing in here has a destructor: longjmp would not call it.
bool decode(png_structp png, png_infop info, Pixels* pixels, std::string* problem) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_read_info(png, info);
  pixels->width = png_get_image_width(png, info);
  pixels->height = png_get_image_height(png, info);
  if (pixels->width > kLargest || pixels->height > kLargest) {
    *problem = "the image has more than 16384 pixels a side";
    return false;
  }
  // Of any kind: one grey value a pixel, of 8 or 16 bits.
  constexpr int kSilently = 1;
  png_set_expand(png);
  if ((png_get_color_type(png, info) & PNG_COLOR_MASK_COLOR) != 0) {
    png_set_rgb_to_gray_fixed(png, kSilently, -1, -1);
  }
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  pixels->bits = png_get_bit_depth(png, info);
  const std::size_t stride = png_get_rowbytes(png, info);
  pixels->bytes.resize(stride * pixels->height);
  pixels->rows.resize(pixels->height);
  for (std::size_t r = 0; r < pixels->height; ++r) {
    pixels->rows[r] = pixels->bytes.data() + r * stride;
  }
  png_read_image(png, pixels->rows.data());
  return true;
}

}  // namespace

GreyImage read_grey_png(const std::string& path) {
  const std::string bytes = detail::read_bytes(path);
  if (bytes.size() < 8 || png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, 8) != 0) {
    throw FileError(path, 0, "this is not a PNG image");
  }
  std::string problem;
  Source source{&bytes};
  Pixels pixels;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &problem, on_error, on_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  bool good = false;
  if (info != nullptr) {
    png_set_read_fn(png, &source, read_some);
    good = decode(png, info, &pixels, &problem);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  if (!good) throw FileError(path, 0, problem.empty() ? "the image cannot be read" : problem);
  GreyImage image{static_cast<int>(pixels.width), static_cast<int>(pixels.height), {}};
  image.values.reserve(static_cast<std::size_t>(pixels.width) * pixels.height);
  for (auto r = pixels.rows.rbegin(); r != pixels.rows.rend(); ++r) {
    const unsigned char* row = *r;
    for (std::size_t c = 0; c < pixels.width; ++c) {
      image.values.push_back(pixels.bits == 16 ? (256 * row[2 * c] + row[2 * c + 1]) / 65535.0
                                               : row[c] / 255.0);
    }
  }
  return image;
}

}  // namespace cenic
