"""Leave a tool that keeps failing alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from sealegs.faults.call import Call, Failure, Outcome
from sealegs.recovery.failed_call import FailedCall, RecoveryContext
from sealegs.recovery.policies.policy import TAKEN_OVER, AtOnce, Policy, Refusal


@dataclass
class Circuit:
    """A tool's state: failures in a row, until when it is left alone, and whether one call is let through meanwhile."""

    failures: int = 0
    until: float = 0.0
    probed: bool = False


class Breaker(AtOnce):
    """A circuit breaker for each tool (Nygard, "Release It!", 2007).

    After so many failures in a row the tool is not called for a while; then one call is let through, and if it fails
    too, the while begins again. A mistake in the arguments is the caller's and does not count. In a service the
    circuits are those of all sessions.

    Args:
        failures: in a row, further tries included.
        seconds: for which the tool is left alone.
    """

    name: ClassVar[str] = "breaker"
    guards = True

    def __init__(self, failures: int = 5, seconds: float = 60.0) -> None:
        self._failures = failures
        self._seconds = seconds
        self._circuits: dict[str, Circuit] = {}
        self._now: Callable[[], float] | None = None  # where the circuits are shared
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another

    def fresh(self) -> Policy:
        """The same with every circuit closed; where they are shared, itself."""
        return self if self._now is not None else Breaker(self._failures, self._seconds)

    def shared(self, now: Callable[[], float]) -> Policy:
        """One for all sessions, with every circuit closed."""
        breaker = Breaker(self._failures, self._seconds)
        breaker._now = now
        return breaker

    def refuses(self, call: Call, context: RecoveryContext) -> Refusal | None:
        """The refusal while the tool is left alone."""
        if not self._circuits:
            return None
        circuit = self._circuits.get(call.tool)
        if circuit is None or circuit.failures < self._failures:
            return None
        with self._lock:
            now = self._time(context)
            left = circuit.until - now
            if left <= 0:
                circuit.until = now + self._seconds  # for all but this one, until it is known how it went
                circuit.probed = True
                return None
        message = f"{call.tool} failed {circuit.failures} times in a row and is left alone for another {left:.3g} s."
        return self.name, Failure(message, type="CircuitOpen", retry_after=round(left, 3), unsent=True)

    def went_well(self, call: Call, outcome: Outcome) -> None:
        """Close the circuit."""
        if self._circuits:
            self._circuits.pop(call.tool, None)

    def handle_now(self, failed_call: FailedCall, context: RecoveryContext) -> FailedCall:
        """Count the failure, and the further ones before it."""
        tool = failed_call.call.tool
        if failed_call.category == "arguments" or _unasked(failed_call):
            return failed_call
        with self._lock:
            circuit = self._circuits.setdefault(tool, Circuit())
            was_open = circuit.failures >= self._failures and not circuit.probed
            circuit.failures += failed_call.failed
            opens = circuit.failures >= self._failures and not was_open  # calls that were under way open it only once
            if opens:
                circuit.until, circuit.probed = self._time(context) + self._seconds, False
        return (
            context.remark(failed_call, self.name, "opened", None, f"{circuit.failures} failures in a row")
            if opens
            else failed_call
        )

    def _time(self, context: RecoveryContext) -> float:
        return self._now() if self._now is not None else context.place.clock.now()


def _unasked(failed_call: FailedCall) -> bool:
    """Return whether recovery itself kept the call from its tool, which is not to blame then."""
    return isinstance(failed_call.outcome, Failure) and failed_call.outcome.type in ("CircuitOpen", TAKEN_OVER)
