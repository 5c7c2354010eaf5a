"""The published figures: ToolMaze (arXiv 2606.05806), tables 1, 2, 4 and 20; ChaosLLM, tables II and III.

They were measured on those papers' tasks and by their own judges, so they are shown beside a run as another corpus and
never averaged with it. The data files are in this package; their README names columns and source. It does not cover
the papers' other tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sealegs.faults.csv_tables import table_rows

SOURCE = "ToolMaze, arXiv 2606.05806, tables 2 and 20"
PROMPTS = ("standard", "failure-aware")
BY_MODE = "table2_by_mode.csv"
BY_LEVEL = "table20_by_level.csv"
CORPUS_BY_LEVEL = "table1_corpus.csv"
CORPUS = "table4_corpus.csv"
CHAOSLLM = "ChaosLLM, tables II and III"
CHAOSLLM_COUNTS = "chaosllm_table2.csv"
CHAOSLLM_RATES = "chaosllm_table3.csv"
ALL = "all"


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """One model's row of one table, in %.

    Attributes:
        model: its name.
        prompt: one of `PROMPTS`.
        tsr, prr, rc: by mode (`NP`, `P1`, ...) or by level (`C1`, ...); `all` holds the mean that the table prints.
        composite: the composite score that the table prints.
    """

    model: str
    prompt: str
    tsr: Mapping[str, float]
    prr: Mapping[str, float]
    rc: Mapping[str, float]
    composite: float

    def metric(self, name: str) -> Mapping[str, float]:
        """The figures of `tsr`, `prr` or `rc`."""
        return {"tsr": self.tsr, "prr": self.prr, "rc": self.rc}[name]


def published_by_mode(prompt: str = "standard") -> tuple[PublishedFigures, ...]:
    """The rows of table 2 under a prompt. `tsr["all"]` is the mean over the fault modes alone.

    Raises:
        ValueError: there is no such prompt.
    """
    return _under(BY_MODE, prompt)


def published_by_level(prompt: str = "standard") -> tuple[PublishedFigures, ...]:
    """The rows of table 20 under a prompt. `tsr["all"]` is the mean over all modes, the clean one included.

    Raises:
        ValueError: there is no such prompt.
    """
    return _under(BY_LEVEL, prompt)


def corpus_by_level() -> dict[str, dict[str, float]]:
    """Table 1: what each level's tasks are like, by the table's own words and level (`C1`, ...)."""
    rows = _table(CORPUS_BY_LEVEL)
    return {row["key"]: {name.upper(): float(row[name]) for name in ("c1", "c2", "c3", "c4")} for row in rows}


def published_corpus() -> dict[str, dict[str, int]]:
    """Table 4: how many tools and groups there are, by part (`category`, `domain`, `group`, `total`) and name."""
    found: dict[str, dict[str, int]] = {}
    for row in _table(CORPUS):
        found.setdefault(row["part"], {})[row["name"]] = int(row["count"])
    return found


def chaosllm_counts() -> dict[tuple[str, str, str], int]:
    """ChaosLLM's table II: how many runs there are by (fault, outcome, model)."""
    rows = _table(CHAOSLLM_COUNTS)
    models = [name for name in rows[0] if name not in ("fault", "outcome")]
    return {(row["fault"], row["outcome"], model): int(row[model]) for row in rows for model in models}


def chaosllm_rates() -> dict[str, dict[str, float]]:
    """ChaosLLM's table III: `tsr`, `hr` and `tr` of each model, in %."""
    rows = _table(CHAOSLLM_RATES)
    return {row["model"]: {"tsr": float(row["tsr"]), "hr": float(row["hr"]), "tr": float(row["to"])} for row in rows}


def _table(file: str) -> list[dict[str, str]]:
    return table_rows(files(__package__).joinpath(file).read_text(encoding="utf-8"))


def _under(file: str, prompt: str) -> tuple[PublishedFigures, ...]:
    if prompt not in PROMPTS:
        raise ValueError(f"no published figures for prompt {prompt!r}; there are {' and '.join(PROMPTS)}")
    return tuple(row for row in _read(file) if row.prompt == prompt)


@cache
def _read(file: str) -> tuple[PublishedFigures, ...]:
    return tuple(map(_published, _table(file)))


def _published(row: Mapping[str, str]) -> PublishedFigures:
    tsr, prr, rc = (_figures(row, metric) for metric in ("tsr", "prr", "rc"))
    return PublishedFigures(row["model"], row["prompt"], tsr, prr, rc, float(row["composite"]))


def _figures(row: Mapping[str, str], metric: str) -> dict[str, float]:
    columns = [name for name in row if name.startswith(f"{metric}_")]
    keys = [name.removeprefix(f"{metric}_") for name in columns]
    return {ALL if key == "avg" else key.upper(): float(row[name]) for key, name in zip(keys, columns, strict=True)}
