// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "dynamics/step_dynamics.h"

#include <algorithm>
#include <cmath>

#include "convex/contact_law.h"
#include "dynamics/contact_force.h"
#include "math/dense_cholesky.h"

namespace cenic {
namespace {

// Scale of a contact's inverse mass: mean over directions of the Delassus operator of a sphere
// touched at its surface. The value is the reference's; it only sets when friction is regularised
// beyond v_s.
constexpr double kInverseMassFactor = 2.65;

// Points of a contact surface carry large normal forces for small loads where things are wedged:
// friction is regularised ten times less there, which costs no iterations (docs/hydroelastic.md).
constexpr double kSurfaceShare = 0.1;

constexpr double kRoundoff = 1e-14;

}  // namespace

StepDynamics::StepDynamics(const Model& model, std::shared_ptr<ConvexSolver> solver)
    : model_(model),
      finder_(model),
      constraints_(model),
      external_(model),
      solver_(std::move(solver)) {
  kin_.resize(model);
  scratch_.resize(model);
  std::vector<int> sizes;
  std::vector<ConvexProblem::FrictionDof> friction;
  for (int t = 0; t < static_cast<int>(model.trees.size()); ++t) {
    const Tree& tree = model.trees[t];
    sizes.push_back(tree.nv);
    for (int i = 0; i < tree.nv; ++i) {
      const int v = tree.v_start + i;
      // A joint sticks when the furthest point it moves is slower than v_s.
      if (model.dry_friction[v] > 0) {
        friction.push_back({t, i, model.dry_friction[v], model.stiction_velocity / model.reach[v]});
      }
    }
  }
  problem_.set_trees(sizes, friction, constraints_.make_limit_dofs(), external_.make_effort_dofs());
  external_.attach(&problem_);
  q_.resize(model.nq);
  v_.resize(model.nv);
  belts_ = std::ranges::any_of(model.geometries, [](const Geometry& g) {
    return static_cast<bool>(g.surface_velocity);
  });
  v_padded_.assign(problem_.padded_size(), 0.0);
  bias_.resize(model.nv);
  spring_.resize(model.nv);
  for (std::size_t t = 0; t < model.trees.size(); ++t) {
    const auto& block = problem_.trees[t];
    for (int i = 0; i < block.n; ++i) {
      problem_.damping[block.offset + i] = model.damping[model.trees[t].v_start + i];
      problem_.stiffness[block.offset + i] = model.stiffness[model.trees[t].v_start + i];
      problem_.error_weight[block.offset + i] = 1;
    }
  }

  // Mass of each link; where it has none, of the rigid assembly it belongs to, or of its tree.
  const int n = static_cast<int>(model.links.size());
  std::vector<int> root(n);
  std::vector<double> assembly(n, 0.0), tree_mass(model.trees.size(), 0.0);
  for (int i = 0; i < n; ++i) {
    const Link& link = model.links[i];
    root[i] = link.kind == MobilizerKind::kFixed && link.parent >= 0 ? root[link.parent] : i;
    assembly[root[i]] += link.M_BBo_B.mass;
    if (link.tree >= 0) tree_mass[link.tree] += link.M_BBo_B.mass;
  }
  contact_mass_.resize(n);
  for (int i = 0; i < n; ++i) {
    const int tree = model.links[i].tree;
    contact_mass_[i] = model.links[i].M_BBo_B.mass;
    if (contact_mass_[i] == 0) contact_mass_[i] = assembly[root[i]];
    if (contact_mass_[i] == 0 && tree >= 0) contact_mass_[i] = tree_mass[tree];
  }
  estimate_inertia();
}

// (M⁻¹)_ii at the initial configuration: the solver's stopping tests and the regularisation of dry
// friction at long steps go by it.
void StepDynamics::estimate_inertia() {
  update_positions(model_, model_.q0, &kin_);
  for (int t = 0; t < static_cast<int>(model_.trees.size()); ++t) {
    const auto& block = problem_.trees[t];
    std::vector<double> M(static_cast<std::size_t>(block.n) * block.n), diagonal(block.n);
    calc_mass_matrix(model_, kin_, t, &scratch_, block.n, M.data());
    factor_cholesky(block.n, M.data());
    for (int i = 0; i < block.n; ++i) {
      std::vector<double> x(block.n, 0.0);
      x[i] = 1;
      diagonal[i] = solve_lower(block.n, M.data(), x.data());
    }
    const Tree& tree = model_.trees[t];
    for (int i = tree.link_begin; i < tree.link_end; ++i) {
      const Link& link = model_.links[i];
      // The three axes of a rotation turn with the body: take the largest.
      for (int first = 0; first < link.nv; first += 3) {
        const int count = std::min(3, link.nv - first);
        double* d = diagonal.data() + link.v_start - tree.v_start + first;
        std::fill_n(d, count, *std::max_element(d, d + count));
      }
    }
    std::ranges::copy(diagonal, problem_.inverse_inertia.begin() + block.offset);
  }
}

void StepDynamics::set_error_weights(std::span<const double> weights) {
  for (std::size_t t = 0; t < model_.trees.size(); ++t) {
    const auto& block = problem_.trees[t];
    std::copy_n(weights.begin() + model_.trees[t].v_start, block.n,
                problem_.error_weight.begin() + block.offset);
  }
}

void StepDynamics::build(const State& state, double horizon, const DynamicsOptions& options,
                         PhaseTicks* phases) {
  const std::vector<double>&q = state.q, &v = state.v;
  t_ = state.t;
  built_at_end_ = false;
  {
    const ScopedPhase phase(phases, Phase::kDynamics);
    implicit_gyroscopics_ = options.implicit_gyroscopics;
    spinners_.clear();
    for (const int t : problem_.active) {
      update_tree(t, q, v);
      add_spinner(t, v);
    }
  }
  {
    const ScopedPhase phase(phases, Phase::kGeometry);
    if (is_part()) update_surroundings(state.t, horizon, options.contact);
    finder_.find(kin_, horizon, options.contact, &contacts_);
  }
  if (has_systems()) {
    const ScopedPhase phase(phases, Phase::kExternal);
    external_.build(state, kin_, horizon, options.external);
  }
  const ScopedPhase phase(phases, Phase::kProblem);
  update_contacts(options);
}

void StepDynamics::restrict_to(std::span<const int> trees, const Surroundings& surroundings) {
  surroundings_ = surroundings;
  problem_.set_active(trees);
  finder_.restrict_to(trees, surroundings.whole->finder_);
}

// Trees near by move evenly from their start to their end.
void StepDynamics::update_surroundings(double t, double horizon, const ContactOptions& options) {
  for (const int i : finder_.find_neighbours(kin_, horizon, options)) {
    const Tree& tree = model_.trees[i];
    // Of parts within parts: what the part around does not know either is around that.
    const Surroundings* around = &surroundings_;
    while (around->whole->is_part() && !around->whole->finder_.is_member(i)) {
      around = &around->whole->surroundings_;
    }
    const State &start = *around->start, &end = *around->end;
    const double h = end.t - start.t;
    calc_position_difference(model_, tree, start.q, end.q, v_);
    for (int v = tree.v_start; v < tree.v_start + tree.nv; ++v) {
      v_[v] /= h;
    }
    integrate_positions(model_, tree, start.q, v_, t - start.t, RotationUpdate::kExponential, q_);
    update_positions(model_, tree, q_, &kin_);
    update_velocities(model_, tree, v_, &kin_);
  }
}

void StepDynamics::build_geometry(const State& state, const DynamicsOptions& options,
                                  PhaseTicks* phases) {
  const ScopedPhase phase(phases, Phase::kGeometry);
  update_positions(model_, state.q, &kin_);
  update_velocities(model_, state.v, &kin_);
  finder_.find(kin_, 0, options.contact, &contacts_);
}

// Everything of a tree but its contacts, while its numbers are near.
void StepDynamics::update_tree(int t, std::span<const double> q, std::span<const double> v) {
  const Tree& tree = model_.trees[t];
  const auto& block = problem_.trees[t];
  std::copy_n(q.begin() + tree.q_start, tree.nq, q_.begin() + tree.q_start);
  std::copy_n(v.begin() + tree.v_start, tree.nv, v_.begin() + tree.v_start);
  std::copy_n(v.begin() + tree.v_start, tree.nv, problem_.v0.begin() + block.offset);
  update_positions(model_, tree, q, &kin_);
  update_velocities(model_, tree, v, &kin_);
  calc_spring_displacement(model_, tree, q, spring_);
  calc_mass_matrix(model_, kin_, t, &scratch_, block.ld, problem_.M.data() + block.matrix_offset);
  update_bias(t, v);
}

// Forces of one tree that do not depend on the velocities at the end of the step.
void StepDynamics::update_bias(int t, std::span<const double> v) {
  const auto& block = problem_.trees[t];
  const int start = model_.trees[t].v_start;
  calc_inverse_dynamics(model_, kin_, t, v, {}, &scratch_, bias_);
  for (int i = 0; i < block.n; ++i) {
    problem_.f0[block.offset + i] =
        bias_[start + i] + model_.stiffness[start + i] * spring_[start + i];
  }
}

bool StepDynamics::has_heavy_tendon(int tree) const {
  return std::ranges::any_of(model_.heavy_tendons, [&](int t) {
    return model_.tendons[t].trees.front() == tree;
  });
}

// Has the tree a gyroscopic torque to speak of?
void StepDynamics::add_spinner(int t, std::span<const double> v) {
  if (!implicit_gyroscopics_) return;
  const Tree& tree = model_.trees[t];
  const Link& link = model_.links[tree.link_begin];
  const bool centred =
      link.kind == MobilizerKind::kFree && norm(link.M_BBo_B.mc) <= 1e-9 * link.M_BBo_B.mass;
  if (tree.link_end - tree.link_begin != 1 || !(centred || link.kind == MobilizerKind::kBall)) {
    return;
  }
  if (has_heavy_tendon(t)) return;  // M is not that of the body alone
  const auto& block = problem_.trees[t];
  const double* M = problem_.M.data() + block.matrix_offset;
  Spinner s{};
  s.tree = t;
  for (int i = 0; i < 3; ++i) {
    s.w[i] = v[tree.v_start + i];
    s.f0[i] = problem_.f0[block.offset + i];
    for (int j = 0; j < 3; ++j) {
      s.I(i, j) = M[block.ld * j + i] - (i == j ? model_.armature[tree.v_start + i] : 0);
    }
  }
  const Vec3 L = s.I * s.w;
  s.torque = cross(s.w, L);
  // None but roundoff when w is along a principal axis, as it always is for a ball or a cube.
  if (norm(s.torque) > kRoundoff * norm(s.w) * norm(L)) spinners_.push_back(s);
}

// Taken at the start of the step, w × I w makes a fast spinning body gain energy: its nutation is
// an oscillation that an explicit step amplifies. One Newton step of I (w⁺ − w) = −h w⁺ × I w⁺
// gives the torque at the end of the step, I J⁻¹ (w × I w) with J = I + h ([w]× I − [I w]×).
void StepDynamics::update_gyroscopics(double h) {
  for (const Spinner& s : spinners_) {
    const Mat3 J = s.I + h * (skew(s.w) * s.I - skew(s.I * s.w));
    // Near a turn about the middle axis J can lose its rank: stay explicit there.
    const bool regular = determinant(J) >= 0.1 * determinant(s.I);
    const Vec3 f = regular ? s.f0 + (s.I * (inverse(J) * s.torque) - s.torque) : s.f0;
    for (int i = 0; i < 3; ++i) {
      problem_.f0[problem_.trees[s.tree].offset + i] = f[i];
    }
  }
}

void StepDynamics::add_patch(const ContactPoint& c) {
  const int tree_a = tree_of(c.link_a), tree_b = tree_of(c.link_b);
  if (tree_a < 0) {
    problem_.add_patch(tree_b, -1);
  } else {
    problem_.add_patch(tree_a, tree_a == tree_b ? -1 : tree_b);  // −1: touches itself
  }
}

void StepDynamics::update_contacts(const DynamicsOptions& options) {
  problem_.begin();
  int last_a = -1, last_b = -1;
  for (const ContactPoint& c : contacts_) {
    if (c.geometry_a != last_a || c.geometry_b != last_b) {
      last_a = c.geometry_a;
      last_b = c.geometry_b;
      add_patch(c);
    }
    problem_.add_contact();
  }
  add_spins();
  if (!is_part()) {
    constraints_.add_groups(&problem_);
    external_.add_groups(&problem_);
  }
  problem_.friction_regularization = options.friction_regularization;
  problem_.recovery = options.recovery;
  problem_.finish(options.islands);
  factors_.reset(problem_);
  if (!is_part()) constraints_.update(kin_, q_, &factors_, &problem_);
  slot_keys_.resize(problem_.slot_input.size());
  for (const ConvexProblem::Patch& patch : problem_.patches) {
    for (int s = patch.first; s < patch.first + patch.count; ++s) {
      if (!is_contact(problem_.slot_input[s])) {
        fill_spin(patch, s);
        continue;
      }
      const ContactPoint& c = contacts_[problem_.slot_input[s]];
      problem_.inputs[s] = make_input(c);
      slot_keys_[s] = {c.key, c.mu_static != c.mu_dynamic};
      frame_ = make_contact_frame(c.nhat_AB_W);
      for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
        double* rows = problem_.rows(s, side);
        if (!model_.trees[patch.tree[side]].free_body) {
          std::fill_n(rows, 3 * problem_.trees[patch.tree[side]].ld, 0.0);
        }
        if (tree_of(c.link_a) == patch.tree[side]) fill_rows(c, c.link_a, -1, rows);
        if (tree_of(c.link_b) == patch.tree[side]) fill_rows(c, c.link_b, 1, rows);
      }
      if (options.contact_inertia) update_contact_inertia(patch, s);
    }
  }
}

// The inverse masses that a contact feels, once its Jacobian is known. A jointed link moves with
// what it hangs on: a light finger at the end of an arm is heavy along the directions that its own
// joint leaves to the arm. For free bodies the estimate from the mass is good enough.
void StepDynamics::update_contact_inertia(const ConvexProblem::Patch& patch, int slot) {
  double normal = 0, tangential = 0;
  bool jointed = false;
  for (int side = 0; side < 2 && patch.tree[side] >= 0; ++side) {
    const int tree = patch.tree[side];
    if (model_.trees[tree].free_body) {
      const double w = kInverseMassFactor / contact_mass_[model_.trees[tree].link_begin];
      normal += w;
      tangential += w;
      continue;
    }
    jointed = true;
    double w[3];
    for (int d = 0; d < 3; ++d) {
      const double* row = problem_.rows(slot, side) + problem_.trees[tree].ld * d;
      w[d] = factors_.calc_inverse_mass(problem_, tree, row);
    }
    normal += w[0];
    tangential += std::max(w[1], w[2]);
  }
  if (!jointed || !std::isfinite(normal + tangential)) return;
  ContactInput& input = problem_.inputs[slot];
  input.inverse_mass = normal;
  input.tangential_inverse_mass =
      (contacts_[problem_.slot_input[slot]].hydroelastic ? kSurfaceShare : 1) * tangential;
}

// The law of a contact with what is lagged: friction coefficient and normal force at the start.
ContactInput StepDynamics::make_input(const ContactPoint& c) const {
  ContactInput input;
  input.k = c.stiffness;
  input.d = c.dissipation;
  input.fe0 = c.elastic_force;
  const double vn0 = dot(c.v_AB_W, c.nhat_AB_W);
  input.fn0 = calc_normal_force(c, vn0);
  const double v_s = model_.stiction_velocity;
  input.slip = v_s;
  input.mu = c.mu_dynamic;
  if (c.mu_static != c.mu_dynamic) {
    const double slip =
        norm(c.v_AB_W - vn0 * c.nhat_AB_W + calc_belt_velocity(model_, kin_, c, t_));
    input.mu =
        friction_coefficient(c.mu_static, c.mu_dynamic, slip / v_s, model_.friction_transition);
  }
  for (const int link : {c.link_a, c.link_b}) {
    if (tree_of(link) >= 0) input.inverse_mass += kInverseMassFactor / contact_mass_[link];
  }
  input.tangential_inverse_mass = (c.hydroelastic ? kSurfaceShare : 1) * input.inverse_mass;
  return input;
}

void StepDynamics::set_belt_velocities(double t) {
  if (!belts_) return;
  problem_.belt_t1.assign(problem_.slot_input.size(), 0.0);
  problem_.belt_t2.assign(problem_.slot_input.size(), 0.0);
  for (std::size_t s = 0; s < problem_.slot_input.size(); ++s) {
    if (!is_contact(problem_.slot_input[s])) continue;
    const ContactPoint& c = contacts_[problem_.slot_input[s]];
    const Vec3 v = calc_belt_velocity(model_, kin_, c, t);
    const std::array<Vec3, 3> frame = make_contact_frame(c.nhat_AB_W);
    problem_.belt_t1[s] = dot(v, frame[1]);
    problem_.belt_t2[s] = dot(v, frame[2]);
  }
}

void StepDynamics::predict_constraint_errors(double h, std::vector<double>* errors) const {
  errors->resize(problem_.row_inputs.size());
  for (std::size_t r = 0; r < errors->size(); ++r) {
    (*errors)[r] = problem_.row_inputs[r].g + h * solver_->row_velocities()[r];
  }
}

void StepDynamics::continue_constraints(std::span<const double> errors) {
  const bool any = std::ranges::any_of(problem_.row_inputs, [](const RowInput& row) {
    return std::isinf(row.stiffness);
  });
  if (!any) return;
  // The curvature's part of the true error, O(h²), is there at the end of the full step, too: if
  // only the divided step made it good, the difference between the two would be no expansion in h.
  // It is made good from the next step on.
  for (std::size_t r = 0; r < problem_.row_inputs.size(); ++r) {
    RowInput& row = problem_.row_inputs[r];
    if (std::isinf(row.stiffness)) row.g = errors[r];
  }
  // Velocities obey the constraints of the start, those of the middle up to O(h): too much for
  // Coriolis forces, which know nothing of constraints. Evaluate them at velocities that obey.
  for (const int t : problem_.active) {
    std::copy_n(v_.begin() + model_.trees[t].v_start, problem_.trees[t].n,
                v_padded_.begin() + problem_.trees[t].offset);
  }
  solver_->project(problem_, &v_padded_);
  for (const int t : problem_.active) {
    std::copy_n(v_padded_.begin() + problem_.trees[t].offset, problem_.trees[t].n,
                v_.begin() + model_.trees[t].v_start);
  }
  update_velocities(model_, v_, &kin_);
  for (const int t : constraints_.trees()) {
    update_bias(t, v_);
  }
  spinners_.clear();
  for (const int t : problem_.active) {
    add_spinner(t, v_);
  }
}

void StepDynamics::fill_rows(const ContactPoint& c, int link, double sign, double* rows) const {
  const int tree = model_.links[link].tree;
  const int ld = problem_.trees[tree].ld;
  if (!model_.trees[tree].free_body) {
    add_point_jacobian(model_, kin_, link, c.p_WC, frame_.data(), sign, ld, rows);
    return;
  }
  // v_C = v + w × p: a row along d is (p × d, d).
  const Vec3 p = c.p_WC - kin_.X_WB[link].p;
  for (int d = 0; d < 3; ++d) {
    const Vec3 moment = cross(p, frame_[d]);
    double* row = rows + ld * d;
    row[0] = sign * moment.x;
    row[1] = sign * moment.y;
    row[2] = sign * moment.z;
    row[3] = sign * frame_[d].x;
    row[4] = sign * frame_[d].y;
    row[5] = sign * frame_[d].z;
    row[6] = row[7] = 0;
  }
}

SolveResult StepDynamics::solve(const StepForm& form, const SolverOptions& options, double accuracy,
                                ThreadPool* pool, std::span<double> v) {
  SolveResult result = solve_once(form, options, accuracy, pool, v);
  // Each time at least one effort more is held at its limit.
  while (result.status == SolveStatus::kConverged && has_systems() && !external_.keeps_limits(v)) {
    result += solve_once(form, options, accuracy, pool, v);
  }
  return result;
}

SolveResult StepDynamics::solve_once(const StepForm& form, const SolverOptions& options,
                                     double accuracy, ThreadPool* pool, std::span<double> v) {
  SolveResult result;
  if (has_systems()) {
    const ScopedPhase phase(&result.phases, Phase::kExternal);
    if (!external_.set_step(form.h, &problem_)) {
      result.status = SolveStatus::kBadForce;
      return result;
    }
  }
  const PhaseTicks external = result.phases;
  const std::uint64_t start = now_ticks();
  update_gyroscopics(form.h);
  set_belt_velocities(built_at_end_ ? t_ : t_ + form.h);
  problem_.set_step(form);
  for (const int t : problem_.active) {
    std::copy_n(v.begin() + model_.trees[t].v_start, problem_.trees[t].n,
                v_padded_.begin() + problem_.trees[t].offset);
  }
  result = solver_->solve(problem_, options, accuracy, pool, &v_padded_);
  for (const int t : problem_.active) {
    std::copy_n(v_padded_.begin() + problem_.trees[t].offset, problem_.trees[t].n,
                v.begin() + model_.trees[t].v_start);
  }
  // What the islands do not account for: setting the step, copying.
  const std::uint64_t total = now_ticks() - start;
  std::uint64_t named = 0;
  for (const std::uint64_t ticks : result.phases.ticks) {
    named += ticks;
  }
  if (total > named) result.phases[Phase::kProblem] += total - named;
  result.phases += external;
  return result;
}

}  // namespace cenic
