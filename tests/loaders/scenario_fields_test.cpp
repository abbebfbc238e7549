// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A member that is added to a struct and not to its list of keys would be lost when a scenario is
// written. So members are counted.
#include <gtest/gtest.h>

#include "loaders/scenario/model_fields.h"

namespace cenic::test {
namespace {

struct Anything {
  template <typename T>
  operator T() const;  // NOLINT: stands for a value of any type
};

template <typename T, typename... Values>
consteval int count_members() {
  if constexpr (requires { T{Values{}..., Anything{}}; }) {
    return count_members<T, Values..., Anything>();
  } else {
    return sizeof...(Values);
  }
}

struct Counter {
  template <typename T>
  void field(const char* /*key*/, T& /*value*/, unsigned /*flags*/ = 0) {
    ++count;
  }
  void shape(Shape& /*shape*/) { ++count; }
  void picture(TextureSpec& /*texture*/) { ++count; }  // the bytes of its file
  int count = 0;
};

template <typename T>
int count_keys() {
  T value{};
  Counter counter;
  detail::describe(counter, value);
  return counter.count;
}

TEST(ScenarioFields, EveryMemberHasAKey) {
  EXPECT_EQ(count_keys<Material>(), count_members<Material>());
  EXPECT_EQ(count_keys<PairMaterial>(), count_members<PairMaterial>());
  EXPECT_EQ(count_keys<JointSpec>(), count_members<JointSpec>());
  EXPECT_EQ(count_keys<CurveSegment>(), count_members<CurveSegment>());
  EXPECT_EQ(count_keys<GeometrySpec>(), count_members<GeometrySpec>());
  EXPECT_EQ(count_keys<TextureSpec>(), count_members<TextureSpec>());
  EXPECT_EQ(count_keys<BodySpec>(), count_members<BodySpec>());
  EXPECT_EQ(count_keys<InertiaSpec>(), count_members<InertiaSpec>());
  EXPECT_EQ(count_keys<ConstraintSpec>(), count_members<ConstraintSpec>());
  EXPECT_EQ(count_keys<ContactPair>(), count_members<ContactPair>());
  EXPECT_EQ(count_keys<HydroelasticProperties>(), count_members<HydroelasticProperties>());
}

}  // namespace
}  // namespace cenic::test
