"""The functions and problems that a run is about: the package's own, or a folder that `highwater build` wrote."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from sealegs.suites.highwater.own import OWN
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
