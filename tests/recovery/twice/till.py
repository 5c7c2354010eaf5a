"""The tools' side of every way to play failures: what was tried, what was done, and what is declared of each tool.

A tool is named by what is declared of it (`LEVELS`), and a call by tool and failure (`acts-17`). Each run of a tool is
noted as tried and, if it has its effect, as done, and then fails. Only the standard library is needed here, because
servers import this in processes of their own.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

LEVELS: Mapping[str, str] = {  # what is declared of the tool, and what the tool is
    "undeclared": "nothing",
    "acts": "it acts",
    "reads": "it changes nothing, which is true",
    "idempotent": "a second identical call changes nothing, which is true",
    "keyed": "its parameter for a key, by which it knows repetitions",
    "verified": "the read that shows what it did",
    "verified_before": "the same; its first run fails before the work, each later one after it",
}
REPEATED = ("reads", "idempotent", "keyed", "verified_before")  # where a repetition is harmless
NEVER = ("undeclared", "acts", "verified")  # where one never is
Way = Literal["tried", "done"]
WIRE, MADE = "wire", "made"  # another tool that could do the same, and the read


def call_id(level: str, place: int) -> str:
    """The id of a call: its tool, and the place of the failure."""
    return f"{level}-{place}"


def level_and_place(id: str) -> tuple[str, int]:
    """What an id is made of."""
    level, _, place = id.rpartition("-")
    return level, int(place)


@dataclass
class Tally:
    """What came of calls, by id: how often each was tried and done, and how many were shown as failed."""

    tried: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    failed: int = 0

    def doubled(self, ids: Iterable[str]) -> list[str]:
        """The calls with more than one effect."""
        return [id for id in ids if self.done[id] > 1]

    def repeated(self, ids: Iterable[str]) -> list[str]:
        """The calls that were made again, or by another tool."""
        return [id for id in ids if self.tried[id] > 1]

    def without_effect(self, ids: Iterable[str]) -> list[str]:
        """The calls that had none, or had one although their tool only reads."""
        return [id for id in ids if (self.done[id] == 0) == (level_and_place(id)[0] != "reads")]


class Till:
    """What the tools do.

    Args:
        note: is told each thing that happens, at once.
    """

    def __init__(self, note: Callable[[str, Way], None] | None = None) -> None:
        self.tally = Tally()
        self._note = note
        self._tokens: set[str] = set()
        self._lock = threading.Lock()

    def pay(self, id: str, token: str = "") -> None:
        """Do the work of a call, by the rule of its tool. The caller then fails."""
        level, _ = level_and_place(id)
        with self._lock:
            first = not self.tally.tried[id]
            self._happened(id, "tried")
            before = level == "verified_before" and first
            known = (level == "idempotent" and self.tally.done[id]) or (level == "keyed" and token in self._tokens)
            if level == "reads" or before or known:
                return
            if token:
                self._tokens.add(token)
            self._happened(id, "done")

    def wire(self, id: str) -> dict[str, str]:
        """Do the same by another tool, and answer."""
        with self._lock:
            self._happened(id, "tried")
            self._happened(id, "done")
        return {"id": "wired"}

    def made(self, id: str) -> dict[str, Any]:
        """List what a call did."""
        return {"entries": [{"id": id, "path": "/" + id.replace("-", "/")}] * self.tally.done[id]}

    def _happened(self, id: str, way: Way) -> None:
        (self.tally.tried if way == "tried" else self.tally.done)[id] += 1
        if self._note is not None:
            self._note(id, way)


def noted_in(file: Path) -> Callable[[str, Way], None]:
    """Note each thing in a line of a file, which outlives the process."""
    ledger = file.open("a", encoding="utf-8", buffering=1)
    return lambda id, way: print(id, way, file=ledger)


def tally_in(file: Path) -> Tally:
    """What a file of `noted_in` says."""
    tally = Tally()
    for line in file.read_text(encoding="utf-8").splitlines():
        id, way = line.split()
        (tally.tried if way == "tried" else tally.done)[id] += 1
    return tally


def plan(tools: Mapping[str, Mapping[str, Any]], *, longest: float, given: str = "id") -> dict[str, Any]:
    """The recovery plan of all ways: no circuit opens, and no budget ends.

    Args:
        tools: what is declared of tools besides the key and the reads, where the way has no marks of its own for it.
        longest: seconds that a wait may take, so that a way on a real clock never waits for long.
        given: the argument that names the call.
    """
    named = {given: {"given": given}}
    found = {"entries": "entries", "where": named}
    verify = {"tool": MADE, "arguments": named, "done": found, "answer": {"id": {"entry": given}}, "settles": 0}
    known: dict[str, Mapping[str, Any]] = {
        "keyed": {"effects": True, "key": "token"},
        "verified": {"effects": True, "verify": verify},
        "verified_before": {"effects": True, "verify": verify},
        MADE: {"effects": False},
    }
    pace = {"base": min(0.001, longest), "longest": longest}
    step = {"tool": WIRE, "arguments": named}
    return {
        "policies": ["parse", "mend_arguments", "read_on", {"retry": pace}, {"verify": pace}, "switch", "stop"],
        "budget": {"calls": 10**9, "seconds": 10**9},
        "tools": {**known, **tools},
        "alternatives": [
            {"tool": level, "steps": [step], "answer": {"id": {"step": 0, "path": "id"}}}
            for level in LEVELS
            if level != "reads"  # it may be replaced, by an action that nobody wanted
        ],
    }
