"""Tasks by rules: sound, the same for the same seed, unlike one another, and finished after any stop."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults import seeds
from sealegs.faults.user_error import UserError
from sealegs.generate.rules import engine
from sealegs.generate.rules.engine import attempt_task, generate_by_rules
from sealegs.generate.rules.graph_outlines import draw_graph_outline
from sealegs.generate.rules.vocabulary import CorpusVocabulary, ParameterSlot
from sealegs.generate.task_checks import CHECKS, rejection
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.perturbation import LADDER, PUBLISHED_FAMILIES
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring import judge
from sealegs.tasks.similarity import SeenToolSets, jaccard
from sealegs.traces import build_record
from sealegs.world.corpus import load_corpus

VOCABULARY = CorpusVocabulary(load_corpus())


def quiet(done: int, total: int) -> None:
    pass


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "tasks"
    generate_by_rules(LEVELS, 6, 5, out, quiet, jobs=2)
    return out


def test_every_task_passes_every_check(made: Path) -> None:
    tasks = task_set(str(made)).tasks
    assert [task.level for task in tasks.values()] == [level for level in LEVELS for _ in range(6)]
    for task in tasks.values():
        assert rejection(task, load_corpus()) is None
    assert len({task.request for task in tasks.values()}) == len(tasks)


def test_no_two_tasks_are_made_of_the_same_tools(made: Path) -> None:
    sets = [frozenset(task.graph.step_of) for task in task_set(str(made)).tasks.values()]
    assert max(jaccard(one, other) for one, other in combinations(sets, 2)) <= engine.NEAREST


@pytest.mark.parametrize(("moment", "careful"), [("draw", "verifier"), ("before", "planner")])
def test_agents_fare_on_them_as_on_ours(made: Path, moment: str, careful: str) -> None:
    for name in list(task_set(str(made)).tasks)[::3]:
        for mode in MODES:
            published = Scenario(name, mode, tasks=str(made), moment=moment, implicit=PUBLISHED_FAMILIES)
            ladder = replace(published, implicit=LADDER)
            fare = ((ladder, "oracle", True), (published, careful, True), (published, "naive", mode == "NP"))
            for episode, agent, rightly in fare:
                found = build_record(play_scenario(episode, agent))
                verdict = judge(found, episode.case(found))
                assert verdict.success == rightly, (name, mode, agent, verdict.reasons)
                assert verdict.exposed == (mode != "NP")


@pytest.mark.slow
def test_the_same_seed_gives_the_same_tasks_at_any_number_of_jobs(made: Path, tmp_path: Path) -> None:
    generate_by_rules(LEVELS, 6, 5, tmp_path, quiet, jobs=1)
    for name in ("tasks.jsonl", "README.md"):
        assert (tmp_path / name).read_bytes() == (made / name).read_bytes()


def test_a_stopped_run_goes_on_to_the_same_end(made: Path, tmp_path: Path) -> None:
    lines = (made / "journal.jsonl").read_bytes().splitlines(keepends=True)
    cut = len(lines) // 2
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[:cut]) + lines[-1][: len(lines[-1]) // 2])
    generate_by_rules(LEVELS, 6, 5, tmp_path, quiet, jobs=2)
    assert (tmp_path / "tasks.jsonl").read_bytes() == (made / "tasks.jsonl").read_bytes()
    assert (tmp_path / "journal.jsonl").read_bytes() == (made / "journal.jsonl").read_bytes()


def test_another_run_is_not_mixed_in(made: Path) -> None:
    with pytest.raises(UserError, match="seed was 5, is 6"):
        generate_by_rules(LEVELS, 6, 6, made, quiet)


def test_every_attempt_is_accounted_for(made: Path) -> None:
    found = generate_by_rules(LEVELS, 6, 5, made, quiet)
    for level in LEVELS:
        fell = sum(count for (own, _), count in found.fell.items() if own == level)
        assert found.tried[level] == fell + 6
    rows = {(row["level"], row["metric"]): row for row in found.rows()}
    assert rows["all", "accepted"]["value"] == 24
    rate = rows["all", "acceptance_rate"]
    assert rate["low"] < rate["value"] < rate["high"]
    assert {name for _, name in found.fell} <= {*CHECKS, "search", "deliverables", "duplicate"}


def test_an_attempt_is_a_function_of_its_number() -> None:
    one, other = (attempt_task("C2", 17, 3) for _ in range(2))
    assert one == other


def test_near_duplicates_fall_before_the_work() -> None:
    first = next(a for a in (attempt_task("C1", n, 5) for n in range(200)) if a.task)
    number = next(n for n in range(200) if attempt_task("C1", n, 5) == first)
    assert attempt_task("C1", number, 5, SeenToolSets([("own", frozenset(first.tools))])).fell_at == "duplicate"


@pytest.mark.parametrize(
    ("tool", "path", "value", "slot", "fits"),
    [
        ("find_account", "account_id", "ACC-1001", ParameterSlot("account_balance", "account_id"), True),
        ("search_hotels", "count", 4, ParameterSlot("raise_purchase_order", "quantity"), False),
        ("city_almanac", "utc_offset", 2, ParameterSlot("schedule_hours", "hours"), False),
        ("points_for_purchase", "value", 12.5, ParameterSlot("set_thermostat", "target_celsius"), False),
        ("trip_cost", "total", 310.0, ParameterSlot("running_cost", "hours"), False),
        ("security_quote", "currency", "EUR", ParameterSlot("trip_cost", "currency"), False),
    ],
)
def test_what_may_feed_what(tool: str, path: str, value: object, slot: ParameterSlot, fits: bool) -> None:
    assert (slot in set(VOCABULARY.slots_for(tool, path, value))) == fits


def test_plans_have_the_levels_shapes() -> None:
    for level in LEVELS:
        for number in range(50):
            places = draw_graph_outline(level, seeds.stream(level, number))
            groups = [place for place in places if place.kinds]
            assert len(groups) in {"C1": (0,), "C2": (1,), "C3": (1,), "C4": (2, 3)}[level]
            assert [places[0].kinds, places[-1].kinds] == [(), ()]


def test_the_journal_is_json_line_by_line(made: Path) -> None:
    entries = [json.loads(line) for line in (made / "journal.jsonl").read_text().splitlines()]
    assert entries[0]["settings"]["engine"] == "rules"
    assert sum(len(entry["tasks"]) for entry in entries[1:]) == 24
