// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/live_view.h"

#include <map>
#include <memory>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "viewer/frame.h"
#include "viewer/page.h"

namespace cenic {
namespace {

constexpr const char* kHtml = "text/html; charset=utf-8";

HttpReply make_reply(const char* type, std::string body) {
  return {true, type, std::make_shared<const std::string>(std::move(body))};
}

ServerHandlers make_handlers(Session* session) {
  // Made once: they may be large, and are sent without copying.
  const std::map<std::string, HttpReply> fixed{
      {"/", make_reply(kHtml, make_live_page())},
      {"/scene.json", make_reply("application/json", session->scene())}};
  return {.get =
              [session, fixed](const std::string& path) {
                if (path == "/history.bin") {
                  return make_reply("application/octet-stream", session->encode_history());
                }
                const auto found = fixed.find(path);
                return found == fixed.end() ? HttpReply{} : found->second;
              },
          .greet =
              [session] {
                return session->status();
              },
          .receive =
              [session](const std::string& text, int page) {
                try {
                  session->post(text, page);
                  return std::string();
                } catch (const Error& e) {
                  return nlohmann::json{{"type", "refused"}, {"text", e.what()}}.dump();
                }
              },
          .leave =
              [session](int page) {
                session->leave(page);
              },
          .adopt =
              [](const SharedBytes& hidden, const SharedBytes& frame) {
                return std::make_shared<const std::string>(adopt_steps(*hidden, *frame));
              }};
}

ServerHandlers make_handlers(const std::string& page) {
  return {.get =
              [reply = make_reply(kHtml, page)](const std::string& path) {
                return path == "/" ? reply : HttpReply{};
              },
          .greet =
              [] {
                return std::string();
              },
          .receive =
              [](const std::string& /*text*/, int /*page*/) {
                return std::string();
              }};
}

}  // namespace

LiveView::LiveView(Session* session, const ServerOptions& options)
    : session_(*session), server_(options, make_handlers(session)) {
  session->set_sink([this](const Session::Message& message) {
    server_.send(message.bytes, message.binary);
  });
}

PageView::PageView(const std::string& page, const ServerOptions& options)
    : server_(options, make_handlers(page)) {}

}  // namespace cenic
