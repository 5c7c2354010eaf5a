"""The relay over pipes: a client's messages to a server that it starts, and the server's back.

Bytes pass as they came, in the order they came, whole lines at a time. A request that must go through the session is
taken out of the stream into a task of its own, and so is the server's answer to it: no other message waits for either.
Where one side reads too slowly, the other is read no further. When the client closes its pipe, the server's is closed,
and calls that wait are let go; when the server ends, so does the relay, with the same exit code. What it does not
cover: Windows, and pipes that are files.
"""

from __future__ import annotations

import asyncio
import selectors
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
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
from sealegs.faults.user_error import UserError

BROKEN = 1  # exit code where a fault cut the connection
GRACE = 2.0  # seconds that a server has to end by itself after that
SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 128 + signal.SIGINT  # exit code where the user ended it with Ctrl-C


class PipeRelay:
    """One client, one server.

    Args:
        gate: what requests must go through.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._exchanges: dict[RequestId, McpExchange] = {}  # by the client's id
        # Who waits for the server's answer to which id; None for an answer that nobody wants any more.
        self._asked: dict[RequestId, asyncio.Future[ServerReply] | None] = {}
        self._subscriptions: list[RequestId] = []  # in the stateless era, who wants word of the list of the tools
        self._left: deque[bytes] = deque()  # the client's lines that are still to be looked at
        self._interrupted = False
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
            UserError: the command cannot be started, or the client's ends are not pipes.
        """
        loop = asyncio.get_running_loop()
        server = _started(command)
        assert server.stdin is not None
        assert server.stdout is not None
        self._to_server = await _sink(server.stdin)
        self._to_client = await _sink(writing)
        from_server, _ = await loop.connect_read_pipe(
            lambda: LineBuffer(self._from_server, self._server_ended), server.stdout
        )
        from_client, _ = await loop.connect_read_pipe(
            lambda: LineBuffer(self._from_client, self._client_ended), reading
        )
        self._to_server.holds = from_client
        self._to_client.holds = from_server
        loop.add_signal_handler(signal.SIGTERM, _pass_on, server, signal.SIGTERM)
        loop.add_signal_handler(signal.SIGINT, self._interrupt, server)
        try:
            cut = await self._over
        finally:
            self._gate.session.clock.release()
            for exchange in tuple(self._exchanges.values()):
                if exchange.task is not None:
                    exchange.task.cancel()
        from_client.close()
        if cut is not None:
            self._to_client.abort()
            self._to_server.abort()
        await self._to_client.closed()
        if cut is not None:
            await asyncio.to_thread(_finished, server)
            return cut
        code = await asyncio.to_thread(server.wait)
        if self._interrupted:
            return INTERRUPTED
        return code if code >= 0 else 128 - code

    def _from_client(self, block: bytes) -> None:
        if not self._left and not self._concerns_us(block):
            self._to_server.write(block)
            return
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
                asyncio.get_running_loop().call_soon(self._sort)
                return

    def _concerns_us(self, block: bytes) -> bool:
        """Whether there could be anything of ours in it. A method's name may be written with escapes."""
        if self._gate.shut:
            return False
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
        if exchange is None:
            return False
        exchange.cancel()
        return not exchange.asked

    def _begin(self, exchange: McpExchange) -> None:
        id = exchange.request.id
        self._exchanges[id] = exchange
        exchange.task = asyncio.get_running_loop().create_task(self._played(exchange))
        exchange.task.add_done_callback(lambda task: self._done(id, exchange))

    def _done(self, id: RequestId, exchange: McpExchange) -> None:
        if self._exchanges.get(id) is exchange:
            del self._exchanges[id]

    async def _played(self, exchange: McpExchange) -> None:
        reply = await exchange.through(self._ask, self._hand)
        if reply is None:
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
        self._asked[id] = answer
        self._to_server.write(raw if raw.endswith(b"\n") else raw + b"\n")
        try:
            return await answer
        finally:
            if answer.cancelled() and id not in self._exchanges:
                self._asked[id] = None  # asked under an id that the client does not know
            else:
                self._asked.pop(id, None)

    def _from_server(self, block: bytes) -> None:
        if not self._asked:
            self._to_client.write(block)
            return
        for line in split_lines(block):
            if not self._was_asked(line):
                self._to_client.write(line)

    def _was_asked(self, line: bytes) -> bool:
        """Whether the line is an answer to a request of ours, which it then goes to."""
        known, id = glimpsed_id(line)
        if known and id not in self._asked:
            return False
        message = parse_message(line)
        if message is None or not is_answer(message):
            return False
        id = id_of(message)
        if id is None or id not in self._asked:
            return False
        waiting = self._asked.pop(id)
        if waiting is not None and not waiting.done():
            waiting.set_result(ServerReply(message, line if line.endswith(b"\n") else line + b"\n"))
        return True

    def _client_ended(self) -> None:
        if self._left:
            asyncio.get_running_loop().call_soon(self._client_ended)
            return
        self._gate.session.clock.release()
        self._to_server.close()

    def _interrupt(self, server: subprocess.Popen[bytes]) -> None:
        """End the server as a client would: close its input, and terminate it only where that does not do."""
        self._interrupted = True
        self._left.clear()
        self._client_ended()
        asyncio.get_running_loop().call_later(GRACE, _pass_on, server, signal.SIGTERM)

    def _server_ended(self) -> None:
        self._to_client.close()
        self._end(None)

    def _end(self, cut: int | None) -> None:
        if not self._over.done():
            self._over.set_result(cut)


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


async def _sink(pipe: Any) -> _Sink:
    _, sink = await asyncio.get_running_loop().connect_write_pipe(_Sink, pipe)
    return sink


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    # A terminal's Ctrl-C reaches the server too, and most would print a traceback: it is ours to end it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    except OSError as error:
        raise UserError(
            f"cannot start {command[0]!r}: {error.strerror}; give the server's command after `--`"
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)


def _finished(server: subprocess.Popen[bytes]) -> None:
    """End the server."""
    server.terminate()
    try:
        server.wait(GRACE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


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


def _pass_on(server: subprocess.Popen[bytes], number: signal.Signals) -> None:
    if server.poll() is None:
        server.send_signal(number)


def run_pipe_relay(command: Sequence[str], gate: Gate) -> int:
    """Relay between this process's standard pipes and a server; see `PipeRelay.run`."""

    async def play() -> int:
        _check_pipes()
        return await PipeRelay(gate).run(command, sys.stdin.buffer, sys.stdout.buffer)

    return asyncio.run(play())
