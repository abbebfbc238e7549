// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/column_list.h"

namespace cenic::cli {

std::vector<std::string> split_columns(const std::string& text) {
  std::vector<std::string> columns = CLI::detail::split(text, ',');
  for (std::string& name : columns) {
    if (!CLI::detail::trim(name).empty()) continue;
    throw CLI::ValidationError(
        "--columns", "a name is missing; give some, separated by commas: q:joint,v:joint[0]");
  }
  return columns;
}

CLI::Option* add_columns_option(CLI::App* app, std::vector<std::string>* columns,
                                const std::string& about) {
  const auto parse = [columns](const std::string& text) {
    *columns = split_columns(text);
  };
  return app->add_option_function<std::string>("--columns", parse, about)->type_name("LIST");
}

}  // namespace cenic::cli
