// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/connection.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <boost/asio/ip/address.hpp>
#include <unistd.h>

namespace cenic::detail {
namespace {

namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using boost::beast::error_code;

constexpr std::size_t kMaxHeader = 16 << 10;   // of a request, bytes
constexpr std::size_t kMaxMessage = 64 << 10;  // of a WebSocket, bytes
constexpr std::size_t kMaxTexts = 64;  // that wait; a connection that lets more pile up ends

// A body that several connections send without copying it.
struct SharedBody {
  using value_type = std::shared_ptr<const std::string>;
  static std::uint64_t size(const value_type& body) { return body->size(); }
  class writer {  // NOLINT(readability-identifier-naming): Beast's name
   public:
    using const_buffers_type = boost::asio::const_buffer;
    template <bool is_request, typename Fields>
    writer(const http::header<is_request, Fields>& /*header*/, const value_type& body)
        : body_(body) {}
    static void init(error_code& error) { error = {}; }
    boost::optional<std::pair<const_buffers_type, bool>> get(error_code& error) const {
      error = {};
      return {{boost::asio::buffer(*body_), false}};
    }

   private:
    const value_type& body_;
  };
};

std::string to_text(boost::beast::string_view view) { return {view.data(), view.size()}; }

Connection::Bytes make_bytes(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

}  // namespace

bool is_own_host(const std::string& host) {
  std::string name = host.substr(0, host.rfind(':'));
  if (host.starts_with('[')) {  // IPv6
    const std::size_t end = host.find(']');
    if (end == std::string::npos) return false;
    name = host.substr(1, end - 1);
  }
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  if (name == "localhost") return true;
  error_code error;
  boost::asio::ip::make_address(name, error);
  if (!error) return true;
  std::array<char, 256> own{};
  return gethostname(own.data(), own.size() - 1) == 0 && !name.empty() && name == own.data();
}

bool is_own_origin(const std::string& origin, const std::string& host) {
  return origin.empty() || origin == "http://" + host;
}

Connection::~Connection() {
  if (page_ > 0 && hub_.handlers.leave) hub_.handlers.leave(page_);
  hub_.closed(this);
}

void Connection::close() {
  error_code ignored;
  auto& socket = socket_ ? boost::beast::get_lowest_layer(*socket_).socket() : stream_.socket();
  socket.close(ignored);
}

void Connection::read_request() {
  parser_.emplace();
  parser_->header_limit(kMaxHeader);
  parser_->body_limit(0);
  stream_.expires_after(std::chrono::seconds(hub_.options.handshake_seconds));
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](error_code error, std::size_t) {
                     if (!error) self->on_request();
                   });
}

void Connection::on_request() {
  const Request request = parser_->release();
  const std::string host = to_text(request[http::field::host]);
  if (!is_own_host(host)) {
    return reply(request, http::status::forbidden, "text/plain",
                 make_bytes("This server answers to addresses and its own name alone.\n"));
  }
  if (!websocket::is_upgrade(request)) return answer(request);
  if (!is_own_origin(to_text(request[http::field::origin]), host)) {
    return reply(request, http::status::forbidden, "text/plain",
                 make_bytes("Only the server's own page may connect.\n"));
  }
  upgrade(request);
}

void Connection::answer(const Request& request) {
  if (request.method() != http::verb::get) {
    return reply(request, http::status::method_not_allowed, "text/plain", make_bytes("Use GET.\n"));
  }
  const HttpReply found = hub_.handlers.get(to_text(request.target()));
  if (!found.found) {
    return reply(request, http::status::not_found, "text/plain", make_bytes("Not found.\n"));
  }
  reply(request, http::status::ok, found.type, found.body);
}

void Connection::reply(const Request& request, http::status status, const std::string& type,
                       Bytes body) {
  auto response = std::make_shared<http::response<SharedBody>>(status, request.version());
  response->set(http::field::content_type, type);
  response->set(http::field::cache_control, "no-store");
  response->set("X-Content-Type-Options", "nosniff");
  response->set("X-Frame-Options", "DENY");
  response->keep_alive(request.keep_alive() && status == http::status::ok);
  response->body() = std::move(body);
  response->prepare_payload();
  http::async_write(stream_, *response,
                    [self = shared_from_this(), response](error_code error, std::size_t) {
                      if (!error && response->keep_alive()) self->read_request();
                    });
}

void Connection::upgrade(const Request& request) {
  stream_.expires_never();  // the WebSocket has its own clock
  socket_.emplace(std::move(stream_));
  socket_->set_option(
      websocket::stream_base::timeout{std::chrono::seconds(hub_.options.handshake_seconds),
                                      std::chrono::seconds(hub_.options.idle_seconds), true});
  socket_->read_message_max(kMaxMessage);
  socket_->auto_fragment(false);
  socket_->async_accept(request, [self = shared_from_this()](error_code error) {
    if (error) return;
    self->open_ = true;
    self->page_ = ++self->hub_.web_sockets;
    self->send(make_bytes(self->hub_.handlers.greet()), false);
    self->buffer_ = {};
    self->read_message();
  });
}

void Connection::read_message() {
  socket_->async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
    if (!error) return self->on_message();
    self->open_ = false;
    self->close();
  });
}

void Connection::on_message() {
  const std::string answer =
      socket_->got_text()
          ? hub_.handlers.receive(boost::beast::buffers_to_string(buffer_.data()), page_)
          : std::string();
  buffer_.consume(buffer_.size());
  if (!answer.empty()) send(make_bytes(answer), false);
  if (open_) read_message();
}

void Connection::send(Bytes bytes, bool binary) {
  if (!open_) return;
  if (binary) {
    frames_.push(std::move(bytes));
  } else if (texts_.size() < kMaxTexts) {
    texts_.push_back(std::move(bytes));
  } else {
    open_ = false;
    return close();
  }
  if (!writing_) write_next();
}

void Connection::write_next() {
  Bytes bytes;
  const bool binary = texts_.empty();
  if (!binary) {
    bytes = std::move(texts_.front());
    texts_.pop_front();
  } else {
    bytes = frames_.take();
  }
  if (!bytes || !open_) return;
  writing_ = true;
  socket_->binary(binary);
  socket_->async_write(boost::asio::buffer(*bytes),
                       [self = shared_from_this(), bytes](error_code error, std::size_t) {
                         self->writing_ = false;
                         if (error) {
                           self->open_ = false;
                           return self->close();
                         }
                         self->write_next();
                       });
}

}  // namespace cenic::detail
