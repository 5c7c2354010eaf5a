"""Traces from files: our own records (JSONL), the records in Inspect's logs, or OpenTelemetry's spans in OTLP JSON.

What is in them distinguishes them. An OTLP file is one export, a list of them, or one a line, as the collector's
file exporter writes it. The spans of one trace may be spread over lines and files.
"""

from __future__ import annotations

import difflib
import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sealegs.faults.user_error import UserError
from sealegs.traces import otlp
from sealegs.traces.compressed_blocks import CompressionError
from sealegs.traces.events import Event
from sealegs.traces.inspect_logs import SUFFIX, sample_events, samples
from sealegs.traces.observed import Trace, trace_from_events
from sealegs.traces.otlp import ToolSpan
from sealegs.traces.record_files import open_records
from sealegs.traces.redaction import redactor_for
from sealegs.traces.store import Store, StoreError, read_episodes, redacted_events

EXPORT = "resourceSpans"


class TraceError(UserError):
    """A file that holds no traces, or none that can be read; the message says which, why, and what to do."""


def read_traces(paths: Iterable[Path | str], warnings: list[str] | None = None) -> list[Trace]:
    """Every episode of these files that has a tool call in it.

    Args:
        paths: files.
        warnings: a list that gets a sentence for whatever is left out.

    Raises:
        TraceError: a file cannot be read, or there is no tool call in any.
    """
    notes = [] if warnings is None else warnings
    files = [Path(path) for path in paths]
    found: list[Trace] = []
    spans: list[ToolSpan] = []
    for path in files:
        if zipfile.is_zipfile(path) or path.suffix == SUFFIX:  # one that was cut off is not a zip
            found += _inspect_log(path, notes)
            continue
        data = _beginning(path)
        if isinstance(data, dict) and "type" in data:
            found += _records(path, notes)
        else:
            spans += _spans(path, notes, by_line=data is not None)
    found = [trace for trace in [*found, *otlp.traces_from_spans(spans)] if trace.calls]
    if not found:
        names = ", ".join(map(str, files)) or "no file"
        raise TraceError(
            f"there is no tool call in {names}; give records (*.jsonl, *.eval) or OTLP JSON with tool spans"
        )
    return found


def _beginning(path: Path) -> Any:
    """The first line's data; None where it is not JSON by itself, as in a file that is one text over many lines."""
    try:
        with open_records(path) as file:
            return json.loads(next((line for line in file if line.strip()), b"[]"))
    except CompressionError as error:
        raise TraceError(str(error)) from error
    except (ValueError, RecursionError):
        return None
    except OSError as error:
        raise TraceError(f"{path} cannot be read ({error.strerror}); give a file of records or of OTLP JSON") from error


def _records(path: Path, notes: list[str]) -> Iterator[Trace]:
    try:
        for events in read_episodes(path, notes):
            yield trace_from_events(events)
    except (StoreError, ValueError) as error:
        raise TraceError(str(error) if isinstance(error, StoreError) else f"{path}: {error}") from error


def _inspect_log(path: Path, notes: list[str]) -> Iterator[Trace]:
    """The episodes of a log of Inspect; a sample that left no record broke down before its first call."""
    strangers, redactor = 0, redactor_for(None)
    try:
        for sample, _ in samples(path, notes):
            events = sample_events(sample)
            if events is None:
                strangers += 1
            else:
                yield trace_from_events(redacted_events(events, redactor))
    except (StoreError, ValueError) as error:
        raise TraceError(str(error) if isinstance(error, StoreError) else f"{path}: {error}") from error
    if strangers:
        notes.append(f"{path.name}: {strangers} sample(s) hold no record of ours and are left out")


def _spans(path: Path, notes: list[str], by_line: bool) -> Iterator[ToolSpan]:
    for place, data in _lines(path, notes) if by_line else [("the file", _whole(path))]:
        for one in data if isinstance(data, list) else [data]:
            if not isinstance(one, dict) or EXPORT not in one:
                raise TraceError(f"{path}: {place} is neither a record's event nor an OTLP export ({EXPORT!r})")
            try:
                yield from otlp.spans(one)
            except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
                raise TraceError(
                    f"{path}: {place} is not OTLP JSON ({_describe_error(error)}); export it again"
                ) from error


def _describe_error(error: Exception) -> str:
    if isinstance(error, ValidationError):
        problem = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
    return f"{type(error).__name__}: {error}"


def _whole(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except UnicodeDecodeError as error:
        raise TraceError(f"{path} is not text (byte {error.start}); give OTLP in JSON, not in protobuf") from error
    except (ValueError, RecursionError) as error:
        raise TraceError(f"{path} is not JSON ({error}); give records or OTLP JSON") from error


def _lines(path: Path, notes: list[str]) -> Iterator[tuple[str, Any]]:
    """The data of each line; a last line that is cut off is left out."""
    with path.open("rb") as file:
        lines = ((number, line) for number, line in enumerate(file, 1) if line.strip())
        for number, line in lines:
            try:
                data = json.loads(line)
            except (ValueError, RecursionError) as error:
                if next(lines, None) is None:
                    notes.append(f"{path.name}: line {number}, the last, is damaged and is left out")
                    return
                raise TraceError(f"{path}: line {number} is not JSON ({error}); export it again") from error
            yield f"line {number}", data


def episodes_to_replay(path: Path, name: str = "", warnings: list[str] | None = None) -> list[Trace]:
    """The episodes of a file, or the one of this name.

    Raises:
        TraceError: there is none of this name, or the file did not keep what the tools returned.
    """
    found = read_traces([path], warnings)
    chosen = [trace for trace in found if not name or trace.name == name]
    if not chosen:
        names = [trace.name for trace in found]
        near = difflib.get_close_matches(name, names, n=1) or names[:5]
        raise TraceError(f"{path} has no episode {name!r}; it has {len(names)}, such as {', '.join(near)}")
    if not any(trace.kept for trace in chosen):
        raise TraceError(
            f"{path} does not hold the tools' arguments and answers, so nothing can be served again; "
            "have your instrumentation capture content (gen_ai.tool.call.arguments and gen_ai.tool.call.result)"
        )
    return chosen


def write_events(path: Path, episodes: Iterable[Iterable[Event]]) -> None:
    """Append finished episodes to a file of records.

    Raises:
        TraceError: it cannot be written.
    """
    try:
        store = Store(path)
        try:
            for events in episodes:
                store.append(events)
        finally:
            store.close()
    except (StoreError, OSError) as error:
        raise TraceError(f"cannot write {path} ({error}); name another file") from error
