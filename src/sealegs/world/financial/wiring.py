"""Short forms in which the groups of this domain are written down."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def given(*names: str, **renamed: str) -> dict[str, str]:
    """Arguments bound to the pattern's inputs: of the same name, or `argument=INPUT`."""
    return {name: f"in.{name}" for name in names} | {name: f"in.{source}" for name, source in renamed.items()}


def told(tool: str, *names: str, **renamed: str) -> dict[str, str]:
    """Exports read from a tool's answer: of the same name, or `export=FIELD`."""
    return {name: f"{tool}.{name}" for name in names} | {name: f"{tool}.{field}" for name, field in renamed.items()}


def rows(names: tuple[str, ...], *values: tuple[Any, ...]) -> tuple[Mapping[str, Any], ...]:
    """Examples of a pattern, one row of inputs each."""
    return tuple(dict(zip(names, row, strict=True)) for row in values)
