"""`maze` on a domain of the user's own: checked, with tasks made of it or written for it, and played by any agent."""

from __future__ import annotations

import json
import shutil
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from sealegs.engines.direct import play_scenario
from sealegs.faults.user_error import UserError
from sealegs.generate.rules.engine import generate_by_rules
from sealegs.generate.world_tasks import on_own_world, world_tasks
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.scenario import list_scenarios
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring import judge
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.suites.maze.suite import SUITE
from sealegs.traces import build_record
from sealegs.world.corpus import load_corpus

GARDEN = Path(__file__).parents[2] / "examples" / "garden.py"
SHIPPED = Path(str(resources.files("sealegs.world.travel") / "groups.txt"))
TRIPS = """
from importlib import import_module
from pkgutil import iter_modules

import sealegs.world.travel as travel
from sealegs.world.tool import SimulatedTool

for found in iter_modules(travel.__path__):
    module = import_module(f"sealegs.world.travel.{found.name}")
    globals().update({name: tool for name, tool in vars(module).items() if isinstance(tool, SimulatedTool)})
"""
TASKS = """
- id: bed-by-hand
  level: C1
  request: How many litres does the bed of Hanna Lund need today, and how large is it?
  inputs: {gardener: Hanna Lund}
  steps:
    - tool: find_bed
      with: {gardener: user.gardener}
    - tool: watering_need
      with: {bed_id: find_bed.bed_id}
  deliverables:
    - {label: the litres, from: watering_need.litres}
- id: bed-watered
  level: C2
  request: Please have the bed of Jules Perrin watered as it needs, and tell me how much is left in the tank.
  inputs: {gardener: Jules Perrin}
  steps:
    - tool: find_bed
      with: {gardener: user.gardener}
    - id: watered
      group: bed_watered
      with: {bed_id: find_bed.bed_id}
  deliverables:
    - {label: what is left, from: watered.tank_after}
"""


def quiet(done: int, total: int) -> None:
    pass


@pytest.fixture
def garden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(GARDEN, tmp_path / "plot.py"))


def verdicts(folder: Path, agent: str) -> dict[tuple[str, str, str], Any]:
    episodes = list_scenarios(tasks=str(folder.resolve()))
    played = {one: build_record(play_scenario(one, agent)) for one in episodes}
    return {(one.base.level, one.task, one.mode): judge(found, one.case(found)) for one, found in played.items()}


def test_an_oracle_is_right_in_every_cell_of_a_small_domain(garden: Path) -> None:
    found = verdicts(world_tasks(str(garden), jobs=1), "oracle")
    assert {(level, mode) for level, _, mode in found} == {(level, mode) for level in ("C1", "C2") for mode in MODES}
    assert all(one.success and one.redundancy == 0 for one in found.values())
    assert all(one.exposed for (_, _, mode), one in found.items() if mode != "NP")


def test_a_naive_agent_is_right_without_faults_alone(garden: Path) -> None:
    found = verdicts(world_tasks(str(garden), jobs=1), "naive")
    assert {mode for (_, _, mode), one in found.items() if one.success} == {"NP"}


def test_every_level_is_made_of_a_larger_domain(tmp_path: Path) -> None:
    trips = tmp_path / "trips.py"
    trips.write_text(TRIPS)
    shutil.copy(SHIPPED, tmp_path / "trips.groups.txt")
    out = tmp_path / "tasks"
    generate_by_rules(LEVELS, 1, 3, out, quiet, jobs=1, world=trips)
    found = verdicts(out, "oracle")
    assert {level for level, _, _ in found} == set(LEVELS)
    assert all(one.success and one.redundancy == 0 for one in found.values())
    tools = {step.tool for task in task_set(str(out.resolve())).tasks.values() for step in task.graph.walk()}
    assert all(load_corpus().tools[tool].domain == "travel" for tool in tools), "nothing else is offered"


def test_written_tasks_are_played_through_the_suite(garden: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(TASKS)
    given = MazeOptions(agent="oracle", world=str(garden), tasks="mine.yaml", jobs=1)
    options = on_own_world(given).checked()
    assert not options.world
    SUITE.run_scripted(options, tmp_path / "run", quiet)
    results = read_maze_run(tmp_path / "run").results()
    assert {one.task for one in results} == {"bed-by-hand", "bed-watered"}
    assert len(results) == 2 * len(MODES)
    assert all(one.verdict.success and one.verdict.redundancy == 0 for one in results)
    values = {(r["mode"], r["metric"]): r["value"] for r in SUITE.report(tmp_path / "run").rows if r["level"] == "all"}
    assert (values["all", "tsr"], values["all", "prr"], values["all", "rc"]) == (100, 100, 0)


def test_the_same_command_resumes_and_a_changed_domain_is_another_run(garden: Path) -> None:
    first = world_tasks(str(garden), jobs=1)
    made = (first / "tasks.jsonl").read_text()
    assert world_tasks(str(garden), jobs=1) == first
    assert (first / "tasks.jsonl").read_text() == made
    garden.write_text(garden.read_text().replace("TANK = 300.0", "TANK = 310.0"))
    assert world_tasks(str(garden), jobs=1) != first
    task_set.cache_clear()
    with pytest.raises(UserError, match="has changed since"):
        task_set(str(first.resolve()))


def test_options_without_a_domain_are_as_they_were() -> None:
    options = MazeOptions(agent="oracle")
    assert on_own_world(options) is options


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"world": "missing.py"}, "there is no Python file missing.py"),
        ({"world": "broken.py"}, "does not pass `sealegs world check broken.py`"),
        ({"world": "plot.py", "tasks": "missing.yaml"}, "there is no file missing.yaml"),
        ({"world": "plot.py", "tasks": "strange.yaml"}, "there is no tool find_bet in the domain"),
        ({"world": "plot.py", "tasks": "wrong.yaml"}, "cannot be read from the request"),
        ({"world": "plot.py", "agent": "nobody"}, "unknown agent 'nobody'"),
        ({"world": "one.py"}, "no task could be made of one.py"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_made(
    garden: Path, tmp_path: Path, options: dict[str, str], says: str
) -> None:
    text = garden.read_text()
    (tmp_path / "broken.py").write_text(
        text.replace("found.area_m2 * found.litres_per_m2, 2)\n    return {", "1, 2)\n    return {")
    )
    (tmp_path / "strange.yaml").write_text(
        TASKS.replace("tool: find_bed", "tool: find_bet").replace("find_bed.", "find_bet.")
    )
    (tmp_path / "wrong.yaml").write_text(TASKS.replace("{gardener: Hanna Lund}", "{gardener: Amara Nwosu}"))
    (tmp_path / "one.py").write_text(
        text.replace("BED_WATERED = Pattern(", "_ = (").split("_ = (")[0].split("class Need(")[0]
    )
    with pytest.raises(UserError) as error:
        on_own_world(MazeOptions(**{"agent": "oracle", "jobs": 1, **options}))
    assert says in str(error.value)
    made = [file for file in Path("sealegs-tasks").rglob("*") if file.name in ("tasks.jsonl", "world.json")]
    assert not made, json.dumps(list(map(str, made)))
