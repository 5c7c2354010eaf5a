"""The tables that a text can be read as: JSON, a Python literal, a table, a list, a value, or a value in a sentence.

A reading never leaves out a part of what was answered: two numbers in a sentence are not an answer of one number, a
list in a sentence is read only where nothing beside it could be meant, and a first row is left out only if it names
columns of the reference. What is not covered: numbers in words, code that has still to be run, several tables.
"""

from __future__ import annotations

import ast
import csv
import json
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.scoring.answer_cells import Cell, normalize_cell_text, numbers_of

MOST = 200_000  # characters of a text that is read at all
SENTENCE = 4_000  # characters of a text that is read as a sentence
WRAPPERS = {"answer", "result", "results", "solution", "rows", "data", "output", "value", "values", "table", "records"}
_FENCE = re.compile(r"^```[\w+-]*\n(.*?)\n?```$", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*\u2022]|\d{1,3}[.)])\s+")
_LEAD = re.compile(r"^[^\n\[{|]{0,200}?(?::|(?<![!<>~])=|\b(?:is|are|was|were))\s+(?=\S)", re.IGNORECASE)
_DOUBT = re.compile(r"\b(?:not|no|never|neither|nor|or|either|maybe|perhaps|possibly|cannot)\b|n't\b", re.IGNORECASE)
_MARKED = re.compile(r"\*\*([^*\n]+)\*\*|`([^`\n]+)`|\"([^\"\n]+)\"")
_LOOSE = re.compile(
    r"(?:[<>=~\u2248\u2260]|\b(?:than|least|most|about|around|approximately|approx\.|roughly|nearly|almost|up to))\s*$",
    re.IGNORECASE,
)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_FIGURE = re.compile(r"(?<![\w.])[$€£]?-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?%?(?![\w]|[.,:]\d)")


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """One way to read a text.

    Attributes:
        rows: the cells.
        names: the columns' names; None where none are given.
    """

    rows: tuple[tuple[Cell, ...], ...]
    names: tuple[str, ...] | None = None


def readings(
    text: str, columns: Sequence[str], rows: int, question: str = "", prose: bool = True
) -> Iterator[AnswerReading]:
    """Every table that the text can be read as, the most literal first.

    Args:
        text: of a solution.
        columns: the reference's: one list can be a column or a row.
        rows: how many the reference has.
        question: numbers in it, repeated in a sentence, are not taken for the answer.
        prose: whether sentences are read too, and not only tables and lists.
    """
    text = _unfenced(text.strip())
    if not text or len(text) > MOST:
        return
    found, value = literal(text)
    if found:
        yield from _tables(value, columns)
    # `1,234` is a pair to Python and one number to people: both readings are tried.
    if not found or _is_cell(value) or numbers_of(text):
        yield AnswerReading(((_unmarked(text),),))
    if not found:
        yield from _drawn(text, columns)
        yield from _listed(text, len(columns), rows)
    if not found and prose:
        inner = _only_literal(text, question)
        if inner is not None:
            yield from _tables(inner, columns)
        if len(columns) == rows == 1 and len(text) <= SENTENCE:
            yield from _from_sentence(text, question)


def literal(text: str) -> tuple[bool, Any]:
    """A JSON value or Python literal, and whether the text is one. `- 5` is a list of one thing, not a number."""
    if text.startswith("- "):
        return False, None
    try:
        return True, json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        with warnings.catch_warnings():
            # Python warns of odd escapes in the text, which is not code of anybody's here.
            warnings.simplefilter("ignore")
            return True, ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None


def _unfenced(text: str) -> str:
    found = _FENCE.match(text)
    return found[1].strip() if found else text


def _unmarked(text: str) -> str:
    """Text without the quotes or stars around it."""
    text = text.strip()
    while 2 < len(text) <= SENTENCE and text[0] == text[-1] and text[0] in "\"'`*_":
        text = text[1:-1].strip()
    return text


def _only_literal(text: str, question: str) -> Any:
    """The one list or object in a text; None where there is none, or what is around it could be meant too."""
    places = [place for place in (text.find("["), text.find("{")) if place >= 0]
    end = max(text.rfind("]"), text.rfind("}"))
    if not places or end < min(places):
        return None
    around = text[: min(places)] + " " + text[end + 1 :]
    found, value = literal(text[min(places) : end + 1])
    if not found or _DOUBT.search(around):
        return None
    # A sentence around a list may say how many it holds: that is not a second answer.
    counted = {len(value)} if isinstance(value, (list, Mapping)) and len(value) > 1 else set()
    return value if _figures(around).keys() <= _figures(question).keys() | counted else None


def _figures(text: str) -> dict[int | float, str]:
    """The numbers in a text, dates left out, each as it is written."""
    return {number: figure for figure in _FIGURE.findall(_DATE.sub(" ", text)) for number in numbers_of(figure)[:1]}


def _tables(value: Any, columns: Sequence[str]) -> Iterator[AnswerReading]:
    """The tables that a value can be."""
    value = _unwrapped(value)
    if isinstance(value, Mapping):
        yield from _from_object(value, columns)
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from _from_list(_in_order(value), columns)
    elif _is_cell(value):
        yield AnswerReading(((value,),))


def _unwrapped(value: Any) -> Any:
    """The value without lists of one list around a list of rows, and without `{"answer": ...}`."""
    while True:
        if isinstance(value, (list, tuple)) and len(value) == 1 and _is_table(value[0]):
            value = value[0]
        elif isinstance(value, Mapping) and len(value) == 1:
            name, inner = next(iter(value.items()))
            if str(name).casefold() not in WRAPPERS or not isinstance(inner, (list, tuple, Mapping)):
                return value
            value = inner
        else:
            return value


def _is_table(value: Any) -> bool:
    return (
        isinstance(value, (list, tuple))
        and bool(value)
        and all(isinstance(row, (list, tuple, Mapping)) for row in value)
    )


def _in_order(values: Any) -> list[Any]:
    return sorted(values, key=repr) if isinstance(values, (set, frozenset)) else list(values)


def _from_list(values: list[Any], columns: Sequence[str]) -> Iterator[AnswerReading]:
    if values and all(isinstance(row, Mapping) for row in values):
        # The first row's order, so that rows whose keys come in another order give the same table.
        names = [str(name) for name in values[0]]
        # Records of one shape are a table; others have no columns to compare.
        if all({str(name) for name in row} == set(names) for row in values):
            texts = [{str(name): cell for name, cell in row.items()} for row in values]
            yield from _table([[row[name] for name in names] for row in texts], names)
        return
    if all(isinstance(row, (list, tuple)) for row in values):
        yield from _table([list(row) for row in values])
        # A first row of names may be a heading or data, so both are tried.
        if len(values) > 1 and _names(values[0], columns):
            yield from _table([list(row) for row in values[1:]], [str(name) for name in values[0]])
        return
    yield from _table([[value] for value in values])
    if len(columns) > 1:
        # A flat list is a column, but where several columns are requested it may be the one row.
        yield from _table([values])


def _from_object(value: Mapping[Any, Any], columns: Sequence[str]) -> Iterator[AnswerReading]:
    names = [str(name) for name in value]
    cells = list(value.values())
    # Columns by name, as pandas writes them with `orient=list`.
    if names and all(isinstance(cell, (list, tuple)) for cell in cells) and len({len(cell) for cell in cells}) == 1:
        yield from _table([list(row) for row in zip(*cells, strict=True)], names)
    yield from _table([cells], names)
    named, rows = value.get("columns"), value.get("rows", ())
    if isinstance(named, (list, tuple)) and _is_table(rows) and not isinstance(rows[0], Mapping):
        yield from _table([list(row) for row in rows], [str(name) for name in named])
    # `{"Rome": 3, "Oslo": 5}`: keys that are not names of columns are the cells of the first column.
    if len(columns) > 1 and not any(
        fold_column_name(name) == fold_column_name(column) for name in names for column in columns
    ):
        yield from _table([[name, *_values(cell)] for name, cell in value.items()])


def _values(cell: Any) -> list[Any]:
    if isinstance(cell, Mapping):
        return list(cell.values())
    return list(cell) if isinstance(cell, (list, tuple)) else [cell]


def _names(row: Sequence[Any], columns: Sequence[str]) -> bool:
    """Return whether a first row names columns: it is all text, and one of it is a name of the reference's."""
    return all(isinstance(name, str) for name in row) and any(
        fold_column_name(name) == fold_column_name(column) != "" for name in row for column in columns
    )


def _table(rows: Sequence[Sequence[Any]], names: Sequence[str] | None = None) -> Iterator[AnswerReading]:
    """The rows as a reading, if they are of one width and their cells are single values."""
    bare = [tuple(_bare(cell) for cell in row) for row in rows]
    widths = {len(row) for row in bare}
    # A table without rows has no width, and any heading fits it.
    fit = names is None or not bare or len(names) in widths
    if fit and len(widths) <= 1 and all(_is_cell(cell) for row in bare for cell in row):
        yield AnswerReading(tuple(bare), None if names is None else tuple(names))


def _bare(cell: Any) -> Any:
    while isinstance(cell, (list, tuple)) and len(cell) == 1:
        cell = cell[0]
    return cell


def _is_cell(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool))


def _drawn(text: str, columns: Sequence[str]) -> Iterator[AnswerReading]:
    """A table drawn with bars, or lines of values between commas or tabs."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        return
    if all("|" in line for line in lines):
        rows = [[_unmarked(cell) for cell in line.strip("|").split("|")] for line in lines]
        # The rule below a Markdown heading says for certain that the first line names the columns.
        if all(re.fullmatch(r":?-+:?", cell) for cell in rows[1]):
            yield from _table(rows[2:], rows[0])
            return
    elif all("\t" in line for line in lines):
        rows = [[_unmarked(cell) for cell in line.split("\t")] for line in lines]
    elif all("," in line for line in lines):
        rows = [[_unmarked(cell) for cell in next(csv.reader([line], skipinitialspace=True))] for line in lines]
    else:
        return
    yield from _table(rows)
    if _names(rows[0], columns):
        yield from _table(rows[1:], rows[0])


def _listed(text: str, columns: int, rows: int) -> Iterator[AnswerReading]:
    """A list in lines or between commas, as one column or one row."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].rstrip().endswith(":"):
        # A first line that ends with a colon introduces the list.
        lines = lines[1:]
    led = all(_BULLET.match(line) for line in lines)
    items = [_unmarked(_BULLET.sub("", line) if led else line) for line in lines]
    if len(items) > 1 or led:
        yield from _table([[item] for item in items])
        if columns > 1:
            # Which mark parts the columns shows in the widths: `_table` drops readings of uneven rows.
            for mark in (":", ",", "|", " - ", "\u2013"):
                yield from _table([[_unmarked(part) for part in item.split(mark)] for item in items])
    # `The cities are Rome and Oslo` has a lead; `Rome and Oslo` has none: try with and without.
    for whole in dict.fromkeys((text, _without_lead(text))):
        if "\n" in whole or _DOUBT.search(whole):
            continue
        # From the mark that is seldom part of a value to those that often are (Rome, Italy; Bosnia and Herzegovina).
        for mark in (r";", r",", r",|\band\b|&"):
            parts = [_unmarked(part) for part in re.split(mark, whole.rstrip(". ")) if part.strip()]
            if len(parts) > 1 and columns == 1:
                yield from _table([[part] for part in parts])
            elif len(parts) == columns > 1 and rows == 1:
                yield from _table([parts])
    pair = len(text) <= SENTENCE and re.fullmatch(r"([^:()]+)(?::| \()([^:()]+)\)?", text.rstrip("."))
    if pair and columns == 2 and rows == 1:
        yield from _table([[_unmarked(pair[1]), _unmarked(pair[2])]])


def _without_lead(text: str) -> str:
    found = _LEAD.match(text)
    return text[found.end() :] if found else text


def _from_sentence(text: str, question: str) -> Iterator[AnswerReading]:
    """A single value in a sentence: behind a colon or a verb, in quotes, or the only number or date."""
    # A sentence that doubts or denies does not say which of its values it stands by.
    if _DOUBT.search(text):
        return
    body = _without_lead(text).strip()
    for bare in (body, body.removesuffix(".")):
        if bare != text and not re.search(r"[;\n]", bare):
            yield AnswerReading(((_unmarked(bare),),))
    marked = {"".join(found).strip() for found in _MARKED.findall(text)}
    dates = set(_DATE.findall(text)) - set(_DATE.findall(question))
    figures = _figures(text)
    # A number of the question is repeated in the answer more often than it is the answer.
    fresh = {number: figure for number, figure in figures.items() if number not in _figures(question)} or figures
    # Behind `about` or `more than`, a number is a bound or an estimate and not the value itself.
    firm = [figure for figure in fresh.values() if not _LOOSE.search(text[: text.find(figure)])]
    for found in (marked, dates, firm if len(fresh) == 1 else []):
        if len(found) == 1:
            yield AnswerReading(((next(iter(found)),),))


def fold_column_name(name: str) -> str:
    """A column's name as it is compared."""
    bare = name if "(" in name else name.rpartition(".")[2]
    return re.sub(r"[\W_]+", "", normalize_cell_text(bare))
