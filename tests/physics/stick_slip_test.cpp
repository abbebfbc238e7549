// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A box on a moving belt against Coulomb's law with static and dynamic friction, solved in closed
// form.
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "physics/worlds.h"

namespace cenic {
namespace {

constexpr double kG = 9.81;
constexpr double kMuStatic = 1, kMuDynamic = 0.5;
constexpr double kStiction = 1e-4;  // v_s, m/s
constexpr double kAmplitude = 1.72, kOmega = 2 * std::numbers::pi;
// The law of friction changes from static to dynamic at a slip of 10 v_s. Twice that is slipping.
constexpr double kSlipping = 20 * kStiction;

double belt_speed(double t) { return kAmplitude * std::cos(kOmega * t); }
double belt_acceleration(double t) { return -kAmplitude * kOmega * std::sin(kOmega * t); }

// Friction over normal force at the slip v: paper, eq. (dynamic_friction), odd in v.
double calc_friction_share(double v) {
  const auto f = [](double x) {
    return x / std::sqrt(1 + x * x);
  };
  const double s = std::abs(v) / kStiction;
  const double mu = kMuDynamic + (kMuStatic - kMuDynamic) * 0.5 * (1 - f(s - 10) / f(10));
  return mu * f(v / kStiction);
}

// The largest friction the regularised law can give, as a coefficient: 0.98 of the static one.
double calc_breakaway_coefficient() {
  double largest = 0;
  for (double s = 0; s < 20; s += 1e-3) {
    largest = std::max(largest, calc_friction_share(s * kStiction));
  }
  return largest;
}

// The first root of f after t, to rounding; f has one sign just after t.
double find_root(const std::function<double(double)>& f, double t) {
  const double dt = 1e-3, sign = f(t + 1e-6) > 0 ? 1 : -1;
  double hi = t + dt;
  while (sign * f(hi) > 0)
    hi += dt;
  double lo = hi - dt;
  for (int i = 0; i < 60; ++i) {
    const double mid = 0.5 * (lo + hi);
    (sign * f(mid) > 0 ? lo : hi) = mid;
  }
  return hi;
}

// Times at which the box breaks away and at which it sticks again, in turns: it sticks until the
// belt's acceleration exceeds what friction can give, then accelerates by μ_d g until it is as fast
// as the belt.
std::vector<double> calc_transitions(double end) {
  const double mu = calc_breakaway_coefficient();
  std::vector<double> times;
  double t = 0;
  for (;;) {
    const double away = find_root(
        [&](double s) {
          return mu * kG - std::abs(belt_acceleration(s));
        },
        t);
    const double a = kMuDynamic * kG * (belt_acceleration(away) > 0 ? 1 : -1);
    const double stick = find_root(
        [&](double s) {
          return belt_speed(away) + a * (s - away) - belt_speed(s);
        },
        away);
    if (stick > end) return times;
    // It would slip the other way at once; the parameters are such that it does not.
    EXPECT_LT(std::abs(belt_acceleration(stick)), mu * kG);
    times.push_back(away);
    times.push_back(stick);
    t = stick;
  }
}

// The same of a point mass under the regularised law, by Runge and Kutta's method.
std::vector<double> integrate_transitions(double end) {
  const double dt = 2e-6;
  const auto slope = [](double t, double slip) {
    return -kG * calc_friction_share(slip) - belt_acceleration(t);
  };
  std::vector<double> times;
  double slip = 0;
  for (double t = 0; t < end; t += dt) {
    const double k1 = slope(t, slip), k2 = slope(t + dt / 2, slip + dt / 2 * k1),
                 k3 = slope(t + dt / 2, slip + dt / 2 * k2), k4 = slope(t + dt, slip + dt * k3);
    const bool slipping = std::abs(slip) > kSlipping;
    slip += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if ((std::abs(slip) > kSlipping) != slipping) times.push_back(t);
  }
  return times;
}

struct Sample {
  double t, h;
  double slip;              // of the box on the belt, from the state, m/s
  double friction, normal;  // on the box: sum over its contacts, N
};

Vec3 sum_forces_on_box(const Simulator& sim) {
  Vec3 sum;
  for (const ContactReport& c : sim.contacts()) {
    const bool box_is_b = sim.model().geometries[c.point.geometry_b].name == "box";
    sum += (box_is_b ? 1.0 : -1.0) * c.force_B_W;
  }
  return sum;
}

std::vector<Sample> run_conveyor(double accuracy, double begin, double end) {
  Simulator sim = make_simulator(make_scene("conveyor"), accuracy);
  std::vector<Sample> samples;
  sim.set_monitor([&](const StepEvent& event) {
    if (event.after.t < begin) return;
    const Vec3 force = sum_forces_on_box(sim);
    samples.push_back({event.after.t, event.result.h, event.after.v[3] - belt_speed(event.after.t),
                       force.x, force.z});
  });
  sim.advance_to(end);
  return samples;
}

// When the slip passed kSlipping, up and down in turns.
std::vector<double> find_transitions(const std::vector<Sample>& samples) {
  std::vector<double> times;
  Sample last{};
  for (const Sample& s : samples) {
    const double before = std::abs(last.slip), now = std::abs(s.slip);
    if ((now > kSlipping) != (before > kSlipping)) {
      times.push_back(last.t + (s.t - last.t) * (kSlipping - before) / (now - before));
    }
    last = s;
  }
  return times;
}

TEST(StickSlip, FollowsTheClosedFormThroughBothTransitions) {
  const std::vector<double> coulomb = calc_transitions(1.65),
                            regularised = integrate_transitions(1.65);
  ASSERT_EQ(coulomb.size(), 6U);
  ASSERT_EQ(regularised.size(), 6U);
  for (const double accuracy : {1e-5, 1e-7}) {
    const std::vector<double> measured = find_transitions(run_conveyor(accuracy, 0, 1.65));
    ASSERT_EQ(measured.size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
      // With a finite v_s the slip takes 4 ms to grow over the top of the law of friction.
      EXPECT_NEAR(measured[i], coulomb[i], 5e-3) << i << " at " << accuracy;
      // One step at 1e-5.
      EXPECT_NEAR(measured[i], regularised[i], accuracy == 1e-5 ? 2e-3 : 3e-4)
          << i << " at " << accuracy;
    }
  }
}

TEST(StickSlip, FrictionReachesTheStaticLimitAndSlidesAtTheDynamicOne) {
  const std::vector<double> transitions = calc_transitions(2);
  const std::vector<Sample> samples = run_conveyor(1e-5, 0, 2);
  for (std::size_t i = 0; i < transitions.size(); i += 2) {
    const double away = transitions[i], stick = transitions[i + 1];
    double peak = 0, slowest = 1, least = 1e9, most = 0;
    for (const Sample& s : samples) {
      const double share = std::abs(s.friction) / (kMuStatic * s.normal);
      if (std::abs(s.t - away) < 0.02) peak = std::max(peak, share);
      // The change of friction tips the box a little; that takes 20 ms to settle.
      if (s.t > away + 0.03 && s.t < stick - 0.005) {
        slowest = std::min(slowest, std::abs(s.slip));
        least = std::min(least, std::abs(s.friction) / s.normal);
        most = std::max(most, std::abs(s.friction) / s.normal);
        EXPECT_LT(s.friction * s.slip, 0) << "against the slip, at " << s.t;
      }
    }
    EXPECT_GE(peak, 0.98) << "before " << away << " s";
    EXPECT_LE(peak, 1.0) << "before " << away << " s";
    EXPECT_GT(slowest, kSlipping);
    EXPECT_NEAR(least, kMuDynamic, 0.01 * kMuDynamic);
    EXPECT_NEAR(most, kMuDynamic, 0.01 * kMuDynamic);
    // Sticking, after the return has settled: the force is what carries the box along.
    for (const Sample& s : samples) {
      const double until = i + 2 < transitions.size() ? transitions[i + 2] : 0;
      if (s.t < stick + 0.03 || s.t > until - 0.01) continue;
      EXPECT_LT(std::abs(s.slip), 10 * kStiction) << s.t;
      EXPECT_NEAR(s.friction, belt_acceleration(s.t - 0.25 * s.h), 0.03 * kG) << s.t;
    }
  }
}

TEST(StickSlip, ContactsShowSlipAndFriction) {
  for (const char* integrator : {"cenic", "cenic-paper"}) {
    Simulator sim = make_simulator(make_scene("conveyor"), 1e-5, integrator);
    sim.advance_to(0.3);
    sim.step(1);
    const double expected = sim.state().v[3] - belt_speed(sim.state().t);
    const std::vector<ContactReport> contacts = sim.contacts();
    ASSERT_EQ(contacts.size(), 4U);
    for (const ContactReport& c : contacts) {
      const double sign = sim.model().geometries[c.point.geometry_b].name == "box" ? 1 : -1;
      EXPECT_NEAR(sign * c.slip_W.x, expected, 1e-4) << integrator;
      EXPECT_NEAR(norm(c.slip_W), std::abs(expected), 1e-4) << integrator;
      const double force = sign * c.force_B_W.x;
      EXPECT_NEAR(std::abs(force / c.force_B_W.z), kMuDynamic, 0.01 * kMuDynamic);
      EXPECT_LT(force * expected, 0);
    }
  }
}

TEST(StickSlip, AtTightAccuracyTheReturnToStictionIsImpulsive) {
  // As the slip falls below 10 v_s friction rises to the static one, which stops the box within
  // 0.2 ms; then the force drops to what the belt's acceleration needs, against the slip so far.
  const double stick = calc_transitions(1)[1];
  const std::vector<Sample> samples = run_conveyor(1e-8, stick - 5e-3, stick + 5e-3);
  double peak = 0, peak_time = 0, above = 0, sliding = 0;
  for (const Sample& s : samples) {
    const double share = -s.friction / s.normal;  // the slip was positive
    if (s.t < stick - 2e-3) sliding = std::max(sliding, share);
    if (share > peak) peak = share, peak_time = s.t;
    if (share > 1.2 * kMuDynamic) above += s.h;
  }
  EXPECT_NEAR(sliding, kMuDynamic, 0.01 * kMuDynamic);
  EXPECT_GT(peak, 1.3 * kMuDynamic);
  EXPECT_LT(peak, kMuStatic);
  EXPECT_NEAR(peak_time, stick, 2e-3);
  EXPECT_LT(above, 5e-4) << "it is a pulse";
  EXPECT_GT(samples.back().friction, 0) << "sticking: carried along by the belt";
}

TEST(StickSlip, ABoxOnARunningBeltIsDraggedUpToItsSpeed) {
  // A belt at 1 m/s, the box at rest on it: it gains μ g t until it is as fast as the belt.
  const double mu = 0.5, speed = 1;
  for (const double accuracy : {1e-3, 1e-5}) {
    Simulator sim = make_simulator(make_scene("conveyor", {{"amplitude", speed},
                                                           {"frequency", 0},
                                                           {"speed", -speed},
                                                           {"mu_static", mu},
                                                           {"mu_dynamic", mu}}),
                                   accuracy);
    const double taken = speed / (mu * kG);  // 0.204 s
    for (int i = 1; i <= 50; ++i) {
      const double t = 0.01 * i;
      sim.advance_to(t);
      const double expected = std::min(mu * kG * t, speed);
      EXPECT_NEAR(sim.state().v[3], expected, 0.01 * speed) << t << " s at " << accuracy;
    }
    EXPECT_NEAR(sim.state().v[3], speed, kStiction);
    EXPECT_NEAR(sim.state().q[4], speed * (0.5 - 0.5 * taken), 3e-3) << accuracy;
  }
}

}  // namespace
}  // namespace cenic
