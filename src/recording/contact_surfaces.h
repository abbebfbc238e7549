// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The surfaces on which geometries press, for pictures and energies of frames. What lies still on
// each other is computed once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "dynamics/surface_contacts.h"
#include "multibody/multibody.h"

namespace cenic {

class ContactSurfaces {
 public:
  explicit ContactSurfaces(const Model& model) : model_(model) {}  // the model must outlive it

  // Polygons of a pair in hydroelastic contact at the poses of `kin`.
  void draw(const Kinematics& kin, std::array<int, 2> pair,
            const SurfaceContacts::PolygonSink& sink);
  // Its elastic energy, J.
  double calc_energy(const Kinematics& kin, std::array<int, 2> pair);

 private:
  struct Picture {
    std::optional<RigidTransform> X_AB{};  // there it was made
    std::vector<int> sizes{};
    std::vector<double> pressures{};
    std::vector<Vec3> corners_A{};
  };
  struct Energy {
    std::optional<RigidTransform> X_AB{};
    double value = 0;
  };
  struct Memory {
    Picture picture;
    Energy energy;
  };
  RigidTransform calc_pose(const Kinematics& kin, int geometry) const;

  const Model& model_;
  SurfaceContacts surfaces_;
  std::unordered_map<std::uint64_t, Memory> memory_;
  std::vector<Vec3> corners_W_;
};

}  // namespace cenic
