"""A request that the gate takes out of the stream, as a transport (pipes, HTTP) sees it until it is answered.

Transports only carry bytes: an exchange asks the server by a function of its transport, and says what the client is to
see. How it gets there differs: through the session (`session_exchange`), past it while the tools are learned
(`listed_tools`), or as the late result of another call (`task_results`).
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.mcp.framing import Message, RequestId
from sealegs.adapters.mcp.mcp_request import McpRequest


@dataclass(frozen=True, slots=True)
class ServerReply:
    """The answer of a server.

    Attributes:
        message: the message; None where it answered with something else (an HTTP error).
        raw: the bytes that it came in.
        form: what else its transport must know to pass it on.
        status: the HTTP status; 0 over pipes, which have none.
        retry_after: seconds after which the server invites another try, where it says so in a header.
    """

    message: Message | None
    raw: bytes
    form: Any = None
    status: int = 0
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class ClientReply:
    """The reply that the client is to see: this message, in the form of `heard`; without one, `heard` as it came.

    Without either, the connection is to be cut. `true`: the message is the server's own, under the client's id.
    """

    heard: ServerReply | None
    message: Message | None
    true: bool = False

    @property
    def cut(self) -> bool:
        """Whether the connection is to be cut."""
        return self.heard is None and self.message is None


Ask = Callable[[bytes, RequestId], Awaitable[ServerReply]]
Hand = Callable[[ServerReply], None]


class McpExchange(ABC):
    """One request on its way to its answer.

    Attributes:
        request: the request.
        task: the one that it runs in; whoever starts it sets this.
        server_called: whether the server has been called.
        changes_list: whether the client must hear that the list of the tools has changed.
    """

    def __init__(self, request: McpRequest) -> None:
        self.request = request
        self.task: asyncio.Task[Any] | None = None
        self.server_called = False
        self.changes_list = False

    @abstractmethod
    async def through(self, ask: Ask, hand: Hand) -> ClientReply | None:
        """The reply that the client is to see; None where it sees it later.

        Args:
            ask: sends a request to the server under this id, and waits for the answer. Where the request is the
                client's own, so are the bytes.
            hand: shows the client the handle by which it will fetch the result.
        """

    def cancel(self) -> None:
        """The client has cancelled it."""
        if self.task is not None and not self.ignores_cancel:
            self.task.cancel()

    @property
    def waits(self) -> bool:
        """Whether it is waiting on the seam just now, not on the server."""
        return False

    @property
    def ignores_cancel(self) -> bool:
        """Whether it is in a wait that no cancel ends."""
        return False
