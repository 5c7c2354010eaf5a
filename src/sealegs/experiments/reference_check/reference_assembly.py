"""From clean runs to a reference: what they show, what is declared, and what was concluded without a declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sealegs.experiments.reference_check.alternative_search import AlternativeSearch, DeclaredWays
from sealegs.experiments.reference_check.checked_tools import CheckedTool
from sealegs.experiments.reference_check.clean_runs import CleanRun, clean_runs
from sealegs.experiments.reference_check.deliverable_search import learn_deliverables
from sealegs.experiments.reference_check.learned_reference import LearnedReference, LearnedTool
from sealegs.experiments.reference_check.reference_graph import check_reference
from sealegs.experiments.reference_check.reference_learning import ReferenceLearner, learn_actions
from sealegs.faults.user_error import UserError
from sealegs.traces import Record

REMEDY = "write what it must contain into the reference's file, or declare which tools act (effects=...)"


def learn_reference(
    records: Sequence[Record],
    request: str,
    tools: Sequence[CheckedTool],
    declared: Sequence[DeclaredWays] = (),
    reset: Callable[[], None] = lambda: None,
) -> LearnedReference:
    """The reference that clean runs show.

    Args:
        records: of runs without faults, at least one.
        request: the task's text.
        tools: all that the agent has.
        declared: alternatives.
        reset: puts the user's world back before a declared alternative is called by itself.

    Raises:
        UserError: a run is not good, a declaration does not fit, or nothing of the task can be judged.
    """
    known = {tool.spec.name: LearnedTool.of(tool.spec) for tool in tools}
    runs = clean_runs(records, known)
    learner = ReferenceLearner(runs, request, known)
    learn_actions(learner)
    deliverables = learn_deliverables(learner)
    search = AlternativeSearch(learner, deliverables, {tool.spec.name: tool for tool in tools}, reset)
    alternatives = search.found(declared)
    if not learner.needed:
        raise UserError(_why_nothing_needed(learner))
    steps = learner.steps(learner.needed, learner.needed) + learner.steps(
        [step for step in search.extra if step not in learner.needed], search.extra
    )
    # Needed and extra steps were listed apart; a graph is read, and judged, in the order of the runs.
    steps.sort(key=lambda step: learner.order[step.id])
    found = LearnedReference(
        request,
        known,
        {step.id: step for step in [*steps, *search.made.values()]},
        tuple(alternatives),
        tuple(deliverables),
        (*_notes(learner, runs, known, {step.id for step in steps}), *learner.notes),
        len(runs),
    )
    check_reference(found)
    return found


def _why_nothing_needed(learner: ReferenceLearner) -> str:
    """The reason why nothing of the task can be judged."""
    acting = sorted({learner.tool_of(step).name for step in learner.order if learner.tool_of(step).effects})
    for name in acting:
        times = sum(any(call.tool == name for call in run.calls) for run in learner.runs)
        if times < len(learner.runs):
            return (
                f"{name} acted in {times} of {len(learner.runs)} runs without faults, so nothing says whether the task "
                "needs it; let the agent do the same in each run, or run the check again if that was by chance"
            )
    if acting:
        return (
            f"{', '.join(acting)} acted several times with arguments that no two runs without faults share, so nothing "
            "says which calls are the same; make what varies come from the task or from another tool"
        )
    return f"nothing that the agent answered came from a tool, and no tool acts; {REMEDY}"


def _notes(
    learner: ReferenceLearner, runs: Sequence[CleanRun], tools: Mapping[str, LearnedTool], kept: set[str]
) -> Iterator[str]:
    unknown = [name for name, tool in tools.items() if tool.effects is None]
    if unknown:
        yield (
            f"nobody declared whether {', '.join(unknown)} changes anything: a call that every clean run made is taken "
            "as needed, doing it twice is not counted, and no wrong answer is put in its place (declare effects)"
        )
    # An action is never a detour, even if nothing used its answer.
    left = [step for step in learner.order if step not in kept and learner.tool_of(step).effects is not True]
    if left:
        yield f"called in clean runs, and nothing of the answers was needed: {', '.join(left)}"
    failed = dict.fromkeys(tool for run in runs for tool in run.failed)
    if failed:
        yield f"failed in a clean run, without any fault: {', '.join(failed)}"
    if len(runs) == 1:
        yield "one clean run cannot show what varies; two or more show it"
    if not learner.runs[0].answer.strip():
        yield "the agent's answer is empty, so nothing is required of it"
