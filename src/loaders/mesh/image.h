// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Pictures for the eye: files as they are, and made of pixels.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cenic {

// The largest file of a picture that is taken over: each is sent to the page, and stands in
// replays.
inline constexpr std::size_t kLargestPicture = 4U << 20U;

// The bytes, when they are those of a PNG or JPEG of at most kLargestPicture. Throws Error.
std::shared_ptr<const std::string> check_picture(std::string bytes);
// The same of a file. Throws Error without the path.
std::shared_ptr<const std::string> read_picture(const std::string& path);

using Pixel = std::array<std::uint8_t, 3>;  // red, green, blue
// A PNG of the pixels, row by row from the top.
std::shared_ptr<const std::string> make_picture(int width, int height,
                                                const std::vector<Pixel>& pixels);

}  // namespace cenic
