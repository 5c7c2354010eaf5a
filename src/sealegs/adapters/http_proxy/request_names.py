"""Requests as the session sees them: the tool that each calls, its arguments, and the interface of a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from sealegs.adapters.http_proxy.operations import Operation, Operations
from sealegs.adapters.wire import (
    RETRIES,
    Naming,
    arguments_of,
    rebuilt,
    with_retry_count,
)
from sealegs.faults.http_arguments import HttpArguments
from sealegs.faults.model_apis import model_api_at
from sealegs.inject import InterceptedCall, Session

if TYPE_CHECKING:
    from sealegs.faults.model_apis import ModelApi


@dataclass(frozen=True)
class ClientRequest:
    """A client's request.

    Attributes:
        tool: the name of the tool that it calls.
        method: its method.
        raw_path, query: what it asks for, as it was sent.
        headers: its headers, each as often as it was sent.
        operation: what it asks for, where that is described.
        inner: the arguments in its path.
    """

    tool: str
    method: str
    raw_path: str
    query: str
    headers: tuple[tuple[str, str], ...]
    operation: Operation | None
    inner: Mapping[str, Any]

    @property
    def path(self) -> str:
        """The path that it asks for."""
        return unquote(self.raw_path)

    def arguments(self, body: bytes) -> HttpArguments:
        """The arguments of the call."""
        found = arguments_of(self.method, self.path, self.query, body, self.headers)
        found.update(self.inner)
        return found

    def changed(self, arguments: Mapping[str, Any]) -> tuple[str, bytes]:
        """The target and the body of a request with arguments that a layer has changed."""
        path, query, body = rebuilt(arguments)
        raw = quote(path, safe="/:@!$&'()*+,;=~")
        if self.operation is not None and any(arguments.get(name) != self.inner[name] for name in self.inner):
            values = {name: arguments.get(name, value) for name, value in self.inner.items()}
            raw = self.operation.path_with(values, self.raw_path)
        return raw + (f"?{query}" if query else ""), body or b""


class RequestNames:
    """Names for requests.

    Args:
        host: the server's host, as in the names of tools.
        tools: names, each with a pattern of `METHOD host/path`.
        operations: what is known of the server's operations.
    """

    def __init__(self, host: str, tools: Mapping[str, str], operations: Operations) -> None:
        self._host = host
        self._tools = dict(tools)
        self._naming = Naming(None, tools)
        self._operations = operations

    def read(self, method: str, raw_target: str, headers: Iterable[tuple[str, str]]) -> ClientRequest:
        """A request as a call of its tool."""
        raw_path, _, query = raw_target.partition("?")
        name = self._naming.name(method, self._host, unquote(raw_path))
        operation, inner = self._operations.match(method, raw_path) or (None, {})
        if operation is not None and name not in self._tools:
            name = operation.spec.name
        return ClientRequest(name, method, raw_path, query, tuple(headers), operation, inner)

    async def intercept(
        self, session: Session, request: ClientRequest, read_body: Callable[[], Awaitable[bytes]]
    ) -> tuple[InterceptedCall | None, ModelApi | None]:
        """Say what becomes of a request.

        Args:
            session: the episode.
            request: the request.
            read_body: reads its body; called only where something can happen to the request.

        Returns:
            The request as a call of the session, None where it passes as it is; and the interface that it asks where
            it asks a model.
        """
        body: bytes | None = None
        api = None
        if model_api_at(request.method, request.path) is not None:  # its body says whether it does
            body = found = await read_body()
            api = self._naming.model_api(session, request.tool, request.method, request.path, lambda: found)

        async def arguments() -> HttpArguments:
            self._naming.declare(session, request.tool, request.method, api)
            return request.arguments(await read_body() if body is None else body)

        call = await session.intercept_async(request.tool, arguments)
        if call is not None:
            retries = next((value for name, value in request.headers if name.lower() == RETRIES), None)
            call.layer = with_retry_count(retries, call.layer)
        return call, api
