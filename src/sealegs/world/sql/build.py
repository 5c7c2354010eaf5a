"""From pairs of questions and SQL to a folder of functions and problems.

Each database is worked through alone, in any process, and what it gives depends on its pairs and the seed; so the
folder is the same, byte for byte, with any number of processes. It is written beside its place and moved there whole.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sealegs.faults.seeds import digest
from sealegs.faults.user_error import UserError
from sealegs.tasks.editions import CANARY, CANARY_FIELD
from sealegs.world.sql.database import mark_database
from sealegs.world.sql.documentation import DocumentedFunction, Write, document_by_model, document_by_rule
from sealegs.world.sql.drafts import (
    DraftJob,
    DraftProblem,
    Drafts,
    FunctionDraft,
    SkippedPair,
    by_database,
    draft_functions,
)
from sealegs.world.sql.function_library import TABLE, Solution, SolutionStep, SqlFunction, SqlProblem, write_table
from sealegs.world.sql.function_library import StepArgument as Argument
from sealegs.world.sql.pairs import read_names, read_pairs

LETTERS = "bcdfghjkmnpqrstvwxz23456789"  # no words, and nothing that is read for another
LENGTH = 5
VALIDATION = 0.1
NEW, OLD = "new", "old"  # aside: the library that is made, and the one that it replaces
VARIANTS = 12
SHARE = 0.1  # of the problems that one database may give; what is as written is never left out for it
LEFT_OUT = "left_out.jsonl"

Each = Callable[[Callable[[DraftJob], Drafts], Iterable[DraftJob]], Iterable[Drafts]]


@dataclass(frozen=True)
class BuildResult:
    """The result of a build.

    Attributes:
        questions: problems as written.
        problems: with those made by other values.
        validation: how many of them are for validation.
        functions: all.
        functions_by_arguments: how many take so many arguments; a scratchpad counts as one.
        functions_by_kind: how many are whole queries, subqueries, outer queries.
        plain: pairs without a subquery: they give functions alone.
        left_out: the other pairs that give no problem.
        documentation: how many functions are described by rule, and by a model.
    """

    questions: int
    problems: int
    validation: int
    functions: int
    functions_by_arguments: Mapping[int, int]
    functions_by_kind: Mapping[str, int]
    plain: int
    left_out: tuple[SkippedPair, ...]
    documentation: Mapping[str, int]

    def about(self) -> dict[str, Any]:
        """The counts as JSON has them."""
        about = asdict(self)
        about["functions_by_arguments"] = {str(n): count for n, count in self.functions_by_arguments.items()}
        about["left_out"] = len(self.left_out)
        return about


def compile_library(
    folder: Path,
    out: Path,
    pairs: Path | None = None,
    *,
    seed: int = 0,
    most_variants: int = VARIANTS,
    each: Each = map,
    write: Write | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> BuildResult:
    """Make functions and problems of pairs, and write them into a folder.

    Args:
        folder: holds the databases, in Spider's layout or plainly.
        out: the folder to write; a library that is there is replaced.
        pairs: the file of pairs; one of the usual names in the folder by default.
        seed: decides names, other values and the split.
        most_variants: how many variants a question has with other values.
        each: like `map`; a process pool's does the databases side by side.
        write: a model that describes functions: prompt in, text out; by rule where there is none.
        progress: called with how many databases are done, and the total.

    Raises:
        UserError: pairs, folder or target cannot be used.
    """
    given = by_database(folder, read_pairs(folder, pairs), read_names(folder), seed, most_variants)
    _check_target(out)
    found: list[Drafts] = []
    for drafts in each(draft_functions, given):
        found.append(drafts)
        progress(len(found), len(given))
    # Sorted by their SQL, so that names depend on what a function does and not on which process was done first.
    drafted = [function for drafts in found for function in sorted(drafts.functions.values(), key=_sql)]
    names = opaque_names([(function.database, function.sql) for function in drafted], seed)
    documented = document_by_rule(drafted) if write is None else document_by_model(drafted, write)
    functions = sorted((_function(one, names) for one in documented), key=lambda function: function.name)
    problems = _split(limit_shares(_problems(found, names), seed), seed)
    left_out = sorted((one for drafts in found for one in drafts.left_out), key=lambda one: one.number)
    if not functions:
        reasons = "\n".join(f"pair {one.number} ({one.database}): {one.reason}" for one in left_out[:20])
        raise UserError(f"no pair gives a function:\n{reasons}")
    built = _counted(functions, problems, sum(drafts.plain for drafts in found), left_out, documented)
    used = {function.database for function in functions}
    databases = {place.database: drafts.path for place, drafts in zip(given, found, strict=True)}
    _write(out, {"seed": seed, **built.about()}, functions, problems, left_out, {n: databases[n] for n in sorted(used)})
    return built


def opaque_names(keys: Sequence[tuple[str, str]], seed: int) -> dict[tuple[str, str], str]:
    """An undescriptive name for each function. It depends on the seed and the function alone, but where two would
    have the same one: then the later one of the two in the alphabet moves on.
    """
    names: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for key in sorted(keys):
        number = 0
        while (name := _name(digest("highwater", "name", seed, *key, number))) in taken:
            number += 1
        names[key] = name
        taken.add(name)
    return names


def _name(number: int) -> str:
    letters = []
    for _ in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return "fn_" + "".join(letters)


def _function(one: DocumentedFunction, names: Mapping[tuple[str, str], str]) -> SqlFunction:
    made = one.draft
    return SqlFunction(
        name=names[made.database, made.sql],
        database=made.database,
        kind=made.kind,
        sql=made.sql,
        parameters=tuple(
            replace(parameter, description=one.parameters[parameter.name]) for parameter in made.parameters
        ),
        description=one.description,
        columns=made.columns,
        keys=made.keys,
    )


def _problems(found: Iterable[Drafts], names: Mapping[tuple[str, str], str]) -> list[SqlProblem]:
    """The problems with names in them: those as written first, so that no made one takes a written one's place."""
    drafts = [problem for one in found for problem in one.problems]
    kept: dict[str, SqlProblem] = {}
    for problem in sorted(drafts, key=lambda problem: problem.id != problem.origin):
        kept.setdefault(problem.id, _problem(problem, names))
    return sorted(kept.values(), key=lambda problem: problem.id)


def _problem(made: DraftProblem, names: Mapping[tuple[str, str], str]) -> SqlProblem:
    solutions = []
    for way in made.solutions:
        steps = tuple(
            SolutionStep(
                names[made.database, step.sql],
                {name: Argument(value=value) for name, value in step.values.items()}
                | {name: Argument(rows=place) for name, place in step.rows.items()},
            )
            for step in way
        )
        solutions.append(Solution("direct" if len(steps) == 1 else "composed", steps))
    return SqlProblem(
        id=made.id,
        question=made.question,
        database=made.database,
        columns=made.columns,
        rows=made.rows,
        ordered=made.ordered,
        solutions=tuple(solutions),
        replaced=made.replaced,
        origin=made.origin,
    )


def limit_shares(problems: Sequence[SqlProblem], seed: int) -> list[SqlProblem]:
    """The problems without variants by which one database would give more than `SHARE` of them.

    The question with the most variants loses one first. Databases too few to keep to the share keep all variants, and
    no question as written is left out.
    """
    kept = {problem.id: problem for problem in problems}
    if len({problem.database for problem in problems}) <= 1 / SHARE:
        return list(problems)
    while True:
        # Anew each time: what is dropped makes the whole smaller, and with it what a database may give.
        most = int(SHARE * len(kept))
        counts = Counter(problem.database for problem in kept.values())
        over = [name for name, count in counts.items() if count > most]
        dropped = [id for name in over for id in _surplus(name, kept.values(), counts[name] - most, seed)]
        if not dropped:
            return list(kept.values())
        for id in dropped:
            del kept[id]


def _surplus(database: str, problems: Iterable[SqlProblem], count: int, seed: int) -> list[str]:
    """The ids of so many variants of a database, or of as many as there are."""
    here = [problem for problem in problems if problem.database == database and problem.id != problem.origin]
    ranks: Counter[str] = Counter()
    order: list[tuple[int, int, str]] = []
    for problem in sorted(here, key=lambda one: digest("highwater", "share", seed, one.id)):
        ranks[problem.origin] += 1
        order.append((-ranks[problem.origin], digest("highwater", "share", seed, problem.id), problem.id))
    return [id for _, _, id in sorted(order)[:count]]


def _split(problems: Sequence[SqlProblem], seed: int) -> list[SqlProblem]:
    """A tenth for validation. Problems that one function solves go together: their answers tell of each other."""
    groups: dict[str, list[SqlProblem]] = {}
    for problem in problems:
        groups.setdefault(problem.solutions[0].steps[0].function, []).append(problem)
    order = sorted(groups, key=lambda name: digest("highwater", "split", seed, name))
    wanted = round(VALIDATION * len(problems))
    chosen: set[str] = set()
    count = 0
    for name in order:
        if count + len(groups[name]) <= wanted:
            chosen.add(name)
            count += len(groups[name])
    return [
        replace(problem, split="validation") if problem.solutions[0].steps[0].function in chosen else problem
        for problem in problems
    ]


def _counted(
    functions: Sequence[SqlFunction],
    problems: Sequence[SqlProblem],
    plain: int,
    left_out: Sequence[SkippedPair],
    documented: Sequence[DocumentedFunction],
) -> BuildResult:
    return BuildResult(
        questions=sum(problem.id == problem.origin for problem in problems),
        problems=len(problems),
        validation=sum(problem.split == "validation" for problem in problems),
        functions=len(functions),
        functions_by_arguments=dict(sorted(Counter(len(function.parameters) for function in functions).items())),
        functions_by_kind=dict(sorted(Counter(str(function.kind) for function in functions).items())),
        plain=plain,
        left_out=tuple(left_out),
        documentation=dict(sorted(Counter(one.by for one in documented).items())),
    )


def _check_target(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out} is a file; name a folder that is new, empty or a library")
    if out.is_dir() and any(out.iterdir()) and not (out / TABLE).is_file():
        raise UserError(f"{out} holds other things; name a folder that is new, empty or a library")


def _write(
    out: Path,
    about: Mapping[str, Any],
    functions: Sequence[SqlFunction],
    problems: Sequence[SqlProblem],
    left_out: Sequence[SkippedPair],
    databases: Mapping[str, str],
) -> None:
    """Write everything beside the target, and move it there."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with _folder_beside(out) as beside:
            made, old = beside / NEW, beside / OLD
            (made / "databases").mkdir(parents=True)
            for name, path in databases.items():
                copied = made / "databases" / f"{name}{Path(path).suffix}"
                shutil.copyfile(path, copied)
                mark_database(copied)
            lines = [json.dumps({**asdict(one), CANARY_FIELD: CANARY}, ensure_ascii=False) + "\n" for one in left_out]
            (made / LEFT_OUT).write_text("".join(lines), encoding="utf-8")
            write_table(made, about, functions, problems)
            if out.exists():
                out.rename(old)
            made.rename(out)
    except (OSError, sqlite3.OperationalError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot write {out}: {reason}; make room, or name another folder") from error


def folder_aside(out: Path) -> Path:
    """The folder in which a library is made before it is moved to its place. Whoever builds there holds it alone."""
    return out.with_name(f".{out.name}.aside")


@contextmanager
def _folder_beside(out: Path) -> Iterator[Path]:
    """The folder aside, empty, which goes in the end. What a killed command left there goes first."""
    # One name for all: so the next command finds it, whichever was killed.
    beside = folder_aside(out)
    beside.mkdir(exist_ok=True)
    _put_back(out, beside)
    for name in (NEW, OLD):
        shutil.rmtree(beside / name, ignore_errors=True)
    try:
        yield beside
    finally:
        _put_back(out, beside)
        shutil.rmtree(beside, ignore_errors=True)


def _put_back(out: Path, beside: Path) -> None:
    """Bring a library back that was taken away for one which never came."""
    if (beside / OLD).exists() and not out.exists():
        (beside / OLD).rename(out)


def _sql(function: FunctionDraft) -> str:
    return function.sql
