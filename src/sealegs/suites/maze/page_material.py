"""A run as the reports want it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sealegs import __version__
from sealegs.engines.logs import LogError
from sealegs.reports.maze_page import Material
from sealegs.scenarios.scenario import VERSION
from sealegs.scoring.maze_metrics import MazeResult, paired_difference
from sealegs.scoring.metric import Row
from sealegs.suites.maze.maze_logs import MazeRun, read_maze_run
from sealegs.suites.maze.recovery_ceiling import HABITS, OTHERS, ceiling


def build_page_material(
    run: MazeRun,
    results: Sequence[MazeResult],
    rows: Sequence[Row],
    compared: Sequence[Row],
    limits: Sequence[Row] = (),
) -> Material:
    """Put together what a page is made of; `limits` are the run's `ceilings`."""
    verdicts = zip(run.records.items(), results, strict=True)
    seeds = sorted({episode.seed for episode in run.records})
    notes = {"sealegs": __version__, "suite version": VERSION, "seed": ", ".join(map(str, seeds))}
    return Material(
        who=run.who,
        rows=list(rows),
        results=list(results),
        episodes=[(found, episode.case(found), result.verdict) for (episode, found), result in verdicts],
        warnings=run.warnings,
        notes=notes,
        differences=list(compared),
        ceilings=list(limits),
    )


def ceilings(run: MazeRun) -> list[Row]:
    """What the active form of recovery can reach at most in these episodes (`reach`); empty where it had no part."""
    helped = {found.about.get("recovery") for found in run.records.values()}
    if helped != {"active"}:
        return []
    agents = {str(found.about.get("agent", "")) for found in run.records.values()}
    habits = HABITS.get(agents.pop(), OTHERS) if len(agents) == 1 else OTHERS
    return ceiling(run.records, run.who, habits)


def differences(run: MazeRun, other: Path) -> list[Row]:
    """How much higher each metric is in the run than in the other one, over the episodes that both have."""
    before = read_maze_run(other)
    drawn, drawn_before = ({(e.seed, e.own) for e in found.records} for found in (run, before))
    if drawn != drawn_before:
        raise LogError(
            f"{other} has other faults than this run (seed or plan differ); compare runs of one seed and plan"
        )
    return paired_difference(before.results(), run.results(), run.who)
