"""What a framework's own marks say of a tool: MCP's hints, wherever a framework keeps them, and ours in its metadata.

Read are `readOnlyHint`, `destructiveHint` and `idempotentHint` (or in small letters with underscores), and under their
own names `effects`, `idempotent`, `key`, `shown_by` and `statuses`. Where nothing is said, nothing is concluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.faults.spec import ToolSpec

HINTS = {
    "readOnlyHint": "read_only_hint",
    "destructiveHint": "destructive_hint",
    "idempotentHint": "idempotent_hint",
}
INSIDE = ("annotations", __name__.partition(".")[0])  # where a framework's metadata may hold them: under our name


def spec_from_marks(name: str, *places: Any) -> ToolSpec | None:
    """What a tool is marked with; None where it is marked with nothing.

    Args:
        name: the tool's name.
        places: where marks may stand: mappings, objects with attributes, or None.
    """
    marks: dict[str, Any] = {}
    for place in places:
        marks |= dict(_marks(place))
        for inner in INSIDE:
            marks |= dict(_marks(_said(place, inner)))
    if not marks:
        return None
    return ToolSpec(
        name,
        effects=_effects(marks),
        idempotent=marks.get("idempotent") is True or marks.get("idempotentHint") is True,
        key=str(marks.get("key") or ""),
        shown_by=str(marks.get("shown_by") or ""),
        statuses="own" if marks.get("statuses") == "own" else "",
    )


def _effects(marks: Mapping[str, Any]) -> bool | None:
    if isinstance(marks.get("effects"), bool):
        return bool(marks["effects"])
    if marks.get("readOnlyHint") is True:
        return False
    return True if any(hint in marks for hint in HINTS) else None


def _marks(place: Any) -> Iterator[tuple[str, Any]]:
    """The marks that stand in one place, by their names."""
    own = ("effects", "idempotent", "key", "shown_by", "statuses") if isinstance(place, Mapping) else ()
    for name in (*HINTS, *own):
        value = _said(place, name)
        if value is None and name in HINTS:
            value = _said(place, HINTS[name])
        if isinstance(value, (bool, str)):
            yield name, value


def _said(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
