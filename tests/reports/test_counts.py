"""Counts, cells and shades on verdicts made by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sealegs
from sealegs.reports.counts import attributions, funnels, splits
from sealegs.reports.metric_grids import MetricCell, figure, grid, overall
from sealegs.reports.palette import Colour
from sealegs.reports.shades import BLACK, HUES, WHITE, contrast, shade
from sealegs.scoring import TERMS
from sealegs.scoring.attribution import MODEL_ENDS
from sealegs.scoring.maze_metrics import maze_table
from tests.reports.report_runs import episodes, material
from tests.reports.verdicts import clean, result, row, verdict


def colour(text: str) -> Colour:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def test_funnel_counts_each_stage() -> None:
    found = [
        result("C1", "P1", verdict()),
        result("C1", "P1", verdict(False), "u"),
        result("C1", "P1", verdict(False, strategy=False), "v"),
        result("C1", "P1", verdict(False, strategy=False, noticed=False), "w"),
        result("C1", "P1", clean(False), "x"),
        result("C1", "NP", clean()),
    ]
    (funnel,) = funnels(found)
    assert (funnel.mode, funnel.counts) == ("P1", (5, 4, 3, 2, 1))


def test_who_mended_a_blind_use_in_the_end_has_noticed() -> None:
    (funnel,) = funnels([result("C1", "P3", verdict(True, noticed=False, strategy=True))])
    assert funnel.counts == (1, 1, 1, 1, 1)


def test_funnel_of_all_modes_is_their_sum_and_never_widens() -> None:
    found = funnels(material(episodes()).results)
    assert [f.mode for f in found] == ["P1", "P2", "P3", "P4", "all"]
    assert found[-1].counts == tuple(map(sum, zip(*(f.counts for f in found[:-1]), strict=True)))
    assert all(list(f.counts) == sorted(f.counts, reverse=True) for f in found)


def test_splits_tell_who_alone_says_success() -> None:
    found = splits(
        [
            result("C1", "P1", verdict()),
            result("C1", "P1", verdict(False, published=True), "u"),
            result("C1", "P1", verdict(False, published=True), "v"),
            result("C1", "P2", verdict(True, published=False)),
            result("C1", "P2", verdict(False), "u"),
        ]
    )
    assert [(s.mode, s.n, s.strict, s.published, s.looser, s.stricter) for s in found] == [
        ("P1", 3, 1, 3, 2, 0),
        ("P2", 2, 1, 0, 0, 1),
        ("all", 5, 2, 3, 2, 1),
    ]


def test_attributions_in_the_order_of_the_terms_and_unknown_ones_last() -> None:
    found = attributions(
        [
            result("C1", "P1", verdict(False, attribution="broke something else")),
            result("C1", "P1", verdict(False, attribution="a new term"), "u"),
            result("C1", "P3", verdict(False, attribution="unaware")),
            result("C1", "P3", verdict(False, attribution="unaware"), "u"),
            result("C1", "P3", verdict(), "v"),
        ]
    )
    assert list(found) == ["unaware", "broke something else", "a new term"]
    assert found["unaware"]["P3"] == 2
    assert found["unaware"]["P1"] == 0


def test_the_small_runs_hold_every_term_that_comes_without_a_model_and_recovery() -> None:
    others = {"doubled by recovery", "malformed calls", *MODEL_ENDS.values()}
    alone = [term for term in TERMS if term not in others]
    assert list(attributions(material(episodes()).results)) == alone


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (100.0, "100"), (72.54, "72.5"), (99.96, "100.0"), (0.04, "0.0"), (50.0, "50.0")]
)
def test_only_exact_ends_lose_their_decimal(value: float, text: str) -> None:
    assert figure(value) == text


def test_cell_as_text() -> None:
    assert str(MetricCell(72.5, 60.1, 82.3, 20)) == "72.5 [60.1, 82.3]"
    assert str(MetricCell(72.5)) == "72.5"
    assert str(MetricCell(note="not exposed")) == "not exposed"


def test_grid_leaves_the_clean_mode_out_of_what_is_about_faults() -> None:
    results = [result("C1", "NP", clean()), result("C1", "P1", verdict())]
    rows = maze_table(results, {"suite": "maze", "agent": "a"})
    assert grid(rows, results, "tsr").modes == ("NP", "P1", "all")
    assert grid(rows, results, "prr").modes == ("P1", "all")
    assert overall(rows, results, "prr").value == 100.0


def test_cells_without_a_delivered_fault_say_so() -> None:
    results = [result("C1", "P1", verdict()), result("C2", "P1", clean())]
    rows = [row(level, "P1", metric, 0.0, 0.0, 0.0, 1) for level in ("C1", "C2", "all") for metric in ("prr", "rc")]
    for metric in ("prr", "rc"):
        found = grid(rows, results, metric)
        assert found.at("C1", "P1").value == 0.0
        assert str(found.at("C2", "P1")) == "not exposed"
        assert found.at("all", "P1").value == 0.0
    assert str(overall(rows, results[1:], "prr")) == "inconclusive"


@pytest.mark.parametrize("hue", HUES)
def test_every_shade_is_readable_and_lightness_alone_tells_the_value(hue: str) -> None:
    shades = [shade(value, hue) for value in range(101)]
    for found in shades:
        assert contrast(colour(found.light), colour(found.light_ink)) >= 4.5
        assert contrast(colour(found.dark), colour(found.dark_ink)) >= 4.5
    on_light = [contrast(colour(s.light), BLACK) for s in shades]
    on_dark = [contrast(colour(s.dark), BLACK) for s in shades]
    assert on_light == sorted(on_light, reverse=True)
    assert on_dark == sorted(on_dark)


def test_contrast_of_black_and_white() -> None:
    assert contrast((0, 0, 0), WHITE) == pytest.approx(21)
    assert contrast(WHITE, WHITE) == 1


@given(st.floats(-50, 150))
def test_values_out_of_range_take_the_nearest_end(value: float) -> None:
    assert shade(value, "blue") == shade(min(max(value, 0.0), 100.0), "blue")


def test_colours_are_named_in_the_style_sheet_alone() -> None:
    """But for black, white, and the stand-ins that a figure's colours have until its SVG is written."""
    reports = Path(sealegs.__file__).parent / "reports"
    named = {
        path.name: re.findall(r"#[0-9a-fA-F]{6}\b", path.read_text("utf-8"))
        for path in (*reports.glob("*.py"), *reports.glob("templates/*.j2"))
    }
    assert {name: found for name, found in named.items() if found} == {"plots.py": ["#0b0b01", "#0b0b02", "#0b0b03"]}
