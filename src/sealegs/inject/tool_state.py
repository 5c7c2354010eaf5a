"""What an injector holds of a tool in one episode, and of one call: the rules that may strike it, and those that do."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from sealegs.faults import seeds
from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.kinds.fault import FaultSetting
from sealegs.faults.moment import Moment
from sealegs.faults.plan import Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import AllOf, FirstTouch, Matcher

MEMORY = 16  # earlier outcomes kept of a tool for faults that serve old answers


class ToolState:
    """A tool under the rules of a plan.

    Args:
        tool: its name.
        rules: all rules of the plan.
        spec: what is known of it.
        key: (plan seed, episode), part of the key of every random decision.
    """

    __slots__ = ("calls", "counts", "earlier", "effects", "groups", "idle", "never_dry", "rules", "spec")

    def __init__(self, tool: str, rules: Iterable[Rule], spec: ToolSpec | None, key: tuple[object, ...]) -> None:
        tags = spec.tags if spec is not None else frozenset()
        self.spec = spec
        self.effects = spec is None or spec.effects is not False  # where nobody said, any call may have one
        self.never_dry = False  # known once the tool has refused to run without effect
        self.rules = tuple(
            RuleState(rule, tool, tags, (*key, tool, rule.id))
            for rule in rules
            if rule.match.may_match(tool, tags) and not rule.misses(spec)
        )
        # Also of rules on other tools: who is touched first decides for all.
        self.groups = tuple({group for rule in rules if (group := _group(rule)) is not None and tool in group})
        self.idle = not self.rules and not self.groups
        self.counts = any(one.counts for one in self.rules)
        self.calls = itertools.count()
        stale = any(one.rule.fault.kind == "stale" for one in self.rules)
        self.earlier: deque[Outcome] | None = deque(maxlen=MEMORY) if stale else None

    def setting(self, armed: RuleState, nth: int) -> FaultSetting:
        """Where a rule's fault strikes. A permanent fault draws the same on every call."""
        at = nth if armed.since is None else armed.since
        draw = LateStream((*armed.key, at, "act"))
        moments = armed.rule.possible_moments(self.spec)
        moment = moments[seeds.digest(*armed.key, at, "moment") % len(moments)] if moments else None
        return FaultSetting(self.spec, cast(random.Random, draw), tuple(self.earlier or ()), moment)

    def timed(self, armed: RuleState, call: Call, moment: Moment | None) -> Call:
        """The call as a fault that strikes at this moment has the tool run."""
        if moment == "before":
            return replace(call, dry=True)
        if moment == "during" and self.spec is not None:
            return replace(call, cut=1 + seeds.digest(*armed.key, call.nth, "cut") % (self.spec.parts - 1))
        return call

    def remember(self, outcome: Outcome) -> None:
        """Keep a true outcome as it is now, whatever the agent then does to it."""
        if self.earlier is not None:
            self.earlier.append(_copied(outcome))


class RuleState:
    """A rule on one tool, and how often it has struck it. `open`: what only a call's arguments can decide."""

    __slots__ = (
        "after",
        "at_most",
        "counts",
        "group",
        "key",
        "open",
        "permanent",
        "rule",
        "since",
        "tags",
        "taken",
    )

    def __init__(self, rule: Rule, tool: str, tags: frozenset[str], key: tuple[object, ...]) -> None:
        self.open = tuple(part for part in _parts(rule.match) if part.possible(tool, tags)[1])
        self.rule = rule
        self.tags = tags
        self.key = key
        self.after = rule.after
        self.at_most = rule.at_most
        self.permanent = rule.persistence == "permanent"
        self.counts = self.permanent or rule.at_most is not None
        self.group = _group(rule)
        self.taken = 0
        self.since: int | None = None  # the number of the call from which on it strikes for good


class TriggeredFault:
    """A rule that fires on one call, and whether anything came of it."""

    __slots__ = ("armed", "delivered", "told")

    def __init__(self, armed: RuleState) -> None:
        self.armed = armed
        self.delivered = False
        self.told = False


class TriggeredFaults:
    """All that strikes one call, the first of the plan outermost. `nth`: the calls of the tool before it."""

    __slots__ = ("nth", "shots", "target")

    def __init__(self, target: ToolState, nth: int, shots: list[TriggeredFault]) -> None:
        self.target = target
        self.nth = nth
        self.shots = shots


class LateStream:
    """A stream of random numbers that is seeded when first drawn from: most faults never draw."""

    __slots__ = ("_key", "_stream")

    def __init__(self, key: tuple[object, ...]) -> None:
        self._key = key
        self._stream: random.Random | None = None

    def __getattr__(self, name: str) -> Any:
        if self._stream is None:
            self._stream = seeds.stream(*self._key)
        return getattr(self._stream, name)


def _group(rule: Rule) -> frozenset[str] | None:
    return frozenset(rule.when.first_touch) if isinstance(rule.when, FirstTouch) else None


def _parts(match: Matcher) -> tuple[Matcher, ...]:
    return match.all if isinstance(match, AllOf) else (match,)


def _copied(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Failure):
        return replace(outcome, exception=None)
    try:
        return Value(deepcopy(outcome.value))
    except Exception:  # what cannot be copied (a file, a lock) is kept as it is
        return outcome
