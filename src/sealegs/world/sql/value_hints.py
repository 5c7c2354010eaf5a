"""Hints of a function that finds nothing: the given values that are not there, and those that are perhaps meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from sealegs.world.sql.database import Database, QueryFailed
from sealegs.world.sql.function_library import Library, SqlFunction

LEAST = 0.5  # how similar two texts must be, by difflib
MOST_VALUES = 2000


def near_values(library: Library, function: SqlFunction, arguments: Mapping[str, Any]) -> str:
    """A sentence for each text among the arguments that its column does not hold; nothing where each is there.

    Args:
        library: of the function.
        function: found no row.
        arguments: what it was called with.
    """
    hints: list[str] = []
    for parameter in function.parameters:
        given = arguments.get(parameter.name)
        if not parameter.column or not isinstance(given, str):
            continue
        values = _values(library.database(function.database), *parameter.column)
        if values and given not in values:
            near = _nearest(given, values)
            hints.append(f"Could not find entry {given!r}." + (f" Did you mean {near!r}?" if near else ""))
    return " ".join(hints)


def _nearest(given: str, values: Sequence[str]) -> str:
    """The value that is most like a text, whatever their case; empty where none is."""
    folded = {value.casefold(): value for value in reversed(values)}
    return next((folded[one] for one in get_close_matches(given.casefold(), folded, n=1, cutoff=LEAST)), "")


def _values(database: Database, table: str, column: str) -> list[str]:
    table, column = (name.replace('"', '""') for name in (table, column))
    try:
        found = database.run(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1 LIMIT {MOST_VALUES}').rows
    except QueryFailed:
        return []
    return [value for (value,) in found if isinstance(value, str)]
