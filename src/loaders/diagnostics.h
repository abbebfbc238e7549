// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Diagnostics: what a loader has to say about a file, line by line. Everything that does not mean
// in cenic what it meant in the file is here; mistakes are collected too, and thrown together.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace cenic {

enum class Severity {
  kError,         // the file is wrong: loading fails
  kWarning,       // the file is odd, and means what it says here
  kApproximated,  // taken over, but not with the same meaning
  kIgnored,       // left out
};
const char* to_string(Severity severity);  // "error", "warning", "approximated", "ignored"

struct Diagnostic {
  std::string file{};
  int line = 0;
  Severity severity = Severity::kIgnored;
  std::string what{};
  int count = 1;   // how often this line did this, e.g. a default that many elements use
  int column = 0;  // 0: not known
};
// "file:line: severity: what (12 times)", or "file:line:column: ..." where the column is known
std::string to_string(const Diagnostic& diagnostic);

class Diagnostics {
 public:
  void add(const std::string& file, int line, Severity severity, const std::string& what,
           int column = 0);
  // Those of another file, after these.
  void append(const Diagnostics& other);

  // By file, in the order in which they were first named, and by line.
  void sort();
  const std::vector<Diagnostic>& list() const { return list_; }
  int count(Severity severity) const;  // with repetitions
  // "3 approximated, 12 ignored"; "nothing" when there is nothing to say.
  std::string summary() const;
  // Throws one Error with all errors, a line each; does nothing when there are none.
  void throw_errors() const;

 private:
  std::vector<Diagnostic> list_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace cenic
