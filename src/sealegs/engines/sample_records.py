"""The records of Inspect's samples, with what Inspect says of each: a failure outside the agent, and what was used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sealegs.engines.run_usage import RunUsage
from sealegs.faults.user_error import one_line
from sealegs.traces import EpisodeEnded, EpisodeStarted, Event
from sealegs.traces.inspect_logs import sample_events
from sealegs.traces.record import OUTSIDE, USAGE

RECORD_FIELDS = ("id", "epoch", "metadata", "model_usage", "working_time")  # of a sample, besides its own record
Unrecorded = Callable[[Mapping[str, Any], Mapping[str, Any], Path], list[Event]]


def sample_record(
    sample: Mapping[str, Any], started: Mapping[str, Any], file: Path, unrecorded: Unrecorded
) -> list[Event]:
    """The record of a sample, with a note of what failed before its agent began or after it had ended.

    Args:
        sample: as Inspect writes it.
        started: what its log says of the whole run.
        file: the log.
        unrecorded: gives the record of a sample that broke down before it could leave any.
    """
    error = one_line(str((sample.get("error") or {}).get("message") or ""))
    events = sample_events(sample)
    if not events:
        cause = f"the sample ended before its agent began: {error or 'no record'}"
        return with_outside(unrecorded(sample, started, file), cause)
    events = _with_usage(events, sample)
    # A crash of the agent is a result, and Inspect reports it as an error of the sample, too.
    if error and isinstance(events[-1], EpisodeEnded) and events[-1].reason != "crashed":
        return with_outside(events, f"the sample failed after its agent had ended: {error}")
    return events


def with_outside(events: Sequence[Event], cause: str) -> list[Event]:
    """The events of an episode that this cause, which is neither agent nor tools, makes invalid."""
    return _noted(events, {OUTSIDE: cause})


def _with_usage(events: Sequence[Event], sample: Mapping[str, Any]) -> list[Event]:
    """The events with what all models of the sample used: tokens, seconds and, where prices are known, dollars."""
    used = RunUsage.of(sample.get("model_usage") or {})
    usage: dict[str, float] = {name: value for name, value in used._asdict().items() if value}
    if usage and (seconds := sample.get("working_time")):  # of a model: what a scripted agent needs says nothing
        usage["seconds"] = seconds
    return _noted(events, {USAGE: usage} if usage else {})


def _noted(events: Sequence[Event], facts: Mapping[str, Any]) -> list[Event]:
    first, *rest = events
    assert isinstance(first, EpisodeStarted)
    return [replace(first, about={**first.about, **facts}), *rest]
