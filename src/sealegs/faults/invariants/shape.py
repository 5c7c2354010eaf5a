# ruff: noqa: D102 - the methods are documented in the base class
"""Invariants of the answers of every tool: required fields are there, and nothing internal shows."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

import jsonschema_rs

from sealegs.faults import paths
from sealegs.faults.invariants.invariant import Data, Invariant, touches

APART = "\0"
LEAK = re.compile(
    r"Traceback \(most recent call last\)"
    r"|\bSELECT\b[^\x00]+\bFROM\b"
    r"|\b(?:INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b"
    r"|https?://(?:[\w-]+\.)*(?:internal|local|svc|corp)\b"
    r"|\bat [\w.$]+\([\w]+\.java:\d+\)"
    r"|\b(?:psycopg2|sqlalchemy|java\.lang|botocore)\.\w+"
    r"|/(?:usr|var|opt|srv)/[\w./-]+\.(?:py|js|rb|log)\b",
)


def leaking(output: Any) -> str | None:
    """The path of the first text that shows the inside of the tool's server, if there is one."""
    if not LEAK.search(APART.join(paths.all_texts(output))):  # one search is cheaper than one for each text
        return None
    return next((path for path, value in paths.leaves(output) if isinstance(value, str) and LEAK.search(value)), None)


@dataclass(frozen=True, slots=True)
class NoLeak(Invariant):
    """No text of the answer shows an internal address, a stack trace or a database statement."""

    family: ClassVar[str] = "tool_leakage"

    def fields(self) -> tuple[str, ...]:
        return ()

    def holds(self, arguments: Data, output: Data) -> bool:
        return leaking(output) is None

    def says(self) -> str:
        return "the answer shows nothing of the tool's inside"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        """Puts one leak into every value in focus; without any, into one drawn text (or other value)."""
        leak = draw.choice(LEAKS).format(host=draw.randrange(2, 250), line=draw.randrange(20, 900))
        leaves = dict(paths.leaves(output))
        targets = [path for path in leaves if touches(path, focus)] if focus else []
        if not targets and leaves:
            texts = [path for path, value in leaves.items() if isinstance(value, str)]
            targets = [draw.choice(texts or list(leaves))]
        changed = output
        for path in targets:
            changed = paths.replace_values(changed, path, lambda _: leak)
        return self.first_false(arguments, output, [changed])


@dataclass(frozen=True)
class Present(Invariant):
    """Every field that the answer's schema requires is there, not null, and of its type; text is not empty."""

    family: ClassVar[str] = "missing_required_fields"
    schema: Mapping[str, Any]
    validator: jsonschema_rs.Validator = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "validator", _validator(json.dumps(self.schema)))

    def fields(self) -> tuple[str, ...]:
        return tuple(self.schema.get("required", ()))

    def holds(self, arguments: Data, output: Data) -> bool:
        return self.missing(output) is None

    def says(self) -> str:
        return "every required field is there and of its type"

    def broken(self, arguments: Data, output: Data, focus: Sequence[str], draw: random.Random) -> Data:
        """Empties what is in focus, else the required fields that touch it, else one drawn required field."""
        required = [name for name in self.fields() if paths.values_at(output, name)]
        targets = [list(focus), [name for name in required if touches(name, focus)]]
        if required:
            targets.append([draw.choice(required)])
        candidates = (_emptied(output, names, text) for names in targets for text in ("", None))
        return self.first_false(arguments, output, candidates)

    def missing(self, output: Data) -> str | None:
        """The first value that is missing or of another type, in a sentence; None where there is none."""
        if not self.validator.is_valid(output):  # which is much quicker than to look for errors
            error = next(iter(self.validator.iter_errors(output)))
            where = ".".join(map(str, error.instance_path)) or "the answer"
            return f"{where}: {error.message}"
        for name in self.fields():
            if "" in paths.values_at(output, name):
                return f"{name} is empty"
        return None


LEAKS = (
    'Traceback (most recent call last): File "/srv/app/handlers/query.py", line {line}, in fetch: KeyError',
    "psycopg2.errors.UndefinedTable: SELECT * FROM records_v2 WHERE id = %s (line {line})",
    "upstream http://10.4.0.{host}:8080 -> https://gateway.internal/v1/records line {line}",
    "java.lang.NullPointerException at com.acme.store.Record.load(Record.java:{line})",
)


def _emptied(output: Data, names: Iterable[str], text: str | None) -> Data:
    """The answer with every scalar under these paths empty: null, or `text` where it was text. All keys stay."""
    changed = output
    for name in names:
        changed = paths.replace_values(changed, name, lambda value: _empty(value, text))
    return changed


def _empty(value: Any, text: str | None) -> Any:
    if isinstance(value, Mapping):
        return {key: _empty(item, text) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_empty(item, text) for item in value]
    return text if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _validator(schema: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json.loads(schema))
