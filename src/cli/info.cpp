// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// cenic info: what a scene is made of.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/scene_input.h"
#include "cli/verbs.h"

namespace cenic::cli {
namespace {

using Json = nlohmann::ordered_json;

// How the pairs of geometries that may touch do so.
struct ContactKinds {
  long hydroelastic = 0, point = 0;
  // Of the latter, in models with pressure fields.
  long both_rigid = 0, without_field = 0;
};

ContactKinds count_contact_kinds(const Model& model) {
  ContactKinds kinds;
  const int n = static_cast<int>(model.geometries.size());
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      const Geometry &a = model.geometries[i], &b = model.geometries[j];
      const auto is_ground = [](const Geometry& g) {
        return g.shape.kind == ShapeKind::kHalfSpace || g.shape.kind == ShapeKind::kHeightField;
      };
      if ((is_ground(a) && is_ground(b)) || !model.may_touch(i, j)) continue;
      if (model.is_hydroelastic(i, j)) {
        ++kinds.hydroelastic;
        continue;
      }
      ++kinds.point;
      ++(a.field != nullptr && b.field != nullptr ? kinds.both_rigid : kinds.without_field);
    }
  }
  return kinds;
}

std::string describe(const ContactKinds& kinds) {
  if (kinds.hydroelastic == 0) return fmt::format("{} in points", kinds.point);
  return fmt::format(
      "{} hydroelastic, {} in points ({} where both are rigid, {} where one has no pressure field)",
      kinds.hydroelastic, kinds.point, kinds.both_rigid, kinds.without_field);
}

struct ConstraintRow {
  std::string name, kind, a, b;
};

struct SystemRow {
  std::string name, timing, reads, gives;
};

// "kind a, b" where the list is not empty.
void add_list(const char* kind, const std::vector<std::string>& names, std::string* text) {
  if (names.empty()) return;
  *text += fmt::format("{}{} {}", text->empty() ? "" : "; ", kind, fmt::join(names, ", "));
}

std::vector<SystemRow> make_system_rows(const Model& model) {
  std::vector<SystemRow> rows;
  for (const System& s : model.systems) {
    SystemRow row{.name = s.name, .timing = "continuous", .reads = "", .gives = ""};
    if (s.period > 0) row.timing = fmt::format("every {:g} s", s.period);
    std::vector<std::string> joints, driven, bodies, pushed, inputs, outputs;
    const auto add_joint = [&](int velocity, std::vector<std::string>* names) {
      for (const Joint& joint : model.joints) {
        const bool owns = velocity >= joint.v_start && velocity < joint.v_start + joint.nv;
        if (owns && (names->empty() || names->back() != joint.name)) names->push_back(joint.name);
      }
    };
    for (const int v : s.velocities) {
      add_joint(v, &joints);
    }
    for (const System::Effort& e : s.efforts) {
      add_joint(e.velocity, &driven);
    }
    for (const int b : s.bodies) {
      bodies.emplace_back(b < 0 ? kWorldName : model.bodies[b].name);
    }
    for (const int p : s.pushed) {
      pushed.push_back(bodies[p]);
    }
    for (const System::Signal& signal : s.inputs) {
      inputs.push_back(signal.name);
    }
    for (const System::Signal& signal : s.outputs) {
      outputs.push_back(signal.name);
    }
    add_list("joints", joints, &row.reads);
    add_list("bodies", bodies, &row.reads);
    add_list("signals", inputs, &row.reads);
    add_list("efforts on", driven, &row.gives);
    add_list("forces on", pushed, &row.gives);
    add_list("signals", outputs, &row.gives);
    rows.push_back(row);
  }
  return rows;
}

void print_systems(const std::vector<SystemRow>& rows) {
  if (rows.empty()) return;
  std::size_t name = 6, timing = 10;
  for (const SystemRow& row : rows) {
    name = std::max(name, row.name.size());
    timing = std::max(timing, row.timing.size());
  }
  fmt::print("\n  {:<{}}  {:<{}}  reads → gives\n", "system", name, "runs", timing);
  for (const SystemRow& row : rows) {
    fmt::print("  {:<{}}  {:<{}}  {} → {}\n", row.name, name, row.timing, timing,
               row.reads.empty() ? "-" : row.reads, row.gives.empty() ? "-" : row.gives);
  }
}

struct BodyRow {
  std::string name, parent;
  double mass = 0;  // kg
  std::vector<std::string> joints, geometries;
};

std::vector<std::string> describe_geometries(const Model& model, int body) {
  std::vector<std::string> shapes;
  for (const Geometry& geometry : model.geometries) {
    if (geometry.body == body) shapes.emplace_back(kind_name(geometry.shape));
  }
  return shapes;
}

std::vector<ConstraintRow> make_constraint_rows(const Model& model) {
  std::vector<ConstraintRow> rows;
  for (int c = 0; c < static_cast<int>(model.constraints.size()); ++c) {
    const Constraint& constraint = model.constraints[c];
    rows.push_back({constraint.name, to_string(constraint.kind), model.constraint_side(c, 0),
                    model.constraint_side(c, 1)});
  }
  return rows;
}

// The world first, when it has geometries.
std::vector<BodyRow> make_rows(const Model& model) {
  std::vector<BodyRow> rows;
  const std::vector<std::string> world = describe_geometries(model, -1);
  if (!world.empty()) rows.push_back({kWorldName, "", 0, {}, world});
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const Body& body = model.bodies[b];
    BodyRow row{body.name,
                body.parent < 0 ? kWorldName : model.bodies[body.parent].name,
                model.links[body.link].M_BBo_B.mass,
                {},
                describe_geometries(model, b)};
    for (const Joint& joint : model.joints) {
      if (joint.body == b) row.joints.emplace_back(to_string(joint.kind));
    }
    rows.push_back(row);
  }
  return rows;
}

// What the file does not mean here as it stands there: a list of lines.
Json make_fidelity_list(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics.list()) {
    list.push_back({{"file", d.file},
                    {"line", d.line},
                    {"severity", to_string(d.severity)},
                    {"what", d.what},
                    {"count", d.count}});
    if (d.column > 0) list.back()["column"] = d.column;
  }
  return list;
}

std::vector<std::string> list_keyframes(const Scene& scene) {
  std::vector<std::string> names;
  for (const Keyframe& key : scene.loaded.keyframes) {
    names.push_back(key.name);
  }
  return names;
}

const std::string& find_name(const SensorOutput& sensor) {
  return sensor.name.empty() ? sensor.signal : sensor.name;
}

std::vector<std::string> list_sensors(const Scene& scene) {
  std::vector<std::string> names;
  for (const SensorOutput& sensor : scene.loaded.sensors) {
    names.push_back(find_name(sensor));
  }
  return names;
}

void print_json(const Scene& scene, const std::vector<BodyRow>& rows) {
  const Model& model = *scene.model;
  Json json;
  json["scene"] = scene.info.name;
  json["description"] = scene.info.description;
  json["bodies"] = model.bodies.size();
  json["joints"] = model.joints.size();
  json["coordinates"] = model.nq;
  json["dofs"] = model.nv;
  json["geometries"] = model.geometries.size();
  json["trees"] = model.trees.size();
  json["limits"] = model.limits.size();
  json["constraints"] = model.constraints.size();
  json["systems"] = model.systems.size();
  json["total_mass"] = model.total_mass;
  json["approximated"] = make_fidelity_list(scene.loaded.diagnostics);
  for (const std::string& note : model.notes) {
    json["approximated"].push_back({{"what", note}});
  }
  json["controls"] = scene.loaded.controls;
  json["sensors"] = Json::object();
  for (const SensorOutput& sensor : scene.loaded.sensors) {
    json["sensors"][find_name(sensor)] = sensor.signal;
  }
  json["keyframes"] = list_keyframes(scene);
  const ContactKinds contact = count_contact_kinds(model);
  json["contact"] = {{"hydroelastic", contact.hydroelastic},
                     {"point", contact.point},
                     {"point_both_rigid", contact.both_rigid},
                     {"point_without_field", contact.without_field}};
  json["body_table"] = Json::array();
  for (const BodyRow& row : rows) {
    json["body_table"].push_back({{"name", row.name},
                                  {"parent", row.parent.empty() ? Json() : Json(row.parent)},
                                  {"mass", row.mass},
                                  {"joints", row.joints},
                                  {"geometries", row.geometries}});
  }
  json["constraint_table"] = Json::array();
  for (const ConstraintRow& row : make_constraint_rows(model)) {
    json["constraint_table"].push_back(
        {{"name", row.name}, {"kind", row.kind}, {"a", row.a}, {"b", row.b}});
  }
  json["system_table"] = Json::array();
  for (const SystemRow& row : make_system_rows(model)) {
    json["system_table"].push_back(
        {{"name", row.name}, {"runs", row.timing}, {"reads", row.reads}, {"gives", row.gives}});
  }
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

// "box, sphere ×3": runs of the same word counted.
std::string summarize(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < words.size();) {
    std::size_t j = i;
    while (j < words.size() && words[j] == words[i]) {
      ++j;
    }
    parts.push_back(j - i > 1 ? fmt::format("{} x{}", words[i], j - i) : words[i]);
    i = j;
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

void print_constraints(const std::vector<ConstraintRow>& rows) {
  if (rows.empty()) return;
  std::size_t name = 10, a = 1;
  for (const ConstraintRow& row : rows) {
    name = std::max(name, row.name.size());
    a = std::max(a, row.a.size());
  }
  fmt::print("\n  {:<{}}  {:<8}  {:<{}}  {}\n", "constraint", name, "kind", "a", a, "b");
  for (const ConstraintRow& row : rows) {
    fmt::print("  {:<{}}  {:<8}  {:<{}}  {}\n", row.name.empty() ? "-" : row.name, name, row.kind,
               row.a, a, row.b);
  }
}

void print_fidelity(const Diagnostics& diagnostics) {
  if (diagnostics.list().empty()) return;
  fmt::print("\n");
  for (const Diagnostic& d : diagnostics.list()) {
    fmt::print("  {}\n", to_string(d));
  }
}

void print_table(const Scene& scene, const std::vector<BodyRow>& rows) {
  const Model& model = *scene.model;
  fmt::print("{}: {}\n", scene.info.name, scene.info.description);
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("  {:<14} {}\n", name, value);
  };
  line("bodies", fmt::format("{}", model.bodies.size()));
  line("joints", fmt::format("{}", model.joints.size()));
  line("dofs", fmt::format("{} ({} coordinates)", model.nv, model.nq));
  line("geometries", fmt::format("{}", model.geometries.size()));
  line("trees", fmt::format("{}", model.trees.size()));
  line("limits", fmt::format("{}", model.limits.size()));
  line("constraints", fmt::format("{}", model.constraints.size()));
  line("systems", fmt::format("{}", model.systems.size()));
  line("total mass", fmt::format("{:.6g} kg", model.total_mass));
  line("contact pairs", describe(count_contact_kinds(model)));
  const auto names = [&](const char* what, const std::vector<std::string>& list) {
    if (!list.empty()) line(what, fmt::format("{}", fmt::join(list, ", ")));
  };
  names("keyframes", list_keyframes(scene));
  names("controls", scene.loaded.controls);
  names("sensors", list_sensors(scene));
  line("approximated", model.notes.empty() || !scene.loaded.diagnostics.list().empty()
                           ? scene.loaded.diagnostics.summary()
                           : fmt::format("{} things", model.notes.size()));
  for (const std::string& note : model.notes) {
    fmt::print("    {}\n", note);
  }

  std::size_t name = 4, parent = 6, joints = 6;
  for (const BodyRow& row : rows) {
    name = std::max(name, row.name.size());
    parent = std::max(parent, row.parent.size());
    joints = std::max(joints, summarize(row.joints).size());
  }
  fmt::print("\n  {:<{}}  {:<{}}  {:>10}  {:<{}}  {}\n", "body", name, "parent", parent,
             "mass (kg)", "joints", joints, "geometries");
  for (const BodyRow& row : rows) {
    const std::string mass = row.name == kWorldName ? "-" : fmt::format("{:.6g}", row.mass);
    fmt::print("  {:<{}}  {:<{}}  {:>10}  {:<{}}  {}\n", row.name, name,
               row.parent.empty() ? "-" : row.parent, parent, mass, summarize(row.joints), joints,
               summarize(row.geometries));
  }
  print_constraints(make_constraint_rows(model));
  print_systems(make_system_rows(model));
  print_fidelity(scene.loaded.diagnostics);
}

}  // namespace

Action add_info(CLI::App* app) {
  struct Arguments {
    SceneInput input;
    bool json = false;
  };
  auto a = std::make_shared<Arguments>();
  add_scene_options(app, &a->input, false);
  app->add_flag("--json", a->json, "Print one JSON object instead of the table");
  return [a] {
    const Scene scene = open_scene(a->input);
    print_fidelity_summary(a->input, scene);
    (a->json ? print_json : print_table)(scene, make_rows(*scene.model));
    return static_cast<int>(kDone);
  };
}

}  // namespace cenic::cli
