"""Overlaps of documentation: one that prints the text of another function is the recipe for a way round it.

Texts are compared word by word, without the name of the data, the names of arguments, and words that only join others
(`the`, `of`, `whose`). One text holds another if its words contain the other's in a row.

Two claims are checked. No function of a problem has in its documentation the text of a function of a way round it.
And no function of a database has another one's in it, but for those that say the same and more: a function that
narrows another one down ("... for each city"), or one that answers with further columns ("The name and the city of
..."), before whose text there is nothing but the names of columns. Neither leads a way round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from sealegs.world.sql.function_library import SqlFunction, SqlProblem

JOINING = frozenset(
    ("a", "an", "the", "of", "from", "in", "among", "by", "as", "to", "is", "are", "with", "that", "which", "whose")
)
ARGUMENT = re.compile(r"`arg_\d+`")
WORD = re.compile(r"[^\W_]+")
DATA = " Data: "
DIFFERENT = ("different", "values")  # before the columns of a function that gives no row twice

Words = tuple[str, ...]
Overlap = Literal["", "extends", "prints"]


def telling_words(description: str) -> Words:
    """The words of a documentation that tell it from others."""
    body = ARGUMENT.sub("argument", description.partition(DATA)[0])
    return tuple(word for word in WORD.findall(body.lower()) if word not in JOINING)


def overlap(holder: SqlFunction, held: SqlFunction) -> Overlap:
    """The kind of overlap where the one's documentation holds the other's text; empty for none, or if both are equal.

    Returns:
        `extends` where nothing but the names of the holder's columns comes before that text; otherwise `prints`.
    """
    one, other = telling_words(holder.description), telling_words(held.description)
    if one == other or not contains_run(one, other):
        return ""
    at = next(at for at in range(len(one)) if one[at : at + len(other)] == other)
    before = [word for word in one[:at] if word != "and"]
    columns = [word for word in telling_words(" ".join(holder.columns)) if word != "and"]
    return "extends" if before in (columns[: len(before)], [*DIFFERENT, *columns][: len(before)]) else "prints"


def contains_run(one: Words, other: Words) -> bool:
    """Return whether a text has the words of another one in a row."""
    return any(one[at : at + len(other)] == other for at in range(len(one) - len(other) + 1))


def common_run(one: Words, other: Words) -> int:
    """The largest number of words in a row that two texts have in common."""
    best = 0
    ends = [0] * (len(other) + 1)
    for word in one:
        ends = [0, *(ends[place] + 1 if word == there else 0 for place, there in enumerate(other))]
        best = max(best, *ends)
    return best


def ways_round(problem: SqlProblem) -> Iterator[tuple[str, str]]:
    """Each function of a problem, with each function of a solution that does without it."""
    ways = [solution.functions for solution in problem.solutions]
    for refused in dict.fromkeys(name for way in ways for name in way):
        for other in dict.fromkeys(name for way in ways if refused not in way for name in way):
            yield refused, other


def printed_ways(problem: SqlProblem, functions: Mapping[str, SqlFunction]) -> list[tuple[str, str]]:
    """The pairs of functions of a problem of which the first prints the second's text, which is of a way round it."""
    words = {name: telling_words(functions[name].description) for name in problem.functions}
    return [(refused, other) for refused, other in ways_round(problem) if contains_run(words[refused], words[other])]


def printed_texts(functions: Iterable[SqlFunction]) -> list[tuple[str, str]]:
    """The pairs of functions of the same database of which the first prints the second's text."""
    by_database: dict[str, list[SqlFunction]] = {}
    for function in functions:
        by_database.setdefault(function.database, []).append(function)
    return [
        (one.name, other.name)
        for here in by_database.values()
        for one in here
        for other in here
        if overlap(one, other) == "prints"
    ]
