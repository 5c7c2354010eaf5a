"""Running the ways to answer a query before their functions have names, with any later call's check of arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sealegs.faults.call import Failure
from sealegs.world.sql.binding import bind_arguments
from sealegs.world.sql.database import Database, QueryFailed, QueryResult, same_rows
from sealegs.world.sql.parameter import Parameter
from sealegs.world.sql.parametrised_queries import QueryParameter
from sealegs.world.sql.solving import EarlierRows, FunctionUse, Way


def run_way(database: Database, way: Way) -> list[QueryResult]:
    """The answer of each call of a way; empty where one of them is refused."""
    found: list[QueryResult] = []
    for use in way:
        answer = _called(database, use, _values(use, found))
        if answer is None:
            return []
        found.append(answer)
    return found


def earlier_calls_matter(database: Database, way: Way, run: Sequence[QueryResult]) -> bool:
    """Return whether each list of rows that the last call of a way is given makes a difference to its answer.

    A list that is empty makes none, and neither does one without which the answer is the same.

    Args:
        database: on which it was run.
        way: the calls.
        run: what each of them answered.
    """
    last, values = way[-1], _values(way[-1], run)
    for name in [name for name, value in last.arguments.items() if isinstance(value, EarlierRows)]:
        without = _called(database, last, {**values, name: []})
        if without is not None and same_rows(without.rows, run[-1].rows, ordered=True):
            return False
    return all(one.rows for one in run)


def parameter(slot: QueryParameter) -> Parameter:
    """A slot as a parameter of a function, described by rule."""
    if slot.type == "values":
        return Parameter(slot.name, "values", description="the values to work on; rows of one cell will do")
    if slot.type == "rows":
        return Parameter(slot.name, "rows", description=f"the rows to work on, of {slot.width} cells", width=slot.width)
    words = {"integer": "a whole number", "number": "a number"}.get(slot.type, "a text")
    if slot.pattern:
        words = "a text to look for" if slot.key[0] == "part" else "a pattern; % stands for any text"
    if slot.column is not None:
        words += f", as in the {slot.column.words} of the {slot.column.table_words}"
    plain = slot.column if slot.column is not None and not slot.pattern else None
    of = (plain.table, plain.name) if plain is not None else ()
    return Parameter(slot.name, "value", (slot.type,), words, column=of)


def _values(use: FunctionUse, found: Sequence[QueryResult]) -> dict[str, Any]:
    return {
        name: found[value.of].as_lists() if isinstance(value, EarlierRows) else value
        for name, value in use.arguments.items()
    }


def _called(database: Database, use: FunctionUse, values: Mapping[str, Any]) -> QueryResult | None:
    """The answer of a call; None where it is refused."""
    ready = bind_arguments([parameter(slot) for slot in use.function.slots], values)
    if isinstance(ready, Failure):
        return None
    try:
        return database.run(use.function.sql, ready)
    except QueryFailed:
        return None
