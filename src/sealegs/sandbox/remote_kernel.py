"""A kernel in a place where a host can do no more than run commands: a container, another machine.

The talk is the one of any kernel (`conversation`), so functions are called on the host, every message is checked, and
verdicts come from the host's own log. Only the way of a message differs: where others have a pipe, this one runs a
command (`relay`) for each answer that it waits for. The place keeps the code in; what the kernel can give up by itself
there (limits, seccomp, Landlock where there is one) it gives up as well.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.spec import ToolSpec
from sealegs.inject import RealClock
from sealegs.sandbox.code_kernel import KernelEnded, no_functions
from sealegs.sandbox.confinement import Handshake, KernelEnvironment, Unsupported, confinement
from sealegs.sandbox.conversation import CodeTurn, CompletedCall, Conversation, Read, Request, StartFailed, Write
from sealegs.sandbox.isolation_status import Isolation
from sealegs.sandbox.launching import ENVIRONMENT
from sealegs.sandbox.limits import Limits
from sealegs.sandbox.pipes import Answer
from sealegs.sandbox.process import kernel_source

SLACK = 30.0  # seconds that a command may take beyond what it waits for
WAY = 5.0  # seconds of one exchange, at most, that are the way's and not the turn's
OLDEST = (3, 11)


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a command: its exit status (None if it was stopped), and the texts that it wrote."""

    status: int | None
    output: str
    error: str = ""


Run = Callable[[Sequence[str], bytes, Mapping[str, str], float], Awaitable[CommandResult]]
"""Runs a command in the place: the command, its standard input, variables, and the seconds it may take."""


class RemoteKernel:
    """One kernel, for tasks; see `Kernel`.

    Args:
        run: runs commands in the place.
        limits: what it may use.

    Attributes:
        isolation: what keeps the code in.
        calls: every call made so far, from the host's own log.
    """

    def __init__(self, run: Run, limits: Limits | None = None) -> None:
        self._run = run
        self._limits = limits or Limits()
        self.isolation = Isolation("elsewhere", ("seccomp", "limits"))
        self.calls: list[CompletedCall] = []
        self._clock = RealClock()
        self._talk = Conversation(self._limits, self._now, lambda: self._ended)
        self._answer: Answer = no_functions
        self._folder = ""
        self._ended = ""
        self._unsent = b""  # waits for the next exchange
        self._away = 0.0  # seconds that were the way's and not the code's
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether it can run another turn."""
        return self._alive

    async def start_async(self, functions: Iterable[ToolSpec] = (), answer: Answer | None = None) -> RemoteKernel:
        """Start it, and give it functions; later calls give it more. See `Kernel.start`.

        Raises:
            StartFailed: it did not come up.
        """
        self._answer = answer or self._answer
        if not self._folder:
            await self._keep()
            await self._drive(self._talk.greet(self._confinement))
        await self._drive(self._talk.introduce(functions))
        return self

    async def run_async(self, code: str) -> CodeTurn:
        """Run one turn; see `Kernel.run`. A turn that is cancelled ends the kernel.

        Raises:
            KernelEnded: it has ended.
        """
        if not self._alive:
            raise KernelEnded("this kernel has ended; take another one")
        if not self._folder:
            await self.start_async()
        turn: CodeTurn = await self._drive(self._talk.turn(code))
        self.calls += turn.calls
        if not turn.alive:
            await self.close_async()
        return turn

    async def close_async(self) -> None:
        """End it. Nothing of it is left."""
        self._alive = False
        folder, self._folder = self._folder, ""
        if folder:
            await self._command("end", folder)

    def _now(self) -> float:
        return self._clock.now() - self._away

    def _confinement(self, hello: Handshake) -> Mapping[str, Any]:
        ground = KernelEnvironment(f"{self._folder}/work", scratch=True, readable=["/"], contained=True)
        try:
            return confinement(hello, ground, self._limits)
        except Unsupported as error:
            raise StartFailed(str(error)) from error

    async def _keep(self) -> None:
        ran = await self._command("keep", given=kernel_source())
        try:
            place = json.loads(ran.output)
            self._folder, version = str(place["folder"]), tuple(place["python"])
        except (ValueError, TypeError, KeyError) as error:
            why = " ".join(f"{ran.output} {ran.error}".split())[-300:] or f"status {ran.status}"
            raise StartFailed(f"the place has no python3 that works ({why})") from error
        if version < OLDEST:
            await self.close_async()
            raise StartFailed(
                f"the place has Python {version[0]}.{version[1]}; it takes {OLDEST[0]}.{OLDEST[1]} or later"
            )

    async def _drive(self, talk: Generator[Request, Any, Any]) -> Any:
        """Run a conversation. What `answer` raises passes through, and ends the kernel."""
        came: Any = None
        try:
            while True:
                try:
                    request = talk.send(came)
                except StopIteration as stop:
                    return stop.value
                if isinstance(request, Write):
                    # Collected until the conversation waits: each exchange with the remote container is a command of
                    # its own.
                    self._unsent += request.data
                    came = len(request.data)
                elif isinstance(request, Read):
                    came = await self._exchange(request.seconds)
                else:
                    came = self._answer(request.tool, request.arguments)
                    if isinstance(came, Awaitable):
                        came = await came
        except BaseException as error:
            self._alive = False
            if isinstance(error, Exception):
                await self.close_async()
            raise
        finally:
            talk.close()

    async def _exchange(self, seconds: float) -> bytes | None:
        """Send what waits to be sent, and wait for an answer: as a `Read` is answered."""
        given, self._unsent = self._unsent, b""
        began = self._clock.now()
        wanted = ("exchange", self._folder, f"{max(0.0, seconds):.3f}", str(self._limits.message))
        ran = await self._command(*wanted, given=given, seconds=max(0.0, seconds))
        first, _, waited = ran.output.strip().partition("\n")
        self._away += max(0.0, min(WAY, self._clock.now() - began - _seconds(waited)))
        mark, content = first[:1], first[1:]
        if ran.status is None or mark == ".":
            return None
        if mark == "+":
            try:
                return base64.b64decode(content, validate=True)
            except (binascii.Error, ValueError):
                mark, content = "", "what came back is not a message"
        self._ended = (
            content if mark == "-" else f"the place did not answer ({' '.join((ran.error or content).split())[-200:]})"
        )
        return b""

    async def _command(self, *words: str, given: bytes = b"", seconds: float = 0.0) -> CommandResult:
        command = ["python3", "-s", "-S", "-B", "-X", "utf8", "-c", _relay(), *words]
        return await self._run(command, given, ENVIRONMENT, seconds + SLACK)


def _seconds(text: str) -> float:
    """The seconds that a place says it waited; it may say anything."""
    try:
        return max(0.0, float(text))
    except ValueError:
        return math.inf


def _relay() -> str:
    return Path(__file__).with_name("relay.py").read_text(encoding="utf-8")
