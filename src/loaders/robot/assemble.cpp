// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include <algorithm>
#include <array>
#include <ranges>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "loaders/robot/robot.h"

namespace cenic::detail {
namespace {

constexpr int kWorld = -1, kNone = -2;

// A joint with links by index, turned round when it was written from the inside out.
struct Edge {
  int joint = 0, parent = kWorld, child = kWorld;
  bool turned = false;
};

class Assembler {
 public:
  Assembler(Robot* robot, Reporter* reporter, ModelSpec* spec)
      : robot_(*robot), reporter_(*reporter), spec_(*spec) {}

  void run() {
    index_links();
    sort_joints();
    cut_cycles();
    split_inertias();
    for (int i = 0; i < num_links(); ++i) {
      if (holder_[i] < 0 || edges_[holder_[i]].parent == kWorld) emit(i);
    }
    for (const Edge& loop : loops_) {
      close(loop);
    }
  }

 private:
  std::vector<RobotLink>& links() { return robot_.links; }
  int num_links() const { return static_cast<int>(robot_.links.size()); }

  void index_links() {
    for (int i = 0; i < num_links(); ++i) {
      index_.try_emplace(links()[i].body.name, i);
    }
    for (const RobotJoint& joint : robot_.joints) {
      joint_names_.insert(joint.name);
    }
    holder_.assign(num_links(), kNone);
    children_.resize(num_links());
  }

  int find(const RobotJoint& joint, const std::string& name, const char* role) {
    if (name == kWorldName) return kWorld;
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    reporter_.error(
        *joint.element,
        fmt::format("joint '{}': there is no link '{}' to be its {}; name a link of the "
                    "model, or world",
                    joint.name, name, role));
    return kNone;
  }

  bool is_still(int link) { return link == kWorld || links()[link].fixed; }

  // Each link hangs on the first joint that has it as its child; the others close loops.
  void sort_joints() {
    for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
      const RobotJoint& joint = robot_.joints[j];
      Edge edge{j, find(joint, joint.parent, "parent"), find(joint, joint.child, "child")};
      if (edge.parent == kNone || edge.child == kNone) continue;
      if (edge.parent == edge.child) {
        reporter_.error(*joint.element,
                        fmt::format("joint '{}' joins a link to itself; name two", joint.name));
        continue;
      }
      if (is_still(edge.parent) && is_still(edge.child)) continue;  // nothing to move
      if (is_still(edge.child)) {
        std::swap(edge.parent, edge.child);
        edge.turned = true;
      }
      edges_.push_back(edge);
      const int e = static_cast<int>(edges_.size()) - 1;
      if (holder_[edge.child] != kNone) {
        add_loop(edge);
      } else {
        holder_[edge.child] = e;
      }
    }
  }

  void add_loop(const Edge& edge) {
    const RobotJoint& joint = robot_.joints[edge.joint];
    if (!robot_.loops_allowed) {
      reporter_.error(*joint.element,
                      fmt::format("joint '{}': link '{}' is the child of another joint, too, or of "
                                  "itself in the end; a link has one parent",
                                  joint.name, links()[edge.child].body.name));
      return;
    }
    loops_.push_back(edge);
  }

  // Links that hang on each other in a ring: the joint of the first of them closes a loop.
  void cut_cycles() {
    std::vector<int> state(num_links(), 0);  // 1: on the path, 2: reaches a root
    for (int i = 0; i < num_links(); ++i) {
      std::vector<int> path;
      int at = i;
      while (at >= 0 && state[at] == 0) {
        state[at] = 1;
        path.push_back(at);
        const int e = holder_[at];
        const int next = e < 0 ? kWorld : edges_[e].parent;
        if (next >= 0 && state[next] == 1) {
          const Edge cut = edges_[holder_[next]];
          holder_[next] = kNone;
          add_loop(cut);
          break;
        }
        at = next;
      }
      for (const int p : path) {
        state[p] = 2;
      }
    }
    for (int i = 0; i < num_links(); ++i) {
      if (holder_[i] >= 0 && edges_[holder_[i]].parent >= 0) {
        children_[edges_[holder_[i]].parent].push_back(i);
      }
    }
    // In the order of the joints, as a person would write the tree.
    for (auto& list : children_) {
      std::ranges::sort(list, {}, [&](int link) {
        return holder_[link];
      });
    }
  }

  // A link that is cut has its mass in equal parts.
  void split_inertias() {
    std::unordered_map<int, int> cuts;
    for (const Edge& loop : loops_) {
      if (!robot_.joints[loop.joint].joints.empty()) ++cuts[loop.child];
    }
    for (const auto& [link, count] : cuts) {
      auto& inertia = links()[link].body.inertia;
      if (!inertia) continue;
      const double part = 1.0 / (count + 1);
      inertia->mass *= part;
      inertia->I_com = part * inertia->I_com;
    }
  }

  // The link, and with a stack of its own all that hangs on it: files may be deep.
  void emit(int root) {
    std::vector<int> stack{root};
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      add_body(i);
      for (const int child : std::views::reverse(children_[i])) {
        stack.push_back(child);
      }
    }
  }

  void add_body(int i) {
    RobotLink& link = links()[i];
    BodySpec body = link.body;
    if (link.fixed) {
      body.X_PB = link.X_WL;
    } else if (holder_[i] < 0) {
      JointSpec free;
      free.kind = JointKind::kFree;
      free.name = unused_joint_name(body.name);
      body.X_PB = link.X_WL;
      body.joints = {free};
      if (!children_[i].empty() && body.name != robot_.welded) {
        reporter_.report(
            *link.element, Severity::kWarning,
            fmt::format("link '{}' is free to move: no joint holds it to the world", body.name));
      }
    } else {
      hang(edges_[holder_[i]], link.X_WL, &body);
    }
    spec_.bodies.push_back(std::move(body));
  }

  std::string unused_joint_name(const std::string& name) {
    return joint_names_.contains(name) ? name + "_free" : name;
  }

  // The parent, the pose and the joints of a body at X_WB.
  void hang(const Edge& edge, const RigidTransform& X_WB, BodySpec* body) {
    const RobotJoint& joint = robot_.joints[edge.joint];
    const RigidTransform X_WP =
        edge.parent == kWorld ? RigidTransform{} : links()[edge.parent].X_WL;
    body->parent = edge.parent == kWorld ? kWorldName : links()[edge.parent].body.name;
    const RigidTransform X_WM = joint.X_WM.value_or(joint.X_WJ);
    body->X_PB = inverse(X_WP) * (joint.X_WM ? joint.X_WJ * inverse(X_WM) * X_WB : X_WB);
    body->joints = joint.joints;
    if (edge.turned) turn(joint, body);
    if (body->joints.size() == 1 && body->joints[0].kind == JointKind::kFree) {
      if (edge.parent == kWorld) return;
      body->joints = make_six_freedoms(body->joints[0]);
    }
    for (JointSpec& j : body->joints) {
      j.X_BF = inverse(X_WB) * X_WM;
      start_within_limits(*joint.element, &j, &reporter_);
    }
  }

  // The motion of the parent seen from the child is that about the opposite axis.
  void turn(const RobotJoint& joint, BodySpec* body) {
    for (JointSpec& j : body->joints) {
      const bool one_axis = j.kind == JointKind::kRevolute || j.kind == JointKind::kPrismatic ||
                            j.kind == JointKind::kScrew;
      if (!one_axis || body->joints.size() > 1) {
        if (j.kind == JointKind::kFree) continue;
        reporter_.error(
            *joint.element,
            fmt::format("joint '{}': the child is the world; swap parent and child", joint.name));
        return;
      }
      j.axis = -j.axis;
    }
  }

  // Free joints move bodies in the world; relative to a body, three slides and a ball do.
  static std::vector<JointSpec> make_six_freedoms(const JointSpec& free) {
    std::vector<JointSpec> joints(4, free);
    constexpr std::array<const char*, 4> kNames{"_x", "_y", "_z", ""};
    for (int k = 0; k < 4; ++k) {
      joints[k].name = free.name + kNames[k];
      joints[k].kind = k < 3 ? JointKind::kPrismatic : JointKind::kBall;
      joints[k].axis = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 0 || k == 1 ? 0.0 : 1.0};
    }
    return joints;
  }

  void close(const Edge& edge) {
    const RobotJoint& joint = robot_.joints[edge.joint];
    const RobotLink& link = links()[edge.child];
    const std::string parent = edge.parent == kWorld ? kWorldName : links()[edge.parent].body.name;
    ConstraintSpec weld;
    weld.name = joint.name;
    weld.kind = ConstraintKind::kWeld;
    weld.a = link.body.name;
    if (joint.joints.empty()) {
      const RigidTransform X_WP =
          edge.parent == kWorld ? RigidTransform{} : links()[edge.parent].X_WL;
      weld.b = parent;
      weld.X_BQ = inverse(X_WP) * link.X_WL;
    } else {
      BodySpec half;
      half.name = fmt::format("{}:{}", link.body.name, joint.name);
      half.inertia = link.body.inertia.value_or(InertiaSpec{});
      hang(edge, link.X_WL, &half);
      weld.b = half.name;
      spec_.bodies.push_back(std::move(half));
      if (edge.parent != kWorld) spec_.exclude.push_back({parent, link.body.name});
    }
    spec_.constraints.push_back(weld);
    reporter_.report(*joint.element, Severity::kWarning,
                     fmt::format("joint '{}' closes a loop: link '{}' is held by a weld constraint",
                                 joint.name, link.body.name));
  }

  Robot& robot_;
  Reporter& reporter_;
  ModelSpec& spec_;
  std::unordered_map<std::string, int> index_;
  std::unordered_set<std::string> joint_names_;
  std::vector<Edge> edges_, loops_;
  std::vector<int> holder_;  // edge that each link hangs on
  std::vector<std::vector<int>> children_;
};

// Of links, joints and mimics, each once; the rest would be wrong in strange ways.
bool names_are_unique(const Robot& robot, Reporter* reporter) {
  bool good = true;
  const auto check = [&](std::unordered_set<std::string>* seen, const std::string& name,
                         const XmlElement& element, const char* what) {
    if (name.empty()) {
      reporter->error(element, fmt::format("a {} has no name; give it one", what));
    } else if (seen->insert(name).second) {
      return;
    } else {
      reporter->error(element,
                      fmt::format("another {} is named '{}'; give each its own name", what, name));
    }
    good = false;
  };
  std::unordered_set<std::string> links, joints;
  for (const RobotLink& link : robot.links) {
    check(&links, link.body.name, *link.element, "link");
  }
  for (const RobotJoint& joint : robot.joints) {
    check(&joints, joint.name, *joint.element, "joint");
  }
  return good;
}

}  // namespace

void assemble(Robot robot, Reporter* reporter, ModelSpec* spec) {
  // The world may be named as a link: what it carries does not move.
  for (RobotLink& link : robot.links) {
    if (link.body.name != kWorldName) continue;
    for (GeometrySpec& g : link.body.geometries) {
      g.X_BG = link.X_WL * g.X_BG;
      spec->world_geometries.push_back(std::move(g));
    }
    link.body.geometries.clear();
  }
  if (!names_are_unique(robot, reporter)) return;
  std::erase_if(robot.links, [](const RobotLink& link) {
    return link.body.name == kWorldName;
  });
  Assembler(&robot, reporter, spec).run();
  give_missing_inertias(&robot, spec, reporter);
  add_mimics(robot, reporter, spec);
  add_filter_groups(robot, reporter, spec);
}

Mat3 from_roll_pitch_yaw(const Vec3& rpy) {
  return to_matrix(exp_map({0, 0, rpy.z}) * exp_map({0, rpy.y, 0}) * exp_map({rpy.x, 0, 0}));
}

Mat3 frame_with_z(const Vec3& direction) {
  const Vec3 z = normalized(direction);
  if (z.z == 1) return Mat3::identity();
  const Vec3 x = normalized(any_orthogonal(z));
  return Mat3::from_columns(x, cross(z, x), z);
}

}  // namespace cenic::detail
