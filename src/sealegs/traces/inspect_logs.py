"""Records in the logs that Inspect writes (`*.eval`), read from the zip that such a log is.

Inspect's own reader takes thirty times as long, and need not be installed. Inspect's logs in JSON are not read, nor the
tool calls of evaluations that are not ours.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as json_shape

from sealegs.traces.events import EpisodeEnded, Event, decode_event
from sealegs.traces.store import StoreError

RECORD_NOTE = "sealegs record"  # the source of the note in which a sample keeps its record
SUFFIX = ".eval"
BUDGET_NOTE = "sealegs budget"  # the source of the note in a sample that was not begun, because the budget is spent

EVENT_FIELDS = ("event", "source", "data")  # of what a record and the state of its sample are read from
SAMPLE_FIELDS = ("error", "limit", "attachments")  # the same of a sample, besides its events


def samples(
    file: Path, warnings: list[str], *, interrupted: bool = False, fields: tuple[str, ...] | None = None
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Each sample of a log, without those that were interrupted, and what the log says of the whole run.

    Args:
        file: the log; of one that was cut off, what is whole is read.
        warnings: a list that gets a sentence where something had to be left out.
        interrupted: whether interrupted samples are wanted too.
        fields: those that are wanted of a sample besides its record; whole samples if left out. An eval's state may be
            most of a log, and to make objects of it most of the time.

    Raises:
        StoreError: the log cannot be read.
    """
    try:
        started: dict[str, Any] = {}
        for name, content in log_entries(file, warnings):
            # It comes first in a log, so that every sample has it beside it.
            if name == "_journal/start.json":
                started = json.loads(content)["eval"]
            elif name.startswith("samples/") and name.endswith(".json"):
                sample = json.loads(content) if fields is None else _part_of(content, fields)
                if interrupted or not _interrupted(sample):
                    yield sample, started
    except (json.JSONDecodeError, KeyError) as error:
        raise StoreError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error


def _part_of(content: bytes, fields: tuple[str, ...]) -> dict[str, Any]:
    """The record of a sample and these fields, perhaps with more."""
    try:
        found: dict[str, Any] = _reader_of(fields).validate_json(content)
    except ValidationError:
        # Half a surrogate pair, say, which Python's own reader takes; of what is no JSON at all it says so.
        found = json.loads(content)
    return found


@cache
def _reader_of(fields: tuple[str, ...]) -> SchemaValidator:
    """The reader that makes objects of some fields alone."""
    event = json_shape.typed_dict_schema(_optional(EVENT_FIELDS))
    events = json_shape.typed_dict_field(json_shape.list_schema(event), required=False)
    return SchemaValidator(json_shape.typed_dict_schema({**_optional((*SAMPLE_FIELDS, *fields)), "events": events}))


def _optional(names: Iterable[str]) -> dict[str, json_shape.TypedDictField]:
    return {name: json_shape.typed_dict_field(json_shape.any_schema(), required=False) for name in names}


def samples_planned(started: Mapping[str, Any]) -> int:
    """The number of samples that a log was begun for, from its notes on the whole run; 0 if they do not say."""
    data, config = started.get("dataset", {}), started.get("config", {})
    return len(data.get("sample_ids") or ()) * int(config.get("epochs") or 1)


def sample_events(sample: Mapping[str, Any]) -> list[Event] | None:
    """The events of a sample's record; None where it left none."""
    attachments = sample.get("attachments", {})
    for event in reversed(sample.get("events", [])):
        if event.get("event") == "info" and event.get("source") == RECORD_NOTE:
            return noted_events(_resolved(event["data"], attachments))
    return None


def noted_events(data: Any) -> list[Event]:
    """The events of a record's note: a list of them as data, or a text with one in each line.

    Args:
        data: of the note.

    Raises:
        ValueError: it holds something else.
    """
    items = [json.loads(line) for line in data.split("\n")] if isinstance(data, str) else data
    return with_end([decode_event(item) for item in items])


def with_end(events: list[Event]) -> list[Event]:
    """The events with an end: Inspect's time limits cancel an episode before it can note its own."""
    if events and isinstance(events[-1], EpisodeEnded):
        return events
    return [*events, EpisodeEnded("limit", "cut off by Inspect")]


def log_entries(file: Path, warnings: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of what a log holds; of one that was cut off, what is whole.

    Args:
        file: the log.
        warnings: a list that gets a sentence where something had to be left out.

    Raises:
        StoreError: the log cannot be read.
    """
    try:
        from sealegs.traces import salvage
    except ImportError as error:
        raise StoreError(f'{file} is an Inspect log, and reading it needs: pip install "sealegs[report]"') from error
    try:
        with zipfile.ZipFile(file) as archive, file.open("rb") as data:
            # A name that was written twice counts by its last entry.
            for entry in {one.filename: one for one in archive.infolist()}.values():
                yield entry.filename, salvage.read_entry(data, entry)
    except zipfile.BadZipFile as error:
        saved = list(salvage.entries(file))
        if not saved:
            raise StoreError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error
        warnings.append(f"{file.name} was cut off while it was written; what is whole in it is read")
        yield from saved
    except OSError as error:
        raise StoreError(f"{file} cannot be read ({error.strerror}); name another file") from error


def _interrupted(sample: Mapping[str, Any]) -> bool:
    """Return whether the run was stopped before the sample began or while it was under way: it is not finished."""
    message = str((sample.get("error") or {}).get("message", ""))
    if message and any(event.get("source") == BUDGET_NOTE for event in sample.get("events", [])):
        return True
    return sample.get("limit") is None and message.lstrip().startswith("CancelledError")


def _resolved(data: Any, attachments: Mapping[str, str]) -> Any:
    """JSON with Inspect's references to long texts put back."""
    if isinstance(data, str) and data.startswith("attachment://"):
        return attachments.get(data.removeprefix("attachment://"), data)
    if isinstance(data, list):
        return [_resolved(item, attachments) for item in data]
    if isinstance(data, dict):
        return {key: _resolved(value, attachments) for key, value in data.items()}
    return data
