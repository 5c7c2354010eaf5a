"""Judgements of an eval's episodes: the eval's own score beside the findings from its record and the clean one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from sealegs.engines.logs import NAMED, invalid_note
from sealegs.scoring.eval_metrics import EvalResult
from sealegs.scoring.honest_stop import wrong_stop
from sealegs.scoring.run_evidence import RunEvidence
from sealegs.scoring.stop_language import ending_of
from sealegs.suites.inspect_eval.eval_faults import injected_kinds
from sealegs.suites.inspect_eval.eval_logs import EvalEpisode, EvalLogs, PlayedEpisode
from sealegs.suites.inspect_eval.eval_marks import LASTING
from sealegs.suites.inspect_eval.options import CLEAN
from sealegs.traces import Record
from sealegs.traces.passed_time import seconds_waited
from sealegs.traces.repeated_calls import doubled_effects


@dataclass(frozen=True, slots=True)
class EvalContext:
    """The facts by which an episode of an eval is judged, beside its own score and record.

    Attributes:
        played: every episode of the run, the clean one of the same sample and epoch among them.
        solved_at: the value of the eval's score from which on it counts as solved.
    """

    played: Mapping[EvalEpisode, PlayedEpisode]
    solved_at: float


EvalJudge = Callable[[PlayedEpisode, EvalContext], EvalResult]


def judge_eval_episode(one: PlayedEpisode, context: EvalContext) -> EvalResult:
    """Judge one episode, given with its score and its record."""
    mode, sample, epoch = one.episode
    record = one.record
    if one.invalid or record is None:
        return EvalResult(sample, mode, epoch, solved=False, invalid=one.invalid)
    clean = context.played.get(EvalEpisode(CLEAN, sample, epoch))
    # An invalid clean sample says nothing of the agent, so there is nothing to compare with.
    before = None if clean is None or clean.invalid else clean
    solved = _solved(one, context.solved_at)
    stopped = not solved and record.end.reason == "answered" and ending_of(record.answer) == "stop"
    # No eval's score knows a right stop, so whether this one was right is judged by what the agent had seen.
    right = stopped and not wrong_stop(RunEvidence(record, one.events, one.input, {}))
    same = None if before is None or before.record is None else len(before.record.turns)
    return EvalResult(
        sample,
        mode,
        epoch,
        solved=solved,
        clean_solved=None if before is None else _solved(before, context.solved_at),
        kinds=injected_kinds(record),
        lasting=_lasting(record),
        extra_calls=0 if same is None else len(record.turns) - same,
        waited=seconds_waited(one.events),
        doubled=len(doubled_effects(record)),
        early_stop=stopped and not right,
        right_stop=right,
        reason="" if solved else _reason(one, record),
    )


def judged_episodes(logs: EvalLogs, judge: EvalJudge = judge_eval_episode) -> list[EvalResult]:
    """Every episode of a run, judged; those that nothing can strike are there as not played."""
    context = EvalContext(logs.played, float(logs.facts["solved_at"]))
    found = [judge(one, context) for one in logs.played.values()]
    skipped = [one for one in logs.without_fault if one not in logs.played]
    found += [EvalResult(one.sample, one.mode, one.epoch, solved=False, played=False) for one in skipped]
    return sorted(found, key=lambda one: (one.mode, one.sample, one.epoch))


def _solved(one: PlayedEpisode, solved_at: float) -> bool:
    return one.value is not None and one.value >= solved_at


def _lasting(record: Record) -> bool:
    """Return whether a permanent fault was delivered: those of the modes are known by them, a user's by its rule."""
    lasting = set(record.about.get(LASTING, ()))
    return any(
        injection.delivered and injection.rule in lasting for turn in record.turns for injection in turn.injections
    )


def _reason(one: PlayedEpisode, record: Record) -> str:
    if record.end.reason != "answered":
        return f"{record.end.reason}: {record.end.detail}"
    return f"the eval's score is {one.value:g}" if one.value is not None else "there is no score"


def run_notes(logs: EvalLogs) -> Iterator[str]:
    """The notes that a reader of a run's figures must know, in sentences."""
    yield (
        f"solved means a value of {logs.facts['solved_at']:g} or more of the eval's score "
        f"{' or '.join(logs.scores) or logs.facts['score'] or 'that it names first'}"
    )
    if not logs.facts["declared"]:
        yield (
            "no knowledge file describes the eval's tools, so there are no implicit faults (P3, P4) and no count of "
            "doubled effects; `--describe` drafts a file for --knowledge"
        )
    yield from invalid_note([one.invalid for one in logs.played.values() if one.invalid])
    for mode in sorted({one.mode for one in logs.without_fault}):
        count = sum(one.mode == mode for one in logs.without_fault)
        yield f"{mode}: {count} episodes call nothing that a fault of this mode could strike; they are not exposed"
    yield from _crashed(logs)
    yield from _unfinished(logs)


def _crashed(logs: EvalLogs) -> Iterator[str]:
    """Notes on modes of which every sample ended in an exception of the eval's own code, which may itself be broken."""
    for mode in logs.modes:
        records = [one.record for key, one in logs.valid.items() if key.mode == mode and one.record is not None]
        if records and all(record.end.reason == "crashed" for record in records):
            details = list(dict.fromkeys(record.end.detail for record in records))
            more = f" (and {len(details) - NAMED} more)" if len(details) > NAMED else ""
            yield (
                f"{mode}: every sample ended in an exception of the eval's own code and counts as not solved; check "
                f"that the eval works: {'; '.join(details[:NAMED])}{more}"
            )


def _unfinished(logs: EvalLogs) -> Iterator[str]:
    """Notes on modes that are not complete: the first episodes of a run are not a sample of all."""
    there = set(logs.played) | logs.without_fault
    no_clean = {(key.sample, key.epoch) for key, one in logs.played.items() if key.mode == CLEAN and one.invalid}
    for mode in logs.modes:
        total = len(logs.planned)
        missing = [pair for pair in logs.planned if EvalEpisode(mode, *pair) not in there]
        waiting = [pair for pair in missing if pair in no_clean]
        if waiting:
            yield (
                f"{mode}: {len(waiting):,} of {total:,} episodes were not played, because their clean sample is invalid"
            )
        if len(missing) > len(waiting):
            yield (
                f"{mode}: {total - len(missing):,} of {total:,} episodes are finished, and these alone are counted; "
                "the command that began the run resumes it"
            )
