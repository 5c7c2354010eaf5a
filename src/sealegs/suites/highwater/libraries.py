"""The functions and problems that a run is about: the package's own, or a folder that `highwater build` wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from sealegs.faults.call import Failure
from sealegs.faults.user_error import UserError
from sealegs.suites.highwater.own import OWN
from sealegs.tasks.editions import contents_digest
from sealegs.world.sql.database import find_database, same_rows
from sealegs.world.sql.function_library import TABLE, Library, SqlProblem

SHIPPED = ""


@dataclass(frozen=True)
class LibraryData:
    """A library and what the suite asks of it.

    Attributes:
        library: the functions and problems.
        digest: tells one table from another.
    """

    library: Library
    digest: str

    @cached_property
    def problems(self) -> Mapping[str, SqlProblem]:
        """The problems by id."""
        return {problem.id: problem for problem in self.library.problems}


@cache
def library_data(folder: str = SHIPPED) -> LibraryData:
    """The data in a folder, or the package's own.

    Raises:
        UserError: the folder holds no library, or one that cannot be read.
    """
    home = Path(folder) if folder else OWN
    library = Library.open(home)
    return LibraryData(library, contents_digest([(home / TABLE).read_bytes()]))


def check_databases(folder: str, problems: Iterable[SqlProblem]) -> None:
    """Check that the databases still answer as they did when the library was built: otherwise no agent could be right.

    Raises:
        UserError: a database is gone, damaged or a different one.
    """
    library = library_data(folder).library
    for problem in problems:
        found = library.answers(problem.solutions[0])
        if isinstance(found, Failure) or not same_rows(found.value, problem.rows, problem.ordered):
            place = find_database(library.folder, problem.database)
            why = found.message if isinstance(found, Failure) else "it gives other rows"
            raise UserError(f"{place} is not the database that {library.folder} was built of ({why}); build it again")
