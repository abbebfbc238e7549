#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Part of cenic.
"""Bad company for the server: fuzz_test.py BINARY. The simulation must go on, and memory stay flat.

Exit code 77: skipped, the program has no page."""
import base64
import json
import os
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

BINARY = ""
SKIPPED = 77
FLAT = 24 << 20  # bytes that memory may grow by while the history fills
if "CENIC_SANITIZED" in os.environ:
    FLAT *= 8  # sanitizers keep freed memory for a while, and notes on all memory


class WebSocket:
    """Just enough of one to misbehave with."""

    def __init__(self, port, host=None, origin=None):
        host = host or f"127.0.0.1:{port}"
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /ws HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.take()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.status = int(head.split()[1])

    def take(self):
        data = self.socket.recv(65536)
        if not data:
            raise ConnectionError("closed")
        return data

    def read(self, count):
        while len(self.buffer) < count:
            self.buffer += self.take()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        """(opcode, bytes) of the next frame."""
        first, size = self.read(2)
        if size == 126:
            (size,) = struct.unpack(">H", self.read(2))
        elif size == 127:
            (size,) = struct.unpack(">Q", self.read(8))
        return first & 15, self.read(size)

    def receive_text(self):
        while True:
            opcode, data = self.receive()
            if opcode == 1:
                return json.loads(data)
            if opcode == 8:
                raise ConnectionError("closed")

    def receive_time(self):
        while True:
            opcode, data = self.receive()
            if opcode == 2:
                return struct.unpack_from("<d", data, 8)[0]

    def send_raw(self, data):
        self.socket.sendall(data)

    def send(self, data, opcode=1):
        mask = os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode])
        head += (bytes([0x80 | size]) if size < 126 else bytes([0x80 | 126]) + struct.pack(">H", size)
                 if size < 65536 else bytes([0x80 | 127]) + struct.pack(">Q", size))
        self.send_raw(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def close(self):
        self.socket.close()


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Company(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen([BINARY, "view", "bouncing_ball", "--no-open", "--port", "0"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        self.port = int(re.search(r":(\d+)/", self.process.stdout.readline()).group(1))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.assertEqual(self.process.wait(timeout=20), 0)
        self.process.stdout.close()
        self.process.stderr.close()

    def get(self, path, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", headers=headers)
        return urllib.request.urlopen(request, timeout=10)

    def goes_on(self):
        """A polite page still sees time pass."""
        page = WebSocket(self.port)
        self.assertEqual(page.status, 101)
        start = page.receive_time()
        while page.receive_time() < start + 0.1:
            pass
        page.close()

    def test_names_and_origins(self):
        for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example", "", "[::1"):
            with self.assertRaises(urllib.error.HTTPError) as caught:
                self.get("/", Host=host)
            self.assertIn(caught.exception.code, (400, 403))
            caught.exception.close()
        own = f"127.0.0.1:{self.port}"
        for origin in ("http://evil.example", "null", f"https://{own}", f"http://{own}.evil.example"):
            refused = WebSocket(self.port, origin=origin)
            self.assertEqual(refused.status, 403, origin)
            refused.close()
        for host in (own, f"localhost:{self.port}", "[::1]:80"):
            page = WebSocket(self.port, host=host, origin=f"http://{host}")
            self.assertEqual(page.status, 101, host)
            page.close()
        with self.get("/") as page:  # no other site may hold it in a frame
            self.assertEqual(page.headers["X-Frame-Options"], "DENY")
        with self.assertRaises(urllib.error.HTTPError) as caught:
            self.get("/../../etc/passwd")
        self.assertEqual(caught.exception.code, 404)
        caught.exception.close()

    def test_bad_commands_are_answered(self):
        page = WebSocket(self.port)
        page.receive_text()  # the status
        for text in ("", "{", "[]", "null", "1e999", '{"do":1}', '{"do":"fly"}', '{"do":"rate"}', '{"do":"rate","value":-1}',
                     '{"do":"rate","value":1e999}', '{"do":"play","from":"x"}', '{"do":"play","from":1e9}',
                     '{"do":"joint","index":-1,"value":0}', '{"do":"joint","index":7,"value":0}',
                     '{"do":"grab","index":99,"point":[0,0,0],"target":[0,0,0]}',
                     '{"do":"grab","index":0,"point":[0,0],"target":[0,0,0]}', '{"do":"input","name":"x","index":0,"value":1}',
                     "[" * 5000, '{"do":"input","name":"\\ud800","index":{}}'):
            page.send(text.encode())
            while page.receive_text()["type"] not in ("refused", "error"):
                pass  # how things stand, after a refusal
        page.close()
        self.goes_on()

    def test_bad_frames(self):
        random.seed(1)
        before = resident(self.process.pid)
        for i in range(300):
            page = WebSocket(self.port)
            try:
                kind = i % 6
                if kind == 0:  # noise
                    page.send_raw(os.urandom(random.randrange(1, 2000)))
                elif kind == 1:  # announces 2^62 bytes
                    page.send_raw(bytes([0x81, 0xFF]) + struct.pack(">Q", 1 << 62) + os.urandom(64))
                elif kind == 2:  # more than is allowed
                    page.send(os.urandom(200_000))
                elif kind == 3:  # a text that is none
                    page.send(b"\xff\xfe\xc0" * 10)
                elif kind == 4:  # fragments without end
                    for _ in range(50):
                        page.send_raw(bytes([0x01 if _ == 0 else 0x00, 0x80 | 100]) + bytes(104))
                else:  # opcodes that do not exist, and not masked
                    page.send_raw(bytes([0x8F, 5]) + b"hello")
            except OSError:
                pass  # thrown out while it talked
            page.close()
        self.goes_on()
        self.assertLess(resident(self.process.pid) - before, FLAT)

    def test_bad_requests(self):
        for text in (b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01 no TLS here", b"GET " + b"a" * 100_000, b"X: " * 50_000,
                     b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\nx", b"\r\n" * 1000):
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
            try:
                connection.sendall(text)
                connection.recv(1000)
            except OSError:
                pass
            connection.close()
        self.goes_on()

    def test_many_idle_connections(self):
        self.goes_on()
        before = resident(self.process.pid)
        idle = [socket.create_connection(("127.0.0.1", self.port), timeout=10) for _ in range(200)]
        self.goes_on()  # also with all of them there
        with self.get("/scene.json") as reply:
            self.assertEqual(reply.status, 200)
        for _ in range(5):
            idle += [socket.create_connection(("127.0.0.1", self.port), timeout=10) for _ in range(40)]
            self.goes_on()
        self.assertLess(resident(self.process.pid) - before, FLAT)
        for connection in idle:
            connection.close()

    def test_slow_readers_get_fewer_frames(self):
        slow = [WebSocket(self.port) for _ in range(10)]
        for page in slow:
            self.addCleanup(page.close)
        slow[0].send(b'{"do":"rate","value":0}')  # as fast as it can
        before = resident(self.process.pid)
        time.sleep(3)
        self.goes_on()
        # 64 MB of history are its own; ten connections that do not read must not add to them.
        self.assertLess(resident(self.process.pid) - before, (64 << 20) + FLAT)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    page = subprocess.run([BINARY, "run", "bouncing_ball", "--duration", "0", "--html", os.devnull, "--quiet"],
                          capture_output=True, text=True, check=False)
    if "page for the browser" in page.stderr:
        print("skipped:", page.stderr.strip())
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
