"""Every statement about an eval's tools, run against the eval's own environment.

The solutions of the samples are played call by call. What a tool declares is held against what its calls do to the
environment's state: `acts` and `again` by digests of it, `shown_by` by the look before and after, `returns` and
`invariants` by every right answer, each implicit kind by an answer that it made wrong. A tool that no solution calls is
tried with its examples. What a tool does with arguments that neither have is not tried.

    python -m sealegs.suites.inspect_eval.knowledge_check tau2_airline [FILE]
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults import paths, seeds
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.corruption import break_invariant
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.policies.alternative import CallArgument, Fixed, StepField
from sealegs.recovery.policies.completion_check import Unclear
from sealegs.suites.inspect_eval.foreign_environments import (
    ForeignEval,
    OpenEnvironment,
    SolvedSample,
    foreign_eval,
    open_environment,
)
from sealegs.suites.inspect_eval.knowledge import LEAKED, EvalKnowledge, ToolKnowledge, load_knowledge
from sealegs.suites.inspect_eval.reference_calls import ReferenceCall

TIMES = 4  # calls of a tool that are tried; more say little more


@dataclass(frozen=True)
class TriedCall:
    """A call and what was seen of it.

    Attributes:
        outcome: what it came to.
        changed: whether the state is another one after it.
        again: what a second identical call came to, and whether the state changed once more; None where not tried.
        before: what the look showed before it, `done`, `undone` or why it does not tell; empty without a look.
        after: the same after it.
        translated: the action's answer as the look gives it; None where it gives none.
    """

    call: ReferenceCall
    outcome: Outcome
    changed: bool
    again: tuple[Outcome, bool] | None = None
    before: str = ""
    after: str = ""
    translated: Any = None

    def __str__(self) -> str:
        return f"{self.call.tool}({', '.join(f'{name}={value!r:.40}' for name, value in self.call.arguments.items())})"


async def wrong_statements(known: EvalKnowledge, foreign: ForeignEval, times: int = TIMES) -> list[str]:
    """Report what is declared of an eval's tools and is not true, or not shown; one sentence each.

    Args:
        known: what is declared.
        foreign: the eval.
        times: how many of the solutions' calls of a tool are tried.
    """
    problems = list(_unnamed(known, foreign))
    tried: dict[str, list[TriedCall]] = defaultdict(list)
    samples = list(foreign.samples())
    for sample in _chosen(samples, times):
        await _play(known, foreign, sample, tried, times)
    for name, tool in known.everyone.items():
        # After the solutions: their calls are made in a state that fits them, examples only where those show too
        # little.
        if not any(isinstance(one.outcome, Value) for one in tried[name]) or tool.examples:
            await _try_examples(known, foreign, samples[0], name, tried)
    for name, tool in known.everyone.items():
        problems += [f"{name}: {wrong}" for wrong in _wrong_of(name, tool, tried[name])]
    problems += [wrong async for wrong in _wrong_ways(known, foreign, samples[0])]
    return problems


def _unnamed(known: EvalKnowledge, foreign: ForeignEval) -> Iterator[str]:
    """Tools that only one of the two sides has."""
    from inspect_ai.tool import ToolDef

    for by, declared in (("agent", known.tools), ("user", known.simulated_user)):
        there = {ToolDef(tool).name for tool in foreign.tools(by)}
        yield from (
            f"{name}: the file does not mention this tool of the {by}" for name in sorted(there - declared.keys())
        )
        yield from (f"{name}: the {by} has no such tool" for name in sorted(declared.keys() - there))


def _chosen(samples: Sequence[SolvedSample], times: int) -> Iterator[SolvedSample]:
    """Samples that together call each tool in `times` of them, or in as many as there are."""
    called: Counter[str] = Counter()
    for sample in samples:
        tools = {one.tool for one in sample.calls}
        if any(called[tool] < times for tool in tools):
            called.update(tools)
            yield sample


async def _play(
    known: EvalKnowledge, foreign: ForeignEval, sample: SolvedSample, tried: dict[str, list[TriedCall]], times: int
) -> None:
    environment = await open_environment(foreign, known, sample)
    for wanted in sample.calls:
        if len(tried[wanted.tool]) >= times:
            await environment.call(wanted)
            continue
        tool = known.everyone.get(wanted.tool, ToolKnowledge())
        tried[wanted.tool].append(await _try(environment, wanted, tool))


async def _try_examples(
    known: EvalKnowledge, foreign: ForeignEval, sample: SolvedSample, name: str, tried: dict[str, list[TriedCall]]
) -> None:
    by: Any = "user" if name in known.simulated_user else "agent"
    for example in known.everyone[name].examples:
        environment = await open_environment(foreign, known, sample)
        for one in example.after:
            await environment.call(
                ReferenceCall(one.tool, one.arguments, "user" if one.tool in known.simulated_user else "agent")
            )
        wanted = ReferenceCall(name, example.arguments, by)
        tried[name].append(await _try(environment, wanted, known.everyone[name]))


async def _try(environment: OpenEnvironment, wanted: ReferenceCall, tool: ToolKnowledge) -> TriedCall:
    """Make a call, with the look before and after it, and again in a state that is taken back."""
    start = environment.digest()
    before, _ = await _look(environment, wanted, tool)
    outcome = await environment.call(wanted)
    middle = environment.digest()
    changed = middle != start
    after, translated = await _look(environment, wanted, tool)
    again = None
    if changed:
        kept = environment.snapshot()
        second = await environment.call(wanted)
        again = second, environment.digest() != middle
        environment.restore(kept)
    return TriedCall(wanted, outcome, changed, again, before, after, translated)


async def _look(environment: OpenEnvironment, wanted: ReferenceCall, tool: ToolKnowledge) -> tuple[str, Any]:
    if tool.shown_by is None:
        return "", None
    check, call = tool.shown_by.check(), Call(wanted.tool, wanted.arguments)
    found = await environment.call(ReferenceCall(check.tool, check.look_arguments(call)))
    if isinstance(found, Failure):
        return f"{check.tool} fails: {found.message}", None
    try:
        seen = check.seen(found.value, call)
        entry = seen.entries[-1] if seen.entries else None
        translated = check.translated(found.value, entry, call) if seen.state == "done" and check.answer else None
        return f"{seen.state} {len(seen.entries)}" if seen.counted else seen.state, translated
    except (Unclear, KeyError) as error:
        return f"{check.tool} does not show it: {error}", None


def _wrong_of(name: str, tool: ToolKnowledge, tried: Sequence[TriedCall]) -> Iterator[str]:
    if tool.acts == "unknown" and not (tool.invariants or tool.returns):
        return
    answered = [one for one in tried if isinstance(one.outcome, Value)]
    if not answered:
        yield "no call of it was answered, so nothing could be checked; give `examples`"
        return
    yield from _wrong_effects(tool, tried)
    yield from _wrong_looks(tool, tried)
    yield from _wrong_answers(name, tool, answered)


def _wrong_effects(tool: ToolKnowledge, tried: Sequence[TriedCall]) -> Iterator[str]:
    changing = [one for one in tried if one.changed]
    if tool.acts is False and changing:
        yield f"`acts: false`, but {changing[0]} changed the state"
    if tool.acts is True and not changing:
        yield "`acts: true`, but no call of it changed the state"
    # Only of calls that changed something does a second one tell whether it would be done again.
    repeated = [(one, *one.again) for one in changing if one.again is not None]
    more = [one for one, _, changed in repeated if changed]
    if tool.again == "done again" and repeated and not more:
        yield "`again: done again`, but no second identical call changed the state"
    if tool.again in ("refused", "no effect") and more:
        yield f"`again: {tool.again}`, but a second {more[0]} changed the state once more"
    if tool.again == "no effect" and (refused := [one for one, second, _ in repeated if isinstance(second, Failure)]):
        yield f"`again: no effect`, but a second {refused[0]} was refused"
    if tool.again == "refused":
        for one, second, _ in repeated:
            if second == one.outcome:
                yield f"`again: refused`, but a second {one} was answered as the first"
                return


def _wrong_looks(tool: ToolKnowledge, tried: Sequence[TriedCall]) -> Iterator[str]:
    if tool.shown_by is None:
        return
    for one in tried:
        if not one.changed:
            continue
        # A look that counts entries may say done both times, with one entry more after the call.
        if one.before.startswith("done") and one.before == one.after:
            yield f"{tool.shown_by.tool} shows {one} as done before the call was made"
            return
        if not one.before.startswith(("undone", "done")) or not one.after.startswith("done"):
            yield f"{tool.shown_by.tool} does not show {one}: {one.before!r} before it, {one.after!r} after it"
            return
        if tool.shown_by.answer and Value(one.translated) != one.outcome:
            shown = f"{one.translated!r:.200}"
            yield f"the answer that {tool.shown_by.tool} gives in place of {one} differs from the tool's own: {shown}"
            return


def _wrong_answers(name: str, tool: ToolKnowledge, answered: Iterable[TriedCall]) -> Iterator[str]:
    spec, answered = tool.spec(name), list(answered)
    for one in answered:
        found = spec.violations(one.call.arguments, _answer(one))
        if found:
            yield f"the right answer of {one} breaks a statement of the file: {found[0].reason}"
            return
    for kind in tool.detectable:
        if kind == LEAKED and not any(any(True for _ in paths.leaves(_answer(one))) for one in answered):
            continue  # nothing is there that could be put in another text's place
        if not any(_is_detectable(kind, spec, one) for one in answered):
            yield f"no statement detects an answer that {kind} made wrong"


def _answer(one: TriedCall) -> Any:
    assert isinstance(one.outcome, Value)
    return one.outcome.value


def _is_detectable(kind: str, spec: ToolSpec, one: TriedCall) -> bool:
    """Return whether this answer, made wrong in the way of the kind, breaks what is declared of the tool."""
    draw = seeds.stream("knowledge", spec.name, kind)
    wrong = break_invariant(kind, spec, one.call.arguments, _answer(one), draw)
    return wrong is not None and bool(spec.violations(one.call.arguments, wrong))


async def _wrong_ways(known: EvalKnowledge, foreign: ForeignEval, sample: SolvedSample) -> Any:
    """Alternatives whose answer is not that of the tool, by the tool's examples."""
    for way in (one.alternative() for one in known.alternatives):
        examples = known.tools[way.tool].examples
        if not examples:
            yield f"{way.tool}: its alternative cannot be tried without an example; give `examples`"
        for example in examples:
            environment = await open_environment(foreign, known, sample)
            answers: list[Any] = []
            for step in way.steps:
                arguments = {
                    to: _source_value(source, example.arguments, answers) for to, source in step.arguments.items()
                }
                outcome = await environment.call(ReferenceCall(step.tool, arguments))
                answers.append(outcome.value if isinstance(outcome, Value) else None)
            made = {to: _source_value(source, example.arguments, answers) for to, source in way.answer.items()}
            right = await environment.call(ReferenceCall(way.tool, example.arguments))
            if right != Value(made):
                yield f"{way.tool}: its alternative gives {made!r:.120}, the tool itself {right!r:.120}"


def _source_value(source: Any, arguments: Any, answers: Sequence[Any]) -> Any:
    if isinstance(source, CallArgument):
        return arguments.get(source.argument)
    if isinstance(source, StepField) and isinstance(answers[source.step], dict):
        return answers[source.step].get(source.path)
    return source.value if isinstance(source, Fixed) else None


def check_named(arguments: Sequence[str]) -> int:
    """Check a shipped file, or another file about the same eval, and print what is wrong."""
    try:
        name, *others = arguments
        known = load_knowledge(others[0] if others else name)
        if known is None:
            raise UserError(
                f"{name!r} is not the name of a shipped knowledge file; name one, then the path of your own file"
            )
        problems = asyncio.run(wrong_statements(known, foreign_eval(name)))
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    sys.stdout.write("".join(f"{one}\n" for one in problems) or f"{name}: every statement is true\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(check_named(sys.argv[1:]))
