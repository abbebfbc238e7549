// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// <tendon>: fixed ones, and spatial ones through sites and around geoms.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "loaders/mjcf/world.h"
#include "multibody/walk_path.h"
#include "systems/library/body_forces.h"

namespace cenic::detail {
namespace {

class TendonReader {
 public:
  TendonReader(const MjcfInstance& instance, const XmlElement& element, MjcfWorld* world)
      : instance_(instance),
        element_(element),
        world_(*world),
        a_(instance.document->attributes(element, "", world->diagnostics)),
        data_(read_tendon_data(a_, instance.document->compiler)) {}

  void read() {
    std::vector<MjcfReference> references;
    for (const auto& child : element_.children) {
      read_part(*child, &references);
    }
    for_each_copy(&world_, instance_, element_, references, [&](const std::string& suffix) {
      MjcfTendon tendon{.element = &element_, .data = data_, .fixed = element_.name == "fixed"};
      if (!(tendon.fixed ? add_joints(references, suffix, &tendon)
                         : add_points(references, suffix, &tendon))) {
        return;
      }
      const std::string name = make_name(instance_, data_.name, suffix);
      tendon.data.name = name.empty() ? fmt::format("tendon#{}", world_.tendons.size() + 1) : name;
      tendon.length = calc_length(tendon);
      report();
      add_spring(tendon);
      add_spec(&tendon);
      const std::string key = tendon.data.name;
      if (!world_.tendons.try_emplace(key, std::move(tendon)).second) {
        a_.error("name", fmt::format("another tendon is named '{}'; names are unique", key));
      }
    });
  }

 private:
  // A pulley: what comes after it is a branch of its own.
  struct Pulley {
    std::size_t at = 0;  // number of points before it
    double divisor = 1;
  };
  // A geom that the tendon wraps around.
  struct Obstacle {
    const XmlElement* element = nullptr;
    std::size_t at = 0;  // number of points before it
    std::string geom{}, side{};
  };

  void read_part(const XmlElement& child, std::vector<MjcfReference>* references) {
    const Attributes part(child, world_.diagnostics);
    if (child.name == "joint") {
      references->push_back({MjcfKind::kJoint, part.text("joint")});
      coefficients_.push_back(part.number("coef", 1));
    } else if (child.name == "site") {
      references->push_back({MjcfKind::kSite, part.text("site")});
    } else if (child.name == "pulley") {
      pulleys_.push_back({num_sites(*references), part.number("divisor", 1)});
    } else if (child.name == "geom") {
      const std::string side = part.text("sidesite");
      obstacles_.push_back({.element = &child,
                            .at = num_sites(*references),
                            .geom = part.text("geom"),
                            .side = side});
      references->push_back({MjcfKind::kGeom, part.text("geom")});
      if (!side.empty()) references->push_back({MjcfKind::kSite, side, true});
    }
  }
  static std::size_t num_sites(const std::vector<MjcfReference>& references) {
    return std::ranges::count_if(references, [](const MjcfReference& r) {
      return r.kind == MjcfKind::kSite && !r.aside;
    });
  }

  bool add_joints(const std::vector<MjcfReference>& references, const std::string& suffix,
                  MjcfTendon* tendon) {
    for (std::size_t i = 0; i < references.size(); ++i) {
      const std::string full =
          resolve(world_, instance_, MjcfKind::kJoint, references[i].name, suffix);
      const int joint = world_.joint_index.at(full);
      const JointType type = world_.joints[joint].data.type;
      if (type != JointType::kHinge && type != JointType::kSlide) {
        a_.error("", fmt::format("joint '{}' of the tendon is no hinge or slide", full));
        return false;
      }
      tendon->transmission.joints.push_back({full, coefficients_[i]});
      tendon->part_joints.push_back(joint);
    }
    if (references.empty()) a_.error("", "the tendon has no joints");
    return !references.empty();
  }

  bool add_points(const std::vector<MjcfReference>& references, const std::string& suffix,
                  MjcfTendon* tendon) {
    auto& branches = tendon->transmission.branches;
    branches.emplace_back();
    auto pulley = pulleys_.begin();
    auto obstacle = obstacles_.begin();
    std::size_t count = 0;  // points so far
    for (const MjcfReference& r : references) {
      if (r.kind != MjcfKind::kSite || r.aside) continue;
      for (; pulley != pulleys_.end() && pulley->at == count; ++pulley) {
        if (!branches.back().points.empty()) branches.emplace_back();
        branches.back().divisor = pulley->divisor;
      }
      const MjcfPlace& place =
          world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, r.name, suffix));
      branches.back().points.push_back({world_.body_name(place.body), place.X_B.p});
      tendon->points.push_back(place);
      ++count;
      for (; obstacle != obstacles_.end() && obstacle->at == count; ++obstacle) {
        add_obstacle(*obstacle, suffix, &branches.back());
        tendon->wraps = true;
      }
    }
    const bool good = std::ranges::all_of(branches, [](const PathBranch& branch) {
      const bool between = std::ranges::all_of(branch.obstacles, [&](const PathObstacle& o) {
        return o.after + 1 < static_cast<int>(branch.points.size());
      });
      return branch.points.size() >= 2 && branch.divisor > 0 && between;
    });
    if (!good) a_.error("", "a path of the tendon does not begin and end with a site");
    return good;
  }

  void add_obstacle(const Obstacle& obstacle, const std::string& suffix, PathBranch* branch) {
    const std::string geom = resolve(world_, instance_, MjcfKind::kGeom, obstacle.geom, suffix);
    const MjcfSurface& surface = world_.surfaces[world_.geom_index.at(geom)];
    const GeometrySpec& geometry = world_.geometry(surface);
    const bool cylinder = geometry.shape.kind == ShapeKind::kCylinder;
    if (!cylinder && geometry.shape.kind != ShapeKind::kSphere) {
      world_.report(
          *obstacle.element, Severity::kError,
          fmt::format("tendons wrap around spheres and cylinders, and geom '{}' is none", geom));
      return;
    }
    PathObstacle o{.after = static_cast<int>(branch->points.size()) - 1,
                   .body = world_.body_name(surface.body),
                   .X_BG = geometry.X_BG,
                   .obstacle = {.radius = geometry.shape.size.x, .cylinder = cylinder}};
    if (!obstacle.side.empty()) {
      const MjcfPlace& side =
          world_.sites.at(resolve(world_, instance_, MjcfKind::kSite, obstacle.side, suffix));
      // As the bodies stand at the start, when the site is on another one.
      const Vec3 p_G = inverse_times(world_.pose(surface.body) * geometry.X_BG,
                                     world_.pose(side.body) * side.X_B.p);
      const double away = cylinder ? std::hypot(p_G.x, p_G.y) : norm(p_G);
      if (side.body != surface.body) {
        world_.report(*obstacle.element, Severity::kApproximated,
                      "sidesite: stays where it is at the start, seen from the geom");
      }
      o.obstacle.inside = away < o.obstacle.radius;
      if (!o.obstacle.inside) {
        world_.report(*obstacle.element, Severity::kApproximated,
                      "sidesite: picks the side of the geom as in MuJoCo before 4");
      }
      o.obstacle.side_G = p_G;
    }
    branch->obstacles.push_back(std::move(o));
  }

  void report() {
    if (data_.frictionloss != 0) {
      a_.report(Severity::kApproximated, "frictionloss",
                "frictionloss: the tendon creeps below 1 mm/s instead of sticking");
    }
  }

  // At the start, which is also where a spring rests unless the file says otherwise.
  double calc_length(const MjcfTendon& tendon) const {
    double length = 0;
    const auto& joints = tendon.transmission.joints;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      length += joints[i].coefficient * world_.joints[tendon.part_joints[i]].data.ref;
    }
    std::vector<int> bodies;  // as walk_path() numbers them
    const auto add = [&](const std::string& name) {
      const auto found = world_.body_index.find(name);
      bodies.push_back(found == world_.body_index.end() ? -1 : found->second);
    };
    for (const PathBranch& branch : tendon.transmission.branches) {
      for (const PathPoint& point : branch.points) {
        add(point.body);
      }
      for (const PathObstacle& obstacle : branch.obstacles) {
        add(obstacle.body);
      }
    }
    length += walk_path(
        tendon.transmission.branches,
        [&](int i) {
          return world_.pose(bodies[i]);
        },
        [&](int, const Vec3& a, int, const Vec3& b, double divisor) {
          length += norm(b - a) / divisor;
        });
    return length;
  }

  void add(const MjcfTendon& tendon, const char* what, TransmissionSpringParameters p) {
    p.transmission = tendon.transmission;
    world_.spec().systems.push_back(
        {.name = fmt::format("{}:{}", system_name(tendon.data.name), what),
         .system = std::make_shared<TransmissionSpring>(std::move(p))});
  }

  void add_spring(const MjcfTendon& tendon) {
    const double k = world_.options.springs ? data_.stiffness : 0;
    const double d = world_.options.dampers ? data_.damping : 0;
    const double friction = world_.options.dry_friction ? data_.frictionloss : 0;
    const bool plain = friction == 0 && data_.more_stiffness.empty() && data_.more_damping.empty();
    if (k == 0 && d == 0 && plain) return;
    const bool given = data_.springlength[0] >= 0;
    const double rest = tendon.length;
    if (plain && tendon.is_line() && (!given || data_.springlength[0] == data_.springlength[1])) {
      add_line_spring(tendon, given ? data_.springlength[0] : rest, k, d);
      return;
    }
    add(tendon, "spring",
        {.stiffness = k,
         .damping = d,
         .slack_lower = given ? data_.springlength[0] : rest,
         .slack_upper = given ? data_.springlength[1] : rest,
         .more_stiffness = world_.options.springs ? data_.more_stiffness : std::vector<double>{},
         .more_damping = world_.options.dampers ? data_.more_damping : std::vector<double>{},
         .friction = friction});
  }

  // The same between two points, with derivatives of its own.
  void add_line_spring(const MjcfTendon& tendon, double rest, double k, double d) {
    const std::vector<PathPoint>& ends = tendon.transmission.branches.front().points;
    if (ends[0].body == ends[1].body) return;  // its length does not change
    world_.spec().systems.push_back(
        {.name = system_name(tendon.data.name) + ":spring",
         .system = std::make_shared<SpringDamper>(SpringDamperParameters{.a = ends[0].body,
                                                                         .b = ends[1].body,
                                                                         .p_AP = ends[0].p_B,
                                                                         .p_BQ = ends[1].p_B,
                                                                         .rest_length = rest,
                                                                         .stiffness = k,
                                                                         .damping = d})});
  }

  // Limits and inertia.
  void add_spec(MjcfTendon* tendon) {
    const bool limited = data_.limited && world_.options.limits;
    if (!limited && data_.armature == 0) return;
    const auto skeleton = make_skeleton(world_.spec(), tendon->transmission);
    const double inverse = skeleton ? skeleton->calc_response().inverse_mass : 0;
    if (!(inverse > 0)) return;  // nothing changes its length
    const std::size_t num_trees = skeleton->list_trees().size();
    if (data_.armature != 0) add_armature(num_trees, tendon);
    if (!limited) return;
    TendonSpec& spec = require_tendon(&world_, tendon);
    const SoftSpring spring = calc_soft_spring(data_.limit, inverse);
    spec.lower = data_.range[0] + data_.margin;
    spec.upper = data_.range[1] - data_.margin;
    spec.limit_stiffness = spring.stiffness;
    spec.limit_damping = spring.damping;
  }

  void add_armature(std::size_t num_trees, MjcfTendon* tendon) {
    if (data_.armature < 0) {
      a_.error("armature", "armature is negative; give zero or a positive number");
    } else if (tendon->wraps) {
      a_.error("armature", "a tendon around geoms has no armature; remove it, or the geoms");
    } else if (num_trees > 1) {
      a_.ignore({"armature"}, "of tendons that more than one tree moves, it is not known");
    } else {
      require_tendon(&world_, tendon).armature = data_.armature;
    }
  }

  const MjcfInstance& instance_;
  const XmlElement& element_;
  MjcfWorld& world_;
  const Attributes a_;
  const TendonData data_;
  std::vector<double> coefficients_;
  std::vector<Pulley> pulleys_;
  std::vector<Obstacle> obstacles_;
};

}  // namespace

std::string system_name(std::string name) {
  std::ranges::replace(name, '.', '_');
  return name;
}

TendonSpec& require_tendon(MjcfWorld* world, MjcfTendon* tendon) {
  std::vector<TendonSpec>& tendons = world->spec().tendons;
  if (tendon->index < 0) {
    tendon->index = static_cast<int>(tendons.size());
    tendons.push_back({.name = tendon->data.name,
                       .joints = tendon->transmission.joints,
                       .branches = tendon->transmission.branches});
  }
  return tendons[tendon->index];
}

void read_tendon_section(const MjcfInstance& instance, MjcfWorld* world) {
  for_each_in_section(instance, "tendon", [&](const XmlElement& child) {
    if (child.name == "fixed" || child.name == "spatial") {
      TendonReader(instance, child, world).read();
    }
  });
}

}  // namespace cenic::detail
