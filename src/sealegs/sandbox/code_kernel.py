"""A Python for hostile code: one process, one episode, code in turns, functions that the host runs.

    with Kernel(launcher()) as kernel:
        kernel.start(specs, through(session, tools))
        turn = kernel.run("rate('EUR', 'USD') * 100")

A kernel starts up in the background; `start` waits for the rest. `run` is for threads, `run_async` for
tasks; both take functions that answer at once, `run_async` also those that are awaited.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any, Self

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import NO_DRY_RUN, RealClock, Session
from sealegs.sandbox.conversation import CodeTurn, CompletedCall, Conversation, Request, StartFailed
from sealegs.sandbox.isolation_status import Isolation
from sealegs.sandbox.launching import Launcher
from sealegs.sandbox.limits import Limits
from sealegs.sandbox.pipes import Answer, drive_conversation, drive_conversation_async
from sealegs.sandbox.process import KernelProcess


class KernelEnded(RuntimeError):
    """The kernel has ended; its variables are lost. Take another one."""


class Kernel:
    """One kernel. It begins to start when it is made.

    Args:
        launcher: where it runs; `finding.launcher()` is the strongest here.
        limits: what it may use.

    Attributes:
        isolation: what keeps the code in.
        calls: every call made so far, from the host's own log.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(self, launcher: Launcher, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.isolation: Isolation = launcher.isolation
        self.calls: list[CompletedCall] = []
        self._clock = RealClock()
        self._process: KernelProcess = launcher.launch(self._limits)
        # The conversation does no I/O itself, so that a thread and a task can drive the same one.
        self._talk = Conversation(self._limits, self._clock.now, self._process.ended)
        self._answer: Answer = no_functions
        self._confinement = functools.partial(_confinement, launcher, self._limits)
        self._ready = False
        self._alive = True

    @property
    def alive(self) -> bool:
        """Whether it can run another turn."""
        return self._alive

    def start(self, functions: Iterable[ToolSpec] = (), answer: Answer | None = None) -> Self:
        """Wait until it is ready, and give it functions. Later calls give it more.

        Args:
            functions: what the code may call: name, names of the arguments, description (see `ToolSpec`).
            answer: called with the function's name and its arguments by name for every call, of earlier functions
                too; see `answer_through_session`. None keeps what was given.

        Raises:
            StartFailed: it did not come up.
        """
        self._answer = answer or self._answer
        self._drive(self._begin(functions))
        return self

    async def start_async(self, functions: Iterable[ToolSpec] = (), answer: Answer | None = None) -> Self:
        """Wait in this task until it is ready; see `start`."""
        self._answer = answer or self._answer
        await self._drive_async(self._begin(functions))
        return self

    def run(self, code: str, seconds: float | None = None) -> CodeTurn:
        """Run one turn in this thread. What `answer` raises passes through, and ends the kernel.

        Args:
            code: of the turn.
            seconds: wall time of this turn, where it is not that of the limits.

        Raises:
            KernelEnded: it has ended.
        """
        return self._after(self._drive(self._turn(code, seconds)))

    async def run_async(self, code: str) -> CodeTurn:
        """Run one turn in this task; see `run`. A cancelled turn ends the kernel."""
        return self._after(await self._drive_async(self._turn(code)))

    def close(self) -> None:
        """End it. Nothing of it is left."""
        self._alive = False
        self._process.close()

    async def close_async(self) -> None:
        """End it; see `close`."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _begin(self, functions: Iterable[ToolSpec]) -> Generator[Request, Any, None]:
        if not self._ready:
            yield from self._talk.greet(self._confinement)
            self._ready = True
        yield from self._talk.introduce(functions)

    def _turn(self, code: str, seconds: float | None = None) -> Generator[Request, Any, CodeTurn]:
        if not self._alive:
            raise KernelEnded("this kernel has ended; take another one")
        if not self._ready:
            yield from self._begin(())
        return (yield from self._talk.turn(code, seconds))

    def _after(self, turn: CodeTurn) -> CodeTurn:
        self.calls += turn.calls
        if not turn.alive:
            self.close()
        return turn

    def _drive(self, talk: Generator[Request, Any, Any]) -> Any:
        try:
            return drive_conversation(talk, self._process.requests, self._process.replies, self._answer)
        except BaseException as error:
            self._give_up(error)
            raise

    async def _drive_async(self, talk: Generator[Request, Any, Any]) -> Any:
        try:
            return await drive_conversation_async(talk, self._process.requests, self._process.replies, self._answer)
        except BaseException as error:
            self._give_up(error)
            raise

    def _give_up(self, error: BaseException) -> None:
        """Close the kernel, whose state is unknown now."""
        if isinstance(error, StartFailed):
            self._process.kill()
            # Killed first: to read what it wrote to standard error would wait for its end.
            complaint = self._process.complaint()
            if complaint:
                # In place, so that the traceback still shows where the start was waited for.
                error.args = (f"{error}: {complaint}",)
        self.close()


def _confinement(launcher: Launcher, limits: Limits, hello: Any) -> Mapping[str, Any]:
    return launcher.confinement(hello, limits)


def no_functions(tool: str, arguments: Mapping[str, Any]) -> Outcome:
    """The answer to the calls of a kernel that was given no functions."""
    return Failure(f"There is no function {tool}.", type="NameError")


def answer_through_session(session: Session, tools: Mapping[str, Callable[..., Any]]) -> Answer:
    """Plain Python functions as what answers a kernel's calls, under the plan of a session.

    Args:
        session: the episode.
        tools: what runs, by name; arguments are given by name. What one raises is shown as its failure.
    """

    def run(call: Call) -> Outcome:
        if call.dry:
            # Plain functions have no way to leave their effect out.
            return NO_DRY_RUN
        try:
            return Value(tools[call.tool](**call.arguments))
        except Exception as error:
            return Failure(str(error), type=type(error).__name__, exception=error)

    def answer(tool: str, arguments: Mapping[str, Any]) -> Outcome:
        return session.call(tool, arguments, run)

    return answer
