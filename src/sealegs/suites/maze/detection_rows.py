"""Results of the measurement of detectors, as rows of the long table, and the tables that are printed.

`level` names the material that was learned from, `mode` the answers that are counted (`NP`: clean ones, whose rate is
that of false alarms; a mode, a corruption, or `unseen tools`: faulted ones), `metric` the detector that called them
wrong, with the wanted share of false alarms. Rates are in %, and their intervals cluster by base task, those of clean
episodes by episode. What is not in it: the rate at a threshold that was set on the tested answers themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rich.console import Console

from sealegs.faults.corruption import FAMILIES
from sealegs.reports.tables import print_table
from sealegs.scoring.maze_metrics import CLEAN, MazeResult, maze_table
from sealegs.scoring.metric import ALL, Design, EpisodeTable, Metric, Row, estimate, figure_row
from sealegs.suites.maze.detecting import AGENT, ARMS, FAULTED_MODES, PER, WANTED, CheckedAnswer, Marks

SUITE = "maze-detectors"
UNSEEN = "unseen tools"
WHO: Row = {"suite": SUITE, "agent": AGENT}
FINE = 10  # %: below it, the ends of an interval have a decimal


@dataclass(frozen=True, slots=True)
class CheckedEpisode:
    """The detections in a clean episode, by any detector."""

    episode: str
    detections: frozenset[Marks]


ANSWERS = Design[CheckedAnswer](stratum=lambda _: "", cluster=lambda answer: answer.task)
EPISODES = Design[CheckedEpisode](stratum=lambda _: "", cluster=lambda one: one.episode)


def detection_rows(level: str, found: Sequence[CheckedAnswer]) -> list[Row]:
    """The rows of one record that was learned from; answers of tools that it lacks are kept apart."""
    rows = []
    answers = EpisodeTable(found, ANSWERS)
    known = answers.where(lambda one: one.known)
    clean, faulted = known.where(lambda one: not one.kind), known.where(lambda one: bool(one.kind))
    unseen = answers.where(lambda one: not one.known)
    groups = {CLEAN: clean, ALL: faulted}
    groups |= _parts(faulted, FAULTED_MODES, lambda one: one.mode)
    groups |= _parts(faulted, FAMILIES, lambda one: one.kind)
    groups[UNSEEN] = unseen.where(lambda one: bool(one.kind))
    groups[f"{UNSEEN}, {CLEAN}"] = unseen.where(lambda one: not one.kind)
    episodes = EpisodeTable(_episodes(clean), EPISODES)
    for share, per, arm in product(WANTED, PER, ARMS):
        marks = arm, share, per
        if per == "episode" and not any(marks in one.detections for one in found if arm != "declared"):
            continue
        metric = f"{arm}, {100 * share:g} % per {per}"
        of_answers = Metric[CheckedAnswer](metric, _called_wrong(marks))
        of_episodes = Metric[CheckedEpisode](metric, _called_wrong(marks))
        rows += [figure_row(WHO, level, name, metric, estimate(of_answers, group)) for name, group in groups.items()]
        rows.append(figure_row(WHO, level, f"{CLEAN} episodes", metric, estimate(of_episodes, episodes)))
    return rows


def _called_wrong(marks: Marks) -> Callable[[CheckedAnswer | CheckedEpisode], bool]:
    return lambda one: marks in one.detections


def _parts(
    answers: EpisodeTable[CheckedAnswer], names: Iterable[str], key: Callable[[CheckedAnswer], str]
) -> dict[str, EpisodeTable[CheckedAnswer]]:
    """The part of each name, which may be empty."""
    parts = answers.by(key)
    return {name: parts.get(name, answers.where(lambda _: False)) for name in names}


def _episodes(answers: Iterable[CheckedAnswer]) -> list[CheckedEpisode]:
    """The clean episodes."""
    detections: dict[str, set[Marks]] = {}
    for one in answers:
        detections.setdefault(one.episode, set()).update(one.detections)
    return [CheckedEpisode(episode, frozenset(marks)) for episode, marks in detections.items()]


def guarded_rows(agent: str, arms: Mapping[str, Sequence[MazeResult]]) -> list[Row]:
    """An agent's rows with and without recovery; `agent` says which."""
    rows: list[Row] = []
    for arm, results in arms.items():
        who: Row = {"suite": SUITE, "agent": f"{agent}, recovery {arm}"}
        rows += [
            row
            for row in maze_table(list(results), who)
            if row["level"] == ALL and row["metric"] in ("tsr", "prr", "rc")
        ]
    return rows


COLUMNS = {
    "learned\n1 % per answer": "learned, 1 % per answer",
    "learned\n5 % per answer": "learned, 5 % per answer",
    "learned\n1 % per episode": "learned, 1 % per episode",
    "learned\n5 % per episode": "learned, 5 % per episode",
    "and leak pattern\n1 % per answer": "learned and leak pattern, 1 % per answer",
    "and declared\n1 % per answer": "declared and learned, 1 % per answer",
}


def detection_lines(rows: Sequence[Row], level: str) -> Iterator[tuple[str, ...]]:
    """The results of learning from one record, line by line: the answers, their number, and the rates in `COLUMNS`."""
    values = {(row["mode"], row["metric"]): row for row in rows if row["level"] == level}
    for name in dict.fromkeys(name for name, _ in values):
        found = [values.get((name, metric)) for metric in COLUMNS.values()]
        count = max((row["n"] for row in found if row is not None), default=0)
        if count:
            yield name, f"{count:,}", *("–" if row is None else _format_figure(row) for row in found)


def guarded_lines(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """Each agent and recovery: TSR in the modes, PRR, RC."""
    values = {(row["agent"], row["metric"], row["mode"]): row for row in rows}
    for agent in dict.fromkeys(row["agent"] for row in rows if ", recovery " in row["agent"]):
        found = [values.get((agent, "tsr", mode)) for mode in (CLEAN, *FAULTED_MODES)]
        found += [values.get((agent, metric, ALL)) for metric in ("prr", "rc")]
        yield agent, *("–" if row is None else _format_figure(row) for row in found)


GUARDED = (CLEAN, *FAULTED_MODES, "PRR", "RC")


def print_detection(rows: Sequence[Row], levels: Sequence[str], console: Console) -> None:
    """Print a table for each record that was learned from, and one of recovery where it was measured."""
    for level in levels:
        print_table(f"Learned from {level}: called wrong, %", ("n", *COLUMNS), detection_lines(rows, level), console)
    if guarded := list(guarded_lines(rows)):
        print_table("Recovery with what is declared, or learned alone", GUARDED, guarded, console)


def _format_figure(row: Row) -> str:
    value, low, high = row["value"], row["low"], row["high"]
    if value is None:
        return "–"
    places = 1 if value < FINE else 0
    return f"{value:.1f}" if low is None or high is None else f"{value:.1f} [{low:.{places}f}, {high:.{places}f}]"
