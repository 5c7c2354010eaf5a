"""Episodes over MCP: a server of the task's tools in its own process, the proxy's relay before it, and a client.

The relay and its gate are those of `sealegs proxy`, in this process, so that time is the episode's; all else goes over
pipes as between any client and any server. For the record, the server's ledger says what it really did.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from sealegs.adapters.mcp import Gate
from sealegs.adapters.mcp.pipe_relay import PipeRelay
from sealegs.agents import Say
from sealegs.engines import prefork_server
from sealegs.engines.episode_harness import EpisodeHarness, MachineFailed
from sealegs.engines.mcp_server import VERSION
from sealegs.faults.call import Effect, Failure, failure_body
from sealegs.faults.user_error import UserError
from sealegs.scenarios.scenario import TOOL_TIMEOUT
from sealegs.traces import Recorder, ToolRan

LONGEST = 2**24  # bytes of one message


def play_over_mcp(harness: EpisodeHarness) -> None:
    """Play an episode over MCP.

    Raises:
        MachineFailed: the server, its pipes or its folder could not be made, or the server ended.
    """
    try:
        with TemporaryDirectory(prefix="sealegs-maze-") as folder:
            asyncio.run(_play(harness, Path(folder) / "ledger.jsonl"))
    except (OSError, UserError) as error:  # of this process and the server's: what a tool raises comes as an answer
        failure = error.__cause__ if isinstance(error, UserError) else error  # a server that could not be started
        if not isinstance(failure, OSError):
            raise
        raise MachineFailed(
            f"the server of an episode's tools failed: {failure}. Make room for files and processes (ulimit -n, "
            "ulimit -u); the same command resumes the run"
        ) from error


async def _play(harness: EpisodeHarness, ledger: Path) -> None:
    episode, agent, recorder = harness.episode, harness.agent, harness.recorder
    tools = [spec.name for spec in episode.specs]
    command = prefork_server.server_command(ledger, episode.task, episode.tasks, tools)
    gate = Gate(
        episode.plan,
        episode=episode.id,
        layers=harness.layers,
        clock=harness.clock,
        timeout=TOOL_TIMEOUT,
        watcher=recorder,
    )
    async with _connected(gate, command) as client:
        about = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "scripted", "version": "1"}}
        await client.request("initialize", about)
        client.tell("notifications/initialized")
        await client.request("tools/list", {})
        gate.session.know(episode.specs)  # a server cannot announce invariants
        done = _Ledger(ledger, recorder)
        for number in range(1, harness.max_steps + 1):
            act = agent.act()
            if isinstance(act, Say):
                recorder.finish("answered", answer=act.text)
                return
            answer = await client.request("tools/call", {"name": act.tool, "arguments": dict(act.arguments)})
            done.read(number)
            agent.observe(act, tool_answer_text(answer))
        recorder.finish("steps", detail=f"no answer within {harness.max_steps} steps")


def tool_answer_text(answer: dict[str, Any]) -> str:
    """An answer to tools/call as agents read it: an error is marked as one whatever its words."""
    if "error" in answer:
        return json.dumps(failure_body(Failure(str(answer["error"].get("message", "")))))
    result = answer["result"]
    text = "\n".join(block["text"] for block in result["content"] if block["type"] == "text")
    if result.get("isError") and not text.startswith('{"error"'):
        return json.dumps(failure_body(Failure(text)))
    return text


class _Client:
    """A client that asks one thing after the other."""

    def __init__(self, writing: BinaryIO, reading: asyncio.StreamReader) -> None:
        self._writing = writing
        self._reading = reading
        self._calls = 0

    def tell(self, method: str, **more: Any) -> None:
        """Send a message."""
        self._writing.write(json.dumps({"jsonrpc": "2.0", "method": method, **more}).encode() + b"\n")
        self._writing.flush()

    async def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer. Tool calls have their number as id."""
        self._calls += method == "tools/call"
        id: int | str = self._calls if method == "tools/call" else method
        self.tell(method, id=id, params=params)
        while line := await self._reading.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == id:
                return answer
        raise ConnectionError("the server's pipe was closed")


class _Ledger:
    """The deeds of the server, entered into the record under the calls that caused them."""

    def __init__(self, file: Path, recorder: Recorder) -> None:
        self._file = file
        self._recorder = recorder
        self._lines = 0
        self._events = len(recorder.events)

    def read(self, number: int) -> None:
        """Enter what was done in the agent's call of this number."""
        events = self._recorder.events[self._events :]
        runs = [event.call for event in events if isinstance(event, ToolRan)]
        lines = self._file.read_text(encoding="utf-8").splitlines() if self._file.exists() else []
        for line in lines[self._lines :]:
            effect = json.loads(line)
            _, _, turn = effect["call"].partition("+")  # the gate's further requests have such ids
            call = runs[int(turn or 0)] if runs else f"call-{number}"
            self._recorder.effect(Effect(effect["action"], effect["subject"], effect["details"], call))
        self._lines = len(lines)
        self._events = len(self._recorder.events)


@asynccontextmanager
async def _connected(gate: Gate, command: list[str]) -> AsyncIterator[_Client]:
    """A client at the end of the relay's pipes."""
    from_client, to_relay = os.pipe()
    from_relay, to_client = os.pipe()
    reader = asyncio.StreamReader(LONGEST)
    with (
        os.fdopen(to_relay, "wb") as writing,
        os.fdopen(from_client, "rb") as relay_reading,
        os.fdopen(to_client, "wb") as relay_writing,
        os.fdopen(from_relay, "rb") as reading,
    ):
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), reading)
        relaying = asyncio.create_task(PipeRelay(gate).run(command, relay_reading, relay_writing))
        # Where the server cannot be started, nobody else closes it, and the client would wait for an answer for ever.
        relaying.add_done_callback(lambda _: relay_writing.close())
        try:
            yield _Client(writing, reader)
        finally:
            writing.close()
            await relaying
            transport.close()
