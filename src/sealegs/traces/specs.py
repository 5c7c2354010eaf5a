"""A record's facts about its tools: for the faults of a replay, where the tools themselves are absent.

A recorder may note tools under `tools` when the episode begins or ends, as JSON; what it cannot note are invariants,
which are code. The arguments of recorded calls serve as examples: the record knows the answers to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.spec import ToolSpec
from sealegs.traces.json_data import to_json_data, to_json_object
from sealegs.traces.observed import Trace
from sealegs.traces.redaction import SECRET

TOOLS = "tools"  # where `about` tells of the tools
DECLARED = "declared_effects"  # where a spec keeps what is noted of it
EXAMPLES = 16  # different arguments of a tool that are kept as examples


def spec_data(spec: ToolSpec) -> dict[str, Any]:
    """A tool as JSON, without its invariants."""
    return {
        "name": spec.name,
        "description": spec.description,
        "parameters": to_json_object(spec.parameters),
        "returns": to_json_object(spec.returns),
        "tags": sorted(spec.tags),
        "effects": spec.effects,
        "idempotent": spec.idempotent,
        "key": spec.key,
        "shown_by": spec.shown_by,
        "statuses": spec.statuses,
        "parts": spec.parts,
        "examples": to_json_data(spec.examples),
        "used": list(spec.used),
    }


def effects_data(spec: ToolSpec) -> dict[str, Any]:
    """A tool's declared effects, as JSON: enough to tell what was done twice, and which fields are secret."""
    more: dict[str, Any] = {"idempotent": True} if spec.idempotent else {}
    if spec.key:
        more["key"] = spec.key
    if spec.shown_by:
        more["shown_by"] = spec.shown_by
    if spec.statuses:
        more["statuses"] = spec.statuses
    properties = spec.parameters.get("properties")
    fields = properties if isinstance(properties, Mapping) else {}
    # Only the defaults are copied: every episode notes its tools, and the rest of a schema is large.
    defaults = {
        name: {"default": field["default"]}
        for name, field in fields.items()
        if isinstance(field, Mapping) and "default" in field
    }
    if defaults:  # spelled out or not, a default asks for the same
        key: dict[str, Any] = {spec.key: {}} if spec.key in fields else {}
        more["parameters"] = {"type": "object", "properties": {**key, **to_json_object(defaults)}}
    if spec.secrets:
        more[SECRET] = sorted(spec.secrets)
    return {"name": spec.name, "effects": spec.effects, **more}


def declared_effects(spec: ToolSpec) -> dict[str, Any]:
    """The same data, kept with the spec, since every episode notes its tools; nobody may change it."""
    kept = vars(spec)
    if DECLARED not in kept:
        kept[DECLARED] = to_json_object(effects_data(spec))
    found: dict[str, Any] = kept[DECLARED]
    return found


def noted_specs(about: Mapping[str, Any]) -> list[ToolSpec]:
    """The tools that a record describes where it begins."""
    declared = about.get(TOOLS)
    return [_spec(data) for data in declared if isinstance(data, Mapping)] if isinstance(declared, list) else []


def specs_of(trace: Trace, known: Iterable[ToolSpec] = ()) -> dict[str, ToolSpec]:
    """The specs of the tools that were called.

    Args:
        trace: the record.
        known: specs from elsewhere, which count before those that the record notes.

    Returns:
        By name. A tool that the record does not describe has its recorded arguments as examples, and may have effects.
    """
    specs = {spec.name: spec for spec in (*noted_specs(trace.about), *known)}
    called: dict[str, dict[str, Mapping[str, Any]]] = {}
    for call in trace.calls:
        if call.arguments is not None:
            different = called.setdefault(call.tool, {})
            if len(different) < EXAMPLES:
                different[json.dumps(to_json_data(call.arguments), sort_keys=True)] = call.arguments
    for tool, examples in called.items():
        spec = specs.get(tool) or ToolSpec(tool)
        specs[tool] = spec if spec.examples else replace(spec, examples=tuple(examples.values()))
    return specs


def _spec(data: Mapping[str, Any]) -> ToolSpec:
    """The tool that such JSON describes; anything of another form is left out."""

    def objects(value: Any) -> tuple[Mapping[str, Any], ...]:
        return tuple(item for item in value if isinstance(item, Mapping)) if isinstance(value, list) else ()

    def texts(value: Any) -> tuple[str, ...]:
        return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()

    return ToolSpec(
        name=str(data.get("name", "")),
        description=str(data.get("description", "")),
        parameters=next(iter(objects([data.get("parameters")])), {}),
        returns=next(iter(objects([data.get("returns")])), {}),
        tags=frozenset(texts(data.get("tags"))),
        effects=effects if isinstance(effects := data.get("effects"), bool) else None,
        idempotent=data.get("idempotent") is True,
        key=str(data.get("key", "")),
        shown_by=str(data.get("shown_by", "")),
        statuses="own" if data.get("statuses") == "own" else "",
        parts=parts if isinstance(parts := data.get("parts"), int) else 1,
        examples=objects(data.get("examples")),
        used=texts(data.get("used")),
    )
