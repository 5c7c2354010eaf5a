"""Values that can be had although a call failed: its step counts then, if the agent used the right ones.

A fault may break one field of an answer and leave the same value in another ("total" is false, "running_total" is
right), or leave what it is worked out from; and a sum that a dead tool would have worked out can be worked out
without it. An agent that does so does right work. Whether a value can be had is decided by rule: it is written
elsewhere in what the agent was shown, or it is one step of arithmetic away from that. What the rules do not see, such
as a value that takes two steps to work out, does not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import permutations
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.scoring.case import Case
from sealegs.scoring.matching import close, right_arguments, same_effects
from sealegs.scoring.task_progress import Move, TaskProgress, read_fields
from sealegs.tasks.value_matching import contains_value, numbers

MOST_NUMBERS = 80  # of an answer with more, the first are tried: each pair of them is
SHORT = 3  # letters; a shorter word is in many texts by chance


def salvaged_steps(case: Case, way: TaskProgress) -> frozenset[str]:
    """The steps that were called rightly, had their effects, and failed, and what others read of them could be had."""
    read = read_fields(case.task)
    known: list[Any] = [case.task.request]
    found: set[str] = set()
    for move in way.moves:
        shown = move.turn.shown.value if isinstance(move.turn.shown, Value) else None
        if move.step is not None and move.step.id not in way.done and move.failed:
            # The answer itself comes first: of many numbers only the first are tried.
            pool = [*([] if shown is None else [shown]), dict(move.turn.call.arguments), *reversed(known)]
            if _still_given(move, case, read.get(move.step.id, ()), pool):
                found.add(move.step.id)
        known += [dict(move.turn.call.arguments)] + ([shown] if shown is not None else [])
    return frozenset(found)


def _still_given(move: Move, case: Case, read: Sequence[str], pool: Sequence[Any]) -> bool:
    assert move.step is not None
    expected = case.reference.steps[move.step.id]
    if not read or not right_arguments(move.turn.call.arguments, expected):
        return False
    # Values alone do not make up for an action that was not done, or done otherwise.
    if not same_effects(list(move.turn.effects), list(expected.effects)):
        return False
    wanted = [value for path in read for value in paths.values_at(expected.output, path)]
    return all(can_be_had(value, pool) for value in wanted)


def can_be_had(value: Any, shown: Iterable[Any]) -> bool:
    """Return whether a value is in what was shown, or one step of arithmetic away from it.

    Args:
        value: a scalar, or a list or mapping all of whose scalars must be had.
        shown: answers, arguments and texts.
    """
    shown = list(shown)
    leaves = [leaf for one in shown for _, leaf in paths.leaves(one)]
    return all(_written(one, leaves) or _derived(one, leaves, shown) for _, one in paths.leaves(value))


def _written(value: Any, leaves: Sequence[Any]) -> bool:
    if any(close(leaf, value) for leaf in leaves):
        return True
    distinct = not isinstance(value, str) or len(value) >= SHORT
    return distinct and any(isinstance(leaf, str) and contains_value(leaf, value) for leaf in leaves)


def _derived(value: Any, leaves: Sequence[Any], shown: Sequence[Any]) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    amounts = [leaf for leaf in leaves if isinstance(leaf, (int, float)) and not isinstance(leaf, bool)]
    amounts += [number for leaf in leaves if isinstance(leaf, str) for number in numbers(leaf)]
    amounts = list(dict.fromkeys(amounts))[:MOST_NUMBERS]
    if isinstance(value, (int, float)):
        # An agent rounds a result to the digits of the field that it replaces.
        digits = len(str(value).partition(".")[2])
        results = (*_results(amounts), *_totals(shown))
        return any(round(result, digits) == value for result in results)
    if not isinstance(value, str):
        return False
    days = {known for leaf in leaves if isinstance(leaf, str) and (known := _moment(leaf)) is not None}
    if any(value in (day.date().isoformat(), day.strftime("%H:%M")) for day in days):
        return True  # the day or the time of a moment
    moment = _moment(value)
    if moment is None:
        return False
    # Beyond 1e5 a number is not a span, and `timedelta` and dates overflow with great ones.
    steps = [timedelta(**{unit: n}) for n in amounts if abs(n) < 1e5 for unit in ("minutes", "hours", "days")]
    return any(day + step == moment or day - step == moment for day in days for step in steps)


def _results(amounts: Sequence[float]) -> Iterator[float]:
    """The sums, differences, products and quotients of two numbers."""
    for one, other in permutations(amounts, 2):
        yield from (one + other, one - other, one * other)
        if other:
            yield one / other


def _totals(shown: Sequence[Any]) -> Iterator[float]:
    """The totals of all numbers of one column of a list: their sum, count and mean."""
    for one in shown:
        columns: dict[str, list[float]] = {}
        for path, leaf in paths.leaves(one):
            # Only with a place in its path is a number an entry of a list, and so part of a column.
            if isinstance(leaf, (int, float)) and not isinstance(leaf, bool) and re.search(r"\d", path):
                columns.setdefault(re.sub(r"\d+", "*", path), []).append(leaf)
        for column in columns.values():
            yield from (sum(column), float(len(column)), sum(column) / len(column))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None
