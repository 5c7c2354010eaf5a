"""Changes that a fault made: the tool's answer beside the one that the agent was shown, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sealegs.faults import paths
from sealegs.faults.call import Outcome, Value, render

ABSENT = "(absent)"


@dataclass(frozen=True, slots=True)
class Change:
    """One field: its path, and its value before and after as JSON."""

    field: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Two outcomes compared.

    Attributes:
        fields: the fields that differ, where both outcomes are JSON objects or lists.
        same: how many fields are alike.
        before, after: the outcomes as texts, where they cannot be compared field by field.
    """

    fields: tuple[Change, ...] = ()
    same: int = 0
    before: str = ""
    after: str = ""


def outcome_changes(returned: Outcome | None, shown: Outcome | None) -> Changes:
    """The changes from the returned outcome (None: the tool did not run) to the shown one (None: nothing was shown)."""
    if (
        isinstance(returned, Value)
        and isinstance(shown, Value)
        and _structured(returned.value)
        and _structured(shown.value)
    ):
        return _by_field(dict(paths.leaves(returned.value)), dict(paths.leaves(shown.value)))
    before = "the tool did not run" if returned is None else render(returned)
    return Changes(before=before, after="nothing came back" if shown is None else render(shown))


def _structured(value: Any) -> bool:
    return isinstance(value, (Mapping, list, tuple))


def _by_field(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    names = list(dict.fromkeys([*before, *after]))
    found = [Change(name, _json(before, name), _json(after, name)) for name in names]
    different = tuple(change for change in found if change.before != change.after)
    return Changes(different, len(found) - len(different))


def _json(fields: Mapping[str, Any], name: str) -> str:
    return json.dumps(fields[name], ensure_ascii=False, default=str) if name in fields else ABSENT
