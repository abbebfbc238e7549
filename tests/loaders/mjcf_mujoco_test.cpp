// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Files that MuJoCo, too, can load: the same coordinates and names, and the same mass, mass matrix,
// bias forces and actuator forces at random states. Velocities differ by v_ours = T v_mujoco, see
// multibody/tree_mujoco_test.cpp. What the library cannot load, a newer Python package may.
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
#include "loaders/mjcf_files.h"
#include "loaders/mujoco_reference.h"
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

const JointSpec& find_spec(const ModelSpec& spec, const Joint& joint, int number) {
  int k = 0;
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& j : body.joints) {
      if (k++ == number) return j;
    }
  }
  throw std::logic_error("no joint " + joint.name);
}

// Our coordinates for MuJoCo's, and T.
std::vector<double> map_coordinates(const ModelSpec& spec, const Model& model,
                                    const MujocoReference& m, const std::vector<double>& qpos,
                                    Eigen::SparseMatrix<double>* T) {
  std::vector<double> q(model.nq);
  std::vector<Eigen::Triplet<double>> entries;
  const auto rotate = [&](const Mat3& R, int row, int column) {
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 3; ++k) {
        entries.emplace_back(row + i, column + k, R(i, k));
      }
    }
  };
  for (int j = 0; j < static_cast<int>(model.joints.size()); ++j) {
    const Joint& joint = model.joints[j];
    const double* from = &qpos[m.qposadr[j]];
    const int dof = m.dofadr[j];
    double* to = &q[joint.q_start];
    if (joint.nq == 1) {
      to[0] = from[0];
      entries.emplace_back(joint.v_start, dof, 1);
      continue;
    }
    if (joint.kind == JointKind::kFree) {
      std::copy_n(from, 3, to + 4);
      std::copy_n(from + 3, 4, to);
      rotate(to_matrix({to[0], to[1], to[2], to[3]}), joint.v_start, dof + 3);
      rotate(Mat3::identity(), joint.v_start + 3, dof);
      continue;
    }
    const Mat3 R_BF = find_spec(spec, joint, j).X_BF.R;
    const Quat e_BF = to_quaternion(R_BF), e_mj{from[0], from[1], from[2], from[3]};
    const Quat e = conjugate(e_BF) * e_mj * e_BF;
    to[0] = e.w, to[1] = e.x, to[2] = e.y, to[3] = e.z;
    rotate(to_matrix(e) * transpose(R_BF), joint.v_start, dof);
  }
  T->resize(model.nv, model.nv);
  T->setFromTriplets(entries.begin(), entries.end());
  return q;
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
      return g.shape.kind == ShapeKind::kConvex || g.shape.kind == ShapeKind::kSurface;
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

bool is_reported(const LoadedModel& loaded, const std::string& part) {
  return std::ranges::any_of(loaded.diagnostics.list(), [&](const Diagnostic& d) {
    return d.what.find(part) != std::string::npos;
  });
}

void expect_same_names(const LoadedModel& loaded, const Model& model, const MujocoReference& m) {
  ASSERT_EQ(model.joints.size(), m.joints.size());
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    EXPECT_EQ(model.joints[j].name, m.joints[j]);
  }
  for (const std::string& name : m.bodies) {
    if (name.empty()) continue;
    EXPECT_NE(std::ranges::find(loaded.spec.bodies, name, &BodySpec::name),
              loaded.spec.bodies.end())
        << name;
  }
  const bool all_geoms = !is_reported(loaded, "the geom is left out");
  for (const std::string& name : m.geoms) {
    if (name.empty() || !all_geoms) continue;
    EXPECT_NE(std::ranges::find(model.geometries, name, &Geometry::name), model.geometries.end())
        << name;
  }
}

void expect_same_mass(const LoadedModel& loaded, double theirs, double tolerance) {
  double mass = 0;
  for (const BodySpec& body : loaded.spec.bodies) {
    mass += body.inertia->mass;
  }
  EXPECT_NEAR(mass, theirs, tolerance * (1e-9 + theirs));
}

// Generalised forces of all actuators, of springs on tendons and of the medium, at random controls
// and activations, when none is left out.
void compare_forces(const LoadedModel& loaded, const Model& model, const std::vector<double>& q,
                    const std::vector<double>& v, const Eigen::SparseMatrix<double>& T,
                    const MujocoReference& m, const MujocoSample& sample) {
  if (loaded.controls.size() != sample.ctrl.size() || m.nv == 0 || m.ellipsoids) return;
  State state = make_initial_state(model);
  state.q = q;
  state.v = v;
  std::vector<int> rates;  // of ours, for each of MuJoCo's
  for (std::size_t i = 0, ctrl = 0; i < m.states.size(); ++i) {
    // "name", "name:vel" and "name:ff" are controls of "name:force".
    std::string name = loaded.controls[ctrl];
    for (const char* end : {":vel", ":ff"}) {
      if (name.ends_with(end)) name.erase(name.size() - std::string_view(end).size());
    }
    for (int k = 0; k < m.ctrlnum[i]; ++k, ++ctrl) {
      state.z[model.systems[model.find_system(loaded.controls[ctrl])].z_start] = sample.ctrl[ctrl];
    }
    for (const std::string& which : m.states[i]) {
      const System& system = model.systems[model.find_system(name + ":force")];
      const auto found = std::ranges::find(system.state_names, which);
      ASSERT_NE(found, system.state_names.end()) << name << " " << which;
      const int z = system.z_start + static_cast<int>(found - system.state_names.begin());
      state.z[z] = sample.act[rates.size()];
      rates.push_back(z);
    }
  }
  Measurements measurements;
  measurements.resize(model);
  SystemEvaluator evaluator(model);
  evaluator.set_measurements(&measurements);
  evaluator.set_state(state);
  ASSERT_TRUE(evaluator.evaluate(0, true));
  std::vector<double> tau(model.nv, 0.0);
  evaluator.add_forces(tau);
  const Eigen::VectorXd theirs = as_eigen(sample.force);
  for (std::size_t a = 0; a < rates.size(); ++a) {
    EXPECT_NEAR(evaluator.zdot()[rates[a]], sample.act_dot[a],
                1e-12 * std::max(1.0, std::abs(sample.act_dot[a])));
  }
  // Ranges of muscles that neither file gives are found in different ways.
  const bool searched = std::ranges::any_of(loaded.diagnostics.list(), [](const auto& entry) {
    return entry.what.starts_with("lengthrange:");
  });
  EXPECT_LT((T.transpose() * as_eigen(tau) - theirs).cwiseAbs().maxCoeff(),
            (searched ? 2e-3 : 1e-8) * std::max(1.0, theirs.cwiseAbs().maxCoeff()));
}

// Sizes, names and mass, and M(q), bias and forces at all samples.
void compare(LoadedModel loaded, const MujocoReference& m, double tolerance, bool forces) {
  // Limits are constraints in MuJoCo, not forces of tendons.
  std::erase_if(loaded.spec.systems, [](const SystemSpec& s) {
    return s.name.ends_with(":limit");
  });
  Bench bench(loaded.spec);
  const Model& model = *bench.model;
  ASSERT_EQ(model.nv, m.nv);
  ASSERT_EQ(model.nq, m.nq);
  expect_same_names(loaded, model, m);
  expect_same_mass(loaded, m.mass, m.meshes ? 1e-7 : 1e-10);
  if (testing::Test::HasFatalFailure()) return;
  const double weight = 1e-3 * norm(model.gravity) * model.total_mass;
  for (int k = 0; k < m.num_samples; ++k) {
    const MujocoSample sample = m.sample(k);
    Eigen::SparseMatrix<double> T;
    const std::vector<double> q = map_coordinates(loaded.spec, model, m, sample.qpos, &T);
    const Eigen::VectorXd ours = T * as_eigen(sample.qvel);
    const std::vector<double> v(ours.begin(), ours.end());
    bench.set(q, v);
    const Eigen::MatrixXd M = Eigen::Map<const Eigen::MatrixXd>(sample.M.data(), m.nv, m.nv);
    EXPECT_LT(relative_error(T.transpose() * bench.mass_matrix() * T, M, 0), tolerance);
    EXPECT_LT(relative_error(T.transpose() * bench.inverse_dynamics(v, {}), as_eigen(sample.bias),
                             weight),
              tolerance);
    if (forces) compare_forces(loaded, model, q, v, T, m, sample);
    if (testing::Test::HasFailure()) return;
  }
}

LoadedModel load_shared(const std::string& path) {
  return load_model(path, {.allowed_folders = shared_folders()});
}

class MjcfFile : public testing::TestWithParam<std::string> {};

TEST_P(MjcfFile, AgreesWithMujoco) {
  const ForMujoco peer = load_for_mujoco(GetParam());
  const MujocoModel& m = peer.model;
  const bool newer = GetParam().find("/newer/") != std::string::npos;
  if (GetParam().starts_with(CENIC_TEST_DATA) && !newer) {
    ASSERT_NE(m, nullptr) << peer.error;
  }
  if (m == nullptr) GTEST_SKIP() << mj_versionString() << " cannot load it: " << peer.error;
  LoadedModel loaded = load_shared(GetParam());
  adopt_mesh_masses(*m, &loaded.spec);
  expect_same_contacts(*compile(loaded.spec), *m);
  compare(std::move(loaded), make_reference(m.get(), 20), peer.full_inertia ? 5e-8 : 1e-8,
          !peer.other_actuators);
}

// On what the library cannot load, or not with all its actuators.
TEST_P(MjcfFile, AgreesWithNewerMujoco) {
  if (find_mujoco_python().empty()) {
    GTEST_SKIP() << "no Python with the package mujoco (CENIC_MUJOCO_PYTHON)";
  }
  const ForMujoco peer = load_for_mujoco(GetParam());
  if (peer.model != nullptr && !peer.other_actuators) GTEST_SKIP() << "compared with the library";
  std::string problem;
  const auto reference = ask_python(GetParam(), &problem);
  if (!reference) GTEST_SKIP() << "the package cannot load it: " << problem;
  if (reference->soft) GTEST_SKIP() << "soft bodies are not known";
  LoadedModel loaded = load_shared(GetParam());
  // Said, and not the same: compared but for forces.
  const bool forces = !is_reported(loaded, "does not limit actuators on tendons");
  // MuJoCo keeps meshes in single precision.
  compare(std::move(loaded), *reference, reference->meshes ? 1e-7 : 1e-8, forces);
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
