"""The world of one episode: what has changed since it began, and a ledger of every effect.

Facts are module data of each domain and never change; what an episode changes lives here. The ledger is written where
things really happen, so it does not depend on what an agent was told.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from sealegs.faults.call import Effect

TODAY = "2026-03-02"
NOW = "2026-03-02T09:00:00"


class World:
    """State and ledger of one episode. It is Monday, 2 March 2026, 09:00, and no time passes.

    Args:
        on_effect: told each effect as it happens.
    """

    __slots__ = ("_call", "_on_effect", "_state", "effects")

    def __init__(self, on_effect: Callable[[Effect], None] | None = None) -> None:
        self.effects: list[Effect] = []
        self._state: dict[str, Any] = {}
        self._on_effect = on_effect
        self._call = ""

    def state(self, name: str) -> dict[str, Any]:
        """The changeable state under this name, empty at first. Names are `DOMAIN.THING` (`travel.bookings`)."""
        found: dict[str, Any] = self._state.setdefault(name, {})
        return found

    def effect(self, action: str, subject: str, **details: Any) -> None:
        """Enter into the ledger that something really happened.

        Two tools that do the same thing enter the same effect: it names what was done, not by which tool.
        """
        effect = Effect(action, subject, details, self._call)
        self.effects.append(effect)
        if self._on_effect is not None:
            self._on_effect(effect)

    def during(self, call: str) -> None:
        """Effects from now on are those of this call."""
        self._call = call

    def fork(self) -> World:
        """A copy whose changes and effects nobody sees."""
        other = World()
        other._state = copy.deepcopy(self._state)
        other.effects = list(self.effects)
        return other


def identifier(prefix: str, *parts: Any) -> str:
    """A name that looks drawn and is a function of its parts: equal deeds get equal ids, whichever tool did them."""
    text = "\x1f".join(str(part).strip().casefold() for part in parts)
    return f"{prefix}-{blake2b(text.encode(), digest_size=4).hexdigest().upper()}"
