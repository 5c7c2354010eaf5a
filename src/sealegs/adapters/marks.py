"""Specs of tools from frameworks: arguments, MCP's hints wherever they are kept, and our marks in the metadata.

Read are `readOnlyHint`, `destructiveHint` and `idempotentHint` (or in small letters with underscores), and under their
own names `effects`, `idempotent`, `key`, `shown_by` and `statuses`. What is not declared stays unknown. The
arguments decide whether a tool takes an idempotency key, and when two calls ask for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.spec import ToolSpec

HINTS = {
    "readOnlyHint": "read_only_hint",
    "destructiveHint": "destructive_hint",
    "idempotentHint": "idempotent_hint",
}
INSIDE = ("annotations", __name__.partition(".")[0])  # where a framework's metadata may hold them: under our name


def spec_from_marks(name: str, *places: Any) -> ToolSpec | None:
    """The spec that a tool's marks make; None where it has no marks.

    Args:
        name: the tool's name.
        places: the places that may hold marks: mappings, objects with attributes, or None.
    """
    marks: dict[str, Any] = {}
    for place in places:
        marks |= dict(_marks(place))
        for inner in INSIDE:
            marks |= dict(_marks(_declared(place, inner)))
    if not marks:
        return None
    # Compared by `is True`: a mark may hold anything, such as the text `false`.
    return ToolSpec(
        name,
        effects=_effects(marks),
        idempotent=marks.get("idempotent") is True or marks.get("idempotentHint") is True,
        key=str(marks.get("key") or ""),
        shown_by=str(marks.get("shown_by") or ""),
        statuses="own" if marks.get("statuses") == "own" else "",
    )


def spec_from_tool(name: str, schema: Callable[[], Any], *places: Any) -> ToolSpec:
    """The spec of a framework's tool: its arguments, and its marks.

    Args:
        name: the tool's name.
        schema: gives the framework's description of the arguments; see `parameters_of`.
        places: the places that may hold marks; see `spec_from_marks`.
    """
    try:
        parameters = parameters_of(schema())
    except Exception:  # frameworks make schemas on demand, which may fail; the tool is used all the same
        parameters = {}
    return replace(spec_from_marks(name, *places) or ToolSpec(name), parameters=parameters)


def parameters_of(described: Any) -> Mapping[str, Any]:
    """The JSON Schema of a tool's arguments; empty where it is not known.

    Args:
        described: JSON Schema; a class of pydantic or a typed dictionary; or a mapping of the arguments' names to
            whatever describes them, of which the names alone are taken.
    """
    if isinstance(described, type):
        made = getattr(described, "model_json_schema", None)
        described = made() if made is not None else getattr(described, "__annotations__", None)
    if not isinstance(described, Mapping):
        return {}
    if isinstance(described.get("json"), Mapping) and len(described) == 1:  # Bedrock's form
        described = described["json"]
    if described.get("type") == "object" or isinstance(described.get("properties"), Mapping):
        return {"type": "object", "properties": {}, **described}
    return {"type": "object", "properties": {str(one): {} for one in described}}


def _effects(marks: Mapping[str, Any]) -> bool | None:
    if isinstance(marks.get("effects"), bool):
        return bool(marks["effects"])
    if marks.get("readOnlyHint") is True:
        return False
    return True if any(hint in marks for hint in HINTS) else None


def _marks(place: Any) -> Iterator[tuple[str, Any]]:
    """The marks that stand in one place, by their names."""
    # In mappings alone: an object may have an attribute `key` that means something else.
    own = ("effects", "idempotent", "key", "shown_by", "statuses") if isinstance(place, Mapping) else ()
    for name in (*HINTS, *own):
        value = _declared(place, name)
        if value is None and name in HINTS:
            value = _declared(place, HINTS[name])
        if isinstance(value, (bool, str)):
            yield name, value


def _declared(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)
