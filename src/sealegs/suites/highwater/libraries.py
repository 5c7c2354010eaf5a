"""The functions and problems that a run is about: the package's own, or a folder that `highwater build` wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from sealegs.faults.call import Failure
from sealegs.faults.mistake import Mistake
from sealegs.suites.highwater.own import OWN
from sealegs.world.sql.database import find_database, same
from sealegs.world.sql.library import TABLE, Library, Problem

SHIPPED = ""


@dataclass(frozen=True)
class Data:
    """A library and what the suite asks of it.

    Attributes:
        library: the functions and problems.
        digest: tells one table from another.
    """

    library: Library
    digest: str

    @cached_property
    def problems(self) -> Mapping[str, Problem]:
        """By id."""
        return {problem.id: problem for problem in self.library.problems}


@cache
def data(folder: str = SHIPPED) -> Data:
    """The data in a folder, or the package's own.

    Raises:
        Mistake: the folder holds no library, or one that cannot be read.
    """
    home = Path(folder) if folder else OWN
    library = Library.open(home)
    return Data(library, hashlib.sha256((home / TABLE).read_bytes()).hexdigest()[:16])


def check(folder: str, problems: Iterable[Problem]) -> None:
    """Whether the databases still answer as they did when the library was built: else no agent could be right.

    Raises:
        Mistake: a database is gone, damaged or another one.
    """
    library = data(folder).library
    for problem in problems:
        found = library.answers(problem.solutions[0])
        if isinstance(found, Failure) or not same(found.value, problem.rows, problem.ordered):
            place = find_database(library.folder, problem.database)
            why = found.message if isinstance(found, Failure) else "it gives other rows"
            raise Mistake(f"{place} is not the database that {library.folder} was built of ({why}); build it again")
