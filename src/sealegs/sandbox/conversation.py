"""The host's side of the talk with a kernel, without I/O: a generator that two drivers run.

It yields a `Read`, a `Write` or a `HostCall` and is sent what came of it, as layers of the seam do. Every wait has an
end, every message a length; a kernel that breaks a rule is not talked to again. The pipes are in `pipes`, and what a
message may be is in `protocol`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sealegs.faults.call import Failure, Outcome
from sealegs.faults.spec import ToolSpec
from sealegs.sandbox.confinement import Handshake
from sealegs.sandbox.kernel_protocol import (
    FunctionCallRequest,
    ProtocolViolation,
    answer_line,
    line_of,
    parse_line,
    read_kernel_message,
)
from sealegs.sandbox.limits import Limits

STARTING = 30.0  # seconds that a start may take on a busy machine
REFUSALS = 10  # calls beyond the limit, in turns' worth, that are still answered

How = Literal["finished", "raised", "timeout", "memory", "died", "violated"]
STOPPED = "The interpreter was stopped and its variables are lost: {}."


@dataclass(frozen=True, slots=True)
class Read:
    """Wait for bytes. The answer: bytes, `b""` at the end of the stream, None when the time is over."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Write:
    """Send bytes. The answer: how many were taken; none where there was no room in time, or the reader is gone."""

    data: bytes | memoryview
    seconds: float


@dataclass(frozen=True, slots=True)
class HostCall:
    """Call a function. The answer: its outcome."""

    tool: str
    arguments: Mapping[str, Any]


Request = Read | Write | HostCall


@dataclass(frozen=True, slots=True)
class CompletedCall:
    """A call that the host made for the code: what verdicts are taken from."""

    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class CodeTurn:
    """The result of one piece of code.

    Attributes:
        output: what it printed, and the value of its last expression. May be forged: the code may write anything.
        error: the traceback of the code's own frames, or the reason why the kernel was stopped; None if it finished.
        how: `finished`; `raised` an exception; `timeout` and `memory`: a limit was met; `died`: the process is gone;
            `violated`: it broke the protocol and was killed.
        calls: the calls made, from the host's own log.
        seconds: the time that it took, calls included.
        alive: whether the kernel and its variables are still there.
    """

    output: str
    error: str | None
    how: How
    calls: tuple[CompletedCall, ...]
    seconds: float
    alive: bool = True


class KernelGone(Exception):
    """The kernel does not answer any more."""

    def __init__(self, how: How, why: str) -> None:
        super().__init__(why)
        self.how: How = how


class StartFailed(Exception):
    """The kernel did not come up; the message holds its output."""


class Conversation:
    """The talk with one kernel.

    Args:
        limits: of the kernel.
        now: seconds, by any clock that moves.
        ended: how the process ended, in words, once its stream has.
    """

    def __init__(self, limits: Limits, now: Callable[[], float], ended: Callable[[], str]) -> None:
        self._limits = limits
        self._now = now
        self._ended = ended
        self._unread = b""
        self._turn = 0
        self._seconds = limits.seconds  # of this turn
        self._request_bytes = self._answered_bytes = 0
        self._functions: dict[str, frozenset[str]] = {}

    def greet(self, confinement: Callable[[Handshake], Mapping[str, Any]]) -> Generator[Request, Any, None]:
        """Have the kernel confine itself.

        Raises:
            StartFailed: it could not, or never came up.
        """
        until = self._now() + STARTING
        try:
            hello = parse_line((yield from self._line(until))).get("hello")
            if not isinstance(hello, dict):
                raise StartFailed("it began with something else than a greeting")
            how = confinement(
                Handshake(**hello)
            )  # decided by the host, which trusts nothing but the facts of the greeting
            yield from self._say(how, until)
            answer = parse_line((yield from self._line(until)))
        except (KernelGone, ProtocolViolation) as error:
            raise StartFailed(str(error)) from error
        if answer != {"ready": True}:
            raise StartFailed(str(answer.get("refused", answer)))

    def introduce(self, functions: Iterable[ToolSpec]) -> Generator[Request, Any, None]:
        """Make functions known. A kernel that is gone shows at the next turn."""
        introduced = []
        for spec in functions:
            # Names become source code inside the kernel.
            if not spec.name.isidentifier():
                raise ValueError(f"{spec.name!r} cannot be a function's name in Python")
            names = list(spec.parameters.get("properties", {}))
            required = [name for name in names if name in spec.parameters.get("required", ())]
            self._functions[spec.name] = frozenset(names)
            introduced.append((spec.name, names, required, _doc(spec, names, required)))
        try:
            yield from self._say({"functions": introduced}, self._now() + STARTING)
        except KernelGone:  # nothing is waiting for it yet, so the next turn reports it
            return

    def turn(self, code: str, seconds: float | None = None) -> Generator[Request, Any, CodeTurn]:
        """Run code for as long as the limits say, or `seconds`. The turn always comes to an end, and says how."""
        self._turn += 1
        self._seconds = seconds or self._limits.seconds
        began, answering = self._now(), 0.0
        calls: list[CompletedCall] = []
        refused = 0
        allowed = self._seconds + self._limits.grace

        def over(how: How, output: str, error: str | None, alive: bool = True) -> CodeTurn:
            return CodeTurn(output, error, how, tuple(calls), self._now() - began, alive)

        try:
            if self._unread:  # forged in advance, it would pass for this turn's answer
                raise ProtocolViolation("it spoke between turns")
            message = {"run": self._turn, "code": code, "seconds": self._seconds}
            yield from self._say(message, began + allowed)
            while True:
                line = yield from self._line(began + answering + allowed)
                # Turn and call are numbered, so that a message from earlier code cannot pass for a new one.
                reply = read_kernel_message(
                    parse_line(line), self._turn, len(calls) + refused + 1, self._functions, self._limits
                )
                if not isinstance(reply, FunctionCallRequest):
                    if self._unread:
                        raise ProtocolViolation("it spoke after the turn's end")
                    return over(reply.how, reply.output, reply.error)
                # The time of the host's own functions is added to the limit; it is not the code's.
                since = self._now()
                self._request_bytes += len(line)
                too_many = self._too_many(len(calls))
                if too_many is None:
                    outcome: Outcome = yield HostCall(reply.tool, reply.arguments)
                    answer, outcome = answer_line(outcome, self._limits)
                    calls.append(CompletedCall(reply.tool, reply.arguments, outcome))
                else:
                    # A few refusals are answered so that the code can react; then the loop has to end.
                    refused += 1
                    if refused > REFUSALS * self._limits.calls:
                        raise ProtocolViolation("it kept calling beyond the limit")
                    answer, _ = answer_line(too_many, self._limits)
                self._answered_bytes += len(answer)
                answering += self._now() - since
                yield from self._send(answer, began + answering + allowed)
        except KernelGone as gone:
            return over(gone.how, "", STOPPED.format(gone), alive=False)
        except ProtocolViolation as violation:
            return over("violated", "", STOPPED.format(violation), alive=False)

    def _too_many(self, made: int) -> Failure | None:
        """The failure of a call that is not made, else None. Calls are kept, so all of them together have a limit."""
        if made >= self._limits.calls:
            return Failure(f"There were {made} calls in this turn; no more are made.", type="TooManyCalls")
        for limit, used in ((self._limits.requests, self._request_bytes), (self._limits.answers, self._answered_bytes)):
            if used > limit:
                message = f"The calls of this episode have taken {limit} bytes; no more are made."
                return Failure(message, type="TooManyCalls")
        return None

    def _say(self, message: Mapping[str, Any], until: float) -> Generator[Request, Any, None]:
        yield from self._send(line_of(message), until)

    def _send(self, line: bytes, until: float) -> Generator[Request, Any, None]:
        left = memoryview(line)
        while left:
            taken: int = yield Write(left, until - self._now())
            # Out of time, or the reader is gone. Only the end of its stream tells how the process ended.
            if not taken:
                if self._now() >= until:
                    raise KernelGone("timeout", self._too_long())
                return  # it is gone, and the end of its stream says so
            left = left[taken:]

    def _line(self, until: float) -> Generator[Request, Any, bytes]:
        """The next line."""
        parts, size = [self._unread], len(self._unread)
        # Only the new part is searched, and parts are joined once: a long message must not cost quadratic time.
        while b"\n" not in parts[-1]:
            if size > self._limits.message:
                raise ProtocolViolation("a message that is too long")
            part: bytes | None = yield Read(until - self._now())
            if part is None:
                raise KernelGone("timeout", self._too_long())
            if not part:
                raise KernelGone("died", self._ended())
            parts.append(part)
            size += len(part)
        line, _, self._unread = b"".join(parts).partition(b"\n")
        return line

    def _too_long(self) -> str:
        return f"the turn took longer than {self._seconds:g} s"


def _doc(spec: ToolSpec, names: Iterable[str], required: Iterable[str]) -> str:
    """The text of `help` on a function: the form of its call, and its description."""
    needed = set(required)
    arguments = ", ".join(name if name in needed else f"{name}=..." for name in names)
    return f"{spec.name}({arguments})\n\n{spec.description}".strip()
