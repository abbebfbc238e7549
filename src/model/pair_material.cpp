// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "model/pair_material.h"

#include <algorithm>
#include <cmath>

#include "geometry/hydroelastic/pressure_field.h"

namespace cenic {
namespace {

// An infinitely stiff side does not deform: the other takes all.
double share_of_second(double stiffness_a, double stiffness_b) {
  if (std::isinf(stiffness_a)) return 1;
  return std::isinf(stiffness_b) ? 0 : stiffness_a / (stiffness_a + stiffness_b);
}

double combine(FrictionRule rule, double x, double y) {
  if (rule == FrictionRule::kLarger) return std::max(x, y);
  return x + y > 0 ? 2 * x * y / (x + y) : 0;
}

void combine_friction(const Material& first, const Material& second, PairMaterial* pair) {
  const Material& a = first.priority < second.priority ? second : first;
  const Material& b = first.priority > second.priority ? first : second;
  const bool larger =
      a.friction_rule == FrictionRule::kLarger || b.friction_rule == FrictionRule::kLarger;
  const FrictionRule rule = larger ? FrictionRule::kLarger : FrictionRule::kHarmonicMean;
  const int dimensions = std::max(a.friction_dimensions, b.friction_dimensions);
  if (dimensions < 3) return;
  pair->static_friction = combine(rule, a.static_friction, b.static_friction);
  pair->dynamic_friction = combine(rule, a.dynamic_friction, b.dynamic_friction);
  if (dimensions < 4) return;
  pair->torsional_friction = combine(rule, a.torsional_friction, b.torsional_friction);
  if (dimensions < 6) return;
  pair->rolling_friction = combine(rule, a.rolling_friction, b.rolling_friction);
}

}  // namespace

const char* to_string(FrictionRule rule) {
  return rule == FrictionRule::kLarger ? "larger" : "harmonic_mean";
}

double calc_share_of_b(const Material& a, const Material& b) {
  return share_of_second(a.stiffness, b.stiffness);
}

PairMaterial combine_materials(const Material& a, const Material& b) {
  PairMaterial pair;
  combine_friction(a, b, &pair);
  const double share = calc_share_of_b(a, b);
  pair.stiffness = std::isinf(a.stiffness) ? b.stiffness : (1 - share) * a.stiffness;
  pair.dissipation = (1 - share) * a.dissipation + share * b.dissipation;
  return pair;
}

const PairMaterial* find_pair_material(const Model& model, int a, int b) {
  const auto found =
      std::ranges::lower_bound(model.pair_materials, pair_key(a, b), {}, &Model::PairOverride::key);
  const bool has = found != model.pair_materials.end() && found->key == pair_key(a, b);
  return has ? &found->material : nullptr;
}

PairMaterial combine_materials(const Model& model, int a, int b) {
  if (const PairMaterial* own = find_pair_material(model, a, b)) return *own;
  const Geometry &A = model.geometries[a], &B = model.geometries[b];
  PairMaterial pair = combine_materials(A.material, B.material);
  if (A.field != nullptr && B.field != nullptr) {
    const auto modulus = [](const PressureField& field) {
      return field.compliance == Compliance::kRigid ? INFINITY : field.modulus;
    };
    const double share = share_of_second(modulus(*A.field), modulus(*B.field));
    pair.dissipation = (1 - share) * A.material.dissipation + share * B.material.dissipation;
  }
  return pair;
}

}  // namespace cenic
