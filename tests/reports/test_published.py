import pytest

from sealegs.reports.published import (
    PROMPTS,
    PublishedFigures,
    chaosllm_counts,
    chaosllm_rates,
    published_by_level,
    published_by_mode,
)
from sealegs.scoring.maze_metrics import composite_score

FAULTS = ("P1", "P2", "P3", "P4")
LEVELS = ("C1", "C2", "C3", "C4")
ROUNDING = 0.011  # each printed figure is rounded to a hundredth, means of them once more


def mean(row: PublishedFigures, metric: str, keys: tuple[str, ...]) -> float:
    return sum(row.metric(metric)[key] for key in keys) / len(keys)


@pytest.mark.parametrize("prompt", PROMPTS)
def test_composite_reproduces_every_row_by_mode(prompt: str) -> None:
    rows = published_by_mode(prompt)
    assert len(rows) == 9
    for row in rows:
        score = composite_score(mean(row, "tsr", ("NP", *FAULTS)), mean(row, "prr", FAULTS), mean(row, "rc", FAULTS))
        assert score == pytest.approx(row.composite, abs=ROUNDING), row.model


@pytest.mark.parametrize("prompt", PROMPTS)
def test_composite_reproduces_every_row_by_level(prompt: str) -> None:
    rows = published_by_level(prompt)
    assert len(rows) == 9
    for row in rows:
        means = [mean(row, metric, LEVELS) for metric in ("tsr", "prr", "rc")]
        assert means[0] == pytest.approx(row.tsr["all"], abs=ROUNDING)
        assert composite_score(row.tsr["all"], row.prr["all"], row.rc["all"]) == pytest.approx(
            row.composite, abs=ROUNDING
        ), row.model


@pytest.mark.parametrize("prompt", PROMPTS)
def test_both_tables_tell_of_the_same_models(prompt: str) -> None:
    for mode, level in zip(published_by_mode(prompt), published_by_level(prompt), strict=True):
        assert (mode.model, mode.composite) == (level.model, level.composite)
        assert mode.prr["all"] == level.prr["all"]
        assert mode.rc["all"] == level.rc["all"]
        assert mean(mode, "tsr", ("NP", *FAULTS)) == pytest.approx(level.tsr["all"], abs=ROUNDING)


def test_a_figure_of_each_table_as_printed() -> None:
    row = next(row for row in published_by_mode("failure-aware") if row.model == "GPT-5.5")
    assert (row.tsr["P3"], row.prr["P3"], row.rc["P3"], row.composite) == (46.75, 65.00, 48.48, 49.96)
    assert "NP" not in row.prr
    row = next(row for row in published_by_level() if row.model == "GLM-5.1")
    assert dict(row.rc) == {"C1": 81.79, "C2": 53.17, "C3": 72.78, "C4": 74.34, "all": 70.52}


def test_unknown_prompt_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="'terse'; there are standard and failure-aware"):
        published_by_mode("terse")


def test_chaosllm_s_tables_agree_but_for_the_timeouts_of_o3() -> None:
    counts = chaosllm_counts()
    outcomes = {"tsr": "CORRECT", "hr": "SILENT-DIFF", "tr": "TIMEOUT"}
    apart = []
    for model, rates in chaosllm_rates().items():
        own = {key: number for key, number in counts.items() if key[2] == model}
        assert sum(own.values()) == 75
        for metric, outcome in outcomes.items():
            share = 100 * sum(number for key, number in own.items() if key[1] == outcome) / 75
            if abs(share - rates[metric]) > 0.051:
                apart.append((model, metric))
    assert apart == [("o3", "tr")]
