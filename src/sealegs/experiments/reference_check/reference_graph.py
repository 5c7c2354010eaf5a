"""A learned reference as a task graph, and the case of one record for a judge.

A task calls no tool twice in a graph, so a tool that it calls with several arguments has a name for each of these; a
record is read with the same names. A tool's answer in a record counts before those in the clean runs, so
that ids which are made anew each time are right. A deed is known by its step's values, not by its tool's names,
so that two ways of doing the same are the same deed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sealegs.experiments.reference_check.clean_runs import plain_outcome
from sealegs.experiments.reference_check.learned_reference import (
    AnswerSource,
    LearnedArgument,
    LearnedReference,
    LearnedStep,
)
from sealegs.experiments.reference_check.value_search import is_prose
from sealegs.faults import paths
from sealegs.faults.call import Effect, Value
from sealegs.scoring.matching import right_arguments
from sealegs.scoring.run_evidence import answered
from sealegs.tasks import (
    Binding,
    Branch,
    Constant,
    Deliverable,
    ExpectedStep,
    Field,
    Graph,
    Group,
    Node,
    Reference,
    Step,
    Task,
    UserInput,
    check_graph,
)
from sealegs.traces import FaultInjected, Record, Turn, outcome_data, outcome_from

LEVEL = "own"


def check_reference(reference: LearnedReference) -> None:
    """Let a reference pass whose steps make a sound graph.

    Raises:
        UserError: with everything that is wrong.
    """
    check_graph(graph_task(reference).graph)


def graph_task(reference: LearnedReference) -> Task:
    """The task as the judge takes it."""
    home = {id: (group, way) for group in reference.alternatives for way in group.ways for id in way}
    nodes: dict[str, Node] = {}
    for id, step in reference.steps.items():
        if id not in home:
            nodes[id] = _step(step, reference)
        else:
            group = home[id][0]
            # Where the first of its steps was made: the nodes keep the order of the run.
            nodes.setdefault(group.id, _group(group.id, reference))
    deliverables = tuple(
        Deliverable(one.label, _field(one.sources[0], (), reference)) for one in reference.deliverables if one.sources
    )
    inputs = {
        f"{id}.{name}": argument.value
        for id, step in reference.steps.items()
        for name, argument in step.arguments.items()
        if argument.how == "task"
    }
    return Task("check", LEVEL, reference.task, inputs, Graph(tuple(nodes.values())), deliverables)


def _group(id: str, reference: LearnedReference) -> Group:
    found = next(one for one in reference.alternatives if one.id == id)
    branches = []
    for place, way in enumerate(found.ways):
        steps = tuple(_step(reference.steps[step], reference, way) for step in way)
        exports = {name: Field(sources[place].step, sources[place].path) for name, sources in found.gives.items()}
        branches.append(Branch(f"{id} {place + 1}", steps, exports))
    return Group(id, tuple(branches))


def _step(step: LearnedStep, reference: LearnedReference, way: tuple[str, ...] = ()) -> Step:
    arguments: dict[str, Binding] = {}
    for name, argument in step.arguments.items():
        arguments[name] = UserInput(f"{step.id}.{name}") if argument.how == "task" else Constant(argument.value)
        for number, source in enumerate(argument.sources):
            # A value that is not simply copied is passed under no name of its own, but its step still has to wait.
            key = name if argument.how == "copied" else f"{name} ({number + 1})"
            arguments[key] = _field(source, way, reference)
    home = {id: group.id for group in reference.alternatives for own in group.ways for id in own}
    after = tuple(dict.fromkeys(one if one in way else home.get(one, one) for one in step.after))
    return Step(step.id, step.id, arguments, after)


def _field(source: AnswerSource, way: tuple[str, ...], reference: LearnedReference) -> Field:
    """The place in the graph: of a step on another way, the name under which its choice gives the value."""
    if source.step in way:
        return Field(source.step, source.path)
    for group in reference.alternatives:
        for name, sources in group.gives.items():
            if source in sources:
                return Field(group.id, name)
        if any(source.step in own for own in group.ways):
            return Field(group.id, str(source))  # which the graph's check refuses by name
    return Field(source.step, source.path)


def free_text(step: LearnedStep) -> frozenset[str]:
    """The arguments that are judged by the facts they hold: prose, and those of which any is right.

    Prose that the task gives word for word is to be passed on as it is: a changed weekday holds no other fact.
    """
    return frozenset(n for n, a in step.arguments.items() if a.how == "free" or (a.how != "task" and is_prose(a.value)))


def expected_step(step: LearnedStep, reference: LearnedReference, answers: Mapping[str, Any]) -> ExpectedStep:
    """A step done right, given what tools truly returned in a run."""
    tool = reference.tools[step.tool]
    free = {name for name, argument in step.arguments.items() if argument.how == "free"}
    given = {name: "" if name in free else _value(a, reference, answers) for name, a in step.arguments.items()}
    defaults = {**tool.defaults, **dict.fromkeys(free, "")}
    prose = free_text(step) | ({tool.key} if tool.key else set())
    if tool.key:  # a key is made anew for each call, so that none is the right one
        defaults[tool.key] = given[tool.key] = ""
    arguments = {**defaults, **given}
    output = answers.get(step.id, step.answer)
    done = (deed(step, arguments, reference),) if tool.effects else ()
    return ExpectedStep(arguments, defaults, frozenset(prose), output, done)


def _value(argument: LearnedArgument, reference: LearnedReference, answers: Mapping[str, Any]) -> Any:
    if argument.how != "copied":
        return argument.value
    return returned_at(argument.sources[0], reference, answers, argument.value)


def returned_at(source: AnswerSource, reference: LearnedReference, answers: Mapping[str, Any], otherwise: Any) -> Any:
    """The value that a run's tools truly returned at a place, or where another way gives the same; else `otherwise`."""
    places = [source]
    for group in reference.alternatives:
        places += [one for sources in group.gives.values() if source in sources for one in sources]
    for place in places:
        for held in paths.values_at(answers.get(place.step), place.path) if place.step in answers else ():
            return held
    return otherwise


def deed(step: LearnedStep, arguments: Mapping[str, Any], reference: LearnedReference) -> Effect:
    """The effect of a call of an acting step."""
    group = next((one for one in reference.alternatives if any(step.id in way for way in one.ways)), None)
    free = {name for name, argument in step.arguments.items() if argument.how == "free"}
    defaults = reference.tools[step.tool].defaults
    held = {n: arguments.get(n, defaults.get(n)) for n in step.arguments if n not in free}
    if group is None:
        return Effect(step.tool, "", held)
    acting = [reference.steps[id] for way in group.ways for id in way if reference.acts(reference.steps[id].tool)]
    # An argument that only some of the ways have cannot distinguish this action from another way's.
    shared = set.intersection(*(set(_meanings(one, reference).values()) for one in acting))
    named = {meaning: held[name] for name, meaning in _meanings(step, reference).items() if meaning in shared}
    return Effect(group.id, "", {meaning: value for meaning, value in named.items() if value is not None})


def _meanings(step: LearnedStep, reference: LearnedReference) -> dict[str, str]:
    """The meaning of each argument, whatever its tool calls it: its source, or its value."""
    found = {}
    for name, argument in step.arguments.items():
        if argument.how == "copied":
            found[name] = str(_field(argument.sources[0], (), reference))
        elif argument.how != "free":
            found[name] = f"{argument.value!r}"
    return found


def read_record(record: Record, reference: LearnedReference) -> Record:
    """A record with the names of the reference's steps, JSON in texts as data, and the deeds of the tools that act."""
    turns: list[Turn] = []
    done: list[tuple[str, Effect]] = []
    for turn in record.turns:
        step = step_of(turn, reference)
        name = turn.call.tool if step is None else step.id
        effects = tuple(_deeds(turn, step, reference, done))
        turns.append(
            replace(
                turn,
                call=replace(turn.call, tool=name),
                said=plain_outcome(turn.said),
                shown=plain_outcome(turn.shown),
                final=plain_outcome(turn.final),
                answers=tuple(one for answer in turn.answers if (one := plain_outcome(answer)) is not None),
                injections=tuple(map(_plain_injection, turn.injections)),
                effects=effects,
            )
        )
    return replace(record, turns=tuple(turns))


def _plain_injection(injection: FaultInjected) -> FaultInjected:
    returned, shown = (
        None if data is None or (one := plain_outcome(outcome_from(data))) is None else outcome_data(one)
        for data in (injection.said, injection.shown)
    )
    return replace(injection, said=returned, shown=shown)


def step_of(turn: Turn, reference: LearnedReference) -> LearnedStep | None:
    """The step that a call makes; of several of one tool the one whose arguments are nearest."""
    own = [step for step in reference.steps.values() if step.tool == turn.call.tool]
    if len(own) < 2:
        return own[0] if own else None
    given = turn.call.arguments

    def likeness(step: LearnedStep) -> int:
        expected = expected_step(step, reference, {})
        if right_arguments(given, expected):
            return len(given) + 1  # more than any number of arguments that are right one by one
        return sum(
            right_arguments({name: value}, replace(expected, arguments={name: expected.arguments[name]}))
            for name, value in given.items()
            if name in expected.arguments
        )

    return max(own, key=likeness)


def _deeds(
    turn: Turn, step: LearnedStep | None, reference: LearnedReference, done: list[tuple[str, Effect]]
) -> Iterator[Effect]:
    tool = reference.tools.get(turn.call.tool)
    if tool is None or not tool.effects:
        return
    given = dict(turn.call.arguments)
    one = Effect(tool.name, "", given) if step is None else deed(step, given, reference)
    one = replace(one, call=turn.call.id)
    key = str(given.get(tool.key) or "") if tool.key else ""
    # A fault may have had the tool run several times for one call.
    for answer in turn.answers:
        if not answered(plain_outcome(answer)):
            continue
        # The same key, or an equal call of an idempotent tool: the tool did nothing more, whatever it answered.
        again = any((key and key == before) or (tool.idempotent and _alike(one, other)) for before, other in done)
        done.append((key, one))
        if not again:
            yield one


def _alike(one: Effect, other: Effect) -> bool:
    return (one.action, dict(one.details)) == (other.action, dict(other.details))


def true_answers(record: Record, reference: LearnedReference) -> dict[str, Any]:
    """The values that the steps' tools returned for the right calls, by step, in a record read with `read_record`."""
    found: dict[str, Any] = {}
    for turn in record.turns:
        step = reference.steps.get(turn.call.tool)
        if step is None or not isinstance(turn.said, Value) or not answered(turn.said):
            continue
        # In the order of the calls: what is right to pass may be what an earlier step returned in this very run.
        if right_arguments(turn.call.arguments, expected_step(step, reference, found)):
            found[step.id] = turn.said.value
    return found


def values_when_right(reference: LearnedReference, answers: Mapping[str, Any]) -> Reference:
    """The right values in a run whose tools truly returned these answers."""
    steps = {id: expected_step(step, reference, answers) for id, step in reference.steps.items()}
    deliverables = tuple(
        returned_at(one.sources[0], reference, answers, one.value) if one.how == "copied" else one.value
        for one in reference.deliverables
        if one.sources
    )
    return Reference(steps, deliverables)


def source_text(sources: Iterable[AnswerSource]) -> str:
    """Sources as a sentence names them."""
    return " and ".join(map(str, sources))
