"""Records in the logs that Inspect writes (`*.eval`), read from the zip that such a log is.

Inspect's own reader takes thirty times as long, and need not be installed. Inspect's logs in JSON are not read, nor the
tool calls of evaluations that are not ours.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pydantic_core import SchemaValidator, ValidationError
from pydantic_core import core_schema as json_shape

from sealegs.traces.events import EpisodeEnded, Event, decode_event
from sealegs.traces.store import StoreError

RECORD_NOTE = "sealegs record"  # the source of the note in which a sample keeps its record
SUFFIX = ".eval"
START = "_journal/start.json"  # the entry that says what the whole run is
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
    for _, sample, started in placed_samples(file, warnings, interrupted=interrupted, fields=fields):
        yield sample, started


def placed_samples(
    file: Path,
    warnings: list[str],
    after: int = 0,
    *,
    interrupted: bool = False,
    fields: tuple[str, ...] | None = None,
) -> Iterator[tuple[int, Mapping[str, Any], Mapping[str, Any]]]:
    """Each sample of a log with its number, counted from 1 and over interrupted ones too; see `samples`.

    Args:
        file, warnings, interrupted, fields: as for `samples`.
        after: the number of the sample after which to begin. Those up to it are not read.

    Raises:
        StoreError: the log cannot be read.
    """
    try:
        started: dict[str, Any] = {}
        number = 0

        def wanted(name: str) -> bool:
            nonlocal number
            number += _holds_sample(name)
            return number > after if _holds_sample(name) else name == START

        for name, content in log_entries(file, warnings, wanted):
            # It comes first in a log, so that every sample has it beside it.
            if name == START:
                started = json.loads(content)["eval"]
                continue
            sample = json.loads(content) if fields is None else _part_of(content, fields)
            if interrupted or not _interrupted(sample):
                yield number, sample, started
    except (json.JSONDecodeError, KeyError) as error:
        raise StoreError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error


def sample_after(file: Path, number: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The sample of a whole log that `placed_samples` gives first after this number, and what the log says of the run.

    Raises:
        StoreError: the log cannot be read, or there is none.
    """
    from sealegs.traces import salvage

    try:
        state = file.stat()
        started, entries = _directory(file, state.st_mtime_ns, state.st_size)
        with file.open("rb") as data:
            for entry in entries[number:]:
                sample = json.loads(salvage.read_entry(data, entry))
                if not _interrupted(sample):
                    return sample, started
    except (OSError, zipfile.BadZipFile, ValueError, KeyError) as error:
        raise StoreError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error
    raise StoreError(f"{file} holds no sample after {number}; restore it or delete it")


@lru_cache(maxsize=1)  # many samples of one log are wanted, one after the other
def _directory(file: Path, _changed: int, _size: int) -> tuple[Mapping[str, Any], list[zipfile.ZipInfo]]:
    """Read the note of a log on the whole run, and the entries of its samples."""
    from sealegs.traces import salvage

    with zipfile.ZipFile(file) as archive, file.open("rb") as data:
        entries = {one.filename: one for one in archive.infolist()}
        started = json.loads(salvage.read_entry(data, entries[START]))["eval"]
    return started, [entry for name, entry in entries.items() if _holds_sample(name)]


def _holds_sample(name: str) -> bool:
    return name.startswith("samples/") and name.endswith(".json")


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


def log_entries(
    file: Path, warnings: list[str], wanted: Callable[[str], bool] = lambda _: True
) -> Iterator[tuple[str, bytes]]:
    """Name and content of what a log holds; of one that was cut off, what is whole.

    Args:
        file: the log.
        warnings: a list that gets a sentence where something had to be left out.
        wanted: asked once for each name, in their order; what it does not want is not read.

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
                if wanted(entry.filename):
                    yield entry.filename, salvage.read_entry(data, entry)
    except zipfile.BadZipFile as error:
        saved = list(salvage.entries(file))
        if not saved:
            raise StoreError(f"{file} is not a readable Inspect log ({error}); restore it or delete it") from error
        warnings.append(f"{file.name} was cut off while it was written; what is whole in it is read")
        yield from (one for one in saved if wanted(one[0]))
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
