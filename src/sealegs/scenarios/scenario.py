"""The episodes of a run, and everything that one of them needs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, lru_cache
from typing import Any

from sealegs.agents import Briefing
from sealegs.faults import seeds
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.plan_files import plan_from
from sealegs.faults.rungs.visible_rung import RUNGS, Rung
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Always
from sealegs.scenarios import LEVELS, MODES
from sealegs.scenarios.moments import DRAW, PUBLISHED, history_tools, possible_moments, risk_of
from sealegs.scenarios.perturbation import (
    LADDER,
    PUBLISHED_FAMILIES,
    DrawnPlan,
    PlanSettings,
    draw_plan,
    slots,
)
from sealegs.scenarios.step_use import step_spec
from sealegs.scenarios.task_sets import SHIPPED, VERSION, TaskSet, task_set
from sealegs.scenarios.wordings import FIRST, OWN_REQUESTS, Phrasing, translated_tasks
from sealegs.scoring import Case, Slot
from sealegs.scoring.task_progress import node_of
from sealegs.tasks import Risk, Task
from sealegs.tasks.editions import edition_facts
from sealegs.tasks.graph import Step
from sealegs.tasks.written_forms import ENGLISH, LANGUAGES
from sealegs.traces import Record
from sealegs.world.corpus import Corpus

SUITE = "maze"
DISTRACTORS = 6
TOOL_TIMEOUT = 60.0
OWN_MODE = "plan"


# Of the fields below, what they are of in records from before there was such a setting, when all was as published.
SCENARIO_BEFORE = {"moment": PUBLISHED, "implicit": PUBLISHED_FAMILIES, "wording": FIRST, "language": ENGLISH}
SCENARIO_CHOICES: Mapping[str, Mapping[str, str]] = {"language": LANGUAGES}  # known values that a record may have


@dataclass(frozen=True, slots=True)
class Scenario:
    """One task under one mode.

    Attributes:
        task: the base task's id.
        mode: NP, P1 to P4, or `plan` under the user's own plan.
        epoch: counts repetitions from 1.
        seed: decides victims and faults.
        own: the user's plan as JSON, in mode `plan`.
        tasks: the folder that the task is from; empty for those that ship with the suite.
        moment: when faults strike actions, one of `moments.SETTINGS`.
        implicit: which implicit faults there are, one of `perturbation.IMPLICIT_SETTINGS`.
        wording: which of the requests is used, one of `wordings.WORDINGS`.
        language: of the request, one of `written_forms.LANGUAGES`.
    """

    task: str
    mode: str
    epoch: int = 1
    seed: int = 0
    own: str = ""
    tasks: str = SHIPPED
    moment: str = DRAW
    implicit: str = LADDER
    wording: str = FIRST
    language: str = ENGLISH

    @property
    def id(self) -> str:
        """The episode's name, unique in a run."""
        return f"{self.task}/{self.mode}/{self.epoch}"

    @property
    def set(self) -> TaskSet:
        """The tasks that this one is of."""
        return task_set(self.tasks)

    @property
    def base(self) -> Task:
        """The base task, with the chosen request."""
        return self.phrasing.worded(self.set.tasks[self.task])

    @property
    def phrasing(self) -> Phrasing:
        """The choice of the task's request: its wording and language."""
        return Phrasing(self.wording, self.language)

    @property
    def plan(self) -> Plan:
        """The faults."""
        return scenario_faults(self).plan

    @property
    def plan_digest(self) -> str:
        """The digest of the faults, which records name."""
        return scenario_faults(self).digest

    @property
    def rungs(self) -> Mapping[str, Rung]:
        """The rung of the ladder on which each implicit fault is detectable, by the rule's id; none off it."""
        return scenario_faults(self).rungs

    def hardest_rung(self, found: Record) -> str:
        """The hardest rung on which a fault that arrived is detectable; empty if none is on the ladder."""
        arrived = {injection.rule for turn in found.turns for injection in turn.injections if injection.delivered}
        reached = [rung for rule, rung in self.rungs.items() if rule in arrived]
        return max(reached, key=RUNGS.index, default="")

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots that faults will strike; none under the user's own plan, of which they are unknown."""
        return () if self.own else slots(self.base, self.mode, self.seed)

    def case(self, found: Record) -> Case:
        """The facts that a judge of this record must know."""
        faulted = faulted_slots(self, found) if self.own else self.slots
        return Case(
            self.base, self.set.right_run(self.task), self.mode, faulted, self.risks, self.actions, self.language
        )

    @property
    def actions(self) -> Mapping[str, ToolSpec]:
        """The offered actions of which a history tool shows what was done; none where a failed call did nothing."""
        return {} if self.moment == PUBLISHED else {spec.name: spec for spec in self.specs if spec.shown_by}

    @property
    def risks(self) -> Mapping[str, Risk]:
        """The risk of a fault on each action, by step; empty under the setting where a failed call did nothing."""
        if self.moment == PUBLISHED:
            return {}
        corpus, graph = self.set.corpus(self.task), self.base.graph
        # `draw_plan` names its rules NODE:TOOL; a plan of the user's may name them as it likes.
        drawn = {rule.id.partition(":")[2]: rule.moment for rule in self.plan.rules} if not self.own else {}
        # Kept with the graph, since each of its episodes asks.
        able: tuple[Step, ...] | None = vars(graph).get("steps_at_moments")
        if able is None:
            steps = (step for step in graph.walk() if len(possible_moments(self.task, step.id, self.tasks)) > 1)
            able = vars(graph)["steps_at_moments"] = tuple(steps)
        return {step.id: risk_of(step, drawn.get(step.tool) or PUBLISHED, corpus) for step in able}

    @property
    def briefing(self) -> Briefing:
        """The facts that a scripted agent may know."""
        places = {slot.node: slot.persistence for slot in self.slots}
        return Briefing(self.base, {spec.name: spec for spec in self.specs}, places, self.risks)

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the agent is offered."""
        return scenario_tools(self.task, self.seed, self.tasks, self.moment != PUBLISHED)

    def about(self, who: Mapping[str, Any]) -> dict[str, Any]:
        """The facts that a record notes of the episode when it begins."""
        facts: dict[str, Any] = {
            "suite": SUITE,
            "version": VERSION,
            **edition_facts(self.set.edition),
            "task": self.task,
            "level": self.base.level,
            "mode": self.mode,
        }
        facts |= {"epoch": self.epoch, "seed": self.seed, "plan": self.plan_digest}
        facts |= {name: getattr(self, name) for name in SCENARIO_BEFORE}
        optional = (("own", self.own), ("tasks", self.tasks), ("rungs", dict(self.rungs)))
        marks = {name: value for name, value in optional if value}
        return {**facts, **marks, **who}


SCENARIO_FACTS = tuple(field.name for field in fields(Scenario))
_USUAL: Mapping[str, Any] = {field.name: field.default for field in fields(Scenario)}
SHARED_FACTS = SCENARIO_FACTS[SCENARIO_FACTS.index("seed") :]  # those in which the scenarios of a run agree


def scenario_from_record(about: Mapping[str, Any]) -> Scenario:
    """Return the scenario that a record is of, by what was noted when it began."""
    noted = {**dict.fromkeys(("own", "tasks"), ""), **SCENARIO_BEFORE, **about}  # empty texts are not noted
    return Scenario(*(noted[name] for name in SCENARIO_FACTS))


def scenario_words(facts: Mapping[str, str]) -> list[str]:
    """The words for scenarios in the name of a run with these facts; none for what is as by default."""
    words = [f"{name} {facts[name]}" for name in ("moment", "implicit", "wording") if facts[name] != _USUAL[name]]
    return [*words, *([LANGUAGES[facts["language"]]] if facts["language"] != _USUAL["language"] else [])]


@lru_cache(maxsize=2048)  # a run as it is by default has 2,000 episodes; each takes 6 kB
def scenario_faults(episode: Scenario) -> DrawnPlan:
    """An episode's faults."""
    if episode.own:
        plan = plan_from(json.loads(episode.own))
        return DrawnPlan(plan, {}, plan.digest())
    settings = PlanSettings(episode.tasks, episode.moment, episode.implicit)
    return draw_plan(episode.set.tasks[episode.task], episode.mode, episode.seed, episode.epoch, settings)


def faulted_slots(episode: Scenario, found: Record) -> tuple[Slot, ...]:
    """The slots that the user's own plan struck: their nodes, and whether the tool will work again.

    A node's victim is the tool that was struck first. It is broken for good where any rule that struck it is; faults on
    other tools of its group say nothing of it.
    """
    lasting = {rule.id: _lasts(rule) for rule in episode.plan.rules}
    graph = episode.base.graph
    victims: dict[str, str] = {}
    broken: dict[str, bool] = {}
    for turn in found.turns:
        step = graph.step_of.get(turn.call.tool)
        if step is None or not turn.faulted:
            continue
        node = node_of(step, graph)
        if victims.setdefault(node, step.tool) == step.tool:
            for_good = any(lasting[injection.rule] for injection in turn.injections if injection.delivered)
            broken[node] = broken.get(node, False) or for_good
    return tuple(Slot(node, "permanent" if for_good else "transient") for node, for_good in broken.items())


def _lasts(rule: Rule) -> bool:
    """Return whether a tool that the rule strikes never works again."""
    return rule.persistence == "permanent" or (isinstance(rule.when, Always) and rule.at_most is None)


@cache
def scenario_tools(task: str, seed: int, tasks: str = SHIPPED, looks: bool = True) -> tuple[ToolSpec, ...]:
    """The tools of a task and a few that do not help, in a fixed shuffle.

    `looks`: with the history tools that show what their actions did.
    """
    base, corpus = task_set(tasks).tasks[task], task_set(tasks).corpus(task)
    needed = [step_spec(base, step, corpus) for step in base.graph.walk()]
    others = [corpus.tools[name].spec for name in distractor_tools(base, seed, corpus)]
    shown = history_tools(dict.fromkeys(spec.name for spec in (*needed, *others)), corpus) if looks else ()
    reads = [corpus.spec(name) for name in shown]
    # In the order of the graph the list would show the way.
    return tuple(sorted([*needed, *others, *reads], key=lambda spec: seeds.digest(seed, task, spec.name)))


def distractor_tools(task: Task, seed: int, corpus: Corpus, count: int = DISTRACTORS) -> tuple[str, ...]:
    """Tools of the task's domains that can do nothing that a tool of the task does, so that none is a hidden way."""
    barred = corpus.kin(step.tool for step in task.graph.walk())
    free = [t.name for t in corpus.tools.values() if t.domain in task.domains and t.name not in barred]
    return tuple(sorted(free, key=lambda name: seeds.digest(seed, task.id, "distractor", name))[:count])


def list_scenarios(
    levels: Sequence[str] = LEVELS,
    modes: Sequence[str] = MODES,
    *,
    limit: int | None = None,
    epochs: int = 1,
    seed: int = 0,
    own: str = "",
    tasks: str = SHIPPED,
    moment: str = DRAW,
    implicit: str = LADDER,
    phrasing: Phrasing = OWN_REQUESTS,
    translated: bool = False,
) -> list[Scenario]:
    """The episodes of a run.

    Args:
        levels: some of C1 to C4.
        modes: some of NP and P1 to P4.
        limit: at most this many base tasks of each level.
        epochs: how many times each is run; each time with its own faults.
        seed: decides victims and faults.
        own: the user's own plan as JSON, which then replaces the modes.
        tasks: a folder of tasks; those that ship with the suite by default.
        moment: when faults strike actions, one of `moments.SETTINGS`.
        implicit: which implicit faults there are, one of `perturbation.IMPLICIT_SETTINGS`.
        phrasing: which request is used; tasks that have no such one are left out.
        translated: only tasks whose request is there in every language.
    """
    modes = (OWN_MODE,) if own else modes
    some = translated_tasks() if translated else None
    able = [one for one in task_set(tasks).tasks.values() if phrasing.has(one.id) and (some is None or one.id in some)]
    chosen = [task.id for level in levels for task in [task for task in able if task.level == level][:limit]]
    # Epoch by epoch, so that a run that is stopped has had each task once before any twice.
    return [
        Scenario(t, mode, epoch, seed, own, tasks, moment, implicit, phrasing.wording, phrasing.language)
        for epoch in range(1, epochs + 1)
        for t in chosen
        for mode in modes
    ]
