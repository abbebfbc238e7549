// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// Server: HTTP and WebSocket for one page, on a thread of its own. It knows no simulation: what it
// serves comes from handlers. Who connects cannot slow down or fill up who sends: frames for slow
// connections are dropped, and everything has a limit.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace cenic {

struct ServerOptions {
  std::string address = "127.0.0.1";  // of the network interface to listen on; others see the page
                                      // only when this is not the loopback address
  int port = 0;                       // 0: any; one that is taken is replaced by any
  int max_connections = 32;           // at once; the oldest without a WebSocket goes first
  int handshake_seconds = 10;         // to ask for something
  int idle_seconds = 60;              // of a WebSocket, then it is asked whether it is there
};

using SharedBytes = std::shared_ptr<const std::string>;

struct HttpReply {
  bool found = false;
  std::string type{};  // of the content
  SharedBytes body{};
};

// All are called on the thread of the server.
struct ServerHandlers {
  std::function<HttpReply(const std::string& path)> get;
  std::function<std::string()> greet;  // the first text for a new WebSocket
  // A text of a WebSocket, which has that number; what is returned is sent back, unless empty.
  std::function<std::string(const std::string& text, int page)> receive;
  std::function<void(int page)> leave{};  // a WebSocket ended
  // A frame when the one before it is not sent, as another was not in time; from any thread.
  std::function<SharedBytes(const SharedBytes& hidden, const SharedBytes& frame)> adopt{};
};

class Server {
 public:
  // Listens at once. Throws Error when the address cannot be used.
  Server(const ServerOptions& options, ServerHandlers handlers);
  ~Server();  // closes all connections
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // To all WebSockets, from any thread; never waits. A text is always sent; of frames that cannot
  // be sent in time the last few.
  void send(SharedBytes bytes, bool binary);

  int port() const;
  std::string url() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cenic
