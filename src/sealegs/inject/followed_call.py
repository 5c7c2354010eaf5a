"""Calls that a watcher follows by itself, through layers only where a fault must be driven."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any

from sealegs.faults.call import Call, Layer, Outcome
from sealegs.inject.clock import Clock
from sealegs.inject.injector import Injector
from sealegs.inject.layer_context import FollowingWatcher, ToolRunner, ToolRunnerAsync
from sealegs.inject.seam import drive, drive_async
from sealegs.inject.tool_state import Substitution, TriggeredFaults


class CallFollower:
    """The calls of a session that its watcher follows.

    Args:
        watcher: of the session, which has no layers.
        runner, runner_async: give what runs a call in place of an adapter's own function.
        injector: whose faults strike the calls.
        patient: puts the caller's time limit around a layer.
        clock: the episode's.
        numbers: count the calls, for their ids.
    """

    __slots__ = ("_clock", "_injector", "_numbers", "_patient", "_runner", "_runner_async", "_watcher")

    def __init__(
        self,
        watcher: FollowingWatcher,
        runner: Callable[[ToolRunner], ToolRunner],
        runner_async: Callable[[ToolRunnerAsync], ToolRunnerAsync],
        injector: Injector,
        patient: Callable[[Layer], Layer],
        clock: Clock,
        numbers: Iterator[int],
    ) -> None:
        self._watcher = watcher
        self._runner = runner
        self._runner_async = runner_async
        self._injector = injector
        self._patient = patient
        self._clock = clock
        self._numbers = numbers

    def aimed(self, tool: str, arguments: Mapping[str, Any]) -> FollowedCall:
        """A call that is made now, with what strikes it."""
        return FollowedCall(self, tool, arguments, self._injector.aim(self._injector.state(tool), arguments))

    def call(self, tool: str, arguments: Mapping[str, Any], faults: TriggeredFaults | None, run: ToolRunner) -> Outcome:
        """Make a call that this strikes, in this thread."""
        run = self._runner(run)
        if faults is None:
            return self._watcher.follow(Call(tool, arguments, f"call-{next(self._numbers)}"), run)
        call = Call(tool, arguments, f"call-{next(self._numbers)}", faults.nth)
        struck = self._injector.layer_of(faults)
        if type(struck) is Substitution:
            return self._watcher.follow_struck(call, run, struck.answer)
        return drive(self._watcher.around(self._patient(struck)), call, run, self._clock)

    async def call_async(
        self, tool: str, arguments: Mapping[str, Any], faults: TriggeredFaults | None, run: ToolRunnerAsync
    ) -> Outcome:
        """Do the same in this task."""
        run = self._runner_async(run)
        if faults is None:
            return await self._watcher.follow_async(Call(tool, arguments, f"call-{next(self._numbers)}"), run)
        call = Call(tool, arguments, f"call-{next(self._numbers)}", faults.nth)
        struck = self._injector.layer_of(faults)
        if type(struck) is Substitution:
            return await self._watcher.follow_struck_async(call, run, struck.answer_async)
        return await drive_async(self._watcher.around(self._patient(struck)), call, run, self._clock)


class FollowedCall:
    """A call that is counted, with what strikes it; to be made once.

    Attributes:
        arguments: by name, as data.
    """

    __slots__ = ("_faults", "_follower", "_tool", "arguments")

    def __init__(
        self, follower: CallFollower, tool: str, arguments: Mapping[str, Any], faults: TriggeredFaults | None = None
    ) -> None:
        self._follower = follower
        self._tool = tool
        self._faults = faults
        self.arguments = arguments

    def call(self, run: ToolRunner) -> Outcome:
        """Make it in this thread."""
        return self._follower.call(self._tool, self.arguments, self._faults, run)

    def call_async(self, run: ToolRunnerAsync) -> Awaitable[Outcome]:
        """Make it in this task."""
        return self._follower.call_async(self._tool, self.arguments, self._faults, run)
