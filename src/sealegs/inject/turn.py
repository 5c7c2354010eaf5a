"""The order of the calls that a model asks for at once, for rules that count calls.

A framework may run such calls side by side; which of them arrives first is then a matter of time. Where the order in
which the model asked is known, the numbers of the calls are kept for them: the third requested call is the
third, whenever it arrives. Calls that no turn announces are numbered as they arrive.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar


class ModelTurn:
    """The calls of one turn in the model's order; each is then made inside its own `with turn.call(index):`.

    Nothing is counted before the first of them arrives at a session, and a number that is kept for a call that is never
    made stays unused.

    Args:
        tools: the name of the tool of each call.
    """

    def __init__(self, tools: Iterable[str]) -> None:
        self.tools = tuple(tools)

    @contextmanager
    def call(self, index: int) -> Iterator[None]:
        """The block in which the call of this index is made, from 0, in the context of the task or thread.

        The first call of its tool that is made there has its number; any further one, such as another try, is numbered
        as it arrives.

        Raises:
            IndexError: the turn has fewer calls.
        """
        token = place_in_turn.set(PlaceInTurn(self, index, self.tools[index]))
        try:
            yield
        finally:
            place_in_turn.reset(token)


class PlaceInTurn:
    """The place in a turn of the calls that are made in a context, and the tool of the requested one."""

    __slots__ = ("index", "tool", "turn")

    def __init__(self, turn: ModelTurn, index: int, tool: str) -> None:
        self.turn = turn
        self.index = index
        self.tool = tool


place_in_turn: ContextVar[PlaceInTurn | None] = ContextVar("sealegs_turn", default=None)  # only `ModelTurn` sets it


class TurnNumbers:
    """The numbers of an episode's calls that models ask for together: those of a tool follow the turn, not its threads.

    Args:
        groups: the groups of tools of which the first to be called counts.
        victims: the first of each group, by group; entered here when a turn's first call comes.
        lock: held while numbers are given.
    """

    def __init__(
        self,
        groups: Collection[frozenset[str]],
        victims: MutableMapping[frozenset[str], str],
        lock: AbstractContextManager[object],
    ) -> None:
        self._groups, self._victims, self._lock = groups, victims, lock
        # For each turn the numbers that are kept for its calls, by tool and by their places.
        self._kept: MutableMapping[ModelTurn, dict[str, dict[int, int]]] = weakref.WeakKeyDictionary()

    def number(self, tool: str, calls: Iterator[int], place: PlaceInTurn) -> int:
        """The number that is kept for a call of the tool at this place, or its next where that was given already."""
        tools = place.turn.tools
        # A call of another tool in the same context, for instance by the tool that the model called.
        if place.tool != tool:
            return next(calls)
        with self._lock:
            kept = self._kept.get(place.turn)
            if kept is None:
                kept = self._kept[place.turn] = {}
                # The order of the turn decides who is first in a group, not which of its threads runs first.
                for one in tools:
                    for group in self._groups:
                        if one in group:
                            self._victims.setdefault(group, one)
            if tool not in kept:  # nothing of a tool is fixed before it is called: it may yet be declared
                own = [index for index, one in enumerate(tools) if one == tool]
                # All calls of the tool in this turn get their numbers at once, so that threads cannot swap them.
                kept[tool] = {index: next(calls) for index in own}
            # A retry within the same place finds its number taken and counts as a new call.
            number = kept[tool].pop(place.index, None)
        return next(calls) if number is None else number
