"""The ladder of implicit faults of `maze`: the share of each rung, which rules find what, and how agents fare on it.

    python benchmarks/ladder.py --json benchmarks/results/ladder.json

Instances: the 400 tasks under P3 and P4; on the shortest way through each, every victim is called rightly under the
episode's plan, and every rule looks at what is shown (`scenarios.ladder_check`), for either setting of `--implicit`. Of
instances, the level is the rung (`all`: every rung). `offered` is the share of the victims that offer a rung at all,
`offered at best` what it would be if the victims of C1 to C3, which a draw decides, were chosen for it. Agents: each
scripted one plays the same 800 episodes with the ladder, and the rows are those of the run's long table over all
levels. The runs are those of `sealegs run maze` in folders under `--work`: a stopped benchmark continues where it was.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from results_file import write_results

from sealegs.agents import SCRIPTED
from sealegs.faults.rungs.visible_rung import RUNGS, Rung
from sealegs.scenarios.ladder import step_ladder
from sealegs.scenarios.ladder_check import CheckedFault, check_fault
from sealegs.scenarios.perturbation import IMPLICIT_SETTINGS, LEVEL_GROUPS, PERSISTENCE, victims
from sealegs.scenarios.scenario import Scenario, list_scenarios
from sealegs.scenarios.step_use import used_fields
from sealegs.scoring.maze_metrics import maze_table
from sealegs.scoring.metric import ALL
from sealegs.suites.maze.agent_run import run_scripted_agent
from sealegs.suites.maze.maze_logs import read_maze_run
from sealegs.suites.maze.options import MazeOptions
from sealegs.tasks import shortest_solution

MODES = ("P3", "P4")
RULES = (
    "empty",
    "type",
    "leak",
    "echo",
    "limit",
    "knowledge",
    "relation",
    "across",
    "refused",
    "history",
    "branch",
    "again",
)
THREE = frozenset({"empty", "type", "leak", "echo"})  # the rules that know no tool and no field: type counts as empty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the long table here")
    parser.add_argument("--work", type=Path, default=Path("build/ladder"), help="where the runs lie")
    arguments = parser.parse_args()
    rows = [row for setting in IMPLICIT_SETTINGS for row in instance_rows(setting)]
    rows += offer_rows()
    rows += [row for agent in SCRIPTED for row in agent_rows(agent, arguments.work)]
    for row in rows:
        print(f"{row['agent']:9} {row['level']:14} {row['mode']:10} {row['metric']:20} {row['value']} (n = {row['n']})")
    if arguments.json:
        write_results(arguments.json, rows)


def instance_rows(setting: str) -> list[dict[str, Any]]:
    found = [one for episode in list_scenarios(modes=MODES, implicit=setting) for one in checked(episode)]
    rows = []
    for rung in (*(RUNGS if setting == "ladder" else ()), ALL):
        here = [one for one in found if rung in (ALL, one.rung)]
        rows.append(share(setting, rung, "share", len(here), len(found)))
        rows += [share(setting, rung, rule, sum(rule in one.rules for one in here), len(here)) for rule in RULES]
        rows.append(share(setting, rung, "three rules", sum(bool(one.rules & THREE) for one in here), len(here)))
        rows.append(share(setting, rung, "breaks structure", sum(not one.compliant for one in here), len(here)))
        wrong = sum(one.found_on != one.rung for one in here) if setting == "ladder" else None
        rows += [share(setting, rung, "not on its rung", wrong, len(here))] if wrong is not None else []
    return rows


def checked(episode: Scenario) -> Iterator[CheckedFault]:
    """The faults that are met on the shortest way."""
    for slot in episode.slots:
        yield check_fault(episode, victim(episode, slot.node))


def victim(episode: Scenario, node: str) -> str:
    """The step of a faulted node that the shortest way touches first."""
    steps = {step.id for step in victims(episode.base.graph, node)}
    return next(id for id in shortest_solution(episode.base.graph) if id in steps)


def offer_rows() -> list[dict[str, Any]]:
    """How many victims offer each rung: those that the seed draws, and those that would be drawn for the rung."""
    drawn: Counter[Rung] = Counter()
    best: Counter[Rung] = Counter()
    total = 0
    for episode in list_scenarios(modes=MODES):
        here = [offered(episode, slot.node) for slot in episode.slots]
        total += len(here)
        for rung in RUNGS:
            drawn[rung] += sum(rung in each for each in here)
            possible = sum(rung in offered(episode, node) for node in faulted_nodes(episode))
            best[rung] += min(possible, len(here))
    return [
        share("ladder", rung, metric, found[rung], total)
        for metric, found in (("offered", drawn), ("offered at best", best))
        for rung in RUNGS
    ]


def faulted_nodes(episode: Scenario) -> Iterator[str]:
    """The nodes that the faults of an episode might strike, whatever the seed."""
    task, graph = episode.base, episode.base.graph
    if task.level == "C1":
        yield from (step.id for step in graph.walk() if used_fields(graph, step, task))
    elif task.level == "C4":
        yield from (group.id for group in graph.groups)
    else:
        yield from (group.id for group in graph.groups if group.kind in LEVEL_GROUPS[task.level])


def offered(episode: Scenario, node: str) -> Mapping[Rung, str]:
    """The rungs that a node's victim offers on the shortest way."""
    stops = episode.base.level == "C1" and PERSISTENCE[episode.mode] == "permanent"
    return step_ladder(episode.task, victim(episode, node)).offers(stops=stops)


def share(mode: str, level: str, metric: str, count: int, n: int) -> dict[str, Any]:
    value = round(100 * count / n, 2) if n else None
    about = {"suite": "maze/ladder", "agent": "", "level": level, "mode": mode, "metric": metric}
    return {**about, "value": value, "low": None, "high": None, "n": n}


def agent_rows(agent: str, work: Path) -> Sequence[dict[str, Any]]:
    settings = MazeOptions(agent=agent, modes=MODES)
    folder = work / settings.name
    run_scripted_agent(settings, folder, lambda done, total: None)
    run = read_maze_run(folder)
    table = maze_table(run.results(), {"suite": "maze", "agent": agent})
    return [row for row in table if row["level"] == ALL and row["metric"].startswith(("prr", "rc"))]


if __name__ == "__main__":
    main()
