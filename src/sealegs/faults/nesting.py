"""The limit on nesting: data that is deeper than any of ours is refused where it comes in, before anything walks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DEEPEST = 200  # levels; Python itself gives up near a thousand calls


def exceeds_depth(data: Any, deepest: int = DEEPEST) -> bool:
    """Return whether lists and objects stand in one another over more levels than that."""
    # Level by level and not by recursion, which would itself run out of stack on what this is to refuse.
    level = [data]
    for _ in range(deepest):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, Mapping):
                inner.extend(value for value in one.values() if isinstance(value, (Mapping, list, tuple)))
            elif isinstance(one, (list, tuple)):
                inner.extend(value for value in one if isinstance(value, (Mapping, list, tuple)))
        if not inner:
            return False
        level = inner
    return True
