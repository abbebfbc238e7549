// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/mjcf/write_mjcf.h"

#include <algorithm>
#include <cmath>

#include "geometry/convex_hull.h"
#include "geometry/height_field.h"
#include "geometry/solid_mesh.h"
#include "loaders/mjcf/body_parts.h"
#include "loaders/mjcf/mjcf_writer.h"
#include "model/mass_properties.h"

namespace cenic {

MjcfText write_mjcf(const ModelSpec& spec) { return detail::MjcfWriter(spec).write(); }

namespace detail {
namespace {

// condim of a side: the kinds of friction that it has.
int count_dimensions(const Material& m) {
  if (m.friction_dimensions >= 6 && m.rolling_friction > 0) return 6;
  if (m.friction_dimensions >= 4 && m.torsional_friction > 0) return 4;
  return std::min(m.friction_dimensions, 3);
}

constexpr double kFar = 1e10;    // stands for no limit
constexpr double kEarth = 9.81;  // m/s²

}  // namespace

namespace {

std::vector<MjcfJointPart> name_parts(const JointSpec& joint) {
  const auto part = [&](const char* suffix) {
    return joint.name.empty() ? "" : joint.name + suffix;
  };
  switch (joint.kind) {
    case JointKind::kRevolute:
    case JointKind::kScrew:
      return {{joint.name, "hinge", joint.axis}};
    case JointKind::kPrismatic:
      return {{joint.name, "slide", joint.axis}};
    case JointKind::kCurvilinear:
      return {{joint.name, "slide", {1, 0, 0}}};
    case JointKind::kUniversal:
      return {{part(":x"), "hinge", {1, 0, 0}}, {part(":y"), "hinge", {0, 1, 0}}};
    case JointKind::kPlanar:
      return {{part(":x"), "slide", {1, 0, 0}},
              {part(":y"), "slide", {0, 1, 0}},
              {part(":angle"), "hinge", {0, 0, 1}}};
    case JointKind::kBall:
      return {{joint.name, "ball", {}}};
    case JointKind::kFree:
      return {{joint.name, "free", {}}};
  }
  return {};
}

bool has_axis(const JointSpec& joint) {
  return joint.kind != JointKind::kBall && joint.kind != JointKind::kFree;
}

}  // namespace

std::vector<MjcfJointPart> split_joint(const JointSpec& joint) {
  std::vector<MjcfJointPart> parts = name_parts(joint);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    parts[k].X_BF = joint.X_BF;
    if (has_axis(joint) && k < joint.position.size()) parts[k].ref = joint.position[k];
  }
  return parts;
}

// With J_i(q) the motion by joint i alone, r its initial coordinate, δ = q − r and S_i = J_{i+1}(r)
// … J_n(r), the body moves by J_1(q) … J_n(q) = J_1(r) … J_n(r) Π S_i⁻¹ J_i(δ) S_i: its frame is
// moved by the first factors, and the frame of joint i is S_i⁻¹ X_BF there.
MjcfBodyPose place_at_initial(const BodySpec& body) {
  MjcfBodyPose result;
  for (const JointSpec& joint : body.joints) {
    result.joints.push_back(split_joint(joint));
  }
  RigidTransform S;
  for (std::size_t i = body.joints.size(); i-- > 0;) {
    for (std::size_t k = result.joints[i].size(); k-- > 0;) {
      MjcfJointPart& part = result.joints[i][k];
      const bool slide = part.type == std::string("slide");
      const JointSpec motion{.kind = slide ? JointKind::kPrismatic : JointKind::kRevolute,
                             .X_BF = part.X_BF,
                             .axis = part.axis};
      part.X_BF = inverse(S) * part.X_BF;
      if (part.ref != 0) S = calc_motion(motion, part.ref) * S;
    }
  }
  result.X_PB = body.X_PB * S;
  return result;
}

MjcfWriter::MjcfWriter(const ModelSpec& spec) : spec_(spec) {
  for (const BodySpec& body : spec.bodies) {
    bodies_[body.name] = &body;
    poses_[body.name] = place_at_initial(body);
    children_[body.parent].push_back(&body);
    for (const JointSpec& joint : body.joints) {
      if (!joint.name.empty()) joints_[joint.name] = &joint;
    }
  }
  // Trees hang on what never moves: all that moves together has the mass of all of it.
  std::map<std::string, std::string> root;
  const auto find_root = [&](const BodySpec& body) {
    std::string found;
    for (const BodySpec* b = &body; b != nullptr;) {
      if (!b->joints.empty()) found = b->name;
      const auto parent = bodies_.find(b->parent);
      b = parent == bodies_.end() ? nullptr : parent->second;
    }
    return found;
  };
  std::map<std::string, double> mass;
  for (const BodySpec& body : spec.bodies) {
    root[body.name] = find_root(body);
    mass[root[body.name]] += calc_body_inertia(body).mass;
  }
  for (const BodySpec& body : spec.bodies) {
    if (!root[body.name].empty()) tree_mass_[body.name] = mass[root[body.name]];
  }
}

MjcfText MjcfWriter::write() {
  root_ = document_.NewElement("mujoco");
  document_.InsertEndChild(root_);
  set(root_, "model", spec_.name);
  write_options();
  Element* world = section("worldbody");
  body_elements_[kWorldName] = world;
  for (const GeometrySpec& geometry : spec_.world_geometries) {
    write_geometry(kWorldName, geometry, world);
  }
  write_bodies(kWorldName, world);
  write_contacts();
  for (const TendonSpec& tendon : spec_.tendons) {
    tendon_lengths_[tendon.name] = write_tendon(tendon);
  }
  for (const ConstraintSpec& constraint : spec_.constraints) {
    write_constraint(constraint);
  }
  write_systems();
  write_keyframe();
  tinyxml2::XMLPrinter printer;
  document_.Print(&printer);
  return {printer.CStr(), notes_};
}

void MjcfWriter::note(const std::string& what, const std::string& name) {
  auto found = std::ranges::find(notes_, what, &WriteNote::what);
  if (found == notes_.end()) found = notes_.insert(notes_.end(), {what, {}});
  found->names.push_back(name.empty() ? "(without a name)" : name);
}

MjcfWriter::Element* MjcfWriter::section(const char* name) {
  Element* found = root_->FirstChildElement(name);
  return found != nullptr ? found : root_->InsertNewChildElement(name);
}

void MjcfWriter::set_pose(Element* element, const RigidTransform& X) {
  if (!(X.p == Vec3{})) set(element, "pos", print(X.p));
  if (!(X.R == Mat3::identity())) set(element, "quat", print(to_quaternion(X.R)));
}

std::string MjcfWriter::print_range(double lower, double upper) {
  return fmt::format("{} {}", std::max(lower, -kFar), std::min(upper, kFar));
}

RigidTransform MjcfWriter::initial_pose(const std::string& body) const {
  const auto found = bodies_.find(body);
  if (found == bodies_.end()) return {};
  return initial_pose(found->second->parent) * poses_.at(body).X_PB;
}

void MjcfWriter::write_options() {
  Element* compiler = section("compiler");
  set(compiler, "angle", "radian");
  set(compiler, "inertiafromgeom", "false");
  Element* option = section("option");
  set(option, "gravity", print(spec_.gravity));
  if (!spec_.filter_parent_child) {
    set(option->InsertNewChildElement("flag"), "filterparent", "disable");
  }
  section("asset");
}

void MjcfWriter::write_bodies(const std::string& parent, Element* element) {
  const auto children = children_.find(parent);
  if (children == children_.end()) return;
  for (const BodySpec* body : children->second) {
    Element* child = element->InsertNewChildElement("body");
    body_elements_[body->name] = child;
    set(child, "name", body->name);
    const MjcfBodyPose& pose = poses_[body->name];
    set_pose(child, pose.X_PB);
    write_inertia(*body, child);
    for (std::size_t j = 0; j < body->joints.size(); ++j) {
      write_joint(body->joints[j], pose.joints[j], child);
    }
    if (body->gravity_compensation != 0) {
      note("gravity compensation is left out, which MuJoCo 2.2 does not know", body->name);
    }
    for (const GeometrySpec& geometry : body->geometries) {
      write_geometry(body->name, geometry, child);
    }
    write_bodies(body->name, child);
  }
}

void MjcfWriter::write_inertia(const BodySpec& body, Element* element) {
  InertiaSpec inertia;
  if (body.inertia) {
    inertia = *body.inertia;
  } else {
    const SpatialInertia M = calc_body_inertia(body);
    if (!(M.mass > 0)) return;
    const Vec3 c = M.mc / M.mass;
    inertia = {M.mass, c, M.I - M.mass * (dot(c, c) * Mat3::identity() - outer(c, c))};
  }
  if (!(inertia.mass > 0)) return;
  const Mat3& I = inertia.I_com;
  Element* child = element->InsertNewChildElement("inertial");
  set(child, "pos", print(inertia.com));
  set(child, "mass", inertia.mass);
  if (I == Mat3::diagonal({I(0, 0), I(1, 1), I(2, 2)})) {
    set(child, "diaginertia", print(Vec3{I(0, 0), I(1, 1), I(2, 2)}));
  } else {
    set(child, "fullinertia",
        print_list(std::vector{I(0, 0), I(1, 1), I(2, 2), 0.5 * (I(0, 1) + I(1, 0)),
                               0.5 * (I(0, 2) + I(2, 0)), 0.5 * (I(1, 2) + I(2, 1))}));
  }
}

void MjcfWriter::write_limits(const JointSpec& joint, std::size_t part, Element* element) {
  const bool has_lower = part < joint.lower.size(), has_upper = part < joint.upper.size();
  if (!has_lower && !has_upper) return;
  const double lower = has_lower ? joint.lower[part] : (has_axis(joint) ? -kFar : 0);
  const double upper = has_upper ? joint.upper[part] : kFar;
  if (std::isinf(lower) && std::isinf(upper)) return;
  set(element, "limited", "true");
  set(element, "range", print_range(lower, upper));
}

void MjcfWriter::write_joint(const JointSpec& joint, const std::vector<MjcfJointPart>& parts,
                             Element* element) {
  if (joint.kind == JointKind::kScrew) {
    note("screw joints are written as hinges: MJCF has no pitch", joint.name);
  }
  if (joint.kind == JointKind::kCurvilinear) {
    note(
        "curvilinear joints are written as slides along the start of their path: MJCF has no paths",
        joint.name);
  }
  const bool one_axis = has_axis(joint);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    Element* child = element->InsertNewChildElement("joint");
    if (!parts[k].name.empty()) set(child, "name", parts[k].name);
    set(child, "type", parts[k].type);
    if (joint.kind != JointKind::kFree) set(child, "pos", print(parts[k].X_BF.p));
    if (one_axis) set(child, "axis", print(parts[k].X_BF.R * parts[k].axis));
    if (parts[k].ref != 0) set(child, "ref", parts[k].ref);
    for (const auto& [name, value] :
         {std::pair{"damping", joint.damping}, std::pair{"armature", joint.armature},
          std::pair{"stiffness", joint.stiffness}, std::pair{"frictionloss", joint.dry_friction}}) {
      if (value != 0) set(child, name, value);
    }
    if (one_axis && k < joint.rest.size()) set(child, "springref", joint.rest[k]);
    write_limits(joint, k, child);
  }
  if (joint.kind == JointKind::kFree && joint.stiffness != 0 && !joint.rest.empty()) {
    note("the spring of a free joint rests at its initial pose in MJCF", joint.name);
  }
  if (joint.kind == JointKind::kBall && !joint.rest.empty()) {
    note("the spring of a ball joint rests at its zero position in MJCF", joint.name);
  }
}

void MjcfWriter::write_geometry(const std::string& body, const GeometrySpec& geometry,
                                Element* element) {
  Element* child = element->InsertNewChildElement("geom");
  if (!geometry.name.empty()) set(child, "name", geometry.name);
  set_pose(child, geometry.X_BG);
  write_shape(geometry, child);
  set(child, "rgba", print_list(geometry.color));
  if (geometry.texture.image != nullptr) note("textures are not written", geometry.name);
  write_contact(body, geometry, child);
}

void MjcfWriter::write_shape(const GeometrySpec& geometry, Element* element) {
  const Shape& shape = geometry.shape;
  const Vec3& s = shape.size;
  const auto primitive = [&](const char* type, const std::string& size) {
    set(element, "type", type);
    set(element, "size", size);
  };
  switch (shape.kind) {
    case ShapeKind::kSphere:
      return primitive("sphere", fmt::format("{}", s.x));
    case ShapeKind::kBox:
      return primitive("box", print(s));
    case ShapeKind::kCylinder:
      return primitive("cylinder", fmt::format("{} {}", s.x, s.z));
    case ShapeKind::kCapsule:
      return primitive("capsule", fmt::format("{} {}", s.x, s.z));
    case ShapeKind::kEllipsoid:
      return primitive("ellipsoid", print(s));
    case ShapeKind::kHalfSpace:
      return primitive("plane", "0 0 1");
    case ShapeKind::kHeightField:
      return write_height_field(geometry, element);
    case ShapeKind::kSurface:
    case ShapeKind::kConvex:
      break;
  }
  const std::string name = fmt::format("mesh#{}", ++num_meshes_);
  set(element, "type", "mesh");
  set(element, "mesh", name);
  Element* mesh = section("asset")->InsertNewChildElement("mesh");
  set(mesh, "name", name);
  const TriangleMesh* drawn = shape.mesh ? &shape.mesh->surface : shape.surface.get();
  std::vector<double> numbers;
  for (const Vec3& v : drawn != nullptr ? drawn->vertices : shape.hull->vertices) {
    numbers.insert(numbers.end(), {v.x, v.y, v.z});
  }
  set(mesh, "vertex", print_list(numbers));
  if (drawn == nullptr) return;
  std::vector<int> corners;
  for (const auto& t : drawn->triangles) {
    corners.insert(corners.end(), t.begin(), t.end());
  }
  set(mesh, "face", print_list(corners));
  if (shape.kind == ShapeKind::kConvex) {
    note("meshes collide as their convex hulls", geometry.name);
  }
}

// Heights above the lowest, as shares of the highest, the last row first; the geom stands as much
// lower or higher.
void MjcfWriter::write_height_field(const GeometrySpec& geometry, Element* element) {
  const HeightField& field = *geometry.shape.height_field;
  const std::string name = fmt::format("hfield#{}", ++num_meshes_);
  set(element, "type", "hfield");
  set(element, "hfield", name);
  set_pose(element, geometry.X_BG * RigidTransform{Mat3::identity(), {0, 0, field.lowest}});
  const double rise = field.highest > field.lowest ? field.highest - field.lowest : 1;
  Element* asset = section("asset")->InsertNewChildElement("hfield");
  set(asset, "name", name);
  set(asset, "nrow", fmt::format("{}", field.rows));
  set(asset, "ncol", fmt::format("{}", field.columns));
  set(asset, "size",
      print_list(std::vector{field.half_x, field.half_y, rise, field.base + field.lowest}));
  std::vector<double> elevation;
  for (int r = field.rows - 1; r >= 0; --r) {
    for (int c = 0; c < field.columns; ++c) {
      elevation.push_back((field.height(r, c) - field.lowest) / rise);
    }
  }
  set(asset, "elevation", print_list(elevation));
}

// The inverse of what the reader makes of solref (docs/loaders.md): k d/(1 − d) m and d b/g.
void MjcfWriter::write_contact(const std::string& body, const GeometrySpec& geometry,
                               Element* element) {
  constexpr double kImpedance = 0.95;  // MuJoCo's own d
  set(element, "contype",
      fmt::format("{}", geometry.collides ? static_cast<int>(geometry.group) : 0));
  set(element, "conaffinity",
      fmt::format("{}", geometry.collides ? static_cast<int>(geometry.mask) : 0));
  if (!geometry.visible) set(element, "group", "3");  // which viewers do not show at first
  if (geometry.surface_velocity) note("moving surfaces stand still", geometry.name);
  if (!geometry.collides) return;
  const Material& m = geometry.material;
  set(element, "friction",
      fmt::format("{} {} {}", m.dynamic_friction, m.torsional_friction, m.rolling_friction));
  set(element, "condim", fmt::format("{}", count_dimensions(m)));
  if (m.priority != 0) set(element, "priority", fmt::format("{}", m.priority));
  if (m.friction_rule != FrictionRule::kLarger) {
    note("of two frictions that touch the larger counts, not the harmonic mean", geometry.name);
  }
  if (m.static_friction != m.dynamic_friction) {
    note("static friction is as dynamic friction", geometry.name);
  }
  if (geometry.hydroelastic.compliance != Compliance::kNone) {
    note("hydroelastic contact becomes contact in points", geometry.name);
  }
  const auto mass = tree_mass_.find(body);
  if (mass == tree_mass_.end()) {
    if (std::isfinite(m.stiffness)) note("what never moves is rigid", geometry.name);
  } else if (std::isfinite(m.stiffness)) {
    const double g = norm(spec_.gravity) > 0 ? norm(spec_.gravity) : kEarth;
    set(element, "solref",
        fmt::format("{} {}", -m.stiffness * (1 - kImpedance) / mass->second, -m.dissipation * g));
    set(element, "solimp", fmt::format("{0} {0}", kImpedance));
    note("stiffness and dissipation of contacts hold for bodies at rest on them", geometry.name);
  } else {
    note("contacts of a rigid body that moves have MuJoCo's own stiffness", geometry.name);
  }
}

}  // namespace detail
}  // namespace cenic
