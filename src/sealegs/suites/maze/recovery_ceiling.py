"""The ceiling of recovery: in which episodes a layer can help at all, by what is declared and not by how well it does.

The agent takes one way, the shortest, and no other by itself. Where a fault strikes, the layer may make the call again,
check whether it was done, or take another way, as far as the declarations allow each; which of them it would choose,
and whether its budget lasts, is not considered. An episode is within reach where every fault can be put right so, or
where no way to the end is left and the agent stops when it learns that. It is no bound for agents that plan for
themselves (`planner`, a model), for false answers that only the refusal of a later call tells (the third rung of the
ladder), where another way for that later call may go beyond it, or for the user's own plans.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from sealegs.faults.call import Call, Failure, Moment, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.completeness import is_partial
from sealegs.recovery.policies import Alternative, EarlierAnswer, EarlierArgument, FirstKnown
from sealegs.recovery.policies.alternative import Source
from sealegs.recovery.safety import harmless, nothing_done
from sealegs.recovery.signature import declaration_violations
from sealegs.scenarios.recovery_alternatives import declared_alternatives
from sealegs.scenarios.scenario import Scenario
from sealegs.scoring.maze_metrics import CLEAN, MazeResult
from sealegs.tasks import State, recovery_cost, shortest_solution
from sealegs.tasks.reference import ExpectedStep
from sealegs.world.state import World


@dataclass(frozen=True, slots=True)
class Habits:
    """The habits of an agent by itself.

    Attributes:
        repeats: makes a call again that shows an error.
        stops: says so where it cannot continue.
    """

    repeats: bool = True
    stops: bool = True


OTHERS = Habits()
HABITS: Mapping[str, Habits] = {"naive": Habits(repeats=False, stops=False)}


@dataclass(frozen=True, slots=True)
class FaultedStep:
    """A fault on a step of the walk.

    Attributes:
        spec: the step's tool.
        shown: the outcome of the call.
        lasting: whether the tool never works again.
        moment: whether its work was done anyway; None where it has no effects.
        noticed: whether it is an error, or an answer that breaks what is declared.
        looked: whether an offered read shows what was done.
    """

    spec: ToolSpec
    shown: Outcome
    lasting: bool
    moment: Moment | None
    noticed: bool
    looked: bool


def within_reach(episode: Scenario, habits: Habits = OTHERS, ways: Sequence[Alternative] | None = None) -> bool:
    """Return whether recovery and an agent of these habits can end the episode rightly.

    Args:
        episode: with faults of the suite.
        habits: of the agent.
        ways: the alternatives; those that the suite declares by default.
    """
    graph = episode.base.graph
    slots = {slot.node for slot in episode.slots}
    known = declared_alternatives(episode) if ways is None else ways
    answered: set[str] = set()  # tools that were called and answered rightly
    done: set[str] = set()
    for id in shortest_solution(graph):
        step = graph.steps[id]
        node = graph.home[id][0].id if id in graph.home else id
        if node in slots:
            # A group has one fault, which its first called tool takes.
            slots.discard(node)
            fault = faulted_step(episode, id)
            if not _repairs(fault, habits):
                way = _way(fault, known, answered)
                if way is None:
                    # Stopping is right only in a dead end, and only if the agent can know that it is in one.
                    return habits.stops and _is_shown_error(fault) and _dead_end(episode, done, fault)
                answered |= set(way.tools())
        answered.add(step.tool)
        done.add(id)
    return True


@lru_cache(maxsize=8192)
def faulted_step(episode: Scenario, id: str) -> FaultedStep:
    """The result of the episode's fault on a step that is called rightly."""
    step, expected = episode.base.graph.steps[id], episode.set.right_run(episode.task).steps[id]
    specs = {spec.name: spec for spec in episode.specs}
    # The fault is played rather than derived from the plan, so that draws and moments are those of the run.
    session = Session(episode.plan, episode=episode.id, specs=specs.values(), clock=VirtualClock(), timeout=1)
    shown = session.call(step.tool, expected.arguments, partial(_answered, episode, expected))
    spec = specs[step.tool]
    rule = next(rule for rule in episode.plan.rules if rule.id.endswith(f":{step.tool}"))
    return FaultedStep(
        spec,
        shown,
        rule.persistence == "permanent",
        rule.moment,
        _noticed(spec, Call(step.tool, expected.arguments), shown),
        spec.shown_by in specs,
    )


def _answered(episode: Scenario, expected: ExpectedStep, call: Call) -> Outcome:
    """The tool at work: the right answer to the right call; its own to another, which a fault may ask."""
    if dict(call.arguments) == dict(expected.arguments):
        return Value(expected.output)
    return episode.set.corpus(episode.task).run(call, World())


def _noticed(spec: ToolSpec, call: Call, shown: Outcome) -> bool:
    if isinstance(shown, Failure) or is_partial(shown.value):
        return True
    return bool(declaration_violations(spec, call.arguments, shown.value))


def _repairs(fault: FaultedStep, habits: Habits) -> bool:
    """Return whether the call itself can still be answered rightly."""
    if not fault.noticed:
        return False
    done = fault.moment == "after"
    if done and fault.looked:
        return True
    if fault.lasting:
        return False
    if fault.moment == "during":
        # A part that was done may be done again only by a tool that completes it.
        return fault.looked and fault.spec.idempotent
    if harmless(fault.spec) or fault.looked:
        return not done or bool(fault.spec.key)
    return habits.repeats and isinstance(fault.shown, Failure) and not done


def _way(fault: FaultedStep, ways: Iterable[Alternative], answered: set[str]) -> Alternative | None:
    """Another way that may be taken, and can be with what the session has seen."""
    undone = nothing_done(fault.spec, fault.shown) or (fault.looked and fault.moment == "before")
    if not fault.noticed or not undone:
        return None
    own = (way for way in ways if way.tool == fault.spec.name)
    return next((way for way in own if _begins(way, answered)), None)


def _begins(way: Alternative, answered: set[str]) -> bool:
    held = answered | {part.tool for part in way.parts}
    return all(_known(source, held) for source in way.sources())


def _known(source: Source, held: set[str]) -> bool:
    if isinstance(source, FirstKnown):
        return any(_known(one, held) for one in source.sources)
    return not isinstance(source, (EarlierArgument, EarlierAnswer)) or source.tool in held


def _is_shown_error(fault: FaultedStep) -> bool:
    """Return whether the agent is shown an error; a wrong answer of an action that may be done stays, with a note."""
    return isinstance(fault.shown, Failure) or (fault.noticed and (harmless(fault.spec) or fault.looked))


def _dead_end(episode: Scenario, done: set[str], fault: FaultedStep) -> bool:
    broken = frozenset({fault.spec.name}) if fault.lasting else frozenset[str]()
    return recovery_cost(episode.base.graph, State(frozenset(done), broken)) is None


def with_reach(results: Mapping[Scenario, MazeResult], habits: Habits = OTHERS) -> dict[Scenario, MazeResult]:
    """Note in each result under faults whether recovery and the agent can end the episode rightly.

    Args:
        results: by episode; those without faults of the suite's have no ceiling.
        habits: of the agent.
    """
    return {
        one: replace(result, within_reach=within_reach(one, habits)) if one.slots and one.mode != CLEAN else result
        for one, result in results.items()
    }
