// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/page.h"

#include "core/error.h"
#include "viewer/scene_json.h"

#ifdef CENIC_PAGE_FILE
// The assembler reads the file: a string of this length would take the compiler seconds.
__asm__(
    ".pushsection .rodata\n"
    ".global cenic_page_begin\n"
    ".global cenic_page_end\n"
    "cenic_page_begin:\n"
    ".incbin \"" CENIC_PAGE_FILE
    "\"\n"
    "cenic_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char cenic_page_begin[];  // NOLINT(readability-identifier-naming)
extern const char cenic_page_end[];    // NOLINT(readability-identifier-naming)
}
#endif

namespace cenic {
namespace {

constexpr std::string_view kDataMark = "<!--data-->";

std::string_view page() {
#ifdef CENIC_PAGE_FILE
  return {cenic_page_begin, static_cast<std::size_t>(cenic_page_end - cenic_page_begin)};
#else
  return {};
#endif
}

std::string insert_data(std::string_view data) {
  if (!has_page()) {
    throw Error(
        "the page for the browser is not part of this program; install npm (Debian: nodejs npm), "
        "then 'make page'");
  }
  const std::size_t mark = page().find(kDataMark);
  std::string out(page().substr(0, mark));
  out += data;
  out += page().substr(mark + kDataMark.size());
  return out;
}

}  // namespace

bool has_page() { return !page().empty(); }

std::string make_live_page() { return insert_data(""); }

std::string make_replay_page(std::string_view scene_json, std::string_view frames) {
  std::string data = R"(<script id="scene" type="application/json">)";
  for (const char c : scene_json) {  // names must not end the script
    if (c == '<') {
      data += "\\u003c";
    } else {
      data += c;
    }
  }
  data += R"(</script><script id="frames" type="text/plain">)";
  data += encode_base64(frames.data(), frames.size());
  data += "</script>";
  return insert_data(data);
}

}  // namespace cenic
