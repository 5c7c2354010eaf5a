"""The plan that makes tools fail as they were seen to."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Sequence

from sealegs.faults.kinds import (
    AnyFault,
    Connection,
    Delay,
    Error,
    Quantiles,
    RateLimit,
    Timeout,
)
from sealegs.faults.kinds.connection import Mode
from sealegs.faults.kinds.error import RAISABLE
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.triggers import Always, AnyCondition, Outage, Probability, Tool
from sealegs.traces.fitting import ErrorClass, FailureMode, ToolFit
from sealegs.traces.observed import ABANDONED
from sealegs.traces.otlp import OTHER

MODES: dict[str, Mode] = {
    "ConnectionRefusedError": "refused",
    "ConnectionResetError": "reset",
    "gaierror": "dns",
    "SSLCertVerificationError": "tls",
}
TOO_MANY = ("ratelimit", "rate_limit", "resource_exhausted", "toomanyrequests", "throttl")
LATE = ("timeout", "timedout", "deadline")


def fitted_plan(fits: Iterable[ToolFit], name: str, *, least: int = 1, latency: bool = True) -> Plan:
    """The plan of these fits.

    A tool's errors come first, the most frequent outermost, then its latency. An error is shown without latency; only a
    timeout takes its time.

    Args:
        fits: how the tools behave.
        name: the plan's name.
        least: how often an error must have been seen to get its own rule.
        latency: whether answers come as late as they were seen to. Every call that waits counts as struck.
    """
    return Plan(name=name, rules=tuple(rule for fit in fits for rule in _rules(fit, least, latency)))


def _rules(fit: ToolFit, least: int, latency: bool) -> list[Rule]:
    match = Tool(glob.escape(fit.tool))
    rules = [
        Rule(id=f"{fit.tool}: {failing.error}", match=match, when=_condition(failing), fault=_fault(failing))
        for failing in fit.failing
        if failing.failed >= least
    ]
    points = _rounded(fit.latency)
    if latency and points and points[-1][1] > 0:
        late = Delay(seconds=Quantiles(points=tuple(points)))
        rules.append(Rule(id=f"{fit.tool}: latency", match=match, fault=late))
    return rules


def _condition(failing: FailureMode) -> AnyCondition:
    if failing.failed == failing.calls:
        return Always()
    rate = _short(failing.rate)
    if failing.length is None or rate >= 1:
        return Probability(min(rate, 1.0))
    shortest = rate / (1 - rate)  # runs of a chain cannot be shorter
    return Outage(rate=rate, length=min(1000.0, max(_short(failing.length), 1.0, shortest)))


def _fault(failing: FailureMode) -> AnyFault:
    error = failing.error
    word = error.type.lower()
    if error.status == 429 or any(part in word for part in TOO_MANY):
        return RateLimit() if failing.retry_after is None else RateLimit(retry_after=_short(failing.retry_after))
    # With another status a server answered after all, whatever its error is called.
    if error.status in (0, 408) and (error.type == ABANDONED.type or any(part in word for part in LATE)):
        return Timeout(seconds=_short(failing.seconds)) if failing.seconds else Timeout()
    if error.type in MODES:
        return Connection(mode=MODES[error.type])
    return Error(
        status=error.status or None,
        exception=error.type if error.type in RAISABLE and not error.status else None,
        type=_type(error),
        retry_after=None if failing.retry_after is None else _short(failing.retry_after),
    )


def _type(error: ErrorClass) -> str | None:
    """The error's name, without the modules in front of it; None where it says nothing."""
    name = error.type.rsplit(".", 1)[-1]
    nameless = not name or name.isdigit() or name == OTHER
    return None if nameless or (error.type in RAISABLE and not error.status) else name


def _rounded(latency: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(share, _short(seconds)) for share, seconds in latency]


def _short(value: float) -> float:
    """Round to four digits: more are not known, and a plan is read by people."""
    return float(f"{value:.4g}")
