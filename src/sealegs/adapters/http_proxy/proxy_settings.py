"""The settings of a proxy for HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from sealegs.adapters.http_proxy.operations import NO_OPERATIONS, Operations
from sealegs.adapters.relaying.host_names import can_be_looked_up
from sealegs.faults.call import Layer
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject.session import UNARMED


@dataclass(frozen=True)
class ProxySettings:
    """The settings that a proxy is started with.

    Attributes:
        upstream: the server's origin.
        say: called with a line for the user.
        warn: called with a line about what went wrong while it runs.
        plan: the faults at the start.
        plan_file: the file that they were read from, and are read from again.
        layers: makes the layers between client and faults, for each plan.
        episode: the episode's name.
        timeout: seconds after which a call that a fault holds up is given up.
        records: a file that records are appended to.
        events: a file that gets each event of the episode at once.
        spans: whether each call is a span.
        tools: names for requests, each with a pattern of `METHOD host/path`.
        operations: what is known of the server's operations.
        host, port: where to listen.
        control: the port of the switch on this machine; None for none.
        token: what the switch asks for.
        hosts: further names that clients may ask for.
        origins: the origins of pages that may ask.
    """

    upstream: str
    say: Callable[[str], None]
    warn: Callable[[str], None]
    plan: Plan = UNARMED
    plan_file: Path | None = None
    layers: Callable[[Plan], Sequence[Layer]] = lambda plan: ()
    episode: str = ""
    timeout: float | None = None
    records: Path | None = None
    events: Path | None = None
    spans: bool = False
    tools: Mapping[str, str] = field(default_factory=dict)
    operations: Operations = NO_OPERATIONS
    host: str = "127.0.0.1"
    port: int = 0
    control: int | None = None
    token: str = ""
    hosts: Sequence[str] = ()
    origins: Sequence[str] = ()


def origin_of(url: str) -> str:
    """The origin that an address names, and nothing else.

    Raises:
        UserError: it names none, or more than that.
    """
    example = "give its scheme, host and port, such as https://api.example.com"
    try:
        parts = urlsplit(url)
        # Asked here, since it is parsed only now and raises where it is not a number.
        port = parts.port
    except ValueError:
        raise UserError(f"--http {url!r} is not the address of a server; {example}") from None
    named = can_be_looked_up(parts.hostname or "") and port != 0 and parts.username is None
    if parts.scheme not in ("http", "https") or not parts.hostname or not named:
        raise UserError(f"--http {url!r} is not the address of a server; {example}")
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise UserError(f"--http {url!r} names more than a server; {example}: clients ask for the path")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    usual = {"http": 80, "https": 443}[parts.scheme]
    return f"{parts.scheme}://{host}" + ("" if port in (None, usual) else f":{port}")


def named_patterns(given: Sequence[str]) -> dict[str, str]:
    """Names and patterns of `NAME=METHOD host/path`.

    Raises:
        UserError: one has another form, or a name comes twice.
    """
    found: dict[str, str] = {}
    for one in given:
        name, mark, pattern = one.partition("=")
        if not (name and mark and " " in pattern.strip()):
            raise UserError(f"--tool {one!r} has no name or no pattern; write it as NAME='METHOD host/path'")
        if name in found:
            raise UserError(f"--tool {one!r}: {name!r} is named twice; give each tool one pattern")
        found[name] = pattern
    return found
