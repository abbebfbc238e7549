// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/replay_page.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "core/error.h"
#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"
#include "viewer/page_data.h"
#include "viewer/page_source.h"

namespace cenic {
namespace {

constexpr int kPose = 7;                  // numbers of a pose
constexpr std::size_t kMaxPoints = 3000;  // of the plot of step sizes
constexpr double kTimeSlack = 1e-9;       // a frame this late still belongs to a step, s

std::array<double, kPose> to_array(const RigidTransform& X) {
  const Quat q = to_quaternion(X.R);
  return {X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z};
}

// Displacement after the fraction s of a step that moves by d in all: the cubic with the slopes m0
// and m1. Where they do not fit d, something was hit, and slopes are cut so that the cubic stays
// monotone and nothing dips into a wall between two steps.
double interpolate_displacement(double d, double m0, double m1, double s) {
  if (std::abs(d - 0.5 * (m0 + m1)) > 0.1 * (std::abs(m0) + std::abs(m1))) {
    const auto cut = [&](double m) {
      return m * d <= 0 ? 0 : std::copysign(std::min(std::abs(m), 3 * std::abs(d)), d);
    };
    m0 = cut(m0);
    m1 = cut(m1);
  }
  const double s2 = s * s, s3 = s2 * s;
  return (3 * s2 - 2 * s3) * d + (s3 - 2 * s2 + s) * m0 + (s3 - s2) * m1;
}

std::string make_hull(const ConvexHull& hull) {
  std::vector<double> vertices;
  for (const Vec3& p : hull.vertices) {
    vertices.insert(vertices.end(), {p.x, p.y, p.z});
  }
  const std::vector<double> starts(hull.face_start.begin(), hull.face_start.end());
  const std::vector<double> corners(hull.face_vertices.begin(), hull.face_vertices.end());
  return fmt::format(R"({{"vertices":{},"starts":{},"corners":{}}})",
                     detail::make_json_array(vertices), detail::make_json_array(starts),
                     detail::make_json_array(corners));
}

std::string make_triangles(const TriangleMesh& mesh) {
  std::vector<double> vertices, corners;
  for (const Vec3& p : mesh.vertices) {
    vertices.insert(vertices.end(), {p.x, p.y, p.z});
  }
  for (const auto& triangle : mesh.triangles) {
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  }
  return fmt::format(R"({{"vertices":{},"corners":{}}})", detail::make_json_array(vertices),
                     detail::make_json_array(corners));
}

// The triangles that a shape is drawn as, if any: what shapes of the same triangles have in common.
const void* find_drawn(const Shape& shape) {
  if (shape.mesh != nullptr) return shape.mesh.get();
  if (shape.surface != nullptr) return shape.surface.get();
  return shape.height_field.get();
}

std::string make_drawn(const Shape& shape) {
  if (shape.mesh != nullptr) return make_triangles(shape.mesh->surface);
  if (shape.surface != nullptr) return make_triangles(*shape.surface);
  return make_triangles(make_height_field_mesh(*shape.height_field));
}

}  // namespace

ReplayRecorder::ReplayRecorder(const Model& model, double fps) : model_(model), fps_(fps) {
  if (!(fps > 0) || !std::isfinite(fps)) {
    throw Error(fmt::format("the frame rate is {}; give a positive number", fps));
  }
  std::vector<char> seen(model.links.size(), 0);
  for (const Geometry& geometry : model.geometries) {
    if (geometry.link >= 0 && model.links[geometry.link].tree >= 0) seen[geometry.link] = 1;
  }
  for (int i = 0; i < static_cast<int>(seen.size()); ++i) {
    if (seen[i] != 0) moving_.push_back(i);
  }
  kin_.resize(model);
  q_.resize(model.nq);
  dv_.resize(model.nv);
}

void ReplayRecorder::on_step(const StepEvent& event) {
  if (num_frames_ == 0) {
    start_ = event.before.t;
    add_frame(event.before.q);
  }
  steps_.push_back({event.before.t, event.result.h, event.result.rejections});
  end_ = event.after.t;
  for (;;) {
    const double t = start_ + num_frames_ / fps_;
    if (t > event.after.t + kTimeSlack) break;
    interpolate(event, t);
  }
}

// In the coordinates of the joints, so that bodies stay together.
void ReplayRecorder::interpolate(const StepEvent& event, double t) {
  const double h = event.after.t - event.before.t;
  const double s = std::clamp((t - event.before.t) / h, 0.0, 1.0);
  calc_position_difference(model_, event.before.q, event.after.q, dv_);
  for (int i = 0; i < model_.nv; ++i) {
    dv_[i] = interpolate_displacement(dv_[i], h * event.before.v[i], h * event.after.v[i], s);
  }
  integrate_positions(model_, event.before.q, dv_, 1, RotationUpdate::kExponential, q_);
  add_frame(q_);
}

void ReplayRecorder::add_frame(std::span<const double> q) {
  update_positions(model_, q, &kin_);
  for (const int link : moving_) {
    for (const double x : to_array(kin_.X_WB[link])) {
      poses_.push_back(static_cast<float>(x));
    }
  }
  ++num_frames_;
}

// Each geometry with its pose in its moving link, or in the world.
std::string ReplayRecorder::make_geometries() const {
  Kinematics kin;
  kin.resize(model_);
  update_positions(model_, model_.q0, &kin);
  std::map<const void*, int> meshes;  // the first geometry with each
  int number = 0;
  std::string out;
  for (const Geometry& g : model_.geometries) {
    const auto found = std::find(moving_.begin(), moving_.end(), g.link);
    const bool moves = found != moving_.end();
    const bool anchored = !moves && g.link >= 0;
    const std::array<double, 3> size{g.shape.size.x, g.shape.size.y, g.shape.size.z};
    const std::array<double, 4> color{g.color[0], g.color[1], g.color[2], g.color[3]};
    out += fmt::format(
        R"({}{{"name":{},"kind":"{}","size":{},"color":{},"link":{},"pose":{})",
        out.empty() ? "" : ",\n", detail::make_json_string(g.name),
        find_drawn(g.shape) != nullptr ? "mesh" : kind_name(g.shape), detail::make_json_array(size),
        detail::make_json_array(color), moves ? found - moving_.begin() : -1,
        detail::make_json_array(to_array(anchored ? kin.X_WB[g.link] * g.X_LG : g.X_LG)));
    if (const void* drawn = find_drawn(g.shape)) {
      // Each mesh is written once, with the first geometry that has it.
      const auto [first, is_new] = meshes.try_emplace(drawn, number);
      out += is_new ? fmt::format(R"(,"mesh":{})", make_drawn(g.shape))
                    : fmt::format(R"(,"same":{})", first->second);
    } else if (g.shape.hull) {
      out += fmt::format(R"(,"hull":{})", make_hull(*g.shape.hull));
    }
    ++number;
    out += '}';
  }
  return out;
}

// Positions as 16 bits within the box each link moves in, quaternions as 16 bits of [-1, 1].
std::string ReplayRecorder::make_poses() const {
  const int links = static_cast<int>(moving_.size());
  std::vector<double> boxes;
  std::vector<std::int16_t> packed(poses_.size());
  for (int link = 0; link < links; ++link) {
    const auto at = [&](int frame, int i) {
      return (static_cast<std::size_t>(frame) * links + link) * kPose + i;
    };
    for (int i = 0; i < kPose; ++i) {
      double lo = -1, hi = 1;
      if (i < 3) {
        lo = std::numeric_limits<double>::infinity(), hi = -lo;
        for (int frame = 0; frame < num_frames_; ++frame) {
          lo = std::min<double>(lo, poses_[at(frame, i)]);
          hi = std::max<double>(hi, poses_[at(frame, i)]);
        }
        boxes.insert(boxes.end(), {lo, hi});
      }
      const double scale = hi > lo ? 65534 / (hi - lo) : 0;
      for (int frame = 0; frame < num_frames_; ++frame) {
        const double x = (poses_[at(frame, i)] - lo) * scale - 32767;
        packed[at(frame, i)] =
            static_cast<std::int16_t>(std::lround(std::clamp(x, -32767.0, 32767.0)));
      }
    }
  }
  return fmt::format(R"("boxes":{},"poses":"{}")", detail::make_json_array(boxes),
                     detail::encode_base64_array<std::int16_t>(packed));
}

// Start, smallest and largest size and rejections of each step, or of groups when there are many.
std::string ReplayRecorder::make_steps() const {
  const std::size_t group = std::max<std::size_t>(1, (steps_.size() + kMaxPoints - 1) / kMaxPoints);
  std::vector<float> points;
  for (std::size_t i = 0; i < steps_.size(); i += group) {
    double lo = steps_[i].h, hi = lo;
    int rejections = 0;
    for (std::size_t j = i; j < std::min(i + group, steps_.size()); ++j) {
      lo = std::min(lo, steps_[j].h);
      hi = std::max(hi, steps_[j].h);
      rejections += steps_[j].rejections;
    }
    for (const double x : {steps_[i].t, lo, hi, static_cast<double>(rejections)}) {
      points.push_back(static_cast<float>(x));
    }
  }
  return fmt::format(R"("num_steps":{},"steps":"{}")", steps_.size(),
                     detail::encode_base64_array<float>(points));
}

std::string ReplayRecorder::make_data(const std::string& title) const {
  const std::array<double, 3> gravity{model_.gravity.x, model_.gravity.y, model_.gravity.z};
  return fmt::format(
      R"({{"title":{},"fps":{},"start":{},"end":{},"frames":{},"links":{},"gravity":{},
{},
{},
"geometries":[
{}]}})",
      detail::make_json_string(title), fps_, start_, end_, num_frames_, moving_.size(),
      detail::make_json_array(gravity), make_steps(), make_poses(), make_geometries());
}

void ReplayRecorder::write(const std::string& path, const std::string& title) const {
  if (num_frames_ == 0) {  // nothing happened: show where it stands
    ReplayRecorder still(model_, fps_);
    still.add_frame(model_.q0);
    still.write(path, title);
    return;
  }
  std::ofstream file(path);
  file << detail::make_page(title, make_data(title));
  file.close();
  if (!file) throw Error(fmt::format("{}: error: cannot write the replay page", path));
}

}  // namespace cenic
