"""Published models as lines of a ranking: figures of other tasks, with the interval that their number allows.

The publications give no intervals. A figure that is a share of n cases gets that of n independent ones. A mean over
modes of the same 400 tasks, or a score made of such means, varies at most as much as a share of 400 cases does, so it
gets that interval too: a bound, wide rather than narrow. Hell or High Water gives standard errors, and these are used.
PALADIN does not say of how many cases its figures are, so they have no interval.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files

from sealegs.faults.csv_tables import table_rows
from sealegs.intervals.exact_shares import share_interval
from sealegs.intervals.known_errors import normal_interval
from sealegs.reports import published
from sealegs.scoring.metric import Figure
from sealegs.scoring.ranking_rows import PublishedFigure

TOOLMAZE_TASKS = 400
CHAOSLLM_RUNS = 75
OURS = ("tsr", "prr", "rc", "composite")
HOHW = {"accuracy_under_errors": "external_errors", "accuracy_without_errors": "no_errors"}
SETTING = "open world"


def _share(value: float, n: int) -> Figure:
    low, high = share_interval(value / 100 * n, n)
    return Figure(value, round(100 * low, 2), round(100 * high, 2), n)


def toolmaze_figures(metric: str, options: Mapping[str, str]) -> Iterator[PublishedFigure]:
    """The figures of ToolMaze's models, under that of its two prompts which the runs have."""
    if metric not in OURS:
        return
    prompt = options.get("prompt") or published.PROMPTS[0]
    note = f"{published.SOURCE}; {prompt} prompt; at most as uncertain as a share of {TOOLMAZE_TASKS} tasks"
    for model in published.published_by_level(prompt) if prompt in published.PROMPTS else ():
        value = model.composite if metric == "composite" else model.metric(metric)[published.ALL]
        yield PublishedFigure(model.model, "toolmaze", _share(value, TOOLMAZE_TASKS), note)


def chaosllm_figures(metric: str, options: Mapping[str, str]) -> Iterator[PublishedFigure]:
    """The figures of ChaosLLM's models."""
    note = f"{published.CHAOSLLM}; a share of {CHAOSLLM_RUNS} runs"
    for model, rates in published.chaosllm_rates().items():
        if metric in rates:
            yield PublishedFigure(model, "chaosllm", _share(rates[metric], CHAOSLLM_RUNS), note)


def hohw_figures(metric: str, options: Mapping[str, str]) -> Iterator[PublishedFigure]:
    """The figures of the models of Hell or High Water."""
    if metric not in HOHW:
        return
    note = "Hell or High Water, arXiv 2508.11027, table 1, open world; by its standard errors"
    for row in _table("hohw_table1.csv"):
        if row["setting"] == SETTING:
            value, error = (float(row[f"{name}_{HOHW[metric]}"]) for name in ("accuracy", "se"))
            low, high = (round(end, 2) for end in normal_interval(value, error))
            figure = Figure(value, low, high, 0)
            yield PublishedFigure(row["model"], "hohw", figure, note)


def paladin_figures(metric: str, options: Mapping[str, str]) -> Iterator[PublishedFigure]:
    """The figures of PALADIN's backbones, each under its arms."""
    note = "PALADIN, arXiv 2509.25238, table 1, PaladinEval; of how many cases is not said"
    for row in _table("paladin_table1.csv"):
        if row["benchmark"] == "PaladinEval" and row["metric"].lower() == metric:
            for arm in ("vanilla", "critic", "toolreflect", "toolbench", "paladin"):
                figure = Figure(float(row[arm]), None, None, 0)
                yield PublishedFigure(f"{row['backbone']} ({arm})", "paladin table 1", figure, note)


def _table(file: str) -> list[dict[str, str]]:
    text = files("sealegs.reports.published").joinpath(file).read_text(encoding="utf-8")
    return table_rows(text)
