"""ASGI: faults on the tools of an agent that is served over HTTP, as an experiment elsewhere asks for them.

    app = FaultsMiddleware(app)

An experiment puts a plan to `/.well-known/sealegs/episodes/ID`, names the episode in the header of its request, and
fetches the record from the same place. The request's session is the active one while the app answers, so the tools
are wired as everywhere. Whoever may do this can make the tools fail: without a token, only callers on this machine may.
Work that the app leaves to threads or tasks which outlive its answer is not reached, and WSGI apps are not supported.
"""

from __future__ import annotations

import hmac
import ipaddress
import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from sealegs.adapters.request_rules import RequestRules
from sealegs.faults.plan_files import plan_from
from sealegs.faults.problems import PlanError
from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock, Session
from sealegs.inject.remote_episode import HEADER, PATH, TOKEN
from sealegs.inject.session import ACTIVE
from sealegs.traces import Recorder
from sealegs.traces.redaction import redactor_for
from sealegs.traces.store import redacted_lines

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]
LARGEST = 4 * 1024 * 1024  # bytes of a plan
RULES = RequestRules("127.0.0.1", server="this agent", options=())  # who needs no token
MOST = 1024  # episodes that wait to be fetched


@dataclass
class RemoteEpisode:
    """An episode that an experiment has asked for: its session, and what was recorded so far."""

    session: Session
    recorder: Recorder
    entered: bool = field(default=False)


class FaultsMiddleware:
    """Makes an app's requests episodes of an experiment, if they say so; any other request passes as it is.

    Args:
        app: the agent's app.
        specs: what is known of its tools.
        token: what an experiment must send as `Sealegs-Token` (`SEALEGS_TOKEN` in its environment). Without one, only
            callers on this machine are heard.
    """

    def __init__(self, app: App, specs: Iterable[ToolSpec] = (), token: str = "") -> None:
        self._app = app
        self._specs = tuple(specs)
        self._token = token
        self._episodes: dict[str, RemoteEpisode] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if scope["path"].startswith(f"{PATH}/"):
            status, text = (
                (403, "not allowed")
                if not self._allowed(scope, headers)
                else (await self._managed(scope["method"], scope["path"].removeprefix(f"{PATH}/"), receive))
            )
            await _respond(send, status, text)
            return
        episode = self._episodes.get(headers.get(HEADER.lower(), ""))
        if episode is None or episode.entered:
            with ACTIVE.apart():  # else a session that is active for another request would take its calls
                await self._app(scope, receive, send)
            return
        episode.entered = True
        with episode.session:
            await self._app(scope, receive, send)

    def _allowed(self, scope: Message, headers: dict[str, str]) -> bool:
        if self._token:
            return hmac.compare_digest(headers.get(TOKEN.lower(), "").encode(), self._token.encode())
        host, origins = headers.get("host", ""), [headers.get("origin", "")]
        if RULES.refusal(str(scope.get("scheme", "http")), host, origins, scope["path"]) is not None:
            return False  # a page in a browser on this machine
        try:
            return ipaddress.ip_address((scope.get("client") or ("",))[0]).is_loopback
        except ValueError:
            return False

    async def _managed(self, method: str, id: str, receive: Receive) -> tuple[int, str]:
        """Take a plan, or hand a record over and forget it."""
        if method == "PUT":
            return self._begin(id, await _body(receive))
        if method == "DELETE" and id in self._episodes:
            recorder = self._episodes.pop(id).recorder
            recorder.finish("answered")
            return 200, "".join(redacted_lines(recorder.events, redactor_for(None)))
        return 404, "no such episode"

    def _begin(self, id: str, body: bytes | None) -> tuple[int, str]:
        if body is None or len(self._episodes) >= MOST:
            return 413, f"a plan has at most {LARGEST} bytes, and {MOST} episodes wait at most"
        try:
            data = json.loads(body)
            plan, name = plan_from(data["plan"], imports=False), str(data["episode"])
        except (ValueError, KeyError, TypeError, RecursionError, PlanError) as error:
            return 400, f"not a plan: {error}"
        clock = RealClock()
        recorder = Recorder(clock)
        recorder.start(name, {"adapter": "asgi"})
        session = Session(plan, episode=name, specs=self._specs, clock=clock, watcher=recorder)
        self._episodes[id] = RemoteEpisode(session, recorder)
        return 204, ""


async def _body(receive: Receive) -> bytes | None:
    """The request's body; None where it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST or message["type"] != "http.request":  # too large, or the client hung up
            return None
        if not message.get("more_body"):
            return b"".join(parts)


async def _respond(send: Send, status: int, text: str) -> None:
    body = text.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
