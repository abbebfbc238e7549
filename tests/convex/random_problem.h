// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random convex problems for tests: trees of given sizes, random positive definite masses, random
// contacts.
#pragma once

#include <random>

#include "convex/problem.h"
#include "convex/solver.h"

namespace cenic {

struct RandomProblemOptions {
  std::vector<int> sizes{6, 6, 6, 6, 6, 6};
  int patches = 8;
  int contacts_per_patch = 3;
  double world_share = 0.4;  // patches against the world
  bool joint_friction = false;
  unsigned seed = 1;
};

class RandomProblem {
 public:
  explicit RandomProblem(const RandomProblemOptions& o, bool split = true) : rng_(o.seed) {
    std::vector<ConvexProblem::FrictionDof> friction;
    if (o.joint_friction) {
      for (int t = 0; t < static_cast<int>(o.sizes.size()); t += 2) {
        friction.push_back({t, 0, 0.5, 1e-3});
        if (o.sizes[t] > 1) friction.push_back({t, 1, 2.0, 1e-2});
      }
    }
    problem.set_trees(o.sizes, friction);
    for (const auto& t : problem.trees) {
      // M = B Bᵀ + 1
      std::vector<double> B(t.n * t.n);
      for (double& b : B) {
        b = uniform();
      }
      for (int i = 0; i < t.n; ++i) {
        for (int j = 0; j < t.n; ++j) {
          double m = i == j ? 1 : 0;
          for (int k = 0; k < t.n; ++k) {
            m += 0.3 * B[i * t.n + k] * B[j * t.n + k];
          }
          problem.M[t.matrix_offset + t.ld * j + i] = m;
        }
      }
      for (int i = t.offset; i < t.offset + t.n; ++i) {
        problem.v0[i] = uniform();
        problem.f0[i] = 10 * uniform();
        problem.damping[i] = std::abs(uniform());
        problem.stiffness[i] = 10 * std::abs(uniform());
        problem.error_weight[i] = 1;
        problem.inverse_inertia[i] = 1;
      }
    }
    problem.begin();
    const int n = problem.num_trees();
    for (int p = 0; p < o.patches; ++p) {
      const int a = static_cast<int>(rng_() % n);
      int b = static_cast<int>(rng_() % n);
      if (b == a || std::abs(uniform()) < o.world_share) b = -1;
      problem.add_patch(a, b);
      for (int c = 0; c < o.contacts_per_patch; ++c) {
        add_contact();
      }
    }
    problem.finish(split);
    for (const auto& patch : problem.patches) {
      for (int s = patch.first; s < patch.first + patch.count; ++s) {
        fill_rows(patch, s);
      }
    }
    problem.set_step(0.01);
  }

  AlignedVector<double> random_velocity(double size = 1) {
    AlignedVector<double> v(problem.padded_size(), 0.0);
    for (const auto& t : problem.trees) {
      for (int i = t.offset; i < t.offset + t.n; ++i) {
        v[i] = size * uniform();
      }
    }
    return v;
  }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(rng_); }

  ConvexProblem problem;

 private:
  void add_contact() {
    ContactInput in;
    in.fe0 = 20 * uniform();  // also speculative ones
    in.k = 1e3 * (1.1 + uniform());
    in.d = 5 * std::abs(uniform());
    in.mu = 0.5;
    in.fn0 = std::max(0.0, in.fe0);
    in.slip = 1e-2;
    in.inverse_mass = 1;
    problem.add_contact(in);
  }
  // The rows depend on the contact, not on the slot it was given.
  void fill_rows(const ConvexProblem::Patch& patch, int slot) {
    std::mt19937 rng(problem.slot_input[slot]);
    for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
      const auto& t = problem.trees[patch.tree[side]];
      std::fill_n(problem.rows(slot, side), 3 * t.ld, 0.0);
      for (int d = 0; d < 3; ++d) {
        for (int i = 0; i < t.n; ++i) {
          problem.rows(slot, side)[t.ld * d + i] =
              std::uniform_real_distribution<double>(-1, 1)(rng);
        }
      }
    }
  }
  std::mt19937 rng_;
};

}  // namespace cenic
