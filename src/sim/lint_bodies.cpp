// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Lint of masses, collision shapes and filters.
#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "math/symmetric_eigen.h"
#include "model/mass_properties.h"
#include "sim/lint.h"

namespace cenic::detail {
namespace {

// Bodies welded together: each is known by the one whose joint moves it, −1: what never moves.
std::vector<int> find_groups(const LintInput& input) {
  const int n = static_cast<int>(input.model.bodies.size());
  std::vector<int> group(n, -2);  // −2: not known yet
  for (int b = 0; b < n; ++b) {
    std::vector<int> path;
    int at = b;
    while (at >= 0 && group[at] == -2 && input.spec.bodies[at].joints.empty()) {
      path.push_back(at);
      at = input.model.bodies[at].parent;
    }
    if (at >= 0 && group[at] == -2) group[at] = at;
    for (const int p : path) {
      group[p] = at < 0 ? -1 : group[at];
    }
  }
  return group;
}

std::vector<std::vector<int>> list_geometries(const Model& model) {
  std::vector<std::vector<int>> lists(model.bodies.size() + 1);  // the last: the world's
  for (int g = 0; g < static_cast<int>(model.geometries.size()); ++g) {
    const int body = model.geometries[g].body;
    lists[body < 0 ? model.bodies.size() : body].push_back(g);
  }
  return lists;
}

// "body 'a'" or "body 'a' and 11 others".
std::string describe_first(const Model& model, const std::vector<int>& bodies) {
  const std::string first = describe_body(model, bodies.front());
  return bodies.size() == 1 ? first : fmt::format("{} and {} others", first, bodies.size() - 1);
}

}  // namespace

void lint_inertias(const ModelSpec& spec, Findings* findings) {
  constexpr double kRounding = 1e-9;  // of the largest moment; above 1e-6 compile() refuses it
  for (const BodySpec& body : spec.bodies) {
    if (!body.inertia || !(body.inertia->mass > 0)) continue;
    std::array<double, 9> A{}, V{};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        A[3 * i + j] = body.inertia->I_com(i, j);
      }
    }
    diagonalize_symmetric(3, A.data(), V.data());
    const double large = std::max({A[0], A[4], A[8]}), sum = A[0] + A[4] + A[8];
    const double excess = (2 * large - sum) / large;
    if (!(excess > kRounding)) continue;
    findings->note(
        "inertia", fmt::format("body '{}'", body.name), excess,
        fmt::format("its principal moments of inertia are ({:.9g}, {:.9g}, {:.9g}) kg m²: "
                    "one is above the sum of the other two, by rounding; write more digits",
                    A[0], A[4], A[8]));
  }
}

// A light body that carries, holds or touches a heavy one makes the equations of a step badly
// conditioned: rounding grows with the ratio. Bodies that have nothing to do with each other may
// differ as they like.
void lint_mass_ratios(const LintInput& input, std::span<const std::array<int, 2>> touching,
                      Findings* findings) {
  constexpr double kMost = 1e4;
  const Model& model = input.model;
  const std::vector<int> group = find_groups(input);
  const int n = static_cast<int>(group.size());
  std::vector<double> mass(n, 0.0);
  std::unordered_map<std::string, int> index;
  for (int b = 0; b < n; ++b) {
    if (group[b] >= 0) mass[group[b]] += calc_body_inertia(input.spec.bodies[b]).mass;
    index.emplace(input.spec.bodies[b].name, b);
  }
  std::set<std::array<int, 2>> seen;
  const auto compare = [&](int a, int b, const char* relation) {
    if (a < 0 || b < 0) return;
    a = group[a], b = group[b];
    if (a < 0 || b < 0 || a == b || mass[a] == 0 || mass[b] == 0) return;
    if (mass[a] > mass[b]) std::swap(a, b);
    const double ratio = mass[b] / mass[a];
    if (!(ratio > kMost) || !seen.insert({a, b}).second) return;
    findings->warn(
        "mass_ratio", fmt::format("{} and {}", describe_body(model, a), describe_body(model, b)),
        ratio,
        fmt::format("{:.3g} kg {} {:.3g} kg, a ratio of {:.2g}: equations become badly "
                    "conditioned above 1e4; check the masses, or give the light one more",
                    mass[a], relation, mass[b], ratio));
  };
  for (int b = 0; b < n; ++b) {
    int up = group[b] == b ? model.bodies[b].parent : -1;
    while (up >= 0 && group[up] >= 0 && mass[group[up]] == 0) {  // a stack of joints
      up = model.bodies[group[up]].parent;
    }
    compare(b, up, "hang together with");
  }
  for (const ConstraintSpec& c : input.spec.constraints) {
    const auto a = index.find(c.a), b = index.find(c.b);
    const bool bodies = c.kind != ConstraintKind::kCoupler && c.kind != ConstraintKind::kTendon;
    if (!bodies || a == index.end() || b == index.end()) continue;
    compare(a->second, b->second, "are constrained to");
  }
  for (const auto& [a, b] : touching) {
    compare(a, b, "touch");
  }
}

void lint_surfaces(const LintInput& input, Findings* findings) {
  const Model& model = input.model;
  const std::vector<int> group = find_groups(input);
  std::vector<char> collides(group.size(), 0);
  std::vector<int> smooth;  // bodies of geometries without friction
  bool any = false;
  for (const Geometry& g : model.geometries) {
    if (!g.collides) continue;
    any = true;
    if (g.body >= 0 && group[g.body] >= 0) collides[group[g.body]] = 1;
    if (g.material.static_friction > 0 || g.body < 0) continue;
    if (smooth.empty() || smooth.back() != g.body) smooth.push_back(g.body);
  }
  if (!smooth.empty()) {
    findings->note(
        "friction", describe_first(model, smooth), static_cast<double>(smooth.size()),
        "it touches without friction: it slides on everything; give its geometries some");
  }
  std::vector<int> untouchable;
  for (int b = 0; b < static_cast<int>(group.size()); ++b) {
    if (any && group[b] == b && collides[b] == 0) untouchable.push_back(b);
  }
  if (untouchable.empty()) return;
  findings->note("no_collision", describe_first(model, untouchable),
                 static_cast<double>(untouchable.size()),
                 "it moves and has no shape that collides: it passes through everything; give it a "
                 "collision geometry where it may touch something");
}

void lint_filters(const LintInput& input, Findings* findings) {
  const Model& model = input.model;
  Model open = model;  // in which nothing is excluded
  open.excluded.clear();
  const auto geometries = list_geometries(model);
  std::unordered_map<std::string, std::size_t> index{{kWorldName, model.bodies.size()}};
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    index.emplace(model.bodies[b].name, b);
  }
  for (const ContactFilter& filter : input.spec.exclude) {
    const auto& of_a = geometries[index.at(filter.a)];
    const auto& of_b = geometries[index.at(filter.b)];
    const bool useful = std::ranges::any_of(of_a, [&](int i) {
      return std::ranges::any_of(of_b, [&](int j) {
        return open.may_touch(i, j);
      });
    });
    if (useful) continue;
    findings->add({.check = "filter",
                   .severity = Finding::Severity::kNote,
                   .subject = fmt::format("exclude '{}', '{}'", filter.a, filter.b),
                   .what = "nothing of the two could touch anyway: they are neighbours, or have no "
                           "shapes that meet; check the names, or remove it"});
  }
}

}  // namespace cenic::detail
