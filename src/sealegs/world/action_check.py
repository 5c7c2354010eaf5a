"""Checks of an action: its repeat rule, its history, its parts and its idempotency key.

Each check calls every example in worlds of its own and returns sentences; none means sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.call import Call, Failure, PartialExecution, Value
from sealegs.world.corpus import Corpus
from sealegs.world.history import operations
from sealegs.world.state import World
from sealegs.world.tool import SimulatedTool

KEY = "kit-1"


def action_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    """The problems of what an action says of repetition and parts, and of how its history tool shows it."""
    if tool.repeat is None or tool.repetition not in tool.spec.description:
        yield "does not say what a second identical call does (repeat)"
        return
    yield from _repeat_problems(tool, corpus)
    yield from _part_problems(tool, corpus)
    yield from _key_problems(tool, corpus)
    history = corpus.history_of(tool.name)
    if history is None:
        yield f"names no history tool that shows what it did (shown_by is {tool.shown_by!r})"
        return
    if tool.name not in operations(history):
        yield f"is not among the operations of {history.name}"
        return
    for example in _answered(tool, corpus):
        yield from (f"example {dict(example)}: {p}" for p in _history_problems(tool, history, example, corpus))


def operation_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    """The problems of a history tool's operations."""
    for name in operations(tool):
        if corpus.history_of(name) is not tool:
            yield f"lists {name}, which is not an action that names it in shown_by"


def _answered(tool: SimulatedTool, corpus: Corpus) -> list[Mapping[str, Any]]:
    """The examples that are not refused; one that is has been reported already."""
    return [e for e in tool.examples if isinstance(corpus.run(Call(tool.name, e, dry=True), World()), Value)]


def _repeat_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    found = []
    for example in _answered(tool, corpus):
        world, call = World(), Call(tool.name, example)
        first, done = corpus.run(call, world), len(world.effects)
        second = corpus.run(call, world)
        refused = isinstance(second, Failure)
        if len(world.effects) > done:
            found.append("again")
        else:
            found.append("refused" if refused else "no_effect" if second == first else "another answer")
        allowed = {tool.repeat, "refused"} if tool.repeat == "again" else {tool.repeat}
        if found[-1] not in allowed:
            yield f"example {dict(example)}: says {tool.repeat} of a second identical call, which is: {found[-1]}"
    if tool.repeat == "again" and found and "again" not in found:
        yield "says that a second identical call takes effect again, and on no example it does"


def _part_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    most = 1
    for example in _answered(tool, corpus):
        world, call = World(), Call(tool.name, example)
        whole = corpus.run(call, world)
        most = max(most, len(world.effects))
        # Only cuts between two effects: with none of them or all of them done, a call is no partial execution.
        for kept in range(1, len(world.effects)):
            place = World()
            part = corpus.run(replace(call, cut=kept), place)
            if not isinstance(part, PartialExecution) or place.effects != world.effects[:kept]:
                yield f"example {dict(example)}: cut after {kept}, it leaves {len(place.effects)} effects"
            if corpus.run(call, place) != whole or place.effects != world.effects:
                yield f"example {dict(example)}: cut after {kept} and repeated, it is not what one call is"
    if most != tool.parts:
        yield f"declares parts={tool.parts}, and has up to {most} effects on its examples"


def _key_problems(tool: SimulatedTool, corpus: Corpus) -> Iterator[str]:
    if not tool.key:
        return
    if tool.key not in tool.defaults:
        yield f"its key {tool.key} is not an optional parameter"
        return
    examples = _answered(tool, corpus)
    # Each example with the next one, the last with the first: the key of one request must not serve another.
    for example, other in zip(examples, (*examples[1:], *examples[:1]), strict=True):
        world, call = World(), Call(tool.name, {**example, tool.key: KEY})
        first, done = corpus.run(call, world), len(world.effects)
        if corpus.run(call, world) != first or len(world.effects) != done:
            yield f"example {dict(example)}: a second call with the same {tool.key} takes effect again"
        reused = corpus.run(Call(tool.name, {**other, tool.key: KEY}), world)
        if not isinstance(reused, Failure) or reused.status != 422 or len(world.effects) != done:
            yield f"example {dict(example)}: another request with the same {tool.key} is not refused with 422"


def _history_problems(
    tool: SimulatedTool, history: SimulatedTool, example: Mapping[str, Any], corpus: Corpus
) -> Iterator[str]:
    world, call = World(), Call(tool.name, example)
    look = Call(history.name, {"operation": tool.name})
    if _shown(corpus, look, world):
        yield f"{history.name} shows a request before there was one"
    corpus.run(replace(call, dry=True), world)
    if _shown(corpus, look, world):
        yield f"{history.name} shows a dry call"
    outcome = corpus.run(call, world)
    request = tool.arguments(example)
    done = [effect.action for effect in world.effects]
    whole = {"operation": tool.name, "request": request, "status": "completed", "done": done}
    # A refused call did nothing and leaves no entry.
    wanted = [{**whole, "result": outcome.value}] if isinstance(outcome, Value) else []
    if _shown(corpus, look, world) != wanted:
        yield f"{history.name} does not show exactly the call, with its arguments and its whole answer"
    answer = corpus.run(look, world)
    if isinstance(answer, Value):
        yield from (f"{history.name}: {v.reason}" for v in history.spec.violations(look.arguments, answer.value))
    corpus.run(call, world)
    again = len(world.effects) > len(done)
    # True counts as one: only a repetition that takes effect again has an entry of its own.
    if len(_shown(corpus, look, world)) != len(wanted) + again:
        yield f"{history.name} shows a second identical call wrongly"
    for kept in range(1, len(done)):
        place = World()
        corpus.run(replace(call, cut=kept), place)
        if _shown(corpus, look, place) != [{**whole, "status": "partial", "done": done[:kept], "result": None}]:
            yield f"{history.name} does not show a call that was cut after {kept} as partial"
        corpus.run(call, place)
        if _shown(corpus, look, place) != wanted:
            yield f"{history.name} does not show a call that was cut after {kept} and repeated as one whole call"


def _shown(corpus: Corpus, look: Call, world: World) -> list[Any]:
    """The entries that a history tool shows; a refusal as one entry that is like no other."""
    outcome = corpus.run(look, world)
    return list(outcome.value["entries"]) if isinstance(outcome, Value) else [outcome]
