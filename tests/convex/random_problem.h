// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Random convex problems for tests: trees of given sizes, random positive definite masses, random
// contacts.
#pragma once

#include <array>
#include <random>
#include <set>

#include "convex/problem.h"
#include "convex/solver.h"

namespace cenic {

struct RandomProblemOptions {
  std::vector<int> sizes{6, 6, 6, 6, 6, 6};
  int patches = 8;
  int contacts_per_patch = 3;
  double world_share = 0.4;  // patches against the world
  bool joint_friction = false;
  bool constraints = false;  // limits of joints, rows of constraints, moving surfaces
  bool external = false;     // gains, limited efforts, rows that damp
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
    std::vector<ConvexProblem::LimitDof> limits;
    if (o.constraints) {
      for (int t = 0; t < static_cast<int>(o.sizes.size()); ++t) {
        limits.push_back({t, 0, 0.01 * uniform(), 0.01 * uniform(), 0.7, 1});
        if (o.sizes[t] > 2) limits.push_back({t, 2, INFINITY, 1e-3 * uniform(), 0.7, 0.5});
      }
    }
    std::vector<ConvexProblem::EffortDof> efforts;
    std::vector<int> gained;
    for (int t = 0; t < static_cast<int>(o.sizes.size()) && o.external; ++t) {
      // At the limit, within it, and constant.
      efforts.push_back({t, 0, 0.5, 20 * uniform(), std::abs(uniform())});
      efforts.push_back({t, 0, 50, 20 * uniform(), 30 * std::abs(uniform())});
      efforts.push_back({t, o.sizes[t] - 1, 2, 20 * uniform(), 0});
      if (t % 2 == 0) gained.push_back(t);
    }
    problem.set_trees(o.sizes, friction, limits, efforts);
    if (o.external) problem.set_external(gained);
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
        if (o.external) problem.external_force[i] = 10 * uniform();
      }
      for (int k = 0; k < 2 && t.gained; ++k) {  // C = a aᵀ + b bᵀ
        std::vector<double> a(t.n);
        for (double& x : a) {
          x = 20 * uniform();
        }
        for (int i = 0; i < t.n; ++i) {
          for (int j = 0; j < t.n; ++j) {
            problem.external_gain[t.matrix_offset + t.ld * j + i] += a[i] * a[j];
          }
        }
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
    const int num_groups = o.constraints ? n : 0;
    for (int g = 0; g < num_groups; ++g) {
      std::set<int> members{g};  // one, two or four trees
      for (int k = 1; k <= (g % 3 == 0 ? 0 : g % 3 == 1 ? 1 : 3); ++k) {
        members.insert((g + 2 * k) % n);
      }
      problem.add_group(std::vector<int>(members.begin(), members.end()));
      for (int r = 0; r < 1 + g % 3; ++r) {
        problem.add_row({.g = 0.01 * uniform(),
                         .inverse_mass = 0.5,
                         .stiffness = r == 1 ? 50 : INFINITY,
                         .damping = r == 1 ? 2.0 : 0.0,
                         .one_sided = r == 2});
      }
    }
    for (int g = 0; g + 1 < n && o.external; g += 2) {
      problem.add_group(std::array{g, g + 1});
      problem.add_row({.inverse_mass = 1, .stiffness = 0, .damping = 30});
    }
    problem.finish(split);
    for (const auto& group : problem.groups) {
      for (int r = group.first; r < group.first + group.count; ++r) {
        std::mt19937 rng(1000 + r);
        for (int side = 0; side < group.num_sides(); ++side) {
          for (int i = 0; i < problem.trees[problem.sides(group)[side].tree].n; ++i) {
            problem.constraint_row(r, side)[i] = std::uniform_real_distribution<double>(-1, 1)(rng);
          }
        }
      }
    }
    if (o.constraints) {
      for (auto* belt : {&problem.belt_t1, &problem.belt_t2}) {
        belt->resize(problem.slot_input.size());
        for (std::size_t s = 0; s < belt->size(); ++s) {
          (*belt)[s] = problem.slot_input[s] >= 0 ? 0.3 * (problem.slot_input[s] % 5) : 0;
        }
      }
    }
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
    in.inverse_mass = in.tangential_inverse_mass = 1;
    inputs_.push_back(in);
    problem.add_contact();
  }
  // The rows depend on the contact, not on the slot it was given.
  void fill_rows(const ConvexProblem::Patch& patch, int slot) {
    problem.inputs[slot] = inputs_[problem.slot_input[slot]];
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
  std::vector<ContactInput> inputs_;
};

}  // namespace cenic
