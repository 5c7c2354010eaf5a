"""Recovery for a service: one object for many sessions, threads and tasks at once.

    service = RecoveryService(active(), rates=Rates(tries=600, tries_each=120), deadline=30.0)
    Session(layers=[service])  # as many as there are conversations, side by side

What belongs to a session is its own: what was tried and spent, what is remembered of its calls, and every action in its
record. What is known of the tools is common: a circuit that one session's failures open is open for all, and the rates
hold over all. It keeps nothing of a session that is over.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable

from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import Clock, RealClock
from sealegs.inject.layer_context import LayerContext
from sealegs.recovery.budget import Budget, Meter, ServiceRates
from sealegs.recovery.declared_tools import SubstituteTool
from sealegs.recovery.layer import Detector, RecoveryLayer, active_policy, checked_deadline
from sealegs.recovery.policies import Policy


class RecoveryService:
    """Recovery for many sessions at once; each is given its own layer.

    Args:
        policy: what to do; `active_policy()` by default. What it knows of tools is common (`Policy.shared`).
        budget: what may be spent in one session.
        rates: what may be spent in a minute, over all sessions.
        deadline: as of `RecoveryLayer`.
        detectors, check, specs, needs: as of `RecoveryLayer`.
        clock: for circuits and rates; real by default. Sessions have clocks of their own.
    """

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        budget: Budget | None = None,
        rates: ServiceRates | None = None,
        deadline: float | None = None,
        detectors: Iterable[Detector] = (),
        check: bool = True,
        specs: Iterable[ToolSpec] = (),
        clock: Clock | None = None,
        needs: Iterable[SubstituteTool] = (),
    ) -> None:
        now = (clock or RealClock()).now
        self.deadline = checked_deadline(deadline)
        self._policy = (policy or active_policy()).shared(now)
        self._meter = None if rates is None else Meter(rates, now)
        self._budget = budget
        self._detectors = tuple(detectors)
        self._check = check
        self._specs = tuple(specs)
        self._needs = tuple(needs)

    def bind(self, place: LayerContext) -> RecoveryLayer:
        """The layer for one more session, in its place."""
        layer = RecoveryLayer(
            self._policy,
            budget=self._budget,
            deadline=self.deadline,
            needs=self._needs,
            detectors=self._detectors,
            check=self._check,
            specs=self._specs,
            meter=self._meter,
        )
        layer.bind(place)
        return layer

    def __call__(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """Refuse: the service is no layer itself, and a session asks it for one.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("a RecoveryService gives each session a layer of its own; name it in Session(layers=[...])")
