"""A part of the answer is missing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from sealegs.faults import paths
from sealegs.faults.fault import FaultSetting, Fraction, Rewrite


class Partial(Rewrite):
    """The tool runs; the agent sees its longest list cut short, or some of the top-level fields left out.

    Counts and totals stay as they were, so that a careful reader can tell.
    """

    implicit: ClassVar[bool] = True
    kind: Literal["partial"] = "partial"
    mode: Literal["list", "fields", "either"] = Field(
        default="either",
        description="list: cut the longest list; fields: leave out fields; either: the list where there is one.",
    )
    keep: Fraction = Field(default=0.5, description="Share of the items or fields that stays, rounded down.")

    def rewritten(self, value: Any, setting: FaultSetting) -> Any:
        """The answer with its end or some of its fields missing."""
        lists = [(path, items) for path, items in _lists(value) if items] if self.mode != "fields" else []
        if lists:
            path, items = max(lists, key=lambda found: len(found[1]))
            return paths.replace_values(value, path, lambda _: list(items[: self._kept(len(items))]))
        if self.mode != "list" and isinstance(value, Mapping) and len(value) > 1:
            return self._with_fewer_fields(value, setting.draw)
        return value

    def _with_fewer_fields(self, value: Mapping[str, Any], draw: random.Random) -> dict[str, Any]:
        kept = set(draw.sample(sorted(value), max(1, self._kept(len(value)))))
        return {key: item for key, item in value.items() if key in kept}

    def _kept(self, size: int) -> int:
        return min(size - 1, int(size * self.keep))


def _lists(value: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    """The lists of the answer with their paths; not the lists inside lists."""
    if isinstance(value, (list, tuple)):
        yield path, list(value)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _lists(item, f"{path}.{key}" if path else str(key))
