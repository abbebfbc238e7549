// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// What a name in --columns means, for tables of steps and charts of recordings alike. Numbers have
// names "joint", "joint[2]" where it has several, "system.signal" or "system.signal[2]".
#pragma once

#include <string>
#include <vector>

namespace cenic {

// A joint means all it has, with an index one of them; [0] is the only one of what has one. So does
// a signal, or the system that it is of.
bool means_coordinate(const std::string& asked, const std::string& name);
bool means_signal(const std::string& asked, const std::string& name);

// Says that there is no `asked` among the names of this kind ("coordinate"), but others, or how
// many numbers it has. By their `aliases` they may be asked for, too.
std::string describe_unknown_name(const std::string& kind, const std::string& asked,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& aliases = {});

}  // namespace cenic
