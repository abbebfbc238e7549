// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <texture>: pictures of materials, from files or made by MuJoCo itself.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "loaders/mesh/image.h"
#include "loaders/mjcf/document.h"

namespace cenic::detail {
namespace {

Pixel read_color(const Attributes& a, const char* name, const std::vector<double>& fallback) {
  const std::vector<double> rgb = a.numbers_over(name, fallback);
  Pixel pixel{};
  for (std::size_t k = 0; k < 3; ++k) {
    pixel[k] = static_cast<std::uint8_t>(std::lround(255 * std::clamp(rgb[k], 0.0, 1.0)));
  }
  return pixel;
}

Pixel mix(const Pixel& a, const Pixel& b, double t) {
  Pixel pixel{};
  for (std::size_t k = 0; k < 3; ++k) {
    pixel[k] = static_cast<std::uint8_t>(std::lround((1 - t) * a[k] + t * b[k]));
  }
  return pixel;
}

// One side of the picture.
struct Canvas {
  int width, height;
  std::vector<Pixel> pixels;

  template <typename F>
  void paint(const F& color) {
    for (int r = 0; r < height; ++r) {
      for (int c = 0; c < width; ++c) {
        pixels[static_cast<std::size_t>(r) * width + c] = color(r, c);
      }
    }
  }
  Pixel& at(int r, int c) { return pixels[static_cast<std::size_t>(r) * width + c]; }
};

void paint_mark(const std::string& mark, const Pixel& color, Canvas* canvas) {
  const int w = canvas->width, h = canvas->height;
  for (int r = 0; r < h; ++r) {
    for (int c = 0; c < w; ++c) {
      const bool edge = r == 0 || c == 0 || r == h - 1 || c == w - 1;
      const bool cross = r == h / 2 || c == w / 2;
      if ((mark == "edge" && edge) || (mark == "cross" && cross)) canvas->at(r, c) = color;
    }
  }
}

std::shared_ptr<const std::string> make_builtin(const Attributes& a, bool cube) {
  constexpr int kLargest = 1024;
  const int width = std::clamp(a.integer("width", 64), 1, kLargest);
  // A cube may be given as its six sides, one below the other.
  const int given = a.integer("height", width);
  const int height = std::clamp(cube ? width : given, 1, kLargest);
  Canvas canvas{width, height, {}};
  canvas.pixels.resize(static_cast<std::size_t>(width) * height);
  const Pixel first = read_color(a, "rgb1", {0.8, 0.8, 0.8});
  const Pixel second = read_color(a, "rgb2", {0.5, 0.5, 0.5});
  const int kind = a.keyword("builtin", {"none", "gradient", "checker", "flat"}, 0);
  if (kind == 1) {
    a.report(Severity::kApproximated, "builtin",
             "builtin: a gradient of our own between the colours");
    canvas.paint([&](int r, int c) {
      const double x = (2 * c + 1.0) / width - 1, y = (2 * r + 1.0) / height - 1;
      return mix(first, second, std::min(1.0, std::hypot(x, y)));
    });
  } else {
    canvas.paint([&](int r, int c) {
      const bool other = kind == 2 && (2 * r < height) != (2 * c < width);
      return other ? second : first;
    });
  }
  const std::string mark = a.text("mark", "none");
  if (mark == "random") a.report(Severity::kIgnored, "mark", "mark: no random dots are drawn");
  paint_mark(mark, read_color(a, "markrgb", {0, 0, 0}), &canvas);
  return make_picture(width, height, canvas.pixels);
}

void set_image(const Attributes& a, const AssetPaths& paths, const MjcfDocument& document,
               TextureSpec* texture) {
  std::string file = a.text("file");
  const auto refuse = [&](const std::string& reason) {
    a.report(Severity::kIgnored, "file", "the texture is not drawn: " + reason);
  };
  const bool sides = a.has("fileright") || a.has("gridlayout") || a.has("gridsize");
  a.accept({"fileright", "fileleft", "fileup", "filedown", "filefront", "fileback", "gridsize",
            "gridlayout", "content_type", "colorspace", "nchannel", "hflip", "vflip", "random"});
  if (sides) return refuse("its sides are several pictures");
  try {
    if (!file.empty()) {
      if (document.compiler.strippath) file = file.substr(file.find_last_of("/\\") + 1);
      const auto found =
          paths.find(file, {join_paths(document.folder, document.compiler.texturedir)});
      if (found.path.empty()) return refuse(found.problem);
      texture->image = read_picture(found.path);
      for (const char* flip : {"hflip", "vflip"}) {
        if (a.flag(flip, false)) a.report(Severity::kIgnored, flip, "textures are not mirrored");
      }
    } else if (a.text("builtin", "none") != "none") {
      texture->image = make_builtin(a, texture->cube);
    } else {
      refuse("it has neither a file nor a builtin");
    }
  } catch (const Error& e) {
    refuse(e.what());
  }
}

}  // namespace

void read_texture_asset(const Attributes& a, const AssetPaths& paths, MjcfDocument* document) {
  const std::string file = a.text("file");
  const std::string stem = file.substr(file.find_last_of("/\\") + 1);
  const std::string name = a.text("name", stem.substr(0, stem.rfind('.')));
  TextureSpec texture;
  const int type = a.keyword("type", {"2d", "cube", "skybox"}, 1);
  texture.cube = type == 1;
  if (type == 2) {
    a.report(Severity::kIgnored, "", "<texture>: the sky is that of the page");
    mark_read(a.element());
    return;
  }
  set_image(a, paths, *document, &texture);
  a.accept({"rgb1", "rgb2", "mark", "markrgb", "width", "height", "class"});
  document->textures[name] = texture;
}

// Of a material: its own, or that of its layer of colours.
std::optional<TextureSpec> read_material_texture(const Attributes& a, const MjcfDocument& document,
                                                 Diagnostics* diagnostics) {
  std::string name = a.text("texture");
  for (const auto& layer : a.element().children) {
    if (layer->name != "layer") continue;
    const Attributes l(*layer, diagnostics);
    const std::string role = l.text("role");
    if (role == "rgb" || role == "rgba") {
      name = l.text("texture");
    } else {
      l.ignore({"texture"}, fmt::format("textures of the role {} are not drawn", role));
    }
  }
  const std::vector<double> repeat = a.numbers_over("texrepeat", {1, 1});
  const bool uniform = a.flag("texuniform", false);
  const auto found = document.textures.find(name);
  if (name.empty() || found == document.textures.end()) return std::nullopt;
  TextureSpec texture = found->second;
  if (texture.image == nullptr) return std::nullopt;
  if (texture.cube && uniform) {
    a.report(Severity::kApproximated, "texuniform",
             "texuniform: cubes are of the size of the shape");
  }
  texture.repeat = {repeat[0], repeat[1]};
  texture.per_metre = uniform && !texture.cube;
  return texture;
}

}  // namespace cenic::detail
