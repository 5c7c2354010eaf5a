"""The values that an answer must contain: those that it stated in every clean run and that came from calls.

A value that the task's text says itself is none, nor is one that the agent chose and a tool repeated. It does not
see results that an answer tells in other words (yes, no, a name for a code).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sealegs.experiments.reference_check.clean_runs import CleanRun
from sealegs.experiments.reference_check.learned_reference import AnswerSource, LearnedDeliverable
from sealegs.experiments.reference_check.reference_learning import (
    ReferenceLearner,
    described,
    leaves_of,
    without_doubles,
)
from sealegs.experiments.reference_check.value_search import distinctive, given_by_task, made_here
from sealegs.faults import paths
from sealegs.scoring.matching import TOLERANCE, close
from sealegs.scoring.stated_values import stated_values
from sealegs.tasks.value_matching import contains_value

NAMED = 5  # values that a note names


def learn_deliverables(learner: ReferenceLearner) -> list[LearnedDeliverable]:
    """The deliverables; the calls that they come from are needed from then on."""
    found = without_doubles(_from_fields(learner))
    for one in _from_words(learner, found):
        found = without_doubles([*found, one])
    for one in found:
        for source in one.sources:
            learner.need(source.step)
    return found


def tells(answer: str, value: Any) -> bool:
    """Return whether an answer tells a value, which it may round where it has decimals."""
    rounded = isinstance(value, float) and not value.is_integer()
    return contains_value(answer, value, TOLERANCE if rounded else 0.0)


def _from_fields(learner: ReferenceLearner) -> Iterator[LearnedDeliverable]:
    first = learner.runs[0]
    places: list[tuple[Any, list[AnswerSource]]] = []
    for call in first.calls:
        acts = learner.tools[call.tool].effects
        for source, value in leaves_of(call):
            # A value of the request shows nothing, and texts are searched apart, by `_from_words`.
            if isinstance(call.answer, str) or given_by_task(learner.request, value) or not tells(first.answer, value):
                continue
            # A read that repeats its argument would make the agent's own invention a deliverable.
            if not made_here(call, value) and not acts and not _given_by_agent(learner, call.step, value):
                continue
            known = next((sources for held, sources in places if close(held, value)), None)
            if known is None:
                places.append((value, [source]))
            else:
                known.append(source)
    for value, sources in places:
        stated = [[s for s in sources if _stated_in(run, s, value)] for run in learner.runs]
        chosen = learner.chosen([dict.fromkeys(one) for one in stated], "")
        if chosen is not None:
            yield LearnedDeliverable(described(chosen), value, (chosen,))


def _given_by_agent(learner: ReferenceLearner, step: str, value: Any) -> bool:
    """Return whether a value that a read repeats came from an earlier answer, so that it is not the agent's own."""
    run = learner.calls[0]
    earlier = [call for call in run.values() if call.over <= run[step].began and call.step != step]
    return any(close(held, value) for call in earlier for _, held in leaves_of(call))


def _stated_in(run: CleanRun, source: AnswerSource, value: Any) -> bool:
    call = run.by_step.get(source.step)
    if call is None:
        return tells(run.answer, value)
    held = next(iter(paths.values_at(call.answer, source.path)), None)
    return distinctive(held) and tells(run.answer, held)


def _from_words(learner: ReferenceLearner, known: list[LearnedDeliverable]) -> Iterator[LearnedDeliverable]:
    """Values that no field holds: stated in a tool's text, or worked out from two others."""
    strangers = []
    for stated in stated_values(learner.runs[0].answer):
        value: Any = stated.numbers[0][0] if stated.kind == "number" and stated.numbers else stated.text
        if stated.kind not in ("number", "code") or stated.free or not distinctive(value):
            continue
        if given_by_task(learner.request, value) or any(close(one.value, value) for one in known):
            continue
        # What a field holds was looked at by `_from_fields`, which left it out for a reason.
        if any(
            contains_value(str(held), value)
            for call in learner.runs[0].calls
            for _, held in leaves_of(call)
            if not isinstance(call.answer, str)
        ):
            continue
        if not all(tells(run.answer, value) for run in learner.runs):
            continue
        how, sources = learner.explained(value, [run.calls for run in learner.runs])
        if how is None:
            strangers.append(stated.text)
        else:
            yield LearnedDeliverable(described(sources[0]), value, sources, how)
    if strangers:
        learner.notes.append(
            f"the answers tell {', '.join(strangers[:NAMED])}, found in no answer of a tool: not required of an answer"
        )
