// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The scene as the page reads it once: bodies, geometries, joints and inputs, as JSON.
#pragma once

#include <string>

#include "model/model.h"
#include "recording/recording.h"

namespace cenic {

// Meshes stand in it once each, under their hash. `title` is for people.
std::string make_scene_json(const Model& model, const std::string& title, bool interactive);

// Of a recorded run, whose model is not known.
std::string make_scene_json(const Recording& recording, const std::string& title);

std::string encode_base64(const void* data, std::size_t size);

}  // namespace cenic
