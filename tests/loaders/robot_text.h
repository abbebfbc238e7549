// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Models of several formats against each other.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "core/error.h"
#include "loaders/load.h"
#include "loaders/mjcf_text.h"
#include "multibody/random_model.h"

namespace cenic::test {

inline LoadedModel load_as(const std::string& name, const std::string& text,
                           const LoadOptions& options = {}) {
  const TemporaryFolder folder;
  return load_model(folder.write(name, text), options);
}

// All errors of a text that does not load; empty when it does.
inline std::string errors_of(const std::string& name, const std::string& text) {
  try {
    load_as(name, text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

inline bool is_reported(const LoadedModel& loaded, Severity severity, const std::string& part) {
  for (const Diagnostic& d : loaded.diagnostics.list()) {
    if (d.severity == severity && d.what.find(part) != std::string::npos && d.line > 0) return true;
  }
  return false;
}
inline std::string list_reports(const LoadedModel& loaded) {
  std::string text;
  for (const Diagnostic& d : loaded.diagnostics.list()) {
    text += to_string(d) + "\n";
  }
  return text;
}

// Poses of the bodies of `a` by name and M(q) are the same at random states. Bodies and joints in
// the same order.
inline void expect_same_mechanics(const ModelSpec& a, const ModelSpec& b, double tolerance) {
  Bench x(a), y(b);
  ASSERT_EQ(x.model->nq, y.model->nq);
  ASSERT_EQ(x.model->nv, y.model->nv);
  const auto links_by_body = [](const ModelSpec& spec, const Model& model) {
    std::map<std::string, int> links;
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      links[spec.bodies[model.links[i].body].name] = static_cast<int>(i);  // the last of a stack
    }
    return links;
  };
  const auto in_x = links_by_body(a, *x.model), in_y = links_by_body(b, *y.model);
  Random random(7);
  for (int k = 0; k < 20; ++k) {
    const std::vector<double> q = make_random_positions(*x.model, &random);
    const std::vector<double> v = random.array(x.model->nv);
    x.set(q, v);
    y.set(q, v);
    const Eigen::MatrixXd M = x.mass_matrix();
    EXPECT_LT((M - y.mass_matrix()).norm(), tolerance * M.norm());
    for (const auto& [name, link] : in_x) {
      const auto other = in_y.find(name);
      if (other == in_y.end()) continue;
      const RigidTransform &X = x.kin.X_WB[link], &Y = y.kin.X_WB[other->second];
      EXPECT_LT(norm(X.p - Y.p), tolerance) << name;
      EXPECT_LT(norm(X.R.row[0] - Y.R.row[0]) + norm(X.R.row[1] - Y.R.row[1]), tolerance) << name;
    }
  }
}

inline const BodySpec& body_of(const ModelSpec& spec, const std::string& name) {
  for (const BodySpec& body : spec.bodies) {
    if (body.name == name) return body;
  }
  throw std::runtime_error("no body " + name);
}
inline const JointSpec& joint_of(const ModelSpec& spec, const std::string& name) {
  for (const BodySpec& body : spec.bodies) {
    for (const JointSpec& joint : body.joints) {
      if (joint.name == name) return joint;
    }
  }
  throw std::runtime_error("no joint " + name);
}

}  // namespace cenic::test
