// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Errors by audience: Error for what a user gave us, CENIC_CHECK for our own mistakes.
// Numbers inside a step are never an exception; they are statuses (see convex/, integrators/).
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace cenic {

// The input is wrong. The text names the thing at fault and what to do about it.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An input file is wrong at a line: "file:line: error: text"; line 0: as a whole, "file: error:
// text".
class FileError : public Error {
 public:
  FileError(const std::string& file, int line, const std::string& text)
      : Error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": error: " + text) {}
};

namespace detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace detail

}  // namespace cenic

#define CENIC_CHECK(condition)        \
  ((condition) ? static_cast<void>(0) \
               : ::cenic::detail::check_failed(#condition, __FILE__, __LINE__))
