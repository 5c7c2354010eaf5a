"""A parametrised query in English, by rule: what is found, where, under which conditions, in which order.

The words are the schema's: the names that people gave to tables and columns, or the declared ones split into words.
Values are the parameters' names, so that nothing of a question is told. What has no words of its own here is told as
SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from sealegs.world.sql.parsing import Tree, column_of, query_sources, reads_scratchpad, selects, sql_of
from sealegs.world.sql.schema import Schema, fold_name, in_words

COMPARISONS: dict[type[Tree], tuple[str, str]] = {
    exp.EQ: ("is", "is not"),
    exp.NEQ: ("is not", "is"),
    exp.GT: ("is greater than", "is not greater than"),
    exp.GTE: ("is at least", "is less than"),
    exp.LT: ("is less than", "is not less than"),
    exp.LTE: ("is at most", "is greater than"),
    exp.Is: ("is", "is not"),
    exp.Like: ("contains", "does not contain"),
    exp.ILike: ("contains", "does not contain"),
    exp.Glob: ("matches the glob pattern", "does not match the glob pattern"),
}
TURNED: dict[type[Tree], type[Tree]] = {exp.GT: exp.LT, exp.GTE: exp.LTE, exp.LT: exp.GT, exp.LTE: exp.GTE}
AGGREGATES: dict[type[Tree], str] = {
    exp.Avg: "the average",
    exp.Sum: "the total",
    exp.Max: "the maximum",
    exp.Min: "the minimum",
}
ARITHMETIC: dict[type[Tree], str] = {exp.Add: "plus", exp.Sub: "minus", exp.Mul: "times", exp.Div: "divided by"}
SETS = ((exp.Union, "; together with: "), (exp.Intersect, "; and which also are among: "), (exp.Except, "; but not: "))


@dataclass(frozen=True)
class Wording:
    """Words for the parts of one query.

    Attributes:
        schema: of its database.
    """

    schema: Schema

    def sentence(self, query: Tree) -> str:
        """The whole query as a sentence."""
        told = self.query(query)
        return told[:1].upper() + told[1:] + "."

    def columns(self, query: Tree) -> list[str]:
        """What each column of the answer holds; nothing where a star stands for all."""
        first = selects(query)[0]
        if any(isinstance(item, exp.Star) or isinstance(item.unalias(), exp.Star) for item in first.expressions):
            return []
        return [self._bare(self.value(item)) for item in first.expressions]

    def query(self, query: Tree) -> str:
        """A query, without a full stop."""
        if isinstance(query, exp.Subquery):
            return self.query(query.this)
        if isinstance(query, exp.SetOperation):
            between = next(words for kind, words in SETS if isinstance(query, kind))
            told = self.query(query.this) + between + self.query(query.expression)
            return told + self._order(query)
        if not isinstance(query, exp.Select):
            return sql_of(query)
        return self._select(query)

    def _select(self, query: exp.Select) -> str:
        what = _listed([self.value(item) for item in query.expressions])
        if any(isinstance(item, exp.Star) for item in query.expressions):
            what = "every column"
        if query.args.get("distinct"):
            what = f"the different values of {self._bare(what)}"
        parts = [what]
        tables = [self._source(node) for _, node in query_sources(query)]
        if tables:
            keys = [self._key(join) for join in query.args.get("joins") or []]
            parts.append("from " + " joined with ".join(map("".join, zip(tables, ["", *keys], strict=True))))
        if where := query.args.get("where"):
            parts.append(f"where {self.condition(where.this)}")
        if group := query.args.get("group"):
            keys = [self._place(item, query) for item in group.expressions]
            parts.append(f"for each {_listed([self._bare(key) for key in keys])}")
        if having := query.args.get("having"):
            parts.append(f"keeping those where {self.condition(having.this)}")
        return " ".join(parts) + self._order(query)

    def _order(self, query: Tree) -> str:
        told = ""
        limit = query.args.get("limit")
        if order := query.args.get("order"):
            keys = []
            for item in order.expressions:
                down = bool(item.args.get("desc"))
                keys.append(
                    f"{self._place(item.this, query)} from {'highest to lowest' if down else 'lowest to highest'}"
                )
            told = f", sorted by {_listed(keys)}"
        if isinstance(limit, exp.Limit):
            count = sql_of(limit.expression)
            told += ", only the first one" if count == "1" else f", only the first {count}"
        if offset := query.args.get("offset"):
            told += f" after skipping {sql_of(offset.expression)}"
        return told

    def _place(self, node: Tree, query: Tree) -> str:
        """What is sorted or grouped by: a number means a column of the answer."""
        listed = selects(query)[0].expressions
        if isinstance(node, exp.Literal) and node.name.isdigit() and 0 < int(node.name) <= len(listed):
            return self.value(listed[int(node.name) - 1])
        for item in listed:
            if isinstance(node, exp.Column) and item.alias and fold_name(item.alias) == fold_name(node.name):
                return self.value(item)
        return self.value(node)

    def _source(self, node: Tree) -> str:
        if isinstance(node, exp.Table):
            return self.schema.table_words.get(fold_name(node.name)) or in_words(node.name)
        if isinstance(node, exp.Subquery):
            return (
                f"({self.query(node.this)})"
                if not reads_scratchpad(node.this)
                else f"the rows in {self.scratchpad(node)}"
            )
        return sql_of(node)

    def _key(self, join: Tree) -> str:
        """By which column a table is joined, where the other side calls it differently."""
        on = join.args.get("on")
        sides = [on.this, on.expression] if isinstance(on, exp.EQ) else []
        if len(sides) != 2 or not all(isinstance(side, exp.Column) for side in sides):
            return ""
        own = [side for side in sides if fold_name(side.table) == fold_name(join.this.alias_or_name)]
        if len(own) != 1 or fold_name(sides[0].name) == fold_name(sides[1].name):
            return ""
        column = column_of(own[0], self.schema)
        return f" by the {column.words if column is not None else in_words(own[0].name)}"

    def value(self, node: Tree) -> str:
        """A column or something computed from columns."""
        if isinstance(node, exp.Column):
            return self._column(node)
        if isinstance(node, exp.Count):
            return self._count(node)
        for kind, words in AGGREGATES.items():
            if isinstance(node, kind):
                inner = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
                return f"{words} {self._bare(self.value(inner))}"
        for kind, words in ARITHMETIC.items():
            if isinstance(node, kind):
                return f"{self.value(node.this)} {words} {self.value(node.expression)}"
        if isinstance(node, exp.Subquery):
            return self._inner(node)
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self.value(node.this)
        if isinstance(node, exp.DPipe):
            return self._joined(node)
        if isinstance(node, (exp.Lower, exp.Upper, exp.Cast)):
            return self.value(node.this)
        if isinstance(node, exp.Distinct):
            return f"different {_listed([self._bare(self.value(item)) for item in node.expressions])}"
        if isinstance(node, exp.Placeholder):
            return f"`{node.name}`"
        return sql_of(node)

    def condition(self, node: Tree, no: bool = False) -> str:
        """What must hold; with `no`, what must not."""
        if isinstance(node, exp.Paren):
            return self.condition(node.this, no)
        if isinstance(node, exp.Not):
            return self.condition(node.this, not no)
        if isinstance(node, exp.Connector):
            both = isinstance(node, exp.And) is not no
            sides = [self.condition(side, no) for side in (node.this, node.expression)]
            return " and ".join(sides) if both else f"either {sides[0]} or {sides[1]}"
        if isinstance(node, exp.Between):
            low, high = self.value(node.args["low"]), self.value(node.args["high"])
            return f"{self.value(node.this)} is {'not ' if no else ''}between {low} and {high}"
        if isinstance(node, exp.In):
            return self._within(node, no)
        if isinstance(node, exp.Exists):
            return f"there {'are no' if no else 'are'} rows of {self._inner(node)}"
        return self._comparison(node, no)

    def _comparison(self, node: Tree, no: bool) -> str:
        left, right, kind = node.this, node.args.get("expression"), type(node)
        if node.args.get("negate"):
            no = not no
        if kind not in COMPARISONS or right is None:
            return f"{'not ' if no else ''}{self.value(node)}"
        if isinstance(left, exp.Placeholder) and not isinstance(right, exp.Placeholder):
            left, right, kind = right, left, TURNED.get(kind, kind)
        words = COMPARISONS[kind][no]
        if isinstance(node, (exp.Like, exp.ILike)):
            words = _likeness(node, no)
        if isinstance(right, exp.Null):
            return f"{self.value(left)} {'is known' if no is not (kind is exp.NEQ) else 'is missing'}"
        return f"{self.value(left)} {words} {self.value(right)}"

    def _within(self, node: exp.In, no: bool) -> str:
        query = node.args.get("query")
        words = "is not one of" if no else "is one of"
        if query is not None:
            return f"{self.value(node.this)} {words} {self._inner(query)}"
        return f"{self.value(node.this)} {words} {_listed([self.value(item) for item in node.expressions], ', ')}"

    def _inner(self, node: Tree) -> str:
        """A subquery in a condition: its words, or the scratchpad in its place."""
        if reads_scratchpad(node.this):
            listed = isinstance(node.parent, (exp.In, exp.Exists)) or isinstance(node, exp.Exists)
            return f"{'the values in' if listed else 'the value in'} {self.scratchpad(node)}"
        return f"({self.query(node.this)})"

    def _column(self, node: exp.Column) -> str:
        if isinstance(node.this, exp.Star):
            return "every column"
        column = column_of(node, self.schema)
        if column is None:
            return f"the {in_words(node.name)}"
        select = node.find_ancestor(exp.Select)
        alone = select is not None and len(list(query_sources(select))) == 1
        return f"the {column.words}" if alone else f"the {column.words} of the {column.table_words}"

    def _count(self, node: exp.Count) -> str:
        if isinstance(node.this, exp.Distinct):
            return f"the number of {self.value(node.this)}"
        select = node.find_ancestor(exp.Select)
        tables = [self._source(source) for _, source in query_sources(select)] if select is not None else []
        alone = (
            len(tables) == 1 and isinstance(next(query_sources(select))[1], exp.Table) if select is not None else False
        )
        return f"the number of {tables[0]} rows" if alone else "the number of rows"

    def _joined(self, node: exp.DPipe) -> str:
        sides = [side for side in (node.this, node.expression) if not isinstance(side, exp.Literal)]
        return " followed by ".join(self.value(side) for side in sides)

    def scratchpad(self, node: Tree) -> str:
        """The name of the scratchpad in a subquery."""
        return next((f"`{found.name}`" for found in node.find_all(exp.Placeholder)), "the rows given")

    def _bare(self, words: str) -> str:
        return words.removeprefix("the ")


def _likeness(node: Tree, no: bool) -> str:
    """How a text is like another, by where the percent signs are."""
    right = node.args["expression"]
    if isinstance(right, exp.Placeholder):
        return "is not like the pattern" if no else "is like the pattern"
    if not isinstance(right, exp.DPipe):
        return "is not like" if no else "is like"
    tail = isinstance(right.expression, exp.Literal)
    inner = right.this if tail else right
    head = isinstance(inner, exp.DPipe) and isinstance(inner.this, exp.Literal)
    if head and tail:
        return "does not contain" if no else "contains"
    return (
        ("does not " if no else "") + ("start with" if tail else "end with")
        if no
        else ("starts with" if tail else "ends with")
    )


def _listed(items: Sequence[str], between: str = "") -> str:
    if between or len(items) < 2:
        return (between or ", ").join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


__all__ = ["Wording"]
