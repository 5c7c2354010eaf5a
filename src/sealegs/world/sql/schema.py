"""The tables of a database: their columns, types and readable names. Read from SQLite itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sealegs.world.sql.database import Database, QueryFailed

NUMBERS = ("integer", "number")
LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def fold_name(name: str) -> str:
    """A name as SQLite compares it: ASCII letters alone lose their case."""
    return name.translate(LOWER)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        table, name: as declared.
        declared: the declared type.
        words: what it is called in English.
        table_words: what its table is called in English.
    """

    table: str
    name: str
    declared: str
    words: str
    table_words: str

    @property
    def type(self) -> str:
        """The JSON type that the declared type stands for, by SQLite's rules of affinity."""
        declared = self.declared.upper()
        if "INT" in declared:
            return "integer"
        if any(part in declared for part in ("CHAR", "CLOB", "TEXT")):
            return "string"
        if any(part in declared for part in ("DATE", "TIME")):
            return "string"
        return "number" if declared and "BLOB" not in declared and "BOOL" not in declared else "any"

    @property
    def numeric(self) -> bool:
        """Whether SQLite turns texts that look like numbers into numbers here."""
        declared = self.declared.upper()
        texts = not declared or any(part in declared for part in ("CHAR", "CLOB", "TEXT", "BLOB"))
        return "INT" in declared or not texts


@dataclass(frozen=True)
class Schema:
    """The tables of one database.

    Attributes:
        name: the database's name.
        tables: each table's columns by folded name, by the table's folded name.
        table_words: what each table is called in English, by its folded name.
    """

    name: str
    tables: Mapping[str, Mapping[str, Column]]
    table_words: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def words(self) -> str:
        """The database's name in English."""
        return in_words(self.name)


def read_schema(name: str, database: Database, names: Mapping[str, Any] | None = None) -> Schema:
    """The schema of an open database.

    Args:
        name: the database's name.
        database: the database.
        names: its entry in Spider's `tables.json`, where there is one: the names that people gave.
    """
    given_tables, given_columns = _given(names or {})
    tables: dict[str, dict[str, Column]] = {}
    words: dict[str, str] = {}
    listed = database.run("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name").rows
    for (table,) in listed:
        key = fold_name(table)
        words[key] = given_tables.get(key) or in_words(table)
        try:
            found = database.run("SELECT name, type FROM pragma_table_info(:table)", {"table": table}).rows
        except QueryFailed:  # a view on what is not there
            continue
        tables[key] = {
            fold_name(column): Column(
                table,
                column,
                declared or "",
                given_columns.get((key, fold_name(column))) or in_words(column),
                words[key],
            )
            for column, declared in found
        }
    return Schema(name, tables, words)


def in_words(name: str) -> str:
    """A name in a schema as words: `StudentID` and `student_id` as `student id`."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^\w]+|_+", " ", name)
    return " ".join(parted.split()).lower() or name


def _given(names: Mapping[str, Any]) -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """The readable names of an entry of `tables.json`; none of an entry in another form."""
    try:
        originals = [fold_name(name) for name in names.get("table_names_original", [])]
        tables = dict(zip(originals, map(str, names.get("table_names", [])), strict=True))
        pairs = zip(names.get("column_names_original", []), names.get("column_names", []), strict=True)
        columns = {(originals[n], fold_name(name)): str(words) for (n, name), (_, words) in pairs if n >= 0}
    except (TypeError, ValueError, IndexError, KeyError, AttributeError):
        return {}, {}
    return tables, columns
