"""Answers of reads that were given before, so that equal calls in many episodes are worked out once.

An answer is kept where it can depend on nothing but the arguments and the module data of its tool: it was worked out
in a world that nothing has happened in. It is given again in such a world alone, unless the tool asked its world for
nothing at all. Arguments count as equal where they are written alike, types included: `1`, `1.0` and `true` are three.

Not for tools whose function may say something else the next time (a person's own), not for refusals, and not for
arguments that hold more than lists of plain values.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard, cast

from pydantic import BaseModel

from sealegs.faults.equal import PLAIN
from sealegs.world.state import World
from sealegs.world.tool import SimulatedTool

READS = frozenset({"source", "processor"})
MOST = 8192  # answers
LONGEST = 4096  # bytes of the arguments and the answer
Asked = tuple[Callable[..., Any], type[BaseModel], bytes]  # a tool's function, its parameters, what was given
FORM = 2  # of `marshal`: the last one without references, so that equal data is written alike


class KnownAnswers:
    """The answers of a corpus's reads. Threads may share them: what two work out at once is equal."""

    def __init__(self) -> None:
        self._anywhere: dict[Asked, bytes] = {}
        self._at_first: dict[Asked, bytes] = {}  # in a world that nothing has happened in
        self._asking: set[Callable[..., Any]] = set()  # the functions that have asked their world for something

    def __len__(self) -> int:
        return len(self._anywhere) + len(self._at_first)

    def known(self, tool: SimulatedTool, given: Mapping[str, Any], world: World) -> Any:
        """The tool's answer to these arguments in this world, as data of its own; None where it is not known."""
        if not _flat(given):
            return None
        key = tool.run, tool.parameters, marshal.dumps(given, FORM)
        found = self._anywhere.get(key)
        if found is None and world.untouched:
            found = self._at_first.get(key)
        return None if found is None else marshal.loads(found)

    def work_out(
        self, tool: SimulatedTool, given: Mapping[str, Any], arguments: Mapping[str, Any], world: World
    ) -> Any:
        """The tool's answer, which is kept where it may be.

        Args:
            tool: a read.
            given: the arguments of the call.
            arguments: the same, validated, with defaults.
            world: where it is asked.

        Raises:
            Refusal: the tool refuses.
        """
        if tool.run not in self._asking:
            try:
                return _keep(self._anywhere, tool, given, tool.run(cast(World, _NoWorld()), **arguments))
            except _WorldAsked:
                self._asking.add(tool.run)
        first = world.untouched
        answer = tool.run(world, **arguments)
        # A read that leaves something behind has to be made each time.
        return _keep(self._at_first, tool, given, answer) if first and world.untouched else answer


def _keep(kept: dict[Asked, bytes], tool: SimulatedTool, given: Mapping[str, Any], answer: Any) -> Any:
    """Keep an answer if it is plain data and not large; return it."""
    if not _flat(given):
        return answer
    try:
        written, text = marshal.dumps(given, FORM), marshal.dumps(answer, FORM)
    except ValueError:  # other than plain data
        return answer
    if len(written) + len(text) <= LONGEST:
        if len(kept) >= MOST:
            kept.clear()
        kept[tool.run, tool.parameters, written] = text
    return answer


def _flat(given: Mapping[str, Any]) -> TypeGuard[dict[str, Any]]:
    """Return whether these are plain values and lists of such: `marshal` may never end with what holds itself."""
    return type(given) is dict and all(
        PLAIN.issuperset(map(type, value) if type(value) is list else (type(value),)) for value in given.values()
    )


class _WorldAsked(BaseException):
    """A tool asked its world for something. No tool catches it, as one might catch an `Exception`."""


class _NoWorld:
    """A world of which nothing can be asked: what is answered in it holds in every world."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        raise _WorldAsked(name)
