// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Where a page is shown: options shared by 'cenic view' and 'cenic run --view'.
#pragma once

#include <string>

#include "viewer/server.h"

namespace cenic::cli {

inline constexpr int kViewPort = 8097;  // unless it is taken

// Prints where the page is, and opens it in a browser when there is a screen and it is wanted.
void announce_page(const ServerOptions& asked, int port, const std::string& url, bool open);

}  // namespace cenic::cli
