// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Placement: the archive that gives the parameters of a system other names and another world.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loaders/scenario/fields.h"

namespace cenic::detail {

class Placement {
 public:
  // Names get the prefix; the name of the world becomes `world`, whose frame is at X_WM.
  Placement(std::string prefix, std::string world, const RigidTransform& X_WM)
      : prefix_(std::move(prefix)), world_(std::move(world)), X_WM_(X_WM) {}

  // Names that are empty stay so.
  std::string name(const std::string& old) const {
    if (old.empty()) return old;
    return old == kWorldName ? world_ : prefix_ + old;
  }
  const RigidTransform& pose() const { return X_WM_; }
  // Was there anything in the frame of the world?
  bool moved_anything() const { return moved_; }

  template <typename T>
  void field(const char* /*key*/, T& value, unsigned flags = 0) {
    change(value, flags);
  }

 private:
  void change(std::string& value, unsigned flags) {
    if ((flags & kName) != 0) value = name(value);
  }
  void change(Vec3& value, unsigned flags) {
    if ((flags & kWorldAxes) == 0 || value == Vec3{}) return;
    value = X_WM_.R * value;
    moved_ = true;
  }
  void change(RigidTransform& value, unsigned flags) {
    if ((flags & kWorldAxes) == 0) return;
    value = X_WM_ * value;
    moved_ = true;
  }
  template <typename T>
  void change(std::vector<T>& values, unsigned flags) {
    if constexpr (!std::is_arithmetic_v<T>) {
      for (T& value : values) {
        change(value, flags);
      }
    }
  }
  template <typename T>
  void change(std::optional<T>& value, unsigned flags) {
    if (value) change(*value, flags);
  }
  template <typename T>
  void change(T& value, unsigned /*flags*/) {
    if constexpr (HasFields<T>) describe(*this, value);
  }

  std::string prefix_, world_;
  RigidTransform X_WM_;
  bool moved_ = false;
};

}  // namespace cenic::detail
