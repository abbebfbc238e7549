// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/compliance.h"

#include <algorithm>

#include <fmt/format.h>

namespace cenic::detail {

// With the impedance d that solimp has beyond its width: k = 1/(d t² ζ²) and
// b = 2/(d t) for a time constant t and a damping ratio ζ, or −solref/d where it is negative.
SoftSpring calc_spring_by_mass(const SoftParameters& p) {
  const double d = std::clamp(p.solimp[1], 1e-4, 0.9999);
  const auto [time, ratio] = p.solref;
  if (time > 0 && ratio <= 0) return calc_spring_by_mass({});  // so does MuJoCo
  if (time <= 0) return {std::max(0.0, -time) / (1 - d), std::max(0.0, -ratio) / (1 - d)};
  return {1 / (time * time * ratio * ratio * (1 - d)), 2 / (time * (1 - d))};
}

bool is_soft(const SoftParameters& p) {
  const SoftSpring by_mass = calc_spring_by_mass(p);
  if (p.solref[0] <= 0) return by_mass.stiffness > 0;
  constexpr double kRounding = 1 - 1e-9;
  return by_mass.stiffness < kRounding * calc_spring_by_mass({}).stiffness;
}

SoftParameters read_soft_parameters(const Attributes& a, const char* solref, const char* solimp) {
  SoftParameters p;
  const std::vector<double> ref = a.numbers_over(solref, {p.solref.begin(), p.solref.end()});
  const std::vector<double> imp = a.numbers_over(solimp, {p.solimp.begin(), p.solimp.end()});
  std::copy_n(ref.begin(), p.solref.size(), p.solref.begin());
  std::copy_n(imp.begin(), p.solimp.size(), p.solimp.begin());
  const bool soft = is_soft(p);
  for (const char* name : {solref, solimp}) {
    if (!a.has(name)) continue;
    a.report(
        Severity::kApproximated, name,
        soft ? fmt::format("{}: a spring and a damper, without MuJoCo's part by acceleration", name)
             : fmt::format("{}: no softer than MuJoCo's default, and so rigid", name));
  }
  return p;
}

SoftSpring calc_soft_spring(const SoftParameters& p, double inverse_mass) {
  if (!is_soft(p) || !(inverse_mass > 0)) return {};
  const SoftSpring by_mass = calc_spring_by_mass(p);
  return {by_mass.stiffness / inverse_mass, by_mass.damping / inverse_mass};
}

}  // namespace cenic::detail
