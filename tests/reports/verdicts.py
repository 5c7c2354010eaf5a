"""Verdicts and results made by hand, for what must not depend on the judge."""

from __future__ import annotations

from typing import Any

from sealegs.scoring import Verdict
from sealegs.scoring.maze_metrics import MazeResult
from sealegs.scoring.metric import Row


def verdict(success: bool = True, **changes: Any) -> Verdict:
    """A verdict: by default of an agent that met a fault, noticed it, chose rightly, and did as `success` says."""
    fields: dict[str, Any] = {
        "success": success,
        "published": success,
        "exposed": True,
        "solvable": True,
        "stopped": False,
        "calls": 6,
        "cost": 4,
        "best": 3,
        "redundancy": 0.25 if success else 1.0,
        "noticed": True,
        "strategy": True,
        "reasons": () if success else ("not done: note",),
        "attribution": "" if success else "broke something else",
        "tainted": (),
        "outcome": success,
    }
    return Verdict(**(fields | changes))


def clean(success: bool = True, **changes: Any) -> Verdict:
    """A verdict on an episode without a fault."""
    nothing = {"exposed": False, "noticed": False, "strategy": False, "cost": None, "best": None, "redundancy": 0.0}
    return verdict(success, **(nothing | changes))


def result(level: str, mode: str, found: Verdict, task: str = "t") -> MazeResult:
    """A judged episode."""
    return MazeResult(f"{level}-{task}", level, mode, 1, found)


def row(level: str, mode: str, metric: str, value: float | None, low: float | None, high: float | None, n: int) -> Row:
    """A row of the long table."""
    who: Row = {"suite": "maze", "agent": "hand [made]"}
    return {**who, "level": level, "mode": mode, "metric": metric, "value": value, "low": low, "high": high, "n": n}
