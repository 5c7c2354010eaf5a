"""A parametrised query in English, by rule: a paraphrase of what is found, not of how it is computed.

The words are the schema's: the names that people gave to tables and columns, or the declared ones split into words.
Values are the parameters' names, so they reveal nothing of a question. What has no words of its own here is written as
SQL.

A subquery is described by what it means for the rows around it ("whose salary is above average among those whose city
is `arg_0`"), in other words than the function made of it alone ("The average salary of employees whose city is
`arg_0`"). So no documentation reads as the recipe for a way round the function that it documents;
`documentation_overlap` checks this. Selects inside others begin with the rows and name the column last; selects alone
begin with the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from sealegs.world.sql.inflection import plural, singular
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
EXTREMES: dict[type[Tree], str] = {exp.Avg: "average", exp.Max: "highest", exp.Min: "lowest", exp.Sum: "sum"}
NARROWING = ("where", "group", "having", "order", "limit")
ARITHMETIC: dict[type[Tree], str] = {exp.Add: "plus", exp.Sub: "minus", exp.Mul: "times", exp.Div: "divided by"}
SETS: tuple[tuple[type[Tree], str, str], ...] = (
    (exp.Union, "", "or also"),
    (exp.Intersect, "both ", "and"),
    (exp.Except, "", "but not"),
)


@dataclass(frozen=True)
class Wording:
    """Words for the parts of one query.

    Attributes:
        schema: of its database.
    """

    schema: Schema

    def sentence(self, query: Tree) -> str:
        """The whole query as a sentence."""
        sentence = self.query(query)
        return sentence[:1].upper() + sentence[1:] + "."

    def columns(self, query: Tree) -> list[str]:
        """Words for each column of the answer; none where a star selects all."""
        first = selects(query)[0]
        if any(isinstance(item, exp.Star) or isinstance(item.unalias(), exp.Star) for item in first.expressions):
            return []
        return list(map(_bare, self._items(first)))

    def query(self, query: Tree) -> str:
        """A query that stands alone, without a full stop."""
        if isinstance(query, exp.Subquery):
            return self.query(query.this)
        if isinstance(query, exp.SetOperation):
            return self._set(query)
        if not isinstance(query, exp.Select):
            return sql_of(query)
        rows = list(query_sources(query))
        if not rows:
            return self._taken(query)
        plain = len(rows) == 1 and isinstance(rows[0][1], exp.Table) and not any(map(query.args.get, NARROWING))
        # `overall`: without a word of its own, the text of this count would be part of every narrower one's.
        counted = _of_rows(query.expressions[-1].unalias())
        phrase = self._what(query, "the overall number" if plain and counted else "the number")
        if counted:
            return f"{phrase} of {self._rows(query)}"
        if any(item.find(exp.AggFunc) for item in query.expressions):
            return f"{phrase} over {self._rows(query)}"
        if plain:
            return f"{phrase} of every {singular(self._source(rows[0][1]))}"
        return f"{phrase} {'of' if self._owner(query) is not None else 'out of'} {self._rows(query)}"

    def _what(self, query: exp.Select, number: str) -> str:
        """Words for the selected items, followed by `of` and the rows; `number` counts them where that comes last."""
        items = [_bare(item) for item in self._items(query)]
        if _of_rows(query.expressions[-1].unalias()):
            items[-1] = number.removeprefix("the ")
        phrase = _listed([f"the {item}" for item in items])
        if phrase == "the every column":
            return "every column"
        return f"the different values of {_bare(phrase)}" if query.args.get("distinct") else phrase

    def _items(self, query: exp.Select) -> list[str]:
        """Words for each item of a select; without its table where all are of the table that is named first."""
        if any(isinstance(item, exp.Star) for item in query.expressions):
            return ["every column"]
        owner = self._owner(query)
        tail = "" if owner is None else f" of the {self.schema.table_words.get(fold_name(owner.name), '')}"
        return [self.value(item).removesuffix(tail) for item in query.expressions]

    def _owner(self, query: exp.Select) -> exp.Table | None:
        """The one table that all that is selected is of; none where there are several, or no columns."""
        sources = dict(query_sources(query))
        if len(sources) == 1:
            return next((node for node in sources.values() if isinstance(node, exp.Table)), None)
        tables = {fold_name(column.table) for item in query.expressions for column in item.find_all(exp.Column)}
        found = sources.get(next(iter(tables))) if len(tables) == 1 else None
        return found if isinstance(found, exp.Table) else None

    def _set(self, query: exp.SetOperation) -> str:
        """Two queries as one: what is found among the rows of both, of either, or of one alone."""
        before, between = next((b, w) for kind, b, w in SETS if isinstance(query, kind))
        sides = [side for side in (query.this, query.expression) if isinstance(side, exp.Select)]
        taken = {self._taken(side) for side in sides}
        if len(sides) == 2 and len(taken) == 1:
            left, right = (self._rows(side) for side in sides)
            phrase = f"the {taken.pop()} found {before}among {left} {between} among {right}"
        else:
            left, right = (self._member(side) for side in (query.this, query.expression))
            phrase = f"what is found {before}{left} {between} {right}"
        return phrase + self._order(query)

    def _member(self, query: Tree) -> str:
        """One side of a set operation: its rows first, what is taken of them last."""
        if isinstance(query, exp.Subquery):
            return self._member(query.this)
        if isinstance(query, exp.SetOperation):
            before, between = next((b, w) for kind, b, w in SETS if isinstance(query, kind))
            return f"{before}{self._member(query.this)} {between} {self._member(query.expression)}"
        return f"among {self._rows(query)} as {self._taken(query)}" if isinstance(query, exp.Select) else sql_of(query)

    def _taken(self, query: exp.Select) -> str:
        """Words for the items that a select inside another one takes of its rows."""
        return _listed(list(map(_bare, self._items(query))))

    def _rows(self, query: exp.Select) -> str:
        """The rows that a select reads: tables, conditions, groups and order."""
        joins = query.args.get("joins") or []
        sources = [node for _, node in query_sources(query)]
        keys = ["", *map(self._key, joins)]
        if (owner := self._owner(query)) is not None and sources:
            at = next(place for place, node in enumerate(sources) if node is owner)
            # The table whose columns are asked for comes first: the sentence is about its rows.
            sources[0], sources[at] = sources[at], sources[0]
        tables = list(map(self._source, sources)) or ["a row"]
        phrase = tables[0]
        if len(tables) > 1:
            phrase += " with " + _listed(list(map("".join, zip(tables[1:], keys[1:], strict=True))))
        if where := query.args.get("where"):
            phrase += f" {self._where(where.this, len(tables) == 1)}"
        if group := query.args.get("group"):
            phrase += f" for each {_listed([_bare(self._place(item, query)) for item in group.expressions])}"
        if having := query.args.get("having"):
            phrase += f" with the condition that {self.condition(having.this)}"
        return phrase + self._order(query)

    def _where(self, node: Tree, alone: bool) -> str:
        parts = [self.condition(part) for part in (node.flatten() if isinstance(node, exp.And) else [node])]
        if alone and all(part.startswith("the ") for part in parts):
            return "whose " + " and ".join(map(_bare, parts))
        return "where " + " and ".join(parts)

    def _order(self, query: Tree) -> str:
        limit, order, offset = (query.args.get(part) for part in ("limit", "order", "offset"))
        keys = [(_bare(self._place(item.this, query)), bool(item.args.get("desc"))) for item in order or ()]
        count = sql_of(limit.expression) if isinstance(limit, exp.Limit) else ""
        # After skipping, the first rows are not those with the highest values.
        if keys and count and not offset:
            phrase = _listed([f"the {'highest' if down else 'lowest'} {key}" for key, down in keys])
            return f", only {'the one' if count == '1' else f'the {count}'} with {phrase}"
        phrase = ""
        if keys:
            ways = [f"{key} from {'highest to lowest' if down else 'lowest to highest'}" for key, down in keys]
            phrase = f", sorted by {_listed(ways)}"
        if count:
            phrase += ", only the first one" if count == "1" else f", only the first {count}"
        return phrase + (f" after skipping {sql_of(offset.expression)}" if offset else "")

    def _place(self, node: Tree, query: Tree) -> str:
        """Words for an item that is sorted or grouped by: a number means a column of the answer."""
        listed = selects(query)[0].expressions
        if isinstance(node, exp.Literal) and node.name.isdigit() and 0 < int(node.name) <= len(listed):
            return self.value(listed[int(node.name) - 1])
        for item in listed:
            if isinstance(node, exp.Column) and item.alias and fold_name(item.alias) == fold_name(node.name):
                return self.value(item)
        return self.value(node)

    def _source(self, node: Tree) -> str:
        if isinstance(node, exp.Table):
            return plural(self.schema.table_words.get(fold_name(node.name)) or in_words(node.name))
        if isinstance(node, exp.Subquery):
            if reads_scratchpad(node.this):
                return f"the rows in {self.scratchpad(node)}"
            return f"rows found {self._member(node.this)}"
        return sql_of(node)

    def _key(self, join: Tree) -> str:
        """The column by which a table is joined, where the other side calls it differently."""
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
                return f"{words} {_bare(self.value(inner))}"
        for kind, words in ARITHMETIC.items():
            if isinstance(node, kind):
                return f"{self.value(node.this)} {words} {self.value(node.expression)}"
        if isinstance(node, exp.Subquery):
            return self._single(node)
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self.value(node.this)
        # Without literals: percent signs are worded by `_likeness`, and what joins two texts says nothing of them.
        if isinstance(node, exp.DPipe):
            sides = [side for side in (node.this, node.expression) if not isinstance(side, exp.Literal)]
            return " followed by ".join(self.value(side) for side in sides)
        # The same value, written or typed in another way.
        if isinstance(node, (exp.Lower, exp.Upper, exp.Cast)):
            return self.value(node.this)
        if isinstance(node, exp.Distinct):
            return f"different {_listed([_bare(self.value(item)) for item in node.expressions])}"
        return f"`{node.name}`" if isinstance(node, exp.Placeholder) else sql_of(node)

    def condition(self, node: Tree, no: bool = False) -> str:
        """Words for a condition that must hold; with `no`, for one that must not."""
        if isinstance(node, exp.Paren):
            return self.condition(node.this, no)
        if isinstance(node, exp.Not):
            return self.condition(node.this, not no)
        if isinstance(node, exp.Connector):
            # De Morgan: where it must not hold, `and` becomes `or`, and each side is turned round.
            both = isinstance(node, exp.And) is not no
            sides = [self.condition(side, no) for side in (node.this, node.expression)]
            return " and ".join(sides) if both else f"either {sides[0]} or {sides[1]}"
        if isinstance(node, exp.Between):
            low, high = self.value(node.args["low"]), self.value(node.args["high"])
            return f"{self.value(node.this)} is {'not ' if no else ''}between {low} and {high}"
        if isinstance(node, exp.In):
            return self._within(node, no)
        if isinstance(node, exp.Exists):
            if reads_scratchpad(node.this):
                return f"there are {'no ' if no else ''}values in {self.scratchpad(node)}"
            return f"there are {'no' if no else 'some'} {self._rows(selects(node.this)[0])}"
        return self._comparison(node, no)

    def _comparison(self, node: Tree, no: bool) -> str:
        left, right, kind = node.this, node.args.get("expression"), type(node)
        if node.args.get("negate"):
            no = not no
        if kind not in COMPARISONS or right is None:
            return f"{'not ' if no else ''}{self.value(node)}"
        # A sentence says what is compared first: `5 < age` reads as an age that is greater.
        # What matches a pattern, or is missing, cannot change places with the other side.
        turns = not isinstance(node, (exp.Like, exp.ILike, exp.Glob, exp.Is))
        given = (exp.Placeholder, exp.Subquery)
        if turns and isinstance(left, given) and not isinstance(right, given):
            left, right, kind = right, left, TURNED.get(kind, kind)
        words = COMPARISONS[kind][no]
        if isinstance(node, (exp.Like, exp.ILike)):
            words = _likeness(node, no)
        if isinstance(right, exp.Null):
            # Also of `= NULL` and `<> NULL`, which are worded as they are meant: SQL itself finds nothing by them.
            return f"{self.value(left)} {'is known' if no is not (kind is exp.NEQ) else 'is missing'}"
        if isinstance(right, exp.Subquery) and not reads_scratchpad(right.this):
            return f"{self.value(left)} {words} {self._single(right)}"
        return f"{self.value(left)} {words} {self.value(right)}"

    def _within(self, node: exp.In, no: bool) -> str:
        query = node.args.get("query")
        words = "is not one of" if no else "is one of"
        if query is None:
            return f"{self.value(node.this)} {words} {_listed([self.value(item) for item in node.expressions], ', ')}"
        if reads_scratchpad(query.this):
            return f"{self.value(node.this)} {words} the values in {self.scratchpad(query)}"
        found = f"{self.value(node.this)} {'is not' if no else 'occurs'}"
        if isinstance(query.this, exp.SetOperation):
            return f"{found} {self._member(query.this)}"
        return f"{found} among {self._rows(query.this)} as {self._taken(query.this)}"

    def _single(self, node: exp.Subquery) -> str:
        """A subquery in the place of one value, or the scratchpad there."""
        query = node.this
        if reads_scratchpad(query):
            return f"the value in {self.scratchpad(node)}"
        if not isinstance(query, exp.Select) or len(query.expressions) != 1:
            return f"what is found {self._member(query)}"
        item = query.expressions[0].unalias()
        rows = self._rows(query)
        if isinstance(item, exp.Count):
            taken = "" if _of_rows(item) else f" by {_bare(self.value(item.this))}"
            return f"as many as there are {rows}{taken}"
        words = next((words for kind, words in EXTREMES.items() if isinstance(item, kind)), "")
        taken = _bare(self.value(item.this if words else item))
        return f"the {words} among {rows} in {taken}" if words else f"that found with {rows} as {taken}"

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
        if not _of_rows(node):
            return f"the number of {_bare(self.value(node.this))}"
        select = node.find_ancestor(exp.Select)
        if select is None:
            return "the number of rows"
        such = "" if any(node in (item, item.unalias()) for item in select.expressions) else "such "
        tables = [source for _, source in query_sources(select)]
        alone = len(tables) == 1 and isinstance(tables[0], exp.Table)
        return f"the number of {such}{self._source(tables[0]) if alone else 'rows'}"

    def scratchpad(self, node: Tree) -> str:
        """The name of the scratchpad in a subquery."""
        return next((f"`{found.name}`" for found in node.find_all(exp.Placeholder)), "the rows given")


def _bare(words: str) -> str:
    return words.removeprefix("the ")


def _of_rows(node: Tree) -> bool:
    """Return whether this is a COUNT of rows, and not of the different values of a column."""
    return isinstance(node, exp.Count) and not isinstance(node.this, exp.Distinct)


def _likeness(node: Tree, no: bool) -> str:
    """The words for a comparison with `like`, by the places of the percent signs."""
    right = node.args["expression"]
    if isinstance(right, exp.Placeholder):
        return "is not like the pattern" if no else "is like the pattern"
    # `parametrise` writes '%' || arg || '%', which nests to the left: the tail is outermost.
    tail = isinstance(right, exp.DPipe) and isinstance(right.expression, exp.Literal)
    inner = right.this if tail else right
    head = isinstance(inner, exp.DPipe) and isinstance(inner.this, exp.Literal)
    if not head and not tail:
        return "is not like" if no else "is like"
    verb, ending = ("contain", "") if head and tail else ("start", " with") if tail else ("end", " with")
    return f"does not {verb}{ending}" if no else f"{verb}s{ending}"


def _listed(items: Sequence[str], between: str = "") -> str:
    if between or len(items) < 2:
        return (between or ", ").join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


__all__ = ["Wording"]
