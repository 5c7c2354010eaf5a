"""The evidence that a contract is judged by: one run's record, its events with their times, and its tools' specs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.faults.call import Failure, Outcome, Value
from sealegs.faults.equal import equality_key
from sealegs.faults.spec import ToolSpec
from sealegs.traces.events import Event, LayerActionTaken, OutcomeShown, ToolCalled, outcome_from
from sealegs.traces.record import Record, Turn
from sealegs.traces.specs import noted_specs

LONGEST = 160  # characters of a call's arguments in a sentence
ERRORS = ("error", "errors", "exception")
WORDS = ("error", "exception", "traceback (most recent")


@dataclass(frozen=True, slots=True)
class RunEvidence:
    """One finished run of an agent.

    Attributes:
        record: of the run.
        events: of the same run, with their times.
        input: the agent's input.
        specs: what is known of the tools, by name; may be empty.
    """

    record: Record
    events: Sequence[Event]
    input: str
    specs: Mapping[str, ToolSpec]


def specs_known(run: RunEvidence) -> dict[str, ToolSpec]:
    """The known specs of the tools, by name: those that were given count before those that the record notes."""
    return {**{spec.name: spec for spec in noted_specs(run.record.about)}, **run.specs}


def may_act(tool: str, specs: Mapping[str, ToolSpec]) -> bool:
    """Return whether a call of the tool may change the world: nobody declared that it does not."""
    spec = specs.get(tool)
    return spec is None or spec.effects is not False


def request_key(turn: Turn, specs: Mapping[str, ToolSpec]) -> tuple[str, str]:
    """Return a key that is equal for two calls that request the same of one tool."""
    return equality_key(turn.call, specs.get(turn.call.tool))


def came_after(first: Turn, second: Turn) -> bool:
    """Return whether the second call, which is later in the record, was made when the first one was over."""
    same = (second.of or second.call.id) == (first.of or first.call.id)
    return same or second.began > first.over


def outcomes_seen(run: RunEvidence) -> dict[str, Outcome | None]:
    """The outcomes that the agent was shown in the end, by the id of their call; None where it no longer waited."""
    return {
        event.call: None if event.outcome is None else outcome_from(event.outcome)
        for event in run.events
        if isinstance(event, OutcomeShown)
    }


def call_times(run: RunEvidence) -> dict[str, tuple[float, float]]:
    """The start and the end of each call, and of each attempt that recovery made, in seconds of the episode."""
    began: dict[str, float] = {}
    over: dict[str, float] = {}
    for event in run.events:
        if isinstance(event, ToolCalled):
            began.setdefault(event.call, event.at)
        elif isinstance(event, LayerActionTaken) and event.attempt is not None:
            began.setdefault(event.attempt, event.at if event.began is None else event.began)
            over[event.attempt] = event.at
        elif isinstance(event, OutcomeShown):
            over.setdefault(event.call, event.at)
    return {id: (at, over.get(id, at)) for id, at in began.items()}


def failure_in(outcome: Outcome | None) -> Failure | None:
    """The failure that an outcome is, or that its data tells; None for an answer.

    Data tells a failure as an object whose `error` is not empty, or that says `isError`, or as a text that begins with
    the word error. Nothing at all (None: the caller had given up) counts as a timeout.
    """
    if outcome is None:
        return Failure("the caller had given up", type="Timeout", status=408)
    if isinstance(outcome, Failure):
        return outcome
    return _stated_failure(outcome.value)


def _stated_failure(value: Any) -> Failure | None:
    if isinstance(value, str):
        data = parsed_json(value)
        if isinstance(data, Mapping):
            return _stated_failure(data)
        # Signs of Markdown and HTML may stand before the word: `**Error:** ...`, `<error>`.
        return Failure(value) if value.lstrip(" *#<").casefold().startswith(WORDS) else None
    if not isinstance(value, Mapping):
        return None
    error = next((value[name] for name in ERRORS if value.get(name)), None)
    # A body may be an answer that mentions an error; MCP's and Anthropic's marks say that it is one.
    if error is None and value.get("isError") is not True and value.get("is_error") is not True:
        return None
    status = next((one for one in _statuses(value, error) if isinstance(one, int) and 400 <= one <= 599), None)
    retry = error.get("retry_after") if isinstance(error, Mapping) else value.get("retry_after")
    kind = str(error.get("type") or "ToolError") if isinstance(error, Mapping) else "ToolError"
    seconds = float(retry) if isinstance(retry, (int, float)) and not isinstance(retry, bool) else None
    return Failure(str(error or value), type=kind, status=status, retry_after=seconds)


def _statuses(value: Mapping[str, Any], error: Any) -> list[Any]:
    holders = [one for one in (error, value) if isinstance(one, Mapping)]
    return [holder.get(name) for holder in holders for name in ("status", "code", "status_code")]


def parsed_json(text: str) -> Any:
    """The object or list that a text is in JSON; None where it is none."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def answered(outcome: Outcome | None) -> bool:
    """Return whether an outcome is an answer: a value that tells no failure."""
    return isinstance(outcome, Value) and failure_in(outcome) is None


def named_call(turn: Turn) -> str:
    """A call as a sentence names it: `call-2: pay(to="Bob")`, and who made it where recovery did."""
    given = ", ".join(
        f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in turn.call.arguments.items()
    )
    given = given if len(given) <= LONGEST else f"{given[: LONGEST - 3]}..."
    by = f", which recovery made ({turn.by})" if turn.by else ""
    return f"{turn.call.id}: {turn.call.tool}({given}){by}"


def failure_text(failure: Failure) -> str:
    """A failure in a few words."""
    text = f"{failure.status} {failure.message}" if failure.status else failure.message
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
