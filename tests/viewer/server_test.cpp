// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/server.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <gtest/gtest.h>

namespace cenic {
namespace {

using boost::asio::ip::tcp;
namespace websocket = boost::beast::websocket;

std::shared_ptr<const std::string> make_bytes(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

// However fast frames come, who watches ends up with the last one.
TEST(Server, TheLastFrameIsAlwaysSent) {
  Server server({}, {.get =
                         [](const std::string&) {
                           return HttpReply{};
                         },
                     .greet =
                         [] {
                           return std::string("hello");
                         },
                     .receive =
                         [](const std::string&) {
                           return std::string();
                         }});
  boost::asio::io_context context;
  websocket::stream<tcp::socket> socket(context);
  socket.next_layer().connect(tcp::endpoint(boost::asio::ip::make_address("127.0.0.1"),
                                            static_cast<unsigned short>(server.port())));
  socket.handshake("127.0.0.1:" + std::to_string(server.port()), "/");
  boost::beast::flat_buffer buffer;
  const auto read = [&] {
    buffer.clear();
    socket.read(buffer);
    return boost::beast::buffers_to_string(buffer.data());
  };
  ASSERT_EQ(read(), "hello");
  for (int round = 0; round < 20; ++round) {
    const std::string last = std::to_string(1000 * round + 299);
    for (int i = 0; i < 300; ++i) {
      server.send(make_bytes(std::to_string(1000 * round + i)), true);
    }
    // A text is always sent: what came before it is all there is so far. Seconds, on a busy
    // machine.
    std::string text, frame;
    for (int tries = 0; tries < 500 && frame != last; ++tries) {
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      server.send(make_bytes("mark"), false);
      for (text.clear(); text != "mark";) {
        text = read();
        if (!socket.got_text()) frame = text;
      }
    }
    EXPECT_EQ(frame, last);
  }
}

}  // namespace
}  // namespace cenic
