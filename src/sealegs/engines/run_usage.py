"""The use of models in a run: tokens and, where prices are known, dollars."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sealegs.traces.inspect_logs import SUFFIX, samples


class RunUsage(NamedTuple):
    """The use of models: tokens, and dollars where prices are known."""

    tokens: int = 0
    cost: float = 0.0

    @classmethod
    def of(cls, models: Mapping[str, Mapping[str, Any]]) -> RunUsage:
        """The use that Inspect notes of the models of a sample."""
        used = models.values()
        return cls(sum(one.get("total_tokens") or 0 for one in used), sum(one.get("total_cost") or 0.0 for one in used))

    def plus(self, other: RunUsage) -> RunUsage:
        """Both together."""
        return RunUsage(self.tokens + other.tokens, self.cost + other.cost)

    def reaches(self, tokens: int | None, cost: float | None) -> bool:
        """Return whether it is as much as one of these."""
        return (tokens is not None and self.tokens >= tokens) or (cost is not None and self.cost >= cost)


def usage_of(folder: Path) -> RunUsage:
    """The use of all samples in a folder's logs of Inspect, those that were interrupted or are invalid included."""
    total = RunUsage()
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else ():
        # Whatever was used has to be paid for, whether it counts or not.
        for sample, _ in samples(file, [], interrupted=True, fields=("model_usage",)):
            total = total.plus(RunUsage.of(sample.get("model_usage") or {}))
    return total
