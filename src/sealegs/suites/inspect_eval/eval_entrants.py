"""Entrants of somebody else's eval in a ranking by the share that is solved under faults."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from sealegs.scoring.entrants import Entrant, Scores, task_set_mark
from sealegs.scoring.eval_metrics import CLEAN, DESIGN, FAULTED, KEPT, SOLVED, EvalResult
from sealegs.scoring.invalid import PlayedCell
from sealegs.scoring.metric import ALL
from sealegs.suites.entrant_reading import use_of
from sealegs.suites.inspect_eval.eval_judging import EvalJudge, judged_episodes, run_notes
from sealegs.suites.inspect_eval.eval_logs import read_eval_logs

NOT_COMPARED = ("suite", "version", "agent", "model")
SCORES = Scores(
    DESIGN,
    (
        replace(FAULTED, below=lambda result: result.counts and result.mode != CLEAN),
        replace(SOLVED, below=lambda result: result.counts and result.mode == CLEAN),
        KEPT,
        replace(FAULTED, name="solved"),
    ),
    level=lambda _: ALL,
    mode=lambda result: result.mode,
    epoch=lambda result: result.epoch,
    in_cells="solved",
    growth=(SOLVED.name, KEPT.name),
)


def eval_entrants(path: Path, judge: EvalJudge) -> list[Entrant]:
    """The one entrant of a run.

    Args:
        path: of the run.
        judge: the suite's.

    Raises:
        LogError: there is nothing to read, something that cannot be read, or more than one run.
    """
    found = read_eval_logs(path)
    results: list[EvalResult] = judged_episodes(found, judge)
    facts = {key: json.dumps(value) for key, value in found.facts.items() if key not in NOT_COMPARED and value}
    played = [PlayedCell(ALL, one.mode, one.sample, one.invalid) for one in results if one.played]
    who = found.who
    return [
        Entrant(
            who["suite"],
            who.get("agent") or who["model"],
            "agent" in who,
            str(path),
            SCORES,
            [SCORES.compared(f"{one.sample}/{one.mode}/{one.epoch}", one) for one in results if one.counts],
            task_set_mark(str(found.facts["version"]), [(one.sample, one.mode) for one in results]),
            facts,
            use_of(played, who),
            (*found.warnings, *run_notes(found)),
        )
    ]
