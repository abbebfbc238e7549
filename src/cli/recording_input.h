// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Which files are recordings that can be read back.
#pragma once

#include <string>

namespace cenic::cli {

// HDF5, by the file's name or its first bytes.
bool is_recording(const std::string& path);
// In a format that is written only, by its name.
bool is_unreadable_recording(const std::string& path);
// Throws Error for a recording in a format that is written only, saying that of recordings only .h5
// can be `wanted`: "viewed".
void refuse_unreadable_recording(const std::string& path, const char* wanted);

}  // namespace cenic::cli
