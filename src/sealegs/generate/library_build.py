"""Building a library of functions: processes, the clock, a model's words; what came of it beside the published counts.

The building itself is `sealegs.world.sql.build`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sealegs.faults.csv_tables import table_rows
from sealegs.faults.user_error import UserError
from sealegs.inject.clock import RealClock
from sealegs.scoring.metric import ALL, Row
from sealegs.traces.folder_lock import FolderLock

if TYPE_CHECKING:
    from sealegs.world.sql.build import BuildResult, Each
    from sealegs.world.sql.library_check import LibraryCheck

COUNTS = "highwater_counts.csv"
WHAT = {
    "questions": "questions with a subquery left after filtering",
    "problems": "problems after augmentation",
    "validation": "validation problems",
    "test": "test problems",
    "functions": "functions",
}


@dataclass(frozen=True)
class LibraryYield:
    """The yield of a build, and its duration.

    Attributes:
        library: its counts.
        seconds: wall-clock time.
    """

    library: BuildResult
    seconds: float

    @property
    def counts(self) -> dict[str, int]:
        """Every count by the words of the published list."""
        about = self.library.about() | {"test": self.library.problems - self.library.validation}
        counts = {words: int(about[name]) for name, words in WHAT.items()}
        for arguments, count in self.library.functions_by_arguments.items():
            counts[_with_arguments(arguments)] = count
        return counts

    def about(self) -> dict[str, Any]:
        """The facts that come before the rows."""
        return {**self.library.about(), "seconds": round(self.seconds, 2)}

    def pairs(self) -> list[tuple[str, str, str]]:
        """Each count beside the published one."""
        theirs = published_library_counts()
        names = dict.fromkeys([*self.counts, *theirs])
        return [(name, _format_count(self.counts.get(name)), _format_count(theirs.get(name))) for name in names]

    def rows(self) -> list[Row]:
        """Every count in the long table, ours and the published, and the seconds."""
        rows = [_row("sealegs", name, count) for name, count in self.counts.items()]
        rows.append(_row("sealegs", "seconds", self.seconds))
        return rows + [_row("published", name, count) for name, count in published_library_counts().items()]


def build_library(
    folder: Path,
    out: Path,
    pairs: Path | None = None,
    seed: int = 0,
    variants: int = 12,
    model: str = "",
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> LibraryYield:
    """Build a library with processes side by side.

    Args:
        folder, out, pairs, seed, progress: as in `sealegs.world.sql.build.compile_library`.
        variants: the most variants of a question with other values.
        model: the model that describes the functions, as Inspect names it; without one, rules do.
        jobs: processes; all cores by default.

    Raises:
        UserError: something given cannot be used, or SQLGlot is not installed.
    """
    if find_spec("sqlglot") is None:
        raise UserError("building functions needs SQLGlot: pip install 'sealegs[highwater]'")
    from sealegs.engines.workers import WorkerPool
    from sealegs.world.sql.build import compile_library, folder_aside

    clock = RealClock()
    write = None
    if model:
        from sealegs.generate.staged.text_model import writer

        write = writer(model)
    with ExitStack() as stack:
        stack.enter_context(FolderLock(folder_aside(out)))
        each: Each = map if jobs == 1 else stack.enter_context(WorkerPool(jobs)).map
        found = compile_library(
            folder, out, pairs, seed=seed, most_variants=variants, each=each, write=write, progress=progress
        )
    return LibraryYield(found, clock.now())


def library_check_rows(found: LibraryCheck, name: str) -> list[Row]:
    """The figures of a library's check in the long table; `level` is the library's name."""
    return [{**_row("sealegs", metric, value), "level": name} for metric, value in found.counts().items()]


@cache
def published_library_counts() -> dict[str, int]:
    """The counts of Hell or High Water (arXiv 2508.11027), by what is counted."""
    text = files("sealegs.generate").joinpath(COUNTS).read_text(encoding="utf-8")
    return {row["what"]: int(row["count"]) for row in table_rows(text)}


def _with_arguments(count: int) -> str:
    return f"functions with {count} argument{'' if count == 1 else 's'}"


def _row(who: str, metric: str, value: float) -> Row:
    return {
        "suite": "highwater",
        "agent": who,
        "level": ALL,
        "mode": ALL,
        "metric": metric,
        "value": value,
        "low": None,
        "high": None,
        "n": 1,
    }


def _format_count(count: int | None) -> str:
    return "–" if count is None else f"{count:,}"
