"""Comparison of an agent's calls and answers with the right ones, by value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Effect, Value
from sealegs.tasks.reference import ExpectedStep
from sealegs.tasks.value_matching import contains_value, numbers
from sealegs.traces.record import Turn

KEPT = 4096  # texts held in memory in their plain form: a judge compares few with many
MOMENT = re.compile(r"^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(?::00(?:\.0+)?)?z?$")
TOLERANCE = 0.005  # a share: how far a number in an argument or an answer may be off by rounding


def close(left: Any, right: Any) -> bool:
    """Equality of JSON values for a judge.

    Numbers within a cent and `TOLERANCE`, also where one is written as text; text without case and outer space; moments
    whether or not they tell the seconds.
    """
    if type(left) is str and type(right) is str:  # most values are, and nothing else below concerns them
        return left == right or _plain(left) == _plain(right)
    # In Python True equals 1; as values of a tool they are not the same.
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, str) and isinstance(right, (int, float)):
        left = _number(left)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        # Both limits at once; a little over a cent, since amounts a cent apart differ by more than 0.01 as floats.
        return abs(left - right) <= max(1e-9, min(0.0101, TOLERANCE * abs(right)))
    if isinstance(left, str) and isinstance(right, str):
        return _plain(left) == _plain(right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(close(left[key], right[key]) for key in left)
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(close, left, right))
    return bool(left == right)


class Values:
    """Values of which each is kept once: `value in values` says whether `close(value, one)` holds for any of them."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._texts: set[str] = set()
        self._numbers: set[float] = set()
        self._others: list[Any] = []
        self.add(values)

    def add(self, values: Iterable[Any]) -> None:
        """Take more values in."""
        for value in values:
            if isinstance(value, str):
                self._texts.add(_plain(value))
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                self._numbers.add(value)
            else:
                self._others.append(value)

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, str) and _plain(value) in self._texts:
            return True
        number = _number(value) if isinstance(value, str) else value
        if isinstance(number, (int, float)) and any(close(number, one) for one in self._numbers):
            return True
        return any(close(value, one) for one in self._others)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@lru_cache(maxsize=KEPT)
def _plain(text: str) -> str:
    return MOMENT.sub(r"\1 \2", " ".join(text.split()).casefold())


def right_arguments(given: Mapping[str, Any], expected: ExpectedStep) -> bool:
    """Return whether a call's arguments are those of the step done right; ones left out count with their defaults."""
    names = given.keys() | expected.arguments.keys()
    return all(_right_argument(name, given, expected) for name in names)


def _right_argument(name: str, given: Mapping[str, Any], expected: ExpectedStep) -> bool:
    if name not in expected.arguments or (name not in given and name not in expected.defaults):
        return False
    value, right = given.get(name, expected.defaults.get(name)), expected.arguments[name]
    if name in expected.free_text:
        return same_facts(str(value), str(right))
    return close(value, right)


def same_facts(text: str, right: str) -> bool:
    """Return whether prose contains every number and every name or code that the right prose contains."""
    if right.strip() and not text.strip():
        return False
    codes = set(re.findall(r"\b[A-Z][\w-]*\d[\w-]*\b", right))
    return all(contains_value(text, number, TOLERANCE) for number in numbers(right)) and all(
        contains_value(text, code) for code in codes
    )


def right_turn(
    turn: Turn, expected: ExpectedStep, read: tuple[str, ...] = (), earlier: tuple[Effect, ...] = ()
) -> bool:
    """Return whether the call did its step: what the tool itself returned was shown, and the call was the right one.

    A call with other arguments is as right where it comes to the same: the fields that others read (`read`) and the
    effects are those of the step, and its prose tells the same facts. `earlier` are effects that calls of the tool
    before this one left.
    """
    if not isinstance(turn.shown, Value) or turn.said != turn.shown or is_corrupted(turn):
        return False
    return right_arguments(turn.call.arguments, expected) or _comes_to_the_same(turn, expected, read, earlier)


def is_corrupted(turn: Turn) -> bool:
    """Return whether what looks like data differs from what the tool returned, or the tool did not do what it reported.

    An answer that recovery put right again is what the tool returned.
    """
    injections = [injection for injection in turn.injections if injection.implicit and injection.delivered]
    repaired = turn.said is not None and turn.shown == turn.said
    # A tool that never ran did not do what the answer reports, however right the answer looks (`silent_noop`).
    return any((injection.shown != injection.said and not repaired) or injection.runs == 0 for injection in injections)


def _comes_to_the_same(turn: Turn, expected: ExpectedStep, read: tuple[str, ...], earlier: tuple[Effect, ...]) -> bool:
    prose = expected.free_text & expected.arguments.keys()
    return (
        bool(read)
        and isinstance(turn.shown, Value)
        and all(close(paths.values_at(turn.shown.value, p), paths.values_at(expected.output, p)) for p in read)
        and all(_right_argument(name, turn.call.arguments, expected) for name in prose)
        and same_effects([*earlier, *turn.effects], list(expected.effects))
    )


def same_effects(done: list[Effect], wanted: list[Effect]) -> bool:
    """Return whether two ledgers hold the same deeds, each as often, in any order."""
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
    """Return whether two entries of a ledger are the same deed; prose in it counts by its facts."""
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
