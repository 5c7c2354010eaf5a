"""Causes of failures, inferred from a signature by rules: the first cause whose marks are there.

The causes, their rules and their classes are data (`data/causes.yaml`): statuses that say it whatever the words, names
of errors and words of the message, and statuses that say it where no words do. They are finer than the seven classes of
`classes`, because what helps depends on them. What no rule covers is left to the nearest exemplar.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

from sealegs.recovery.signature import Signature

By = Literal["status", "words", "answer"]
GENERIC = frozenset(
    {"", "Error", "Exception", "ToolError", "HTTPError", "HTTPStatusError", "APIError", "APIStatusError"}
)


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that can be wrong.

    Attributes:
        name: as exemplars and labels name it.
        meaning: in words.
        failure_class: its class by the published assignment, or of the published failure that is nearest to it.
        like: that failure.
        ours: the class by the meaning of the classes.
        because: why `ours` differs; empty where it does not.
        sure: statuses that say it whatever the words.
        likely: statuses that say it where no words say otherwise.
        types: names of errors.
        words: what is looked for in type and message.
        checked: it is found by a check of the call, so what helps is a different call.
        wide: it covers so much that the cause alone does not decide which exemplar helps.
    """

    name: str
    meaning: str
    failure_class: str
    like: str
    ours: str
    because: str
    sure: frozenset[int]
    likely: frozenset[int]
    types: re.Pattern[str] | None
    words: re.Pattern[str] | None
    checked: bool = False
    wide: bool = False

    def indicated_by(self, type: str, text: str) -> bool:
        """Return whether an error's name or words indicate it."""
        if self.types is not None and self.types.fullmatch(type):
            return True
        return self.words is not None and self.words.search(text) is not None


def cause(signature: Signature) -> tuple[Cause, By] | None:
    """The cause by the rules, and what it was inferred from; None where they are silent."""
    known = causes()
    if signature.silent:
        name = _of_answer(signature)
        return (known[name], "answer") if name else None
    sure, likely = _by_status()
    status = signature.status
    if status is not None and status in sure:
        return sure[status], "status"
    name = error_basename(signature.type)
    # A name that many errors share says nothing, and could indicate a cause by a word that it happens to hold.
    text = f"{name} {signature.message}" if name not in GENERIC else signature.message
    # In the order of the file, where causes that cover much come late: the first that fits counts.
    for one in known.values():
        if one.indicated_by(name, text):
            return one, "words"
    # A status that servers use for several things decides only where no words do.
    return (likely[status], "status") if status is not None and status in likely else None


def error_basename(type: str) -> str:
    """An error's name without its module."""
    return re.split(r"[./#:]", type.strip())[-1]


@cache
def causes() -> Mapping[str, Cause]:
    """All causes by name, in the order in which they are looked for."""
    return {entry["cause"]: _cause(entry) for entry in read_shipped_yaml("causes.yaml")}


def read_shipped_yaml(name: str) -> Any:
    """The data of a YAML file of this room."""
    import yaml

    text = resources.files("sealegs.recovery").joinpath("data", name).read_text(encoding="utf-8")
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _of_answer(signature: Signature) -> str:
    """The cause of an answer that came as data and is wrong; empty where no rule names one."""
    if any("not an object" in reason for reason in signature.schema):
        return "malformed"
    if signature.message.startswith("partial:"):
        return "truncated"
    if signature.invariants:
        return "schema" if set(signature.invariants) <= {"missing_required_fields", "malformed"} else "wrong_answer"
    if signature.schema:
        return "schema"
    return "timeout" if signature.late is not None else ""


@cache
def _by_status() -> tuple[Mapping[int, Cause], Mapping[int, Cause]]:
    known = causes().values()
    return (
        {status: one for one in known for status in one.sure},
        {status: one for one in known for status in one.likely},
    )


def _cause(entry: Mapping[str, Any]) -> Cause:
    return Cause(
        name=entry["cause"],
        meaning=entry["meaning"],
        failure_class=entry["class"],
        like=entry["like"],
        ours=entry.get("ours", entry["class"]),
        because=entry.get("because", ""),
        sure=frozenset(entry.get("sure", ())),
        likely=frozenset(entry.get("likely", ())),
        types=re.compile(entry["types"]) if "types" in entry else None,
        words=re.compile(entry["words"], re.IGNORECASE) if "words" in entry else None,
        checked=entry.get("checked", False),
        wide=entry.get("wide", False),
    )
