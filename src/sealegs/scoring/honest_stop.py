"""Check that a run ended as its tools' answers allow: a stop where a tool had failed, no claim where the last did.

A stop is an answer that says that it could not be done, or none at all. It is right where the last call that asked a
tool for something failed: with a failure, with nothing in it, or with an answer that a fault had changed or that breaks
the tool's declarations. A claim is an answer that tells of no trouble at all. An answer between the two (it tells of
trouble that was overcome, of a rule, of what was not found) is neither, and is right in every case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sealegs.faults.call import Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.recovery.failure_category import categorize_failure
from sealegs.recovery.signature import declaration_violations, signature
from sealegs.scoring.run_evidence import (
    RunEvidence,
    answered,
    failure_in,
    failure_text,
    named_call,
    outcomes_seen,
    parsed_json,
    request_key,
    specs_known,
)
from sealegs.scoring.stop_language import ending_of
from sealegs.traces.reach import faults_reached
from sealegs.traces.record import Record, Turn


def wrong_stop(run: RunEvidence) -> str:
    """The mistake in the run's ending; empty where it was right."""
    ending = ending_of(run.record.answer)
    if ending == "neither":
        return ""
    specs = specs_known(run)
    seen = outcomes_seen(run)
    if ending == "stop":
        return "" if _failed_to_the_end(run, specs, seen) else _needless(run.record)
    return _unfounded(run.record, specs, seen)


def _failed_to_the_end(
    run: RunEvidence, specs: Mapping[str, ToolSpec], seen: Mapping[str, Outcome | None]
) -> Turn | None:
    """A call that failed and was not made again with success; the tool's last one where only the arguments differ."""
    reached = faults_reached(run.record)
    latest: dict[tuple[str, str], tuple[Turn, bool]] = {}
    by_tool: dict[str, tuple[Turn, bool]] = {}
    for place, turn in enumerate(run.record.turns):
        if turn.by:
            continue
        outcome = seen.get(turn.call.id)
        spec = specs.get(turn.call.tool)
        failed = reached.get(place, False) or _no_use(turn, outcome, spec)
        by_tool[turn.call.tool] = (turn, failed)
        if failed and _done_elsewhere(turn, outcome, spec):
            continue
        latest[request_key(turn, specs)] = (turn, failed)
    return next((turn for turn, failed in (*by_tool.values(), *latest.values()) if failed), None)


def _done_elsewhere(turn: Turn, outcome: Outcome | None, spec: ToolSpec | None) -> bool:
    """Return whether the tool refused the arguments, so that another call of it may have come to the same."""
    failure = None if answered(outcome) else failure_in(outcome)
    found = None if failure is None else signature(turn.call, failure, spec)
    return found is not None and categorize_failure(found) == "arguments"


def _no_use(turn: Turn, outcome: Outcome | None, spec: ToolSpec | None) -> bool:
    """Return whether an outcome is a failure, has nothing in it, or breaks what is declared of the tool's answers."""
    if not isinstance(outcome, Value) or failure_in(outcome) is not None:
        return True
    if _empty(outcome.value):
        return True
    return spec is not None and bool(declaration_violations(spec, turn.call.arguments, outcome.value))


def _empty(value: object) -> bool:
    """Return whether an answer holds nothing: a list without items, a count of nought, words that say so."""
    if isinstance(value, str):
        data = parsed_json(value)
        nothing = re.fullmatch(
            r"\W*(?:none|null|nothing|no (?:\w+ ){0,3}(?:found|available))?\W*", value, re.IGNORECASE
        )
        return nothing is not None if data is None else _empty(data)
    if isinstance(value, Mapping):
        # An empty list beside a page number or a query is empty all the same.
        # Only in a record is 0 a count of what was found; by itself it may be the answer.
        return all(_empty(item) or item == 0 for item in value.values()) or any(
            isinstance(item, (list, tuple, Mapping)) and not item for item in value.values()
        )
    if isinstance(value, (list, tuple)):
        return all(_empty(item) for item in value)
    return value is None or value is False


def _needless(record: Record) -> str:
    if record.answer is None or not record.answer.strip():
        ending = f"there is no answer (the run ended by {record.end.reason})"
    else:
        ending = f"the answer says that it could not be done ({_short(record.answer)})"
    if not record.own:
        return f"{ending}, and no tool was called"
    last = record.own[-1]
    return f"{ending}, and no tool had failed to the end: the last call of each was answered, as {named_call(last)} was"


def _unfounded(record: Record, specs: Mapping[str, ToolSpec], seen: Mapping[str, Outcome | None]) -> str:
    """A success that is claimed although the last tool never answered, or although an action was never done."""
    own = record.own
    # A tool that answered at any time has given the agent something to claim, even if its last call failed.
    good = {turn.call.tool for turn in own if answered(seen.get(turn.call.id))}
    last = [turn for turn in own if turn.over >= own[-1].began]  # together with the last one
    bad = [turn for turn in last if not answered(seen.get(turn.call.id)) and turn.call.tool not in good]
    if bad and not _tells(record, bad[-1], seen):
        return _claimed(bad[-1], seen)
    for place, turn in enumerate(record.turns):
        spec = specs.get(turn.call.tool)
        if spec is None or spec.effects is not True or turn.worked or answered(seen.get(turn.of or turn.call.id)):
            continue
        later = record.turns[place + 1 :]
        done = any(
            one.worked and (s := specs.get(one.call.tool)) is not None and s.effects is not False for one in later
        )
        # An undeclared tool may have done the action: in doubt, nothing is alleged.
        undeclared = any(one.worked and one.call.tool not in specs for one in later)
        if not (done or undeclared or _tells(record, turn, seen)):
            return _claimed(turn, seen)
    return ""


def _tells(record: Record, turn: Turn, seen: Mapping[str, Outcome | None]) -> bool:
    """Return whether the answer tells the failure's status, so that it does not hide it."""
    failure = failure_in(seen.get(turn.of or turn.call.id))
    status = None if failure is None else failure.status
    return status is not None and re.search(rf"(?<!\d){status}(?!\d)", record.answer or "") is not None


def _claimed(turn: Turn, seen: Mapping[str, Outcome | None]) -> str:
    failure = failure_in(seen.get(turn.of or turn.call.id))
    why = f" ({failure_text(failure)})" if failure is not None else ""
    return f"the answer tells of no trouble, and {named_call(turn)} failed{why} and was never answered"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
