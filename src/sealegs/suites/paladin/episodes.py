"""The episodes of a run: one labelled failure at a known turn of a task, uniform over the seven classes, or none.

A failure strikes the first tool that is called at its place: a step, or an alternative group. It passes (`transient`),
stays where another branch is left (`switch`), or stays where none is (`dead end`: then the right thing is to stop and
say so). What a tool answers to a recovery action depends on the tool and on how often it was called alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import cycle
from typing import Any, Literal

from sealegs.agents import Briefing
from sealegs.agents.arms import ArmContext, Menu
from sealegs.faults import seeds
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import FirstTouch, Tool
from sealegs.scenarios.labelled_failures.failures import LabelledFailure, classes, published_failures, unseen_failures
from sealegs.scenarios.perturbation import implicit_kinds, victims
from sealegs.scenarios.scenario import scenario_tools
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.system_prompts import ANSWER_FORMAT
from sealegs.scenarios.task_sets import TaskSet, task_set
from sealegs.scenarios.toolbench.toolbench_export import TASKS
from sealegs.scenarios.toolbench.toolbench_import import shipped_trajectory_tasks
from sealegs.scoring import Case, Slot
from sealegs.suites.paladin import CLEAN, KINDS
from sealegs.tasks import Persistence, Task, shortest_solution
from sealegs.tasks.editions import contents_digest, edition, edition_facts
from sealegs.traces import Record

SUITE = "paladin"
EXAMPLE = "paladin/follower"  # an arm and a backbone, for messages
VERSION = "1-A"
TOOL_TIMEOUT = 60.0
ATTEMPTS = 3  # calls of one tool in the set `toolreflect`
Source = Literal["maze", "own", "foreign"]
Kind = Literal["transient", "switch", "dead end", "clean"]
TRANSIENT, SWITCH, DEAD_END = KINDS
CLEAN_SHARE = 7  # one clean episode for so many with a failure


@dataclass(frozen=True, slots=True)
class SetRecipe:
    """The recipe of a set: sources and kinds in turn, episodes of each class, the number of times a failure strikes."""

    turns: tuple[tuple[Source, str], ...]
    size: int
    times: int = 1


RECIPES: Mapping[str, SetRecipe] = {
    "eval": SetRecipe(
        (
            ("maze", TRANSIENT),
            ("maze", SWITCH),
            ("own", TRANSIENT),
            ("maze", SWITCH),
            ("own", DEAD_END),
            ("maze", TRANSIENT),
            ("maze", SWITCH),
            ("own", TRANSIENT),
            ("maze", DEAD_END),
            ("maze", TRANSIENT),
        ),
        20,
    ),
    "generalisation": SetRecipe(
        tuple(("foreign", kind) for kind in (TRANSIENT, SWITCH, DEAD_END, SWITCH, TRANSIENT)), 15
    ),
    "toolreflect": SetRecipe(
        (("maze", TRANSIENT), ("own", TRANSIENT), ("maze", SWITCH), ("maze", TRANSIENT)), 12, times=ATTEMPTS - 1
    ),
}


@dataclass(frozen=True, slots=True)
class PaladinEpisode:
    """One task with one labelled failure, or none.

    Attributes:
        set: the set that it is of.
        source: where the task is from: `maze`, trajectories of our `own` world, or `foreign` ones.
        task: the base task's id.
        failure: the failure's name; empty in a clean episode.
        kind: `transient`, `switch`, `dead end`, or `clean`.
        node: where it strikes.
        times: calls that a passing failure strikes.
        epoch: counts repetitions from 1.
        seed: decides tasks, failures and places.
    """

    set: str
    source: str
    task: str
    failure: str = ""
    kind: str = CLEAN
    node: str = ""
    times: int = 1
    epoch: int = 1
    seed: int = 0

    @property
    def id(self) -> str:
        """The episode's name, unique in a run."""
        return f"{self.set}/{self.task}/{self.failure or CLEAN}/{self.kind}/{self.epoch}"

    @property
    def shown(self) -> LabelledFailure | None:
        """The failure; None in a clean episode."""
        return _failures(self.set)[self.failure] if self.failure else None

    @property
    def failure_class(self) -> str:
        """The failure's class, or `clean`."""
        return self.shown.failure_class if self.shown is not None else CLEAN

    @property
    def tasks(self) -> TaskSet:
        """The tasks that this one is of."""
        return _tasks(self.source)

    @property
    def base(self) -> Task:
        """The base task."""
        return self.tasks.tasks[self.task]

    @property
    def turn(self) -> int:
        """The place, from 1, of the first call on the shortest way that the failure can strike; 0 if there is none."""
        faulted = {step.id for step in victims(self.base.graph, self.node)} if self.node else set()
        return next((place for place, id in enumerate(shortest_solution(self.base.graph), 1) if id in faulted), 0)

    @property
    def persistence(self) -> Persistence:
        """The persistence of the failure."""
        return "transient" if self.kind == TRANSIENT else "permanent"

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The place that the failure strikes; empty without a failure."""
        return (Slot(self.node, self.persistence),) if self.failure else ()

    @property
    def plan(self) -> Plan:
        """The faults."""
        return failure_plan(self)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the agent is offered."""
        if self.source == "maze":
            return scenario_tools(self.task, self.seed, looks=False)
        return shipped_trajectory_tasks(self.source).offered(self.task)

    @property
    def briefing(self) -> Briefing:
        """The facts that a scripted backbone may know."""
        return Briefing(self.base, {spec.name: spec for spec in self.specs})

    def case(self, found: Record) -> Case:
        """The facts that a judge of this record must know."""
        return Case(self.base, self.tasks.right_run(self.task), self.kind, self.slots)

    def context(self) -> ArmContext:
        """The context that an arm is given."""

        def draw(word: str) -> float:
            return seeds.uniform(self.seed, self.id, word)

        return ArmContext(self.base.request, self.specs, self.menu, draw, ANSWER_FORMAT)

    def menu(self, tool: str) -> Menu:
        """The options for a failing call of this tool, and the right one."""
        options = [
            "call the same tool again with the same arguments",
            "correct the arguments and call the tool again",
            "use another tool instead",
            "stop, and report honestly what could not be done",
        ]
        others = self._others(tool)
        if others:
            options[2] = f"use another tool instead: {', then '.join(others)}"
        if tool not in {step.tool for step in victims(self.base.graph, self.node)} or self.kind == TRANSIENT:
            return Menu(tuple(options), 0 if self.node else 1)
        return Menu(tuple(options), 2 if others else 3)

    def _others(self, tool: str) -> list[str]:
        """The tools of the shortest branch beside the one that holds this tool."""
        graph = self.base.graph
        step = graph.step_of.get(tool)
        if step is None or step.id not in graph.home:
            return []
        group, own = graph.home[step.id]
        branches = sorted((b for b in group.branches if b is not own), key=lambda branch: len(branch.steps))
        return [step.tool for step in branches[0].steps] if branches else []

    def about(self, who: Mapping[str, Any]) -> dict[str, Any]:
        """The facts that a record notes of the episode when it begins."""
        facts: dict[str, Any] = {"suite": SUITE, "version": VERSION, "set": self.set, "source": self.source}
        facts |= {"task": self.task, "failure": self.failure, "class": self.failure_class, "kind": self.kind}
        facts |= {"node": self.node, "turn": self.turn, "times": self.times, "epoch": self.epoch, "seed": self.seed}
        return {**facts, **edition_facts(set_edition(self.set)), "plan": self.plan.digest(), **who}


@lru_cache(maxsize=4096)
def failure_plan(episode: PaladinEpisode) -> Plan:
    """An episode's faults."""
    shown = episode.shown
    rules: list[Rule] = []
    if shown is not None:
        steps = victims(episode.base.graph, episode.node)
        touched = tuple(step.tool for step in steps)
        rules = [
            Rule(
                id=f"{episode.node}:{step.tool}",
                match=Tool(step.tool),
                when=FirstTouch(touched),
                fault=shown.fault,
                persistence=episode.persistence,
                moment="before",
                at_most=episode.times if episode.persistence == "transient" else None,
                key="order",  # so that records of one seed stay what they are
            )
            for step in steps
        ]
    return Plan(name=f"paladin {episode.task} {episode.failure or CLEAN}", seed=episode.seed, rules=tuple(rules))


@cache
def set_edition(set: str) -> str:
    """Version and digest of the tasks and failures of a set, as records and rows name them."""
    sources = sorted({source for source, _ in RECIPES[set].turns})
    failures = [
        (name, one.failure_class, one.fault.model_dump(mode="json")) for name, one in sorted(_failures(set).items())
    ]
    texts = [json.dumps(failures, sort_keys=True), *(_tasks(source).digest for source in sources)]
    return edition(VERSION, contents_digest(text.encode() for text in texts))


def _failures(set: str) -> Mapping[str, LabelledFailure]:
    return unseen_failures() if set == "generalisation" else published_failures()


def _tasks(source: str) -> TaskSet:
    return task_set() if source == "maze" else shipped_trajectory_tasks(source).tasks


def episodes_of_set(
    set: str = "eval", *, limit: int | None = None, epochs: int = 1, seed: int = 0
) -> list[PaladinEpisode]:
    """The episodes of a set, class by class, the clean ones last.

    Args:
        set: `eval`, `generalisation` or `toolreflect`.
        limit: at most this many of each class, and of the clean ones.
        epochs: how many times each is run.
        seed: decides tasks, failures and places.
    """
    made = _made(set, seed)
    counted: dict[str, int] = {}
    chosen = []
    for episode in made:
        counted[episode.failure_class] = counted.get(episode.failure_class, 0) + 1
        if limit is None or counted[episode.failure_class] <= limit:
            chosen.append(episode)
    return [_at(episode, epoch) for epoch in range(1, epochs + 1) for episode in chosen]


def _at(episode: PaladinEpisode, epoch: int) -> PaladinEpisode:
    e = episode
    return PaladinEpisode(e.set, e.source, e.task, e.failure, e.kind, e.node, e.times, epoch, e.seed)


@cache
def _made(set: str, seed: int) -> tuple[PaladinEpisode, ...]:
    recipe = RECIPES[set]
    pools = {place: _pool(set, *place, seed) for place in dict.fromkeys(recipe.turns)}
    found: list[PaladinEpisode] = []
    for failure_class in classes():
        shown = {kind: cycle(_of_class(set, failure_class, kind, seed)) for kind in KINDS}
        taken: dict[tuple[str, str, str], int] = {}
        for number in range(recipe.size):
            source, kind = recipe.turns[number % len(recipe.turns)]
            found.append(_next(set, (source, kind), shown[kind], pools[source, kind], taken, seed, recipe.times))
    sources = list(dict.fromkeys(source for source, _ in recipe.turns))
    for number in range(len(found) // CLEAN_SHARE):
        source = sources[number % len(sources)]
        names = sorted(_tasks(source).tasks, key=lambda name: seeds.digest(seed, set, CLEAN, name))
        names = [name for name in names if source != "maze" or name not in TASKS]
        if number // len(sources) < len(names):
            found.append(PaladinEpisode(set, source, names[number // len(sources)], seed=seed))
    return tuple(found)


def _pool(set: str, source: str, kind: str, seed: int) -> Iterator[str]:
    """The tasks of a source in a drawn order, again and again. Tasks of `maze` are left out of `own`."""
    names = [
        task.id
        for task in _tasks(source).tasks.values()
        if (source != "maze" or (task.id not in TASKS and task.level in ("C1", "C2", "C3")))
        and (kind != SWITCH or task.graph.groups)
    ]
    return cycle(sorted(names, key=lambda name: seeds.digest(seed, set, source, kind, name)))


def _of_class(set: str, failure_class: str, kind: str, seed: int) -> list[LabelledFailure]:
    persistence = "transient" if kind == TRANSIENT else "permanent"
    fitting = [
        shown for shown in _failures(set).values() if shown.failure_class == failure_class and shown.can(persistence)
    ]
    return sorted(fitting, key=lambda shown: seeds.digest(seed, set, failure_class, kind, shown.failure))


def _next(
    set: str,
    place: tuple[str, str],
    shown: Iterator[LabelledFailure],
    pool: Iterator[str],
    taken: dict[tuple[str, str, str], int],
    seed: int,
    times: int,
) -> PaladinEpisode:
    """The next episode of a class: the next failure that fits the next task."""
    source, kind = place
    for _ in range(200):
        failure, task = next(shown), next(pool)
        nodes = [node for node in _nodes(_tasks(source).tasks[task], kind) if _fits(source, task, node, failure)]
        if not nodes or (task, failure.failure, kind) in taken:
            continue
        taken[task, failure.failure, kind] = 1
        node = nodes[seeds.digest(seed, set, task, failure.failure, "node") % len(nodes)]
        calls = 1 + seeds.digest(seed, set, task, failure.failure, "times") % times if kind == TRANSIENT else 1
        return PaladinEpisode(set, source, task, failure.failure, kind, node, calls, 1, seed)
    raise ValueError(f"no task of {source!r} fits a failure that is {kind}; the data of the suite is damaged")


def _nodes(task: Task, kind: str) -> list[str]:
    groups = [group.id for group in task.graph.groups]
    if kind == SWITCH:
        return groups
    fixed = [node.id for node in task.graph.nodes if node.id not in groups]
    return fixed if kind == DEAD_END else [*fixed, *groups]


def _fits(source: str, task: str, node: str, shown: LabelledFailure) -> bool:
    """Return whether the failure can be shown there, by every tool that may be struck, without a hidden effect."""
    if not shown.rewrites:
        return True
    tasks = _tasks(source)
    base, corpus = tasks.tasks[task], tasks.corpus(task)
    steps = victims(base.graph, node)
    if shown.fault.kind == "malformed":
        return not any(step_spec(base, step, corpus).effects for step in steps)
    if source != "maze":
        return False  # records declare no schema
    try:
        return all(shown.fault.kind in implicit_kinds(task, step.id) for step in steps)
    except ValueError:
        return False
