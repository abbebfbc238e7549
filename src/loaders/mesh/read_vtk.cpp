// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Legacy VTK: an unstructured grid of tetrahedra, text or binary (most significant byte first).
// Cells are lists "4 a b c d" (file versions up to 4) or offsets and connectivity (from 5 on).
// Point and cell data, which follow the cells, are not read.
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/error.h"
#include "loaders/mesh/mesh_text.h"
#include "loaders/mesh/read_mesh.h"

namespace cenic {
namespace {

constexpr std::string_view kBlank = " \t\r\n\f\v";
constexpr int kTetrahedron = 10;  // VTK's number of this kind of cell

struct NumberType {
  const char* name;
  int size;  // bytes
  bool is_real, is_signed;
};
constexpr NumberType kNumberTypes[] = {
    {"float", 4, true, true},        {"double", 8, true, true},
    {"char", 1, false, true},        {"unsigned_char", 1, false, false},
    {"short", 2, false, true},       {"unsigned_short", 2, false, false},
    {"int", 4, false, true},         {"unsigned_int", 4, false, false},
    {"long", 8, false, true},        {"unsigned_long", 8, false, false},
    {"vtkidtype", 4, false, true},   {"vtktypeint32", 4, false, true},
    {"vtktypeint64", 8, false, true}};
constexpr NumberType kInt = kNumberTypes[6];

std::string lower(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

class VtkReader {
 public:
  VtkReader(const std::string& path, const std::string& bytes) : path_(path), bytes_(bytes) {}

  TetMesh read() {
    read_header();
    while (!has_cells_ || !has_types_) {
      if (!next_line()) {
        fail(std::string("no ") +
             (num_points_ < 0 ? "POINTS"
              : has_cells_    ? "CELL_TYPES"
                              : "CELLS") +
             " found before the end: the file is truncated; copy or export it again");
      }
      read_section();
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw FileError(path_, shown_line_, text);
  }

  // The words of the next line that has any.
  bool next_line() {
    do {
      if (!next_raw_line()) return false;
      detail::split_words(raw_line_, &words_);
    } while (words_.empty());
    return true;
  }
  bool next_raw_line() {
    if (at_ >= bytes_.size()) return false;
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    raw_line_ = std::string_view(bytes_).substr(at_, end - at_);
    at_ = end + 1;
    shown_line_ = line_++;
    return true;
  }

  void read_header() {
    next_raw_line();
    if (lower(raw_line_.substr(0, 14)) != "# vtk datafile") {
      fail(
          "the first line is not '# vtk DataFile Version ...'; give a legacy VTK file (.vtk, not "
          ".vtu)");
    }
    next_raw_line();  // the title
    const std::string format = next_line() ? lower(words_[0]) : "";
    if (format != "ascii" && format != "binary") {
      fail("the third line must be ASCII or BINARY; export the mesh again as legacy VTK");
    }
    binary_ = format == "binary";
    const bool has_dataset = next_line() && lower(words_[0]) == "dataset" && words_.size() > 1;
    if (!has_dataset) {
      fail("'DATASET UNSTRUCTURED_GRID' is missing; export the mesh again as legacy VTK");
    }
    if (lower(words_[1]) != "unstructured_grid") {
      fail("the dataset is " + std::string(words_[1]) +
           "; only UNSTRUCTURED_GRID with tetrahedra is read");
    }
  }

  void read_section() {
    const std::string keyword = lower(words_[0]);
    if (keyword == "points") {
      read_points();
    } else if (keyword == "cells") {
      read_cells();
    } else if (keyword == "cell_types") {
      read_types();
    } else if (keyword == "field") {
      skip_field();
    } else if (keyword == "metadata") {
      // Ends with an empty line.
      while (next_raw_line() && raw_line_.find_first_not_of(" \t\r") != std::string_view::npos) {
      }
    } else {
      fail("'" + std::string(words_[0].substr(0, 40)) + "' where POINTS, CELLS or CELL_TYPES " +
           "should be; check the counts of what stands before it");
    }
  }

  std::size_t parse_count(std::size_t word, const char* what) const {
    const std::optional<long> value =
        word < words_.size() ? detail::parse_integer(words_[word]) : std::nullopt;
    if (!value.has_value() || *value < 0) {
      fail(std::string("the number of ") + what + " is missing or not a number after '" +
           std::string(words_[0].substr(0, 40)) + "'");
    }
    return static_cast<std::size_t>(*value);
  }
  const NumberType& parse_type(std::size_t word) const {
    const std::string name = word < words_.size() ? lower(words_[word]) : "";
    for (const NumberType& type : kNumberTypes) {
      if (name == type.name) return type;
    }
    fail("number type '" + name + "' is not known; write float, double, int or vtktypeint64");
  }

  // Called before memory is taken for `count` numbers: a text number is a digit and a blank.
  void check_room(std::size_t count, const NumberType& type, const char* what) const {
    const std::size_t left = at_ < bytes_.size() ? bytes_.size() - at_ : 0;
    const std::size_t most = binary_ ? left / type.size : left / 2 + 1;
    if (count > most) {
      fail(std::to_string(count) + " numbers of " + what + " are promised, but the file holds " +
           std::to_string(most) + " more at most: it is truncated; copy or export it again");
    }
  }

  void skip_blanks() {
    for (; at_ < bytes_.size() && kBlank.find(bytes_[at_]) != kBlank.npos; ++at_) {
      if (bytes_[at_] == '\n') ++line_;
    }
  }
  std::string_view next_word(const char* what) {
    skip_blanks();
    const std::size_t end = std::min(bytes_.find_first_of(kBlank, at_), bytes_.size());
    if (end == at_ || at_ >= bytes_.size()) {
      fail(std::string("the file ends within the ") + what + ": it is truncated; export it again");
    }
    const std::string_view word = std::string_view(bytes_).substr(at_, end - at_);
    at_ = end;
    shown_line_ = line_;
    return word;
  }
  std::uint64_t next_bytes(int size) {
    std::uint64_t value = 0;
    for (int k = 0; k < size; ++k) {
      value = value << 8 | static_cast<unsigned char>(bytes_[at_++]);
    }
    return value;
  }

  double next_real(const NumberType& type, const char* what) {
    double value = NAN;
    std::string shown = "a number";
    if (binary_) {
      const std::uint64_t bits = next_bytes(type.size);
      value = type.size == 8 ? std::bit_cast<double>(bits)
                             : std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    } else {
      const std::string_view word = next_word(what);
      value = detail::parse_number(word).value_or(NAN);
      shown = "'" + std::string(word.substr(0, 40)) + "'";
    }
    if (!std::isfinite(value)) {
      fail(shown + " of the " + what + " is not a finite number; export the mesh again");
    }
    return value;
  }
  long next_integer(const NumberType& type, const char* what) {
    if (binary_) {
      const std::uint64_t bits = next_bytes(type.size);
      const int unused = 64 - 8 * type.size;
      return type.is_signed ? static_cast<std::int64_t>(bits << unused) >> unused
                            : static_cast<long>(bits);
    }
    const std::string_view word = next_word(what);
    const std::optional<long> value = detail::parse_integer(word);
    if (!value.has_value()) {
      fail("'" + std::string(word.substr(0, 40)) + "' of the " + what +
           " is not a whole number; check the counts of what stands before it");
    }
    return *value;
  }

  void read_points() {
    if (num_points_ >= 0) fail("a second POINTS; a file holds one grid");
    const std::size_t count = parse_count(1, "points");
    const NumberType& type = parse_type(2);
    if (!type.is_real) fail("points of whole numbers are not read; write float or double");
    check_room(count, type, "points");  // so that three times it is no overflow
    check_room(3 * count, type, "points");
    if (count == 0) fail("the grid has no points; export the mesh again");
    if (count > INT32_MAX) fail("more than 2147483647 points; use a coarser mesh");
    mesh_.vertices.resize(count);
    for (Vec3& p : mesh_.vertices) {
      for (int i = 0; i < 3; ++i) {
        p[i] = next_real(type, "points");
      }
    }
    num_points_ = static_cast<long>(count);
  }

  void add_corner(long vertex, std::size_t cell, int corner) {
    if (vertex < 0 || vertex >= num_points_) {
      fail("cell " + std::to_string(cell) + " names point " + std::to_string(vertex) +
           ", but points run from 0 to " + std::to_string(num_points_ - 1) +
           "; export the mesh again");
    }
    mesh_.tets[cell][corner] = static_cast<int>(vertex);
  }
  [[noreturn]] void fail_size(std::size_t cell, long size) const {
    fail("cell " + std::to_string(cell) + " has " + std::to_string(size) +
         " corners; only tetrahedra, with 4, are read: mesh the solid with tetrahedra");
  }

  void read_cells() {
    if (num_points_ < 0) fail("CELLS before POINTS; write POINTS first");
    if (has_cells_) fail("a second CELLS; a file holds one grid");
    const std::size_t first = parse_count(1, "cells"), second = parse_count(2, "numbers");
    const std::size_t at = at_;
    const int line = line_, shown_line = shown_line_;
    if (next_line() && lower(words_[0]) == "offsets") {
      read_offsets(first, second);
    } else {
      at_ = at;
      line_ = line;
      shown_line_ = shown_line;
      read_lists(first, second);
    }
    if (mesh_.tets.empty()) fail("the grid has no cells; export the mesh with its tetrahedra");
    has_cells_ = true;
  }

  // "4 a b c d" for each cell, as 32-bit numbers in binary files.
  void read_lists(std::size_t num_cells, std::size_t num_numbers) {
    check_room(num_cells, kInt, "cells");
    check_room(num_numbers, kInt, "cells");
    mesh_.tets.resize(num_cells);
    std::size_t used = 0;
    for (std::size_t cell = 0; cell < num_cells; ++cell) {
      // Checked first: a binary file is not read beyond the numbers promised.
      if (used + 5 > num_numbers) fail_count(num_cells, num_numbers);
      const long size = next_integer(kInt, "cells");
      if (size != 4) fail_size(cell, size);
      for (int k = 0; k < 4; ++k) {
        add_corner(next_integer(kInt, "cells"), cell, k);
      }
      used += 5;
    }
    if (used != num_numbers) fail_count(num_cells, num_numbers);
  }
  [[noreturn]] void fail_count(std::size_t num_cells, std::size_t num_numbers) const {
    fail("CELLS promises " + std::to_string(num_cells) + " cells in " +
         std::to_string(num_numbers) + " numbers; " + std::to_string(num_cells) +
         " tetrahedra take " + std::to_string(5 * num_cells) +
         ": mesh the solid with tetrahedra only");
  }

  // Where the corners of each cell begin, and one more; then all corners.
  void read_offsets(std::size_t num_offsets, std::size_t num_corners) {
    const NumberType& offset_type = parse_type(1);
    check_room(num_offsets, offset_type, "offsets");
    const std::size_t num_cells = num_offsets > 0 ? num_offsets - 1 : 0;
    long last = 0;
    for (std::size_t k = 0; k < num_offsets; ++k) {
      const long offset = next_integer(offset_type, "offsets");
      if (k == 0 ? offset != 0 : offset != last + 4) {
        if (k == 0) fail("the first offset is " + std::to_string(offset) + ", not 0");
        fail_size(k - 1, offset < last ? 0 : offset - last);
      }
      last = offset;
    }
    if (static_cast<std::size_t>(last) != num_corners) {
      fail("the offsets end at " + std::to_string(last) + " but CELLS promises " +
           std::to_string(num_corners) + " corners; export the mesh again");
    }
    if (!next_line() || lower(words_[0]) != "connectivity") {
      fail("'CONNECTIVITY' is missing after the offsets; export the mesh again");
    }
    const NumberType& type = parse_type(1);
    check_room(num_corners, type, "corners");
    mesh_.tets.resize(num_cells);
    for (std::size_t k = 0; k < num_corners; ++k) {
      add_corner(next_integer(type, "corners"), k / 4, static_cast<int>(k % 4));
    }
  }

  void read_types() {
    if (!has_cells_) fail("CELL_TYPES before CELLS; write CELLS first");
    const std::size_t count = parse_count(1, "cells");
    if (count != mesh_.tets.size()) {
      fail("CELL_TYPES has " + std::to_string(count) + " entries for " +
           std::to_string(mesh_.tets.size()) + " cells; export the mesh again");
    }
    check_room(count, kInt, "cell types");
    for (std::size_t cell = 0; cell < count; ++cell) {
      const long type = next_integer(kInt, "cell types");
      if (type != kTetrahedron) {
        fail("cell " + std::to_string(cell) + " is of type " + std::to_string(type) +
             "; only tetrahedra (10) are read: mesh the solid with tetrahedra only");
      }
    }
    has_types_ = true;
  }

  // FIELD name n, then n times: name components tuples type, and the numbers.
  void skip_field() {
    const std::size_t num_arrays = parse_count(2, "arrays");
    for (std::size_t k = 0; k < num_arrays; ++k) {
      if (!next_line() || words_.size() < 4) fail("an array of the FIELD is missing its sizes");
      const std::size_t components = parse_count(1, "components"),
                        tuples = parse_count(2, "tuples");
      const NumberType& type = parse_type(3);
      check_room(components, type, "a field");
      check_room(tuples, type, "a field");
      // Both are below the file's size now, so the product does not overflow for any real file.
      check_room(components * tuples, type, "a field");
      if (binary_) {
        at_ += components * tuples * type.size;
      } else {
        for (std::size_t i = 0; i < components * tuples; ++i) {
          next_word("field");
        }
      }
    }
  }

  const std::string& path_;
  const std::string& bytes_;
  std::size_t at_ = 0;  // the next byte to read
  int line_ = 1;        // it is on; binary numbers are no lines
  int shown_line_ = 0;  // of what was read last
  std::string_view raw_line_;
  std::vector<std::string_view> words_;
  bool binary_ = false, has_cells_ = false, has_types_ = false;
  long num_points_ = -1;  // −1: not read yet
  TetMesh mesh_;
};

}  // namespace

TetMesh read_vtk(const std::string& path) {
  const std::string bytes = detail::read_bytes(path);
  return VtkReader(path, bytes).read();
}

}  // namespace cenic
