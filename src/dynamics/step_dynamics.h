// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// From (model, state, step) to the convex problem and back: the one place that knows both bodies
// and matrices.
//
//   M(q0)(v − v0) = −h (k(q0, v0) + D v + K (q0 + h v − rest) − τ(v)) + J(q0)ᵀ γ(v) + G(q0)ᵀ λ(v)
//
// with forces of external systems τ, contact impulses γ and constraint impulses λ.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "convex/solver.h"
#include "dynamics/constraint_set.h"
#include "dynamics/contact_finder.h"
#include "dynamics/external_forces.h"
#include "dynamics/options.h"
#include "dynamics/reports.h"

namespace cenic {

class StepDynamics;

// What goes on around some trees while they are followed on their own through a step: the whole
// scene at the start of the step, and where all other trees are at its two ends.
struct Surroundings {
  const StepDynamics* whole = nullptr;  // built at `start`
  const State *start = nullptr, *end = nullptr;
};

class StepDynamics {
 public:
  // Several dynamics may share a solver, and with it the memory that its kernels keep warm; reports
  // and signatures are then of the dynamics that solved last.
  explicit StepDynamics(const Model& model,
                        std::shared_ptr<ConvexSolver> solver = std::make_shared<ConvexSolver>());

  // From now on the dynamics are those of some trees alone (ascending; without constraints, limits
  // and external systems), in the midst of the others, which move evenly from their start to their
  // end. The surroundings must outlive all builds.
  void restrict_to(std::span<const int> trees, const Surroundings& surroundings);
  // See ContactFinder.
  void borrow_candidates(const StepDynamics& lender) { finder_.borrow_candidates(lender.finder_); }
  // Of the last builds: trees outside that they would touch, and whether one of them went where
  // contacts are not known.
  const ContactFinder::Outside& outside() const { return finder_.outside(); }

  // Everything at the state that does not depend on the step size: kinematics, mass matrix, bias,
  // contacts, external systems. Contacts reach as far as a step of `horizon` seconds may need. Adds
  // the time to `phases`.
  void build(const State& state, double horizon, const DynamicsOptions& options,
             PhaseTicks* phases);
  // The part of it that energy and penetration at the state need: kinematics and contacts.
  void build_geometry(const State& state, const DynamicsOptions& options, PhaseTicks* phases);
  // What makes a step that is divided comparable with an undivided one in the presence of
  // constraints, so that extrapolation cancels their first-order error (docs/method.md): after a
  // solve over h, the constraint errors at its end if constraints were linear; and after a build
  // there, to go on from them.
  void predict_constraint_errors(double h, std::vector<double>* errors) const;
  void continue_constraints(std::span<const double> errors);
  // After a build at the end of a step of size h from where `first_stage` was built: turns the
  // problem into that of the trapezoid rule, means of both ends with the impulses at this end
  // implicit (paper, section V-B).
  void average_with(StepDynamics* first_stage, double h);

  // Solves the step from the guess in v (nv) and leaves the velocities at its end there.
  SolveResult solve(const StepForm& form, const SolverOptions& options, double accuracy,
                    ThreadPool* pool, std::span<double> v);

  // After a solve that ended with the velocities v: the states of external systems there (nz).
  void advance_states(std::span<const double> v, std::span<double> z) {
    if (!is_part()) external_.advance(problem_, v, z);
  }
  // The system that made a solve end with SolveStatus::kBadForce.
  const SystemFault& system_fault() const { return external_.fault(); }
  // Forgets what was learnt of a state that is no more.
  void restart() { external_.restart(); }
  // Saves or loads what is kept from state to state: the next build is then the same. (Candidates
  // of the broad phase are not: they are sorted, and whatever the list, the contacts are the same.)
  void exchange(Archive* archive) {
    finder_.exchange(archive);
    external_.exchange(archive);
  }
  void rewind() { finder_.rewind(); }  // before the last build is repeated
  void set_measurements(const Measurements* m) { external_.set_measurements(m); }

  // Weights of the error norm, metres per unit of each velocity times one second (nv).
  void set_error_weights(std::span<const double> weights);

  // For each tree, a number that depends on the set of contacts and limits that carried a force in
  // the last solve (num_trees); and on h, when the step is too long to resolve the oscillation of
  // one of them: such contacts never count as unchanged. Trees that pressed on each other are
  // united in `coupled`.
  void calc_contact_signatures(std::vector<std::uint64_t>* signatures, UnionFind* coupled) const;

  // Trees with limits or constraints.
  const std::vector<int>& constrained_trees() const { return constraints_.trees(); }
  const std::vector<int>& bound_trees() const { return constraints_.bound_trees(); }

  // See ContactFinder.
  double safe_step() const { return finder_.safe_step(); }

  // The longest step that resolves the oscillation of every contact that carried a force in the
  // last solve; infinite without contacts.
  double calc_resolving_step() const;
  // Is a contact between sticking and slipping, where its friction falls from static to dynamic?
  bool is_friction_in_transition() const;

  const ConvexProblem& problem() const { return problem_; }
  const Kinematics& kinematics() const { return kin_; }
  const std::vector<ContactPoint>& contacts() const { return contacts_; }
  double max_penetration() const;       // over the contacts at the built state, m
  double calc_elastic_energy() const {  // of the contacts at the built state, J
    return finder_.calc_elastic_energy(contacts_);
  }
  // The part of it of contacts between points: a sum. That of contact surfaces is an integral.
  double calc_point_energy() const { return ContactFinder::calc_point_energy(contacts_); }
  // Since the last call.
  SurfaceCounters take_surface_counters() { return finder_.take_surface_counters(); }
  void report_contacts(std::vector<ContactReport>* reports) const;
  void report_forces(std::vector<ContactForce>* forces) const;  // of the same, for little
  void report_constraints(std::vector<ConstraintReport>* reports) const;
  // Generalised force of the joint limits on each velocity (nv).
  void report_limits(std::vector<double>* forces) const;
  // And of external systems, after advance_states() (nv).
  void report_efforts(std::vector<double>* forces) const;

 private:
  SolveResult solve_once(const StepForm& form, const SolverOptions& options, double accuracy,
                         ThreadPool* pool, std::span<double> v);
  void estimate_inertia();
  void update_surroundings(double t, double horizon, const ContactOptions& options);
  void update_tree(int tree, std::span<const double> q, std::span<const double> v);
  void update_bias(int tree, std::span<const double> v);
  void update_contacts(const DynamicsOptions& options);
  void add_patch(const ContactPoint& contact);
  void add_spins();
  void fill_spin(const ConvexProblem::Patch& patch, int slot);
  Vec3 calc_start_velocity(int input) const;
  void set_belt_velocities(double t);
  int calc_slip_stage(int slot) const;
  int calc_start_slip_stage(const ContactPoint& contact) const;
  bool is_limit_impact(double g, double c, double scale) const;
  std::uint64_t calc_slot_key(int slot) const;
  void add_dof_signatures(std::vector<std::uint64_t>* signatures) const;
  void add_row_signatures(std::vector<std::uint64_t>* signatures) const;
  double calc_start_rate(const ConvexProblem::Group& group, int row) const;
  void calc_start_impulses(double h, AlignedVector<double>* impulses) const;
  bool has_heavy_tendon(int tree) const;
  void add_spinner(int tree, std::span<const double> v);
  void update_gyroscopics(double h);
  ContactInput make_input(const ContactPoint& contact) const;
  void update_contact_inertia(const ConvexProblem::Patch& patch, int slot);
  // Is an input of the problem a contact, and not a Spin?
  bool is_part() const { return surroundings_.whole != nullptr; }
  bool has_systems() const { return !is_part() && !external_.empty(); }
  bool is_contact(int input) const {
    return input >= 0 && input < static_cast<int>(contacts_.size());
  }
  int tree_of(int link) const { return model_.tree_of(link); }
  void fill_rows(const ContactPoint& contact, int link, double sign, double* rows) const;

  const Model& model_;
  Kinematics kin_;
  TreeScratch scratch_;
  ContactFinder finder_;
  ConstraintSet constraints_;
  TreeFactors factors_;
  ExternalForces external_;
  std::vector<ContactPoint> contacts_;
  // Torsional and rolling friction of contacts: inputs of the problem after those of contacts_. The
  // rows of their slots are angular velocities, and the normal row is zero.
  struct Spin {
    int contact = -1;
    bool rolls = false;  // about the tangents; else about the normal
  };
  std::vector<Spin> spins_;
  ConvexProblem problem_;
  // Of the contact of each slot: contacts_ stand in another order, far apart in memory.
  struct SlotKey {
    std::uint64_t key;
    bool falls;  // friction, from static to dynamic
  };
  std::vector<SlotKey> slot_keys_;
  std::shared_ptr<ConvexSolver> solver_;
  Surroundings surroundings_;  // without `whole`: these dynamics are the whole
  AlignedVector<double> v_padded_;
  double t_ = 0;
  bool built_at_end_ = false;            // of the step: see average_with()
  std::vector<double> q_, v_;            // (nq, nv)
  bool belts_ = false;                   // some surface moves
  AlignedVector<double> start_impulse_;  // padded, of the trapezoid rule
  // Trees of one body that turns about its centre of mass or a ball joint; in its joint's axes.
  struct Spinner {
    int tree = -1;
    Mat3 I;       // about that point
    Vec3 w;       // angular velocity at the start of the step
    Vec3 torque;  // w × I w, as it stands in f0
    Vec3 f0;      // the rotational part of f0
  };
  std::vector<Spinner> spinners_;
  bool implicit_gyroscopics_ = true;
  std::vector<double> bias_, spring_;  // (nv)
  std::vector<double>
      contact_mass_;  // of what a link is part of, for the friction regularisation (num_links)
  std::array<Vec3, 3> frame_;  // normal and tangents of the contact being added
};

}  // namespace cenic
