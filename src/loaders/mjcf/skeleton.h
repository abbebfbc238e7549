// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Skeleton: the bodies and joints of a model alone, compiled while the rest of the file is still
// being read. It answers what MuJoCo's compiler asks of the model at its start: how heavy joints,
// bodies and tendons feel, and how long a transmission may become.
#pragma once

#include <array>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "model/model.h"
#include "systems/library/transmission.h"

namespace cenic::detail {

class Skeleton {
 public:
  // Throws Error when the bodies do not compile. With a transmission, which may be empty, only the
  // trees that it acts on are kept: then ask for it alone.
  explicit Skeleton(const ModelSpec& spec, const Transmission& transmission = {});

  // Inverse masses at the start, as means over the velocities of the joint, or over directions.
  double calc_joint_inverse(int joint) const;
  struct BodyInverse {
    double translation = 0, rotation = 0;
  };
  // At the body's centre of mass; zero for the world and what never moves.
  BodyInverse calc_body_inverse(int body) const;

  // Of the transmission at the start: its length, J M⁻¹ Jᵀ, and |M⁻¹ Jᵀ|, the accelerations that a
  // unit force along it makes.
  struct Response {
    double length = 0, inverse_mass = 0, acceleration = 0;
  };
  Response calc_response() const;
  // Names of the bodies at the roots of the trees that change its length.
  std::set<std::string> list_trees() const;
  // The shortest and the longest length within the limits of the joints, as found by walking
  // downhill and uphill from the start. A joint without limits turns half a turn, or slides a
  // metre, to each side at most.
  std::array<double, 2> find_length_range() const;

 private:
  struct Length {
    double length = 0;
    std::vector<double> gradient{};  // by each velocity (nv)
  };
  Length calc_length(const std::vector<double>& q) const;
  double walk(double sign) const;
  // M⁻¹ x of one tree.
  std::vector<double> solve(int tree, const std::vector<double>& x) const;

  std::shared_ptr<const Model> model_;
  std::vector<std::vector<double>> factors_;  // Cholesky factors of the trees at the start
};

}  // namespace cenic::detail
