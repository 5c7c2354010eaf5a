"""The order of the calls that a model asks for at once, for rules that count calls.

A framework may run such calls side by side; which of them arrives first is then a matter of time. Where the order in
which the model asked is known, the numbers of the calls are kept for them: the third requested call is the
third, whenever it arrives. Calls that no turn announces are numbered as they arrive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
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
