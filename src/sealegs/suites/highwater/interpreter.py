"""The interpreter of one episode: a kernel that knows the episode's functions, and a new one after it was stopped.

The functions that code names are made known to the kernel before it runs, whether they were searched for or not: names
say nothing, so knowing one is having found it. What was stopped has lost its variables, and says so itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.sandbox import Answer, CodeTurn, Kernel, StartFailed
from sealegs.suites.highwater.coding_protocol import turn_observation
from sealegs.suites.highwater.environment import Environment


class NoKernel(UserError):
    """No kernel comes up: this machine's failure, and so no result of the agent whose code was to run in it."""


class KernelLifetime(Protocol):
    """Something that lives until it is stopped."""

    @property
    def alive(self) -> bool:
        """Whether it can run another turn."""


class TaskKernel(KernelLifetime, Protocol):
    """A kernel for async tasks, wherever it runs."""

    async def start_async(self, functions: Iterable[ToolSpec] = (), answer: Answer | None = None) -> Any:
        """Wait until it is ready, and give it functions."""

    async def run_async(self, code: str) -> CodeTurn:
        """Run one turn."""

    async def close_async(self) -> None:
        """End it."""


K = TypeVar("K", bound=KernelLifetime)


class Interpreter(Generic[K]):
    """The part that threads and async tasks share.

    Args:
        environment: the episode's functions.
        take: gives an unused kernel.
    """

    def __init__(self, environment: Environment, take: Callable[[], K]) -> None:
        self._environment = environment
        self._take = take
        self._kernel: K | None = None

    def _ready(self, code: str) -> tuple[K, list[ToolSpec] | None]:
        """Return a live kernel, and what to send it before it runs this."""
        new = self._environment.named(code)
        if self._kernel is None or not self._kernel.alive:
            self._kernel = self._take()
            return self._kernel, self._environment.specs
        return self._kernel, new or None


class ThreadInterpreter(Interpreter[Kernel]):
    """Runs an episode's code in this thread."""

    def run(self, code: str) -> str:
        """Run a turn, and return what the agent is shown of it.

        Raises:
            NoKernel: there is none to run it in.
        """
        try:
            kernel, new = self._ready(code)
            if new is not None:
                kernel.start(new, self._environment.answer)
        except (OSError, StartFailed) as error:
            raise NoKernel(
                f"no kernel for the agent's code could be started: {error}. End other processes, or raise the limits "
                "(ulimit -n, ulimit -u); the same command resumes the run"
            ) from error
        return turn_observation(kernel.run(code))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._kernel is not None:
            self._kernel.close()


class TaskInterpreter(Interpreter[TaskKernel]):
    """Runs an episode's code in this task."""

    async def run(self, code: str) -> str:
        """Run a turn, and return what the agent is shown of it."""
        kernel, new = self._ready(code)
        if new is not None:
            await kernel.start_async(new, self._environment.answer_async)
        return turn_observation(await kernel.run_async(code))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._kernel is not None:
            await self._kernel.close_async()
