"""requests: an adapter that puts faults on the wire, below urllib3's retries.

    session = requests.Session()
    session.mount("https://", Adapter(episode))

A fault stands in the place of one exchange on one connection, so `max_retries`, status lists, `Retry-After` and all
error classes above it are the library's own at work.
"""

from __future__ import annotations

import http.client
import io
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast
from urllib.parse import urlsplit

from requests.adapters import HTTPAdapter
from urllib3 import HTTPResponse, Timeout
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    NameResolutionError,
    NewConnectionError,
    ProtocolError,
    ReadTimeoutError,
)
from urllib3.util.proxy import connection_requires_http_tunnel

from sealegs.adapters.body_cutters import Head, cut_by, cutter
from sealegs.adapters.httpx_transports import dressed
from sealegs.adapters.python.exceptions import failure_from_exception
from sealegs.adapters.wire import (
    SAFE,
    HttpAnswer,
    HttpExchange,
    Naming,
    arguments_of,
    connection_trouble,
    rebuilt,
    with_read_timeout,
)
from sealegs.faults.call import Call, Failure, PartialResult, Value
from sealegs.inject import NO_DRY_RUN, Session, StreamEnd

BLOCK = 65536  # bytes read at a time from a body of unknown form


class Adapter(HTTPAdapter):
    """Faults between a `requests.Session` and its servers.

    Args:
        session: the episode; None: the active one (`with session:`), and none where none is active.
        tools: names for requests, each with a pattern of `METHOD host/path`.
        more: what `requests.adapters.HTTPAdapter` takes (`max_retries`, ...).
    """

    def __init__(self, session: Session | None = None, tools: Mapping[str, str] | None = None, **more: Any) -> None:
        self._naming = Naming(session, tools)
        super().__init__(**more)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the connections, each with the wire inside."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools()

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """The same through a proxy."""
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = self._pools()
        return manager

    def _pools(self) -> dict[str, Any]:
        naming = self._naming

        class Pool(HTTPConnectionPool):
            _make_request = _made(HTTPConnectionPool, naming)

        class SecurePool(HTTPSConnectionPool):
            _make_request = _made(HTTPSConnectionPool, naming)

        for own in (Pool, SecurePool):  # error messages contain the pool's name
            own.__name__ = own.__bases__[0].__name__
        return {"http": Pool, "https": SecurePool}


def _made(own: type[HTTPConnectionPool], naming: Naming) -> Callable[..., Any]:
    """The function that makes one request on one connection of a pool."""
    bare = own._make_request

    def make_request(self: Any, conn: Any, method: str, url: str, **options: Any) -> Any:
        name = naming.name(method, _netloc(self), urlsplit(url).path)
        session = naming.session()
        if session is None:
            return bare(self, conn, method, url, **options)
        wire = _Wire(self, conn, method, url, options, lambda *given, **named: bare(self, *given, **named))
        api = naming.model_api(session, name, method, urlsplit(url).path, wire.body)

        def read(wire: _Wire) -> Mapping[str, Any]:
            naming.declare(session, name, method, api)
            return wire.arguments()

        intercepted = session.intercept(name, read, wire)
        if intercepted is None:
            return bare(self, conn, method, url, **wire.options)
        intercepted.layer = with_read_timeout(wire.patience(), intercepted.layer)
        exchange = wire.exchange = HttpExchange(name, intercepted.arguments, api)
        coming = intercepted.stream(wire.run, exchange.split)
        head = next(coming)
        if isinstance(head, StreamEnd):
            raise wire.error(cast(Failure, head.outcome))
        return wire.response(head, _Body(coming, exchange, head))

    return cast("Callable[..., Any]", dressed(make_request, bare))


def _texts(headers: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Headers as texts; requests allows bytes."""
    return [(_text(name), _text(value)) for name, value in headers.items()]


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


class _Wire:
    """One exchange on one connection.

    Args:
        pool: the connection's pool.
        conn: the connection.
        method, url, options: what urllib3 makes the request with.
        bare: makes the real one.

    Attributes:
        exchange: the exchange that the request begins, where the request is intercepted.
        options: as given; a body that can be read once alone is replaced by its bytes when it is read.
    """

    exchange: HttpExchange

    def __init__(
        self, pool: Any, conn: Any, method: str, url: str, options: Mapping[str, Any], bare: Callable[..., Any]
    ) -> None:
        self._pool = pool
        self._conn = conn
        self._method = method
        self._url = url
        self.options = dict(options)
        self._bare = bare
        self._broken = False  # the last exchange left the connection in the middle

    def arguments(self) -> dict[str, Any]:
        """The request as the arguments of a tool."""
        parts, headers = urlsplit(self._url), self.options.get("headers") or {}
        return arguments_of(self._method, parts.path, parts.query, self.body(), _texts(headers))

    def body(self) -> bytes:
        """The request's body."""
        body = self.options.get("body")
        if body is not None and not isinstance(body, (str, bytes)):  # a file or a generator
            body = body.read() if hasattr(body, "read") else b"".join(body)
            self.options |= {"body": body}
        return body.encode() if isinstance(body, str) else bytes(body or b"")

    def patience(self) -> float | None:
        """The request's read timeout in seconds."""
        timeout = self.options.get("timeout")
        found = timeout.read_timeout if isinstance(timeout, Timeout) else None
        return float(found) if isinstance(found, (int, float)) else None

    def run(self, call: Call) -> Generator[Any, None, None]:
        """Make the real request, and give its head and chunks."""
        exchange = self.exchange
        if call.dry and self._method not in SAFE:
            yield StreamEnd(NO_DRY_RUN)
            return
        head, came = None, list[bytes]()
        try:
            response = self._requested(call, exchange)
            head = Head(response.status, list(response.headers.items()), response)
            yield head
            for chunk in cut_by(cutter(head, call), _chunks(response)):
                # Only a further chunk shows that those before were a part.
                if len(came) == call.chunks:
                    yield StreamEnd(Value(PartialResult(came)))
                    return
                came.append(chunk)
                yield chunk
        except (HTTPError, OSError) as error:
            self._broken = True
            yield StreamEnd(
                exchange.broke(replace(failure_from_exception(error), unsent=_unsent(error)), head, b"".join(came))
            )
            return
        raw = b"".join(came)
        yield StreamEnd(exchange.answered(HttpAnswer(head, raw, _decoded(head, raw))))

    def _requested(self, call: Call, exchange: HttpExchange) -> Any:
        options = {**self.options, "response_conn": None, "preload_content": False, "decode_content": False}
        url = self._url
        if call.arguments is not exchange.arguments:
            path, query, body = rebuilt(call.arguments)
            url = f"{path}?{query}" if query else path
            headers = {name: value for name, value in options["headers"].items() if name.lower() != "content-length"}
            options |= {"body": body, "headers": headers}
        if self._broken:
            self._connect_anew()
        return self._bare(self._conn, self._method, url, **options)

    def _connect_anew(self) -> None:
        """Bring the connection to its beginning, as urllib3 does before a request of its own."""
        self._conn.close()
        pool = self._pool
        if pool.proxy is not None and connection_requires_http_tunnel(pool.proxy, pool.proxy_config, pool.scheme):
            pool._prepare_proxy(self._conn)
        self._broken = False

    def response(self, head: Head, body: _Body) -> HTTPResponse:
        """The library's answer with this head and body."""
        options, original = self.options, head.original
        return _Response(
            cast(Any, body),
            headers=dict(head.headers) if original is None else original.headers,
            status=head.status,
            version=11,
            version_string="HTTP/1.1",
            reason=None if original is None else original.reason,
            preload_content=options.get("preload_content", True),
            decode_content=options.get("decode_content", True),
            original_response=cast(Any, body),
            pool=self._pool,
            connection=options.get("response_conn"),
            retries=options.get("retries"),
            request_method=self._method,
            request_url=self._url,
        )

    def error(self, failure: Failure) -> BaseException:
        """The exception for a failure before any answer came."""
        own, kind = failure.exception, connection_trouble(failure)
        if isinstance(own, HTTPError):
            return own
        if kind == "timeout":
            return ReadTimeoutError(self._pool, self._url, f"Read timed out. (read timeout={self.patience()})")
        if kind == "refused":
            return NewConnectionError(self._conn, f"Failed to establish a new connection: {failure.message}")
        if kind == "dns":
            return NameResolutionError(self._pool.host, self._conn, cast(Any, own))
        if kind == "closed":
            return http.client.RemoteDisconnected("Remote end closed connection without response")
        # Errors of sockets and of TLS stay bare, since `urlopen` wraps them itself.
        return own or ProtocolError(failure.message)


class _Response(HTTPResponse):
    """An answer of which each chunk passes as it comes."""

    def stream(self, amt: int | None = 2**16, decode_content: bool | None = None) -> Generator[bytes, None, None]:
        """The body as it comes."""
        if not self.chunked:
            yield from HTTPResponse.stream(self, amt, decode_content)
            return
        while data := self.read1(amt, decode_content):
            yield data

    stream = dressed(stream, HTTPResponse.stream)


class _Body:
    """The body that the library reads, as a file; also what it takes for the answer of `http.client`.

    Args:
        coming: the chunks that come, last an `StreamEnd`.
        exchange: whose body it is.
        head: its head.
    """

    def __init__(self, coming: Any, exchange: HttpExchange, head: Head) -> None:
        self._coming = coming
        self._exchange = exchange
        self._held = b""
        self._over = False
        self._measured = bool(head.header("content-length"))
        self.msg = http.client.HTTPMessage()  # requests looks for cookies here
        for name, value in head.headers:
            self.msg.add_header(name, value)

    @property
    def closed(self) -> bool:
        """Whether nothing more comes."""
        return self._over and not self._held

    def isclosed(self) -> bool:
        """Return whether nothing more comes; then the connection goes back to its pool."""
        return self.closed

    def read(self, amount: int | None = None) -> bytes:
        """All that comes; at most so many bytes, as they come, where a number is given."""
        found = []
        while chunk := self.read1(amount):
            found.append(chunk)
            if amount is not None:
                break
        return b"".join(found)

    def read1(self, amount: int | None = None) -> bytes:
        """The bytes that have come, or that come next."""
        if (error := self._fill()) is not None:
            raise error
        cut = len(self._held) if amount is None or amount < 0 else amount
        chunk, self._held = self._held[:cut], self._held[cut:]
        return chunk

    read = dressed(read, http.client.HTTPResponse.read)
    read1 = dressed(read1, http.client.HTTPResponse.read1)

    def close(self) -> None:
        """The client has read enough."""
        self._over, self._held = True, b""
        self._coming.close()

    def _fill(self) -> BaseException | None:
        """Wait for what comes next, and say what ends the body too soon."""
        while not self._held and not self._over:
            chunk = next(self._coming)
            if isinstance(chunk, StreamEnd):
                self._over = True
                self._held = self._exchange.closing_event(chunk.outcome)
                return self._break(self._exchange.broken(chunk.outcome))
            self._held = chunk
        return None

    def _break(self, failure: Failure | None) -> BaseException | None:
        """The exception that ends the body too soon; None where it is whole, or the library itself sees the gap."""
        if failure is None or (self._measured and connection_trouble(failure) == "closed"):
            return None
        if isinstance(failure.exception, (HTTPError, OSError)) and connection_trouble(failure) != "closed":
            return failure.exception
        return ProtocolError("Response ended prematurely")


def _unsent(error: BaseException) -> bool:
    """Return whether no connection came about, so that the request never left (`make_request` makes one attempt)."""
    return type(error) in (NewConnectionError, NameResolutionError, ConnectTimeoutError)


def _chunks(response: Any) -> Iterator[bytes]:
    """The body as it comes."""
    if response.chunked and response.supports_chunked_reads():
        return cast("Iterator[bytes]", response.read_chunked(decode_content=False))
    return iter(lambda: response.read1(BLOCK, decode_content=False), b"")


def _decoded(head: Head, raw: bytes) -> bytes:
    try:
        return HTTPResponse(io.BytesIO(raw), headers=dict(head.headers), preload_content=True).data
    except HTTPError:
        return raw


def _netloc(pool: Any) -> str:
    usual = {"http": 80, "https": 443}[pool.scheme]
    return pool.host if pool.port in (None, usual) else f"{pool.host}:{pool.port}"
