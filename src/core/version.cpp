// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "core/version.h"

namespace cenic {

const char* version() { return CENIC_VERSION; }
const char* git_commit() { return CENIC_GIT_COMMIT; }

}  // namespace cenic
