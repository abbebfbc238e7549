// SPDX-License-Identifier: BSD-3-Clause
// Part of cenic.
#include "viewer/server.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

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

int to_number(const std::string& text) { return std::stoi(text); }

// However fast frames come, who watches ends up with the last one; a short burst goes through
// whole.
TEST(Server, BurstsGoThroughAndTheLastFrameIsAlwaysSent) {
  Server server({}, {.get =
                         [](const std::string&) {
                           return HttpReply{};
                         },
                     .greet =
                         [] {
                           return std::string("hello");
                         },
                     .receive =
                         [](const std::string&, int) {
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
  // A text is always sent, at once: the wait is for frames behind it. Seconds, on a busy machine.
  const auto receive = [&](const std::string& last) {
    std::vector<std::string> frames;
    for (int tries = 0; tries < 500 && (frames.empty() || frames.back() != last); ++tries) {
      if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      server.send(make_bytes("mark"), false);
      for (std::string text; text != "mark";) {
        text = read();
        if (!socket.got_text()) frames.push_back(text);
      }
    }
    return frames;
  };
  for (int round = 0; round < 20; ++round) {
    for (const int count : {10, 300}) {
      std::vector<std::string> sent;
      for (int i = 0; i < count; ++i) {
        sent.push_back(std::to_string(1000 * round + i));
        server.send(make_bytes(sent.back()), true);
      }
      const std::vector<std::string> received = receive(sent.back());
      ASSERT_FALSE(received.empty());
      EXPECT_EQ(received.back(), sent.back());
      EXPECT_TRUE(std::ranges::includes(sent, received, {}, to_number, to_number));
      if (count == 10) {
        EXPECT_EQ(received, sent);
      }
    }
  }
}

}  // namespace
}  // namespace cenic
