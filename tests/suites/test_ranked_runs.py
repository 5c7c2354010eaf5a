"""Runs of suites in one ranking: the figures of the reports, what is refused, and what files hold."""

from __future__ import annotations

import csv
import gc
import io
import json
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from numpy import polyfit
from rich.console import Console
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.engines.logs import LogError, read_judged
from sealegs.faults.user_error import UserError
from sealegs.intervals.exact_shares import share_interval
from sealegs.reports.published_models import toolmaze_figures
from sealegs.reports.rank_files import csv_text, escaped, latex_text, parquet_bytes
from sealegs.reports.rank_page import render_rank_page
from sealegs.reports.rank_plots import ON_A_PAGE, bump_lines, draw_bump, draw_forest, plot_file
from sealegs.reports.rank_tables import print_ranking_table, ranking_lines
from sealegs.scoring.maze_metrics import CLEAN
from sealegs.scoring.metric import ALL
from sealegs.scoring.ranking import Ranking
from sealegs.scoring.ranking_rows import RankTable
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import SCHEMA
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.suite import SUITE
from sealegs.suites.ranked_runs import ranked_tables, read_ranked_runs, read_sizes, run_folders
from sealegs.traces import Record
from tests import needs
from tests.scoring.test_ranking import entrant, share

AGENTS = ("oracle", "retrier", "naive")


def play(folder: Path, agent: str, **options: object) -> Path:
    checked = MazeOptions(agent=agent, levels="C1,C2", modes="NP,P1,P2", jobs=1, **{"limit": 2, **options}).checked()
    run_scripted_agent(checked, folder, lambda done, total: None)
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for agent in AGENTS:
        play(folder / agent, agent)
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("other") / "naive", "naive", limit=1)


@pytest.fixture(scope="module")
def table(runs: Path) -> RankTable:
    (found,) = ranked_tables([runs])
    return found


def test_figures_are_those_of_the_reports(runs: Path, table: RankTable) -> None:
    assert [table.entrants[one.entrant].name for one in table.standings] == list(AGENTS)
    assert table.metric == "composite"
    for place, own in enumerate(table.entrants):
        report = [row for row in SUITE.report(runs / own.name).rows if row["level"] == ALL]
        rows = {
            "tsr_np" if row["mode"] == CLEAN else row["metric"]: (row["value"], row["low"], row["high"], row["n"])
            for row in report
            if row["mode"] == ALL or (row["mode"], row["metric"]) == (CLEAN, "tsr")
        }
        assert {name: rows[name] for name in table.figures[place]} == {
            name: tuple(figure) for name, figure in table.figures[place].items()
        }


def test_differences_are_those_of_two_reports(runs: Path, table: RankTable) -> None:
    compared = SUITE.report(runs / "naive", str(runs / "oracle")).compared
    row = next(row for row in compared if row["metric"] == "composite_difference")
    names = [one.name for one in table.entrants]
    found = table.ranking.between(names.index("oracle"), names.index("naive"))
    assert found is not None
    assert tuple(found.figure) == (row["value"], row["low"], row["high"], row["n"])
    assert found.p_holm is not None
    assert found.p is not None
    assert found.p <= found.p_holm


def test_a_report_prints_the_differences_from_another_run(runs: Path, tmp_path: Path) -> None:
    other, files = str(runs / "oracle"), ["--html", str(tmp_path / "x.html"), "--json", str(tmp_path / "x.json")]
    done = CliRunner().invoke(app, ["report", str(runs / "naive"), "--against", other, *files])
    assert f"Paired differences from {other}, in points" in " ".join(done.output.split())
    rows = {row["metric"]: row for row in json.loads((tmp_path / "x.json").read_text("utf-8"))["rows"]}
    row = rows["composite_difference"]
    shown = f"{row['value']:+.1f} [{row['low']:+.1f}, {row['high']:+.1f}]".replace("-", "−")
    assert re.search(rf"Composite +{re.escape(shown)} +{row['n']}\n", done.output)


def test_cells_are_those_of_the_reports(runs: Path, table: RankTable) -> None:
    rows = {(r["level"], r["mode"]): r["value"] for r in SUITE.report(runs / "retrier").rows if r["metric"] == "tsr"}
    own = next(cells for cells, one in zip(table.cells, table.entrants, strict=True) if one.name == "retrier")
    assert own["mode", "P2"].value == rows[ALL, "P2"]
    assert own["level", "C2"].value == rows["C2", ALL]


def test_no_record_is_held_while_runs_are_read(runs: Path) -> None:
    def held() -> int:
        return sum(type(one) is Record for one in gc.get_objects())  # `isinstance` would ask proxies for their class

    gc.collect()
    before = held()
    most = seen = 0

    def keep(_: object, __: Record) -> None:
        nonlocal most, seen
        if (seen := seen + 1) in (3, 10):
            most = max(most, held() - before)

    read_judged(runs / "naive", SCHEMA, keep)
    assert 1 <= most <= 2  # the one at hand, and the one before it


def test_a_folder_of_folders_a_folder_and_a_file_of_records_are_read_alike(runs: Path) -> None:
    assert run_folders(runs) == [runs / agent for agent in sorted(AGENTS)]
    assert run_folders(runs / "naive") == [runs / "naive"]
    (whole,) = read_ranked_runs([runs / "naive"])
    (alone,) = read_ranked_runs([runs / "naive" / "episodes.jsonl"])
    assert whole.episodes == alone.episodes
    assert whole.tasks == alone.tasks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"limit": 1}, r"tasks: version \S+, 4 tasks, digest \w{12} and version \S+, 2 tasks, digest \w{12}"),
        ({"seed": 1, "max_steps": 9}, r"max_steps: 25 and 9; seed: 0 and 1; tasks:"),
    ],
)
def test_runs_of_other_tasks_or_options_are_refused(
    runs: Path, tmp_path: Path, options: dict[str, object], message: str
) -> None:
    strange = play(tmp_path / "strange", "naive", **options)
    with pytest.raises(UserError) as error:
        ranked_tables([runs, strange])
    lines = str(error.value).splitlines()
    assert lines[0] == "2 sorts of runs cannot be ranked together:"
    assert re.search(message, lines[1]), lines
    assert str(strange) in lines[1]
    assert "--apart" in lines[-1]


def test_growth_with_size_is_printed_drawn_and_written(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "sizes.yaml").write_text("naive: 1\nretrier: 4\noracle: 32\n")
    out = {name: str(tmp_path / name) for name in ("growth.svg", "page.html", "rows.json")}
    arguments = ["rank", str(runs), "--sizes", str(tmp_path / "sizes.yaml"), "--growth", out["growth.svg"]]
    done = CliRunner().invoke(app, [*arguments, "--html", out["page.html"], "--json", out["rows.json"]])
    assert done.exit_code == 0, done.output
    rows = json.loads(Path(out["rows.json"]).read_text())["rows"]
    found = {row["metric"]: row["value"] for row in rows if row["model" if "model" in row else "agent"] == ALL}
    prr = {row["agent"]: row["value"] for row in rows if row["metric"] == "prr" and "agent" in row}
    slope = polyfit([0, 2, 5], [prr[name] for name in ("naive", "retrier", "oracle")], 1)[0]
    assert found == {
        "tsr_np_per_doubling": pytest.approx(0),
        "prr_per_doubling": pytest.approx(slope, abs=0.01),
        "growth_ratio": pytest.approx(0),
    }
    assert "Growth with size" in done.output
    assert "points per doubling" in Path(out["page.html"]).read_text("utf-8")
    assert "TSR without faults" in "".join(ElementTree.parse(out["growth.svg"]).getroot().itertext())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("naive: [", "is not valid YAML"),
        ("[]", "holds no sizes"),
        ("naive: big", "the size of naive is 'big', which is not a number"),
        ("naive: true", "which is not a number"),
        ("naive: 1\nretrier: 2\nstranger: 3", "stranger is not a model of this ranking"),
        (None, "cannot be read"),
    ],
)
def test_files_of_sizes_that_will_not_do(runs: Path, tmp_path: Path, text: str | None, message: str) -> None:
    file = tmp_path / "sizes.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UserError, match=message):
        ranked_tables([runs], sizes=read_sizes(file))


def test_what_cannot_be_compared_is_shown_apart(runs: Path, other: Path) -> None:
    first, second = ranked_tables([runs, other], apart=True)
    assert (len(first.entrants), len(second.entrants)) == (3, 1)
    assert first.played != second.played
    assert [(one.rank, one.low, one.high) for one in second.standings] == [(1, 1, 1)]


def test_options_that_may_vary_are_part_of_the_names(runs: Path, tmp_path: Path) -> None:
    helped = play(tmp_path / "helped", "retrier", recovery="active")
    (found,) = ranked_tables([runs, helped], vary=["recovery"])
    assert {one.name for one in found.entrants} == {*AGENTS, "retrier (with recovery)"}
    with pytest.raises(UserError, match="--vary: unknown option 'recovry': did you mean recovery"):
        ranked_tables([runs], vary=["recovry"])


def test_a_run_twice_is_refused(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is named twice"):
        ranked_tables([runs, runs / "naive"])
    again = shutil.copytree(runs / "naive", tmp_path / "again")
    with pytest.raises(UserError, match=r"both hold a run of naive on the same tasks; leave\s+one of them out"):
        ranked_tables([runs, again])


def test_a_record_names_its_tasks_digest_and_is_not_judged_by_others(runs: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(runs / "naive", tmp_path / "copy")
    file = copy / "episodes.jsonl"
    text = file.read_text("utf-8")
    (digest,) = set(re.findall(r'"task_set": ?"5-A:(\w{12})"', text))
    file.write_text(text.replace(digest, "0" * 12), "utf-8")
    with pytest.raises(LogError, match=f"task set 5-A:{'0' * 12}, and 5-A:{digest} is there now"):
        read_ranked_runs([copy])


def test_a_metric_that_is_not_there_is_refused_by_name(runs: Path) -> None:
    with pytest.raises(UserError, match="--metric tsrr: runs of maze are ranked by composite, tsr, prr"):
        ranked_tables([runs], "tsrr")


def test_published_models_have_the_interval_of_400_tasks_and_no_rank(runs: Path) -> None:
    (found,) = ranked_tables([runs], "tsr", published=True)
    other = next(one for one in found.published if one.name == "MiniMax-M2.7")
    low, high = share_interval(0.265 * 400, 400)
    assert (other.suite, other.figure.value, other.figure.n) == ("toolmaze", 26.5, 400)
    assert other.figure.low == pytest.approx(100 * low, abs=0.01)
    assert other.figure.high == pytest.approx(100 * high, abs=0.01)
    assert len(found.entrants) == 3
    with pytest.raises(UserError, match="there are no published figures for harmed of maze"):
        ranked_tables([runs], "harmed", published=True)


def test_rows_are_of_the_long_tables_form(table: RankTable) -> None:
    marked = replace(table, published=tuple(toolmaze_figures("composite", {})))
    rows = [row for row in marked.rows() if row["source"] == "run"]
    published = [row for row in marked.rows() if row["source"] == "published"]
    assert {row["metric"] for row in published} == {"composite"}
    assert {row["suite"] for row in published} == {"toolmaze"}
    form = {"suite", "level", "mode", "metric", "value", "low", "high", "n"}
    assert all(form <= row.keys() and ("agent" in row) != ("model" in row) for row in rows)
    assert all(row["played"] == table.played and row["task_set"] == table.entrants[0].task_set for row in rows)
    ranks = {row["agent"]: row["value"] for row in rows if row["metric"] == "rank"}
    assert ranks == {"oracle": 1, "retrier": 2, "naive": 3}
    pairs = [row for row in rows if row["metric"] == "composite_difference"]
    assert {(row["agent"], row["against"]) for row in pairs} == {
        ("oracle", "naive"),
        ("retrier", "naive"),
        ("retrier", "oracle"),
    }


def test_csv_and_parquet_hold_every_row(table: RankTable) -> None:
    rows = [{**row, "group": 1} for row in table.rows()]
    read = list(csv.DictReader(io.StringIO(csv_text(rows))))
    assert [{key: value for key, value in one.items() if value} for one in read] == [
        {key: str(value) for key, value in row.items() if value not in (None, "")} for row in rows
    ]
    parquet = pytest.importorskip("pyarrow.parquet", reason=needs.module("pyarrow"))
    found = parquet.read_table(io.BytesIO(parquet_bytes(rows))).to_pylist()  # type: ignore[arg-type]
    assert [{key: value for key, value in one.items() if value is not None} for one in found] == [
        {key: value for key, value in row.items() if value is not None} for row in rows
    ]


def test_latex_is_escaped_and_has_a_line_for_each_model() -> None:
    group = [entrant("a_b & c%", share(30)), entrant("d#{x}~^\\", share(5))]
    text = latex_text([RankTable(Ranking(group, group[0].metric("")))])
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert [line.split(" & ")[0] for line in body] == [r"a\_b \& c\%", escaped("d#{x}~^\\")]
    head = next(line for line in text.splitlines() if line.startswith(" & "))
    assert {line.replace(r"\&", "").count("&") for line in [head, *body]} == {head.count("&")}
    assert not re.search(r"(?<!\\)[%#]", text.replace("% needs", ""))


def many(count: int = 6) -> RankTable:
    group = [entrant(f"model-{n}", share(6 * n)) for n in range(count)]
    return RankTable(Ranking(group, group[0].metric("success")))


def test_figures_are_vectors_with_names_as_text_and_equal_bytes(table: RankTable) -> None:
    for draw in (partial(draw_forest, table), partial(draw_bump, table, "mode")):
        one, other = (plot_file(draw, Path("x.svg")) for _ in range(2))
        assert one == other
        text = "".join(ElementTree.fromstring(one).itertext())
        assert all(name in text for name in AGENTS)
        assert b"<image" not in one
        pdf = plot_file(draw, Path("x.pdf"))
        assert pdf.startswith(b"%PDF")
        assert pdf == plot_file(draw, Path("x.pdf"))


def test_equal_figures_share_their_places(table: RankTable) -> None:
    names, lines = bump_lines(table, "mode")
    assert names == ["NP", "P1", "P2"]
    places = {line.name: line.places for line in lines}
    assert places == {"oracle": (2, 1, 1), "retrier": (2, 2, 2), "naive": (2, 3, 3)}
    own = {line.name: [figure and figure.value for figure in line.figures] for line in lines}
    assert own["naive"][0] == own["oracle"][0] == 100.0, "all solve what has no fault, and share the second place"


def test_a_plot_of_the_page_has_at_most_five_lines_and_its_data_beside_it() -> None:
    page = render_rank_page([many()], ["a note"])
    svgs = re.findall(r"<svg role=.*?</svg>", page, re.DOTALL)
    plots = [svg for svg in svgs if 'aria-label="Places by' in svg]
    assert len(plots) == 2
    for svg in plots:
        assert len(set(re.findall(r"var\(--model-\d\)", svg))) == ON_A_PAGE
        assert set(re.findall(r"model-\d+(?=<)", svg)) == {f"model-{n}" for n in range(1, 6)}
    assert page.count("data:text/csv;base64,") == len(svgs) == 3
    assert "The best 5 of 6." in page
    assert "a note" in page


def test_the_command_prints_and_writes_everything(runs: Path, tmp_path: Path) -> None:
    files = {name: tmp_path / f"r.{name}" for name in ("html", "latex", "csv", "json")}
    arguments = [part for name, file in files.items() for part in (f"--{name}", str(file))]
    arguments += [
        "--plot",
        str(tmp_path / "forest.svg"),
        "--bump",
        str(tmp_path / "bump.pdf"),
        "--published",
        "--all-pairs",
    ]
    done = CliRunner().invoke(app, ["rank", str(runs), *arguments])
    assert done.exit_code == 0, done.output
    assert all(file.stat().st_size > 500 for file in tmp_path.iterdir())
    assert len(list(tmp_path.iterdir())) == 6
    (mark,) = json.loads(files["json"].read_text("utf-8"))["played"]
    assert re.fullmatch(r"version \S+, 4 tasks, digest \w{12}", mark)
    for text in (*AGENTS, "GPT-5.5", "P (Holm)", mark, "Paired differences", "TSR by mode"):
        assert text in done.output


def test_names_of_models_are_never_cut_on_a_narrow_terminal() -> None:
    long = "a-provider/a-family-of-models/with-a-version-2026-11-23-and-more"
    group = [entrant(long, share(30)), entrant("b", share(5))]
    text = io.StringIO()
    print_ranking_table(RankTable(Ranking(group, group[0].metric(""))), Console(file=text, width=100), pairs=True)
    assert "…" not in text.getvalue().split("\n", 1)[1]


def test_figures_are_never_broken_on_a_narrow_terminal() -> None:
    table, text = many(), io.StringIO()
    print_ranking_table(table, Console(file=text, width=72), pairs=True)
    printed = text.getvalue()
    assert max(map(len, printed.splitlines())) <= 72
    for name, *cells in ranking_lines(table)[1]:
        assert name in printed
        assert all(cell in printed for cell in cells)


def test_the_power_of_a_pilot_is_queried_by_its_models(runs: Path, tmp_path: Path) -> None:
    target = tmp_path / "power.json"
    arguments = ["--pair", "retrier,naive", "--metric", "tsr", "--task-counts", "8,40", "--experiments", "100"]
    done = CliRunner().invoke(app, ["power", str(runs), *arguments, "--json", str(target)])
    assert done.exit_code == 0, done.output
    rows = json.loads(target.read_text("utf-8"))["rows"]
    assert [(row["level"], row["mode"], row["n"]) for row in rows] == [
        ("8 tasks", "1 epochs", 100),
        ("40 tasks", "1 epochs", 100),
    ]
    assert rows[0]["value"] <= rows[1]["value"] == 100
    for options, why in (
        (["--epoch-counts", "2"], "the pilot has one epoch"),
        (["--pair", "retrier"], "a pilot compares two models, but 1 is named"),
        (["--pair", "retrier,nave"], "did you mean"),
    ):
        wrong = CliRunner().invoke(app, ["power", str(runs), *options])
        assert isinstance(wrong.exception, UserError)
        assert why in str(wrong.exception)
