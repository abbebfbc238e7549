// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "loaders/scenario/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.h"
#include "core/suggest.h"
#include "loaders/mesh/image.h"
#include "loaders/scenario/shape_choice.h"
#include "loaders/xml/attributes.h"

namespace cenic::detail {
namespace {

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  bool minus = text.starts_with('-');
  const std::string_view size = text.substr(minus ? 1 : 0);
  if (size == ".inf" || size == "inf" || size == ".Inf" || size == ".INF") {
    return (minus ? -1 : 1) * std::numeric_limits<double>::infinity();
  }
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

std::string quote(const YAML::Node& node) {
  constexpr std::size_t kMost = 40;
  if (node.IsNull()) return "nothing";
  if (!node.IsScalar()) return node.IsMap() ? "a map" : "a list";
  const std::string& text = node.Scalar();
  return fmt::format("'{}'", text.size() > kMost ? text.substr(0, kMost) + "..." : text);
}

// Roll, pitch and yaw about fixed axes, as in URDF and SDFormat.
Mat3 calc_rotation(const Vec3& rpy) {
  const auto turn = [](const Vec3& v) {
    return RigidTransform::rotation(v).R;
  };
  return turn({0, 0, rpy.z}) * turn({0, rpy.y, 0}) * turn({rpy.x, 0, 0});
}

}  // namespace

YamlReader::YamlReader(const YAML::Node& map, YamlSource* source) : map_(map), source_(source) {
  if (map.IsMap()) {
    for (const auto& entry : map) {
      entries_.push_back({entry.first, entry.second});
    }
  }
  if (map.IsMap() || map.IsNull()) return;
  error(map, fmt::format("{} stands where a map of keys is expected: write 'key: value' lines or "
                         "{{key: value}}",
                         quote(map)));
  map_ = YAML::Node();
}

YAML::Node YamlReader::find(const char* key, unsigned flags) {
  known_.emplace_back(key);
  for (const Entry& entry : entries_) {
    if (entry.key.Scalar() == key) return entry.value;
  }
  if ((flags & kRequired) != 0) error(map_, fmt::format("'{}' is missing; give it", key));
  return YAML::Node(YAML::NodeType::Undefined);
}

void YamlReader::finish() {
  for (const Entry& entry : entries_) {
    const std::string& key = entry.key.Scalar();
    if (std::ranges::find(known_, key) != known_.end()) continue;
    error(entry.key, fmt::format("there is no key '{}' here{}", key, suggest(key, known_)));
  }
}

bool YamlReader::expect_list(const YAML::Node& node, int size) {
  if (!node.IsSequence()) {
    error(node, fmt::format("{} stands where a list is expected: write [a, b, ...]", quote(node)));
    return false;
  }
  if (size < 0 || static_cast<int>(node.size()) == size) return true;
  error(node, fmt::format("the list has {} entries; give {}", node.size(), size));
  return false;
}

void YamlReader::read(const YAML::Node& node, double& value, unsigned flags) {
  const auto number = node.IsScalar() ? parse_number(node.Scalar()) : std::nullopt;
  if (!number) {
    error(node,
          fmt::format("{} is not a number that can be used; give a finite number", quote(node)));
  } else if (std::isinf(*number) && (flags & kInfinite) == 0) {
    error(node, "an infinite number makes no sense here; give a finite one");
  } else {
    value = *number;
  }
}

void YamlReader::read(const YAML::Node& node, float& value, unsigned flags) {
  double number = value;
  read(node, number, flags);
  value = static_cast<float>(number);
}

namespace {

template <typename Integer>
bool parse_integer(const YAML::Node& node, Integer* value) {
  if (!node.IsScalar()) return false;
  const std::string& text = node.Scalar();
  const char* end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, *value);
  return status == std::errc() && stop == end;
}

template <typename Integer>
std::string describe_range(const YAML::Node& node) {
  return fmt::format("{} is not a whole number between {} and {}", quote(node),
                     std::numeric_limits<Integer>::min(), std::numeric_limits<Integer>::max());
}

}  // namespace

void YamlReader::read(const YAML::Node& node, int& value, unsigned /*flags*/) {
  if (!parse_integer(node, &value)) error(node, describe_range<int>(node));
}
void YamlReader::read(const YAML::Node& node, std::uint32_t& value, unsigned /*flags*/) {
  if (!parse_integer(node, &value)) error(node, describe_range<std::uint32_t>(node));
}
void YamlReader::read(const YAML::Node& node, std::uint64_t& value, unsigned /*flags*/) {
  if (!parse_integer(node, &value)) error(node, describe_range<std::uint64_t>(node));
}

void YamlReader::read(const YAML::Node& node, bool& value, unsigned /*flags*/) {
  const bool is_true = node.IsScalar() && node.Scalar() == "true";
  if (is_true || (node.IsScalar() && node.Scalar() == "false")) {
    value = is_true;
  } else {
    error(node, fmt::format("{} is neither true nor false", quote(node)));
  }
}

void YamlReader::read(const YAML::Node& node, std::string& value, unsigned /*flags*/) {
  if (node.IsScalar()) {
    value = node.Scalar();
  } else {
    error(node, fmt::format("{} stands where a text is expected", quote(node)));
  }
}

void YamlReader::read_word(const YAML::Node& node, const char* const* words, int count,
                           int* value) {
  for (int i = 0; i < count && node.IsScalar(); ++i) {
    if (node.Scalar() != words[i]) continue;
    *value = i;
    return;
  }
  error(node,
        fmt::format("{} is not one of {}", quote(node), fmt::join(words, words + count, ", ")));
}

void YamlReader::read(const YAML::Node& node, Vec3& value, unsigned flags) {
  std::array<double, 3> numbers{value.x, value.y, value.z};
  read(node, numbers, flags);
  value = {numbers[0], numbers[1], numbers[2]};
}

// A symmetric matrix by its diagonal, by xx yy zz xy xz yz, or any by its rows.
void YamlReader::read(const YAML::Node& node, Mat3& value, unsigned flags) {
  std::vector<double> a;
  if (!expect_list(node)) return;
  read(node, a, flags);
  if (a.size() == 3) a.insert(a.end(), 3, 0.0);
  if (a.size() == 6) a = {a[0], a[3], a[4], a[3], a[1], a[5], a[4], a[5], a[2]};
  if (a.size() != 9) {
    error(node, fmt::format("{} numbers are no matrix; give 3 (xx, yy, zz), 6 (xx, yy, zz, xy, xz, "
                            "yz) or 9 (row by row)",
                            node.size()));
    return;
  }
  value = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
}

void YamlReader::read(const YAML::Node& node, RigidTransform& value, unsigned /*flags*/) {
  YamlReader reader(node, source_);
  PoseFields pose;
  describe(reader, pose);
  reader.finish();
  const int rotations =
      (pose.rpy_degrees ? 1 : 0) + (pose.quaternion_wxyz ? 1 : 0) + (pose.rotation_matrix ? 1 : 0);
  if (rotations > 1) {
    error(node, "a pose has one rotation: rpy_degrees, quaternion_wxyz or rotation_matrix");
    return;
  }
  value = {Mat3::identity(), pose.position};
  if (pose.rpy_degrees) {
    value.R = calc_rotation((std::numbers::pi / 180) * *pose.rpy_degrees);
  } else if (pose.quaternion_wxyz) {
    const auto [w, x, y, z] = *pose.quaternion_wxyz;
    if (!(norm(Quat{w, x, y, z}) > 1e-9)) error(node, "the quaternion is zero");
    value.R = to_rotation({w, x, y, z});
  } else if (pose.rotation_matrix) {
    const std::array<double, 9>& a = *pose.rotation_matrix;
    value.R = {{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}};
    const Mat3 E = value.R * transpose(value.R) - Mat3::identity();
    double off = 0;
    for (const Vec3& row : E.row) {
      off = std::max(off, norm(row));
    }
    if (off > 1e-6 || determinant(value.R) < 0) error(node, "the matrix is not a rotation");
  }
}

void YamlReader::read(const YAML::Node& node, NumbersByName& value, unsigned flags) {
  if (!node.IsMap()) {
    error(node, fmt::format("{} stands where names with numbers are expected: {{name: 0.5}}",
                            quote(node)));
    return;
  }
  for (const auto& entry : node) {
    NumbersEntry& numbers = value.entries.emplace_back();
    numbers.name = entry.first.Scalar();
    numbers.place = place_of(entry.first);
    read(entry.second, numbers.values, flags);
  }
}

void YamlReader::read(const YAML::Node& node, std::vector<double>& value, unsigned flags) {
  value.clear();
  if (node.IsScalar()) {  // one number needs no brackets
    read(node, value.emplace_back(), flags);
    return;
  }
  if (!expect_list(node)) return;
  for (const YAML::Node& child : node) {
    read(child, value.emplace_back(), flags);
  }
}

void YamlReader::read_rows(const YAML::Node& node, int columns, std::vector<double>* numbers) {
  if (node.IsScalar()) {
    std::string reason;
    const auto found = parse_numbers(node.Scalar(), &reason);
    if (!found || found->size() % columns != 0) {
      error(node,
            found ? fmt::format("{} numbers are no rows of {}", found->size(), columns) : reason);
      return;
    }
    *numbers = *found;
    return;
  }
  if (!expect_list(node)) return;
  for (const YAML::Node& row : node) {
    if (!expect_list(row, columns)) continue;
    for (const YAML::Node& child : row) {
      read(child, numbers->emplace_back(), 0);
    }
  }
}

void YamlReader::read(const YAML::Node& node, std::vector<Vec3>& value, unsigned /*flags*/) {
  std::vector<double> numbers;
  read_rows(node, 3, &numbers);
  value.clear();
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    value.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
}

int YamlReader::to_index(const YAML::Node& node, double number) {
  if (number >= 0 && number < 1e9 && number == std::floor(number)) return static_cast<int>(number);
  error(node, fmt::format("{} is no index of a vertex; give whole numbers from 0", number));
  return 0;
}

void YamlReader::read(const YAML::Node& node, SystemSpec& value, unsigned /*flags*/) {
  YamlReader reader(node, source_);
  std::string type;
  reader.field("name", value.name, kRequired);
  reader.field("type", type, kRequired);
  reader.field("period", value.period);
  reader.field("offset", value.offset);
  reader.field("start", value.initial);
  std::vector<std::string> types;
  const bool known = for_each_system_type([&](auto& entry) {
    types.emplace_back(entry.name);
    if (type != entry.name) return false;
    entry.visit(reader);
    reader.finish();
    try {
      value.system = entry.make();
    } catch (const Error& e) {
      error(node, fmt::format("system '{}': {}", value.name, e.what()));
    }
    return true;
  });
  if (known || type.empty()) return;
  error(node, fmt::format("there is no type '{}' of systems{}", type, suggest(type, types)));
}

void YamlReader::shape(Shape& shape) {
  ShapeChoice choice;
  describe(*this, choice);
  if (!map_.IsMap()) return;
  try {
    const auto find_file = [&](const std::string& file) {
      return resolve(file);
    };
    shape = make_shape(choice, find_file, &source_->meshes, [&](const std::string& note) {
      source_->report(place_of(map_), Severity::kWarning, note);
    });
  } catch (const Error& e) {
    error(map_, e.what());
  }
}

void YamlReader::picture(TextureSpec& texture) {
  if (texture.file.empty()) return;  // which is an error already
  try {
    const std::string path = resolve(texture.file);
    auto& picture = source_->pictures[path];
    if (picture == nullptr) picture = read_picture(path);
    texture.image = picture;
  } catch (const Error& e) {
    error(map_, fmt::format("texture '{}': {}", texture.file, e.what()));
  }
}

std::string YamlReader::resolve(const std::string& file) const {
  const AssetPaths::Found found = source_->resources->find(file, source_->file);
  if (found.path.empty()) throw Error(found.problem);
  return found.path;
}

}  // namespace cenic::detail
