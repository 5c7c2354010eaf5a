"""A real server on a loopback socket: right answers, and connections that break in each way that faults imitate."""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PRICES = {"item": "pen", "price": 12, "currency": "EUR", "stock": [1, 2, 3, 4]}
EVENTS = [f'data: {{"n": {n}}}\n\n'.encode() for n in range(4)]
BODY = json.dumps(PRICES).encode()


@dataclass
class Served:
    """Where the server is, and the requests it got."""

    url: str
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    heard: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))
    patience: float = 0.0  # seconds that it waits for the client to have heard an event

    @property
    def host(self) -> str:
        return self.url.removeprefix("http://")


class Handler(BaseHTTPRequestHandler):
    """One path for each behaviour."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server
    served: Served

    def log_message(self, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer(None)

    def do_HEAD(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, body: bytes | None) -> None:
        path = self.path.partition("?")[0]
        self.served = self.server.served  # a request that outlives its test belongs to that test to the end
        self.served.requests.append((self.command, self.path, body))
        getattr(self, "_" + path.strip("/").split("/")[0])()

    def _send(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _prices(self) -> None:
        self._send(200, BODY, Set_Cookie="visit=1")

    def _zipped(self) -> None:
        self._send(200, gzip.compress(BODY, mtime=0), Content_Encoding="gzip")

    def _page(self) -> None:
        self._send(200, b"It is sunny in Oslo, 21 degrees.", "text/plain; charset=utf-8")

    def _binary(self) -> None:
        self._send(200, b"\x89PNG\xff\x00\x01", "image/png")

    def _nothing(self) -> None:
        self.send_response(204)
        self.end_headers()

    def _missing(self) -> None:
        self._send(404, b'{"detail": "no such thing"}')

    def _events(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in EVENTS:
            self.served.sent.append("event")
            self.wfile.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")
            self.served.heard.acquire(timeout=self.served.patience)
        self.wfile.write(b"0\r\n\r\n")

    def _slow(self) -> None:
        time.sleep(0.2)
        self._send(200, BODY)

    # how connections really break

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def _closed(self) -> None:
        self.close_connection = True

    def _hang(self) -> None:
        time.sleep(10.0)
        self.close_connection = True

    def _half(self, chunked: bool = False) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        part = BODY[: -(-len(BODY) // 8)]
        self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n" if chunked else part)
        self.wfile.flush()
        self.close_connection = True

    def _halfchunked(self) -> None:
        self._half(chunked=True)

    def _halfreset(self) -> None:
        self._half()
        time.sleep(0.5)  # what came before a reset is lost if nobody has read it yet
        self._reset()

    def _halfhang(self) -> None:
        self._half()
        time.sleep(10.0)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    served: Served

    def afresh(self) -> Served:
        """A new state for the requests that come from now on."""
        self.served = Served(f"http://127.0.0.1:{self.server_port}")
        return self.served

    def handle_error(self, *args: Any) -> None:
        """Clients that go away are what is tested here."""


@contextmanager
def serving() -> Iterator[Server]:
    """The server for as long as the block lasts."""
    server = Server(("127.0.0.1", 0), Handler)
    server.afresh()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
