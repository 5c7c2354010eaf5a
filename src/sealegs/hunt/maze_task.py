"""A task of `maze` with a scripted agent as a target; the suite's strict judge is the check."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sealegs.agents import SCRIPTED
from sealegs.engines.direct import play_scenario
from sealegs.faults.plan import Plan
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.hunt.trial import HuntTarget, Symptom, Trial
from sealegs.scenarios.scenario import OWN_MODE, Scenario
from sealegs.scenarios.scenario_setup import ScenarioSetup
from sealegs.scenarios.task_sets import task_set
from sealegs.scoring import judge
from sealegs.scoring.episode_verdict import Verdict
from sealegs.traces import Record, build_record


@dataclass(frozen=True)
class MazeTarget:
    """A scripted agent on one base task.

    Attributes:
        task: the task's id.
        agent: the scripted agent's name.
        max_steps: calls and answer together, after which the agent counts as endless.
    """

    task: str
    agent: str
    max_steps: int = 50

    @property
    def name(self) -> str:
        """The agent's name in reports."""
        return f"maze/{self.task} ({self.agent})"

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The tools that the agent is offered."""
        return {spec.name: spec for spec in Scenario(self.task, "NP").specs}

    def assuming(self, specs: Mapping[str, ToolSpec]) -> HuntTarget:
        """The same: every tool of a task is known."""
        return self

    def trial(self, plan: Plan) -> Trial:
        """One run."""
        found, verdict = _run(self.task, self.agent, plan, self.max_steps)
        if verdict.success:
            return Trial(plan, found, None)
        if found.end.reason == "steps":
            return Trial(plan, found, Symptom("endless", f"{len(found.own)} calls"))
        if found.end.reason == "crashed":
            return Trial(plan, found, Symptom("crashed", found.end.detail))
        return Trial(plan, found, Symptom("wrong", "; ".join(verdict.reasons)))

    def head(self) -> Sequence[str]:
        """The imports that the tests need."""
        return [
            "from pathlib import Path",
            "",
            "from sealegs import read_plan",
            "from sealegs.hunt.maze_task import judge_maze_task",
        ]

    def test(self, number: int, name: str, file: str, story: str) -> str:
        """The test of one finding."""
        arguments = f'"{self.task}", "{self.agent}", read_plan(Path(__file__).parent / "{file}"), {self.max_steps}'
        return (
            f'def test_{number}_{name}():\n    """{story}"""\n'
            f"    found = judge_maze_task({arguments})\n    assert found.success, found.reasons\n"
        )


def maze_target(task: str, agent: str, max_steps: int = 50) -> MazeTarget:
    """The target that a base task's id and an agent's name stand for.

    Raises:
        UserError: there is no such task or agent.
    """
    tasks = task_set().tasks
    if task not in tasks:
        near = get_close_matches(task.lower(), tasks, n=1)
        hint = f"did you mean {near[0]}?" if near else f"ids look like {next(iter(tasks))}"
        raise UserError(f"maze has no base task {task!r}; {hint}")
    choices = [name for name in SCRIPTED if name != "oracle"]  # it knows the suite's own faults alone
    if agent not in choices:
        given = f"{agent!r} is not one of them" if agent else "none is given"
        raise UserError(f"a task of maze is hunted with a scripted agent, and {given}: --agent {', '.join(choices)}")
    return MazeTarget(task, agent, max_steps)


def judge_maze_task(task: str, agent: str, plan: Plan, max_steps: int = 50) -> Verdict:
    """The strict judge's verdict on a scripted agent on one base task under this plan."""
    return _run(task, agent, plan, max_steps)[1]


def _run(task: str, agent: str, plan: Plan, max_steps: int) -> tuple[Record, Verdict]:
    episode = Scenario(task, OWN_MODE, own=json.dumps(plan.as_data()))
    found = build_record(play_scenario(episode, agent, ScenarioSetup(max_steps)))
    return found, judge(found, episode.case(found))
