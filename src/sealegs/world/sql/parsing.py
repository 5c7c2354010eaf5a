"""SQL text as a tree: one query of SQLite's dialect, with names that can be compared and texts told from names.

SQLite reads a name in double quotes that is not a column as a text; so does this, from the schema. Whether a subquery
stands alone is left to SQLite: it has to prepare it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import SqlglotError

from sealegs.world.sql.schema import Column, Schema, fold_name

Tree: TypeAlias = "exp.Expr"
logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # what it cannot read is reported as a reason
MARK = "@"  # begins the placeholder of a scratchpad, which no name in SQL can
ROW_IDS = {"rowid", "oid", "_rowid_"}
TIME = (exp.CurrentDate, exp.CurrentTime, exp.CurrentTimestamp)


class UnsupportedQuery(ValueError):
    """A query is none that functions can be made of. The message says why."""


def parse(sql: str, schema: Schema) -> Tree:
    """The tree of one query.

    Raises:
        UnsupportedQuery: it is not a single query, has placeholders, or depends on the time.
    """
    try:
        found = [tree for tree in sqlglot.parse(sql, read="sqlite") if tree is not None]
    except (SqlglotError, RecursionError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnsupportedQuery(f"parse error: {reason[:160]}") from error
    if len(found) != 1 or not isinstance(found[0], exp.Query):
        raise UnsupportedQuery("parse error: it is not one query (SELECT)")
    if any(True for _ in found[0].find_all(exp.Placeholder, exp.Parameter)):
        raise UnsupportedQuery("parse error: it has placeholders")
    # SQLite reads "name" as a text where no column has that name, and pairs that people wrote rely on it.
    tree: Tree = found[0].transform(lambda node: _as_quoted_text(node, schema))
    # Its answer would be another tomorrow, and the reference wrong.
    if any(True for _ in tree.find_all(*TIME)) or any(_now(node) for node in tree.find_all(exp.Literal)):
        raise UnsupportedQuery("it depends on the time")
    for name in tree.find_all(exp.Identifier):
        name.set("this", fold_name(name.name))
    return tree


def sql_of(tree: Tree) -> str:
    """The tree as SQL for SQLite, without comments."""
    return tree.sql("sqlite", comments=False)


class _Strict(SQLite):
    """SQLite's dialect with names in backquotes, which it never takes for texts."""

    class Tokenizer(SQLite.Tokenizer):
        """Writes names so."""

        IDENTIFIERS = ["`"]


def strict_sql_of(tree: Tree) -> str:
    """The same so written that SQLite refuses names that stand for nothing, where it takes them for texts elsewhere."""
    return tree.sql(_Strict, comments=False)


def selects(tree: Tree) -> list[exp.Select]:
    """The single queries that a query is made of by UNION, INTERSECT and EXCEPT, from left to right."""
    if isinstance(tree, exp.SetOperation):
        return selects(tree.this) + selects(tree.expression)
    if isinstance(tree, exp.Subquery):
        return selects(tree.this)
    return [tree] if isinstance(tree, exp.Select) else []


def subqueries(tree: Tree) -> list[Tree]:
    """The nodes that hold a subquery, depth first: in comparisons, lists, FROM and EXISTS."""
    return [
        node
        for node in tree.dfs()
        if isinstance(node, (exp.Subquery, exp.Exists)) and isinstance(node.this, exp.Query) and node is not tree
    ]


def query_sources(select: Tree) -> Iterator[tuple[str, Tree]]:
    """The sources of a single query: each table or subquery by the folded name that columns are qualified with."""
    origin = select.args.get("from_")
    joined = [join.this for join in select.args.get("joins") or []]
    for node in [*([origin.this] if origin is not None else []), *joined]:
        yield fold_name(node.alias_or_name), node


def reads_scratchpad(query: Tree) -> bool:
    """Return whether this very query reads from a scratchpad, and no subquery of it."""
    origin = query.args.get("from_")
    table = origin.this if origin is not None else None
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Anonymous):
        return False
    return any(isinstance(given, exp.Placeholder) for given in table.this.expressions)


def column_of(node: exp.Column, schema: Schema) -> Column | None:
    """The table's column that a name stands for; None of what is computed, renamed or unknown."""
    name, table = fold_name(node.name), fold_name(node.table)
    select = node.find_ancestor(exp.Select)
    # From the inside out: a correlated name is a column of a query around the one in which it is written.
    while select is not None:
        for qualifier, source in query_sources(select):
            if isinstance(source, exp.Table) and table in ("", qualifier):
                column = schema.tables.get(fold_name(source.name), {}).get(name)
                if column is not None:
                    return column
        select = select.find_ancestor(exp.Select)
    return None


def _as_quoted_text(node: Tree, schema: Schema) -> Tree:
    """A name in double quotes that is not a column, as the text that SQLite reads it as."""
    if not isinstance(node, exp.Column) or not node.this.args.get("quoted") or node.table:
        return node
    return node if _is_name(node, schema) else exp.Literal.string(node.name)


def _is_name(node: exp.Column, schema: Schema) -> bool:
    name = fold_name(node.name)
    # From the inside outwards, as SQL looks a name up: a subquery may use columns of the query around it.
    select = node.find_ancestor(exp.Select, exp.SetOperation)
    while select is not None:
        for single in selects(select):
            if any(item.alias and fold_name(item.alias) == name for item in single.expressions):
                return True
            for _, source in query_sources(single):
                if not isinstance(source, exp.Table) or fold_name(source.name) not in schema.tables:
                    if isinstance(source, exp.Subquery) and _gives(source.this, name):
                        return True
                    continue
                if name in schema.tables[fold_name(source.name)] or name in ROW_IDS:
                    return True
        select = select.find_ancestor(exp.Select, exp.SetOperation)
    return False


def _gives(query: Tree, name: str) -> bool:
    """Return whether a subquery may have a column of this name."""
    first = selects(query)[:1]
    return any(
        isinstance(item, exp.Star) or fold_name(item.alias_or_name) == name for one in first for item in one.expressions
    )


def _now(node: Tree) -> bool:
    """Return whether a text means the present: SQLite's date functions read `now` so."""
    if not (node.is_string and node.name.lower() == "now"):
        return False
    return node.find_ancestor(exp.Func, exp.Predicate) is not None and isinstance(node.parent, exp.Func)
