// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/server.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include "core/error.h"
#include "viewer/connection.h"

namespace cenic {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::beast::error_code;
using detail::Connection;
using detail::FrameQueue;

tcp::acceptor listen(asio::io_context* context, const ServerOptions& options) {
  error_code error;
  const auto address = asio::ip::make_address(options.address, error);
  if (error) {
    throw Error(fmt::format("'{}' is no network address; give one such as 127.0.0.1 or 0.0.0.0",
                            options.address));
  }
  if (options.port < 0 || options.port > 65535) {
    throw Error(fmt::format("the port is {}; give 1 to 65535, or 0 for any", options.port));
  }
  for (const int port : {options.port, 0}) {
    tcp::acceptor acceptor(*context);
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return acceptor;
  }
  throw Error(fmt::format("cannot listen on {} port {}: {}", options.address, options.port,
                          error.message()));
}

}  // namespace

struct Server::Impl {
  Impl(const ServerOptions& options, ServerHandlers handlers)
      : hub{options, std::move(handlers),
            [this](Connection* connection) {
              std::erase(connections, connection);
            }},
        acceptor(listen(&context, options)),
        retry(context),
        frames(hub.handlers) {}

  void accept() {
    acceptor.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // out of file descriptors, say: not at full speed
        retry.expires_after(std::chrono::milliseconds(100));
        retry.async_wait([this](error_code stopped) {
          if (!stopped) accept();
        });
        return;
      }
      make_room();
      if (static_cast<int>(connections.size()) < hub.options.max_connections) {
        const auto connection = std::make_shared<Connection>(std::move(socket), &hub);
        connections.push_back(connection.get());
        connection->start();
      }
      accept();
    });
  }

  // Somebody who only holds a connection must not keep a page out.
  void make_room() {
    if (static_cast<int>(connections.size()) < hub.options.max_connections) return;
    const auto idle = std::ranges::find_if(connections, [](const Connection* c) {
      return !c->is_web_socket();
    });
    if (idle == connections.end()) return;
    (*idle)->close();
    connections.erase(idle);
  }

  void send(const SharedBytes& bytes, bool binary) {
    // Sending may end a connection.
    const std::vector<Connection*> all(connections.begin(), connections.end());
    for (Connection* connection : all) {
      const std::shared_ptr<Connection> held = connection->weak_from_this().lock();
      if (held) held->send(bytes, binary);
    }
  }

  void send_frames() {
    while (const FrameQueue::Bytes frame = take_frame()) {
      send(frame, true);
    }
  }

  FrameQueue::Bytes take_frame() {
    const std::lock_guard lock(mutex);
    return frames.take();
  }

  detail::ConnectionHub hub;
  std::vector<Connection*> connections;  // that are there, oldest first; they own themselves
  asio::io_context context{1};           // holds the connections: ends before what they use
  tcp::acceptor acceptor;
  asio::steady_timer retry;
  std::mutex mutex;
  FrameQueue frames;  // that the thread has not seen yet
  std::thread thread;
};

Server::Server(const ServerOptions& options, ServerHandlers handlers)
    : impl_(std::make_unique<Impl>(options, std::move(handlers))) {
  impl_->accept();
  impl_->thread = std::thread([this] {
    impl_->context.run();
  });
}

Server::~Server() {
  asio::post(impl_->context, [this] {
    impl_->context.stop();
  });
  impl_->thread.join();
}

void Server::send(SharedBytes bytes, bool binary) {
  if (!binary) {
    asio::post(impl_->context, [this, bytes = std::move(bytes)] {
      impl_->send(bytes, false);
    });
    return;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    const bool asked = !impl_->frames.empty();
    impl_->frames.push(std::move(bytes));
    if (asked) return;  // it will see this one as well
  }
  asio::post(impl_->context, [this] {
    impl_->send_frames();
  });
}

int Server::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string Server::url() const {
  const auto address = impl_->acceptor.local_endpoint().address();
  const std::string host = address.is_unspecified() || address.is_loopback() ? "localhost"
                           : address.is_v6() ? fmt::format("[{}]", address.to_string())
                                             : address.to_string();
  return fmt::format("http://{}:{}/", host, port());
}

}  // namespace cenic
