// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random trees with every kind of joint, for tests that compare algorithms with each other and with
// MuJoCo.
#pragma once

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "model/model.h"
#include "multibody/multibody.h"

namespace cenic::test {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine_);
  }
  int integer(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(engine_); }
  Vec3 vector(double size = 1) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3 direction() { return normalized(vector() + Vec3{1e-3, 0, 0}); }
  Quat quaternion() { return exp_map(uniform(0.1, 3.0) * direction()); }
  RigidTransform pose() { return {to_matrix(quaternion()), vector(0.5)}; }
  std::vector<double> array(int n, double size = 1) {
    std::vector<double> a(n);
    for (double& x : a)
      x = uniform(-size, size);
    return a;
  }

 private:
  std::mt19937 engine_;
};

// A body's inertia as principal moments in a rotated frame, so that other programs can be given
// exact numbers.
struct PrincipalInertia {
  double mass = 1;
  Vec3 com;
  Quat axes;
  Vec3 moments;
};

inline PrincipalInertia make_random_inertia(Random* random) {
  // Moments of a cloud with mean squares a, b, c: positive and within the triangle inequality.
  const double a = random->uniform(0.01, 0.1), b = random->uniform(0.01, 0.1),
               c = random->uniform(0.01, 0.1);
  const double m = random->uniform(0.5, 3);
  return {m, random->vector(0.3), random->quaternion(), m * Vec3{b + c, a + c, a + b}};
}

inline InertiaSpec to_spec(const PrincipalInertia& inertia) {
  const Mat3 R = to_matrix(inertia.axes);
  return {inertia.mass, inertia.com, R * Mat3::diagonal(inertia.moments) * transpose(R)};
}

struct RandomTree {
  ModelSpec spec;
  std::vector<PrincipalInertia> inertias;  // of each body
};

struct RandomTreeOptions {
  int num_bodies = 6;
  // What MuJoCo 2.2 can do: no screws and curves, no gravity compensation, no rotation on top of a
  // ball in one stack.
  bool for_mujoco = false;
};

inline JointSpec make_random_joint(JointKind kind, Random* random) {
  JointSpec joint{.kind = kind, .axis = 2.0 * random->direction()};
  if (kind != JointKind::kFree) {
    joint.X_BF = random->pose();
    joint.stiffness = random->uniform(0, 5);
  }
  if (kind == JointKind::kScrew) joint.pitch = random->uniform(-0.5, 0.5);
  if (kind == JointKind::kCurvilinear) {
    joint.curve = {{random->uniform(0.2, 1), 0},
                   {random->uniform(0.2, 1), random->uniform(-2, 2)},
                   {random->uniform(0.2, 1), random->uniform(-2, 2)}};
    joint.lower = {-INFINITY};  // the last segments go on
    joint.upper = {INFINITY};
  }
  joint.armature = random->integer(0, 1) * random->uniform(0, 0.2);
  return joint;
}

// Bodies hang on earlier ones or on the world, by one joint, a stack of two, or a weld.
inline RandomTree make_random_tree(const RandomTreeOptions& options, Random* random) {
  constexpr JointKind kKinds[] = {JointKind::kRevolute,  JointKind::kPrismatic,  JointKind::kBall,
                                  JointKind::kUniversal, JointKind::kPlanar,     JointKind::kFree,
                                  JointKind::kScrew,     JointKind::kCurvilinear};
  RandomTree tree;
  tree.spec.gravity = random->vector(10);
  int num_joints = 0;
  for (int b = 0; b < options.num_bodies; ++b) {
    BodySpec body{.name = fmt::format("b{}", b), .X_PB = random->pose()};
    const int parent = random->integer(std::max(-1, b - 3), b - 1);
    if (parent >= 0) body.parent = fmt::format("b{}", parent);
    JointKind kind = kKinds[random->integer(0, options.for_mujoco ? 5 : 7)];
    if (kind == JointKind::kFree && parent >= 0) kind = JointKind::kBall;
    const int stack = kind == JointKind::kFree ? 1 : random->integer(b == 0 ? 1 : 0, 2);
    for (int k = 0; k < stack; ++k) {
      body.joints.push_back(make_random_joint(kind, random));
      body.joints.back().name = fmt::format("j{}", num_joints++);
      const bool slide = options.for_mujoco && kind == JointKind::kBall;
      kind = slide ? JointKind::kPrismatic : kKinds[random->integer(0, 2)];
    }
    tree.inertias.push_back(make_random_inertia(random));
    body.inertia = to_spec(tree.inertias.back());
    if (!options.for_mujoco) body.gravity_compensation = random->uniform(0, 1);
    tree.spec.bodies.push_back(body);
  }
  return tree;
}

// Random coordinates of the model; quaternions of unit length.
inline std::vector<double> make_random_positions(const Model& model, Random* random) {
  std::vector<double> q = random->array(model.nq, 1.5);
  for (const Link& link : model.links) {
    if (link.nq < 4) continue;
    const Quat e = random->quaternion();
    double* to = &q[link.q_start];
    to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
  }
  return q;
}

// A model with a workspace, and dense answers for the whole of it.
struct Bench {
  explicit Bench(const ModelSpec& spec) : model(compile(spec)) {
    kin.resize(*model);
    scratch.resize(*model);
  }
  void set(std::span<const double> q, std::span<const double> v) {
    update_positions(*model, q, &kin);
    update_velocities(*model, v, &kin);
  }
  Eigen::MatrixXd mass_matrix() {
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(model->nv, model->nv);
    for (std::size_t t = 0; t < model->trees.size(); ++t) {
      const int start = model->trees[t].v_start;
      calc_mass_matrix(*model, kin, static_cast<int>(t), &scratch, model->nv, &M(start, start));
    }
    return M;
  }
  Eigen::VectorXd inverse_dynamics(std::span<const double> v, std::span<const double> vdot) {
    Eigen::VectorXd tau = Eigen::VectorXd::Constant(model->nv, 1e300);
    for (std::size_t t = 0; t < model->trees.size(); ++t) {
      calc_inverse_dynamics(*model, kin, static_cast<int>(t), v, vdot, &scratch,
                            {tau.data(), static_cast<std::size_t>(tau.size())});
    }
    return tau;
  }
  Energy energy(std::span<const double> q, std::span<const double> v) {
    set(q, v);
    return calc_energy(*model, kin, q, v);
  }

  std::shared_ptr<const Model> model;
  Kinematics kin;
  TreeScratch scratch;
};

inline Eigen::Map<const Eigen::VectorXd> as_eigen(const std::vector<double>& a) {
  return {a.data(), static_cast<Eigen::Index>(a.size())};
}

inline std::vector<double> axpy(double s, const std::vector<double>& x,
                                const std::vector<double>& y) {
  std::vector<double> out(y);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] += s * x[i];
  return out;
}

// q ⊕ h v
inline std::vector<double> move(const Model& model, const std::vector<double>& q,
                                const std::vector<double>& v, double h) {
  std::vector<double> out(q.size());
  integrate_positions(model, q, v, h, RotationUpdate::kExponential, out);
  return out;
}

}  // namespace cenic::test
