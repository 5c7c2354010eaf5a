"""The server that plays a script: standard library, loopback only, one thread for each connection."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from sealegs.adapters.body_cutters import Head
from sealegs.adapters.mock_model import anthropic_messages, chat, responses
from sealegs.adapters.mock_model.guarded_handler import GuardedHandler, GuardedServer
from sealegs.adapters.mock_model.script import PlayedTurn, Script, ScriptError
from sealegs.adapters.mock_model.serving_faults import FaultyAnswer, plan_of_script
from sealegs.adapters.mock_model.turn_counting import ConversationState
from sealegs.adapters.request_rules import RequestRefusal, RequestRules
from sealegs.faults.model_apis import ModelApi
from sealegs.faults.plan import Plan
from sealegs.faults.user_error import UserError
from sealegs.inject import Clock, EndlessWait, Session, Watcher
from sealegs.inject.session import UNARMED

HOST = "127.0.0.1"


class Interface(NamedTuple):
    """The functions that read and write one interface."""

    api: ModelApi
    heard: Callable[[Mapping[str, Any]], ConversationState]
    answer: Callable[[PlayedTurn, Mapping[str, Any]], dict[str, Any]]


INTERFACES: Mapping[str, Interface] = {
    one.api.path: one
    for one in (
        Interface(chat.API, chat.chat_state, chat.chat_answer),
        Interface(responses.API, responses.responses_state, responses.responses_answer),
        Interface(anthropic_messages.API, anthropic_messages.messages_state, anthropic_messages.messages_answer),
    )
}


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request, as the model read it."""

    path: str
    body: Mapping[str, Any]


class ScriptServer:
    """Serves a script; as a context manager, for as long as the block lasts.

    Args:
        script: what is played.
        port: 0 takes a free one.
        on_request: called with each request, in the thread that serves it.
        plan: faults on its answers, besides those of the script itself.
        clock: lets the time of faults that wait pass; None: the real one.
        watcher: of the session in which they strike.

    Attributes:
        requests: all requests so far: what the model read.

    Raises:
        UserError: the port is taken.
    """

    def __init__(
        self,
        script: Script,
        port: int = 0,
        on_request: Callable[[ModelRequest], None] | None = None,
        plan: Plan = UNARMED,
        clock: Clock | None = None,
        watcher: Watcher | None = None,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.session = Session(plan_of_script(script, plan), clock=clock, watcher=watcher)
        self._script = script
        self._on_request = on_request
        handler = type("Handler", (_Handler,), {"owner": self})
        try:
            self._server = GuardedServer((HOST, port), handler)
        except OSError as error:
            raise UserError(
                f"cannot serve on port {port}: {error.strerror}; name another, or 0 for a free one"
            ) from error
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The `base_url` for an OpenAI client."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """The `base_url` for an Anthropic client."""
        return f"http://{HOST}:{self._server.server_port}"

    def serve(self) -> None:
        """Serve in this thread until `close` is called from another, or the process is interrupted."""
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Stop serving, and let go of whoever still waits."""
        self.session.clock.release()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self.serve, name="scripted model", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def note_request(self, request: ModelRequest) -> None:
        """Note that a request has come."""
        self.requests.append(request)
        if self._on_request is not None:
            self._on_request(request)

    def played(self, heard: ConversationState) -> PlayedTurn:
        """The turn that the script plays now."""
        return self._script.play(heard.turns, heard.text)


class _Handler(GuardedHandler):
    """One request."""

    owner: ScriptServer
    rules = RequestRules(HOST, server="this model", options=())
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:  # noqa: N802 - as the base class names it
        """The list of models."""
        if (refusal := self.refusal()) is not None:
            self._refuse(refusal.status, refusal.text)
        elif self.path.partition("?")[0].endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "sealegs"}
            self._send(200, {"object": "list", "data": [model]})
        else:
            self._refuse(404, f"nothing is served at {self.path}")

    def do_POST(self) -> None:  # noqa: N802 - as the base class names it
        """A turn of the model."""
        raw = self.refusal() or self.body()
        if isinstance(raw, RequestRefusal):
            self.close_connection = True  # what else comes is not looked at
            self._refuse(raw.status, raw.text)
            return
        path = self.path.partition("?")[0]
        interface = next((one for end, one in INTERFACES.items() if path.endswith(end)), None)
        if interface is None:
            self._refuse(404, f"nothing is served at {path}; there are {', '.join(INTERFACES)}")
            return
        try:
            body = json.loads(raw)
            self.owner.note_request(ModelRequest(path, body))
            played = self.owner.played(interface.heard(body))
        except ScriptError as error:
            self._refuse(400, str(error))
        except (ValueError, AttributeError, TypeError, RecursionError) as error:
            self._refuse(400, f"the request cannot be read ({error})")
        else:
            self._answer(interface, played, path, body)

    def _answer(self, interface: Interface, played: PlayedTurn, path: str, body: Mapping[str, Any]) -> None:
        """A turn, as faults let it leave."""
        answer = interface.answer(played, body)
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            chunks = [event.encode() for event in interface.api.stream(answer, usage)]
            head = Head(200, (("Content-Type", "text/event-stream"),))
        else:
            chunks = [json.dumps(answer, ensure_ascii=False).encode()]
            head = Head(200, (("Content-Type", "application/json"), ("Content-Length", str(len(chunks[0])))))
        session, headers = self.owner.session, self.headers.items()
        parts = FaultyAnswer(session, interface.api, path, body, played.name, headers, (head, chunks)).parts()
        try:
            self._write(parts)
        except (OSError, EndlessWait):  # the client has heard enough, or nobody serves any more
            self.close_connection = True

    def _write(self, parts: Iterator[Head | bytes | None]) -> None:
        chunked = False
        for part in parts:
            if part is None:
                self._break()
                return
            if isinstance(part, Head):
                chunked = not part.header("content-length")
                self.send_response(part.status)
                for name, value in part.headers:
                    self.send_header(name, value)
                if chunked:
                    self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
            elif part:
                self.wfile.write(f"{len(part):x}\r\n".encode() + part + b"\r\n" if chunked else part)
            # Flushed chunk by chunk: a client of a stream must see each when it was sent, and not all of them at the
            # end.
            if chunked or not part:
                self.wfile.flush()
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()

    def _break(self) -> None:
        """Reset the connection."""
        self.wfile.flush()
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def _refuse(self, status: int, message: str) -> None:
        """An error in the form that both makers' clients read; none of them tries again on these."""
        error = {"type": "invalid_request_error", "message": message, "param": None, "code": None}
        self._send(status, {"type": "error", "error": error})

    def _send(self, status: int, data: Mapping[str, Any]) -> None:
        body = json.dumps(data, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
