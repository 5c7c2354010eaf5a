"""Layers over a tool: stacking, waiting, ending early; what a tool raises."""

from __future__ import annotations

import asyncio
from collections.abc import Generator

import pytest

from sealegs.faults import Call, Failure, Outcome, Value, Wait
from sealegs.faults.call import Layer
from sealegs.faults.kinds import Error
from sealegs.faults.triggers import First
from sealegs.inject import VirtualClock, compose_layers, drive, drive_async, pass_through, stack_layers, with_timeout
from tests.inject.staging import plan, rule, staged

Steps = Generator[Call | Wait, Outcome, Outcome]
CALL = Call("add", {"x": 1})


def layer(name: str, log: list[str]) -> Layer:
    """Notes when it is entered, left, and closed."""

    def noting(call: Call) -> Steps:
        log.append(f"{name} in")
        try:
            outcome = yield call
            log.append(f"{name} out")
            return outcome
        finally:
            log.append(f"{name} closed")

    return noting


def waiting(seconds: float, times: int = 1) -> Layer:
    def late(call: Call) -> Steps:
        for _ in range(times):
            yield Wait(seconds)
        return (yield call)

    return late


def retrying(times: int, pause: float = 1.0) -> Layer:
    def patient(call: Call) -> Steps:
        for _ in range(times - 1):
            outcome = yield call
            if isinstance(outcome, Value):
                return outcome
            yield Wait(pause)
        return (yield call)

    return patient


def tool(call: Call) -> Outcome:
    return Value(call.arguments["x"])


async def tool_async(call: Call) -> Outcome:
    return tool(call)


def both(stack: Layer) -> tuple[Outcome, float]:
    """What both drivers return, and the time that passed."""
    sync, task = VirtualClock(), VirtualClock()
    first = drive(stack, CALL, tool, sync)
    assert first == asyncio.run(drive_async(stack, CALL, tool_async, task))
    assert sync.now() == task.now()
    return first, sync.now()


def test_the_first_layer_is_the_outermost() -> None:
    log: list[str] = []
    stack = stack_layers([layer("a", log), layer("b", log), layer("c", log)])
    assert drive(stack, CALL, tool, VirtualClock()) == Value(1)
    entered = [line for line in log if not line.endswith("closed")]
    assert entered == ["a in", "b in", "c in", "c out", "b out", "a out"]


@pytest.mark.parametrize(
    "stack",
    [
        pass_through,
        stack_layers([]),
        stack_layers([pass_through, pass_through]),
        compose_layers(pass_through, pass_through),
    ],
)
def test_layers_that_do_nothing_change_nothing(stack: Layer) -> None:
    assert both(stack) == (Value(1), 0.0)


def test_waits_of_every_layer_pass() -> None:
    assert both(stack_layers([waiting(1), waiting(10), waiting(100)])) == (Value(1), 111.0)


def test_stacking_is_associative() -> None:
    parts = (waiting(1), retrying(2), waiting(3))
    assert both(compose_layers(parts[0], compose_layers(parts[1], parts[2]))) == both(
        compose_layers(compose_layers(parts[0], parts[1]), parts[2])
    )


def test_a_layer_outside_the_faults_meets_them_anew_at_each_try() -> None:
    episode = staged(plan(rule(Error(status=503), when=First(2))), layers=[retrying(3, pause=4.0)])
    assert isinstance(episode.call(), Value)
    record = episode.record()
    assert len(record.turns) == 1
    assert [injection.kind for injection in record.turns[0].injections] == ["error", "error"]
    assert episode.session.clock.now() == 8.0


@pytest.mark.parametrize(
    ("seconds", "times", "limit", "shown", "passed"),
    [
        (5.0, 1, 10.0, True, 5.0),
        (10.0, 1, 10.0, True, 10.0),
        (10.5, 1, 10.0, False, 10.0),
        (4.0, 2, 10.0, True, 8.0),
        (4.0, 3, 10.0, False, 10.0),
        (float("inf"), 1, 0.0, False, 0.0),
    ],
)
def test_patience(seconds: float, times: int, limit: float, shown: bool, passed: float) -> None:
    outcome, time = both(with_timeout(limit, waiting(seconds, times)))
    assert isinstance(outcome, Value) == shown
    assert time == passed
    if isinstance(outcome, Failure):
        assert outcome.message == f"The call was given up after {limit:g} s without an answer."


@pytest.mark.parametrize(
    "stack",
    [
        lambda inner: inner,
        lambda inner: compose_layers(pass_through, inner),
        lambda inner: compose_layers(inner, pass_through),
        lambda inner: with_timeout(1.0, inner),
        lambda inner: stack_layers([pass_through, inner, pass_through]),
    ],
)
def test_whatever_ends_a_call_closes_every_layer(stack: object) -> None:
    log: list[str] = []
    built = stack(layer("inner", log))  # type: ignore[operator]

    def breaks(call: Call) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drive(built, CALL, breaks, VirtualClock())
    assert log == ["inner in", "inner closed"]


def test_what_a_tool_raises_passes_through() -> None:
    def breaks(call: Call) -> Outcome:
        raise LookupError("gone")

    async def breaks_async(call: Call) -> Outcome:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        drive(pass_through, CALL, breaks, VirtualClock())
    with pytest.raises(LookupError, match="gone"):
        asyncio.run(drive_async(pass_through, CALL, breaks_async, VirtualClock()))


def test_a_tool_cannot_end_the_layer() -> None:
    def breaks(call: Call) -> Outcome:
        raise StopIteration(Value("from the tool"))

    with pytest.raises(RuntimeError, match="StopIteration"):
        drive(pass_through, CALL, breaks, VirtualClock())


async def test_cancellation_closes_every_layer() -> None:
    log: list[str] = []

    async def slow(call: Call) -> Outcome:
        await asyncio.sleep(60)
        return Value(None)

    stack = stack_layers([layer("a", log), with_timeout(5.0, layer("b", log))])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await drive_async(stack, CALL, slow, VirtualClock())
    assert sorted(log) == ["a closed", "a in", "b closed", "b in"]
