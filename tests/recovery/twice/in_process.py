"""Failures over the ways into the layer that lie within a process: functions of Python and tools of LangChain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from sealegs import wrap
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.recovery_plan import RecoveryPlan
from tests.recovery.twice.failures import failures
from tests.recovery.twice.till import LEVELS, MADE, WIRE, Tally, Till, call_id, level_and_place, plan

DECLARED: Mapping[str, Mapping[str, Any]] = {
    "acts": {"effects": True},
    "reads": {"effects": False},
    "idempotent": {"effects": True, "idempotent": True},
}
SIDE_BY_SIDE = 20  # async calls at a time


def session(specs: Iterable[ToolSpec] = (), given: str = "id", **more: Any) -> Session:
    """A session behind the layer, on a virtual clock."""
    layer = RecoveryPlan.model_validate(plan({}, longest=60.0, given=given)).layer()
    return Session(layers=[layer], specs=tuple(specs), clock=VirtualClock(), **more)


def failure_of(id: str) -> BaseException:
    """The failure of a call."""
    return failures()[level_and_place(id)[1]][1].with_traceback(None)


def functions(till: Till) -> dict[str, Callable[..., Any]]:
    """A tool for each level, another that could do the same, and the read."""

    def pay(id: str, token: str = "") -> dict[str, str]:
        """Pay."""
        till.pay(id, token)
        raise failure_of(id)

    def wire(id: str) -> dict[str, str]:
        """Pay too."""
        return till.wire(id)

    def made(id: str) -> dict[str, Any]:
        """List payments."""
        return till.made(id)

    return {**dict.fromkeys(LEVELS, pay), WIRE: wire, MADE: made}


def coroutines(till: Till) -> dict[str, Callable[..., Any]]:
    """The same, async."""

    def made_async(function: Callable[..., Any], pays: bool) -> Callable[..., Any]:
        async def pay(id: str, token: str = "") -> Any:
            """Pay."""
            await asyncio.sleep(0)
            return function(id, token)

        async def other(id: str) -> Any:
            """Do something else."""
            await asyncio.sleep(0)
            return function(id)

        return pay if pays else other

    return {name: made_async(function, name in LEVELS) for name, function in functions(till).items()}


def python_sync(levels: Sequence[str], places: Iterable[int]) -> Tally:
    till = Till()
    specs = (ToolSpec(name, **declared) for name, declared in DECLARED.items())
    tools = wrap(functions(till), session(specs))
    return _called(till, levels, places, lambda level, id: tools[level](id=id))


def python_async(levels: Sequence[str], places: Iterable[int]) -> Tally:
    till = Till()
    specs = (ToolSpec(name, **declared) for name, declared in DECLARED.items())
    tools = wrap(coroutines(till), session(specs))
    return asyncio.run(called_async(till.tally, levels, places, lambda level, id: tools[level](id=id)))


def langchain_sync(levels: Sequence[str], places: Iterable[int]) -> Tally:
    till = Till()
    tools = _langchain_tools(functions(till), "func")
    return _called(till, levels, places, lambda level, id: tools[level].invoke({"id": id}))


def langchain_async(levels: Sequence[str], places: Iterable[int]) -> Tally:
    till = Till()
    tools = _langchain_tools(coroutines(till), "coroutine")
    return asyncio.run(called_async(till.tally, levels, places, lambda level, id: tools[level].ainvoke({"id": id})))


def _langchain_tools(given: Mapping[str, Callable[..., Any]], form: str) -> dict[str, Any]:
    from langchain_core.tools import StructuredTool

    from sealegs.adapters import langchain

    made = [
        StructuredTool.from_function(**{form: function}, name=name, metadata=dict(DECLARED.get(name, {})))
        for name, function in given.items()
    ]
    return dict(zip(given, langchain.wrap(made, session()), strict=True))


def _called(till: Till, levels: Sequence[str], places: Iterable[int], call: Callable[[str, str], Any]) -> Tally:
    for level, id in ids_of(levels, places):
        till.tally.failed += 1
        with suppress(Exception):
            call(level, id)
            till.tally.failed -= 1
    return till.tally


async def called_async(
    tally: Tally, levels: Sequence[str], places: Iterable[int], call: Callable[[str, str], Coroutine[Any, Any, Any]]
) -> Tally:
    """Make the calls, some of them side by side, and count those that are shown as failed."""
    ids = ids_of(levels, places)
    for first in range(0, len(ids), SIDE_BY_SIDE):
        some = (call(level, id) for level, id in ids[first : first + SIDE_BY_SIDE])
        found = await asyncio.gather(*some, return_exceptions=True)
        tally.failed += sum(isinstance(one, Exception) for one in found)
    return tally


def ids_of(levels: Sequence[str], places: Iterable[int]) -> list[tuple[str, str]]:
    """The calls, each with its tool."""
    places = list(places)
    return [(level, call_id(level, place)) for level in levels for place in places]
