"""Skiff, the smallest framework of agents: a model is a function, and says which tools to call until it calls none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Model = Callable[[str, Mapping[str, str]], Sequence[tuple[str, str, Mapping[str, Any]]]]


@dataclass(frozen=True)
class Tool:
    """A function with a name and a description."""

    name: str
    description: str
    run: Callable[..., Any]


def sail(model: Model, tools: Sequence[Tool]) -> None:
    """Run an agent to its end; what a tool raises is shown to the model."""
    by_name = {tool.name: tool for tool in tools}
    descriptions = "\n".join(f"{tool.name}: {tool.description}" for tool in tools)
    results: dict[str, str] = {}
    while calls := model("\n".join([descriptions, *results.values()]), results):
        for id, name, arguments in calls:
            try:
                results[id] = str(by_name[name].run(**arguments))
            except Exception as error:
                results[id] = f"Error: {type(error).__name__}: {error}"
