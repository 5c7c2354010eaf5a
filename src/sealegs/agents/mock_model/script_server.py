"""The server that plays a script: standard library, loopback only, one thread for each connection."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

from sealegs.agents.mock_model import anthropic_messages, chat, responses
from sealegs.agents.mock_model.script import PlayedTurn, Script, ScriptError
from sealegs.agents.mock_model.turn_counting import ConversationState
from sealegs.faults.user_error import UserError

HOST = "127.0.0.1"


class Interface(NamedTuple):
    """How one interface is read and written."""

    heard: Callable[[Mapping[str, Any]], ConversationState]
    answer: Callable[[PlayedTurn, Mapping[str, Any]], dict[str, Any]]
    stream: Callable[[PlayedTurn, Mapping[str, Any]], Iterator[str]]


INTERFACES: Mapping[str, Interface] = {
    "/chat/completions": Interface(chat.chat_state, chat.chat_answer, chat.chat_stream),
    "/responses": Interface(responses.responses_state, responses.responses_answer, responses.responses_stream),
    "/messages": Interface(
        anthropic_messages.messages_state, anthropic_messages.messages_answer, anthropic_messages.messages_stream
    ),
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

    Attributes:
        requests: all requests so far: what the model read.

    Raises:
        UserError: the port is taken.
    """

    def __init__(self, script: Script, port: int = 0, on_request: Callable[[ModelRequest], None] | None = None) -> None:
        self.requests: list[ModelRequest] = []
        self._script = script
        self._on_request = on_request
        handler = type("Handler", (_Handler,), {"owner": self})
        try:
            self._server = _Server((HOST, port), handler)
        except OSError as error:
            raise UserError(
                f"cannot serve on port {port}: {error.strerror}; name another, or 0 for a free one"
            ) from error
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """What an OpenAI client takes as `base_url`."""
        return f"{self.root}/v1"

    @property
    def root(self) -> str:
        """What an Anthropic client takes as `base_url`."""
        return f"http://{HOST}:{self._server.server_port}"

    def serve(self) -> None:
        """Serve in this thread until `close` is called from another, or the process is interrupted."""
        self._server.serve_forever(poll_interval=0.05)

    def close(self) -> None:
        """Stop serving."""
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

    def asked(self, request: ModelRequest) -> None:
        """Note that a request has come."""
        self.requests.append(request)
        if self._on_request is not None:
            self._on_request(request)

    def played(self, heard: ConversationState) -> PlayedTurn:
        """What the script says now."""
        return self._script.play(heard.turns, heard.text)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is not our error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    owner: ScriptServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body leave together

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:  # as the base class names it
        """The list of models."""
        if self.path.partition("?")[0].endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": 0, "owned_by": "sealegs"}
            self._send(200, {"object": "list", "data": [model]})
        else:
            self._refuse(404, f"nothing is served at {self.path}")

    def do_POST(self) -> None:  # as the base class names it
        """A turn of the model."""
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        interface = next((one for end, one in INTERFACES.items() if path.endswith(end)), None)
        if interface is None:
            self._refuse(404, f"nothing is served at {path}; there are {', '.join(INTERFACES)}")
            return
        try:
            body = json.loads(raw)
            self.owner.asked(ModelRequest(path, body))
            played = self.owner.played(interface.heard(body))
        except ScriptError as error:
            self._refuse(400, str(error))
        except (ValueError, AttributeError, TypeError) as error:
            self._refuse(400, f"the request cannot be read ({error})")
        else:
            if body.get("stream"):
                self._stream(interface.stream(played, body))
            else:
                self._send(200, interface.answer(played, body))

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

    def _stream(self, events: Iterator[str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for event in events:
                data = event.encode()
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except OSError:  # the client has heard enough
            self.close_connection = True
