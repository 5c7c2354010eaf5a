"""The runs of a check: the places that a fault may strike, the modes, and the plan that strikes there.

P1 and P2 are errors, once and for good; P3 and P4 wrong answers, once and for good, as in `maze`. An error on a call
that acts, or may act, comes before its work, so that a retry is right; where the tool is declared so that nobody can be
harmed (`idempotent`, `key`), or that its deeds are shown (`shown_by`), one comes after the work too. A wrong answer is
made only where it can be recognised by the call and the answer alone, and only of tools that are declared to
change nothing.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from sealegs.experiments.reference_check.learned_reference import LearnedReference
from sealegs.experiments.reference_check.reference_graph import graph_task, read_record, true_answers, values_when_right
from sealegs.faults import seeds
from sealegs.faults.call import Moment
from sealegs.faults.catalogue import explicit_responses
from sealegs.faults.corruption import applicable_kinds
from sealegs.faults.kinds import AnyFault
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import AllOf, Always, Argument, FirstTouch, Matcher, Tool
from sealegs.scenarios import MODES
from sealegs.scenarios.perturbation import PERSISTENCE, victims
from sealegs.scenarios.step_use import used_fields
from sealegs.scoring import Case, Slot, Verdict, judge
from sealegs.tasks import Risk, Task
from sealegs.tasks.graph import Group, Step
from sealegs.traces import Record

CLEAN, *FAULTY = MODES
EXPLICIT = ("P1", "P2")
FAULT: TypeAdapter[AnyFault] = TypeAdapter(AnyFault)


@dataclass(frozen=True, slots=True)
class CheckEpisode:
    """One run of a check.

    Attributes:
        mode: NP, or P1 to P4.
        place: the node of the task that a fault strikes; empty in NP.
        moment: of a fault on a call that acts; empty for others.
        epoch: counts repetitions from 1.
    """

    mode: str
    place: str = ""
    moment: Moment | str = ""
    epoch: int = 1

    @property
    def id(self) -> str:
        """The run's name, unique in a check."""
        return "/".join(part for part in (self.mode, self.place, self.moment, str(self.epoch)) if part)


@dataclass(frozen=True)
class CheckTask:
    """A reference with all that can be derived from it.

    Attributes:
        reference: of the task.
        specs: what is known of the tools.
        seed: decides the faults.
    """

    reference: LearnedReference
    specs: Mapping[str, ToolSpec]
    seed: int = 0

    @property
    def task(self) -> Task:
        """The graph."""
        return graph_task(self.reference)

    def episodes(self, repeats: int) -> tuple[list[CheckEpisode], list[str]]:
        """The runs of each mode, and what is left out, a sentence each."""
        found: list[CheckEpisode] = []
        left: list[str] = []
        for mode in FAULTY:
            for node in self.task.graph.nodes:
                why = self._why_not(mode, node.id)
                if why:
                    left.append(f"{mode} on {node.id}: {why}")
                    continue
                for moment in self._moments(mode, node.id):
                    found += [CheckEpisode(mode, node.id, moment, epoch) for epoch in range(1, repeats + 1)]
        # As many runs without faults as one mode has places, so that their rate is about as precise.
        places = max(1, len(self.task.graph.nodes))
        clean = [CheckEpisode(CLEAN, epoch=epoch) for epoch in range(1, places * repeats + 1)]
        return [*clean, *found], left

    def node_of(self, place: str) -> str:
        """The node that a place is now: a step for which a run found another way is in a choice."""
        groups = self.reference.alternatives
        return next((one.id for one in groups if any(place in way for way in one.ways)), place)

    def _victims(self, node: str) -> tuple[Step, ...]:
        return victims(self.task.graph, node)

    def _tool(self, step: Step) -> str:
        return self.reference.steps[step.id].tool

    def _why_not(self, mode: str, node: str) -> str:
        own = self._victims(node)
        several = [step for step in own if self._shared(step)]
        # A tool of several steps is known by its arguments, so `FirstTouch`, which goes by tools, could not spare the
        # other way.
        if isinstance(self.task.graph.by_id[node], Group) and several:
            return f"{self._tool(several[0])} is called with several arguments, and one of them has an alternative"
        if mode in EXPLICIT:
            return ""
        # Every step of a choice must allow it, since any of its ways may be the one that is taken and struck.
        for step in own:
            tool = self._tool(step)
            if self.reference.acts(tool) is not False:
                reason = "changes something" if self.reference.acts(tool) else "is not declared to change nothing"
                return f"{tool} {reason}, so nobody could tell from a wrong answer what was done"
            if self.reference.steps[step.id].text:
                return f"{tool} answers with a text, into which no wrong value is put"
            if not used_fields(self.task.graph, step, self.task):
                return f"no field of what {tool} answers is read by itself, so a wrong one need not matter"
            if not self._wrong_kinds(step):
                return f"no wrong answer of {tool} could be told from a right one (give ToolSpec.invariants)"
        return ""

    def _shared(self, step: Step) -> bool:
        tool = self._tool(step)
        return sum(one.tool == tool for one in self.reference.steps.values()) > 1

    def _wrong_kinds(self, step: Step) -> tuple[str, ...]:
        learned = self.reference.steps[step.id]
        spec = replace(
            self.specs.get(learned.tool, ToolSpec(learned.tool)), used=used_fields(self.task.graph, step, self.task)
        )
        given = {name: argument.value for name, argument in learned.arguments.items()}
        return applicable_kinds(spec, given, learned.answer, (self.seed, step.id))

    def _moments(self, mode: str, node: str) -> Sequence[Moment | str]:
        """The moments of the faults; after the work only once, and only if the outcome can be found out."""
        own = [self._tool(step) for step in self._victims(node)]
        if all(self.reference.acts(tool) is False for tool in own):
            return ("",)
        known = [self.reference.tools[tool] for tool in own]
        # Where neither a repetition is harmless nor a look shows what was done, no agent could do right after such a
        # fault.
        settled = all(tool.effects and (tool.idempotent or tool.key or self._shown(tool.shown_by)) for tool in known)
        return ("before", "after") if settled and mode == "P1" and len(own) == 1 else ("before",)

    def _shown(self, by: str) -> bool:
        """Return whether a look shows the deeds of one tool alone."""
        tools = self.reference.tools
        return by in tools and sum(tool.shown_by == by for tool in tools.values()) == 1

    def plan(self, episode: CheckEpisode) -> Plan:
        """The faults of a run."""
        if episode.mode == CLEAN:
            return Plan(name="check NP", seed=self.seed)
        rules = tuple(self._rule(step, episode) for step in self._victims(episode.place))
        return Plan(name=f"check {episode.mode} {episode.place}", seed=self.seed, rules=rules)

    def _rule(self, step: Step, episode: CheckEpisode) -> Rule:
        lasting = PERSISTENCE[episode.mode] == "permanent"
        tools = tuple(self._tool(one) for one in self._victims(episode.place))
        tool = self._tool(step)
        return Rule(
            id=f"{episode.place}:{step.id}",
            match=self._match(step),
            when=Always() if self._shared(step) else FirstTouch(tools),
            fault=self._fault(step, episode),
            persistence=PERSISTENCE[episode.mode],
            moment=None if self.reference.acts(tool) is False else (episode.moment or "before"),
            at_most=None if lasting else 1,
            key="order",
        )

    def _match(self, step: Step) -> Matcher:
        name = Tool(glob.escape(self._tool(step)))  # the matcher takes patterns, and a name may look like one
        if not self._shared(step):
            return name
        given = self.reference.steps[step.id].arguments.items()
        # A dot in the name of an argument would be read as a path into it.
        own = [Argument(name=n, equals=a.value) for n, a in given if a.how != "free" and "." not in n]
        return AllOf((name, *own)) if own else name

    def _fault(self, step: Step, episode: CheckEpisode) -> AnyFault:
        key = (self.seed, episode.mode, episode.place, episode.moment, episode.epoch, step.id)
        if episode.mode in EXPLICIT:
            responses = explicit_responses("P1" if episode.mode == "P1" else "P2")
            return responses[seeds.digest(*key) % len(responses)]
        kinds = self._wrong_kinds(step)
        return FAULT.validate_python({"kind": kinds[seeds.digest(*key) % len(kinds)]})

    def verdict(self, episode: CheckEpisode, record: Record) -> Verdict:
        """The judge's verdict on a run's record."""
        seen = read_record(record, self.reference)
        return judge(seen, self.case(episode, seen))

    def case(self, episode: CheckEpisode, seen: Record) -> Case:
        """The case that a judge needs for a record that was read with `read_record`."""
        task = self.task
        slots = () if episode.mode == CLEAN else (Slot(self.node_of(episode.place), PERSISTENCE[episode.mode]),)
        actions = {
            # The record was read with the names of steps in place of those of tools.
            step.id: replace(self.reference.tools[step.tool].spec, name=step.id)
            for step in self.reference.steps.values()
            if self.reference.acts(step.tool) and self._findable(step.tool)
        }
        risks = {step.id: self._risk(step.id, episode) for step in task.graph.walk() if step.id in actions}
        right = values_when_right(self.reference, true_answers(seen, self.reference))
        return Case(task, right, episode.mode, slots, risks if episode.moment == "after" else {}, actions)

    def _findable(self, tool: str) -> bool:
        known = self.reference.tools[tool]
        return known.idempotent or bool(known.key) or self._shown(known.shown_by)

    def _risk(self, step: str, episode: CheckEpisode) -> Risk:
        known = self.reference.tools[self.reference.steps[step].tool]
        moment: Any = episode.moment if step == episode.place else "before"
        return Risk(moment or "before", known.idempotent or bool(known.key))


def episode_of_record(record: Record) -> CheckEpisode:
    """The run that a record is of."""
    about = record.about
    return CheckEpisode(about["mode"], about["place"], about["moment"], about["epoch"])


Play = Callable[[CheckEpisode, Plan], Record]


def in_modes(episodes: Sequence[CheckEpisode]) -> Iterator[tuple[str, list[CheckEpisode]]]:
    """The runs of each mode, in the modes' order."""
    for mode in MODES:
        own = [one for one in episodes if one.mode == mode]
        if own:
            yield mode, own
