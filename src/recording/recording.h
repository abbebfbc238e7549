// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// A recorded run in memory: what was simulated, what it looks like, and its states over time.
// read_recording() reads one from a file; whoever plays, plots or compares runs needs nothing else,
// not even the model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "math/rigid_transform.h"
#include "math/vec3.h"
#include "recording/frame_times.h"

namespace cenic {

// Where a run came from: enough to repeat it.
struct RecordingInfo {
  std::string scene{};       // name of a built-in scene, or path of a file
  std::string scene_hash{};  // of the file's text, 16 hexadecimal digits; empty: built in
  std::string model_hash{};  // of the compiled model, likewise
  std::string settings{};    // "name=value" as given on the command line, one a line
  std::string contact{};     // "point", "hydroelastic"; empty: as the scene says
  std::string integrator{};
  double accuracy = 0;    // 0: fixed step
  double fixed_step = 0;  // s; 0: error control
  std::uint64_t seed = 1;
  double fps = 0;       // frames a simulated second; 0: a frame at the end of each step
  double duration = 0;  // asked for, s
  std::string version{}, git_commit{};
};

// A picture on a shape, as TextureSpec says.
struct RecordedTexture {
  int picture = -1;  // of RecordedScene; −1: none
  bool cube = false;
  std::array<double, 2> repeat{1, 1};
  bool per_metre = false;
};

// A shape as it is drawn.
struct RecordedGeometry {
  std::string name{};
  std::string kind{};  // "sphere", "box", "cylinder", "capsule", "ellipsoid", "half_space", "mesh"
  int body = -1;       // −1: world
  bool collides = true;
  Vec3 size{};            // as Shape::size
  RigidTransform X_BG{};  // in the frame of its body
  std::array<float, 4> color{};
  // Of a mesh (or convex hull), in the frame of the geometry; geometries that share one have the
  // same number.
  int mesh = -1;
  RecordedTexture texture{};
  bool visible = true;  // not for contact alone
};

struct RecordedMesh {
  std::vector<Vec3> vertices{};
  std::vector<std::array<int, 3>> triangles{};
  std::vector<std::array<std::array<float, 2>, 3>> uv{};  // as TriangleMesh::uv
};

// What does not change during a run.
struct RecordedScene {
  std::vector<std::string> bodies{};
  std::vector<double> masses{};  // of the bodies, kg
  std::vector<int> moves{};  // 1: the body can move, 0: it cannot; 1 for all of older recordings
  std::vector<RecordedGeometry> geometries{};
  std::vector<RecordedMesh> meshes{};
  std::vector<std::shared_ptr<const std::string>> pictures{};  // bytes of PNG or JPEG files
  // Names of single coordinates ("joint", or "joint[i]" where it has several), velocities, states
  // and outputs of external systems ("system.output", "system.output[i]").
  std::vector<std::string> coordinates{}, velocities{}, states{}, outputs{};
  // For each coordinate: the first of a unit quaternion (w, x, y, z) has 4, its others 0, all else
  // 1. A run is interpolated and compared by it.
  std::vector<int> coordinate_width{};
  bool has_surfaces = false;  // geometries with pressure fields: frames may have contact surfaces
  // "m", "rad", "m/s", "rad/s"; empty for quaternions, and for all of older recordings.
  std::vector<std::string> coordinate_units{}, velocity_units{};
  // The body whose joint has them; -1 for all of older recordings.
  std::vector<int> coordinate_bodies{}, velocity_bodies{};
};

struct RecordedContact {
  int geometry_a = -1, geometry_b = -1;  // of RecordedScene
  Vec3 point_W{};
  Vec3 normal_AB_W{};      // unit, from A into B
  Vec3 force_B_W{};        // on B, N; −force on A
  double penetration = 0;  // m; negative: gap
};

// A moment of a run.
struct Frame {
  double t = 0;
  std::vector<double> q{}, v{}, z{}, outputs{};
  std::vector<double>
      poses{};        // position and quaternion (w, x, y, z) of each body (num_bodies × 7)
  double energy = 0;  // kinetic, potential and elastic, J
  int step = 0;       // number of steps taken when the one that covers t was
  // Of the step that ends at or after t, with the forces as the solver applied them in it.
  std::vector<RecordedContact> contacts{};
  // Surfaces of hydroelastic contact at the frame's poses: number of corners of each polygon, its
  // pressure, Pa, and the corners of all of them, in world.
  std::vector<int> polygon_sizes{};
  std::vector<double> pressures{};
  std::vector<Vec3> corners{};
};

// An accepted step.
struct RecordedStep {
  double t = 0;          // at its end, s
  double h = 0;          // s
  double error = 0;      // estimated
  int rejections = 0;    // tries before
  int velocity = -1;     // that limited it, of RecordedScene::velocities
  int state = -1;        // or state of an external system
  double wall_time = 0;  // spent in steps since the start of the run, s
};

struct Recording {
  std::string path{};
  RecordingInfo info;
  RecordedScene scene;
  std::vector<Frame> frames{};        // ascending in t
  std::vector<RecordedStep> steps{};  // all, whatever the frame rate
  bool complete = false;              // closed properly; false: the run was killed or still goes on
  std::string failure{};              // why the run stopped early; empty: it did not
};

// Reads an HDF5 recording, of a run that was killed up to its last flush. Throws Error
// "path: error: ..." when it is missing, no recording, of another version, or damaged.
Recording read_recording(const std::string& path);
// Throws Error for a recording that has none.
void require_frames(const Recording& recording);

// Coordinates, velocities and energy at time t: the frame there if there is one, else the cubic
// with the coordinates and velocities of the two frames around it, for velocities that with their
// slopes, by the next frames on both sides; the energy is linear. Clamped to the run, which has at
// least one frame; the rest of the frame is that of find_frame().
Frame interpolate_frame(const Recording& recording, double t);

// Time spent in a step, s; none where it is not known: the first one of a run that goes on, and
// where steps before it were not kept.
std::optional<double> find_wall_time(const Recording& recording, std::size_t step);

// The last frame at or before t, 0 when t is before the first. For scrubbing.
int find_frame(const Recording& recording, double t);

}  // namespace cenic
