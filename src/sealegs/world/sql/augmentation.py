"""The same question about other values.

A value that stands in the question word for word is replaced, there and in the calls, by another value of the column
that it is compared with. What the answer then is, and whether it makes a problem, is decided by running it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sealegs.faults.seeds import stream
from sealegs.world.sql.database import Database, QueryFailed
from sealegs.world.sql.pairs import Pair
from sealegs.world.sql.parametrised_queries import QueryParameter
from sealegs.world.sql.schema import Column
from sealegs.world.sql.solving import FunctionUse, Way

TRIED = 12
LONGEST = 60
MOST_VALUES = 2000


@dataclass(frozen=True)
class Variant:
    """A question with other values.

    Attributes:
        question: its text.
        replaced: the new value by the old one's text.
        ways: all ways, with the new values.
    """

    question: str
    replaced: Mapping[str, Any]
    ways: tuple[Way, ...]


def variants(pair: Pair, ways: Sequence[Way], database: Database, seed: int) -> Iterator[Variant]:
    """Up to `TRIED` variants of a question, all different, in an order that the seed and the question decide."""
    slots = replaceable(pair.question, ways[0][0])
    choices = [_others(slot, pair.question, database) for slot in slots]
    if not slots or not all(choices):
        return
    rng = stream("highwater", "variants", seed, pair.database, pair.question)
    for choice in choices:
        rng.shuffle(choice)
    seen: set[str] = set()
    for number in range(TRIED):
        new = {slot.key: choice[number % len(choice)] for slot, choice in zip(slots, choices, strict=True)}
        question = _reworded(pair.question, slots, new)
        # Two parameters with one new value could not be distinguished, as `replaceable` demands of the old ones.
        if question in seen or len(set(map(str, new.values()))) < len(new):
            continue
        seen.add(question)
        replaced = {str(slot.value): new[slot.key] for slot in slots}
        yield Variant(question, replaced, tuple(_with(way, new) for way in ways))


def replaceable(question: str, direct: FunctionUse) -> list[QueryParameter]:
    """The parameters whose value stands in the question exactly once, and is one of a column."""
    literals = [slot for slot in direct.function.slots if not slot.scratchpad]
    found = []
    for slot in literals:
        clear = sum(str(other.value).lower() == str(slot.value).lower() for other in literals) == 1
        once = len(_places(question, slot.value)) == 1 and len(_places(question.lower(), str(slot.value).lower())) == 1
        if slot.column is not None and not slot.pattern and clear and once:
            found.append(slot)
    return found


def _places(question: str, value: Any) -> list[re.Match[str]]:
    """The places in a text that have a value as a word of its own."""
    text = str(value)
    return list(re.finditer(rf"(?<![\w.]){re.escape(text)}(?!\w|\.\d)", question)) if text.strip() else []


def _others(slot: QueryParameter, question: str, database: Database) -> list[Any]:
    """Other values of a parameter's column, of its type, that could stand in the question."""
    assert slot.column is not None
    try:
        found = database.run(_values_of(slot.column)).rows
    except QueryFailed:
        return []
    text = question.lower()
    return [
        value
        for (value,) in islice(found, MOST_VALUES)
        if _fits(value, slot) and value != slot.value and not _places(text, _shown(value).lower())
    ]


def _values_of(column: Column) -> str:
    table, name = (text.replace('"', '""') for text in (column.table, column.name))
    return f'SELECT DISTINCT "{name}" FROM "{table}" ORDER BY 1'


def _fits(value: Any, slot: QueryParameter) -> bool:
    if slot.type == "string":
        plain = isinstance(value, str) and value == value.strip() and value.isprintable() and '"' not in value
        return plain and 0 < len(value) <= LONGEST
    if slot.type == "integer":
        return isinstance(value, int)
    return isinstance(value, (int, float))


def _reworded(question: str, slots: Sequence[QueryParameter], new: Mapping[tuple[str, str], Any]) -> str:
    """The question with the new values, from the last place to the first."""
    places = sorted(((_places(question, slot.value)[0], slot) for slot in slots), key=lambda item: -item[0].start())
    for place, slot in places:
        question = question[: place.start()] + _shown(new[slot.key]) + question[place.end() :]
    return question


def _shown(value: Any) -> str:
    """A value as a person writes it."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _with(way: Way, new: Mapping[tuple[str, str], Any]) -> Way:
    return tuple(
        FunctionUse(
            use.function,
            {slot.name: new.get(slot.key, use.arguments[slot.name]) for slot in use.function.slots},
        )
        for use in way
    )
