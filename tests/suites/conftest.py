"""What tests of several suites share."""

from __future__ import annotations

from collections import Counter
from functools import wraps
from typing import Any

import pytest

from sealegs.scenarios.scenario import Scenario
from sealegs.suites.maze.suite import SUITE, MazeSuite


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each episode was judged."""
    found: Counter[str] = Counter()
    judge = SUITE.judge

    @wraps(judge)  # tables are of a judge, by its name
    def count(episode: Scenario, record: Any) -> Any:
        found[episode.id] += 1
        return judge(episode, record)

    monkeypatch.setattr(MazeSuite, "judge", staticmethod(count))
    return found
