"""A run beside the published models: panels by mode and by level, and a ranking by composite score.

The published figures are of another corpus (see `published`), so the comparison is of shapes more than of ranks. The
run's curves by the published judge's rules are the ones made the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sealegs.reports import published
from sealegs.reports.metric_grids import MetricCell, grid, overall
from sealegs.reports.modes import METRICS, SHORT
from sealegs.reports.published import PublishedFigures
from sealegs.scoring.maze_metrics import MazeResult, composite_score
from sealegs.scoring.metric import ALL, Row

MODES = ("NP", "P1", "P2", "P3", "P4")
SHOWN = ("tsr", "prr", "rc")
LEVELS = ("C1", "C2", "C3", "C4")


@dataclass(frozen=True, slots=True)
class Curve:
    """A named line: a value for each tick, None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot: a metric over modes or levels.

    Attributes:
        name: short and unique on the page.
        title: what it shows.
        ticks: modes or levels.
        run: the run's cells, one a tick.
        loose: the run by the published judge's rules, where the metric has such a reading.
        models: the published models.
    """

    name: str
    title: str
    ticks: tuple[str, ...]
    run: tuple[MetricCell, ...]
    loose: Curve | None
    models: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One line of the ranking; `own` says whether it is the run's. Figures are in %, None where there is none."""

    name: str
    own: bool
    composite: float | None
    tsr: float | None
    by_mode: tuple[float | None, ...]
    prr: float | None
    rc: float | None


def prompt_of(prompts: Iterable[str]) -> str:
    """The published prompt to compare with: the run's own, where it is one of them, else the standard one."""
    known = set(prompts) & set(published.PROMPTS)
    return known.pop() if len(known) == 1 else published.PROMPTS[0]


def published_rows(prompt: str) -> list[Row]:
    """The published figures under a prompt as rows of the long table; they have no intervals."""
    rows: list[Row] = []
    for found, axis in ((published.published_by_mode(prompt), "mode"), (published.published_by_level(prompt), "level")):
        for model in found:
            for metric in SHOWN:
                rows += [_published_row(model, prompt, metric, axis, key, v) for key, v in model.metric(metric).items()]
    rows += [
        _published_row(m, prompt, "composite", "mode", ALL, m.composite) for m in published.published_by_mode(prompt)
    ]
    return rows


def _published_row(model: PublishedFigures, prompt: str, metric: str, axis: str, key: str, value: float) -> Row:
    name = model.model if prompt == "standard" else f"{model.model} ({prompt})"
    where: Row = {"level": ALL, "mode": key} if axis == "mode" else {"level": key, "mode": ALL}
    return {
        "suite": "toolmaze",
        "model": name,
        **where,
        "metric": metric,
        "value": value,
        "low": None,
        "high": None,
        "n": 0,
    }


def panels(rows: Sequence[Row], results: Sequence[MazeResult], prompt: str) -> list[Panel]:
    """The panels that can be compared.

    A published figure by mode is a mean over all levels, one by level a mean over all modes; so the run must have
    these too.
    """
    found = []
    if {r.level for r in results} >= set(LEVELS):
        found += [_panel(rows, results, metric, "mode", published.published_by_mode(prompt)) for metric in SHOWN]
    if {r.mode for r in results} >= set(MODES):
        found += [_panel(rows, results, metric, "level", published.published_by_level(prompt)) for metric in SHOWN]
    return [panel for panel in found if panel is not None]


def _panel(
    rows: Sequence[Row], results: Sequence[MazeResult], metric: str, axis: str, models: Sequence[PublishedFigures]
) -> Panel | None:
    cells = _along(rows, results, metric, axis)
    known = models[0].metric(metric).keys()
    # Without the mean of all: it is not a place on the axis, and the curves would run on to it.
    ticks = tuple(tick for tick in cells if tick in known and tick != ALL)
    if not any(cells[tick].value is not None for tick in ticks):
        return None
    # Both judges count calls alike, so the cost has no second curve.
    loose = _along(rows, results, f"{metric}_as_published", axis) if metric != "rc" else {}
    return Panel(
        name=f"{metric}-{axis}",
        title=f"{SHORT[metric]} by {axis}: {METRICS[metric]}, %",
        ticks=ticks,
        run=tuple(cells[tick] for tick in ticks),
        loose=Curve("as published", tuple(loose[tick].value for tick in ticks)) if loose else None,
        models=tuple(Curve(m.model, tuple(m.metric(metric).get(tick) for tick in ticks)) for m in models),
    )


def _along(rows: Sequence[Row], results: Sequence[MazeResult], metric: str, axis: str) -> dict[str, MetricCell]:
    found = grid(rows, results, metric)
    if axis == "mode":
        return {mode: found.at(ALL, mode) for mode in found.modes}
    return {level: found.at(level, ALL) for level in found.levels}


def ranking(rows: Sequence[Row], results: Sequence[MazeResult], name: str, prompt: str) -> list[RankedModel]:
    """The published models and the run by both judges, the highest composite score first.

    A run without all of the published modes and levels has no comparable score and is left out.
    """
    whole = {r.mode for r in results} >= set(MODES) and {r.level for r in results} >= set(LEVELS)
    lines = [*(_own(rows, results, name) if whole else ()), *_models(prompt)]
    return sorted(lines, key=lambda line: -1.0 if line.composite is None else line.composite, reverse=True)


def _models(prompt: str) -> Iterator[RankedModel]:
    for mode, level in zip(published.published_by_mode(prompt), published.published_by_level(prompt), strict=True):
        by_mode = tuple(mode.tsr[name] for name in MODES)
        yield RankedModel(mode.model, False, mode.composite, level.tsr[ALL], by_mode, mode.prr[ALL], mode.rc[ALL])


def _own(rows: Sequence[Row], results: Sequence[MazeResult], name: str) -> Iterator[RankedModel]:
    rc = overall(rows, results, "rc").value
    for suffix, judge in (("", "strict judge"), ("_as_published", "published judge")):
        cells = _along(rows, results, f"tsr{suffix}", "mode")
        tsr, prr = cells[ALL].value, overall(rows, results, f"prr{suffix}").value
        score = None if tsr is None or prr is None or rc is None else round(composite_score(tsr, prr, rc), 2)
        by_mode = tuple(cells.get(mode, MetricCell()).value for mode in MODES)
        yield RankedModel(f"{name} ({judge})", True, score, tsr, by_mode, prr, rc)
