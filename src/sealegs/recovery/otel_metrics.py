"""Metrics of recovery for OpenTelemetry; none at all where `opentelemetry-api` (the extra `otel`) is missing.

| instrument | counts |
|---|---|
| `sealegs.recovery.tries` | further calls, by tool and policy |
| `sealegs.recovery.switches` | calls that other tools answered, by tool |
| `sealegs.recovery.gave_up` | calls that recovery gave up, by tool |
| `sealegs.recovery.left_alone` | failures left alone for want of a declaration, by tool |
| `sealegs.recovery.added` | seconds that recovery spent on a call, by tool and whether that helped |
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sealegs.inject.layer_context import REFUSED, LayerAction
from sealegs.recovery.undeclared_tools import LEFT, SAFETY

GAVE_UP = "gave_up"


class Meters:
    """The instruments of this process.

    Args:
        meter: an OpenTelemetry meter.
    """

    def __init__(self, meter: Any) -> None:
        def counter(name: str, what: str) -> Any:
            return meter.create_counter(f"sealegs.recovery.{name}", "{call}", what)

        self._tries = counter("tries", "further calls that recovery made")
        self._switches = counter("switches", "calls that other tools answered")
        self._gave_up = counter("gave_up", "calls that recovery gave up")
        self._left = counter("left_alone", "failures left alone for want of a declaration")
        self._added = meter.create_histogram("sealegs.recovery.added", "s", "seconds that recovery spent on a call")

    def layer_action(self, action: LayerAction) -> None:
        """Count an action."""
        tool = {"tool": action.call.tool}
        if action.name == GAVE_UP:
            self._gave_up.add(1, tool)
        elif (action.policy, action.name) == (SAFETY, LEFT):
            self._left.add(1, tool)
        elif (action.policy, action.name) == ("switch", "answered"):
            self._switches.add(1, tool)
        elif action.attempt is not None and action.policy and action.name != REFUSED:
            self._tries.add(1, {**tool, "policy": action.policy})

    def took(self, tool: str, seconds: float, *, helped: bool) -> None:
        """Count a call that recovery is done with."""
        self._added.record(seconds, {"tool": tool, "helped": helped})


@cache
def meters() -> Meters | None:
    """The instruments of the process's meter provider, even if set later; None without OpenTelemetry."""
    try:
        from opentelemetry import metrics
    except ImportError:
        return None
    return Meters(metrics.get_meter("sealegs"))
