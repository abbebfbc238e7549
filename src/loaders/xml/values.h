// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Elements that are values: SDFormat writes <mass>2</mass>, URDF <mass value="2"/>, and both are
// read here. As in Attributes, a bad value is an error at its line and reads as absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/xml/element.h"
#include "math/vec3.h"

namespace cenic {

// The attribute `value`, or else the text between the tags. Marks both as read.
const std::string& value_text(const XmlElement& element);
// At least `least` and at most `most` numbers; empty when there is a mistake.
std::vector<double> value_numbers(const XmlElement& element, int least, int most,
                                  Diagnostics* diagnostics);
std::optional<double> value_number(const XmlElement& element, Diagnostics* diagnostics);
std::optional<Vec3> value_vector(const XmlElement& element, Diagnostics* diagnostics);
// true, false, 1 or 0.
bool value_flag(const XmlElement& element, bool fallback, Diagnostics* diagnostics);

// The same for the first child of a name; the fallback when there is none.
std::string child_text(const XmlElement& element, std::string_view name);
double child_number(const XmlElement& element, std::string_view name, double fallback,
                    Diagnostics* diagnostics);
std::optional<Vec3> child_vector(const XmlElement& element, std::string_view name,
                                 Diagnostics* diagnostics);
bool child_flag(const XmlElement& element, std::string_view name, bool fallback,
                Diagnostics* diagnostics);
// A limit: a number, or "inf" and the like.
double child_limit(const XmlElement& element, std::string_view name, double fallback,
                   Diagnostics* diagnostics);
// "inf", "-inf", "infinity", "+inf" as a number.
std::optional<double> parse_infinity(std::string_view text);

}  // namespace cenic
