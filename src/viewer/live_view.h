// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// LiveView: a session on a server, for browsers.
#pragma once

#include <string>

#include "viewer/server.h"
#include "viewer/session.h"

namespace cenic {

class LiveView {
 public:
  // Serves the page at once; the session, which must outlive the view, runs where its owner runs
  // it. Throws Error when the program has no page or the address cannot be used.
  LiveView(Session* session, const ServerOptions& options);
  ~LiveView() { session_.set_sink(nullptr); }
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  std::string url() const { return server_.url(); }
  int port() const { return server_.port(); }

 private:
  Session& session_;
  Server server_;
};

// A page that is complete in itself, on a server: a replay of a recording.
class PageView {
 public:
  PageView(const std::string& page, const ServerOptions& options);
  std::string url() const { return server_.url(); }
  int port() const { return server_.port(); }

 private:
  Server server_;
};

}  // namespace cenic
