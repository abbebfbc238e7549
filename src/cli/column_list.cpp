// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "cli/column_list.h"

namespace cenic::cli {

namespace {

// At commas that stand in no quotes, which are those of CSV: "a,b", and "" for one within.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts{""};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& part = parts.back();
    if (c == '"' && quoted && text.substr(i + 1, 1) == "\"") {
      part += c;
      ++i;
    } else if (c == '"' && (quoted || CLI::detail::trim_copy(part).empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      parts.emplace_back();
    } else {
      part += c;
    }
  }
  if (parts.size() > 1 && parts.back().empty()) parts.pop_back();  // behind the last comma
  return parts;
}

}  // namespace

std::vector<std::string> split_columns(const std::string& text) {
  std::vector<std::string> columns = split(text);
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
