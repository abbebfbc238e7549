// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/error.h"

namespace cenic::detail {

void check_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error: " + condition + " does not hold; please report it");
}

}  // namespace cenic::detail
