"""The layer that injects a plan's faults, and the proof that they arrived.

Which calls are struck depends on the plan and on each tool's own sequence of calls, never on how the calls of different
tools interleave. Two triggers are about order by their meaning and are the exception: `first_touch` (who was first in
a group) and `after` (a cascade).
"""

from __future__ import annotations

import itertools
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace

from sealegs.faults import seeds
from sealegs.faults.call import Call, Outcome, Wait
from sealegs.faults.kinds.base import Setting
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import FirstTouch, Moment

MEMORY = 16  # earlier outcomes kept of each tool for faults that serve old answers


@dataclass(frozen=True, slots=True)
class Strike:
    """One fault at work on one call.

    Attributes:
        call: the call as the agent made it.
        rule: the rule's id.
        kind: the fault's kind.
        implicit: whether what was shown looks like data.
        said: what lay below answered, the last time it was asked; None where it was never asked.
        shown: what the fault returned; None where the caller had gone before it could return.
        runs: how many times the fault had the tool run with effect.
        waited: seconds that the fault let pass.
    """

    call: Call
    rule: str
    kind: str
    implicit: bool
    said: Outcome | None
    shown: Outcome | None
    runs: int
    waited: float

    @property
    def delivered(self) -> bool:
        """Whether anything is different for the agent or the world because of it."""
        return self.said is None or self.said != self.shown or self.waited > 0 or self.runs != 1


class Injector:
    """The faults of one episode.

    Args:
        plan: what to inject.
        episode: part of the key of every random decision.
        specs: what is known of the tools.
        on_strike: told each fault at work, delivered or not.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        episode: str = "",
        specs: Iterable[ToolSpec] = (),
        on_strike: Callable[[Strike], None] | None = None,
    ) -> None:
        self._plan = plan
        self._episode = episode
        self._specs = {spec.name: spec for spec in specs}
        self._on_strike = on_strike
        self._rules: dict[str, tuple[Rule, ...]] = {}
        self._touch_sets = {
            frozenset(rule.when.first_touch) for rule in plan.rules if isinstance(rule.when, FirstTouch)
        }
        self._victims: dict[frozenset[str], str] = {}
        self._counters: defaultdict[str, itertools.count[int]] = defaultdict(itertools.count)
        self._struck: dict[tuple[str, str], _Struck] = {}
        self._delivered: set[str] = set()
        self._earlier: defaultdict[str, deque[Outcome]] = defaultdict(lambda: deque(maxlen=MEMORY))
        self._lock = threading.Lock()

    def concerns(self, tool: str) -> bool:
        """Whether any rule could ever strike this tool, or watches who touches it first."""
        return bool(self._rules_of(tool))

    def layer(self, call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """The seam's layer."""
        rules = self._rules_of(call.tool)
        if not rules:
            return (yield call)
        call = replace(call, nth=next(self._counters[call.tool]))
        for touched in self._touch_sets:
            if call.tool in touched:
                self._victims.setdefault(touched, call.tool)
        firing = [(rule, struck) for rule in rules if (struck := self._fires(rule, call))]
        if not firing:
            outcome = yield call
        else:
            outcome = yield from self._under(firing, call)
        return outcome

    def _rules_of(self, tool: str) -> tuple[Rule, ...]:
        rules = self._rules.get(tool)
        if rules is None:
            tags = self._tags(tool)
            rules = tuple(rule for rule in self._plan.rules if rule.match.may_match(tool, tags))
            self._rules[tool] = rules
        return rules

    def _tags(self, tool: str) -> frozenset[str]:
        spec = self._specs.get(tool)
        return spec.tags if spec is not None else frozenset()

    def _fires(self, rule: Rule, call: Call) -> _Struck | None:
        """The rule's state for this tool if it strikes this call. A place under `at_most` is taken at once."""
        with self._lock:
            struck = self._struck.setdefault((rule.id, call.tool), _Struck())
            if struck.permanent_since is None and not self._due(rule, struck, call):
                return None
            struck.taken += 1
            return struck

    def _due(self, rule: Rule, struck: _Struck, call: Call) -> bool:
        if rule.at_most is not None and struck.taken >= rule.at_most:
            return False
        if rule.after is not None and rule.after not in self._delivered:
            return False
        if not rule.match.matches(call.tool, self._tags(call.tool), call.arguments):
            return False
        victim = self._victims.get(frozenset(rule.when.first_touch)) if isinstance(rule.when, FirstTouch) else None
        key = (self._plan.seed, self._episode, call.tool, rule.id)
        return rule.when.fires(Moment(nth=call.nth, key=key, victim=victim))

    def _under(self, firing: list[tuple[Rule, _Struck]], call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        """The firing rules around the call, the first of the plan outermost."""
        (rule, struck), rest = firing[0], firing[1:]
        nth = call.nth if struck.permanent_since is None else struck.permanent_since
        setting = Setting(
            spec=self._specs.get(call.tool),
            draw=seeds.stream(self._plan.seed, self._episode, call.tool, rule.id, nth, "act"),
            earlier=tuple(self._earlier[call.tool]),
        )
        said: Outcome | None = None
        shown: Outcome | None = None
        runs, waited = 0, 0.0
        generator = rule.fault.act(call, setting)
        try:
            request = next(generator)
            while True:
                if isinstance(request, Call):
                    said = yield from self._below(rest, request)
                    runs += not request.dry
                    answer = said
                else:
                    waited += request.seconds
                    answer = yield request
                request = generator.send(answer)
        except StopIteration as stop:
            shown = stop.value
        finally:  # also where the caller gives up or is cancelled: a fault that arrived must not go untold
            kind, implicit = rule.fault.kind, rule.fault.implicit
            self._told(rule, struck, Strike(call, rule.id, kind, implicit, said, shown, runs, waited))
        assert shown is not None
        return shown

    def _below(self, rest: list[tuple[Rule, _Struck]], call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
        if rest:
            return (yield from self._under(rest, call))
        outcome = yield call
        return outcome

    def _told(self, rule: Rule, struck: _Struck, strike: Strike) -> None:
        with self._lock:
            if not strike.delivered:
                struck.taken -= 1
            else:
                self._delivered.add(rule.id)
                if rule.persistence == "permanent" and struck.permanent_since is None:
                    struck.permanent_since = strike.call.nth
        if self._on_strike is not None:
            self._on_strike(strike)


class _Struck:
    """How often a rule has struck a tool, and the call from which on it does so for good."""

    __slots__ = ("permanent_since", "taken")

    def __init__(self) -> None:
        self.taken = 0
        self.permanent_since: int | None = None
