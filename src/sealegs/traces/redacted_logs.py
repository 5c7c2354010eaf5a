"""Copies of Inspect's own logs without what looks like a secret, by the rules of records (`traces.redaction`).

Inspect writes tool arguments, answers and model calls into its logs as they are. Here every text of every entry is
searched, whatever wrote it. It leaves pictures and other media, secrets that look like any other text and are under no
name of a secret (a name that only a schema declares to be one counts in a tool's arguments and results alone), and what
Inspect keeps beside its logs (its traces, and its buffer of samples under way).
"""

from __future__ import annotations

import copy
import hashlib
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.traces.atomic_files import write_atomically
from sealegs.traces.inspect_logs import SUFFIX, log_entries
from sealegs.traces.redaction import OWNER_ONLY, Redactor, declared_secrets, redactor_for
from sealegs.traces.store import StoreError

REFERENCE = re.compile(r"attachment://([0-9a-f]{32})")
TOOL = ("function", "tool", "name")  # fields that name a tool beside what it was given
GIVEN = ("arguments", "result", "outcome")
PATCH = {"op", "path", "value"}  # fields of a change of JSON data (RFC 6902)
CHANGED = ("value", "replaced")  # what a change holds: what is there now, and in Inspect's own what was there before
EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time of every entry: equal logs give equal copies


def write_redacted_log(log: Path, out: Path) -> tuple[str, ...]:
    """Write a copy of a log without its secrets, by the key of the log's folder; only its owner may read it.

    Args:
        log: `NAME.eval`.
        out: the copy.

    Returns:
        what had to be left out, in sentences.

    Raises:
        UserError: the log is none, cannot be read, or is the copy itself; or redaction is switched off.
    """
    redactor = redactor_for(log.parent, kind=LogRedactor)
    if redactor is None:
        raise UserError("SEALEGS_REDACT is off, so nothing would be taken out; unset it")
    if log.suffix != SUFFIX:
        raise UserError(f"{log} is not a log in Inspect's own format; name one that ends in {SUFFIX}")
    # Links resolved: the log itself would be replaced, and what was taken out could not be had again.
    if out.resolve() == log.resolve():
        raise UserError(f"{out} is the log itself; name another file with --out")
    warnings: list[str] = []
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in log_entries(log, warnings):
                entry = zipfile.ZipInfo(redactor.redacted(name), EARLIEST)
                archive.writestr(entry, redactor.entry(content), zipfile.ZIP_DEFLATED)
    except StoreError as error:
        raise UserError(str(error)) from error
    write_atomically(out, packed.getvalue(), mode=OWNER_ONLY)
    return tuple(warnings)


class LogRedactor(Redactor):
    """Takes secrets out of the entries of a log. What describes tools keeps its names, so that Inspect can read it."""

    _declared: Mapping[str, frozenset[str]] = {}

    def entry(self, content: bytes) -> bytes:
        """An entry without its secrets. What its schemas declare to be secret is known from the whole of it.

        Raises:
            UserError: it is not JSON, so nothing says what its parts are.
        """
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise UserError(f"an entry of the log is not JSON ({error}); nothing was written") from error
        own = copy.copy(self)
        own._declared = _declared_in(data)
        found = own.redacted(data)
        if isinstance(data, dict) and isinstance(old := data.get("attachments"), dict):
            # A long text is under a digest of it that has no key. Where a secret was in it, guesses could be tried
            # against that, so the text gets a digest of what it is now.
            for key in _references(data) - _references(found):  # it was under a secret name somewhere
                found["attachments"][key] = own._whole(old.get(key, ""))
            new = {key: _digest(text) for key, text in found["attachments"].items() if text != old.get(key)}
            found = _moved(found, new)
            found["attachments"] = {new.get(key, key): text for key, text in found["attachments"].items()}
        return json.dumps(found, ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _fields(self, value: Mapping[str, Any], declared: frozenset[str]) -> dict[str, Any]:
        if value.get("type") == "object" and isinstance(value.get("properties"), Mapping):
            return dict(self.description(value))
        # A JSON Patch: the name of what it changes is in its path and not beside its value.
        if set(value) >= PATCH and isinstance(path := value["path"], str):
            changed = {name: self._under(path, value[name]) for name in CHANGED if name in value}
            return {**super()._fields(value, declared), **changed}
        found = super()._fields(value, declared)
        tool = next((value[name] for name in TOOL if isinstance(value.get(name), str)), "")
        plain = Redactor(self._mark, self._names)  # what tools are given and give may only look like a schema
        names = self._declared.get(tool, frozenset())
        return found | {name: plain.redacted(value[name], "", names) for name in GIVEN if tool and name in value}

    def _under(self, path: str, value: Any) -> Any:
        """The redacted value at a path of changed data: each name on the way may be that of a secret."""
        *above, last = path.split("/")
        value = self.redacted(value, last)
        for name in above:
            [value] = self.redacted([value], name)
        return value

    def _text(self, value: str) -> str:
        """A text; of one with JSON in each line, as the note of a record, every line by itself."""
        lines = value.split("\n")
        if len(lines) > 1 and all(line.startswith("{") for line in lines if line):
            return "\n".join(map(super()._text, lines))
        return super()._text(value)


def _declared_in(data: Any) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for tools in _described(data):
        for tool, names in declared_secrets(tools).items():
            found[tool] = found.get(tool, frozenset()) | names
    return found


def _described(data: Any) -> Iterator[list[Any]]:
    """Every list that describes tools."""
    if isinstance(data, Mapping):
        if isinstance(tools := data.get("tools"), list):
            yield tools
        for one in data.values():
            yield from _described(one)
    elif isinstance(data, list):
        for one in data:
            yield from _described(one)


def _references(entry: Mapping[str, Any]) -> Counter[str]:
    """The number of times that an entry refers to each of its long texts."""
    return Counter(REFERENCE.findall(json.dumps({key: one for key, one in entry.items() if key != "attachments"})))


def _digest(text: Any) -> str:
    return hashlib.sha256(str(text).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _moved(value: Any, new: Mapping[str, str]) -> Any:
    """The data with references to long texts under other digests."""
    if isinstance(value, str):
        return REFERENCE.sub(lambda found: f"attachment://{new.get(found[1], found[1])}", value)
    if isinstance(value, Mapping):
        return {key: _moved(one, new) for key, one in value.items()}
    return [_moved(one, new) for one in value] if isinstance(value, list) else value
