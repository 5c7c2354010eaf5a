"""How the ways of an alternative group are written: arguments from the group's inputs, exports from answers."""

from __future__ import annotations


def asked(*names: str, **renamed: str) -> dict[str, str]:
    """Arguments that are inputs of the pattern, under their own names or renamed."""
    return {name: f"in.{name}" for name in names} | {name: f"in.{source}" for name, source in renamed.items()}


def told(tool: str, *fields: str, **renamed: str) -> dict[str, str]:
    """Fields of a tool's answer, under their own names or renamed."""
    return {name: f"{tool}.{name}" for name in fields} | {name: f"{tool}.{path}" for name, path in renamed.items()}
