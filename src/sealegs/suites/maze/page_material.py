"""A run as the reports want it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealegs import __version__
from sealegs.engines.logs import LogError
from sealegs.reports.maze_page import Material
from sealegs.reports.metric_grids import MazeResults
from sealegs.reports.suite_page import task_set_fact
from sealegs.scenarios.scenario_setup import recovers_by_itself
from sealegs.scoring.maze_metrics import MazeResult, paired_difference
from sealegs.scoring.metric import Row
from sealegs.suites.maze.judged_maze import JudgedMaze
from sealegs.suites.maze.recovery_ceiling import HABITS, OTHERS, with_reach


def build_page_material(
    run: JudgedMaze, rows: Sequence[Row], compared: Sequence[Row], limits: Sequence[Row] = ()
) -> Material:
    """Put together what a page is made of; `limits` are the rows of the ceiling."""
    seeds = sorted({seed for seed, _ in run.faults})
    notes = {"sealegs": __version__, **task_set_fact(rows), "seed": ", ".join(map(str, seeds))}
    return Material(
        who=run.who,
        rows=list(rows),
        results=MazeResults(run.results.values()),
        episodes=run.candidates.kept(),
        prompts=frozenset({run.facts["prompt"]}),
        warnings=run.warnings,
        notes=notes,
        differences=list(compared),
        ceilings=list(limits),
    )


def ceiled_results(run: JudgedMaze) -> list[MazeResult]:
    """The results with what active recovery can reach, where it had a part in the run."""
    if not recovers_by_itself(run.facts):
        return [*run.results.values()]
    return [*with_reach(run.results, HABITS.get(run.facts["agent"], OTHERS)).values()]


def differences(run: JudgedMaze, before: JudgedMaze, other: Path) -> list[Row]:
    """The gain of each metric in the run over the one before, over the episodes that both have.

    Args:
        run, before: the two.
        other: where the one before is.

    Raises:
        LogError: they have other faults.
    """
    if run.faults != before.faults:
        raise LogError(
            f"{other} has other faults than this run (seed or plan differ); compare runs of one seed and plan"
        )
    return paired_difference(list(before.results.values()), list(run.results.values()), run.who)
