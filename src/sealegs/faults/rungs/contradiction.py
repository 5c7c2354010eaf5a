"""Contradictions between two answers of an episode: the same field of the same thing has two values.

Two records, each an object in an answer or the arguments of a call, are of the same thing if one value that names it
is in both: a code, an address of mail. Then fields of the same name must agree. The rule knows no tool; it sees what
earlier calls asked and were answered. It misses fields that mean the same under other names, things that are named by
words alone, and figures that follow from several answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.faults.invariants import roughly_equal
from sealegs.faults.invariants.invariant import number

NAMING = re.compile(r"(?:(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_-]{3,}|[\w.+-]+@[\w-]+\.[\w.]+)$")
PASSING = frozenset(["status", "state"])  # what a thing is in for a while
DATED = re.compile(r"\d{4}-\d\d-\d\d|[0-2]?\d:[0-5]\d")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A call and its answer."""

    arguments: Mapping[str, Any]
    output: Any


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two values of one field of one thing: what names the thing, the field, what was said before, what is said now."""

    thing: str
    field: str
    before: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.field} of {self.thing} is {self.now!r}, and was {self.before!r}"


def contradictions(earlier: Iterable[Exchange], now: Exchange) -> tuple[Contradiction, ...]:
    """Contradictions between an answer and earlier answers.

    Args:
        earlier: the calls before it that were answered.
        now: the call and its answer.
    """
    new = list(_records(now))
    found = dict.fromkeys(
        one
        for call in earlier
        for old in _records(call)
        for record in new
        if _agreed(call.arguments, record) and _agreed(now.arguments, old)
        for one in _between(old, record)
        if one.field not in now.arguments and one.field not in call.arguments
    )
    return tuple(found)


def _agreed(wanted: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    """Return whether a record agrees with all that was asked for; one of another quantity or day is no other value."""
    return all(_agree(wanted[name], record[name]) for name in wanted.keys() & record.keys())


def _between(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Contradiction]:
    named = _names(old) & _names(new)
    if not named:
        return
    thing = min(named)
    for field in sorted((old.keys() & new.keys()) - PASSING):
        before, now = old[field], new[field]
        # A number in one answer and a text in the other may be the same value in two forms.
        if number(before) == number(now) and not _agree(before, now):
            yield Contradiction(thing, field, before, now)


def _names(record: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(
        value for value in record.values() if isinstance(value, str) and NAMING.match(value) and not DATED.match(value)
    )


def _agree(before: Any, now: Any) -> bool:
    if isinstance(before, str) and isinstance(now, str) and DATED.match(before) and DATED.match(now):
        size = min(len(before), len(now))
        return before[:size] == now[:size]
    return roughly_equal(before, now, 0.0005)


def _records(call: Exchange) -> Iterator[Mapping[str, Any]]:
    """The objects in a call's answer with their own scalars; what was asked belongs to the outermost one."""
    arguments = {name: value for name, value in call.arguments.items() if _scalar(value)}
    if isinstance(call.output, Mapping):
        yield {**arguments, **{name: value for name, value in call.output.items() if _scalar(value)}}
        for value in call.output.values():
            yield from _inner(value)
    else:
        yield arguments
        yield from _inner(call.output)


def _inner(data: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, Mapping):
        yield {name: value for name, value in data.items() if _scalar(value)}
    if isinstance(data, (Mapping, list, tuple)):
        for value in data.values() if isinstance(data, Mapping) else data:
            yield from _inner(value)


def _scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and value != ""
