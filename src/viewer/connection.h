// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
// One connection of the server: HTTP requests, until it becomes a WebSocket. Private to the server.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include "viewer/server.h"

namespace cenic::detail {

class Connection;

// What connections share; outlives them.
struct ConnectionHub {
  ServerOptions options;
  ServerHandlers handlers;
  std::function<void(Connection*)> closed;
  int web_sockets = 0;  // so far
};

// Frames that wait to be sent. A burst goes through whole, so that the page has no holes in its
// past; of more the oldest give way.
class FrameQueue {
 public:
  using Bytes = SharedBytes;
  static constexpr std::size_t kMost = 16;  // a quarter of a second

  // `adopt`: the second of two frames when the first gives way.
  explicit FrameQueue(const ServerHandlers& handlers) : adopt_(handlers.adopt) {}
  bool empty() const { return frames_.empty(); }
  void push(Bytes frame) {
    frames_.push_back(std::move(frame));
    if (frames_.size() <= kMost) return;
    const Bytes hidden = take();
    if (adopt_) frames_.front() = adopt_(hidden, frames_.front());
  }
  // The oldest, or nothing.
  Bytes take() {
    if (frames_.empty()) return nullptr;
    Bytes frame = std::move(frames_.front());
    frames_.pop_front();
    return frame;
  }

 private:
  const decltype(ServerHandlers::adopt)& adopt_;
  std::deque<Bytes> frames_;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Bytes = FrameQueue::Bytes;

  Connection(boost::asio::ip::tcp::socket socket, ConnectionHub* hub)
      : hub_(*hub), stream_(std::move(socket)), frames_(hub->handlers) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() { read_request(); }
  void send(Bytes bytes, bool binary);
  void close();
  bool is_web_socket() const { return socket_.has_value(); }

 private:
  using Request = boost::beast::http::request<boost::beast::http::empty_body>;

  void read_request();
  void on_request();
  void answer(const Request& request);
  void reply(const Request& request, boost::beast::http::status status, const std::string& type,
             Bytes body);
  void upgrade(const Request& request);
  void read_message();
  void on_message();
  void write_next();

  ConnectionHub& hub_;
  boost::beast::tcp_stream stream_;  // until it becomes socket_
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::empty_body>> parser_;
  std::optional<boost::beast::websocket::stream<boost::beast::tcp_stream>> socket_;
  std::deque<Bytes> texts_;  // to be sent
  FrameQueue frames_;        // to be sent
  int page_ = 0;             // number of the WebSocket
  bool open_ = false;        // it is
  bool writing_ = false;
};

// Is the page's own server asked? Names that others can make point here are refused (DNS
// rebinding): those that are no address, unless they are this machine's own.
bool is_own_host(const std::string& host);
// Does the page that opens a WebSocket come from here? Browsers always say so; others need not.
bool is_own_origin(const std::string& origin, const std::string& host);

}  // namespace cenic::detail
