// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The page for the browser, built from web/ and embedded into the program when it was there.
#pragma once

#include <string>
#include <string_view>

namespace cenic {

bool has_page();

// The whole HTML file, for a server; throws Error that says how to get the page when there is none.
std::string make_live_page();
// The same with a recording inside; `frames` as packed by pack_frames().
std::string make_replay_page(std::string_view scene_json, std::string_view frames);

}  // namespace cenic
