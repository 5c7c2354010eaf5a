"""The verdict on one episode, by code, from its record.

Success is judged by value: every node of the graph done by right calls, the ledger of effects as in one valid solution
(so nothing done twice), every deliverable in the answer, and no corrupt value stated as true. An action that was done
although it failed counts as done once a look shows it, or a refusal that the tool declares. Where no solution was left,
success is a right stop: judged by what was done (nothing was called on missing or corrupt input, nothing else was
done to the world) and by the answer (that it is not complete, and no invented result).

Where recovery stands between the agent and its tools, success, cost and the funnel are of both together: the tools do
not care which of them asked. `shielded`, `masked_faults`, `recovered_by` and the attribution say what is the agent's
alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from sealegs.faults.call import MOMENTS, Effect, render
from sealegs.scoring.attribution import attribute
from sealegs.scoring.case import Case
from sealegs.scoring.episode_verdict import Verdict
from sealegs.scoring.ledger_check import ExcessEffects, excess_effects, ledger_right
from sealegs.scoring.matching import TOLERANCE, is_corrupted, same_effects
from sealegs.scoring.outcome import (
    answer_problems,
    delivery_problems,
    milestones,
    minefields,
    outcome_problems,
    status_problem,
    wrong_values,
)
from sealegs.scoring.stop_language import leaves_undone
from sealegs.scoring.taint import claimed_corrupt, claims, corrupt_values, tainted_turns, trusting
from sealegs.scoring.task_progress import (
    Move,
    TaskProgress,
    completed,
    field_available,
    node_done,
    node_of,
    progress_of,
)
from sealegs.scoring.toolmaze_judge import succeeds_as_published
from sealegs.scoring.value_salvage import salvaged_steps
from sealegs.tasks import Risk, State, recovery_cost
from sealegs.tasks.value_matching import contains_value, numbers
from sealegs.tasks.written_forms import ENGLISH, in_english_forms
from sealegs.traces.reach import faults_reached, owners
from sealegs.traces.record import Record


def judge(record: Record, case: Case) -> Verdict:
    """Return the verdict on an episode."""
    record, case = _in_english_forms(record, case)
    found = _findings(record, case)
    way, excess, stopped, solvable = found.way, found.excess, found.stopped, found.solvable
    if solvable:
        problems = _success_problems(record, case, way, found.lacking, excess)
    else:
        problems = _stop_problems(record, case, way, stopped)
    reasons = (*problems, *found.false)
    success = not reasons
    misstated = (*found.false, *wrong_values(record.answer or "", case))
    outcome = outcome_problems(excess, delivery=found.delivery, solvable=solvable, stopped=stopped, false=misstated)
    false_claims = misstated or _false_claims(record, case, way, stopped=stopped, outcome=outcome)
    reached, missed = milestones(case, way, solvable=solvable, stopped=stopped)
    seen = _awareness(record, case, way, success=success, stopped=stopped, claimed=bool(found.false))
    doubled = bool(excess.doubled)
    term = attribute(record, case, way, stopped=stopped, unaware=seen.unaware, solvable=solvable, doubled=doubled)
    return Verdict(
        success=success,
        published=succeeds_as_published(record, case, way, stopped),
        exposed=found.exposed,
        solvable=solvable,
        stopped=stopped,
        calls=len(record.turns),
        cost=found.cost,
        best=found.best,
        redundancy=_redundancy(found.exposed, success, found.cost, found.best),
        noticed=seen.noticed,
        strategy=seen.noticed and (success or right_strategy(way, case, solvable, stopped)),
        reasons=reasons,
        attribution="" if success else term,
        tainted=found.tainted,
        calls_by_layer=sum(bool(turn.by) for turn in record.turns),
        masked_faults=seen.masked_faults,
        shielded=seen.shielded,
        doubled=len(excess.doubled),
        wrong=len(excess.unwanted),
        outcome=not outcome,
        outcome_reasons=outcome,
        milestones=reached,
        missed=missed,
        minefields=minefields(case, way, excess, found.tainted, false_claims),
        salvaged=tuple(sorted(found.salvaged)),
    )


@dataclass(frozen=True, slots=True)
class _Findings:
    """The findings in an episode, before anything is judged.

    Attributes:
        way: the progress, with the salvaged steps.
        excess: what was done to the world beyond a valid solution.
        lacking: why deliverables are not in the answer.
        stopped: the answer says that the request is not complete.
        tainted: the turns that used a corrupt value.
        false: the corrupt value that the answer states as true, if any.
        delivery: why what was delivered does not count as the outcome.
        salvaged: steps whose corrupt answers still gave what was needed.
        best: c*; None where no fault was met.
        solvable: a way to the end was left.
    """

    way: TaskProgress
    excess: ExcessEffects
    lacking: tuple[str, ...]
    stopped: bool
    tainted: tuple[int, ...]
    false: tuple[str, ...]
    delivery: tuple[str, ...]
    salvaged: frozenset[str]
    best: int | None
    solvable: bool
    turns: int

    @property
    def exposed(self) -> bool:
        """Whether a fault was met."""
        return self.way.first is not None

    @property
    def cost(self) -> int | None:
        """The calls from the first perturbed one to the end, that one included."""
        return None if self.way.first is None else self.turns - self.way.first


def _findings(record: Record, case: Case) -> _Findings:
    way = progress_of(record, case)
    answer = record.answer or ""
    lacking = tuple(answer_problems(record, case))
    corrupt = corrupt_values(record, case)
    tainted = tainted_turns(record, corrupt)
    claimed = claimed_corrupt(answer, corrupt)
    # The first is enough to fail, and a list would be long.
    false = tuple(f"the answer gives the corrupt {value!r} as true" for value in claimed[:1])
    delivery = delivery_problems(record, case, tainted, lacking)
    way, salvaged = _with_salvage(case, way, worked=way.first is not None and not delivery and not false)
    best, solvable = best_cost(way, case, salvaged)
    return _Findings(
        way=way,
        excess=excess_effects(record, case),
        lacking=lacking,
        stopped=leaves_undone(answer, lacking=bool(lacking)),
        tainted=tainted,
        false=false,
        delivery=delivery,
        salvaged=salvaged,
        best=best,
        solvable=solvable,
        turns=len(record.turns),
    )


@dataclass(frozen=True, slots=True)
class _Awareness:
    """The agent's awareness of the faults.

    Attributes:
        noticed: it met a fault, and did not continue as if nothing had happened.
        unaware: it took a corrupt answer for right by itself, or continued without what a step needs.
        masked_faults: faults that the layer below answered, so that the agent never saw them.
        shielded: there was a fault, and the layer kept all of them from the agent.
    """

    noticed: bool
    unaware: bool
    masked_faults: int
    shielded: bool


def _awareness(
    record: Record, case: Case, way: TaskProgress, *, success: bool, stopped: bool, claimed: bool
) -> _Awareness:
    exposed = way.first is not None
    met = faults_reached(record)
    silent = not (stopped or record.answer is None or reacted(way, case))
    return _Awareness(
        noticed=exposed and (success or not (used_blindly(way) or claimed or silent)),
        unaware=exposed and _unaware(record, way, met, silent=silent, claimed=claimed),
        masked_faults=sum(not each for each in met.values()),
        shielded=exposed and not any(met.values()),
    )


def _with_salvage(case: Case, way: TaskProgress, *, worked: bool) -> tuple[TaskProgress, frozenset[str]]:
    """The progress with the steps whose corrupt answers still gave what was needed, and these steps.

    `worked`: all was delivered. Only then does it matter, and only then is it known that the agent used the values. Nor
    does it matter where another call did the same.
    """
    if not worked or completed(case, way.done):
        return way, frozenset()
    found = salvaged_steps(case, way)
    return (replace(way, done=way.done | found) if found else way), found


def _false_claims(
    record: Record, case: Case, way: TaskProgress, *, stopped: bool, outcome: tuple[str, ...]
) -> tuple[str, ...]:
    """The false statements of an answer without a corrupt value."""
    if record.answer is None or not outcome:
        return ()
    if not stopped:
        return ("the answer does not say that the request is not complete",)
    return tuple(invented_values(record, case))


def _unaware(record: Record, way: TaskProgress, met: Mapping[int, bool], *, silent: bool, claimed: bool) -> bool:
    """Return whether the agent itself took a corrupt answer for right, or continued without what a step needs."""
    swallowed = any(is_corrupted(turn) and met[own] for own, turn in zip(owners(record), record.turns, strict=True))
    return claimed or used_blindly(way, own=True) is not None or (silent and swallowed)


def best_cost(way: TaskProgress, case: Case, salvaged: frozenset[str] = frozenset()) -> tuple[int | None, bool]:
    """c*, and whether any way to the end was left.

    c* counts the fewest calls from the first perturbed one to the end, that one included; None where no fault was met.
    Where no way was left it is the perturbed call alone, and a look where its outcome was in doubt: then stopping is
    best. `salvaged`: steps whose corrupt answers gave what was needed, which leave nothing to be done again.
    """
    if way.first is None:
        return None, True
    state = _state_after(way, case, salvaged)
    further = recovery_cost(case.task.graph, state)
    return 1 + (len(state.doubtful) if further is None else further), further is not None


def _state_after(way: TaskProgress, case: Case, salvaged: frozenset[str]) -> State:
    """The state of the task right after the first perturbed call."""
    assert way.first is not None
    move = way.moves[way.first]
    assert move.step is not None
    touched = {m.step.id for m in way.moves[: way.first + 1] if m.step is not None}
    homes = case.task.graph.home
    nodes = touched | {homes[id][0].id for id in touched if id in homes}
    met = {slot.node: slot for slot in case.slots if slot.node in nodes}
    node = homes[move.step.id][0].id if move.step.id in homes else move.step.id
    broken = frozenset({move.step.tool}) if node in met and met[node].persistence == "permanent" else frozenset[str]()
    # Faults of nodes not yet touched still lie ahead, and the cheapest recovery has to pay for them as well.
    pending = {slot.node: slot.persistence for slot in case.slots if slot.node not in nodes}
    right = move.right or move.step.id in salvaged
    done = move.before | {move.step.id} if right else move.before  # a late answer is an answer
    risk = None if right else risk_met(move, case)
    risks = case.risks if risk is None else {**case.risks, move.step.id: risk}
    doubtful = frozenset[str]() if risk is None else frozenset({move.step.id})
    return State(done=done, broken=broken, pending=pending, risks=risks, doubtful=doubtful)


def risk_met(move: Move, case: Case) -> Risk | None:
    """The risk of a faulted call on an action: the last moment of an injection, and whether repeating is harmless."""
    if move.step is None or move.step.id not in case.risks:
        return None
    moments = {injection.moment for injection in move.turn.injections if injection.delivered}
    spec = case.actions.get(move.step.tool)
    # Several faults may strike one call, some where nothing was done yet: what was done in the end is what counts.
    latest = next((moment for moment in reversed(MOMENTS) if moment in moments), None)
    if latest is None or spec is None:
        return None
    keyed = bool(spec.key and move.turn.call.arguments.get(spec.key))
    return Risk(latest, spec.idempotent or keyed)


def _in_english_forms(record: Record, case: Case) -> tuple[Record, Case]:
    """The answer and the request with their values as English writes them, which is what the rest reads."""
    if case.language == ENGLISH:
        return record, case
    answer = None if record.answer is None else in_english_forms(record.answer, case.language)
    request = in_english_forms(case.task.request, case.language)
    return replace(record, answer=answer), replace(case, task=replace(case.task, request=request))


def _redundancy(exposed: bool, success: bool, cost: int | None, best: int | None) -> float:
    if not exposed or cost is None or best is None:
        return 0.0
    return 1 - best / max(cost, best) if success else 1.0


def _success_problems(
    record: Record, case: Case, way: TaskProgress, lacking: tuple[str, ...], excess: ExcessEffects
) -> tuple[str, ...]:
    graph = case.task.graph
    problems = []
    open_nodes = [node.id for node in graph.nodes if not node_done(node, way.done, case.reference)]
    if open_nodes:
        problems.append(f"not done: {', '.join(open_nodes)}")
        unseen = [graph.steps[id].tool for id in sorted(way.unseen) if node_of(graph.steps[id], graph) in open_nodes]
        problems += [f"{tool} failed and was done all the same, and nothing showed it to the agent" for tool in unseen]
    if excess.doubled:
        problems.append(f"done more than once: {', '.join(f'{e.action} {e.subject}' for e in excess.doubled)}")
    elif open_nodes:  # the ledger cannot be right then, and saying so adds nothing
        pass
    elif not ledger_right(record, case, way.done):
        problems.append("the world is not as any valid solution leaves it")
    problems += lacking
    return tuple(problems or status_problem(record))


def _stop_problems(record: Record, case: Case, way: TaskProgress, stopped: bool) -> tuple[str, ...]:
    assert way.first is not None
    answer = record.answer or ""
    problems = []
    if not stopped:
        problems.append("nothing was left to try, and the answer does not say that the request is not complete")
    blind = used_blindly(way)
    if blind:
        problems.append(f"{blind} was called on missing or corrupt input")
    # Right steps before the dead end may have had effects, and should have.
    wanted: list[Effect] = [effect for id in way.done for effect in case.reference.steps[id].effects]
    if not same_effects(list(record.effects), wanted):
        problems.append("something was done to the world that no right step does, or done twice")
    for deliverable, value in zip(case.task.deliverables, case.reference.deliverables, strict=True):
        source = deliverable.source
        # A deliverable from a step that was done may be given even though the whole failed.
        if not field_available(source.node, source.path, case.task.graph, way.done) and claims(answer, value):
            problems.append(f"the answer gives {deliverable.label}, which nothing delivered")
    return (*problems, *invented_values(record, case))


def invented_values(record: Record, case: Case) -> Iterator[str]:
    """The first number or code stated as a result that neither the request nor a call nor an answer holds."""
    texts = [case.task.request, *(d.label for d in case.task.deliverables)]
    for turn in record.turns:
        texts += [turn.call.tool, json.dumps(dict(turn.call.arguments), default=str)]
        texts += [render(shown) for shown in (turn.shown, turn.final) if shown is not None]
    seen = "\n".join(texts)
    # Only lines that state something: a value quoted to reject it is allowed.
    for line in trusting(record.answer or ""):
        codes = re.findall(r"\b[A-Z][\w-]*\d[\w-]*\b", line)
        stated = [*codes, *(n for n in numbers(line) if abs(n) >= 13 or n % 1)]  # small ones count tries and steps
        new = [value for value in stated if not contains_value(seen, value, TOLERANCE)]
        if new:
            # The first is enough to fail, and a list would be long.
            yield f"the answer tells {new[0]}, which nothing delivered"
            return


def used_blindly(way: TaskProgress, *, own: bool = False) -> str | None:
    """The first tool of the graph that was called, after a fault, without what it needs being there.

    `own`: of the agent's own calls alone.
    """
    if way.first is None:
        return None
    after = [move for move in way.moves[way.first :] if not (own and move.turn.by)]
    return next((m.step.tool for m in after if m.step is not None and not m.ready and not m.right), None)


def reacted(way: TaskProgress, case: Case) -> bool:
    """Return whether each tool that showed something wrong was called again, or another branch of its group was."""
    graph = case.task.graph
    return all(
        any(
            m.look == tool or (m.step is not None and node_of(m.step, graph) == node)
            for m in way.moves[_faulted_at(way, tool) + 1 :]
        )
        for node, tool in way.victims.items()
        # A late but right answer needs no reaction.
        if not way.moves[_faulted_at(way, tool)].right
    )


def _faulted_at(way: TaskProgress, tool: str) -> int:
    return next(i for i, m in enumerate(way.moves) if m.turn.faulted and m.turn.call.tool == tool)


def right_strategy(way: TaskProgress, case: Case, solvable: bool, stopped: bool) -> bool:
    """Return whether every fault that was met was answered in a way that can work: retry, switch, or stop."""
    if not solvable:
        return stopped
    graph = case.task.graph
    return all(node_done(graph.by_id[node], way.done, case.reference) for node in way.victims)
