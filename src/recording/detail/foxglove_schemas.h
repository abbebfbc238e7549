// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Descriptions of Foxglove's messages, for files that carry them along.
#pragma once

#include <string>

namespace cenic::detail {

// A message of the package 'foxglove' and all that it is made of, as a google.protobuf
// .FileDescriptorSet: "SceneUpdate" or "FrameTransforms".
std::string make_foxglove_schema(const std::string& message);

}  // namespace cenic::detail
