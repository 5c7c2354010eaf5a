"""The world of one episode: what has changed since it began, a ledger of every effect, and a journal of the calls.

Facts are module data of each domain and never change; what an episode changes lives here. The ledger is written where
things really happen, so it does not depend on what an agent was shown. The journal is what history tools show.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from sealegs.faults.call import Effect

TODAY = "2026-03-02"
NOW = "2026-03-02T09:00:00"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An entry of the journal: the work of one call of an action.

    Attributes:
        operation: the action.
        request: the arguments of the call, defaults included.
        status: whether all of it was done.
        effects: what was done.
        result: the whole answer; None while the call is partial.
    """

    operation: str
    request: Mapping[str, Any]
    status: Literal["completed", "partial"]
    effects: tuple[Effect, ...]
    result: Any = None

    def shown(self) -> dict[str, Any]:
        """The entry as a history tool shows it."""
        return {
            "operation": self.operation,
            "request": copy_json(self.request),
            "status": self.status,
            "done": [effect.action for effect in self.effects],
            "result": copy_json(self.result),
        }


class World:
    """State, ledger and journal of one episode. It is Monday, 2 March 2026, 09:00, and no time passes.

    Args:
        on_effect: called with each effect as it happens.

    Attributes:
        effects: the ledger.
        journal: one entry for each call of an action that was carried out, in the order of the calls; a repetition
            that had no effect adds none.
    """

    __slots__ = ("_call", "_made", "_on_effect", "_state", "effects", "journal")

    def __init__(self, on_effect: Callable[[Effect], None] | None = None) -> None:
        self.effects: list[Effect] = []
        self.journal: list[JournalEntry] = []
        self._made: list[tuple[str, str, Mapping[str, Any]]] = []
        self._state: dict[str, Any] = {}
        self._on_effect = on_effect
        self._call = ""

    @property
    def untouched(self) -> bool:
        """Whether nothing has happened in it: no state, no effect, no entry, none under way."""
        return not (self.effects or self.journal or self._made or any(self._state.values()))

    def state(self, name: str) -> dict[str, Any]:
        """The changeable state under this name, empty at first. Names are `DOMAIN.THING` (`travel.bookings`)."""
        found: dict[str, Any] = self._state.setdefault(name, {})
        return found

    def effect(self, action: str, subject: str, **details: Any) -> None:
        """Enter into the ledger that something really happened.

        Two tools that do the same thing enter the same effect: it names what was done, not by which tool.
        """
        if self._made and (action, subject, details) in self._made:
            self._made.remove((action, subject, details))
            return
        effect = Effect(action, subject, details, self._call)
        self.effects.append(effect)
        if self._on_effect is not None:
            self._on_effect(effect)

    def during(self, call: str) -> None:
        """Effects from now on are those of this call."""
        self._call = call

    def resuming(self, made: Sequence[Effect]) -> None:
        """Do not enter these effects again from now on, which an earlier call made."""
        self._made = [(effect.action, effect.subject, effect.details) for effect in made]

    def enter(self, entry: JournalEntry) -> None:
        """Enter what a call did into the journal, in the place of what it left unfinished before."""
        begun = self.begun(entry.operation, entry.request)
        if begun is None:
            self.journal.append(entry)
        else:
            self.journal[self.journal.index(begun)] = entry

    def begun(self, operation: str, request: Mapping[str, Any]) -> JournalEntry | None:
        """The entry of a call like this of which only a part was done."""
        unfinished = (entry for entry in self.journal if entry.status == "partial" and entry.operation == operation)
        return next((entry for entry in unfinished if entry.request == request), None)

    def fork(self) -> World:
        """A copy whose changes and effects nobody sees."""
        other = World()
        other._state = copy.deepcopy(self._state)
        other.effects = list(self.effects)
        other.journal = list(self.journal)
        return other


def copy_json(data: Any) -> Any:
    """JSON-like data of its own, which later changes of the original do not reach."""
    if isinstance(data, dict):
        return {key: copy_json(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [copy_json(value) for value in data]
    return data


def identifier(prefix: str, *parts: Any) -> str:
    """A name that looks drawn and is a function of its parts: equal deeds get equal ids, whichever tool did them."""
    text = "\x1f".join(str(part).strip().casefold() for part in parts)
    return f"{prefix}-{blake2b(text.encode(), digest_size=4).hexdigest().upper()}"
