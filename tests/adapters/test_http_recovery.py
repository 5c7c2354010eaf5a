"""Recovery over the HTTP clients: a request that broke is made anew, on a connection that is whole."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Iterator

import pytest

from sealegs.inject import Session, VirtualClock
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.layer import RecoveryLayer
from sealegs.recovery.policies import Retry
from sealegs.recovery.policies.policy import AtOnce
from tests.adapters.http_clients import KINDS, ask

PATIENCE = 1.0  # seconds
ANSWER = (
    b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"price": 12}'
)


def read_request(connection: socket.socket) -> bytes:
    """All of a request. A connection that is closed before its end is reset, for which clients have another error."""
    found = b""
    while (head := found.partition(b"\r\n\r\n"))[1] == b"" or len(head[2]) < body_length(head[0]):
        if not (more := connection.recv(4096)):
            break
        found += more
    return found


def body_length(head: bytes) -> int:
    found = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
    return int(found[1]) if found else 0


class Failing:
    """A port where nobody listens, or that hangs up or says nothing, until it is repaired."""

    def __init__(self, way: str) -> None:
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.way = way
        self.heard: list[bytes] = []
        self.open: list[socket.socket] = []
        if way != "refused":
            self.listen()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.socket.getsockname()[1]}/prices"

    def listen(self) -> None:
        self.socket.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def repair(self) -> None:
        if self.way == "refused":
            self.listen()
        self.way = "whole"

    def close(self) -> None:
        for one in (self.socket, *self.open):
            one.close()

    def _serve(self) -> None:
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            self.open.append(connection)
            self.heard.append(read_request(connection))
            if self.way == "silent":
                continue
            if self.way == "whole":
                connection.sendall(ANSWER)
            connection.close()


class Repairing(AtOnce):
    """Repairs the server when the first request has failed."""

    name = "repairing"

    def __init__(self, server: Failing) -> None:
        self.server = server

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        self.server.repair()
        return failed_call


@pytest.fixture(params=["refused", "closed", "silent"])
def server(request: pytest.FixtureRequest) -> Iterator[Failing]:
    server = Failing(request.param)
    yield server
    server.close()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_request_that_broke_is_made_anew(kind: str, server: Failing) -> None:
    first = server.way
    policy = Repairing(server) | Retry()
    session = Session(layers=[RecoveryLayer(policy)], clock=VirtualClock())
    got = await ask(kind, session, server.url, timeout=PATIENCE)
    assert (got.status, got.json()) == (200, {"price": 12})
    assert len(server.heard) == (1 if first == "refused" else 2)


@pytest.mark.parametrize("kind", KINDS)
async def test_what_is_sent_is_made_anew_only_where_it_never_left(kind: str, server: Failing) -> None:
    first = server.way
    session = Session(layers=[RecoveryLayer(Repairing(server) | Retry())], clock=VirtualClock())
    if first == "refused":
        got = await ask(kind, session, server.url, json={"item": "pen"}, timeout=PATIENCE)
        assert (got.status, got.json()) == (200, {"price": 12})
    else:
        with pytest.raises(Exception) as caught:  # noqa: PT011  # each library has its own
            await ask(kind, session, server.url, json={"item": "pen"}, timeout=PATIENCE)
        assert caught.type.__name__ in ("ConnectionError", "ReadTimeout", "RemoteProtocolError")
    assert len(server.heard) == 1
