"""A provider that fails in each way that providers do: a local server that speaks OpenAI's chat completions.

What it plays otherwise is a poor model: it calls the first tool that it is offered, with nothing, and then stops and
says so. Where no tool is offered it writes code and then a solution, as `highwater` asks. Each conversation gets one of
the faults that are set, in turn; they strike from the model's second turn on, so that the first question of a run is
answered, or from the first.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-local"
STOP = "I could not complete the request.\nStatus: incomplete"
Reply = tuple[int, dict[str, Any]]


def refused(status: int, message: str, code: str, kind: str = "invalid_request_error") -> Reply:
    """An error of the provider's."""
    return status, {"error": {"message": message, "type": kind, "code": code, "param": None}}


def completion(message: dict[str, Any], finish: str = "stop") -> Reply:
    """A completion."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "poor"}
    return 200, {**head, "choices": [choice], "usage": usage}


def called(tool: str, arguments: str, id: str) -> dict[str, Any]:
    """A call of a tool."""
    return {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}


def poor(body: dict[str, Any], turn: int, *, arguments: str = "{}", id: str = "", many: int = 1) -> Reply:
    """What the model says where nothing is wrong."""
    tools = body.get("tools") or []
    if tools and turn == 0:
        name = tools[0]["function"]["name"]
        calls = [called(name, arguments, id or f"call_{turn}_{number}") for number in range(many)]
        return completion({"content": None, "tool_calls": calls}, "tool_calls")
    if "<execute>" in json.dumps(body["messages"][:2]):
        return completion({"content": "<execute>\nprint(1)\n" if turn == 0 else "<solution>[[42]]</solution>"})
    return completion({"content": STOP})


QUOTA = "You exceeded your current quota, please check your plan."
FAULTS: dict[str, Callable[[], Reply]] = {
    "401": lambda: refused(401, "Incorrect API key provided.", "invalid_api_key"),
    "403": lambda: refused(403, "Your country is not supported.", "unsupported_country"),
    "404": lambda: refused(404, "The model `poor` does not exist.", "model_not_found"),
    "quota": lambda: refused(429, QUOTA, "insufficient_quota", "insufficient_quota"),
    "429": lambda: refused(429, "Rate limit reached.", "rate_limit_exceeded", "requests"),
    "500": lambda: refused(500, "The server had an error.", "server_error", "server_error"),
    "400": lambda: refused(400, "tools[0].function.parameters: unsupported.", "bad"),
    "overflow": lambda: refused(400, "This model's maximum context length is 8192.", "context_length_exceeded"),
    "filter": lambda: completion({"content": None}, "content_filter"),
    "refusal": lambda: completion({"content": None, "refusal": "I cannot help with that."}),
    "length": lambda: completion({"content": "The answer is "}, "length"),
    "blank": lambda: completion({"content": ""}),
    "empty": lambda: (200, {**completion({})[1], "choices": []}),
}
MALFORMED = ("malformed", "parallel", "noid", "dupid", "badname", "reasoning")  # of a model that goes on


@dataclass
class FaultyProvider:
    """What the server does, and the requests that it got.

    Attributes:
        url: what a client takes as `base_url`.
        faults: some of `FAULTS`, `MALFORMED` and `reset`; none for a provider that works.
        first: the model's turn from which on they strike.
        times: how often each conversation is struck; None without end.
        by_model: whether a conversation's fault is the name of the requested model.
        given: the fault of each conversation, by what its user asked.
        requests: the bodies of all requests.
    """

    url: str = ""
    faults: Sequence[str] = ()
    first: int = 1
    times: int | None = None
    by_model: bool = False
    given: dict[str, str] = field(default_factory=dict)
    faulted: Counter[str] = field(default_factory=Counter)
    requests: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, *faults: str, first: int = 1, times: int | None = None, by_model: bool = False) -> None:
        """Let these strike from now on, and forget earlier requests."""
        self.faults, self.first, self.times, self.by_model = faults, first, times, by_model
        self.given.clear()
        self.faulted.clear()
        self.requests.clear()

    def fault_for(self, body: dict[str, Any], turn: int) -> str:
        """The fault that strikes now."""
        question = next(json.dumps(message["content"]) for message in body["messages"] if message["role"] == "user")
        with self.lock:
            if not self.faults or turn < self.first:
                return ""
            if self.by_model:
                return str(body["model"])
            fault = self.given.setdefault(question, self.faults[len(self.given) % len(self.faults)])
            if self.times is not None and self.faulted[question] >= self.times:
                return ""
            self.faulted[question] += 1
            return fault


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    provider: FaultyProvider

    def log_message(self, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.provider.requests.append(body)
        turn = sum(message["role"] == "assistant" for message in body["messages"])
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            return self._send(*FAULTS["401"]())
        fault = self.provider.fault_for(body, turn)
        if fault == "reset":
            self.close_connection = True
            self.connection.shutdown(2)
            return None
        return self._send(*(FAULTS[fault]() if fault in FAULTS else misshapen(fault, body, turn)))

    def _send(self, status: int, data: dict[str, Any]) -> None:
        text = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def misshapen(fault: str, body: dict[str, Any], turn: int) -> Reply:
    """What the model says, in an odd form where a fault says so."""
    match fault:
        case "malformed":
            return poor(body, 0, arguments='{"a": ', id=f"call_{turn}") if turn < 4 else poor(body, turn)
        case "parallel":
            return poor(body, turn, many=2)
        case "dupid":
            return poor(body, turn, id="call_0", many=2)
        case "badname":
            odd = json.loads(json.dumps(body).replace('"name": "', '"name": "functions.'))
            return poor({**body, "tools": odd.get("tools")}, turn)
        case "reasoning":
            status, data = poor(body, turn)
            data["choices"][0]["message"]["reasoning_content"] = "Let me think."
            return status, data
    return poor(body, turn)


@contextmanager
def serving() -> Iterator[FaultyProvider]:
    """Serve in a thread until the block ends."""
    provider = FaultyProvider()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (Handler,), {"provider": provider}))
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
