// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Tables of mistakes in a ModelSpec: each must give one line that names the thing and the fix.
#pragma once

#include <algorithm>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.h"
#include "model/model.h"

namespace cenic {

// What compile() says of the spec; empty when it is good.
inline std::string message_of(const ModelSpec& spec) {
  try {
    compile(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

struct Mistake {
  const char* name;
  std::function<void(ModelSpec&)> make;
  std::vector<std::string> words;  // all of them in one line
};
inline void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

// Makes the mistake in a good spec and looks for its words.
inline void expect_named(ModelSpec spec, const Mistake& mistake) {
  ASSERT_EQ(message_of(spec), "");
  mistake.make(spec);
  const std::string message = message_of(spec);
  ASSERT_NE(message, "") << "no error";
  // One mistake, one line, with all the words.
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 1) << message;
  const std::string line = message.substr(message.find('\n') + 1);
  for (const std::string& word : mistake.words) {
    EXPECT_NE(line.find(word), std::string::npos) << "'" << word << "' is not in: " << line;
  }
}

}  // namespace cenic
