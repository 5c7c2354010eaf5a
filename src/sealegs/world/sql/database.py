"""One SQLite database that can be read and nothing else.

A file is opened read-only and immutable; a script (`ID.sql`) is loaded into memory first. From then on an authorizer
lets through reading alone, and a statement that takes more than a fixed number of SQLite's own steps is stopped: a
count, unlike a time limit, stops the same statement on every machine. Cells come back as JSON has them. It knows
nothing of functions.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import CANARY, CANARY_FIELD

STEPS = 50_000_000  # of SQLite's virtual machine: about one second
EVERY = 10_000
MOST_ROWS = 100_000
MARK_TABLE = "sealegs_canary"
SUFFIXES = (".sqlite", ".sqlite3", ".db", ".sql")
LIMITS = {  # so that a statement cannot fill the memory with one cell
    sqlite3.SQLITE_LIMIT_LENGTH: 64 * 2**20,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
}
READING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE, sqlite3.SQLITE_FUNCTION}
# Functions that reach outside the database, or answer differently each time.
REFUSED = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "random", "randomblob", "zeroblob"}
REFUSED_WHILE_LOADING = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}


class QueryFailed(Exception):
    """A statement gave no rows: SQLite refused it, or it was stopped. The message says why."""


@dataclass(frozen=True)
class QueryResult:
    """The answer to a statement.

    Attributes:
        columns: the columns' names.
        rows: the cells as JSON has them.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def as_lists(self) -> list[list[Any]]:
        """The rows as an agent gets them."""
        return [list(row) for row in self.rows]


@dataclass
class Database:
    """A read-only database; threads take turns.

    Attributes:
        path: a SQLite file or an SQL script.
        steps: how many steps of SQLite's virtual machine a statement may take.
    """

    path: Path
    steps: int = STEPS
    _connection: sqlite3.Connection = field(init=False, repr=False)
    _lock: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)
    _left: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        self._connection = _script(self.path) if self.path.suffix == ".sql" else _file(self.path)
        for warmed in ("json_each('[]')", "pragma_table_info('')"):  # declared at first use, which is not a reading
            self._connection.execute(f"SELECT * FROM {warmed}").fetchall()
        for limit, value in LIMITS.items():
            self._connection.setlimit(limit, value)
        self._connection.text_factory = text
        self._connection.set_progress_handler(self._tick, EVERY)
        self._connection.set_authorizer(_reading)

    def run(self, sql: str, arguments: Mapping[str, Any] | None = None) -> QueryResult:
        """The rows of one statement.

        Raises:
            QueryFailed: it failed, was stopped, or has more than `MOST_ROWS` rows.
        """
        with self._cursor(sql, arguments) as cursor:
            found = cursor.fetchmany(MOST_ROWS + 1)
            if len(found) > MOST_ROWS:
                raise QueryFailed(f"more than {MOST_ROWS} rows")
            names = tuple(item[0] for item in cursor.description or ())
            return QueryResult(names, tuple(tuple(map(json_cell, row)) for row in found))

    def columns(self, sql: str, arguments: Mapping[str, Any] | None = None) -> tuple[str, ...]:
        """The names of the columns that a statement would answer with.

        Raises:
            QueryFailed: SQLite refuses it.
        """
        with self._cursor(f"SELECT * FROM ({sql}) LIMIT 0", arguments) as cursor:
            return tuple(item[0] for item in cursor.description or ())

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _cursor(self, sql: str, arguments: Mapping[str, Any] | None) -> Iterator[sqlite3.Cursor]:
        with self._lock:
            self._left = self.steps // EVERY
            try:
                cursor = self._connection.execute(sql, arguments or {})
                try:
                    yield cursor
                finally:
                    cursor.close()
            except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
                stopped = self._left <= 0 and "interrupt" in str(error)
                raise QueryFailed("stopped: it takes too long" if stopped else str(error)) from error

    def _tick(self) -> int:
        self._left -= 1
        return int(self._left <= 0)


def mark_database(path: Path) -> None:
    """Write the canary into a copy of a database: at the head of a script, in a table of its own in a file."""
    if path.suffix == ".sql":
        script = path.read_bytes()
        if CANARY.encode() not in script:
            path.write_bytes(f"-- {CANARY}\n".encode() + script)
        return
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"CREATE TABLE IF NOT EXISTS {MARK_TABLE} ({CANARY_FIELD} TEXT PRIMARY KEY)")
        connection.execute(f"INSERT OR IGNORE INTO {MARK_TABLE} VALUES (?)", (CANARY,))


def find_database(folder: Path, name: str) -> Path | None:
    """The path of the database of this name in a folder, in Spider's layout or plainly; None where there is none."""
    for home in (folder / "database" / name, folder / "databases", folder / "database", folder / name, folder):
        for suffix in SUFFIXES:
            if (path := home / f"{name}{suffix}").is_file():
                return path
    return None


def text(raw: bytes) -> str:
    """A text cell; one that is not UTF-8 is read as Latin-1, so that nothing is lost and nothing fails."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def json_cell(value: Any) -> Any:
    """A cell as JSON has it: bytes as text where they are, else in hex; numbers that JSON has not as text."""
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _file(path: Path) -> sqlite3.Connection:
    place = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(place, uri=True, check_same_thread=False, isolation_level=None)
        connection.execute("PRAGMA query_only = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        raise UserError(
            f"{path} is not a SQLite database that can be read ({error}); give one, or an .sql script"
        ) from error
    return connection


def _script(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
    try:
        connection.set_authorizer(_loading)
        connection.executescript(path.read_text(encoding="utf-8"))
        connection.execute("PRAGMA query_only = ON")
    except (sqlite3.Error, sqlite3.Warning, OSError, UnicodeDecodeError) as error:
        connection.close()
        raise UserError(f"{path} is not an SQL script that SQLite can load ({error}); fix it") from error
    return connection


def _loading(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    refused = action in REFUSED_WHILE_LOADING or (action == sqlite3.SQLITE_FUNCTION and second in REFUSED)
    return sqlite3.SQLITE_DENY if refused else sqlite3.SQLITE_OK


def _reading(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if first == "table_info" else sqlite3.SQLITE_DENY
    allowed = action in READING and not (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in REFUSED)
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


Cells = Sequence[Sequence[Any]]


def same_rows(one: Cells, other: Cells, ordered: bool) -> bool:
    """Return whether two answers are the same: row by row where the order counts, else with the same rows as often."""
    if len(one) != len(other):
        return False
    first, second = ([tuple(map(_typed, row)) for row in rows] for rows in (one, other))
    return first == second if ordered else sorted(first) == sorted(second)


def _typed(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(value)


__all__ = [
    "MOST_ROWS",
    "STEPS",
    "SUFFIXES",
    "Database",
    "QueryFailed",
    "QueryResult",
    "find_database",
    "json_cell",
    "same_rows",
    "text",
]
