"""The questions and databases that come with the package, so that the suite runs with nothing to download.

It is laid out as `sealegs.world.sql.build.compile_library` reads it: `pairs.json`, and scripts in `databases`. The
table of functions and problems that was made from them is there too, so SQLGlot is not needed. After changing the
questions, make it again: `python -m sealegs.suites.highwater.own` (needs the extra `highwater`).
"""

from __future__ import annotations

import tempfile
from importlib import resources
from pathlib import Path

from sealegs.world.sql.function_library import TABLE

OWN = Path(str(resources.files("sealegs.suites.highwater"))) / "data"
VARIANTS = 2  # so that a run with all of them takes a minute


def compile_own_library() -> bytes:
    """Make the table of the package's own functions and problems again."""
    from sealegs.world.sql.build import compile_library

    with tempfile.TemporaryDirectory() as folder:
        compile_library(OWN, Path(folder) / "library", most_variants=VARIANTS)
        return (Path(folder) / "library" / TABLE).read_bytes()


if __name__ == "__main__":
    (OWN / TABLE).write_bytes(compile_own_library())
