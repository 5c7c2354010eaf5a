"""Whether a task is made of the same tools as one before it: by the Jaccard index of their tool sets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable


class Seen:
    """The tool sets so far, found by the tools that they hold."""

    def __init__(self, sets: Iterable[tuple[str, frozenset[str]]] = ()) -> None:
        self._sets: dict[str, frozenset[str]] = {}
        self._holders: dict[str, list[str]] = defaultdict(list)
        for name, tools in sets:
            self.add(name, tools)

    def __contains__(self, name: object) -> bool:
        return name in self._sets

    def add(self, name: str, tools: frozenset[str]) -> None:
        """One more set."""
        self._sets[name] = tools
        for tool in tools:
            self._holders[tool].append(name)

    def nearest(self, tools: frozenset[str]) -> tuple[float, str]:
        """The highest index with any set so far, and that set's name; 0 and nothing where none shares a tool."""
        shared = Counter(name for tool in tools for name in self._holders.get(tool, ()))
        size = len(tools)
        return max(
            ((both / (size + len(self._sets[name]) - both), name) for name, both in shared.items()),
            default=(0.0, ""),
        )
