// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Friction of contacts between all kinds of geoms, and of pairs, as MuJoCo combines it.
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "loaders/mjcf_text.h"
#include "model/pair_material.h"
#include "multibody/mujoco_model.h"

namespace cenic::test {
namespace {

TEST(MjcfFriction, OfContactsIsThatOfMujoco) {
  const char* geoms[] = {"condim='1' friction='0.9'",
                         "condim='1' friction='0.1 0.02 0.003'",
                         "condim='3' friction='0.5 0.03 0.2'",
                         "condim='4' friction='0.3 0.01 0.02'",
                         "condim='6' friction='0.2'",
                         "condim='3' friction='0.05' priority='2'",
                         "condim='6' friction='0.7 0.1 0.05' priority='1'"};
  std::string text = "<mujoco><worldbody>";
  int number = 0;
  for (const char* g : geoms) {
    text += fmt::format(
        "<body name='b{0}' pos='{1} 0 0'><freejoint/><geom name='g{0}' size='1' {2}/></body>",
        number, 0.1 * number, g);
    ++number;
  }
  text +=
      "</worldbody><contact><pair geom1='g0' geom2='g1'/>"
      "<pair geom1='g0' geom2='g3' friction='0.25 0.25 0.5 0.125 0.125'/>"
      "<pair geom1='g2' geom2='g5' condim='6'/>"
      "<pair geom1='g4' geom2='g6' condim='4' friction='0.75 0.75'/>"
      "</contact></mujoco>";
  const auto model = compile(load_text_model(text).spec);
  const MujocoModel m = load_mujoco(text);
  ASSERT_NE(m, nullptr);
  const MujocoData d(mj_makeData(m.get()));
  mj_fwdPosition(m.get(), d.get());
  ASSERT_EQ(d->ncon, number * (number - 1) / 2);
  for (int i = 0; i < d->ncon; ++i) {
    const mjContact& contact = d->contact[i];
    const PairMaterial ours = combine_materials(*model, contact.geom1, contact.geom2);
    const auto theirs = [&](int least, int k) {
      return contact.dim >= least ? contact.friction[k] : 0.0;
    };
    const std::string who = fmt::format("{} and {}", contact.geom1, contact.geom2);
    EXPECT_DOUBLE_EQ(ours.static_friction, theirs(3, 0)) << who;
    EXPECT_DOUBLE_EQ(ours.dynamic_friction, theirs(3, 0)) << who;
    EXPECT_DOUBLE_EQ(ours.torsional_friction, theirs(4, 2)) << who;
    EXPECT_DOUBLE_EQ(ours.rolling_friction, theirs(6, 3)) << who;
  }
}

}  // namespace
}  // namespace cenic::test
