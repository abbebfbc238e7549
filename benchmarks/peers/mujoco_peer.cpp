// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "benchmarks/peers/mujoco_peer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "core/error.h"

namespace cenic {
namespace {

std::string write_pose(const RigidTransform& X) {
  const Quat q = to_quaternion(X.R);
  return fmt::format("pos=\"{:.17g} {:.17g} {:.17g}\" quat=\"{:.17g} {:.17g} {:.17g} {:.17g}\"",
                     X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z);
}

std::string write_geometry(const GeometrySpec& g) {
  std::string shape;
  switch (g.shape.kind) {
    case ShapeKind::kSphere:
      shape = fmt::format("type=\"sphere\" size=\"{:.17g}\"", g.shape.size.x);
      break;
    case ShapeKind::kBox:
      shape = fmt::format("type=\"box\" size=\"{:.17g} {:.17g} {:.17g}\"", g.shape.size.x,
                          g.shape.size.y, g.shape.size.z);
      break;
    case ShapeKind::kHalfSpace:
      shape = "type=\"plane\" size=\"0 0 1\"";
      break;
    default:
      throw Error("the MuJoCo peer knows spheres, boxes and half spaces alone");
  }
  return fmt::format("<geom {} {} density=\"{:.17g}\" friction=\"{:.17g} 0 0\"/>\n", shape,
                     write_pose(g.X_BG), g.density, g.material.dynamic_friction);
}

std::string write_mjcf(const ModelSpec& spec, double timestep, double contact_time) {
  const std::string defaults =
      contact_time > 0
          ? fmt::format("<default><geom solref=\"{:.17g} 1\"/></default>", contact_time)
          : "";
  std::string xml = fmt::format(
      "<mujoco><option timestep=\"{:.17g}\" gravity=\"{:.17g} {:.17g} {:.17g}\"/>{}"
      "<size njmax=\"{}\" nconmax=\"{}\"/><worldbody>\n",
      timestep, spec.gravity.x, spec.gravity.y, spec.gravity.z, defaults, 60 * spec.bodies.size(),
      15 * spec.bodies.size());
  for (const GeometrySpec& g : spec.world_geometries) {
    xml += write_geometry(g);
  }
  for (const BodySpec& body : spec.bodies) {
    if (body.joints.size() != 1 || body.joints[0].kind != JointKind::kFree) {
      throw Error("the MuJoCo peer knows free bodies alone");
    }
    xml += fmt::format("<body {}><freejoint/>\n", write_pose(body.X_PB));
    for (const GeometrySpec& g : body.geometries) {
      xml += write_geometry(g);
    }
    xml += "</body>\n";
  }
  return xml + "</worldbody></mujoco>\n";
}

}  // namespace

PeerRun run_mujoco(const ModelSpec& spec, double timestep, double duration, double contact_time) {
  const std::string xml = write_mjcf(spec, timestep, contact_time);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_makeEmptyFileVFS(&vfs, "scene.xml", static_cast<int>(xml.size()));
  std::copy(xml.begin(), xml.end(),
            static_cast<char*>(vfs.filedata[mj_findFileVFS(&vfs, "scene.xml")]));
  char error[1000] = "";
  const std::unique_ptr<mjModel, void (*)(mjModel*)> model(
      mj_loadXML("scene.xml", &vfs, error, sizeof error), mj_deleteModel);
  mj_deleteVFS(&vfs);
  if (!model) throw Error(fmt::format("MuJoCo refused the scene: {}", error));
  const std::unique_ptr<mjData, void (*)(mjData*)> data(mj_makeData(model.get()), mj_deleteData);
  PeerRun run;
  const auto steps = static_cast<long>(duration / timestep + 0.5);
  for (long i = 0; i < steps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    mj_step(model.get(), data.get());
    run.wall_seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (int c = 0; c < data->ncon; ++c) {
      run.max_penetration = std::max(run.max_penetration, -data->contact[c].dist);
    }
  }
  if (data->warning[mjWARN_CONTACTFULL].number > 0 || data->warning[mjWARN_CNSTRFULL].number > 0) {
    throw Error("MuJoCo ran out of room for contacts; raise njmax and nconmax here");
  }
  mj_energyVel(model.get(), data.get());
  run.kinetic_energy = data->energy[1];
  return run;
}

}  // namespace cenic
