"""Rules that find an implicit fault, each by its own knowledge: the proof that an instance is on its rung.

The right call is made under the episode's plan, and every rule looks at what is shown, whatever the plan says of its
rung. It is used for the corpus and in tests; `ladder` decides which faults there are. Calls with other arguments than
the right ones are not tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Call, Outcome, Value
from sealegs.faults.rungs.contradiction import Exchange
from sealegs.faults.rungs.visible_rung import (
    RUNGS,
    Rung,
    broken_relations,
    emptied,
    glance_findings,
    has_changed,
    keeps_structure,
)
from sealegs.inject import Session, VirtualClock
from sealegs.scenarios.lower_rungs import detection_of, step_dataflow
from sealegs.scenarios.scenario import Scenario
from sealegs.scenarios.step_use import step_spec
from sealegs.tasks.graph import Step
from sealegs.tasks.reference import ExpectedStep
from sealegs.world.state import World

CALLS = 3  # times that a call is made
TOOL_FREE = {"is empty": "empty", "server shows": "leak", "not what was asked": "echo", "impossible": "limit"}


@dataclass(frozen=True)
class CheckedFault:
    """The findings on one instance of an implicit fault.

    Attributes:
        rung: the rung on which the plan puts it; empty where it is on none.
        kind: of the fault.
        rules: the rules that find it: `empty`, `type`, `leak`, `echo`, `limit` (these know no tool), `knowledge`,
            `relation`, `across` (an earlier answer), `refused` (every call that is made with it), and of what has to be
            called: `history`, `branch` and `again`.
        compliant: whether keys and types are those of the tool's schema, and nothing is empty that was not.
        shown: the answers to the call, one for each time that it was made.
        right: the answer that it should have had.
    """

    rung: str
    kind: str
    rules: frozenset[str]
    compliant: bool
    shown: Sequence[Any]
    right: Any

    @property
    def found_on(self) -> Rung | None:
        """The highest rung on which a rule finds it; None where none does."""
        on: dict[Rung, set[str]] = {
            "glance": {"empty", "type", "leak", "echo", "limit", "knowledge"},
            "arithmetic": {"relation"},
            "across": {"across", "refused"},
            "second_source": {"history", "branch", "again"},
        }
        return next((rung for rung in RUNGS if self.rules & on[rung]), None)


def check_fault(episode: Scenario, id: str) -> CheckedFault:
    """Make the right call of a step under the episode's plan and let every rule look.

    Args:
        episode: in an implicit mode.
        id: of a step that may become a victim.
    """
    step, right = episode.base.graph.steps[id], episode.set.right_run(episode.task).steps[id]
    corpus = episode.set.corpus(episode.task)
    spec = step_spec(episode.base, step, corpus)
    rule = next(one for one in episode.plan.rules if one.id.endswith(f":{step.tool}"))
    shown = _shown(episode, step, right)
    wrong, lasting = shown[0], rule.persistence == "permanent"
    rules = _visible(glance_findings(spec, right.arguments, right.output, wrong))
    if wrong == right.output:
        return CheckedFault(episode.rungs.get(rule.id, ""), rule.fault.kind, frozenset(), True, shown, right.output)
    if not keeps_structure(spec, wrong) and "empty" not in rules:
        rules.add("type")
    if broken_relations(spec, right.arguments, wrong):
        rules.add("relation")
    if not rules:
        changed = [path for path in spec.used if has_changed(right.output, wrong, path)]
        around = step_dataflow(episode.base, step, corpus)
        detection = detection_of(around, Exchange(right.arguments, right.output), wrong, changed, corpus)
        rules |= {detection} & {"across", "refused"}
    rules |= _second_sources(episode, step, shown, lasting=lasting, acts=bool(right.effects))
    compliant = keeps_structure(spec, wrong) and not emptied(right.output, wrong)
    return CheckedFault(
        episode.rungs.get(rule.id, ""), rule.fault.kind, frozenset(rules), compliant, shown, right.output
    )


def _shown(episode: Scenario, step: Step, right: ExpectedStep) -> tuple[Any, ...]:
    """The answers that are shown for the right call, made several times; None for each that failed."""

    def answered(call: Call) -> Outcome:
        if dict(call.arguments) == dict(right.arguments):
            return Value(right.output)
        return episode.set.corpus(episode.task).run(call, World())

    session = Session(episode.plan, episode=episode.id, specs=episode.specs, clock=VirtualClock(), timeout=1)
    calls = (session.call(step.tool, right.arguments, answered) for _ in range(CALLS))
    return tuple(one.value if isinstance(one, Value) else None for one in calls)


def _visible(findings: Sequence[str]) -> set[str]:
    return {next((rule for words, rule in TOOL_FREE.items() if words in finding), "knowledge") for finding in findings}


def _second_sources(episode: Scenario, step: Step, shown: Sequence[Any], *, lasting: bool, acts: bool) -> set[str]:
    """The sources that can be called: an action's history; of a read another branch, and the tool if that differs."""
    if acts:
        return {"history"} if episode.actions.get(step.tool) else set()
    home = episode.base.graph.home.get(step.id)
    found = {"branch"} if home is not None and step.id in {field.node for field in home[1].exports.values()} else set()
    differ = all(shown[0] != other for other in shown[1:]) and (not lasting or shown[1] != shown[2])
    return found | ({"again"} if differ else set())
