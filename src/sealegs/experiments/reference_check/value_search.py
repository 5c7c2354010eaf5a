"""The source of a value: the task's text, an earlier answer, a text that holds it, or two values that make it.

Values are compared as the judge compares them. A value that many things have (a truth value, a small whole number, a
short text) counts as copied only from a field of the argument's own name. It does not see a value that was worked out
from more than two others, or put into other words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from sealegs.experiments.reference_check.clean_runs import SeenCall
from sealegs.experiments.reference_check.learned_reference import AnswerSource
from sealegs.faults import paths
from sealegs.scoring.matching import close
from sealegs.tasks.value_matching import contains_value, numbers

LONGEST = 40  # numbers of which pairs are tried
CENT = 0.0051  # how far a worked-out number may be off by rounding


def distinctive(value: Any) -> bool:
    """Return whether a value is unlikely to be in two places by chance."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, (int, float)):
        return abs(value) >= 10 or not float(value).is_integer() or value < 0
    return len(value) > 2 if isinstance(value, str) else bool(value)


def telling(values: Iterable[Any]) -> bool:
    """Return whether two tools that give all of these hardly do so by chance; a currency's code alone may be chance."""
    return any(
        distinctive(value)
        and (
            abs(value) >= 100 or not float(value).is_integer()
            if isinstance(value, (int, float))
            else len(value) >= 5 or any(sign.isdigit() for sign in value)
            if isinstance(value, str)
            else True
        )
        for value in values
    )


def is_prose(value: Any) -> bool:
    """Return whether a value is a text of several words, which is judged by the facts that it holds."""
    return isinstance(value, str) and len(value.split()) > 2


def parts_of(data: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every part of an answer with its path, the whole one and objects and lists too."""
    yield prefix, data
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, Mapping):
        inner = data.items()
    elif isinstance(data, (list, tuple)):
        inner = enumerate(data)
    for key, value in inner:
        if "." not in str(key):
            yield from parts_of(value, f"{prefix}.{key}" if prefix else str(key))


def given_by_task(request: str, value: Any) -> bool:
    """Return whether the task's text says a value."""
    if isinstance(value, (Mapping, list, tuple)):
        return bool(value) and all(given_by_task(request, leaf) for _, leaf in paths.leaves(value))
    return contains_value(request, value) or (isinstance(value, str) and bool(value) and value == request)


def copies(value: Any, name: str, calls: Iterable[SeenCall]) -> dict[AnswerSource, None]:
    """The places of these answers that hold the value, in the order of the calls.

    Args:
        value: what is looked for.
        name: of the argument that has it; empty for a value of the final answer.
        calls: those whose answers were known.
    """
    sure = distinctive(value)
    found: dict[AnswerSource, None] = {}
    for call in calls:
        for path, held in parts_of(call.answer):
            leaf = path.split(".")[-1]
            if (sure or (name and leaf == name)) and same_kind(held, value) and close(held, value):
                found[AnswerSource(call.step, path)] = None
    return found


def same_kind(one: Any, other: Any) -> bool:
    """Return whether two values can be the same: numbers and texts differ, except where a text is a number."""
    if isinstance(one, (Mapping, list, tuple)) or isinstance(other, (Mapping, list, tuple)):
        return isinstance(one, Mapping) == isinstance(other, Mapping)
    return one is not None and other is not None and isinstance(one, bool) == isinstance(other, bool)


def contained(text: Any, request: str, calls: Iterable[SeenCall]) -> dict[AnswerSource, None]:
    """The places of these answers whose values a text holds, and the task's text does not; each value once."""
    found: dict[AnswerSource, None] = {}
    seen: list[Any] = []
    leaves = [leaf for _, leaf in paths.leaves(text)] if isinstance(text, (Mapping, list, tuple)) else [text]
    for call in calls:
        for path, held in paths.leaves(call.answer):
            # The first call that gave a value counts as its source: later ones repeat it.
            if not distinctive(held) or any(close(held, one) for one in seen) or given_by_task(request, held):
                continue
            if any(close(leaf, held) or (isinstance(leaf, str) and contains_value(leaf, held)) for leaf in leaves):
                found[AnswerSource(call.step, path)] = None
                seen.append(held)
    return found


def holders(value: Any, calls: Iterable[SeenCall]) -> dict[AnswerSource, None]:
    """The calls that answered with a text that says the value."""
    return {
        AnswerSource(call.step): None
        for call in calls
        if isinstance(call.answer, str) and distinctive(value) and contains_value(call.answer, value)
    }


def worked_out(value: Any, request: str, calls: Iterable[SeenCall]) -> tuple[AnswerSource, ...]:
    """Two places, or one and a number of the task, whose sum, difference, product or quotient is this number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not distinctive(value):
        return ()
    known: list[tuple[AnswerSource | None, float]] = []
    for call in calls:
        for path, held in paths.leaves(call.answer):
            if isinstance(held, (int, float)) and not isinstance(held, bool) and held not in (0, 1):
                known.append((AnswerSource(call.step, path), float(held)))
    # The pairs grow with the square, so long answers are cut; 0 and 1 would explain any number.
    known = [*known[:LONGEST], *((None, number) for number in numbers(request) if number not in (0, 1))]
    for (one, a), (other, b) in combinations(known, 2):
        results = [a * b, a + b, a - b, b - a, a / b if b else value + 1, b / a if a else value + 1]
        sources = tuple(dict.fromkeys(source for source in (one, other) if source is not None))
        if sources and any(abs(result - value) <= CENT for result in results):
            return sources
    return ()


def made_here(call: SeenCall, value: Any) -> bool:
    """Return whether a value is the tool's own, and not one that it was given and repeats."""
    return not any(close(leaf, value) for _, leaf in paths.leaves(dict(call.arguments)))
