"""The oracle is right in every cell of every setting: a failure is the agent's own, and not the task's or the judge's.

It is slow: 400 tasks in each of 28 combinations, about four minutes of one core.
"""

from __future__ import annotations

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.scenarios import MODES
from sealegs.scenarios.moments import SETTINGS
from sealegs.scenarios.perturbation import IMPLICIT_SETTINGS, LADDER
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import base_tasks
from sealegs.scoring import judge
from sealegs.traces import build_record

IMPLICIT_MODES = ("P3", "P4")  # of the others the implicit faults' setting changes nothing
CELLS = [
    (implicit, moment, mode)
    for implicit in IMPLICIT_SETTINGS
    for moment in SETTINGS
    for mode in MODES
    if implicit == LADDER or mode in IMPLICIT_MODES
]


@pytest.mark.slow
@pytest.mark.parametrize(("implicit", "moment", "mode"), CELLS)
def test_the_oracle_is_right_in_every_task(implicit: str, moment: str, mode: str) -> None:
    wrong = []
    for name in base_tasks():
        episode = Scenario(name, mode, moment=moment, implicit=implicit)
        record = build_record(play_scenario(episode, "oracle"))
        verdict = judge(record, episode.case(record))
        found = (verdict.success, verdict.outcome, verdict.redundancy, verdict.exposed, verdict.harmed)
        if found != (True, True, 0.0, mode != "NP", False):
            wrong.append((episode.id, found, verdict.reasons, verdict.outcome_reasons))
    assert wrong == []
