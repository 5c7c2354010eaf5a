"""Whether what an agent did and said is right, by value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sealegs.faults.call import Effect, Value
from sealegs.tasks.reference import Expected
from sealegs.tasks.wording import numbers, says
from sealegs.traces.record import Turn

TOLERANCE = 0.005  # a share: how far a number in an argument or an answer may be off by rounding


def close(left: Any, right: Any) -> bool:
    """Equality of JSON values for a judge: numbers within `TOLERANCE` or a cent, text without case and outer space."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return abs(left - right) <= max(0.0101, TOLERANCE * abs(right))
    if isinstance(left, str) and isinstance(right, str):
        return " ".join(left.split()).casefold() == " ".join(right.split()).casefold()
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(close, left, right))
    return bool(left == right)


def right_arguments(given: Mapping[str, Any], expected: Expected) -> bool:
    """Whether a call's arguments are those of the step done right; arguments left out count with their defaults."""
    names = given.keys() | expected.arguments.keys()
    return all(_right_argument(name, given, expected) for name in names)


def _right_argument(name: str, given: Mapping[str, Any], expected: Expected) -> bool:
    if name not in expected.arguments or (name not in given and name not in expected.defaults):
        return False
    told, right = given.get(name, expected.defaults.get(name)), expected.arguments[name]
    if name in expected.free_text:
        return same_facts(str(told), str(right))
    return close(told, right)


def same_facts(text: str, right: str) -> bool:
    """Whether prose contains every number and every name or code that the right prose contains."""
    codes = {word for word in re.findall(r"\b[A-Z][\w-]*\d[\w-]*\b", right)}
    return all(says(text, number, TOLERANCE) for number in numbers(right)) and all(says(text, code) for code in codes)


def right_turn(turn: Turn, expected: Expected) -> bool:
    """Whether the call did its step: right arguments, and the tool's own answer shown as it was."""
    honest = (
        isinstance(turn.shown, Value)
        and turn.said == turn.shown
        and not any(s.implicit and s.delivered for s in turn.strikes)
    )
    return honest and right_arguments(turn.call.arguments, expected)


def same_effects(done: list[Effect], wanted: list[Effect]) -> bool:
    """Whether two ledgers hold the same deeds, each as often, in any order."""
    if len(done) != len(wanted):
        return False
    left = list(wanted)
    for effect in done:
        found = next((other for other in left if same_effect(effect, other)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def same_effect(one: Effect, other: Effect) -> bool:
    """Whether two entries of a ledger are the same deed; prose in it counts by its facts."""
    if (
        one.action != other.action
        or not close(one.subject, other.subject)
        or one.details.keys() != other.details.keys()
    ):
        return False
    return all(_same_detail(one.details[key], other.details[key]) for key in one.details)


def _same_detail(one: Any, other: Any) -> bool:
    prose = isinstance(one, str) and isinstance(other, str) and len(other.split()) > 4
    return same_facts(one, other) if prose else close(one, other)
