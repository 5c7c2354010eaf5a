"""The page: what is on it, that it is sound HTML with nothing to fetch, and that nobody's text can break it."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest

from sealegs.faults.call import Value
from sealegs.faults.user_error import UserError
from sealegs.reports.maze_page import Material, render_maze_page
from sealegs.reports.metric_grids import figure, grid
from sealegs.reports.page_extra import MissingExtra
from sealegs.scoring import judge
from sealegs.scoring.maze_metrics import paired_difference
from sealegs.scoring.metric import Row
from tests.reports.report_runs import cases, episodes, material, played
from tests.reports.verdicts import row

VOID = {"meta", "link", "br", "img", "input", "hr"}
HOSTILE = (
    "</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>\"' onmouseover='x' {{ 7*7 }} $x_1$"
)


class Reader(HTMLParser):
    """Checks that tags balance; collects elements, attributes, texts and the cells of tables."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.rows: list[list[str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), f"an attribute twice in {self.get_starttag_text()}"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing at {self.getpos()}"
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.append((self.open[-1], data))
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def assert_sound(text: str) -> Reader:
    reader = read(text)
    assert text.startswith("<!DOCTYPE html>")
    ids = [attrs["id"] for _, attrs in reader.elements if "id" in attrs]
    assert len(set(ids)) == len(ids)
    tags = [tag for tag, _ in reader.elements]
    assert tags.count("script") == tags.count("title") - tags_in_pictures(text) == 1
    assert not {"img", "link", "iframe", "object", "embed", "base", "form", "foreignobject"} & set(tags)
    for tag, attrs in reader.elements:
        for name, value in attrs.items():
            assert not name.startswith("on"), (tag, name)
            if name in ("href", "src", "xlink:href", "action", "data", "srcset", "poster"):
                assert (value or "").startswith("#"), (tag, name, value)
                assert (value or "")[1:] in ids, (tag, value)
            for target in re.findall(r"url\(([^)]*)\)", value or ""):
                assert target.startswith("#"), (tag, value)
    styles = "".join(data for tag, data in reader.texts if tag == "style")
    assert "url(" not in styles
    assert "@import" not in styles
    return reader


def tags_in_pictures(text: str) -> int:
    return sum(found.count("<title>") for found in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL))


@pytest.fixture(scope="module")
def whole() -> Material:
    found = material(episodes(), warnings=("the last line was damaged and was left out",))
    before = material(episodes(3, "believes"))
    return dataclasses.replace(found, differences=paired_difference(before.results, found.results, found.who))


@pytest.fixture(scope="module")
def text(whole: Material) -> str:
    return render_maze_page(whole)


def test_it_is_sound_and_has_nothing_to_fetch(text: str) -> None:
    assert_sound(text)
    assert "http:" not in text
    assert "https:" not in text
    assert "//" not in re.sub(r"<blockquote>.*?</blockquote>|'sha256-[^']*'", "", text, flags=re.DOTALL)


def test_every_cell_of_every_map_is_there(whole: Material, text: str) -> None:
    heat = [read(found) for found in re.findall(r'<table class="heat">.*?</table>', text, flags=re.DOTALL)]
    for metric, reader in zip(("tsr", "prr", "rc", "doubled"), heat, strict=True):
        wanted = grid(whole.rows, whole.results, metric)
        assert reader.rows[0][1:] == list(wanted.modes)
        for level, found in zip(wanted.levels, reader.rows[1:], strict=True):
            assert found[0] == level
            for mode, cell in zip(wanted.modes, found[1:], strict=True):
                estimate = wanted.at(level, mode)
                assert estimate.value is not None
                assert cell == f"{figure(estimate.value)}{estimate.interval.replace(', ', '–')}n {estimate.n}"


def test_the_main_table_has_success_recovery_and_harm_side_by_side(whole: Material, text: str) -> None:
    found = re.search(r'<table class="plain judges" id="main-table">.*?</table>', text, flags=re.DOTALL)
    assert found
    head, *lines = read(found[0]).rows
    assert head == ["mode", "TSR", "PRR", "RC", "Doubled", "Wrong effects"]
    assert [line[0] for line in lines] == ["NP", "P1", "P2", "P3", "P4", "all"]
    for line in lines:
        for metric, cell in zip(("tsr", "prr", "rc", "doubled", "wrong_effects"), line[1:], strict=True):
            wanted = grid(whole.rows, whole.results, metric).at("all", line[0])
            assert cell == (str(wanted) if wanted.value is not None else "–"), (line[0], metric)


def test_what_recovery_could_have_reached_is_beside_what_it_reached(whole: Material) -> None:
    ceilings = [row("C2", "P2", "ceiling", 41.5, None, None, 3)]
    text = render_maze_page(dataclasses.replace(whole, ceilings=ceilings))
    heat = [read(found) for found in re.findall(r'<table class="heat">.*?</table>', text, flags=re.DOTALL)]
    assert [sum("ceiling 41.5" in cell for line in reader.rows for cell in line) for reader in heat] == [1, 0, 0, 0]


def test_every_section_and_the_header(whole: Material, text: str) -> None:
    sections = ["rates", "funnel", "published", "gaps", "outcome", "judges", "wrong", "episodes"]
    assert re.findall(r'<section id="(\w+)">', text) == sections
    words = " ".join(data for _, data in read(text).texts)
    for wanted in ("mixed", "60 of 12 base tasks", "1-A", "0.1.0", *whole.warnings, "1 episode crashed"):
        assert wanted in words
    for gap in whole.differences:
        assert gap["value"] is not None
        assert f"{gap['value']:+.1f}".replace("-", "−") in words
    exposed = sum(r.verdict.exposed for r in whole.results)
    assert f"{48 - exposed} of 48 episodes with a planned fault never met it" in words


def test_recovery_by_rung_is_a_section_where_a_fault_is_on_the_ladder(whole: Material) -> None:
    faulted = [dataclasses.replace(one, rung="second_source" if one.mode == "P3" else "") for one in whole.results]
    rows = [*whole.rows, *(row("all", mode, "prr_second_source", 12.5, 4.0, 30.0, 9) for mode in ("P3", "all"))]
    text = render_maze_page(dataclasses.replace(whole, results=faulted, rows=rows))
    assert_sound(text)
    (section,) = re.findall(r'<section id="rungs">.*?</section>', text, flags=re.DOTALL)
    lines = read(section).rows
    assert lines[0] == ["mode", "at a glance", "by arithmetic", "across tools", "by a second source"]
    assert [line[0] for line in lines[1:]] == ["P3", "all"]
    assert all(line[4] == "12.5 [4.0, 30.0] of 9" for line in lines[1:]), lines


def test_twelve_cards_each_with_its_graph(text: str) -> None:
    assert len(re.findall(r'<article class="episode card"', text)) == 12
    assert len(re.findall(r'<svg class="graph"', text)) == 12


def test_published_models_stand_beside_the_run(text: str) -> None:
    plots = re.search(r'<section id="published">.*?</section>', text, flags=re.DOTALL)
    assert plots is not None
    assert plots[0].count("<figure") == 6
    assert plots[0].count('class="model"><title>GPT-5.5</title>') == 6
    assert "stroke-dasharray" in plots[0]
    assert "another corpus" in plots[0]
    assert "<td>36.33</td>" in plots[0]  # Deepseek-V4-Pro under the standard prompt
    assert "mixed (strict judge)" in plots[0]


def test_the_prompt_decides_which_published_rows() -> None:
    found = episodes(1)
    aware = render_maze_page(material(found, prompts=frozenset({"failure-aware"})))
    assert "<td>45.09</td>" in aware  # Deepseek-V4-Pro under the failure-aware prompt
    assert "<td>45.09</td>" not in render_maze_page(material(found))


def test_other_levels_and_modes_are_not_compared() -> None:
    few = [found for found in episodes(1) if found[1].mode in ("NP", "P1")]
    one = [found for found in episodes(2) if found[1].task.level == "C1"]
    assert re.findall(r"(\w+) by mode", render_maze_page(material(few))) == ["TSR", "TSR", "PRR", "PRR", "RC", "RC"]
    assert "by level:" not in render_maze_page(material(few))
    assert "by mode:" not in render_maze_page(material(one))
    assert "mixed (strict judge)" not in render_maze_page(material(one))


def test_text_from_outside_cannot_break_it() -> None:
    broken = []
    for record, case, _ in [(played(case, "believes"), case, None) for case in cases(1)]:
        turns = [dataclasses.replace(turn, shown=Value(HOSTILE), said=Value(HOSTILE)) for turn in record.turns]
        turns = [
            dataclasses.replace(turn, call=dataclasses.replace(turn.call, tool=HOSTILE, arguments={HOSTILE: HOSTILE}))
            if n == 1
            else turn
            for n, turn in enumerate(turns)
        ]
        hostile = dataclasses.replace(record, episode=record.episode + HOSTILE, turns=tuple(turns), answer=HOSTILE)
        where = dataclasses.replace(case, task=dataclasses.replace(case.task, request=HOSTILE))
        verdict = dataclasses.replace(judge(record, case), reasons=(HOSTILE,), attribution=HOSTILE, success=False)
        broken.append((hostile, where, verdict))
    who: Row = {"suite": HOSTILE, "model": HOSTILE}
    text = render_maze_page(material(broken, who=who, warnings=(HOSTILE,), notes={HOSTILE: HOSTILE}))
    reader = assert_sound(text)
    assert HOSTILE in [data for tag, data in reader.texts if tag == "p"]
    assert "<script>alert" not in text
    assert "{{ 7*7 }}" in text


def test_equal_material_gives_equal_bytes_in_any_process(text: str) -> None:
    code = (
        "import hashlib;from tests.reports.report_runs import *;from sealegs.reports.maze_page import render_maze_page;"
        "print(hashlib.sha256(render_maze_page(material(episodes(1))).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_a_run_that_met_no_fault_is_inconclusive() -> None:
    text = render_maze_page(material(episodes(2, "idle")))
    reader = assert_sound(text)
    words = " ".join(data for _, data in reader.texts)
    assert "Inconclusive." in words
    assert "none of them was one" in " ".join(words.split())
    maps = [read(found).rows for found in re.findall(r'<table class="heat">.*?</table>', text, flags=re.DOTALL)]
    assert maps[1][-1] == ["all", *["not exposed"] * 4, "inconclusive"]
    assert maps[2][1] == ["C1", *["not exposed"] * 5]


def test_a_run_without_faults_says_nothing_about_them() -> None:
    text = render_maze_page(material([found for found in episodes(1) if found[1].mode == "NP"]))
    assert_sound(text)
    assert re.findall(r'<section id="(\w+)">', text) == ["rates", "published", "outcome", "judges", "wrong", "episodes"]


def test_a_perfect_run() -> None:
    text = render_maze_page(material(episodes(1, "good")))
    assert_sound(text)
    assert "What went wrong" not in text
    assert "The judges agree on every episode of this run." in text


def test_no_episode_at_all(whole: Material) -> None:
    text = render_maze_page(Material(who=whole.who, rows=[], results=[], episodes=[]))
    assert_sound(text)
    assert "nothing to report" in text


def test_chosen_episodes_get_the_cards(whole: Material) -> None:
    text = render_maze_page(whole, ["c4-shipping-1/P2/1", "c1-trip-0/NP/1"])
    assert re.findall(r'href="(#[\w-]+)">C\d', text) == ["#episode-2", "#episode-1"]
    with pytest.raises(UserError, match=r"no episode c9/NP/1; there are 60, such as c1-trip-0/NP/1"):
        render_maze_page(whole, ["c9/NP/1"])


@pytest.mark.parametrize("name", ["jinja2", "matplotlib"])
def test_without_the_extra_it_says_what_to_install(name: str, whole: Material, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [
        module for module in sys.modules if module.startswith(("sealegs.reports.sections", "sealegs.reports.plots"))
    ]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=re.escape(f'the page needs {name}; run: pip install "sealegs[report]"')):
        render_maze_page(whole)


def test_the_room_loads_without_the_extra() -> None:
    code = (
        "import sys, sealegs.reports.maze_page, sealegs.reports.tables, sealegs.reports.published; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"jinja2", "matplotlib"} & set(loaded)
