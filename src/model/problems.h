// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Problems: what is wrong with a ModelSpec, collected line by line so that the user sees everything
// at once. Private to the model module.
#pragma once

#include <string>
#include <vector>

#include "math/rigid_transform.h"

namespace cenic::detail {

class Problems {
 public:
  // One line: "who: text".
  void add(const std::string& who, const std::string& text);

  // Each adds a problem and returns false when the number is not as asked.
  bool check_finite(const std::string& who, const char* what, double value);
  bool check_finite(const std::string& who, const char* what, const Vec3& value);
  bool check_not_negative(const std::string& who, const char* what, double value);
  // A pose must be finite and its matrix a rotation.
  bool check_pose(const std::string& who, const char* what, const RigidTransform& X);

  bool empty() const { return lines_.empty(); }
  // Throws the Error with every line, if there is any.
  void raise(const std::string& model_name) const;

 private:
  std::vector<std::string> lines_;
};

}  // namespace cenic::detail
