"""Tables and figures of `highwater`: what counts as wrong, and violins that can be read."""

import re
from dataclasses import replace

import pytest

from sealegs.reports.highwater_tables import highwater_lines
from sealegs.scoring.highwater_judge import HighwaterVerdict
from sealegs.scoring.highwater_metrics import CLEAN, HighwaterResult, highwater_table
from tests import needs

GAVE_UP = HighwaterVerdict(False, "gave up", False, True, 1, 0, False, False, False, False, "gave up")
WHO = {"suite": "highwater", "agent": "planner"}


def results(level: str, count: int = 6) -> list[HighwaterResult]:
    return [
        HighwaterResult(f"p{n}", f"p{n}", level, mode, 1, replace(GAVE_UP, turns=n + 1))
        for n in range(count)
        for mode in (CLEAN, "external errors")
    ]


def test_giving_up_among_distractors_alone_is_not_what_went_wrong() -> None:
    for level, reported in (("open", True), ("closed 9", True), ("distractors 9", False)):
        found = results(level)
        titles = [lines.title for lines in highwater_lines(highwater_table(found, WHO), found)]
        assert any("went wrong" in title for title in titles) == reported


def test_violins_of_many_settings_stand_side_by_side_for_each_agent() -> None:
    pytest.importorskip("matplotlib", reason=needs.module("matplotlib"))
    from sealegs.reports.highwater_plots import turns_figure

    levels = ["closed 27", "open", "closed 3", "closed 0", "distractors 9", "open with hints", "closed 81", "closed 9"]
    several = [(name, one) for name in ("a", "b", "c") for level in levels for one in results(level)]
    svg = turns_figure(several)
    assert svg == turns_figure(several)
    size = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    assert size is not None
    assert float(size[1]) < 700  # no wider than a page, however many agents there are
    assert len(re.findall(r'id="[^"]*PolyCollection_\d+"', svg)) == 3 * 8 * 2
