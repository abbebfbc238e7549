// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// RecordedScene: made of a model, and as JSON text, which all file formats hold alike.
#pragma once

#include <string>
#include <vector>

#include "model/model.h"
#include "recording/recording.h"

namespace cenic::detail {

RecordedScene make_recorded_scene(const Model& model);

std::string to_json(const RecordedScene& scene);
// Without the bytes of the pictures, whose number is right. Throws Error when the text is not one
// of to_json().
RecordedScene read_scene_json(const std::string& text);

// "pictures/0" and so on: where formats keep the bytes of pictures.
std::string name_picture(std::size_t number);

// The fields of a RecordingInfo by name, for formats that keep them one by one.
struct InfoField {
  const char* name = nullptr;
  std::string RecordingInfo::*text = nullptr;  // one of these three
  double RecordingInfo::*number = nullptr;
  std::uint64_t RecordingInfo::*integer = nullptr;
};
const std::vector<InfoField>& list_info_fields();

}  // namespace cenic::detail
