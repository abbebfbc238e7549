// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A state of ours as MuJoCo has it.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <Eigen/SparseCore>
#include <mujoco/mujoco.h>

#include "model/model.h"

namespace cenic::test {

inline const JointSpec& find_spec(const ModelSpec& spec, const Joint& joint, int number) {
  int k = 0;
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& j : body.joints) {
      if (k++ == number) return j;
    }
  }
  throw std::logic_error("no joint " + joint.name);
}

// MuJoCo's coordinates for ours, and T of v_ours = T v_mujoco, see multibody/tree_mujoco_test.cpp.
inline void map_coordinates(const ModelSpec& spec, const Model& model, const std::vector<double>& q,
                            const mjModel& m, mjData* d, Eigen::SparseMatrix<double>* T) {
  std::vector<Eigen::Triplet<double>> entries;
  const auto rotate = [&](const Mat3& R, int row, int column) {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        entries.emplace_back(row + i, column + k, R(i, k));
      }
    }
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    double* qpos = d->qpos + m.jnt_qposadr[j];
    const int dof = m.jnt_dofadr[j];
    const double* from = &q[joint.q_start];
    if (joint.nq == 1) {
      qpos[0] = from[0];
      entries.emplace_back(joint.v_start, dof, 1);
      continue;
    }
    const Quat e{from[0], from[1], from[2], from[3]};
    if (joint.kind == JointKind::kFree) {
      std::copy_n(from + 4, 3, qpos);
      std::copy_n(from, 4, qpos + 3);
      rotate(to_matrix(e), joint.v_start, dof + 3);
      rotate(Mat3::identity(), joint.v_start + 3, dof);
      continue;
    }
    const Mat3 R_BF = find_spec(spec, joint, j).X_BF.R;
    const Quat e_BF = to_quaternion(R_BF), e_mj = e_BF * e * conjugate(e_BF);
    qpos[0] = e_mj.w, qpos[1] = e_mj.x, qpos[2] = e_mj.y, qpos[3] = e_mj.z;
    rotate(to_matrix(e) * transpose(R_BF), joint.v_start, dof);
  }
  T->resize(model.nv, model.nv);
  T->setFromTriplets(entries.begin(), entries.end());
}

}  // namespace cenic::test
