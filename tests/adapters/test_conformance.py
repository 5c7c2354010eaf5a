"""The kit passes the plain adapter, and each adapter that is broken in one way fails the checks that are about it."""

from __future__ import annotations

import asyncio
import functools
import inspect
import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from sealegs.adapters.conformance import CHECKS, ConformanceCase, ConformanceReport, Harness, Mode, conform
from sealegs.adapters.python import ToolFault, wrap
from sealegs.faults import Failure, Value
from sealegs.inject import Session, current
from tests.adapters.frameworks.plain import Generators, Plain, Tools


def failed(report: ConformanceReport) -> set[str]:
    return {f"{verdict.check} ({verdict.mode})" for verdict in report.failed}


def test_the_plain_adapter_passes() -> None:
    report = conform(Plain())
    assert not report.failed, str(report)
    assert {verdict.check for verdict in report.verdicts} == set(CHECKS)
    assert report.counts() == {"passed": 47, "failed": 0, "absent": 4}
    assert report.surface == "Error: LookupError: No city of that name."


Outside = Callable[[Callable[[], Any]], Any]


class Broken(Plain):
    """The plain adapter with something around each armed tool. `around` gets the call as a function."""

    def __init__(self, around: Callable[[Callable[[], Any]], Any]) -> None:
        self.around = around

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        return {name: self._spoiled(tool) for name, tool in tools.items()} if case.armed else tools

    def _spoiled(self, tool: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(tool)
        def spoiled(**arguments: Any) -> Any:
            return self.around(lambda: tool(**arguments))

        @functools.wraps(tool)
        async def spoiled_async(**arguments: Any) -> Any:
            try:
                value = await tool(**arguments)
            except Exception as error:
                raised = error  # a name that lives on
                return self.around(lambda: _raise(raised))
            return self.around(lambda: value)

        return spoiled_async if inspect.iscoroutinefunction(tool) else spoiled


def _raise(error: Exception) -> Any:
    raise error


def leaks(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except ToolFault as error:
        raise type("X", (Exception,), {})(f"sealegs.adapters.python.{error!r}") from None


def replaces_exceptions(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except LookupError as error:
        raise RuntimeError(str(error)) from error


def makes_text(call: Callable[[], Any]) -> Any:
    return str(call())


def swallows(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        return {"failed": str(error)}


def marks(call: Callable[[], Any]) -> Any:
    value = call()
    return f"{value}\n" if isinstance(value, str) else value


@pytest.mark.parametrize(
    ("around", "must", "must_not"),
    [
        (leaks, {"error_raised", "error_shown", "invisible"}, {"value_replaced", "own_exception_kept", "delay"}),
        (replaces_exceptions, {"own_exception_kept", "nothing_armed"}, {"value_replaced", "delay", "hang_let_go"}),
        (makes_text, {"value_replaced", "nothing_armed", "parallel"}, {"error_raised", "invisible", "malformed_text"}),
        (swallows, {"error_raised", "error_shown", "own_exception_kept"}, {"value_replaced", "streaming"}),
        (marks, {"value_replaced", "malformed_text", "nothing_armed"}, {"active_session", "streaming"}),
    ],
)
def test_what_is_done_to_outcomes_is_found(around: Outside, must: set[str], must_not: set[str]) -> None:
    made = must | must_not
    found = failed(conform(Broken(around), lambda check, mode: check in made and mode != "mixed"))
    assert found == {f"{check} ({mode})" for check in must for mode in ("sync", "async")}


def only(*checks: str, mode: Mode | None = None) -> Callable[[str, Mode], bool]:
    return lambda check, of: check in checks and mode in (None, of) and of != "mixed"


class NotThere(Plain):
    """Never arms anything."""

    def armed(self, case: ConformanceCase) -> Tools:
        return dict(case.tools)


def test_an_adapter_that_does_nothing_fails_all_but_the_checks_that_nothing_is_changed() -> None:
    report = conform(NotThere(), lambda check, mode: mode == "sync")
    passed = {verdict.check for verdict in report.verdicts if verdict.result == "passed"}
    assert passed == {"own_exception_kept", "streaming", "nothing_armed", "invisible"}


class Deaf(Plain):
    """Does not look for the active session."""

    def armed(self, case: ConformanceCase) -> Tools:
        return super().armed(case) if case.session is not None else dict(case.tools)


def test_an_adapter_that_misses_the_active_session() -> None:
    assert failed(conform(Deaf(), only("active_session", "same_faults", "nothing_armed"))) == {
        "active_session (sync)",
        "active_session (async)",
    }


class Eager(Plain):
    """Runs the tool first and asks for faults afterwards."""

    def armed(self, case: ConformanceCase) -> Tools:
        if not case.armed or case.session is None:
            return dict(case.tools)
        return {name: self._eager(name, tool, case.session) for name, tool in case.tools.items()}

    def _eager(self, name: str, tool: Callable[..., Any], session: Session) -> Callable[..., Any]:
        def eager(**arguments: Any) -> Any:
            value = tool(**arguments)
            return wrap(lambda **_: value, session, name=name)(**arguments)

        return functools.update_wrapper(eager, tool)


def test_an_adapter_that_runs_the_tool_before_it_fails() -> None:
    found = failed(conform(Eager(), only("error_raised", "value_replaced", "hang_let_go", "parallel", mode="sync")))
    assert found == {"error_raised (sync)", "hang_let_go (sync)", "parallel (sync)"}


class Idle(Plain):
    """Never runs the tool of a call that fails in the end."""

    def armed(self, case: ConformanceCase) -> Tools:
        if not case.armed or case.session is None or case.mode != "sync":
            return super().armed(case)
        return {name: self._idle(name, tool, case.session) for name, tool in case.tools.items()}

    def _idle(self, name: str, tool: Callable[..., Any], session: Session) -> Callable[..., Any]:
        def idle(**arguments: Any) -> Any:
            value = wrap(lambda **_: "promised", session, name=name)(**arguments)
            return tool(**arguments) if value == "promised" else value

        return functools.update_wrapper(idle, tool)


def test_an_adapter_that_leaves_out_the_work_whose_answer_is_lost() -> None:
    checks = only("error_raised", "error_after_work", "permanent_after_work", mode="sync")
    assert failed(conform(Idle(), checks)) == {"error_after_work (sync)", "permanent_after_work (sync)"}


class Anxious(Plain):
    """Tries once more by itself when a call fails, and does not say so."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        if not case.armed or case.mode != "sync":
            return tools

        def anxious(name: str) -> Callable[..., Any]:
            @functools.wraps(case.tools[name])
            def twice(**arguments: Any) -> Any:
                try:
                    return tools[name](**arguments)
                except ToolFault:
                    return tools[name](**arguments)

            return twice

        return {name: anxious(name) for name in tools}


def test_an_adapter_that_does_the_work_twice() -> None:
    checks = only("error_raised", "error_after_work", "permanent_after_work", mode="sync")
    assert failed(conform(Anxious(), checks)) == {"error_after_work (sync)", "permanent_after_work (sync)"}


class Blocking(Plain):
    """Waits in the event loop's own thread."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        if not case.armed or case.session is None or case.mode != "async":
            return tools
        return {name: self._blocking(name, tool, case.session) for name, tool in case.tools.items()}

    def _blocking(self, name: str, tool: Callable[..., Any], session: Session) -> Callable[..., Any]:
        async def blocking(**arguments: Any) -> Any:
            async def run() -> Any:
                return await tool(**arguments)

            def outcome(call: object) -> Value | Failure:
                try:
                    run().send(None)
                except StopIteration as answer:
                    return Value(answer.value)
                return Failure("it waits")

            return session.call(name, arguments, outcome).value  # type: ignore[union-attr]

        return functools.update_wrapper(blocking, tool)


def test_an_adapter_that_holds_up_the_event_loop() -> None:
    found = failed(conform(Blocking(), only("value_replaced", "delay", "parallel", mode="async")))
    assert found == {"delay (async)", "parallel (async)"}


class Serial(Plain):
    """One call after the other."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools, lock, lock_async = super().armed(case), threading.Lock(), asyncio.Lock()
        if not case.armed:
            return tools

        def serial(tool: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(tool)
            def one(**arguments: Any) -> Any:
                with lock:
                    return tool(**arguments)

            @functools.wraps(tool)
            async def one_async(**arguments: Any) -> Any:
                async with lock_async:
                    return await tool(**arguments)

            return one_async if inspect.iscoroutinefunction(tool) else one

        return {name: serial(tool) for name, tool in tools.items()}


def test_an_adapter_that_puts_calls_in_a_row() -> None:
    assert failed(conform(Serial(), only("parallel", "value_replaced"))) == {"parallel (sync)", "parallel (async)"}


class Dice(Plain):
    """Draws by itself."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        if case.session is None:
            return tools
        return {name: tools[name] if random.random() < 0.5 else case.tools[name] for name in tools}


def test_an_adapter_that_draws_by_itself() -> None:
    random.seed(3)
    assert failed(conform(Dice(), only("same_faults"))) == {"same_faults (sync)", "same_faults (async)"}


class MadeUp(Plain):
    """Answers for a call that never came back."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        if not case.armed:
            return tools

        def patient(tool: Callable[..., Any]) -> Callable[..., Any]:
            @functools.wraps(tool)
            async def one(**arguments: Any) -> Any:
                try:
                    return await asyncio.wait_for(tool(**arguments), 0.1)
                except TimeoutError:
                    return "It took too long."

            return one

        return {name: patient(tool) for name, tool in tools.items()}


def test_an_adapter_that_makes_up_an_answer_to_a_hang() -> None:
    checks = only("hang_cancelled", "hang_timed_out", "value_replaced", mode="async")
    assert failed(conform(MadeUp(), checks)) == {"hang_cancelled (async)", "hang_timed_out (async)"}


class Mute(Plain):
    """What a tool reports gets lost while a session is active."""

    def progress(self, text: str) -> None:
        if current() is None:
            super().progress(text)


def test_an_adapter_that_loses_progress() -> None:
    assert failed(conform(Mute(), only("streaming", "value_replaced"))) == {"streaming (sync)", "streaming (async)"}


class Nowhere(Harness):
    """A harness that cannot make an agent."""

    framework = "Nowhere"
    package = "no-such-distribution"
    modes = ("sync",)
    absent = {"streaming": "nothing is streamed", "parallel (sync)": "one call a turn"}

    def play(self, case: ConformanceCase) -> None:
        time.sleep(0)
        raise OSError("no agent")

    async def play_async(self, case: ConformanceCase) -> None:
        raise NotImplementedError


def test_what_a_harness_cannot_do_is_reported_and_not_raised() -> None:
    report = conform(Nowhere(), only("value_replaced", "error_shown", "streaming", "parallel"))
    verdicts = {verdict.check: (verdict.result, verdict.detail) for verdict in report.verdicts}
    assert verdicts["streaming"] == ("absent", "nothing is streamed")
    assert verdicts["parallel"] == ("absent", "one call a turn")
    assert verdicts["value_replaced"] == ("failed", "without the adapter the run ends with OSError: no agent")
    assert verdicts["error_shown"] == ("failed", "the run did not continue: OSError: no agent")
    assert report.version == ""
    assert "of unknown version" in str(report)
    assert report.as_data()["verdicts"][0]["check"] == "value_replaced"


class Gathered(Generators):
    """Lets no chunk through before the last is there."""

    def armed(self, case: ConformanceCase) -> Tools:
        tools = super().armed(case)
        return {name: self._gathered(stream) for name, stream in tools.items()} if case.armed else tools

    def _gathered(self, stream: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(stream)
        def gathered(**arguments: Any) -> Any:
            yield from list(stream(**arguments))

        @functools.wraps(stream)
        async def gathered_async(**arguments: Any) -> Any:
            for chunk in [chunk async for chunk in stream(**arguments)]:
                yield chunk

        return gathered_async if inspect.isasyncgenfunction(stream) else gathered


def test_generators_pass_and_an_adapter_that_gathers_their_chunks_is_found() -> None:
    report = conform(Generators())
    assert not report.failed, str(report)
    assert report.counts() == {"passed": 47, "failed": 0, "absent": 4}
    assert failed(conform(Gathered(), only("streaming", "value_replaced", "error_raised"))) == {
        "streaming (sync)",
        "streaming (async)",
    }
