// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// --columns, as 'cenic run', 'cenic plot' and 'cenic compare' read it.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs.h"

namespace cenic::cli {

// Names separated by commas, with or without spaces. Throws CLI11's ParseError for an empty one.
std::vector<std::string> split_columns(const std::string& text);

CLI::Option* add_columns_option(CLI::App* app, std::vector<std::string>* columns,
                                const std::string& about);

}  // namespace cenic::cli
