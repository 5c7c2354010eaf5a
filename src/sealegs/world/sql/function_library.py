"""The compiled functions and problems: one compressed table beside its databases.

Reading and calling need nothing but the standard library and pydantic: the SQL is parametrised already. A call is
checked against the function's parameters, run on a read-only database, and answered as an `Outcome` of the kernel.
"""

from __future__ import annotations

import gzip
import json
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.world.sql.binding import bind_arguments
from sealegs.world.sql.database import Database, QueryFailed, find_database
from sealegs.world.sql.parameter import Parameter, RowForm

TABLE = "library.jsonl.gz"
FORMAT_VERSION = 2
Kind = Literal["whole", "subquery", "outer"]
Split = Literal["validation", "test"]


@dataclass(frozen=True)
class SqlFunction:
    """A function made from a query.

    Attributes:
        name: undescriptive.
        database: the name of the database that it reads.
        kind: what it was made of: a whole query, a subquery, or a query whose subquery is given as rows.
        sql: the statement, with `:arg_0` and so on.
        parameters: in order.
        description: what it finds.
        columns: what each column of the answer holds, where it is known.
        keys: the names of the answer's columns, where they are known.
    """

    name: str
    database: str
    kind: Kind
    sql: str
    parameters: tuple[Parameter, ...] = ()
    description: str = ""
    columns: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    @cached_property
    def spec(self) -> dict[str, Any]:
        """The function as models see it: name, description, parameters and returns; rows are lists."""
        return self.spec_in("lists")

    def spec_in(self, form: RowForm) -> dict[str, Any]:
        """The function as models see it, with rows in a form."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": {one.name: one.schema_in(form) for one in self.parameters},
                "required": [one.name for one in self.parameters],
                "additionalProperties": False,
            },
            "returns": self._records if form == "records" else self._lists,
        }

    @cached_property
    def tool(self) -> ToolSpec:
        """The function as the kernel's other rooms see a tool; rows are lists."""
        return self.tool_in("lists")

    def tool_in(self, form: RowForm) -> ToolSpec:
        """The function as the kernel's other rooms see a tool, with rows in a form."""
        spec = self.spec_in(form)
        return ToolSpec(
            name=self.name,
            description=self.description,
            parameters=spec["parameters"],
            returns=spec["returns"],
            tags=frozenset({self.database, self.kind}),
            effects=False,
        )

    def as_records(self, rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
        """Rows as records keyed by column; a name that is there twice has a number after it the second time."""
        return [dict(zip(self.record_keys, row, strict=True)) for row in rows]

    @cached_property
    def record_keys(self) -> tuple[str, ...]:
        """The keys of a row as a record, each once."""
        seen: dict[str, int] = {}
        keys: list[str] = []
        for key in self.keys:
            seen[key] = seen.get(key, 0) + 1
            keys.append(key if seen[key] == 1 else f"{key}_{seen[key]}")
        return tuple(keys)

    @property
    def _records(self) -> dict[str, Any]:
        words = self.columns if len(self.columns) == len(self.keys) else self.keys
        properties = {
            key: {"description": description} for key, description in zip(self.record_keys, words, strict=True)
        }
        record = {"type": "object", "properties": properties, "required": list(properties)}
        return {"type": "array", "description": "the rows, each a record keyed by column", "items": record}

    @property
    def _lists(self) -> dict[str, Any]:
        row: dict[str, Any] = {"type": "array"}
        if self.columns:
            row["prefixItems"] = [{"description": words} for words in self.columns]
        return {"type": "array", "description": "the rows, each a list of its cells", "items": row}


@dataclass(frozen=True)
class StepArgument:
    """An argument of a call in a solution: a value, or the rows that an earlier call answered.

    Attributes:
        value: the value, where `rows` is None.
        rows: the earlier call's place in the solution, from 0.
    """

    value: Any = None
    rows: int | None = None


@dataclass(frozen=True)
class SolutionStep:
    """A call in a solution.

    Attributes:
        function: its name.
        arguments: by parameter.
    """

    function: str
    arguments: Mapping[str, StepArgument] = field(default_factory=dict)


@dataclass(frozen=True)
class Solution:
    """Calls that answer a problem: the last one's rows are the answer.

    Attributes:
        kind: `direct`, one call; `composed`, several.
        steps: in an order that works.
    """

    kind: Literal["direct", "composed"]
    steps: tuple[SolutionStep, ...]

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of the functions that it calls."""
        return tuple(step.function for step in self.steps)


@dataclass(frozen=True)
class SqlProblem:
    """A question with its answer and all known ways to it.

    Attributes:
        id: stable for the same data, question and value.
        question: in English.
        database: the database that knows.
        columns: the names of the answer's columns.
        rows: the answer.
        ordered: whether the rows' order is part of the answer.
        solutions: the direct one first.
        split: `validation` or `test`.
        replaced: of a problem made from another: each value of that question with the one in its place.
        origin: the id of that other problem; its own id where it is as written.
    """

    id: str
    question: str
    database: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    ordered: bool
    solutions: tuple[Solution, ...]
    split: Split = "test"
    replaced: Mapping[str, Any] = field(default_factory=dict)
    origin: str = ""

    @property
    def functions(self) -> frozenset[str]:
        """The names of the functions of all solutions."""
        return frozenset(name for solution in self.solutions for name in solution.functions)


FUNCTION = TypeAdapter(SqlFunction)
PROBLEM = TypeAdapter(SqlProblem)


@dataclass
class Library:
    """Functions that can be called, and problems that they solve.

    Attributes:
        folder: where the table and the databases lie.
        about: how it was made: format, seed, counts.
        functions: by name.
        problems: in order.
    """

    folder: Path
    about: Mapping[str, Any]
    functions: Mapping[str, SqlFunction]
    problems: tuple[SqlProblem, ...]
    _open: dict[str, Database] = field(default_factory=dict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @classmethod
    def open(cls, folder: Path | str) -> Library:
        """The library in a folder.

        Raises:
            UserError: there is none, or it is damaged; the message says where.
        """
        home = Path(folder)
        about: dict[str, Any] = {}
        functions: dict[str, SqlFunction] = {}
        problems: list[SqlProblem] = []
        for number, (kind, data) in enumerate(_lines(home / TABLE), 1):
            try:
                if kind == "library":
                    about = dict(data)
                elif kind == "function":
                    made = FUNCTION.validate_python(data)
                    functions[made.name] = made
                else:
                    problems.append(PROBLEM.validate_python(data))
            except (ValidationError, TypeError, ValueError) as error:
                raise UserError(f"{home / TABLE}:{number}: {error}; build the library again") from error
        if about.get("form") != FORMAT_VERSION:
            raise UserError(
                f"{home / TABLE} has format {about.get('form')!r}, not {FORMAT_VERSION}; build the library again"
            )
        return cls(home, about, functions, tuple(problems))

    def call(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a function: a `Value` with the rows as lists, or a `Failure` that says what is wrong."""
        function = self.functions.get(name)
        if function is None:
            return Failure(f"There is no function {name!r}", type="UnknownFunction", status=404)
        given = bind_arguments(function.parameters, arguments)
        if isinstance(given, Failure):
            return given
        try:
            return Value(self.database(function.database).run(function.sql, given).as_lists())
        except QueryFailed as error:
            return Failure(f"{name} could not be answered: {error}", type="QueryFailed", status=400)

    def answers(self, solution: Solution) -> Outcome:
        """The answer of a solution's last call; the first failure where there is one."""
        given = self._given(solution)
        return given if isinstance(given, Failure) else self.call(solution.steps[-1].function, given)

    def arguments(self, solution: Solution) -> dict[str, Any]:
        """The arguments of a solution's last call, with the rows of the calls before it.

        Raises:
            ValueError: one of these fails.
        """
        given = self._given(solution)
        if isinstance(given, Failure):
            raise ValueError(given.message)
        return given

    def _given(self, solution: Solution) -> dict[str, Any] | Failure:
        found: list[Any] = []
        for step in solution.steps:
            given = {name: one.value if one.rows is None else found[one.rows] for name, one in step.arguments.items()}
            if step is solution.steps[-1]:
                return given
            outcome = self.call(step.function, given)
            if isinstance(outcome, Failure):
                return outcome
            found.append(outcome.value)
        return {}

    def database(self, name: str) -> Database:
        """An open database of the library.

        Raises:
            UserError: its file is gone or damaged.
        """
        with self._lock:
            if name not in self._open:
                path = find_database(self.folder, name)
                if path is None:
                    raise UserError(f"the database {name!r} is missing in {self.folder}; build the library again")
                self._open[name] = Database(path)
            return self._open[name]

    def close(self) -> None:
        """Close all databases."""
        with self._lock:
            for database in self._open.values():
                database.close()
            self._open.clear()


def write_table(
    folder: Path, about: Mapping[str, Any], functions: Iterable[SqlFunction], problems: Iterable[SqlProblem]
) -> None:
    """Write the table of a library. The same contents give the same bytes."""
    lines = [("library", {**about, "form": FORMAT_VERSION, CANARY_FIELD: CANARY})]
    lines += [("function", asdict(function)) for function in functions]
    lines += [("problem", asdict(problem)) for problem in problems]
    text = "".join(json.dumps([kind, data], ensure_ascii=False, allow_nan=False) + "\n" for kind, data in lines)
    (folder / TABLE).write_bytes(gzip.compress(text.encode(), mtime=0))


def _lines(path: Path) -> Iterable[tuple[str, Any]]:
    try:
        text = gzip.decompress(path.read_bytes()).decode()
    except FileNotFoundError as error:
        remedy = "name a folder that `sealegs highwater build` wrote"
        raise UserError(f"there is no {TABLE} in {path.parent}; {remedy}") from error
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UserError(f"{path} cannot be read ({error}); build the library again") from error
    # Not by `splitlines`: texts are written as they are, and may hold a U+2028, which is no end of a line here.
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            kind, data = json.loads(line)
        except (ValueError, TypeError) as error:
            raise UserError(f"{path}:{number}: not a line of a library; build it again") from error
        yield str(kind), data
