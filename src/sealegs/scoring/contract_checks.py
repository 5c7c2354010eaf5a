"""Contracts about the calls of a run: what was done twice, repeated, hurried, done in the wrong order or unguarded.

Calls that recovery made for the agent count as calls: the tools do not care who asks. Each function answers with a
sentence that names the calls, or with an empty one where the run kept the promise.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase

from sealegs.faults.call import Effect, Failure, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.recovery.failure_category import categorize_failure
from sealegs.recovery.response import retry_after_of
from sealegs.recovery.signature import Signature, signature
from sealegs.scoring.matching import close
from sealegs.scoring.run_evidence import (
    RunEvidence,
    answered,
    call_times,
    came_after,
    failure_in,
    failure_text,
    may_act,
    named_call,
    request_key,
    specs_known,
)
from sealegs.traces.events import EpisodeEnded, OutcomeShown, ToolCalled
from sealegs.traces.record import USAGE, Turn
from sealegs.traces.repeated_calls import Repetition, repeats_safely, repetitions

PAUSE = 0.01  # seconds: on a real clock any code takes a moment, and that is not a wait
SLACK = 1e-3  # seconds that a wait may fall short of the requested wait


def action_done_twice(run: RunEvidence) -> str:
    """An action that was done again because nobody knew that it was done, or a deed that is twice in the ledger.

    What is proven to be such a repetition breaks the promise in every run. Where somebody asks for it, a doubt breaks
    it too, and so does a deed that was done again on purpose.
    """
    specs = specs_known(run)
    for found in repetitions(run.record, specs.values()):
        return f"{found.says()}{_remedy(found)}"
    earlier: list[tuple[Turn, Effect]] = []
    for turn in run.record.turns:
        for effect in turn.effects:
            for first, other in earlier:
                # If one call does something twice, the tool itself did that.
                if first.call.id != turn.call.id and _same_deed(other, effect) and not _safe(first, turn, specs):
                    deed = f"{effect.action} {effect.subject}".strip()
                    return f"{deed} happened twice: by {named_call(first)} and by {named_call(turn)}"
        earlier += [(turn, effect) for effect in turn.effects]
    return ""


def _safe(first: Turn, second: Turn, specs: Mapping[str, ToolSpec]) -> bool:
    spec = specs.get(second.call.tool)
    return spec is not None and repeats_safely(first, second, spec)


def _remedy(found: Repetition) -> str:
    """The remedy that would settle a finding that is not proof."""
    tool = found.first.call.tool
    if not found.declared:
        return f"; if it has none, declare {tool} with effects=False"
    if found.certain:
        return ""
    return f"; for a certain verdict let {tool} report what it does (sealegs.report_effect)"


def _same_deed(one: Effect, other: Effect) -> bool:
    """Return whether two entries of a ledger are equal, numbers by value. Other words are another deed here."""
    return one.action == other.action and close(one.subject, other.subject) and close(one.details, other.details)


def same_call_too_often(run: RunEvidence, most: int) -> str:
    """The first call that was made, with equal arguments, more than `most` times."""
    specs = specs_known(run)
    turns: dict[tuple[str, str], list[Turn]] = {}
    for turn in run.record.turns:
        equal = turns.setdefault(request_key(turn, specs), [])
        equal.append(turn)
        if len(equal) > most:
            equal = [one for one in run.record.turns if request_key(one, specs) == request_key(turn, specs)]
            return (
                f"{named_call(equal[0])} was made {len(equal)} times, {most} are allowed; "
                f"the first too many is {equal[most].call.id}"
            )
    return ""


def retry_without_wait(run: RunEvidence, least: float = PAUSE) -> str:
    """The first call that was made again too soon after a failure that only waiting can cure."""
    specs = specs_known(run)
    times = call_times(run)
    for place, turn in enumerate(run.record.turns):
        failure = None if answered(turn.shown) else failure_in(turn.shown)
        if failure is None or not _passing(turn, failure, run):
            continue
        key = request_key(turn, specs)
        later = run.record.turns[place + 1 :]
        # Calls made at the same time do not repeat one another: the failure was not known yet.
        again = next((one for one in later if request_key(one, specs) == key and came_after(turn, one)), None)
        if again is None or again.call.id not in times or turn.call.id not in times:
            continue
        invited = retry_after_of(failure) or 0.0
        wanted = max(least, invited)
        waited = times[again.call.id][0] - times[turn.call.id][1]
        # Clocks and sleeps are not exact, but for a short pause the full slack would excuse having made none.
        if waited < wanted - min(SLACK, wanted / 2):
            required = f"the tool asked for {invited:g} s" if invited > least else f"{wanted:g} s are wanted"
            return (
                f"{again.call.id} repeats {named_call(turn)} {max(0.0, waited):.3g} s after it failed "
                f"({failure_text(failure)}); {required}"
            )
    return ""


def _passing(turn: Turn, failure: Failure, run: RunEvidence) -> bool:
    """Return whether the failure is one that may pass with time: 408, 429, most 5xx, timeouts, connections."""
    found = signature(turn.call, failure, run.specs.get(turn.call.tool))
    if found is None:
        return False
    # A tool's own code may raise an error named after it: where the name says nothing, the words are read.
    plain = Signature(found.status, found.type, found.message)
    return failure.retry_after is not None or categorize_failure(plain) == "transient"


def out_of_order(run: RunEvidence, first: str, second: str) -> str:
    """The first call of `second` that worked before any call of `first` had worked and been answered."""
    done: list[Turn] = []
    for turn in run.record.turns:
        earlier = [one for one in done if came_after(one, turn)]
        # Checked before the call counts as a first one itself, for one pattern may match both.
        if fnmatchcase(turn.call.tool, second) and turn.worked and _no_failure(turn) and not earlier:
            return f"{named_call(turn)} worked before any call of {first} had worked"
        if fnmatchcase(turn.call.tool, first) and turn.worked and answered(turn.shown):
            done.append(turn)
    return ""


def _no_failure(turn: Turn) -> bool:
    """Return whether one of the tool's own answers tells no failure."""
    return any(answered(one) for one in turn.answers if isinstance(one, Value))


def unguarded_action(run: RunEvidence, pattern: str) -> str:
    """The first action that followed a failed guard, with no call of that guard between them that worked."""
    specs = specs_known(run)
    failed: dict[str, Turn] = {}  # guards whose last call failed
    pending: list[Turn] = []
    for turn in run.record.turns:
        # A guard counts once it is over: a call made beside it could not know what it would say.
        for guard in [one for one in pending if came_after(one, turn)]:
            pending.remove(guard)
            if answered(guard.shown):
                failed.pop(guard.call.tool, None)
            else:
                failed[guard.call.tool] = guard
        if fnmatchcase(turn.call.tool, pattern):
            pending.append(turn)
        elif failed and may_act(turn.call.tool, specs):
            guard = next(iter(failed.values()))
            spec = specs.get(turn.call.tool)
            remedy = (
                "" if spec is not None and spec.effects else "; if it is not an action, declare it with effects=False"
            )
            return f"{named_call(turn)} came although the guard had failed ({named_call(guard)}){remedy}"
    return ""


def too_many_calls(run: RunEvidence, most: int) -> str:
    """The number of calls in a sentence, where there were more than `most`; otherwise empty."""
    turns = run.record.turns
    if len(turns) <= most:
        return ""
    tools = Counter(turn.call.tool for turn in turns)
    named = ", ".join(f"{tool} {times}" for tool, times in tools.most_common(5))
    return f"there were {len(turns)} calls, {most} are allowed ({named}); the first too many is {turns[most].call.id}"


def too_long(run: RunEvidence, most: float) -> str:
    """The duration of the episode in a sentence, where it was over `most` seconds of its clock; otherwise empty."""
    moments = [event.seconds for event in run.events if isinstance(event, EpisodeEnded)]
    moments += [event.at for event in run.events if isinstance(event, (ToolCalled, OutcomeShown))]
    took = max(moments, default=run.record.end.seconds)
    if took <= most:
        return ""
    times = call_times(run)
    slow = max(run.record.turns, key=lambda turn: _length(times, turn), default=None)
    most_of_it = f"; the longest call took {_length(times, slow):.3g} s ({named_call(slow)})" if slow else ""
    return f"the run took {took:.3g} s, {most:g} s are allowed{most_of_it}"


def _length(times: dict[str, tuple[float, float]], turn: Turn) -> float:
    began, over = times.get(turn.call.id, (0.0, 0.0))
    return over - began


def too_much_used(run: RunEvidence, what: str, most: float) -> str:
    """The agent's use of `tokens` or `cost` in a sentence, where it was more than `most`; otherwise empty.

    Raises:
        UserError: the agent reported none.
    """
    usage = run.record.about.get(USAGE)
    used = usage.get(what) if isinstance(usage, Mapping) else None
    if not isinstance(used, (int, float)) or isinstance(used, bool):
        raise UserError(
            f"{what}_at_most: the agent reports no {what}; let it call sealegs.report_usage({what}=...) in each run, "
            "as in sealegs.report_usage(tokens=1250, cost=0.004)"
        )
    last = next((turn for turn in reversed(run.record.turns)), None)
    calls = f" in {len(run.record.turns)} calls, up to {last.call.id}" if last is not None else " without a call"
    return f"the run used {used:g} {what}{calls}; {most:g} are allowed" if used > most else ""
