// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/skeleton.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/error.h"
#include "math/dense_cholesky.h"
#include "multibody/multibody.h"
#include "systems/system_io.h"

namespace cenic::detail {
namespace {

// Names of the bodies and joints that the transmission acts on.
std::unordered_set<std::string> list_names(const Transmission& t) {
  std::unordered_set<std::string> names;
  for (const TendonPart& part : t.joints) {
    names.insert(part.joint);
  }
  for (const PathBranch& branch : t.branches) {
    for (const PathPoint& point : branch.points) {
      names.insert(point.body);
    }
    for (const PathObstacle& obstacle : branch.obstacles) {
      names.insert(obstacle.body);
    }
  }
  for (const WrenchFrame& frame : t.wrench) {
    names.insert({frame.body, frame.reference});
  }
  for (const JointWrench& joint : t.joint) {
    names.insert(joint.joint);
  }
  for (const SliderCrank& crank : t.crank) {
    names.insert({crank.crank, crank.slider});
  }
  return names;
}

// Of each body: does the child of the world that it hangs on carry something that the transmission
// acts on? Others do not change its length.
std::vector<char> find_involved(const ModelSpec& spec, const Transmission& transmission) {
  const std::unordered_set<std::string> names = list_names(transmission);
  std::unordered_map<std::string_view, std::size_t> index;
  std::vector<std::size_t> root(spec.bodies.size());
  std::vector<char> involved(spec.bodies.size(), transmission.empty() ? 1 : 0);
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    index.emplace(body.name, b);
    const auto parent = index.find(body.parent);
    root[b] = parent == index.end() ? b : root[parent->second];
    const bool named =
        names.contains(body.name) || std::ranges::any_of(body.joints, [&](const JointSpec& joint) {
          return names.contains(joint.name);
        });
    if (named) involved[root[b]] = 1;
  }
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    involved[b] = involved[root[b]];
  }
  return involved;
}

ModelSpec strip(const ModelSpec& spec, const Transmission& transmission) {
  const std::vector<char> involved = find_involved(spec, transmission);
  ModelSpec bare;
  bare.gravity = spec.gravity;
  for (std::size_t b = 0; b < spec.bodies.size(); ++b) {
    const BodySpec& body = spec.bodies[b];
    if (involved[b] == 0) continue;
    bare.bodies.push_back({.name = body.name,
                           .parent = body.parent,
                           .X_PB = body.X_PB,
                           .joints = body.joints,
                           .inertia = body.inertia});
  }
  if (!transmission.empty()) {
    bare.systems.push_back(
        {.name = "length", .system = std::make_shared<LengthSensor>(transmission)});
  }
  return bare;
}

}  // namespace

Skeleton::Skeleton(const ModelSpec& spec, const Transmission& transmission)
    : model_(compile(strip(spec, transmission))) {
  Kinematics kin;
  TreeScratch scratch;
  kin.resize(*model_);
  scratch.resize(*model_);
  update_positions(*model_, model_->q0, &kin);
  for (int t = 0; t < static_cast<int>(model_->trees.size()); ++t) {
    const std::size_t n = model_->trees[t].nv;
    std::vector<double>& M = factors_.emplace_back(n * n);
    calc_mass_matrix(*model_, kin, t, &scratch, static_cast<int>(n), M.data());
    if (!factor_cholesky(static_cast<int>(n), M.data())) {
      throw Error("the mass matrix is not positive definite");
    }
  }
}

std::vector<double> Skeleton::solve(int tree, const std::vector<double>& x) const {
  std::vector<double> solution = x;
  solve_cholesky(model_->trees[tree].nv, factors_[tree].data(), solution.data());
  return solution;
}

double Skeleton::calc_joint_inverse(int joint) const {
  const Joint& j = model_->joints[joint];
  const int tree = model_->links[model_->dof_link[j.v_start]].tree;
  const Tree& t = model_->trees[tree];
  double sum = 0;
  for (int i = j.v_start - t.v_start; i < j.v_start - t.v_start + j.nv; ++i) {
    std::vector<double> unit(t.nv, 0.0);
    unit[i] = 1;
    sum += solve(tree, unit)[i];
  }
  return sum / j.nv;
}

Skeleton::BodyInverse Skeleton::calc_body_inverse(int body) const {
  if (body < 0 || model_->links[model_->bodies[body].link].tree < 0) return {};
  const int link = model_->bodies[body].link, tree = model_->links[link].tree;
  const int n = model_->trees[tree].nv;
  Kinematics kin;
  kin.resize(*model_);
  update_positions(*model_, model_->q0, &kin);
  const SpatialInertia& M = kin.M_BBo_W[link];
  const Vec3 p_WCm = kin.X_WB[link].p + (M.mass > 0 ? M.mc / M.mass : Vec3{});
  double sums[2] = {0, 0};
  for (int kind = 0; kind < 2; ++kind) {
    for (int axis = 0; axis < 3; ++axis) {
      Spatial direction;
      (kind == 0 ? direction.v : direction.w)[axis] = 1;
      std::vector<double> row(n, 0.0);
      add_spatial_jacobian(*model_, kin, link, p_WCm, {&direction, 1}, 1, n, row.data());
      const std::vector<double> x = solve(tree, row);
      for (int i = 0; i < n; ++i) {
        sums[kind] += row[i] * x[i] / 3;
      }
    }
  }
  return {sums[0], sums[1]};
}

Skeleton::Length Skeleton::calc_length(const std::vector<double>& q) const {
  const System& s = model_->systems.front();
  std::vector<double> v(model_->nv, 0.0), own_q, own_v(s.velocities.size()), y(s.ny);
  for (const int c : s.coordinates) {
    own_q.push_back(q[c]);
  }
  Length result{.gradient = std::vector(model_->nv, 0.0)};
  SystemView view(*model_);
  // The rate of the length at a unit velocity is its derivative.
  for (const int dof : s.dofs) {
    v[dof] = 1;
    for (std::size_t i = 0; i < own_v.size(); ++i) {
      own_v[i] = v[s.velocities[i]];
    }
    view.set(q, v);
    SystemInput in(s, &view);
    in.q = own_q;
    in.v = own_v;
    std::ranges::fill(y, 0.0);
    SystemOutput out{.system = &s, .y = y};
    s.law->evaluate(in, &out);
    result.length = out.output(0)[0];
    result.gradient[dof] = out.output(1)[0];
    v[dof] = 0;
  }
  return result;
}

Skeleton::Response Skeleton::calc_response() const {
  const Length at_start = calc_length(model_->q0);
  Response r{.length = at_start.length};
  double square = 0;
  for (int t = 0; t < static_cast<int>(model_->trees.size()); ++t) {
    const Tree& tree = model_->trees[t];
    const auto begin = at_start.gradient.begin() + tree.v_start;
    const std::vector<double> row(begin, begin + tree.nv), x = solve(t, row);
    for (int i = 0; i < tree.nv; ++i) {
      r.inverse_mass += row[i] * x[i];
      square += x[i] * x[i];
    }
  }
  r.acceleration = std::sqrt(square);
  return r;
}

std::set<std::string> Skeleton::list_trees() const {
  std::set<std::string> roots;
  for (const int tree : model_->systems.front().trees) {
    roots.insert(model_->bodies[model_->links[model_->trees[tree].link_begin].body].name);
  }
  return roots;
}

// Projected gradient with steps that halve when they do not help.
double Skeleton::walk(double sign) const {
  constexpr double kSmallest = 1e-5;  // of the range
  std::vector<double> lower(model_->nv, 0.0), upper(model_->nv, 0.0);
  for (const Link& link : model_->links) {
    if (link.nv != 1) continue;
    const double reach = link.kind == MobilizerKind::kPrismatic ? 1 : std::numbers::pi;
    lower[link.v_start] = model_->q0[link.q_start] - reach;
    upper[link.v_start] = model_->q0[link.q_start] + reach;
  }
  for (const JointLimit& limit : model_->limits) {
    const Link& link = model_->links[limit.link];
    if (link.nv != 1) continue;
    if (std::isfinite(limit.lower)) lower[link.v_start] = limit.lower;
    if (std::isfinite(limit.upper)) upper[link.v_start] = limit.upper;
  }
  std::vector<double> q = model_->q0;
  const std::vector<int>& dofs = model_->systems.front().dofs;
  const auto coordinate = [&](std::vector<double>& of, int dof) -> double& {
    return of[model_->links[model_->dof_link[dof]].q_start];
  };
  for (const int dof : dofs) {
    if (upper[dof] == lower[dof]) continue;  // not a joint with one coordinate, or locked
    coordinate(q, dof) = std::clamp(coordinate(q, dof), lower[dof], upper[dof]);
  }
  Length now = calc_length(q);
  for (double step = 0.25; step > kSmallest;) {
    double size = 0;
    for (const int dof : dofs) {
      size = std::max(size, std::abs(now.gradient[dof]) * (upper[dof] - lower[dof]));
    }
    if (size == 0) break;
    std::vector<double> next = q;
    for (const int dof : dofs) {
      const double width = upper[dof] - lower[dof];
      if (width == 0) continue;
      coordinate(next, dof) =
          std::clamp(coordinate(q, dof) + sign * step * width * width * now.gradient[dof] / size,
                     lower[dof], upper[dof]);
    }
    Length then = calc_length(next);
    if (sign * (then.length - now.length) > 0) {
      q = std::move(next);
      now = std::move(then);
    } else {
      step /= 2;
    }
  }
  return now.length;
}

std::array<double, 2> Skeleton::find_length_range() const { return {walk(-1), walk(1)}; }

}  // namespace cenic::detail
