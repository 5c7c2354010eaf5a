"""What the measuring of detectors comes to, as rows of the long table, and the tables that are printed.

`level` says what was learned from, `mode` which answers are counted (`NP`: clean ones, whose rate is that of false
alarms; a mode, a corruption, or `unseen tools`: struck ones), `metric` who called them wrong and at which wanted share
of false alarms. Rates are in per cent, their intervals at 95 % cluster by base task; where all or none are hit, or
there are few, Wilson's over the base tasks. What is not in it: the rate at a threshold that was set on the asked
answers themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from sealegs.faults.kinds.corruption import FAMILIES
from sealegs.scoring.intervals import cluster_bootstrap, wilson
from sealegs.scoring.metrics import ALL, CLEAN, Result, Row, table
from sealegs.suites.maze.detecting import AGENT, ARMS, PER, STRUCK, WANTED, CheckedAnswer

SUITE = "maze-detectors"
UNSEEN = "unseen tools"
FEW = 10  # base tasks, too few to draw from
FINE = 10  # per cent: below it, the ends of an interval have a decimal


def detection_rows(level: str, found: Sequence[CheckedAnswer]) -> list[Row]:
    """The rows of one record that was learned from; answers of tools that it has not stand apart."""
    rows = []
    known = [one for one in found if one.known]
    groups: dict[str, list[CheckedAnswer]] = {CLEAN: [one for one in known if not one.kind]}
    groups[ALL] = [one for one in known if one.kind]
    groups |= {mode: [one for one in groups[ALL] if one.mode == mode] for mode in STRUCK}
    groups |= {kind: [one for one in groups[ALL] if one.kind == kind] for kind in FAMILIES}
    unseen = [one for one in found if not one.known]
    groups[UNSEEN] = [one for one in unseen if one.kind]
    groups[f"{UNSEEN}, {CLEAN}"] = [one for one in unseen if not one.kind]
    for share in WANTED:
        for per in PER:
            for arm in ARMS:
                marks = arm, share, per
                if per == "episode" and not any(marks in one.told for one in found if arm != "declared"):
                    continue
                metric = f"{arm}, {100 * share:g} % per {per}"
                rows += [_row(level, name, metric, _clusters(group, marks)) for name, group in groups.items()]
                rows.append(_row(level, f"{CLEAN} episodes", metric, _episodes(groups[CLEAN], marks)))
    return rows


def _clusters(group: Iterable[CheckedAnswer], marks: tuple[str, float, str]) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for one in group:
        found.setdefault(one.task, []).append(marks in one.told)
    return found


def _episodes(group: Iterable[CheckedAnswer], marks: tuple[str, float, str]) -> dict[str, list[bool]]:
    """Of each clean episode, whether anything in it was called wrong."""
    found: dict[str, list[bool]] = {}
    for one in group:
        found.setdefault(one.episode, [False])[0] |= marks in one.told
    return found


def _row(level: str, mode: str, metric: str, clusters: Mapping[str, Sequence[bool]]) -> Row:
    hits = np.array([sum(one) for one in clusters.values()], dtype=np.float64)
    sizes = np.array([len(one) for one in clusters.values()], dtype=np.float64)
    n = int(sizes.sum())
    value: float | None = None
    low, high = 0.0, 1.0
    if n:
        value = float(hits.sum()) / n
        low, high = (
            wilson(value * len(sizes), len(sizes))
            if value in (0.0, 1.0) or len(sizes) < FEW
            else cluster_bootstrap(lambda weights: (weights @ hits) / np.maximum(weights @ sizes, 1), len(sizes))
        )
    return {
        "suite": SUITE,
        "agent": AGENT,
        "level": level,
        "mode": mode,
        "metric": metric,
        "value": None if value is None else round(100 * value, 2),
        "low": round(100 * low, 2),
        "high": round(100 * high, 2),
        "n": n,
    }


def guarded_rows(agent: str, arms: Mapping[str, Sequence[Result]]) -> list[Row]:
    """An agent's rows with and without recovery; `agent` says which."""
    rows: list[Row] = []
    for arm, results in arms.items():
        who: Row = {"suite": SUITE, "agent": f"{agent}, recovery {arm}"}
        rows += [
            row for row in table(list(results), who) if row["level"] == ALL and row["metric"] in ("tsr", "prr", "rc")
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
    """What was learned from one record, line by line: the answers, how many, and the rates in `COLUMNS`."""
    values = {(row["mode"], row["metric"]): row for row in rows if row["level"] == level}
    for name in dict.fromkeys(name for name, _ in values):
        found = [values.get((name, metric)) for metric in COLUMNS.values()]
        count = max((row["n"] for row in found if row is not None), default=0)
        if count:
            yield name, f"{count:,}", *("–" if row is None else _told(row) for row in found)


def guarded_lines(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """Each agent and recovery: TSR in the modes, PRR, RC."""
    values = {(row["agent"], row["metric"], row["mode"]): row for row in rows}
    for agent in dict.fromkeys(row["agent"] for row in rows if "recovery" in row["agent"]):
        found = [values.get((agent, "tsr", mode)) for mode in (CLEAN, *STRUCK)]
        found += [values.get((agent, metric, ALL)) for metric in ("prr", "rc")]
        yield agent, *("–" if row is None else _told(row) for row in found)


GUARDED = (CLEAN, *STRUCK, "PRR", "RC")


def _told(row: Row) -> str:
    value, low, high = row["value"], row["low"], row["high"]
    if value is None:
        return "–"
    places = 1 if value < FINE else 0
    return f"{value:.1f}" if low is None or high is None else f"{value:.1f} [{low:.{places}f}, {high:.{places}f}]"
