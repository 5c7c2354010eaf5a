"""All ways to answer a query with functions: at once, or subquery by subquery.

A subquery that stands alone can be taken out: its rows go into a scratchpad, from which the rest reads them. The rest
may have further subqueries, and the subquery too, so the ways are found by taking them out one at a time. At most
`MOST` ways of a query are kept, the simplest first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from sqlglot import exp

from sealegs.world.sql.parametrised_queries import Parametrised, mark, parametrise
from sealegs.world.sql.parsing import Tree, reads_scratchpad, sql_of, subqueries
from sealegs.world.sql.schema import Schema

MOST = 12

Columns = Callable[[Parametrised], Sequence[str] | None]
"""The names of a query's columns; None where SQLite cannot prepare it, because it does not stand alone."""


@dataclass(frozen=True)
class EarlierRows:
    """An argument: the rows that an earlier call of the same way answered.

    Attributes:
        of: the call's place in the way, from 0.
    """

    of: int


@dataclass(frozen=True)
class FunctionUse:
    """A call of a function in a way.

    Attributes:
        function: the parametrised query.
        arguments: values, or rows of earlier calls, by parameter.
    """

    function: Parametrised
    arguments: Mapping[str, Any]


Way = tuple[FunctionUse, ...]


@dataclass(frozen=True)
class _Open:
    """A query from which subqueries were taken: its tree with marks, and what each mark stands for."""

    tree: Tree
    taken: Mapping[str, tuple[Tree, int]]

    @property
    def name(self) -> str:
        """The same for the same parts, in whatever order they were taken out."""
        text = sql_of(self.tree)
        # The last first: what was taken out later may hold marks of what was taken out before.
        for key, (query, _) in sorted(self.taken.items(), reverse=True):
            text = text.replace(f":{key}", f"<{sql_of(query)}>")
        return text


def ways(query: Tree, schema: Schema, columns: Columns) -> list[Way]:
    """Every way to answer a query, the direct one first.

    Args:
        query: a parsed query.
        schema: of its database.
        columns: tells the columns of a subquery, and whether it stands alone.
    """
    found: dict[str, Way] = {}
    for way in _ways(_Open(query, {}), schema, columns, {}):
        key = repr([(use.function.sql, sorted(use.arguments.items(), key=str)) for use in way])
        found.setdefault(key, way)
        if len(found) >= MOST:
            break
    return sorted(found.values(), key=len)


def _ways(query: _Open, schema: Schema, columns: Columns, seen: dict[str, None]) -> Iterator[Way]:
    if query.name in seen or len(seen) > 4 * MOST:
        return
    seen[query.name] = None
    yield from _closed(query, schema, columns)
    for place in range(len(subqueries(query.tree))):
        rest = _without(query, place, columns)
        if rest is not None:
            yield from _ways(rest, schema, columns, seen)


def _closed(query: _Open, schema: Schema, columns: Columns) -> Iterator[Way]:
    """The ways that end with this query as it is; they differ in how the rows for its scratchpads are found."""
    here = [str(node.name) for node in query.tree.find_all(exp.Placeholder)]
    function = parametrise(query.tree, schema, {key: width for key, (_, width) in query.taken.items()})
    makers = [list(_ways(_Open(query.taken[key][0], query.taken), schema, columns, {})) for key in dict.fromkeys(here)]
    for chosen in product(*makers):
        steps: list[FunctionUse] = []
        rows: dict[str, EarlierRows] = {}
        for key, way in zip(dict.fromkeys(here), chosen, strict=True):
            rows[key] = EarlierRows(_appended(steps, way))
        arguments = {slot.name: rows[slot.key[1]] if slot.scratchpad else slot.value for slot in function.slots}
        yield (*steps, FunctionUse(function, arguments))


def _appended(steps: list[FunctionUse], way: Way) -> int:
    """Add a way's calls to steps, none twice; the place of its last one."""
    places: list[int] = []
    for use in way:
        arguments = {
            k: EarlierRows(places[v.of]) if isinstance(v, EarlierRows) else v for k, v in use.arguments.items()
        }
        moved = FunctionUse(use.function, arguments)
        same = [n for n, s in enumerate(steps) if (s.function.sql, s.arguments) == (moved.function.sql, arguments)]
        if not same:
            steps.append(moved)
        places.append(same[0] if same else len(steps) - 1)
    return places[-1]


def _without(query: _Open, place: int, columns: Columns) -> _Open | None:
    """The query with one subquery taken out; None where that one does not stand alone."""
    tree = query.tree.copy()
    site = subqueries(tree)[place]
    inner = site.this
    if reads_scratchpad(inner):
        return None  # it is a scratchpad already
    plain = parametrise(inner, Schema("", {}), {key: width for key, (_, width) in query.taken.items()})
    names = columns(plain)
    if names is None:
        return None
    width = len(names)
    table = isinstance(site.parent, (exp.From, exp.Join))
    key = mark(len(query.taken))
    wide = width if table or width > 1 or isinstance(site, exp.Exists) else 0
    site.set("this", _scratchpad(key, names if table else (), wide))
    return _Open(tree, {**query.taken, key.name: (inner.copy(), wide)})


def _scratchpad(key: exp.Placeholder, names: Sequence[str], width: int) -> exp.Select:
    """A query that reads the rows in a scratchpad: a list of values (width 0), or a list of rows."""
    each = exp.Table(this=exp.Anonymous(this="json_each", expressions=[key]))
    value = exp.column("value")
    if not width:
        # A function's result, unlike the column itself, is compared by the other side's affinity.
        return exp.select(exp.func("COALESCE", value, exp.null())).from_(each)
    cells: list[Tree] = []
    for number in range(width):
        taken = exp.Anonymous(this="json_extract", expressions=[value.copy(), exp.Literal.string(f"$[{number}]")])
        cells.append(exp.alias_(taken, names[number], quoted=True) if names else taken)
    return exp.select(*cells).from_(each)


__all__ = ["Columns", "EarlierRows", "FunctionUse", "Way", "ways"]
