// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The replay page itself: HTML, style and scripts, kept as text in page_*.cpp.
#pragma once

#include <string>
#include <string_view>

namespace cenic::detail {

extern const std::string_view kPageStyle;    // page_style.cpp
extern const std::string_view kPageBody;     // page_style.cpp
extern const std::string_view kPageMeshes;   // page_meshes.cpp: shapes to triangles
extern const std::string_view kPageShaders;  // page_shaders.cpp: what runs on the graphics card
extern const std::string_view kPageRender;   // page_render.cpp: camera, shadows, one picture
extern const std::string_view
    kPagePlayer;  // page_player.cpp: time, controls, plot of the step size

// The whole file. `data` is JSON, see ReplayRecorder.
std::string make_page(std::string_view title, std::string_view data);

}  // namespace cenic::detail
