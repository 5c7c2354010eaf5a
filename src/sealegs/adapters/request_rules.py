"""Rules for the requests that any server of ours answers: by Host and Origin, by how much is sent, and how soon.

A page in a browser may lead a name of its own to this machine (DNS rebinding), or send a request across origins that
needs no leave. A number for a host cannot be led elsewhere, so it is answered where a server listens beyond this
machine. Nothing here knows how a server reads: `relaying.http_guard` and `mock_model.guarded_handler` apply it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

LOOPBACK = frozenset(("127.0.0.1", "localhost", "::1"))
LARGEST = 64 << 20  # bytes of a request's body
LARGEST_HEAD = 64 << 10  # bytes of a request's head
PATIENCE = 30.0  # seconds that a client may take for a request's head, and for each chunk of its body
WHOLE_BODY = 300.0  # seconds that it may take for a body that is kept until it is whole
MOST_CONNECTIONS = 256  # at a time; more are closed at once


class RequestRefusal(NamedTuple):
    """The reason why a request is not answered, as an HTTP status and a line of text."""

    status: int
    text: str


class RequestRules:
    """Says which requests a server answers.

    Args:
        host: the address that it listens on.
        hosts: further names that clients may ask for.
        origins: the origins of pages that may ask, besides the server's own; `*` for any.
        server: what it is called in refusals.
        options: the options by which its user allows more hosts and origins; empty where there are none.
    """

    def __init__(
        self,
        host: str,
        hosts: Iterable[str] = (),
        origins: Iterable[str] = (),
        server: str = "this proxy",
        options: tuple[str, str] | tuple[()] = ("--allow-host", "--allow-origin"),
    ) -> None:
        self._names = LOOPBACK | {host.lower()} | {name.lower() for name in hosts}
        self._numbers = not _is_loopback(host)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)
        self._server = server
        self._options = options

    def refusal(self, scheme: str, host: str, origins: Sequence[str], target: str) -> RequestRefusal | None:
        """The refusal of a request; None where it is answered.

        Args:
            scheme: that it came by.
            host: its `Host`; empty where it has none.
            origins: all its `Origin` headers: a second one counts as much as the first.
            target: what it asks for, as it was sent.
        """
        # Before the origins: a page under a name that was led to this machine sends that name as its origin and as
        # Host.
        if not self._names_us(host):
            known = ", ".join(sorted(self._names))
            allow = f"; allow others by {self._options[0]}" if self._options else ""
            return RequestRefusal(421, f"{self._server} answers only for {known}{allow}\n")
        own = f"{scheme}://{host}".lower()
        for origin in map(str.lower, origins):
            if origin and origin != own and not {origin, "*"} & self._origins:
                allow = f"; allow them by {self._options[1]}" if self._options else ""
                # What a client sent is repeated in signs that any answer may have.
                page = origin.encode("ascii", "backslashreplace").decode()
                return RequestRefusal(403, f"{self._server} does not answer pages of {page}{allow}\n")
        if not target.startswith("/"):
            return RequestRefusal(400, f"{self._server} is not a proxy for other servers; ask for a path\n")
        return None

    def _names_us(self, host: str) -> bool:
        try:
            parts = urlsplit(f"//{host}")
            name, _ = (parts.hostname or "").lower(), parts.port
        except ValueError:  # a port that is none
            return False
        if set("@/?#\\") & set(host):
            return False
        return name in self._names or (self._numbers and _is_number(name))


def _is_number(name: str) -> bool:
    return _address(name) is not None


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return host.lower() in LOOPBACK if address is None else address.is_loopback


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
