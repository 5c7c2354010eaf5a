"""Queries with their literals taken out: the parametrised SQL, and what was in each place.

Depth first, each literal becomes a parameter, equal literals of a query the same one. A number after LIMIT or OFFSET
stays, and so does what belongs to the formula: a column's place in ORDER BY or GROUP BY, a constant column, a
function's fixed arguments (formats, digits), the labels of CASE. `LIKE '%x%'` keeps its percent signs and gives `x`.
Where a subquery was taken out, a parameter holds its rows: the scratchpad.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from sealegs.world.sql.parsing import MARK, Tree, column_of, sql_of
from sealegs.world.sql.schema import Column, Schema

PREFIX = "arg_"
LARGEST = 2**63


@dataclass(frozen=True)
class QueryParameter:
    """A parameter of a parametrised query.

    Attributes:
        name: `arg_0`, `arg_1`, ... depth first.
        key: what was in its place: a literal's type and text, or a scratchpad's mark.
        type: the JSON type of the value: `integer`, `number`, `string`, `any`; `values` or `rows` of a scratchpad.
        value: the literal; nothing for a scratchpad.
        column: what the literal is compared with, where that is a table's column as it stands.
        pattern: the literal is the pattern of a LIKE or GLOB, or the plain text in one.
        width: how many columns the rows of a scratchpad have.
    """

    name: str
    key: tuple[str, str]
    type: str
    value: Any = None
    column: Column | None = None
    pattern: bool = False
    width: int = 0

    @property
    def scratchpad(self) -> bool:
        """Whether rows are given here."""
        return self.type in ("values", "rows")


@dataclass(frozen=True)
class Parametrised:
    """A query whose literals were taken out.

    Attributes:
        tree: with named placeholders.
        sql: the same as text: what tells one function of a database from another.
        slots: its parameters in order.
    """

    tree: Tree
    sql: str
    slots: tuple[QueryParameter, ...]

    @property
    def values(self) -> dict[str, Any]:
        """The literals that were taken out, by parameter."""
        return {slot.name: slot.value for slot in self.slots if not slot.scratchpad}


def parametrise(query: Tree, schema: Schema, widths: Mapping[str, int] | None = None) -> Parametrised:
    """Take a query's literals out.

    Args:
        query: the query; it stays as it is.
        schema: of its database.
        widths: of each scratchpad by its mark: its number of columns, 0 where it is a list of values.
    """
    tree = query.copy()
    slots: dict[tuple[str, str], QueryParameter] = {}

    def slot(key: tuple[str, str], **about: Any) -> exp.Placeholder:
        # A literal that occurs again is the same parameter; its column is that of the first place that has one.
        known = slots.get(key) or QueryParameter(f"{PREFIX}{len(slots)}", key, **about)
        if known.column is None and about.get("column") is not None:
            known = replace(known, column=about["column"])
        slots[key] = known
        return exp.Placeholder(this=known.name)

    # As a list, since nodes are replaced on the way.
    for node in list(tree.dfs()):
        if isinstance(node, exp.Placeholder):
            width = (widths or {})[node.name]
            node.replace(slot(("scratchpad", node.name), type="rows" if width else "values", width=width))
        elif isinstance(node, exp.Literal) and _free(node):
            _taken(node, slot, schema)
    return Parametrised(tree, sql_of(tree), tuple(slots.values()))


def mark(number: int) -> exp.Placeholder:
    """The placeholder of a scratchpad, before it has a name."""
    return exp.Placeholder(this=f"{MARK}{number}")


def literal_value(literal: Tree) -> Any:
    """A literal's value; a number with its sign."""
    if isinstance(literal, exp.Neg):
        return -literal_value(literal.this)
    if literal.is_string:
        return literal.name
    try:
        whole = int(literal.name)
    except ValueError:
        return float(literal.name)
    return whole if whole < LARGEST else float(whole)


def _taken(node: Tree, slot: Any, schema: Schema) -> None:
    """Put a parameter in the place of a literal, with its sign, between its percent signs."""
    # SQL has no negative literals: -5 is the operator on 5, and the parameter takes both.
    place = node.parent if isinstance(node.parent, exp.Neg) else node
    assert place is not None
    value = literal_value(place)
    about: dict[str, Any] = {"value": value, "column": _compared(place, schema)}
    like = place.parent
    # The percent signs stay in the query: an agent gives the word that is looked for, and no pattern of SQL.
    if isinstance(like, (exp.Like, exp.ILike)) and place is like.expression and node.is_string:
        head, inner, tail = _pattern(value, isinstance(like.parent, exp.Escape))
        if inner is None:
            place.replace(slot(("pattern", value), **{**about, "type": "string", "pattern": True}))
            return
        given: Tree = slot(("part", inner), **{**about, "type": "string", "value": inner, "pattern": True})
        if head:
            given = exp.DPipe(this=exp.Literal.string(head), expression=given)
        if tail:
            given = exp.DPipe(this=given, expression=exp.Literal.string(tail))
        place.replace(given)
        return
    about["pattern"] = isinstance(like, (exp.Glob, exp.RegexpLike, exp.Like, exp.ILike))
    about["type"] = _type(value, about["column"])
    if about["type"] in ("integer", "number") and isinstance(value, str):
        about["value"] = int(value) if about["type"] == "integer" else float(value)
    elif about["type"] == "string" and not isinstance(value, str):
        about["value"] = place.name if place is node else sql_of(place)
    place.replace(slot((str(about["type"]), str(value)), **about))


def _pattern(value: str, escaped: bool) -> tuple[str, str | None, str]:
    """The percent signs around a pattern, and the plain text between them; None where that is not plain text."""
    inner = value.strip("%")
    if escaped or not inner or "%" in inner or "_" in inner:
        return "", None, ""
    start = len(value) - len(value.lstrip("%"))
    return value[:start], inner, value[start + len(inner) :]


def _type(value: Any, column: Column | None) -> str:
    """The JSON type of a parameter: its column's, where SQLite takes the literal for a value of that type."""
    own = "string" if isinstance(value, str) else "integer" if isinstance(value, int) else "number"
    if column is None or column.type in ("any", own):
        return own
    if column.type == "string":
        return own if column.numeric or not isinstance(value, int) else "string"
    if own == "string":
        return _numeric(value, column) or own
    return "number"


def _numeric(value: str, column: Column) -> str | None:
    """The type of a text that looks like a number and is compared with a column of numbers."""
    if not column.numeric:
        return None
    if value.isascii() and value.removeprefix("-").isdigit() and str(int(value)) == value and abs(int(value)) < LARGEST:
        return column.type
    if column.type == "number" and value.isascii() and value.replace(".", "", 1).isdigit():
        return "number"
    return None


def _free(literal: Tree) -> bool:
    """Return whether a literal is a value that could be another, and no part of the formula."""
    parent = literal.parent
    while parent is not None:
        if isinstance(parent, (exp.Predicate, exp.Binary)) and not isinstance(parent, exp.DPipe):
            return not isinstance(parent, (exp.Escape, exp.Collate))
        if isinstance(parent, (exp.Limit, exp.Offset, exp.Ordered, exp.Group, exp.Select, exp.Alias, exp.Case, exp.If)):
            return False
        if isinstance(parent, (exp.Func, exp.DPipe)) and any(True for _ in parent.find_all(exp.Column, exp.Star)):
            return False
        parent = parent.parent
    return False


def _compared(literal: Tree, schema: Schema) -> Column | None:
    """The column that a literal is compared with, as it stands: only then is another value of it a fit one."""
    parent = literal.parent
    if not isinstance(parent, exp.Predicate):
        return None
    others = [parent.this, parent.args.get("expression")]
    for other in others:
        if isinstance(other, exp.Column) and other is not literal:
            return column_of(other, schema)
    return None


__all__ = ["Parametrised", "QueryParameter", "literal_value", "mark", "parametrise"]
