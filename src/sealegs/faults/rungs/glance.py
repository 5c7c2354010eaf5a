"""Rules that find faults in an answer at a glance, and know no tool.

A value is empty; the inside of a server shows; a field that has an argument's name says something else than the
argument; a number lies outside what its field's name allows (a negative price, a latitude of 120). The rules see the
call's arguments and the answer alone. What they do not cover: general knowledge (a capital, a time zone), and whatever
takes two values to see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from sealegs.faults import paths
from sealegs.faults.invariants import leaking, roughly_equal
from sealegs.faults.invariants.invariant import number

DATE = re.compile(r"\d{4}-\d\d-\d\d")
WORDS = re.compile(r"[a-z]+")
UNSIGNED = frozenset(
    {"price", "cost", "fee", "fare", "count", "quantity", "pieces", "people", "guests", "travellers", "employees"}
    | {"km", "kg", "kwh", "weight", "width", "height", "length", "distance", "capacity", "humidity", "stars"}
    | {"minutes", "seconds", "hours", "nights", "months", "years", "population"}
    | {"rooms", "seats", "pages", "copies", "packs", "sheets"}
)
SIGNED = frozenset(
    {"delta", "change", "difference", "balance", "left", "from", "until", "offset", "overdue", "saving", "savings"}
    | {"slack", "gap", "net", "remaining", "shift"}
)
LIMITS: Mapping[str, tuple[float, float]] = {
    "latitude": (-90, 90),
    "longitude": (-180, 180),
    "celsius": (-90, 60),
    "fahrenheit": (-130, 140),
    "percent": (-100, 1000),
    "humidity": (0, 100),
    "stars": (0, 7),
}
MOST_NAMES = 1024  # of fields, of which it is kept what they allow


def glance(arguments: Mapping[str, Any], output: Any) -> tuple[str, ...]:
    """The findings at a glance, each as `PATH: finding`; empty where no rule finds anything.

    Args:
        arguments: what the tool was called with.
        output: what it answered.
    """
    return tuple(_findings(arguments, output))


def _findings(arguments: Mapping[str, Any], output: Any) -> Iterator[str]:
    leak = leaking(output)
    if leak is not None:
        yield f"{leak}: the inside of a server shows"
    if isinstance(output, Mapping):
        for name, value in output.items():
            if name in arguments and _differs(arguments[name], value):
                yield f"{name}: is not what was asked for"
    for path, value in paths.leaves(output):
        name = _named(path)
        if value is None or value == "":
            if arguments.get(name, "") not in (None, ""):
                continue  # which is a difference from the argument, found above
            yield f"{path}: is empty"
        elif number(value) and not _possible(name, value):
            yield f"{path}: {value} is impossible"


def _differs(wanted: Any, answered: Any) -> bool:
    if isinstance(wanted, (Mapping, list, tuple)) or isinstance(answered, (Mapping, list, tuple)) or wanted is None:
        return False
    if isinstance(wanted, str) and isinstance(answered, str) and DATE.match(wanted) and DATE.match(answered):
        # A day and a moment of that day do not contradict each other.
        size = min(len(wanted), len(answered))
        return wanted[:size] != answered[:size]
    return not roughly_equal(wanted, answered)


def _possible(name: str, value: float) -> bool:
    limits, unsigned = _allowed(name)
    return not (unsigned and value < 0) and all(low <= value <= high for low, high in limits)


# Fields have the same few names in answer after answer.
@lru_cache(maxsize=MOST_NAMES)
def _named(path: str) -> str:
    """The last name in a path that is not a place in a list."""
    return next((key for key in reversed(path.split(".")) if not key.isdigit()), "")


@lru_cache(maxsize=MOST_NAMES)
def _allowed(name: str) -> tuple[tuple[tuple[float, float], ...], bool]:
    """The limits of a number in a field of this name, and whether it is never negative."""
    words = frozenset(WORDS.findall(name.lower()))
    return tuple(limit for word, limit in LIMITS.items() if word in words), bool(
        words & UNSIGNED
    ) and not words & SIGNED
