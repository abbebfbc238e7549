// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Files that MuJoCo, too, can load: the same coordinates and names, and the same mass, mass matrix,
// bias forces and actuator forces at random states. Velocities differ by v_ours = T v_mujoco, see
// multibody/tree_mujoco_test.cpp.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/SparseCore>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include "loaders/load.h"
#include "loaders/mjcf_coordinates.h"
#include "loaders/mjcf_files.h"
#include "multibody/mujoco_model.h"
#include "multibody/random_model.h"
#include "systems/evaluator.h"

namespace cenic::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> find_files() {
  std::vector<std::string> files;
  for (const char* root : {CENIC_SHARED_MODELS, CENIC_TEST_DATA "/loaders/data"}) {
    std::error_code status;
    for (fs::recursive_directory_iterator it(root, status), end; it != end && !status;
         it.increment(status)) {
      if (it->path().extension() == ".xml") files.push_back(it->path().string());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Relative to the largest entry, or to `least` where all are small.
double relative_error(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, double least) {
  if (a.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(least, b.cwiseAbs().maxCoeff());
}

// May the two geoms touch in MuJoCo?
bool may_touch(const mjModel& m, int g, int h) {
  for (int p = 0; p < m.npair; ++p) {
    const int a = m.pair_geom1[p], b = m.pair_geom2[p];
    if ((a == g && b == h) || (a == h && b == g)) return true;
  }
  const int b1 = m.geom_bodyid[g], b2 = m.geom_bodyid[h];
  const int w1 = m.body_weldid[b1], w2 = m.body_weldid[b2];
  if (w1 == w2) return false;
  const int p1 = m.body_weldid[m.body_parentid[w1]], p2 = m.body_weldid[m.body_parentid[w2]];
  if (w1 != 0 && w2 != 0 && (w1 == p2 || w2 == p1)) return false;
  for (int e = 0; e < m.nexclude; ++e) {
    const int low = std::min(b1, b2) + 1, high = std::max(b1, b2) + 1;
    if (m.exclude_signature[e] == (low << 16) + high ||
        m.exclude_signature[e] == (high << 16) + low) {
      return false;
    }
  }
  return (m.geom_contype[g] & m.geom_conaffinity[h]) != 0 ||
         (m.geom_contype[h] & m.geom_conaffinity[g]) != 0;
}

// The same pairs of geoms may touch, and the geoms are at the same places.
void expect_same_contacts(const Model& model, const mjModel& m) {
  if (static_cast<int>(model.geometries.size()) != m.ngeom || m.ngeom > 500) return;
  if ((m.opt.disableflags & (mjDSBL_CONSTRAINT | mjDSBL_CONTACT)) != 0) return;
  for (int g = 0; g < m.ngeom; ++g) {
    const Geometry& ours = model.geometries[g];
    if (ours.shape.kind != ShapeKind::kConvex && m.geom_type[g] != mjGEOM_MESH) {
      const double* p = m.geom_pos + 3 * g;
      // Unless MuJoCo fused the geom's body with its parent.
      const std::string body = m.names + m.name_bodyadr[m.geom_bodyid[g]];
      if (ours.body >= 0 && model.bodies[ours.body].name == body) {
        EXPECT_LT(norm(ours.X_LG.p - Vec3{p[0], p[1], p[2]}), 1e-8);
      }
    }
    for (int h = 0; h < g; ++h) {
      EXPECT_EQ(model.may_touch(g, h), may_touch(m, g, h))
          << (m.names + m.name_geomadr[g]) << " " << (m.names + m.name_geomadr[h]) << " " << g
          << " " << h;
    }
  }
}

// MuJoCo 2.2 keeps meshes in single precision, and takes the volume of a box with the inertia of
// the mesh for its volume; newer versions take the volume. Masses from meshes are taken over from
// it; mjcf_mesh_mujoco_test.cpp compares them.
void adopt_mesh_masses(const mjModel& m, ModelSpec* spec) {
  for (BodySpec& body : spec->bodies) {
    const int b = mj_name2id(&m, mjOBJ_BODY, body.name.c_str());
    const bool has_mesh = std::ranges::any_of(body.geometries, [](const GeometrySpec& g) {
      return g.shape.kind == ShapeKind::kConvex;
    });
    if (b < 0 || !has_mesh) continue;
    const Vec3 com{m.body_ipos[3 * b], m.body_ipos[3 * b + 1], m.body_ipos[3 * b + 2]};
    if (body.inertia->mass == m.body_mass[b] && norm(body.inertia->com - com) < 1e-12) continue;
    EXPECT_NEAR(body.inertia->mass, m.body_mass[b], 0.8 * m.body_mass[b]) << body.name;
    const double *e = m.body_iquat + 4 * b, *I = m.body_inertia + 3 * b;
    const Mat3 R = to_matrix({e[0], e[1], e[2], e[3]});
    body.inertia = {.mass = m.body_mass[b],
                    .com = com,
                    .I_com = R * Mat3::diagonal({I[0], I[1], I[2]}) * transpose(R)};
  }
}

void expect_same_names(const LoadedModel& loaded, const Model& model, const mjModel& m) {
  ASSERT_EQ(static_cast<int>(model.joints.size()), m.njnt);
  for (int j = 0; j < m.njnt; ++j) {
    EXPECT_EQ(model.joints[j].name, std::string(m.names + m.name_jntadr[j]));
  }
  for (int b = 1; b < m.nbody; ++b) {
    const std::string name = m.names + m.name_bodyadr[b];
    if (name.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(loaded.spec.bodies, [&](const BodySpec& body) {
      return body.name == name;
    })) << name;
  }
  for (int g = 0; g < m.ngeom; ++g) {
    const std::string name = m.names + m.name_geomadr[g];
    if (name.empty() || m.geom_type[g] == mjGEOM_HFIELD) continue;
    EXPECT_TRUE(std::ranges::any_of(model.geometries, [&](const Geometry& geometry) {
      return geometry.name == name;
    })) << name;
  }
}

void expect_same_mass(const LoadedModel& loaded, const mjModel& m) {
  double mass = 0;
  for (const BodySpec& body : loaded.spec.bodies) {
    mass += body.inertia->mass;
  }
  EXPECT_NEAR(mass, m.body_subtreemass[0], 1e-10 * (1e-9 + m.body_subtreemass[0]));
}

bool is_not_zero(double x) { return x != 0; }

bool has_passive_tendons(const mjModel& m) {
  return std::any_of(m.tendon_stiffness, m.tendon_stiffness + m.ntendon, is_not_zero) ||
         std::any_of(m.tendon_damping, m.tendon_damping + m.ntendon, is_not_zero);
}

// Generalised forces of all actuators, and of springs on tendons, at random controls and
// activations, when none is left out.
void compare_actuators(const LoadedModel& loaded, const Model& model, const std::vector<double>& q,
                       const std::vector<double>& v, const Eigen::SparseMatrix<double>& T,
                       const mjModel& m, mjData* d, Random* random) {
  if (static_cast<int>(loaded.controls.size()) != m.nu || m.nv == 0) return;
  const bool passive_joints = std::any_of(m.dof_damping, m.dof_damping + m.nv, is_not_zero) ||
                              std::any_of(m.jnt_stiffness, m.jnt_stiffness + m.njnt, is_not_zero);
  const bool passive = has_passive_tendons(m) || m.opt.density > 0 || m.opt.viscosity > 0;
  const bool ellipsoids = std::any_of(m.geom_fluid, m.geom_fluid + m.ngeom * mjNFLUID, is_not_zero);
  if (passive && (passive_joints || ellipsoids)) return;
  State state = make_initial_state(model);
  state.q = q;
  state.v = v;
  for (int i = 0; i < m.nu; ++i) {
    const bool limited = m.actuator_ctrllimited[i] != 0;
    const double low = limited ? m.actuator_ctrlrange[2 * i] : -1;
    const double high = limited ? m.actuator_ctrlrange[2 * i + 1] : 1;
    d->ctrl[i] = random->uniform(low, high);
    const System& input = model.systems[model.find_system(loaded.controls[i])];
    state.z[input.z_start] = d->ctrl[i];
  }
  int activation = 0;
  std::vector<int> rates;  // of ours, for each of MuJoCo's
  for (int i = 0; i < m.nu; ++i) {
    if (m.actuator_dyntype[i] == mjDYN_NONE) continue;
    const System& system = model.systems[model.find_system(loaded.controls[i] + ":force")];
    state.z[system.z_start] = d->act[activation++] = random->uniform(-1, 1);
    rates.push_back(system.z_start);
  }
  mj_fwdActuation(&m, d);
  Measurements measurements;
  measurements.resize(model);
  SystemEvaluator evaluator(model);
  evaluator.set_measurements(&measurements);
  evaluator.set_state(state);
  ASSERT_TRUE(evaluator.evaluate(0, true));
  std::vector<double> tau(model.nv, 0.0);
  evaluator.add_forces(tau);
  Eigen::VectorXd theirs = Eigen::Map<Eigen::VectorXd>(d->qfrc_actuator, m.nv);
  if (passive) theirs += Eigen::Map<Eigen::VectorXd>(d->qfrc_passive, m.nv);
  for (int a = 0; a < m.na; ++a) {
    EXPECT_NEAR(evaluator.zdot()[rates[a]], d->act_dot[a], 1e-12);
  }
  // Ranges of muscles that neither file gives are found in different ways.
  const bool searched = std::ranges::any_of(loaded.diagnostics.list(), [](const auto& entry) {
    return entry.what.starts_with("lengthrange:");
  });
  EXPECT_LT((T.transpose() * as_eigen(tau) - theirs).cwiseAbs().maxCoeff(),
            (searched ? 2e-3 : 1e-8) * std::max(1.0, theirs.cwiseAbs().maxCoeff()));
}

class MjcfFile : public testing::TestWithParam<std::string> {};

TEST_P(MjcfFile, AgreesWithMujoco) {
  const ForMujoco peer = load_for_mujoco(GetParam());
  const MujocoModel& m = peer.model;
  if (GetParam().starts_with(CENIC_TEST_DATA)) {
    ASSERT_NE(m, nullptr) << peer.error;
  }
  if (m == nullptr) GTEST_SKIP() << mj_versionString() << " cannot load it: " << peer.error;
  LoadedModel loaded = load_model(GetParam(), {.allowed_folders = {CENIC_SHARED_MODELS}});
  adopt_mesh_masses(*m, &loaded.spec);
  // Limits are constraints in MuJoCo, not forces of tendons.
  std::erase_if(loaded.spec.systems, [](const SystemSpec& s) {
    return s.name.ends_with(":limit");
  });
  Bench bench(loaded.spec);
  const Model& model = *bench.model;
  if (m->nmocap > 0 && model.nv != m->nv) GTEST_SKIP() << "its mocap bodies are free";
  ASSERT_EQ(model.nv, m->nv);
  ASSERT_EQ(model.nq, m->nq);
  expect_same_names(loaded, model, *m);
  expect_same_mass(loaded, *m);
  expect_same_contacts(model, *m);
  if (HasFatalFailure()) return;

  const MujocoData d(mj_makeData(m.get()));
  Random random(7);
  const double weight = 1e-3 * norm(model.gravity) * model.total_mass;
  const double tolerance = peer.full_inertia ? 5e-8 : 1e-8;
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> q = make_random_positions(model, &random);
    const std::vector<double> v = random.array(model.nv, 2);
    Eigen::SparseMatrix<double> T;
    map_coordinates(loaded.spec, model, q, *m, d.get(), &T);
    Eigen::Map<Eigen::VectorXd>(d->qvel, m->nv) = T.transpose() * as_eigen(v);
    // Without contacts.
    mj_kinematics(m.get(), d.get());
    mj_comPos(m.get(), d.get());
    mj_tendon(m.get(), d.get());
    mj_transmission(m.get(), d.get());
    mj_crb(m.get(), d.get());
    mj_fwdVelocity(m.get(), d.get());
    bench.set(q, v);
    Eigen::MatrixXd M_mj(m->nv, m->nv);
    mj_fullM(m.get(), M_mj.data(), d->qM);
    EXPECT_LT(relative_error(T.transpose() * bench.mass_matrix() * T, M_mj, 0), tolerance);
    const Eigen::VectorXd bias = Eigen::Map<Eigen::VectorXd>(d->qfrc_bias, m->nv);
    EXPECT_LT(relative_error(T.transpose() * bench.inverse_dynamics(v, {}), bias, weight),
              tolerance);
    if (!peer.other_actuators) {
      compare_actuators(loaded, model, q, v, T, *m, d.get(), &random);
    }
    if (HasFailure()) return;
  }
}

// "menagerie_spot_spot_xml": letters and digits alone.
std::string name_of(const testing::TestParamInfo<std::string>& info) {
  const fs::path path(info.param);
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::ranges::replace_if(
      name,
      [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) == 0;
      },
      '_');
  return fmt::format("{}_{}", name, info.index);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(MjcfFile);
INSTANTIATE_TEST_SUITE_P(Shared, MjcfFile, testing::ValuesIn(find_files()), name_of);

}  // namespace
}  // namespace cenic::test
