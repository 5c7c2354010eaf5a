"""HTTP exchanges as calls: what all HTTP adapters share, without any HTTP library.

A request is a call of the tool `METHOD host/path`; its arguments are the path, the query and the body, never a header:
rules may look at headers, records may not.
An answer of status 400 or more is a failure, any other a value: the data of a JSON body, else the text, else the bytes.
On the way back an outcome that nothing changed is the exchange as it was, byte for byte; a changed value is the same
answer with another body; a failure with a status is such an answer, one that names a broken connection is raised by the
adapter as its library would. A body's chunks are its events where it is a stream of events, else its eighths.

Uploads as streams are read first; websockets and trailers are not supported.
"""

from __future__ import annotations

import json
import math
import socket
import ssl
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlencode
from weakref import WeakKeyDictionary

from sealegs.adapters.body_cutters import Head, events, split_body
from sealegs.faults.call import Call, Failure, Layer, Outcome, Value, Wait, failure_body
from sealegs.faults.http_arguments import HttpArguments
from sealegs.faults.model_apis import asks_model, model_api_at
from sealegs.faults.nesting import DEEPEST, exceeds_depth
from sealegs.faults.retry_after import seconds_invited
from sealegs.faults.spec import MODEL, ToolSpec
from sealegs.inject import Session
from sealegs.inject.clock import utc_now
from sealegs.inject.seam import caller_timeout
from sealegs.inject.session import ACTIVE

if TYPE_CHECKING:
    from sealegs.faults.model_apis import ModelApi

Trouble = Literal["refused", "dns", "tls", "reset", "closed", "timeout"]

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})  # methods without effect, by RFC 9110, section 9.2.1
IDEMPOTENT = frozenset({"PUT", "DELETE"})  # besides them, by section 9.2.2
RETRIES = "x-stainless-retry-count"  # the header of clients made by Stainless, such as OpenAI's and Anthropic's
STRETCH = ("content-length", "content-encoding", "transfer-encoding")  # what speaks of the body's bytes


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A whole answer. `raw` as it came, `body` decoded."""

    head: Head
    raw: bytes
    body: bytes

    def outcome(self) -> Outcome:
        """The outcome that the seam notes for it."""
        data = self._data()
        if self.head.status < 400:
            return Value(data)
        try:
            phrase = HTTPStatus(self.head.status).phrase
        except ValueError:
            phrase = f"HTTP {self.head.status}"
        return Failure(
            phrase,
            type="".join(filter(str.isalnum, phrase.title())),
            status=self.head.status,
            retry_after=seconds_invited(self.head.header("retry-after"), self.head.header("date")),
            body={"body": data} if data else None,
        )

    def _data(self) -> Any:
        if self.head.has_events:
            return [event.decode(errors="replace") for event in events([self.body])]
        kind = self.head.header("content-type").lower()
        if "json" in kind:
            try:
                return _read_json(self.body)
            except ValueError:
                pass  # the header was wrong, so the text decides
        try:
            return self.body.decode()
        except UnicodeDecodeError:
            return self.body


INVENTED = HttpAnswer(
    Head(200, (("content-type", "application/json"),)), b"", b'{"": ""}'
)  # where no tool has answered


class HttpExchange:
    """One request on its way through a session, and the answers that its tool really gave.

    Args:
        tool: the tool's name.
        arguments: the call's arguments.
        api: the interface that is called, where this is not a tool but a model.
    """

    def __init__(self, tool: str, arguments: Mapping[str, Any], api: ModelApi | None = None) -> None:
        self.tool = tool
        self.arguments = arguments
        self._api = api
        self._answers: list[tuple[Outcome, HttpAnswer]] = []
        self._breaks: list[tuple[Failure, Head | None, bytes]] = []  # of the real connection
        self._invented: Outcome | None = None  # a failure that was made an answer

    def answered(self, answer: HttpAnswer, unsent: bool = False) -> Outcome:
        """Remember what the tool answered, or what a proxy answers for it where the request never left."""
        outcome = answer.outcome()
        if unsent and isinstance(outcome, Failure):
            outcome = replace(outcome, unsent=True)
        self._answers.append((outcome, answer))
        return outcome

    def broke(self, failure: Failure, head: Head | None = None, raw: bytes = b"") -> Failure:
        """Remember how the real connection broke, and what had come before."""
        self._breaks.append((failure, head, raw))
        return failure

    def split(self, outcome: Outcome) -> list[Any]:
        """An outcome as the head and the chunks of a body; of a connection that breaks, what comes before it does."""
        # Compared by identity: an equal outcome may have been changed and changed back, or come from another try.
        answer = next((answer for known, answer in self._answers if known is outcome), None)
        if answer is not None:
            return [answer.head, *split_body(answer.head, answer.raw)]
        if isinstance(outcome, Failure):
            for known, head, raw in self._breaks:
                if known is outcome or outcome.exception is known.exception:  # perhaps with a longer text
                    return [head, *split_body(head, raw)] if head is not None else []
            if connection_trouble(outcome):
                return []
            self._invented = outcome
            return _failing(outcome, self._api)
        # A changed value keeps the form of the tool's last real answer.
        last = self._answers[-1][1] if self._answers else INVENTED
        value = outcome.value
        if last.head.has_events and isinstance(value, list) and all(isinstance(event, str) for event in value):
            value = "".join(value)
        # Spaced as the server spaces its JSON, so that the form does not give the change away.
        body = _encoded(value, b": " in last.body)
        # The old length and encoding are wrong for the new body.
        kept = [(name, value) for name, value in last.head.headers if name.lower() not in STRETCH]
        head = Head(last.head.status, [*kept, ("content-length", str(len(body)))])
        return [head, *split_body(head, body)]

    def broken(self, outcome: Outcome) -> Failure | None:
        """The failure that ends an answer which seems to be under way; None where the answer is complete."""
        if not isinstance(outcome, Failure) or outcome is self._invented:
            return None
        shown = self.closing_event(outcome) or any(known is outcome for known, _ in self._answers)
        return None if shown else outcome

    def closing_event(self, outcome: Outcome) -> bytes:
        """The event by which a model's interface ends a stream that is under way; empty where none is due."""
        if not isinstance(outcome, Failure) or self._api is None or outcome is self._invented or outcome.exception:
            return b""
        if any(known is outcome for known, _ in self._answers):
            return b""
        return self._api.error_event(outcome).encode()


class Naming:
    """Names for requests, and the session they go through.

    Args:
        session: the episode; None: the active one, as for tools marked with `tool`.
        tools: tool names to patterns of `METHOD host/path` (`*`, `?` and `[abc]` as in plans); the first that fits
            names the request, and one that fits none is named by what it is.
    """

    def __init__(self, session: Session | None, tools: Mapping[str, str] | None) -> None:
        self._session = session
        self._tools = dict(tools or {})
        # Weak, since one client may serve many sessions after one another.
        self._models: WeakKeyDictionary[Session, dict[str, ModelApi]] = WeakKeyDictionary()
        self._methods: WeakKeyDictionary[Session, dict[str, frozenset[str]]] = WeakKeyDictionary()

    def session(self) -> Session | None:
        """The session of a request made now."""
        if self._session is not None:
            return self._session
        return ACTIVE.current() if ACTIVE.live else None

    def declare(self, session: Session, name: str, method: str, api: ModelApi | None) -> None:
        """Tell a session what the method of a request says of its tool; one with several methods is as bad as any.

        Nothing where the request asks a model, whose interface was declared by `model_api`.
        """
        if api is not None:
            return
        methods = self._methods.setdefault(session, {})
        before = methods.get(name, frozenset())
        # Declared again only for a new method: this runs on each request.
        if method not in before:
            session.declare(http_tool_spec(name, before | {method}))
            methods[name] = methods.get(name, before) | {method}  # only now: another thread must not skip it too early

    def model_api(
        self, session: Session, name: str, method: str, path: str, body: Callable[[], bytes]
    ) -> ModelApi | None:
        """The interface of a model that a request calls, of which the session learns; None if it calls none."""
        api = model_api_at(method, path)
        if api is None:
            return None
        known = self._models.setdefault(session, {})
        if name not in known:
            if not asks_model(_body(body(), as_json=True, as_form=False)):
                return None
            session.declare(ToolSpec(name, tags=frozenset({MODEL}), effects=False, model_api=api.name))
            known[name] = api
        return known[name]

    def name(self, method: str, host: str, path: str) -> str:
        """The tool of a request."""
        line = f"{method} {host}{path}"
        return next((name for name, pattern in self._tools.items() if fnmatchcase(line, pattern)), line)


def http_tool_spec(name: str, methods: Collection[str]) -> ToolSpec:
    """The spec of a tool by the methods that call it: RFC 9110, section 9.2."""
    if SAFE.issuperset(methods):
        return ToolSpec(name, effects=False)
    return ToolSpec(name, idempotent=(SAFE | IDEMPOTENT).issuperset(methods))


def connection_trouble(failure: Failure) -> Trouble | None:
    """The way in which a failure breaks a connection; None where it is an answer."""
    # The order matters: the special connection errors come before ConnectionError, their base class.
    kinds: tuple[tuple[type[BaseException], Trouble], ...] = (
        (TimeoutError, "timeout"),
        (ConnectionRefusedError, "refused"),
        (ConnectionAbortedError, "closed"),
        (ConnectionError, "reset"),
        (socket.gaierror, "dns"),
        (ssl.SSLError, "tls"),
    )
    return next((name for kind, name in kinds if isinstance(failure.exception, kind)), None)


def arguments_of(method: str, path: str, query: str, body: bytes, headers: Iterable[tuple[str, str]]) -> HttpArguments:
    """A request's arguments: `path`, and `query` and `body` where there are any; method and headers for rules alone."""
    headers = tuple(headers)
    found: dict[str, Any] = {"path": path}
    if query:
        found["query"] = _paired(query)
    if body:
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        # Model servers take JSON whatever its header says, and curl's own header says that it is a form.
        as_json = "json" in kind.lower() or model_api_at(method, path) is not None
        found["body"] = _body(body, as_json=as_json, as_form="x-www-form-urlencoded" in kind.lower())
    return HttpArguments(found, method, headers)


def rebuilt(arguments: Mapping[str, Any]) -> tuple[str, str, bytes | None]:
    """Path, query and body of arguments that a fault has changed; None where there is no body."""
    body = arguments.get("body")
    query = urlencode(arguments.get("query") or {}, doseq=True)
    return str(arguments.get("path", "/")), query, None if body is None else _encoded(body, True)


def with_read_timeout(timeout: float | None, layer: Layer) -> Layer:
    """The layer under a client that waits at most `timeout` seconds for each read; None: for ever.

    Only waits on the seam count: those of the real connection are the library's own.
    """
    if timeout is None:
        return layer

    def patient(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        generator = layer(call)
        left = timeout
        try:
            request = next(generator)
            while True:
                if isinstance(request, Wait):
                    if request.seconds > left:
                        yield Wait(left)
                        return caller_timeout(timeout)
                    # A chunk that arrives ends a read, and the next read has the whole time.
                    left = timeout if request.chunks else left - request.seconds
                elif request.chunks is not None:  # its chunks are reads of their own
                    left = timeout
                request = generator.send((yield request))
        except StopIteration as stop:
            result: Outcome = stop.value
            return result
        finally:
            generator.close()

    return patient


def with_retry_count(count: str | None, layer: Layer) -> Layer:
    """The layer for a request that its client says it has sent so many times before; the text of `RETRIES`."""
    if count is None or not count.isdecimal() or int(count) == 0:
        return layer
    return lambda call: layer(replace(call, retry=int(count)))


def _failing(failure: Failure, api: ModelApi | None) -> list[Any]:
    """A failure as the answer of a server, or of a model's interface."""
    content = failure_body(failure) if api is None else api.error(failure)
    body = json.dumps(content, ensure_ascii=False, default=str).encode()
    headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
    if api is not None:
        headers += api.headers(failure, utc_now())
    elif failure.retry_after is not None:
        # The header holds whole seconds; rounding down would invite a retry too early.
        headers.append(("retry-after", str(math.ceil(failure.retry_after))))
    return [Head(failure.status or 500, headers), body]


def _encoded(value: Any, spaced: bool) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode(errors="surrogatepass")
    return json.dumps(value, ensure_ascii=False, default=str, separators=None if spaced else (",", ":")).encode()


def _paired(text: str) -> dict[str, Any]:
    """Names and values; a name that is given several times has a list."""
    found: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True):
        found.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in found.items()}


def _read_json(body: bytes) -> Any:
    """The data that a body is.

    Raises:
        ValueError: it is not JSON, or nested too deeply to be written again.
    """
    try:
        data = json.loads(body)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    # Counting first: hardly any body needs the walk through its data.
    if body.count(b"[") + body.count(b"{") > DEEPEST and exceeds_depth(data):
        raise ValueError("nested too deeply")
    return data


def _body(body: bytes, *, as_json: bool, as_form: bool) -> Any:
    if as_json:
        try:
            return _read_json(body)
        except ValueError:
            pass
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    return _paired(text) if as_form else text
