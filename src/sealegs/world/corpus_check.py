"""The kit that every tool, group and task of a corpus must pass.

Each check returns sentences; none means sound. It is the same for the shipped domains and for yours.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from sealegs.faults import paths, seeds
from sealegs.faults.call import Call, Effect, Failure
from sealegs.faults.invariants import roughly_equal
from sealegs.tasks.graph import Constant, Graph, Group, Task, UserInput
from sealegs.tasks.pattern import Pattern
from sealegs.tasks.value_matching import contains_value
from sealegs.world.action_check import action_problems, operation_problems
from sealegs.world.corpus import Corpus
from sealegs.world.reference_runs import Unanswerable, choices, reference, run_branches
from sealegs.world.state import World
from sealegs.world.tool import SimulatedTool

REFUSED = range(400, 500)
ORDERS = 8  # random orders that a task is run in


def tool_problems(tool: SimulatedTool, corpus: Corpus) -> list[str]:
    """The problems of a tool: its words, examples and invariants, how it meets bad arguments and repetition."""
    problems = [*_word_problems(tool), *_example_problems(tool, corpus), *_refusal_problems(tool, corpus)]
    if tool.category == "action":
        problems += action_problems(tool, corpus)
    elif tool.category == "history":
        problems += operation_problems(tool, corpus)
    return [f"{tool.name}: {problem}" for problem in problems]


def group_problems(pattern: Pattern, corpus: Corpus) -> list[str]:
    """The problems of an alternative group: above all, ways that deliver unequal results on an example."""
    if len(pattern.examples) < 3:
        return [f"{pattern.name}: has {len(pattern.examples)} examples; give at least three"]
    return [f"{pattern.name}: {p}" for example in pattern.examples for p in _way_problems(pattern, example, corpus)]


def domain_problems(corpus: Corpus) -> list[str]:
    """The problems of the tools and groups of a corpus."""
    tools = (*corpus.tools.values(), *corpus.histories.values())
    problems = [problem for tool in tools for problem in tool_problems(tool, corpus)]
    return problems + [p for group in corpus.groups.values() for p in group_problems(group, corpus)]


def task_problems(task: Task, corpus: Corpus) -> list[str]:
    """The problems of a task in its world: unanswerable steps, branches that differ, words that give it away."""
    try:
        right = reference(task, corpus)
        problems = [*_branch_problems(task, corpus), *_order_problems(task, corpus)]
    except Unanswerable as error:
        return [str(error)]
    if len(set(map(_key, right.deliverables))) < len(right.deliverables):
        problems.append("two deliverables have the same value, so an answer cannot tell them apart")
    problems += [
        f"the deliverable {d.label!r} is {value!r}, which cannot be looked for in an answer"
        for d, value in zip(task.deliverables, right.deliverables, strict=True)
        if isinstance(value, bool) or value in (None, "", [], 0)
    ]
    return [f"{task.id}: {problem}" for problem in (*problems, *_request_problems(task))]


def _word_problems(tool: SimulatedTool) -> Iterator[str]:
    if len(tool.description) < 40:
        yield "its docstring says too little to choose it by (40 characters at least)"
    for place, schema in (("parameter", tool.spec.parameters), ("answer field", tool.spec.returns)):
        for name, field in schema.get("properties", {}).items():
            if not field.get("description"):
                yield f"{place} {name} has no description"
    for name in tool.free_text:
        if name not in tool.parameters.model_fields:
            yield f"free_text names {name}, which is not a parameter"
    if len({invariant.family for invariant in tool.invariants}) < 2:
        yield "declares invariants of fewer than two families"


def _example_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    if len(tool.examples) < 3 and tool.category != "history":
        yield f"has {len(tool.examples)} examples; give at least three"
    acted = False
    for example in tool.examples:
        world, call = World(), Call(tool.name, example)
        outcome = corpus.run(call, world)
        if isinstance(outcome, Failure):
            yield f"example {dict(example)} is refused: {outcome.message} {outcome.body or ''}"
            continue
        acted = acted or bool(world.effects)
        yield from (f"example {dict(example)}: {p}" for p in _answer_problems(tool, example, outcome.value))
        if corpus.run(call, World()) != outcome:
            yield f"example {dict(example)} is answered differently the second time"
        # Faults show a dry answer in place of a real one, which nobody could believe if the two differed.
        untouched = World()
        if corpus.run(Call(tool.name, example, dry=True), untouched) != outcome or untouched.effects:
            yield f"example {dict(example)}: a dry call differs or leaves an effect"
    # Found out by running the examples, and not taken from any declaration.
    if acted != (tool.category == "action"):
        yield f"is of category {tool.category} and its examples {'do' if acted else 'do not'} change the world"


def _answer_problems(tool: SimulatedTool, arguments: Mapping[str, Any], value: Any) -> Iterator[str]:
    try:
        tool.answer.model_validate(value)
    except ValidationError as error:
        yield f"the answer does not fit its model: {error}"
    if json.loads(json.dumps(value)) != value:
        yield "the answer is not plain JSON"
    full = {**tool.defaults, **arguments}
    yield from (f"the clean answer is called wrong: {v.reason}" for v in tool.spec.violations(full, value))


def _refusal_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    if tool.parameters.model_fields and not tool.refusals:
        yield "documents no refusal"
    for arguments, status in tool.refusals:
        outcome = corpus.run(Call(tool.name, arguments), World())
        got = outcome.status if isinstance(outcome, Failure) else "an answer"
        if got != status:
            yield f"with {dict(arguments)} should refuse with {status}, gives {got}"
    for arguments in bad_arguments(tool):
        world = World()
        outcome = corpus.run(Call(tool.name, arguments), world)
        if not isinstance(outcome, Failure) or outcome.status not in REFUSED:
            yield f"takes the bad arguments {arguments!r}"
        elif world.effects:
            yield f"refuses {arguments!r} but acts all the same"


def bad_arguments(tool: SimulatedTool) -> list[dict[str, Any]]:
    """Twenty or more sets of arguments that no version of this tool's API would take."""
    good = dict(tool.examples[0]) if tool.examples else {}
    bad: list[dict[str, Any]] = [{**good, name: 1} for name in _strangers(tool)]
    for name, schema in tool.spec.parameters.get("properties", {}).items():
        wrong = [[], {}, {"value": 1}, [None]] if schema.get("type") not in ("array", "object") else ["x", 3, True]
        bad += [{**good, name: value} for value in (None, *wrong, math.nan) if not _allows(schema, value)]
    for name in tool.spec.parameters.get("required", ()):
        bad.append({key: value for key, value in good.items() if key != name})
    return bad


def _strangers(tool: SimulatedTool) -> list[str]:
    return [f"{stem}_{number}" for stem in ("extra", "Id", "verbose", "__class__") for number in range(5)]


def _allows(schema: Mapping[str, Any], value: Any) -> bool:
    options = schema.get("anyOf", [schema])
    types = {option.get("type") for option in options}
    if value is None:
        return "null" in types
    if isinstance(value, float):
        return "number" in types and "minimum" not in schema and "exclusiveMinimum" not in schema
    return ("array" in types and isinstance(value, list)) or ("object" in types and isinstance(value, dict))


def _way_problems(pattern: Pattern, example: Mapping[str, Any], corpus: Corpus) -> Iterator[str]:
    if set(example) != set(pattern.inputs):
        yield f"example {dict(example)} does not give exactly the inputs {', '.join(pattern.inputs)}"
        return
    group = pattern.placed("g", {name: Constant(value) for name, value in example.items()})
    graph = Graph((group,))
    results = []
    for index, way in enumerate(pattern.ways):
        try:
            done = run_branches(graph, {}, corpus, {"g": index})
        except Unanswerable as error:
            yield f"way {way.id} on {dict(example)}: {error}"
            return
        results.append(_result(group, index, done))
    for way, result in zip(pattern.ways[1:], results[1:], strict=True):
        for name in pattern.exports:
            if not same_value(results[0][0][name], result[0][name]):
                yield (
                    f"on {dict(example)}: {name} is {results[0][0][name]!r} by {pattern.ways[0].id}"
                    f" and {result[0][name]!r} by {way.id}"
                )
        if results[0][1] != result[1]:
            yield f"on {dict(example)}: {pattern.ways[0].id} does {results[0][1]}, {way.id} does {result[1]}"


def _result(group: Group, index: int, done: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    exports = {
        name: next(iter(paths.values_at(done[field.node].output, field.path)), None)
        for name, field in group.branches[index].exports.items()
    }
    effects = [effect for expected in done.values() for effect in expected.effects]
    return exports, sorted(map(_deed, effects))


def _deed(effect: Effect) -> str:
    return _key([effect.action, effect.subject, dict(effect.details)])


def same_value(left: Any, right: Any) -> bool:
    """Equality of two JSON values for people, all the way down (see `roughly_equal`)."""
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_value(a, b) for a, b in zip(left, right, strict=True))
    return roughly_equal(left, right)


def _branch_problems(task: Task, corpus: Corpus) -> Iterator[str]:
    runs = [run_branches(task.graph, task.inputs, corpus, choice) for choice in choices(task.graph)]
    for run in runs[1:]:
        for id in run.keys() & runs[0].keys():
            if not same_value(dict(runs[0][id].arguments), dict(run[id].arguments)) or not same_value(
                runs[0][id].output, run[id].output
            ):
                yield f"step {id} depends on which branch was taken"


def _order_problems(task: Task, corpus: Corpus) -> Iterator[str]:
    """The problem of a step that differs in another order that the data allow.

    Such a step reads what another one does, and must say `after`.
    """
    right = reference(task, corpus).steps
    for number in range(ORDERS):
        draw = seeds.stream("order", task.id, number)
        choice = {group.id: draw.randrange(len(group.branches)) for group in task.graph.groups}
        try:
            run = run_branches(task.graph, task.inputs, corpus, choice, draw)
        except Unanswerable as error:
            yield f"in another order: {error}"
            return
        for id, expected in run.items():
            if not same_value(dict(expected.arguments), dict(right[id].arguments)) or not same_value(
                _delivered_values(task, id, expected.output), _delivered_values(task, id, right[id].output)
            ):
                yield f"step {id} depends on the order {', '.join(run)}; say `after` where it reads what another does"
                return


def _delivered_values(task: Task, step: str, output: Any) -> list[Any]:
    """The values that the final answer takes from a step."""
    node = task.graph.home[step][0].id if step in task.graph.home else step
    fields = [d.source for d in task.deliverables if d.source.node == node]
    exports = task.graph.home[step][1].exports if step in task.graph.home else {}
    sources = [exports.get(field.path, field) for field in fields]
    return [list(paths.values_at(output, field.path)) for field in sources if field.node == step]


def _request_problems(task: Task) -> Iterator[str]:
    yield from naming_problems(task)
    used = {b.name for s in task.graph.walk() for b in s.arguments.values() if isinstance(b, UserInput)}
    for name in sorted(used & task.inputs.keys()):
        if not isinstance(task.inputs[name], bool) and not contains_value(task.request, task.inputs[name]):
            yield f"the input {name} = {task.inputs[name]!r} cannot be read from the request"


def naming_problems(task: Task) -> Iterator[str]:
    """The tools and the fields of answers that a task's request names."""
    words = re.sub(r"[^a-z0-9_]+", " ", task.request.casefold()).split()
    for step in task.graph.walk():
        if step.tool in words and "_" in step.tool:
            yield f"the request names the tool {step.tool}"
        for need in step.needs:
            leaf = need.path.split(".")[-1]
            if "_" in leaf and leaf in words:
                yield f"the request names the field {leaf}"


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
