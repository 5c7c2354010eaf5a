"""The relay over pipes: a client's messages to a server that it starts, and the server's back.

Bytes pass as they came, in the order they came, whole lines at a time. A request that must go through the session is
taken out of the stream into a task of its own, and so is the server's answer to it: no other message waits for either.
Where one side reads too slowly, the other is read no further. When the client closes its pipe, the server's is closed,
and calls that wait are let go; when the server ends, so does the relay, with the same exit code. Pipes that are files
work only on Windows, where threads read and write them.
"""

from __future__ import annotations

import asyncio
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, BinaryIO

from sealegs.adapters.mcp.framing import (
    CANCEL,
    LineBuffer,
    Message,
    RequestId,
    cancelled_id,
    encode_message,
    glimpsed_id,
    id_of,
    is_answer,
    parse_message,
    split_lines,
)
from sealegs.adapters.mcp.gate import Gate
from sealegs.adapters.mcp.list_changes import list_changed, subscribed
from sealegs.adapters.mcp.mcp_exchange import McpExchange, ServerReply
from sealegs.adapters.mcp.server_process import (
    GRACE,
    ask_to_end,
    end_of_server,
    end_server,
    start_server_process,
)
from sealegs.adapters.mcp.thread_pipes import ThreadReader, ThreadWriter
from sealegs.adapters.relaying.loop_signals import WINDOWS, on_signals
from sealegs.adapters.relaying.read_buffers import keep_read_buffers
from sealegs.faults.user_error import UserError

BROKEN = 1  # exit code where a fault cut the connection
INTERRUPTED = 128 + signal.SIGINT  # exit code where the user ended it with Ctrl-C


class PipeRelay:
    """One client, one server.

    Args:
        gate: what requests must go through.
        windows: whether to use the forms that Windows needs.
    """

    def __init__(self, gate: Gate, windows: bool = WINDOWS) -> None:
        self._gate = gate
        self._windows = windows
        self._exchanges: dict[RequestId, McpExchange] = {}  # by the client's id
        # Who waits for the server's answer to which id; None for an answer that nobody wants any more.
        self._pending: dict[RequestId, asyncio.Future[ServerReply] | None] = {}
        self._subscriptions: list[RequestId] = []  # in the stateless era, who wants word of the list of the tools
        self._left: deque[bytes] = deque()  # the client's lines that are still to be looked at
        self._interrupted = False
        self._ended_by = ""  # who ended it, if it was not the server
        self._over: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()

    async def run(self, command: Sequence[str], reading: BinaryIO, writing: BinaryIO) -> int:
        """Start the server and relay until it ends.

        Args:
            command: the server's command line.
            reading: the pipe that the client writes to.
            writing: the pipe that it reads from.

        Returns:
            The exit code: the server's, 1 where a fault cut the connection, or 130 where the user interrupted it.

        Raises:
            UserError: the command cannot be started, the client's ends are not pipes, or the server's list of tools
                shows that what was declared of them cannot be true.
        """
        server = start_server_process(command, self._windows)
        assert server.stdin is not None
        assert server.stdout is not None
        self._to_server = await self._sink(server.stdin)
        self._to_client = await self._sink(writing)
        from_server = await self._source(server.stdout, self._from_server, self._server_ended)
        from_client = await self._source(reading, self._from_client, self._client_ended)
        self._to_server.holds = from_client
        self._to_client.holds = from_server
        terminate, interrupt = partial(self._terminate, server), partial(self._interrupt, server)
        self._gate.end_on_mistake(partial(self._end, BROKEN))
        on_signals({"SIGTERM": terminate, "SIGBREAK": terminate, "SIGINT": interrupt}, self._windows)
        try:
            cut = await self._over
        finally:
            self._gate.session.clock.release()
            for exchange in tuple(self._exchanges.values()):
                if exchange.task is not None:
                    exchange.task.cancel()
        from_client.close()
        # A fault that cuts the connection must look like a cut: nothing that was buffered is still sent.
        if cut is not None:
            self._to_client.abort()
            self._to_server.abort()
        await self._to_client.closed()
        if cut is not None:
            self._gate.ending = self._gate.ending or "a fault cut the connection"
            # In a thread: waiting for a process would block the loop.
            await asyncio.to_thread(end_server, server, self._windows)
            if self._gate.mistake is not None:
                raise self._gate.mistake
            return cut
        code = await asyncio.to_thread(server.wait)
        self._gate.ending = self._ended_by or end_of_server(code)
        self._gate.crashed = not self._ended_by and code != 0
        if self._interrupted:
            return INTERRUPTED
        # As shells report a death by signal; Popen gives minus its number.
        return code if code >= 0 else 128 - code

    def _from_client(self, block: bytes) -> None:
        # The whole block at once: almost all traffic is not ours and need not be parsed.
        if not self._left and not self._concerns_us(block):
            self._to_server.write(block)
            return
        # If lines are left, a round of `_sort` is on its way already.
        held = bool(self._left)
        self._left.extend(split_lines(block))
        if not held:
            self._sort()

    def _sort(self) -> None:
        """Go through the lines that are left. What came after a request of ours must not overtake it: it goes first."""
        while self._left:
            line = self._left.popleft()
            message = parse_message(line)
            if message is None:
                self._gate.batch(line)
            if message is not None and message.get("method") == CANCEL and self._cancelled(message):
                continue
            if message is not None and self._gate.lists and (id := subscribed(message)) is not None:
                self._subscriptions.append(id)
            exchange = self._gate.exchange(line, message) if message is not None else None
            if exchange is None:
                self._to_server.write(line)
                continue
            self._begin(exchange)
            if self._left:
                # The task begins in the next round of the loop, and its request has to be written before later lines.
                asyncio.get_running_loop().call_soon(self._sort)
                return

    def _concerns_us(self, block: bytes) -> bool:
        """Return whether there could be anything of ours in it. A method's name may be written with escapes."""
        if self._gate.shut:
            return False
        # Decided by the bytes: most of a stream only passes, and need not be read as JSON.
        return (
            b"tools/" in block
            or b"\\" in block
            or bool((self._exchanges or self._subscriptions) and b"cancelled" in block)
            or bool(self._gate.tasks and b"tasks/" in block)
            or (self._gate.lists and b"toolsListChanged" in block)
        )

    def _cancelled(self, message: Message) -> bool:
        """A call is cancelled. Whether the server need not hear of it: it has not heard of the call."""
        id = cancelled_id(message)
        if id in self._subscriptions:
            self._subscriptions.remove(id)
        exchange = self._exchanges.get(id) if id is not None else None
        # The server knows this request, so the notification is its own.
        if exchange is None:
            return False
        exchange.cancel()
        return not exchange.server_called

    def _begin(self, exchange: McpExchange) -> None:
        id = exchange.request.id
        self._exchanges[id] = exchange
        exchange.task = asyncio.get_running_loop().create_task(self._played(exchange))
        exchange.task.add_done_callback(lambda task: self._done(id, exchange))

    def _done(self, id: RequestId, exchange: McpExchange) -> None:
        # A client may use an id again once it was answered.
        if self._exchanges.get(id) is exchange:
            del self._exchanges[id]

    async def _played(self, exchange: McpExchange) -> None:
        reply = await exchange.through(self._ask, self._hand)
        if reply is None or self._gate.mistake is not None:
            return
        if exchange.changes_list:
            for subscription in self._subscriptions if exchange.request.modern else (None,):
                self._to_client.write(list_changed(subscription) + b"\n")
        if reply.message is not None:
            self._to_client.write(encode_message(reply.message) + b"\n")
        elif reply.heard is not None:
            self._to_client.write(reply.heard.raw)
        else:
            self._end(BROKEN)

    def _hand(self, handle: ServerReply) -> None:
        self._to_client.write(handle.raw)

    async def _ask(self, raw: bytes, id: RequestId) -> ServerReply:
        answer: asyncio.Future[ServerReply] = asyncio.get_running_loop().create_future()
        self._pending[id] = answer
        self._to_server.write(raw if raw.endswith(b"\n") else raw + b"\n")
        try:
            return await answer
        finally:
            # The server may still answer; that line must not reach the client.
            if answer.cancelled() and id not in self._exchanges:
                self._pending[id] = None  # sent under an id that the client does not know
            else:
                self._pending.pop(id, None)

    def _from_server(self, block: bytes) -> None:
        if not self._pending:
            self._to_client.write(block)
            return
        for line in split_lines(block):
            if not self._is_awaited(line):
                self._to_client.write(line)

    def _is_awaited(self, line: bytes) -> bool:
        """Return whether the line is an answer to a request of ours, which it then goes to."""
        # A glimpse at the end of the line spares parsing large answers that are not ours.
        known, id = glimpsed_id(line)
        if known and id not in self._pending:
            return False
        message = parse_message(line)
        if message is None or not is_answer(message):
            return False
        id = id_of(message)
        if id is None or id not in self._pending:
            return False
        waiting = self._pending.pop(id)
        if waiting is not None and not waiting.done():
            waiting.set_result(ServerReply(message, line if line.endswith(b"\n") else line + b"\n"))
        return True

    def _client_ended(self) -> None:
        # Lines that came before the end still have to go out.
        if self._left:
            asyncio.get_running_loop().call_soon(self._client_ended)
            return
        if not self._over.done():
            self._ended_by = self._ended_by or "the client left"
        self._gate.session.clock.release()
        self._to_server.close()

    def _interrupt(self, server: subprocess.Popen[bytes]) -> None:
        """End the server as a client would: close its input, and terminate it only where that does not do."""
        self._interrupted = True
        self._ended_by = "SIGINT"
        self._left.clear()
        self._client_ended()
        asyncio.get_running_loop().call_later(GRACE, ask_to_end, server, self._windows)

    def _terminate(self, server: subprocess.Popen[bytes]) -> None:
        self._ended_by = self._ended_by or "SIGTERM"
        ask_to_end(server, self._windows)

    def _server_ended(self) -> None:
        self._to_client.close()
        self._end(None)

    def _end(self, cut: int | None) -> None:
        if not self._over.done():
            self._over.set_result(cut)

    async def _sink(self, pipe: Any) -> _Sink:
        if self._windows:
            sink = _Sink()
            ThreadWriter(pipe, sink)
            return sink
        _, sink = await asyncio.get_running_loop().connect_write_pipe(_Sink, pipe)
        return sink

    async def _source(
        self, pipe: Any, take: Callable[[bytes], None], ended: Callable[[], None]
    ) -> asyncio.ReadTransport:
        if self._windows:
            return ThreadReader(pipe, LineBuffer(take, ended))
        source, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: LineBuffer(take, ended), pipe)
        return source


class _Sink(asyncio.BaseProtocol):
    """A pipe to write to. `holds`: the pipe that is read no further while this one is full."""

    def __init__(self) -> None:
        self.holds: asyncio.ReadTransport | None = None
        self._closed = asyncio.get_running_loop().create_future()
        self._transport: Any = None
        self.write: Callable[[bytes], None]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self.write = self._transport.write

    def pause_writing(self) -> None:
        if self.holds is not None and not self.holds.is_closing():
            self.holds.pause_reading()

    def resume_writing(self) -> None:
        if self.holds is not None and not self.holds.is_closing():
            self.holds.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        self.resume_writing()  # what nobody reads any more must not stop who sends it
        if not self._closed.done():
            self._closed.set_result(None)

    def close(self) -> None:
        """Close it when all is written."""
        if not self._transport.is_closing():
            self._transport.write_eof()

    def abort(self) -> None:
        """Close it as it is."""
        self._transport.abort()

    async def closed(self) -> None:
        """Wait until it is closed."""
        await self._closed


def _check_pipes() -> None:
    """The client's ends must be such that one can wait for them: files and the null device are not."""
    with selectors.DefaultSelector() as waiting:
        for name, pipe in (("input", sys.stdin), ("output", sys.stdout)):
            try:
                waiting.register(pipe, selectors.EVENT_READ)
            except OSError as error:
                raise UserError(
                    f"standard {name} is not a pipe ({error.strerror}); let an MCP client start the proxy, or join the"
                    " two with `|`"
                ) from error


def run_pipe_relay(command: Sequence[str], gate: Gate) -> int:
    """Relay between this process's standard pipes and a server; see `PipeRelay.run`."""

    async def play() -> int:
        if not WINDOWS:
            _check_pipes()
        keep_read_buffers()
        return await PipeRelay(gate, WINDOWS).run(command, sys.stdin.buffer, sys.stdout.buffer)

    return asyncio.run(play())
