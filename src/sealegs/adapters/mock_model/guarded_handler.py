"""The rules for requests (`request_rules`), applied to servers of the standard library: one thread for each connection.

A head has an end in time and in bytes, however it trickles in; a body too. Bodies in chunks are refused, and clients
that do not read their answers are cut off after a while.
"""

from __future__ import annotations

import io
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sealegs.adapters.request_rules import (
    LARGEST,
    LARGEST_HEAD,
    MOST_CONNECTIONS,
    PATIENCE,
    WHOLE_BODY,
    RequestRefusal,
    RequestRules,
)


class HeadTooLargeError(Exception):
    """A request's head that has more bytes than one may have."""


class _TimedStream(io.RawIOBase):
    """The stream of bytes from a connection, to a moment and to so many bytes."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._until = self._left = 0.0

    def allow(self, seconds: float, size: int) -> None:
        """Allow so much from now on."""
        self._until, self._left = time.monotonic() + seconds, size

    def readable(self) -> bool:
        """Return True: what the connection sends can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what has come.

        Raises:
            TimeoutError: nothing came in time.
            HeadTooLargeError: too much came.
        """
        if self._left <= 0:
            raise HeadTooLargeError
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(min(left, PATIENCE))
        try:
            count = self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(PATIENCE)  # of what is written
        self._left -= count
        return count


class GuardedServer(ThreadingHTTPServer):
    """A server with so many connections at a time, and no more."""

    daemon_threads = True
    request_queue_size = 128
    block_on_close = False

    def __init__(self, *given: Any, **more: Any) -> None:
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(*given, **more)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, if there is room."""
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:  # no thread could be started
            self._room.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away, or takes its time, is not our error."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class GuardedHandler(BaseHTTPRequestHandler):
    """Reads requests within limits.

    Attributes:
        rules: say which requests are answered.
    """

    rules: RequestRules
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Read from the connection within limits."""
        super().setup()
        self.rfile.close()
        self._stream = _TimedStream(self.connection)
        self.rfile = io.BufferedReader(self._stream, 1 << 13)

    def handle_one_request(self) -> None:
        """Answer a request whose head has so many bytes, and comes so soon."""
        self._stream.allow(PATIENCE, LARGEST_HEAD)
        try:
            super().handle_one_request()
        except HeadTooLargeError:
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n")

    def refusal(self) -> RequestRefusal | None:
        """The refusal of this request; None where it is answered."""
        origins = self.headers.get_all("Origin", [])
        found = self.rules.refusal("http", self.headers.get("Host", ""), origins, self.path)
        return (
            found
            if found is not None or len(self.headers.get_all("Host", [])) == 1
            else RequestRefusal(400, "one Host\n")
        )

    def body(self) -> bytes | RequestRefusal:
        """The request's body, or why it is not taken; then the connection is closed behind the answer."""
        if self.headers.get("Transfer-Encoding"):
            return self._closing(RequestRefusal(411, "send the body with a Content-Length\n"))
        lengths = self.headers.get_all("Content-Length", ["0"])
        # Another reader of the head may take the second, and what it takes for the body be a request here.
        if len(lengths) > 1:
            return self._closing(RequestRefusal(400, "one Content-Length\n"))
        given = lengths[0].strip()
        # Another reader of the head may not take what `int` also takes (signs, underscores, other digits) for a
        # length.
        if not (given.isascii() and given.isdigit()):
            return self._closing(RequestRefusal(400, f"Content-Length {given[:40]!r} is not a number of bytes\n"))
        # Checked by its length first: Python refuses to read a number of some thousand digits.
        if len(given) > len(str(LARGEST)) or int(given) > LARGEST:
            return self._closing(RequestRefusal(413, f"a request has at most {LARGEST} bytes\n"))
        self._stream.allow(WHOLE_BODY, LARGEST + LARGEST_HEAD)
        try:
            found = self.rfile.read(int(given))
        except TimeoutError:
            found = b""
        if len(found) < int(given):
            return self._closing(RequestRefusal(408, "the body was cut off\n"))
        return found

    def _closing(self, refusal: RequestRefusal) -> RequestRefusal:
        self.close_connection = True
        return refusal
