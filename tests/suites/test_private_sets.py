"""A private set of tasks: matched to those that ship, secret, the same for its seed, compared with the public ones."""

from __future__ import annotations

import json
import os
import re
from itertools import combinations
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sealegs.cli import app
from sealegs.faults.user_error import UserError
from sealegs.generate.private_set import PrivateSet, make_private_set
from sealegs.generate.rules.engine import NEAREST
from sealegs.generate.rules.matched_choice import MatchedChoice
from sealegs.generate.rules.matched_tasks import MORE, make_candidates, shape_of
from sealegs.generate.rules.rewording import reworded
from sealegs.generate.task_checks import rejection
from sealegs.scenarios.task_figures import SIMILARITY, set_figures, task_figures
from sealegs.scenarios.task_sets import is_private, task_set
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.set_comparison import compare_with_public
from sealegs.suites.ranked_runs import ranked_tables
from sealegs.tasks.similarity import jaccard, tools_of
from sealegs.tasks.yaml_tasks import tasks_of
from sealegs.world.corpus import load_corpus

SECRET = 190_419_041
LEVELS = ("C1", "C2")


def quiet(done: int, total: int) -> None:
    pass


def made(out: Path, seed: int | None = SECRET, levels: tuple[str, ...] = LEVELS, n: int = 2) -> PrivateSet:
    return make_private_set(levels, n, seed, out, quiet, jobs=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("private") / "set"
    made(out)
    return out


def test_every_task_is_sound_and_has_the_form_of_the_task_it_is_matched_to(folder: Path) -> None:
    private, public = (task_set(str(one)).tasks.values() for one in (folder, folder / "public"))
    assert [task.level for task in private] == ["C1", "C1", "C2", "C2"]
    for task in private:
        assert rejection(task, load_corpus()) is None
    forms = [sorted(shape_of(task)._replace(inputs=0, domains=()) for task in tasks) for tasks in (private, public)]
    assert forms[0] == forms[1]
    for level in LEVELS:
        most = max(len(task.inputs) for task in public if task.level == level)
        assert all(len(task.inputs) <= most + MORE for task in private if task.level == level)
    paths = ("steps of a task", "calls of a path", "paths of a task", "values to deliver")
    found = compare_with_public(folder)
    for level in LEVELS:
        assert all(found.own[level].means[name] == found.public[level].means[name] for name in paths)


def test_tools_are_of_the_domains_of_the_task_that_is_matched() -> None:
    corpus = load_corpus()
    own, strange = 0, 0
    for model in [task for task in task_set().tasks.values() if task.level == "C1"][:4]:
        found = make_candidates(f"{model.id}/1", "7", 1)
        domains = shape_of(model).domains
        steps = [step for task in tasks_of(found.tasks, corpus.groups) for step in task.graph.walk()]
        own += sum(corpus.tools[step.tool].domain in domains for step in steps)
        strange += sum(corpus.tools[step.tool].domain not in domains for step in steps)
    assert own > 10
    assert strange <= own / 4, "only where a step leaves no choice"


def test_a_task_whose_user_gives_hardly_any_values_is_matched_by_a_search_that_stops_at_them() -> None:
    model = task_set().tasks["c1-85"]
    assert len(model.inputs) == 2
    (found,) = tasks_of(make_candidates("c1-85/1", "19", 1, most=0).tasks, load_corpus().groups)
    assert len(found.inputs) <= 2 + MORE
    assert len(found.graph.nodes) == len(model.graph.nodes)


def test_two_candidates_have_more_and_fewer_words_than_the_task_that_is_matched() -> None:
    corpus = load_corpus()
    for model in ("c1-01", "c2-01"):
        words = len(reworded(task_set().tasks[model], corpus).request.split())
        made = tasks_of(make_candidates(f"{model}/1", "7", 2).tasks, corpus.groups)
        assert sorted(len(task.request.split()) > words for task in made) == [False, True]


def test_no_task_is_near_another_or_near_one_that_ships(folder: Path) -> None:
    private = [tools_of(task) for task in task_set(str(folder)).tasks.values()]
    shipped = [tools_of(task) for task in task_set().tasks.values()]
    assert max(jaccard(one, other) for one in private for other in shipped) <= NEAREST
    assert max(jaccard(one, other) for one, other in combinations(private, 2)) <= NEAREST


def test_the_public_side_is_the_shipped_tasks_in_the_words_of_rules(folder: Path) -> None:
    for id, task in task_set(str(folder / "public")).tasks.items():
        shipped = task_set().tasks[id]
        assert (task.graph, task.inputs) == (shipped.graph, shipped.inputs)
        assert task.request == reworded(shipped, load_corpus()).request != shipped.request
        assert [one.source for one in task.deliverables] == [one.source for one in shipped.deliverables]
        assert all(one.label in task.request and " from the " in one.label for one in task.deliverables)
        assert rejection(task, load_corpus()) is None


def test_the_seed_is_in_one_file_alone_and_the_edition_is_its_own(folder: Path) -> None:
    holding = [file.name for file in folder.rglob("*") if file.is_file() and str(SECRET) in file.read_text("utf-8")]
    assert holding == ["seed"]
    edition = task_set(str(folder)).edition
    assert re.fullmatch(r"\d+-A-private:[0-9a-f]{12}", edition)
    assert is_private(edition)
    assert not is_private(task_set().edition)
    assert not is_private(task_set(str(folder / "public")).edition)
    assert (folder / ".gitignore").read_text("utf-8") == "*\n"
    if os.name == "posix":
        assert [oct(one.stat().st_mode & 0o777) for one in (folder, folder / "seed")] == ["0o700", "0o600"]


def test_a_seed_gives_its_set_again_and_entropy_gives_another_each_time(folder: Path, tmp_path: Path) -> None:
    again = made(tmp_path / "again").tasks
    assert again.edition == task_set(str(folder)).edition
    assert (folder / "tasks.jsonl").read_bytes() == (tmp_path / "again" / "tasks.jsonl").read_bytes()
    drawn = [made(tmp_path / name, None, ("C1",), 1) for name in ("one", "two")]
    assert drawn[0].tasks.edition != drawn[1].tasks.edition
    arguments = [
        "maze",
        "generate",
        "--private",
        "--levels",
        "C1",
        "-n",
        "1",
        "--jobs",
        "1",
        "--out",
        str(tmp_path / "one"),
    ]
    resumed = CliRunner().invoke(app, arguments)
    assert resumed.exit_code == 0, resumed.output
    assert f"1 private tasks, {drawn[0].tasks.edition}" in " ".join(resumed.output.split())
    with pytest.raises(UserError, match="holds a private set of another seed"):
        made(tmp_path / "one", 7, ("C1",), 1)


def test_a_stopped_run_goes_on_to_the_same_set(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "seed").write_bytes((folder / "seed").read_bytes())  # which is written before anything else
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:3]) + lines[3][: len(lines[3]) // 2])
    assert made(tmp_path).tasks.edition == task_set(str(folder)).edition


def test_the_choice_comes_nearer_to_the_wanted_figures_than_the_first_candidates(folder: Path) -> None:
    corpus = load_corpus()
    entries = [json.loads(line) for line in (folder / "journal.jsonl").read_text("utf-8").splitlines()[1:]]
    places = [tasks_of(one["tasks"], corpus.groups) for one in entries if one["level"] == "C1"]
    places += [tasks_of(make_candidates(f"c1-{n:02}/1", "more", 2).tasks, corpus.groups) for n in (3, 8)]
    wanted = set_figures([task for task in task_set().tasks.values() if task.level == "C1"], corpus)

    def distance(chosen: list[object]) -> float:
        found = set_figures(chosen, corpus)  # type: ignore[arg-type]
        errors = {name: max(error, 0.01 * wanted.means[name], 1e-9) for name, error in wanted.errors.items()}
        own = sum(((found.means[name] - wanted.means[name]) / error / 5) ** 2 for name, error in errors.items())
        return own + ((found.means[SIMILARITY] / wanted.means[SIMILARITY] - 1) / 0.1) ** 2

    firsts: list[object] = [place[0] for place in places]
    chosen: list[object] = list(MatchedChoice(places, corpus, wanted).chosen())
    assert distance(chosen) <= distance(firsts)
    assert all(task in place for task, place in zip(chosen, places, strict=True))


def test_figures_of_a_task_by_hand() -> None:
    task = task_set().tasks["c2-01"]
    found = task_figures(task, load_corpus())
    assert found["steps of a task"] == len(task.graph.nodes)
    assert found["values that the user gives"] == len(task.inputs)
    assert sum(value == 100 for name, value in found.items() if name.startswith("tasks naming")) == len(task.domains)


def test_it_is_not_made_into_a_dataset_folder(folder: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["maze", "dataset", "--out", str(tmp_path / "out"), "--tasks", str(folder)])
    assert isinstance(done.exception, UserError)
    assert "is private" in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_a_folder_of_something_else_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("build\n")
    mode = tmp_path.stat().st_mode
    with pytest.raises(UserError, match="is not empty and holds no private set"):
        make_private_set(["C1"], 1, 7, tmp_path, lambda done, total: None)
    assert [one.name for one in tmp_path.iterdir()] == [".gitignore"]
    assert (tmp_path / ".gitignore").read_text() == "build\n"
    assert tmp_path.stat().st_mode == mode


def test_options_that_do_not_go_with_it_are_refused_together(tmp_path: Path) -> None:
    arguments = ["--method", "model", "--shard", "1/2", "--levels", "C9"]
    done = CliRunner().invoke(app, ["maze", "generate", "--private", "--out", str(tmp_path / "x"), *arguments])
    assert isinstance(done.exception, UserError)
    assert "unknown level 'C9'" in str(done.exception)
    assert "leave --method model, --shard out" in str(done.exception)


def test_stats_shows_both_sets(folder: Path) -> None:
    done = CliRunner().invoke(app, ["maze", "stats", "--tasks", str(folder)])
    assert done.exit_code == 0, done.output
    assert task_set(str(folder)).edition in done.output
    assert task_set(str(folder / "public")).edition in done.output
    rows = CliRunner().invoke(app, ["maze", "stats", "--tasks", str(folder), "--json", "-"])
    found = json.loads(rows.stdout)["rows"]
    assert {row["task_set"] for row in found} == {task_set(str(one)).edition for one in (folder, folder / "public")}
    assert any(row["metric"] == SIMILARITY for row in found)


@pytest.fixture(scope="module")
def runs(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs")
    for side, tasks in (("private", folder), ("public", folder / "public")):
        for agent in ("oracle", "retrier"):
            options = MazeOptions(agent=agent, levels="C1,C2", modes="NP,P1,P2", tasks=str(tasks), jobs=1).checked()
            run_scripted_agent(options, out / side / agent, quiet)
    return out


def test_the_comparison_is_part_of_rank(runs: Path, folder: Path) -> None:
    (table,) = ranked_tables([runs], private=True)
    assert {one.name for one in table.entrants} == {"oracle", "retrier"}
    found = table.private
    assert found is not None
    private = task_set(str(folder)).edition
    assert found.editions == (task_set(str(folder / "public")).edition, private)
    oracle = next(one for one in found.models if one.model == "oracle")
    assert (oracle.public.value, oracle.private.value, oracle.figure.value, oracle.p) == (100.0, 100.0, 0.0, 1.0)
    (alone,) = ranked_tables([runs / "private" / "retrier"])
    retrier = next(one for one in found.models if one.model == "retrier")
    assert retrier.private.value == alone.figures[0]["composite"].value
    rows = [row for row in table.rows() if row["metric"].endswith("_private_difference")]
    assert {row["task_set"] for row in rows} == {private}
    assert {(row["level"], row["mode"]) for row in rows} == {
        *(("all", mode) for mode in ("all", "NP", "P1", "P2")),
        *((level, "all") for level in LEVELS),
    }


def test_rank_prints_it_and_says_what_is_wrong_with_other_runs(runs: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = CliRunner().invoke(app, ["rank", str(runs), "--private", "--html", str(page)])
    assert done.exit_code == 0, done.output
    assert "private less public" in done.output
    assert "private less public" in page.read_text("utf-8")
    with pytest.raises(UserError, match="differ in task_set"):
        ranked_tables([runs])
    with pytest.raises(UserError, match="and there is no private set"):
        ranked_tables([runs / "public"], private=True)
    with pytest.raises(UserError, match="no model played both sets"):
        ranked_tables([runs / "public" / "oracle", runs / "private" / "retrier"], private=True)
    options = MazeOptions(agent="oracle", levels="C1", modes="NP", limit=1, jobs=1).checked()
    run_scripted_agent(options, tmp_path / "shipped", quiet)
    with pytest.raises(UserError, match="2 public sets of tasks"):
        ranked_tables([runs, tmp_path / "shipped"], private=True)
