"""The train split of Spider, where it is at hand: SEALEGS_SPIDER names the unpacked folder."""

import os
from pathlib import Path
from statistics import median
from time import perf_counter

import pytest

from sealegs.faults.call import Value
from sealegs.generate.library_build import build_library, published_library_counts
from sealegs.world.sql.database import same_rows
from sealegs.world.sql.function_library import Library
from tests import needs

SPIDER = os.environ.get("SEALEGS_SPIDER", "")


@pytest.mark.skipif(not SPIDER, reason=needs.SPIDER)
def test_spider(tmp_path: Path) -> None:
    found = build_library(Path(SPIDER), tmp_path / "out", jobs=2)
    assert found.seconds < 180
    assert abs(found.library.functions / published_library_counts()["functions"] - 1) < 0.01
    library = Library.open(tmp_path / "out")
    seconds: list[float] = []
    for problem in library.problems:
        for solution in problem.solutions:
            begun = perf_counter()
            outcome = library.answers(solution)
            seconds.append((perf_counter() - begun) / len(solution.steps))
            assert isinstance(outcome, Value)
            assert same_rows(outcome.value, problem.rows, problem.ordered)
    assert median(seconds) < 0.001
