"""The interpreter of one episode: a kernel that knows the episode's functions, and a new one where it was stopped.

The functions that code names are made known to the kernel before it runs, whether they were searched for or not: names
say nothing, so knowing one is having found it. What was stopped has lost its variables, and says so itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self

from sealegs.faults.spec import ToolSpec
from sealegs.sandbox import Kernel
from sealegs.suites.highwater.environment import Environment
from sealegs.suites.highwater.protocol import observation


class Interpreter:
    """Runs an episode's code, in threads or in tasks.

    Args:
        environment: the episode's functions.
        take: gives a kernel that nobody has used.
    """

    def __init__(self, environment: Environment, take: Callable[[], Kernel]) -> None:
        self._environment = environment
        self._take = take
        self._kernel: Kernel | None = None

    def run(self, code: str) -> str:
        """Run a turn in this thread, and give what the agent is shown of it."""
        kernel, new = self._ready(code)
        if new is not None:
            kernel.start(new, self._environment.answer)
        return observation(kernel.run(code))

    async def run_async(self, code: str) -> str:
        """Run a turn in this task; see `run`."""
        kernel, new = self._ready(code)
        if new is not None:
            await kernel.start_async(new, self._environment.answer_async)
        return observation(await kernel.run_async(code))

    def _ready(self, code: str) -> tuple[Kernel, list[ToolSpec] | None]:
        """A kernel that is alive, and what it must be told before it runs this."""
        new = self._environment.named(code)
        if self._kernel is None or not self._kernel.alive:
            self._kernel = self._take()
            return self._kernel, self._environment.specs
        return self._kernel, new or None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._kernel is not None:
            self._kernel.close()
