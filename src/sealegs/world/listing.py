"""Tools and groups in a few lines each, for people who write tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sealegs.faults.user_error import UserError
from sealegs.tasks.pattern import Pattern
from sealegs.world.corpus import Corpus
from sealegs.world.tool import DOMAINS, SimulatedTool


def corpus_lines(corpus: Corpus, domain: str = "") -> Iterator[str]:
    """Every tool, history tool and group, or those of a domain.

    Raises:
        UserError: there is no such domain.
    """
    if domain not in ("", *DOMAINS):
        raise UserError(f"unknown domain {domain!r}: choose from {', '.join(DOMAINS)}")
    for _, tool in (*sorted(corpus.tools.items()), *sorted(corpus.histories.items())):
        if domain in ("", tool.domain):
            yield from tool_lines(tool)
    for _, group in sorted(corpus.groups.items()):
        if domain in ("", corpus.tools[group.tools[0]].domain):
            yield from group_lines(group)


def tool_lines(tool: SimulatedTool) -> list[str]:
    """A tool's name, arguments, answer, description and first example."""
    required = tool.spec.parameters.get("required", ())
    given = [
        f"{name}: {_type(field)}" + ("" if name in required else f" = {field.get('default')!r}")
        for name, field in tool.spec.parameters.get("properties", {}).items()
    ]
    returned = [f"{name}: {_type(field)}" for name, field in tool.spec.returns.get("properties", {}).items()]
    return [
        f"{tool.name}({', '.join(given)})  [{tool.domain}, {tool.category}]",
        f"    -> {', '.join(returned)}",
        f"    {' '.join(tool.spec.description.split())}",
        *(f"    e.g. {dict(example)}" for example in tool.examples[:2]),
    ]


def group_lines(group: Pattern) -> list[str]:
    """A group's name, kind, inputs, exports, ways and first example."""
    return [
        f"group {group.name} [{group.kind}]: {', '.join(group.inputs)} -> {', '.join(group.exports)}",
        f"    {group.purpose}",
        *(f"    {way.id}: {' + '.join(way.calls)}" for way in group.ways),
        f"    e.g. {dict(group.examples[0])}",
    ]


def _type(field: Mapping[str, Any]) -> str:
    if "enum" in field:
        return "|".join(map(str, field["enum"]))
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"])
    return str(field.get("type", "object" if "$ref" in field else "any"))
