// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Models of MuJoCo from text, for tests that compare with it.
#pragma once

#include <cstring>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

namespace cenic::test {

struct MujocoDeleter {
  void operator()(mjModel* m) const { mj_deleteModel(m); }
  void operator()(mjData* d) const { mj_deleteData(d); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoDeleter>;
using MujocoData = std::unique_ptr<mjData, MujocoDeleter>;

inline MujocoModel load_mujoco(const std::string& mjcf) {
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "model.xml", static_cast<int>(mjcf.size()));
  const int file = mj_findFileVFS(vfs.get(), "model.xml");
  std::memcpy(vfs->filedata[file], mjcf.data(), mjcf.size());
  char error[1000] = "";
  MujocoModel model(mj_loadXML("model.xml", vfs.get(), error, sizeof(error)));
  mj_deleteVFS(vfs.get());
  EXPECT_NE(model, nullptr) << error << "\n" << mjcf;
  return model;
}

}  // namespace cenic::test
