"""Rows of training data: conversations with tool calls, and marks on the messages that recover.

A row is TRL's conversational form: `messages` (system, user, assistant, tool) and `tools`. The messages of a corrective
segment are marked by `"recovery": true` on each, or by `recovery` on the row: indices of messages, or one truth value a
message. A message with `"train": false` is read and not learned: the assistant's own mistake, say. Lists may be
given as JSON text (Parquet has no other way to hold free objects). A row without marks has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sealegs.faults.problems import abbreviate
from sealegs.faults.user_error import UserError

ROLES = ("system", "user", "assistant", "tool")
ENDINGS = (".jsonl", ".parquet")


class BadRow(ValueError):
    """A row that cannot be trained on."""


@dataclass(frozen=True, slots=True)
class RowConversation:
    """The conversation that one row holds.

    Attributes:
        messages: as a chat template takes them; arguments of calls are objects.
        tools: their JSON Schemas.
        recovery: indices of the assistant's messages that recover.
        unlearned: indices of the assistant's messages that are not learned.
    """

    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...]
    recovery: frozenset[int]
    unlearned: frozenset[int] = frozenset()


def data_files(place: str, beginning: str = "train") -> tuple[Path, ...]:
    """The files that are meant: the one named, or those in a folder, or in `data` within it, whose names begin so.

    Raises:
        UserError: there is none.
    """
    path = Path(place)
    if path.is_dir():
        found = _within(path, beginning)
        if found:
            return found
        raise UserError(f"{place} holds no {beginning}*.jsonl and no {beginning}*.parquet; name a file of rows")
    if not path.is_file():
        raise UserError(f"there is no data at {place}; `sealegs data make` makes some")
    if path.suffix not in ENDINGS:
        raise UserError(f"{place}: rows are read from {' and '.join(ENDINGS)}; rename the file or convert it")
    return (path,)


def validation_folder(place: str) -> str | None:
    """The folder of data if it holds validation rows, otherwise None."""
    path = Path(place)
    return place if path.is_dir() and _within(path, "validation") else None


def _within(folder: Path, beginning: str) -> tuple[Path, ...]:
    """The files of a folder that begin so, or those of `data` within it, where `sealegs data make` puts them."""
    for place in (folder, folder / "data"):
        found = sorted(place.glob(f"{beginning}*")) if place.is_dir() else []
        if kept := tuple(file for file in found if file.suffix in ENDINGS):
            return kept
    return ()


def digest_files(files: Sequence[Path]) -> str:
    """One hash over the files' bytes."""
    found = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            found.update(hashlib.file_digest(stream, "sha256").digest())
    return found.hexdigest()


def read_row_texts(files: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Each row as JSON text, with its place; never all in memory.

    Raises:
        UserError: a file cannot be read.
    """
    for file in files:
        if file.suffix == ".jsonl":
            yield from _lines(file)
        else:
            yield from _parquet(file)


def _lines(file: Path) -> Iterator[tuple[str, str]]:
    try:
        with file.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield f"{file.name}:{number}", line
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from error


def _parquet(file: Path) -> Iterator[tuple[str, str]]:
    import pyarrow
    import pyarrow.parquet

    number = 0
    try:
        for batch in pyarrow.parquet.ParquetFile(file).iter_batches(256):
            for row in batch.to_pylist():
                number += 1
                yield f"{file.name}:{number}", json.dumps(row, default=str)
    except pyarrow.ArrowInvalid as error:
        raise UserError(f"{file} is not a Parquet file ({error}); write it again") from error


def parse_row(text: str) -> RowConversation:
    """The conversation of one row.

    Raises:
        BadRow: it has none; the message says why.
    """
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadRow(f"is not JSON ({_reason(error)})") from error
    if not isinstance(row, Mapping):
        raise BadRow(f"is not an object but {abbreviate(row)}")
    messages = _listed(row, "messages")
    if not messages:
        raise BadRow("has no `messages`")
    marks = _marks(row.get("recovery"), len(messages))
    read, left_out = [], set()
    for nth, message in enumerate(messages):
        if not isinstance(message, Mapping) or message.get("role") not in ROLES:
            raise BadRow(f"messages[{nth}] has no role among {', '.join(ROLES)}: {abbreviate(message)}")
        if message.get("recovery"):
            marks.add(nth)
        if not _trained(message, nth):
            left_out.add(nth)
        read.append(_message(message, nth))
    spoken = {nth for nth, message in enumerate(read) if message["role"] == "assistant"}
    if not spoken:
        raise BadRow("has no message of the assistant, so there is nothing to learn")
    if spoken <= left_out:
        raise BadRow('has "train": false in every message of the assistant, so there is nothing to learn')
    # Marks on messages of others are dropped: only those of the assistant are ever learned.
    tools, unlearned = tuple(_listed(row, "tools")), frozenset(left_out & spoken)
    return RowConversation(tuple(read), tools, frozenset(marks & spoken), unlearned)


def _trained(message: Mapping[str, Any], nth: int) -> bool:
    """Return whether a message is learned: it is, unless it says otherwise."""
    trained = message.get("train")
    if trained is not None and not isinstance(trained, bool):
        raise BadRow(f"messages[{nth}]: `train` is neither true nor false: {abbreviate(trained)}")
    return trained is not False


def _reason(error: Exception) -> str:
    """The reason why a text could not be read as JSON, without its place, which says little if the text is one line."""
    return error.msg if isinstance(error, json.JSONDecodeError) else str(error)


def _listed(row: Mapping[str, Any], field: str) -> list[Any]:
    found = row.get(field)
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError) as error:
            raise BadRow(f"`{field}` is text, but not JSON ({_reason(error)})") from error
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadRow(f"`{field}` is not a list but {abbreviate(found)}")
    return found


def _marks(marked: Any, count: int) -> set[int]:
    """The messages that `recovery` of a row names."""
    if isinstance(marked, str) and marked.startswith("["):
        marked = _listed({"recovery": marked}, "recovery")
    if not isinstance(marked, list):
        return set()
    # Before the numbers, since True is an int to Python: a truth value for each message, or the places of some.
    if marked and all(isinstance(mark, bool) for mark in marked):
        if len(marked) != count:
            raise BadRow(f"`recovery` has {len(marked)} truth values for {count} messages")
        return {nth for nth, mark in enumerate(marked) if mark}
    if not all(isinstance(mark, int) and 0 <= mark < count for mark in marked):
        raise BadRow(f"`recovery` names messages that are not there: {abbreviate(marked)} of {count}")
    return set(marked)


def _message(message: Mapping[str, Any], nth: int) -> dict[str, Any]:
    """A message as a template takes it: no empty fields, arguments as objects."""
    found = {"role": message["role"], "content": _content(message.get("content"))}
    calls = [_call(call, nth) for call in message.get("tool_calls") or ()]
    if calls:
        found["tool_calls"] = calls
    if message.get("name"):
        found["name"] = message["name"]
    return found


def _content(content: Any) -> str:
    if content is None:
        return ""
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _call(call: Any, nth: int) -> dict[str, Any]:
    function = call.get("function", call) if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not function.get("name"):
        raise BadRow(f"messages[{nth}] has a tool call without a name: {abbreviate(call)}")
    name, arguments = function["name"], function.get("arguments") or {}
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError) as error:
            raise BadRow(f"messages[{nth}]: arguments of {name} are text, but not JSON ({_reason(error)})") from error
    return {"type": "function", "function": {"name": name, "arguments": arguments}}
