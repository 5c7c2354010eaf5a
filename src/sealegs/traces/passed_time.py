"""The time that the calls of an episode really waited on the seam, for faults and for recovery alike.

The record holds the planned length of a wait, since that is written as it begins. Where the caller was gone before,
its call is shown nothing, and only its last wait was cut off: that lasted no longer than the fault itself says that it
waited, and no longer than the call. Not covered: a call that was never over, as of a killed process.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sealegs.traces.events import Event, FaultInjected, OutcomeShown, TimePassed, ToolCalled


def seconds_waited(events: Iterable[Event]) -> float:
    """The seconds that the calls of an episode waited, added up.

    Exact where nothing or a fault's wait was cut off. Of a recovery's wait that was cut off, the time that the tool ran
    may count too, but never more than the wait was to last.
    """
    began: dict[str, float] = {}
    waits: dict[str, list[float]] = {}
    fault: dict[str, float] = {}  # what faults say that they waited, up to the end of the latest wait
    total = 0.0
    for event in events:
        if isinstance(event, ToolCalled):
            began[event.call] = event.at
        elif isinstance(event, TimePassed):
            waits.setdefault(event.call, []).append(math.inf if event.seconds is None else event.seconds)
            fault.pop(event.call, None)
        elif isinstance(event, FaultInjected) and event.waited is not None and event.shown is None:
            fault[event.call] = max(event.waited, fault.get(event.call, 0.0))
        elif isinstance(event, OutcomeShown):
            own = waits.pop(event.call, [])
            if own and event.outcome is None:
                last = own.pop()
                left = max(0.0, event.at - began[event.call] - sum(own))
                own.append(min(last, left, fault.get(event.call, math.inf)))
            total += sum(own)
    return total
