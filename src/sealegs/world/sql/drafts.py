"""Drafts of one database: functions of its queries, and the questions whose ways are proven to agree.

Every way is run, through the same check of arguments as any later call, and must give the rows of the query as written.
Pairs whose ways do not agree, or whose answer rules them out, are left out with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.world.sql.augmentation import Variant, variants
from sealegs.world.sql.database import Database, QueryFailed, find_database, same_rows
from sealegs.world.sql.database import QueryResult as Answer
from sealegs.world.sql.function_library import Kind
from sealegs.world.sql.pairs import Pair
from sealegs.world.sql.parameter import Parameter
from sealegs.world.sql.parametrised_queries import Parametrised
from sealegs.world.sql.parsing import UnsupportedQuery, parse, strict_sql_of, subqueries
from sealegs.world.sql.query_wording import Wording
from sealegs.world.sql.schema import Schema, read_schema
from sealegs.world.sql.solving import EarlierRows, Way, ways
from sealegs.world.sql.way_runs import earlier_calls_matter, parameter, run_way

MOST_ANSWER_ROWS = 100
ORDER: tuple[Kind, ...] = ("whole", "subquery", "outer")


@dataclass(frozen=True)
class FunctionDraft:
    """A function before it has a name.

    Attributes:
        database, sql: what tells it from others.
        kind: of what it was made; of several, the first in the order whole, subquery, outer.
        parameters: with the types of all its uses.
        description, columns: by rule.
        literals: what stood in the places of its parameters.
        keys: the names of the answer's columns, as SQLite has them.
    """

    database: str
    sql: str
    kind: Kind
    parameters: tuple[Parameter, ...]
    description: str
    columns: tuple[str, ...]
    literals: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class DraftStep:
    """A call before its function has a name: the function's SQL, values, and places of earlier calls."""

    sql: str
    values: Mapping[str, Any]
    rows: Mapping[str, int]


@dataclass(frozen=True)
class DraftProblem:
    """A problem before its functions have names.

    Attributes:
        id, origin, question, columns, rows, ordered, replaced: as in `Problem`.
        solutions: the steps of each.
    """

    id: str
    origin: str
    question: str
    database: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    ordered: bool
    solutions: tuple[tuple[DraftStep, ...], ...]
    replaced: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class SkippedPair:
    """A pair that gives no problem, or nothing at all, and why.

    Attributes:
        number, database, question: the pair.
        reason: why.
        functions: whether its functions are kept all the same.
    """

    number: int
    database: str
    question: str
    reason: str
    functions: bool


@dataclass(frozen=True)
class DraftJob:
    """The pairs of one database, and what is needed to work on them in another process."""

    folder: str
    database: str
    pairs: tuple[Pair, ...]
    names: Mapping[str, Any]
    seed: int
    most_variants: int


@dataclass
class Drafts:
    """The functions and problems of one database.

    Attributes:
        path: the database's file.
        functions: by SQL.
        problems: with those made by other values.
        left_out: in the order of the pairs.
        plain: how many pairs have no subquery.
    """

    path: str = ""
    functions: dict[str, FunctionDraft] = field(default_factory=dict)
    problems: list[DraftProblem] = field(default_factory=list)
    left_out: list[SkippedPair] = field(default_factory=list)
    plain: int = 0


@dataclass(frozen=True)
class _Read:
    """A query that was worked through: its answer and the ways that agree; or why there are none."""

    answer: Answer | None = None
    agreeing: tuple[Way, ...] = ()
    ordered: bool = False
    reason: str = ""
    plain: bool = False


def draft_functions(given: DraftJob) -> Drafts:
    """Work through the pairs of one database."""
    path = find_database(Path(given.folder), given.database)
    if path is None:
        return Drafts(left_out=[_left_out(pair, "there is no such database") for pair in given.pairs])
    try:
        database = Database(path)
    except UserError as error:
        return Drafts(left_out=[_left_out(pair, str(error)) for pair in given.pairs])
    try:
        return _PairDrafter(given, database, read_schema(given.database, database, given.names)).draft(str(path))
    except QueryFailed as error:
        return Drafts(left_out=[_left_out(pair, f"the database cannot be read: {error}") for pair in given.pairs])
    finally:
        database.close()


@dataclass
class _PairDrafter:
    """Drafts problems from the pairs of one database."""

    given: DraftJob
    database: Database
    schema: Schema
    found: Drafts = field(default_factory=Drafts)

    def draft(self, path: str) -> Drafts:
        self.found.path = path
        reads: dict[str, _Read] = {}
        questions: set[str] = set()
        for pair in self.given.pairs:
            if pair.query not in reads:
                reads[pair.query] = self._read(pair.query)
            read = reads[pair.query]
            if read.plain:
                self.found.plain += 1
            elif read.reason or pair.question in questions:
                reason = read.reason or "the question is there already"
                self.found.left_out.append(_left_out(pair, reason, bool(read.agreeing)))
            else:
                questions.add(pair.question)
                self._problems(pair, read)
        return self.found

    def _read(self, query: str) -> _Read:
        """Work through a query, and keep its functions."""
        try:
            tree = parse(query, self.schema)
        except UnsupportedQuery as error:
            return _Read(reason=str(error))
        try:
            answer = self.database.run(query)
            known = ways(tree, self.schema, self._columns)
            runs = [run_way(self.database, way) for way in known]
        except QueryFailed as error:
            return _Read(reason=f"execution error: {error}")
        except RecursionError:
            return _Read(reason="parse error: it is nested too deeply")
        ordered = tree.args.get("order") is not None
        fits = [bool(run) and same_rows(run[-1].rows, answer.rows, ordered) for run in runs]
        # The first way is the query as one function: if that differs, our reading of the query is wrong, and no
        # composition of it can be trusted.
        if not fits[0]:
            return _Read(reason="differs: as a function it does not give the same rows")
        for way, run, fit in zip(known, runs, fits, strict=True):
            if fit:
                self._keep(way, run)
        agreeing = tuple(way for way, fit in zip(known, fits, strict=True) if fit)
        nested = subqueries(tree)
        reason = _reason(answer)
        if nested and len(known) == 1:
            # Such a subquery reads the row around it, so that it cannot be a call of its own.
            reason = "its subqueries are correlated only"
        elif nested and len(agreeing) == 1:
            reason = "differs: composed calls do not give the same rows"
        elif nested and not reason and not all(step.rows for run in runs for step in run):
            reason = "a subquery finds nothing, so that it filters nothing"
        return _Read(answer, agreeing, ordered, reason, plain=not nested)

    def _problems(self, pair: Pair, read: _Read) -> None:
        """The pair's own problem, and those with other values."""
        assert read.answer is not None
        origin = _id(pair.database, pair.question)
        own = Variant(pair.question, {}, read.agreeing)
        self.found.problems.append(self._problem(own, origin, origin, read.answer, read.ordered))
        made = 0
        for variant in variants(pair, read.agreeing, self.database, self.given.seed):
            # A variant must find something by each of its ways, or it would ask for nothing.
            if made >= self.given.most_variants:
                break
            runs = [run_way(self.database, way) for way in variant.ways]
            first = runs[0][-1] if runs[0] else None
            if first is None or _reason(first) or _counts_nothing(first):
                continue
            # Ways that agree for the pair's own values may differ for others, where the query only happened to be the
            # same.
            agree = all(run and same_rows(run[-1].rows, first.rows, read.ordered) for run in runs)
            if agree and all(map(partial(earlier_calls_matter, self.database), variant.ways, runs)):
                id = _id(pair.database, variant.question)
                self.found.problems.append(self._problem(variant, id, origin, first, read.ordered))
                made += 1

    def _problem(self, variant: Variant, id: str, origin: str, answer: Answer, ordered: bool) -> DraftProblem:
        return DraftProblem(
            id=id,
            origin=origin,
            question=variant.question,
            database=self.given.database,
            columns=answer.columns,
            rows=answer.rows,
            ordered=ordered,
            solutions=tuple(tuple(_step(use.function, use.arguments) for use in way) for way in variant.ways),
            replaced=variant.replaced,
        )

    def _columns(self, query: Parametrised) -> tuple[str, ...] | None:
        """The names of a subquery's columns; None where SQLite cannot prepare it alone."""
        try:
            return self.database.columns(strict_sql_of(query.tree), {slot.name: None for slot in query.slots})
        except QueryFailed:
            return None

    def _keep(self, way: Way, run: Sequence[Answer]) -> None:
        """Keep a way's functions, joined with what is known of them."""
        for place, (use, answer) in enumerate(zip(way, run, strict=True)):
            function = use.function
            outer = any(slot.scratchpad for slot in function.slots)
            kind: Kind = "outer" if outer else "subquery" if place < len(way) - 1 else "whole"
            made = self._draft(function, kind, answer.columns)
            known = self.found.functions.get(function.sql)
            self.found.functions[function.sql] = made if known is None else _joined(known, made)

    def _draft(self, function: Parametrised, kind: Kind, keys: tuple[str, ...]) -> FunctionDraft:
        wording = Wording(self.schema)
        return FunctionDraft(
            database=self.given.database,
            sql=function.sql,
            kind=kind,
            parameters=tuple(parameter(slot) for slot in function.slots),
            description=wording.sentence(function.tree),
            columns=tuple(wording.columns(function.tree)),
            literals=frozenset(str(value) for value in function.values.values()),
            keys=keys,
        )


def _joined(one: FunctionDraft, other: FunctionDraft) -> FunctionDraft:
    """Two drafts of the same SQL as one."""
    parameters = tuple(
        replace(first, types=_types({*first.types, *second.types}))
        for first, second in zip(one.parameters, other.parameters, strict=True)
    )
    kind = min(one.kind, other.kind, key=ORDER.index)
    return replace(one, kind=kind, parameters=parameters, literals=one.literals | other.literals)


def _types(types: set[str]) -> tuple[str, ...]:
    return tuple(sorted(types - {"integer"} if "number" in types else types))


def _reason(answer: Answer) -> str:
    """The reason why an answer makes no problem; empty where it makes one."""
    if not answer.rows:
        return "the answer is empty"
    if any(cell is None for row in answer.rows for cell in row):
        return "the answer holds null"
    if len(answer.rows) > MOST_ANSWER_ROWS:
        return f"the answer has more than {MOST_ANSWER_ROWS} rows"
    return ""


def _counts_nothing(answer: Answer) -> bool:
    """Return whether an answer is nothing but zeros: what was to be counted or added up does not exist."""
    return all(cell == 0 for row in answer.rows for cell in row)


def _step(function: Parametrised, arguments: Mapping[str, Any]) -> DraftStep:
    values = {name: value for name, value in arguments.items() if not isinstance(value, EarlierRows)}
    rows = {name: value.of for name, value in arguments.items() if isinstance(value, EarlierRows)}
    return DraftStep(function.sql, values, rows)


def _id(database: str, question: str) -> str:
    return f"{database}-{digest('problem', database, question) >> 24:010x}"


def _left_out(pair: Pair, reason: str, functions: bool = False) -> SkippedPair:
    return SkippedPair(pair.number, pair.database, pair.question, reason, functions)


def by_database(
    folder: Path, pairs: Sequence[Pair], names: Mapping[str, Any], seed: int, most_variants: int
) -> list[DraftJob]:
    """The pairs of each database, in the order of the databases' names."""
    grouped: dict[str, list[Pair]] = {}
    for pair in pairs:
        grouped.setdefault(pair.database, []).append(pair)
    return [
        DraftJob(str(folder), name, tuple(grouped[name]), names.get(name, {}), seed, most_variants)
        for name in sorted(grouped)
    ]


__all__ = [
    "MOST_ANSWER_ROWS",
    "DraftJob",
    "DraftProblem",
    "DraftStep",
    "Drafts",
    "FunctionDraft",
    "SkippedPair",
    "by_database",
    "draft_functions",
]
