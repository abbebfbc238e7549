// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// The settings for MuJoCo in a URDF, against MuJoCo reading the same file.
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "loaders/robot_text.h"

namespace cenic::test {
namespace {

// An arm on the world: a link whose moments no body has, one without a mass of its own with a
// fixed one on it, and a base that does not move.
std::string arm(const std::string& settings, const std::string& more = "") {
  return "<robot name='r'>" + settings + R"(
<link name='world'/>
<link name='base'><inertial><mass value='3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>
<link name='a'>
  <inertial><origin rpy='0.1 0.2 0.3' xyz='0 0 0.1'/><mass value='2'/>
    <inertia ixx='0.1' iyy='0.2' izz='0.5' ixy='0.02' ixz='0' iyz='0'/></inertial>
  <collision><origin rpy='0.3 0.2 0.1' xyz='0.1 0 0'/><geometry><box size='0.1 0.2 0.3'/></geometry></collision>
  <visual><geometry><sphere radius='0.3'/></geometry></visual>
</link>
<link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
<link name='c'><inertial><mass value='0.5'/><inertia ixx='1e-6' iyy='1e-6' izz='1e-6' ixy='0' ixz='0' iyz='0'/></inertial></link>
<joint name='hold' type='fixed'><parent link='world'/><child link='base'/></joint>
<joint name='j0' type='revolute'><parent link='base'/><child link='a'/>
  <origin xyz='0 0 1' rpy='0.3 0.4 0.5'/><axis xyz='0 1 0'/>
  <limit lower='-1' upper='1' effort='1' velocity='1'/><dynamics damping='0.3' friction='0.2'/></joint>
<joint name='j1' type='continuous'><parent link='a'/><child link='b'/>
  <origin xyz='0 0 1' rpy='0 0.2 0'/><axis xyz='1 0 0'/></joint>
<joint name='j2' type='fixed'><parent link='b'/><child link='c'/><origin xyz='0 0.1 1'/></joint>)" +
         more + "</robot>";
}

struct Mujoco {
  std::unique_ptr<mjModel, void (*)(mjModel*)> model{nullptr, mj_deleteModel};
  std::unique_ptr<mjData, void (*)(mjData*)> data{nullptr, mj_deleteData};

  explicit Mujoco(const std::string& path) {
    char error[1000] = "";
    model.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
    if (model == nullptr) throw std::runtime_error(error);
    data.reset(mj_makeData(model.get()));
  }
};

// M(q) and the bias forces at random states; joints are in the same order, each of one axis.
void expect_same_as_mujoco(const std::string& path) {
  const LoadedModel loaded = load_model(path);
  Bench ours(loaded.spec);
  const Mujoco mujoco(path);
  const mjModel& m = *mujoco.model;
  mjData* d = mujoco.data.get();
  const int n = ours.model->nv;
  ASSERT_EQ(n, m.nv);
  ASSERT_EQ(ours.model->nq, m.nq);
  const Vec3& g = loaded.spec.gravity;
  EXPECT_EQ(g, (Vec3{m.opt.gravity[0], m.opt.gravity[1], m.opt.gravity[2]}));
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> q = make_random_positions(*ours.model, &random);
    const std::vector<double> v = random.array(n);
    ours.set(q, v);
    std::copy_n(q.begin(), n, d->qpos);
    std::copy_n(v.begin(), n, d->qvel);
    mj_forward(&m, d);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(n, n);
    mj_fullM(&m, M.data(), d->qM);
    EXPECT_LT((ours.mass_matrix() - M).norm(), 1e-9 * M.norm());
    const Eigen::Map<const Eigen::VectorXd> bias(d->qfrc_bias, n);
    EXPECT_LT((ours.inverse_dynamics(v, {}) - bias).norm(), 1e-9 * (1 + bias.norm()));
  }
}

void expect_same(const std::string& settings) {
  SCOPED_TRACE(settings);
  const TemporaryFolder folder;
  expect_same_as_mujoco(folder.write("robot.urdf", arm("<mujoco>" + settings + "</mujoco>")));
}

TEST(UrdfMujoco, InertiaIsThatOfMujoco) {
  expect_same("<compiler balanceinertia='true'/>");
  expect_same("<compiler balanceinertia='true' boundmass='0.01' boundinertia='1e-3'/>");
  expect_same("<compiler balanceinertia='true' fusestatic='false' discardvisual='false'/>");
  expect_same("<compiler inertiafromgeom='true'/>");
  expect_same("<compiler balanceinertia='true' inertiafromgeom='false'/>");
  expect_same("<compiler balanceinertia='true' settotalmass='10'/>");
  expect_same("<compiler balanceinertia='true' settotalmass='10' fusestatic='false'/>");
}

// The same settings in MJCF: masses from geoms where there are any, and a total that leaves out
// what is part of the world.
TEST(UrdfMujoco, SettingsMeanTheSameInMjcf) {
  const TemporaryFolder folder;
  expect_same_as_mujoco(folder.write("model.xml", R"(<mujoco model="masses">
  <compiler inertiafromgeom="true" settotalmass="7" fusestatic="true"/>
  <worldbody>
    <body name="fixed" pos="1 0 0"><geom size="0.2"/>
      <body name="arm" pos="0 0 1"><joint name="a" axis="0 1 0"/>
        <inertial pos="0 0 0.2" mass="3" diaginertia="0.1 0.2 0.25"/></body></body>
    <body name="leg" pos="0 0 1"><joint name="b" axis="1 0 0"/>
      <inertial pos="0 0 0.2" mass="30" diaginertia="0.1 0.2 0.25"/>
      <geom type="box" size="0.1 0.1 0.2" pos="0 0 0.1"/></body>
  </worldbody>
</mujoco>)"));
}

TEST(UrdfMujoco, AnglesAreRadiansWhateverTheFileSays) {
  expect_same("<compiler balanceinertia='true' angle='degree' eulerseq='zyx'/>");
}

TEST(UrdfMujoco, OptionsAreThoseOfMjcf) {
  expect_same("<compiler balanceinertia='true'/><option gravity='1 2 -5' timestep='0.01'/>");
  const LoadedModel loaded = load_as(
      "robot.urdf", arm("<mujoco><compiler balanceinertia='true'/><option density='1.2' "
                        "timestep='0.01'><flag contact='disable' limit='disable' "
                        "frictionloss='disable' damper='disable' gravity='disable' "
                        "filterparent='disable'/></option><size njmax='5'/><odd/></mujoco>"));
  const JointSpec& joint = joint_of(loaded.spec, "j0");
  EXPECT_TRUE(joint.lower.empty() && joint.upper.empty());
  EXPECT_EQ(joint.dry_friction, 0);
  EXPECT_EQ(joint.damping, 0);
  EXPECT_EQ(loaded.spec.gravity, Vec3{});
  EXPECT_FALSE(loaded.spec.filter_parent_child);
  EXPECT_FALSE(body_of(loaded.spec, "a").geometries.at(0).collides);
  EXPECT_EQ(loaded.spec.systems.size(), 3U);  // the medium: a, b and c move
  for (const char* part : {"timestep", "<size>", "<odd>"}) {
    EXPECT_TRUE(is_reported(loaded, Severity::kIgnored, part)) << part << list_reports(loaded);
  }
}

TEST(UrdfMujoco, MistakesOfTheSettingsHaveALine) {
  const std::string errors =
      errors_of("robot.urdf", arm("\n<mujoco><compiler boundmass='much'/></mujoco>"));
  EXPECT_TRUE(contains(errors, "robot.urdf:2: error: ")) << errors;
}

// A tetrahedron, beside the model in a folder of meshes.
constexpr const char* kObj =
    "v 0 0 0\nv 0.2 0 0\nv 0 0.2 0\nv 0 0 0.2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

std::string with_mesh(const std::string& settings, const std::string& uri) {
  return "<robot name='r'>" + settings +
         "<link name='world'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
         "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><mesh filename='" +
         uri +
         "'/></geometry></collision></link><joint name='j' type='continuous'><parent "
         "link='world'/><child link='a'/></joint></robot>";
}

TEST(UrdfMujoco, MeshesAreWhereTheCompilerSays) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() + "/parts/deep");
  folder.write("parts/x.obj", kObj);
  folder.write("parts/deep/y.obj", kObj);
  folder.write("z.obj", kObj);
  const auto loads = [&](const std::string& settings, const std::string& uri) {
    const std::string path = folder.write("robot.urdf", with_mesh(settings, uri));
    EXPECT_NO_THROW(expect_same_as_mujoco(path)) << settings << " " << uri;
  };
  loads("<mujoco><compiler meshdir='parts'/></mujoco>", "package://any/where/x.obj");
  loads("<mujoco><compiler meshdir='parts' strippath='false'/></mujoco>", "deep/y.obj");
  // What MuJoCo does not find, but others do.
  const auto loads_here = [&](const std::string& settings, const std::string& uri) {
    return load_model(folder.write("robot.urdf", with_mesh(settings, uri))).spec.bodies.size();
  };
  EXPECT_EQ(loads_here("<mujoco><compiler meshdir='parts'/></mujoco>", "parts/deep/y.obj"), 1U);
  EXPECT_EQ(loads_here("<mujoco><compiler meshdir='parts'/></mujoco>", "file://z.obj"), 1U);
  EXPECT_THROW(loads_here("", "package://any/where/x.obj"), Error);
}

}  // namespace
}  // namespace cenic::test
