"""Records of other processes of one run, entered into the run's own record."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces import Event, Recorder
from sealegs.traces.environment_names import FAILED, LIVE
from sealegs.traces.events import EpisodeEnded, EpisodeStarted, FactsNoted
from sealegs.traces.specs import TOOLS
from sealegs.traces.store import read_events


def enter_foreign_records(folder: Path, recorder: Recorder) -> None:
    """Enter what the processes of a run have recorded, each whole or, where it was killed, as far as it came.

    Raises:
        UserError: one of them could not write its record, so nobody knows what it did.
    """
    if any(folder.glob(f"*{FAILED}")):
        raise UserError(
            f"the record of a process of the agent could not be written below {folder.parent.parent}; make room there, "
            "or name another place for temporary files (TMPDIR)"
        )
    whole = {file.with_suffix(LIVE): file for file in folder.glob("*.jsonl") if file.stat().st_size}
    files = [whole.get(live, live) for live in sorted(folder.glob(f"*{LIVE}"))]
    for number, file in enumerate(files, 1):
        enter_foreign_events(read_events(file, []), recorder, f"p{number}." if len(files) > 1 else "")


def enter_foreign_events(events: Iterable[Event], recorder: Recorder, prefix: str = "") -> None:
    """Enter the events of an episode that was recorded elsewhere; `prefix` keeps its calls apart from others'."""
    tools: list[Any] = []
    for event in events:
        if isinstance(event, EpisodeStarted):
            noted = event.about.get(TOOLS)
            tools += noted if isinstance(noted, list) else []
        elif isinstance(event, FactsNoted):
            noted = event.facts.get(TOOLS)
            tools += noted if isinstance(noted, list) else []
        # The run has a start and an end of its own, so of theirs only the tools are taken over.
        elif not isinstance(event, EpisodeEnded):
            recorder.add(_prefixed(event, prefix))
    if tools:
        first = recorder.events[0]
        before = first.about.get(TOOLS, []) if isinstance(first, EpisodeStarted) else []
        recorder.note({TOOLS: _each_once([*before, *tools])})


def _prefixed(event: Event, prefix: str) -> Event:
    """The event with its call's id, and that of an attempt, behind the prefix."""
    named = {field.name for field in fields(event)}
    ids = {name: getattr(event, name) for name in ("id", "call", "attempt") if name in named}
    changed: dict[str, Any] = {name: f"{prefix}{id}" for name, id in ids.items() if isinstance(id, str) and prefix}
    return replace(event, **changed) if changed else event


def _each_once(tools: list[Any]) -> list[Any]:
    return list({json.dumps(tool, sort_keys=True): tool for tool in tools}.values())
