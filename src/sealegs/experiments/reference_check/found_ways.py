"""Ways that no clean run took and nobody declared, and that a run under faults found.

An agent whose tool fails may get the same values from another tool. That is right, so such a tool counts as another
way, in every run of the check, and the report says so. It is known by the values alone: all that others read of the
failed step, of the tool's own, in the same run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sealegs.experiments.reference_check.learned_reference import (
    AnswerSource,
    LearnedAlternatives,
    LearnedArgument,
    LearnedReference,
    LearnedStep,
)
from sealegs.experiments.reference_check.reference_graph import read_record
from sealegs.experiments.reference_check.value_search import distinctive, telling
from sealegs.faults import paths
from sealegs.faults.call import Value
from sealegs.scoring.matching import close
from sealegs.scoring.run_evidence import answered
from sealegs.traces import Record, Turn


def with_found_ways(reference: LearnedReference, records: Iterable[Record]) -> tuple[LearnedReference, list[str]]:
    """The reference with the ways that these runs found, and a sentence about each."""
    notes = []
    for record in records:
        for turn in read_record(record, reference).turns:
            for step in list(reference.steps.values()):
                group = _another_way(step, turn, reference)
                if group is None:
                    continue
                other = _step_of(turn)
                reference = replace(
                    reference,
                    steps={**reference.steps, other.id: other},
                    alternatives=(*reference.alternatives, group),
                )
                notes.append(
                    f"{other.tool} gave what {step.id} gives, in the run {record.episode}: taken as another way "
                    "(declare it with alternatives, so that it is struck too)"
                )
    return reference, notes


def _step_of(turn: Turn) -> LearnedStep:
    assert isinstance(turn.said, Value)
    given = {name: LearnedArgument(value) for name, value in turn.call.arguments.items()}
    return LearnedStep(turn.call.tool, turn.call.tool, given, turn.said.value)


def _another_way(step: LearnedStep, turn: Turn, reference: LearnedReference) -> LearnedAlternatives | None:
    tool = turn.call.tool
    known = {one.tool for one in reference.steps.values()}
    grouped = any(step.id in way for group in reference.alternatives for way in group.ways)
    acts = reference.acts(step.tool) or reference.acts(tool) or tool not in reference.tools
    # Only a read that no step uses can be another way, and only what the tool itself returned shows its values.
    if tool in known or grouped or acts or not answered(turn.said) or turn.said != turn.shown:
        return None
    read = list(dict.fromkeys(source.path for source in _readers(reference) if source.step == step.id))
    places = {path: _place(step, path, turn) for path in read}
    wanted = [value for path in read for value in paths.values_at(step.answer, path)]
    # Small or common values agree by chance, so they prove nothing.
    if not places or None in places.values() or not telling(wanted):
        return None
    gives = {
        path.replace(".", "_") or "answer": (AnswerSource(step.id, path), AnswerSource(tool, place or ""))
        for path, place in places.items()
    }
    return LearnedAlternatives(f"{step.id} or {tool}", ((step.id,), (tool,)), gives)


def _readers(reference: LearnedReference) -> Iterator[AnswerSource]:
    for step in reference.steps.values():
        yield from step.sources
    for one in reference.deliverables:
        yield from one.sources


def _place(step: LearnedStep, path: str, turn: Turn) -> str | None:
    """The path at which a call's answer holds what is read of a step; None if there is none, or it only repeats it."""
    wanted = next(iter(paths.values_at(step.answer, path)), None)
    given = [leaf for _, leaf in paths.leaves(dict(turn.call.arguments))]
    if not distinctive(wanted) or any(close(leaf, wanted) for leaf in given) or not isinstance(turn.said, Value):
        return None
    found: Sequence[str] = [at for at, held in paths.leaves(turn.said.value) if at and close(held, wanted)]
    leaf = path.split(".")[-1]
    # The place of the same name, else the one nearest to the top: equal values in other fields may be chance.
    return min(found, key=lambda at: (at.split(".")[-1] != leaf, at.count(".")), default=None)
