// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random trees against MuJoCo: poses, mass matrix, bias forces and energy of the same tree written
// as MJCF. Velocities differ by v_ours = T v_mujoco, with T a rotation for ball and free joints:
// MuJoCo gives their angular velocity in the axes of the moving body. d(T)/dt v_mujoco = w × w = 0,
// so forces map by Tᵀ alone.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"

namespace cenic::test {
namespace {

std::string print(const Vec3& a) { return fmt::format("{:.17g} {:.17g} {:.17g}", a.x, a.y, a.z); }
std::string print(const Quat& e) {
  return fmt::format("{:.17g} {:.17g} {:.17g} {:.17g}", e.w, e.x, e.y, e.z);
}

// The MuJoCo joints of a JointSpec; the axes are given in the body's frame.
std::string print_joint(const JointSpec& joint) {
  if (joint.kind == JointKind::kFree) {
    return fmt::format("<joint name='{}_0' type='free' armature='{:.17g}'/>\n", joint.name,
                       joint.armature);
  }
  std::string text;
  int part = 0;
  const auto add = [&](const char* type, const Vec3& axis_F) {
    text += fmt::format(
        "<joint name='{}_{}' type='{}' pos='{}' axis='{}' armature='{:.17g}' "
        "stiffness='{:.17g}'/>\n",
        joint.name, part++, type, print(joint.X_BF.p), print(joint.X_BF.R * axis_F), joint.armature,
        joint.stiffness);
  };
  switch (joint.kind) {
    case JointKind::kRevolute:
      add("hinge", joint.axis);
      break;
    case JointKind::kPrismatic:
      add("slide", joint.axis);
      break;
    case JointKind::kBall:
      add("ball", {0, 0, 1});
      break;
    case JointKind::kUniversal:
      add("hinge", {1, 0, 0});
      add("hinge", {0, 1, 0});
      break;
    case JointKind::kPlanar:
      add("slide", {1, 0, 0});
      add("slide", {0, 1, 0});
      add("hinge", {0, 0, 1});
      break;
    default:
      ADD_FAILURE() << "no such joint in MuJoCo";
  }
  return text;
}

std::string print_body(const RandomTree& tree, std::size_t b) {
  const BodySpec& body = tree.spec.bodies[b];
  const PrincipalInertia& inertia = tree.inertias[b];
  std::string text = fmt::format(
      "<body name='{}' pos='{}' quat='{}'>\n<inertial pos='{}' quat='{}' mass='{:.17g}' "
      "diaginertia='{}'/>\n",
      body.name, print(body.X_PB.p), print(to_quaternion(body.X_PB.R)), print(inertia.com),
      print(inertia.axes), inertia.mass, print(inertia.moments));
  for (const JointSpec& joint : body.joints) {
    text += print_joint(joint);
  }
  for (std::size_t c = b + 1; c < tree.spec.bodies.size(); ++c) {
    if (tree.spec.bodies[c].parent == body.name) text += print_body(tree, c);
  }
  return text + "</body>\n";
}

std::string print_mjcf(const RandomTree& tree) {
  std::string text = fmt::format(
      "<mujoco>\n<compiler angle='radian' inertiafromgeom='false'/>\n<option gravity='{}'>"
      "<flag energy='enable'/></option>\n<worldbody>\n",
      print(tree.spec.gravity));
  for (std::size_t b = 0; b < tree.spec.bodies.size(); ++b) {
    if (tree.spec.bodies[b].parent == kWorldName) text += print_body(tree, b);
  }
  return text + "</worldbody>\n</mujoco>\n";
}

// Writes MuJoCo's coordinates and fills T.
void map_coordinates(const Bench& bench, const ModelSpec& spec, const std::vector<double>& q,
                     const mjModel& m, mjData* d, Eigen::MatrixXd* T) {
  const Model& model = *bench.model;
  T->setZero(model.nv, model.nv);
  const auto add_rotation = [&](const Mat3& R, int row, int column) {
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j)
        (*T)(row + i, column + j) = R(i, j);
    }
  };
  for (const Joint& joint : model.joints) {
    const int first = mj_name2id(&m, mjOBJ_JOINT, (joint.name + "_0").c_str());
    ASSERT_GE(first, 0);
    double* qpos = d->qpos + m.jnt_qposadr[first];
    const int dof = m.jnt_dofadr[first];
    const double* from = &q[joint.q_start];
    if (joint.nq == joint.nv) {
      std::copy_n(from, joint.nq, qpos);
      T->block(joint.v_start, dof, joint.nv, joint.nv).setIdentity();
      continue;
    }
    const Quat e{from[0], from[1], from[2], from[3]};
    if (joint.kind == JointKind::kFree) {
      std::copy_n(from + 4, 3, qpos);
      std::copy_n(from, 4, qpos + 3);
      add_rotation(to_matrix(e), joint.v_start, dof + 3);
      add_rotation(Mat3::identity(), joint.v_start + 3, dof);
      continue;
    }
    // Ball: R_mujoco = R_BF R_FM R_BFᵀ and w_F = R_FM R_BFᵀ w_mujoco.
    const BodySpec& body = spec.bodies[joint.body];
    for (const JointSpec& s : body.joints) {
      if (s.name != joint.name) continue;
      const Quat e_BF = to_quaternion(s.X_BF.R);
      const Quat e_mj = e_BF * e * conjugate(e_BF);
      qpos[0] = e_mj.w, qpos[1] = e_mj.x, qpos[2] = e_mj.y, qpos[3] = e_mj.z;
      add_rotation(to_matrix(e) * transpose(s.X_BF.R), joint.v_start, dof);
    }
  }
}

double relative_error(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / std::max(1.0, b.cwiseAbs().maxCoeff());
}

void expect_same_poses(const Bench& bench, const mjModel& m, const mjData& d) {
  for (const Body& body : bench.model->bodies) {
    const int id = mj_name2id(&m, mjOBJ_BODY, body.name.c_str());
    const RigidTransform& X_WB = bench.kin.X_WB[body.link];
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(X_WB.p[i], d.xpos[3 * id + i], 1e-10);
      for (int j = 0; j < 3; ++j)
        EXPECT_NEAR(X_WB.R(i, j), d.xmat[9 * id + 3 * i + j], 1e-10);
    }
  }
}

class MujocoTree : public testing::TestWithParam<int> {};

TEST_P(MujocoTree, MassMatrixBiasAndEnergyAgree) {
  Random random(GetParam());
  const RandomTree tree =
      make_random_tree({.num_bodies = random.integer(1, 9), .for_mujoco = true}, &random);
  Bench bench(tree.spec);
  const MujocoModel m = load_mujoco(print_mjcf(tree));
  ASSERT_NE(m, nullptr);
  ASSERT_EQ(m->nv, bench.model->nv);
  const MujocoData d(mj_makeData(m.get()));

  const std::vector<double> q = make_random_positions(*bench.model, &random);
  const std::vector<double> v = random.array(bench.model->nv, 3);
  Eigen::MatrixXd T;
  map_coordinates(bench, tree.spec, q, *m, d.get(), &T);
  Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = T.transpose() * as_eigen(v);  // T is orthogonal
  // Not mj_forward(), which also factors M and warns about stacks that happen to be singular.
  mj_kinematics(m.get(), d.get());
  mj_comPos(m.get(), d.get());
  mj_crb(m.get(), d.get());
  mj_fwdVelocity(m.get(), d.get());  // includes qfrc_bias
  mj_energyPos(m.get(), d.get());
  mj_energyVel(m.get(), d.get());
  bench.set(q, v);

  expect_same_poses(bench, *m, *d);
  Eigen::MatrixXd M_mj(m->nv, m->nv);
  mj_fullM(m.get(), M_mj.data(), d->qM);
  EXPECT_LT(relative_error(T.transpose() * bench.mass_matrix() * T, M_mj), 1e-9);
  const Eigen::VectorXd bias_mj = Eigen::Map<Eigen::VectorXd>(d->qfrc_bias, m->nv);
  EXPECT_LT(relative_error(T.transpose() * bench.inverse_dynamics(v, {}), bias_mj), 1e-9);

  // MuJoCo's kinetic energy; its potential counts the anchored bodies too, which ours leaves out as
  // constant.
  const Energy energy = calc_energy(*bench.model, bench.kin, q, v);
  EXPECT_NEAR(energy.kinetic, d->energy[1], 1e-9 * (1 + d->energy[1]));
  double anchored = 0;
  for (int l = 0; l < bench.model->num_anchored_links; ++l) {
    const SpatialInertia& S = bench.kin.M_BBo_W[l];
    anchored -= dot(bench.model->gravity, S.mass * bench.kin.X_WB[l].p + S.mc);
  }
  EXPECT_NEAR(energy.potential + anchored, d->energy[0], 1e-9 * (1 + std::fabs(d->energy[0])));
}

INSTANTIATE_TEST_SUITE_P(Random, MujocoTree, testing::Range(0, 80));

}  // namespace
}  // namespace cenic::test
