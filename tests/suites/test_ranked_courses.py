"""The funnel and what went wrong of several models in one ranking: the figures of the reports, drawn and written."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.reports.counts import attributions, funnels
from sealegs.reports.rank_funnel_plots import REST, draw_funnel, draw_terms, funnel_lines, spread_out, term_columns
from sealegs.reports.rank_page import render_rank_page
from sealegs.reports.rank_plots import ON_A_PAGE, plot_file
from sealegs.scoring.attribution import TERMS
from sealegs.scoring.highwater_judge import HighwaterVerdict
from sealegs.scoring.highwater_metrics import CLEAN, HOPELESS, HighwaterResult
from sealegs.scoring.metric import ALL
from sealegs.scoring.ranking import Ranking
from sealegs.scoring.ranking_rows import RankTable
from sealegs.suites.highwater.highwater_entrants import SCORES
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.ranked_runs import ranked_tables
from tests.scoring.test_ranking import entrant, share

AGENTS = ("planner", "retrier", "naive")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for agent in AGENTS:
        options = MazeOptions(agent=agent, levels="C1,C2", modes="NP,P1,P4", jobs=1, limit=3).checked()
        run_scripted_agent(options, folder / agent, lambda done, total: None)
    return folder


@pytest.fixture(scope="module")
def table(runs: Path) -> RankTable:
    (found,) = ranked_tables([runs])
    return found


def test_they_are_those_of_the_reports_in_percent(runs: Path, table: RankTable) -> None:
    for place, one in enumerate(table.entrants):
        results = read_maze_run(runs / one.name).results()
        whole = funnels(results)[-1]  # every mode has as many episodes, so their mean is the share of all
        planned, *passed = whole.counts
        assert [figure.value for figure in table.funnels[place].values()] == [
            pytest.approx(100 * count / planned, abs=0.06) for count in passed
        ]
        assert {figure.n for figure in table.funnels[place].values()} == {planned}
        terms = {name: sum(counts.values()) for name, counts in attributions(results).items()}
        found = {name: figure.value for name, figure in table.terms[place].items() if figure.value}
        assert found == {name: pytest.approx(100 * count / len(results), abs=0.06) for name, count in terms.items()}


def test_what_went_wrong_and_what_went_well_are_all_there_is(table: RankTable) -> None:
    assert set(table.terms[0]) < set(TERMS)
    for figures, terms in zip(table.figures, table.terms, strict=True):
        tsr = figures["tsr"].value
        assert tsr is not None
        assert tsr + sum(one.value or 0 for one in terms.values()) == pytest.approx(100, abs=0.1 * len(terms))
        assert set(terms) == set(table.terms[0]), "each model has every term that occurs in any"
        assert all(one.low is not None and one.high is not None for one in terms.values())


def test_rows_hold_every_stage_and_term(table: RankTable) -> None:
    rows = [row for row in table.rows() if re.match("stage_|term_", row["metric"])]
    assert {(row["level"], row["mode"]) for row in rows} == {(ALL, ALL)}
    own = {row["metric"]: (row["value"], row["low"], row["high"]) for row in rows if row["agent"] == "naive"}
    place = [one.name for one in table.entrants].index("naive")
    every = {f"stage_{name}": one for name, one in table.funnels[place].items()}
    every |= {f"term_{name}": one for name, one in table.terms[place].items()}
    assert own == {name.replace(" ", "_"): (one.value, one.low, one.high) for name, one in every.items()}
    assert "stage_right_strategy" in own


def crowd(count: int) -> RankTable:
    """Models that come less and less far, with a term of its own each."""
    group = []
    for nth in range(count):
        one = entrant(f"model-{nth}", share(40 - nth))
        played = [
            episode._replace(
                stage=None if episode.mode == "clean" else 2 if episode.adds[0] else place % 2,
                term="" if episode.adds[0] else f"term {nth}",
            )
            for place, episode in enumerate(one.episodes)
        ]
        scores = replace(one.scores, stages=("exposed", "completed"), terms=("term 1", "term 0"))
        group.append(replace(one, episodes=played, scores=scores))
    return RankTable(Ranking(group, group[0].metric("success")))


def test_plots_of_the_page_have_five_lines_and_the_data_of_all() -> None:
    many = crowd(8)
    page = render_rank_page([many], [])
    (funnel,) = re.findall(r'<svg role="img" aria-label="How far planned.*?</svg>', page, re.DOTALL)
    assert len(set(re.findall(r"var\(--model-\d\)", funnel))) == ON_A_PAGE
    links = {
        file: list(csv.DictReader(io.StringIO(base64.b64decode(data).decode())))
        for file, data in re.findall(r'download="([^"]*)" href="data:text/csv;base64,([^"]*)"', page)
    }
    assert {row["model"] for row in links["funnel-1.csv"]} == {f"model-{nth}" for nth in range(8)}
    assert [row["stage"] for row in links["funnel-1.csv"][:3]] == ["planned", "exposed", "completed"]
    shares = {(row["model"], row["term"]): float(row["value"]) for row in links["what-went-wrong-1.csv"]}
    assert shares["model-7", "term 7"] > 0 == shares["model-7", "term 6"]
    assert page.count("How far planned faults came") >= 2, "as a figure and as a table"


def test_figures_are_vectors_with_names_and_equal_bytes() -> None:
    many = crowd(9)
    for draw in (partial(draw_funnel, many), partial(draw_terms, many)):
        one, other = (plot_file(draw, Path("x.svg")) for _ in range(2))
        assert one == other
        assert b"<image" not in one
        words = "".join(ElementTree.fromstring(one).itertext())
        assert all(f"model-{nth}" in words for nth in range(9))
        assert plot_file(draw, Path("x.pdf")).startswith(b"%PDF")
    assert REST in words
    assert term_columns(many) == [f"term {nth}" for nth in range(3, 9)], "the most frequent, in order"


def test_a_line_begins_with_all_that_was_planned_and_never_rises() -> None:
    stages, lines = funnel_lines(crowd(3))
    assert stages == ["planned", "exposed", "completed"]
    for line in lines:
        values = [one.value or 0 for one in line.figures]
        assert values[0] == 100
        assert values == sorted(values, reverse=True)


def test_names_are_never_on_one_another_and_stay_in_the_figure() -> None:
    for heights in ([0, 0, 0, 0], [100, 99, 98], [50, 51, 49, 0, 100], [30]):
        found = spread_out(heights, 6)
        ordered = sorted(found)
        assert all(later - earlier >= 6 - 1e-9 for earlier, later in pairwise(ordered))
        assert ordered[-1] <= 100
        assert ordered[0] >= 0
        assert [heights[place] for place in sorted(range(len(found)), key=lambda at: found[at])] == sorted(heights)
    assert spread_out([20, 60], 6) == [20, 60]


def test_the_command_prints_draws_and_writes_them(runs: Path, tmp_path: Path) -> None:
    arguments = ["rank", str(runs), "--json", str(tmp_path / "rows.json")]
    arguments += ["--funnel", str(tmp_path / "funnel.svg"), "--terms", str(tmp_path / "terms.pdf")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    for text in ("How far planned faults came, %", "right strategy", "What went wrong, % of episodes", "unaware"):
        assert text in done.output
    assert "naive" in "".join(ElementTree.parse(tmp_path / "funnel.svg").getroot().itertext())
    assert (tmp_path / "terms.pdf").read_bytes().startswith(b"%PDF")
    rows = json.loads((tmp_path / "rows.json").read_text("utf-8"))["rows"]
    assert {"stage_noticed", "term_unaware"} <= {row["metric"] for row in rows}


def test_figures_of_what_was_not_played_are_refused(tmp_path: Path) -> None:
    options = MazeOptions(agent="oracle", levels="C1", modes="NP", jobs=1, limit=1).checked()
    run_scripted_agent(options, tmp_path / "run", lambda done, total: None)
    for option, what in (("--funnel", "how far planned faults came"), ("--terms", "what went wrong")):
        done = CliRunner().invoke(app, ["rank", str(tmp_path / "run"), option, str(tmp_path / "x.svg")])
        assert done.exit_code != 0
        assert f"{option} draws {what}, and these runs of maze do not show it; leave it out" in str(done.exception)
    assert not (tmp_path / "x.svg").exists()


def water(level: str, mode: str, **known: bool) -> HighwaterResult:
    facts = dict.fromkeys(("right", "exposed", "gave_up", "searched", "found", "composed", "looped"), False) | known
    term = "" if facts["right"] else "gave up" if facts["gave_up"] else "wrong answer"
    verdict = HighwaterVerdict(reason="gave up", turns=1, calls=1, term=term, **facts)  # type: ignore[arg-type]
    return HighwaterResult("p", "d", level, mode, 1, verdict)


def test_the_stages_of_highwater_lead_from_a_refusal_over_plan_b_to_the_answer() -> None:
    known = [{}, {"exposed": True}, {"found": True}, {"composed": True}, {"right": True}]
    passed: dict[str, bool] = {}
    for stage, more in enumerate(known):
        passed |= more
        assert SCORES.compared("p", water("whole", "functions", **passed)).stage == stage
    assert SCORES.compared("p", water("whole", "functions", exposed=True, right=True)).stage == 4, "by an unknown way"
    assert SCORES.compared("p", water("whole", CLEAN, right=True)).stage is None
    hopeless = SCORES.compared("p", water(f"{HOPELESS} only", "functions", exposed=True, gave_up=True))
    assert (hopeless.stage, hopeless.term) == (None, ""), "there is no plan B, and giving up is right"
    assert SCORES.compared("p", water("whole", "functions", exposed=True, gave_up=True)).term == "gave up"
