"""An injector's state for a tool in one episode, and for one call: the rules that may strike it, and those that do."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

from sealegs.faults import seeds
from sealegs.faults.built_in_kinds import is_built_in
from sealegs.faults.call import Call, Failure, Moment, Outcome, Value
from sealegs.faults.equal import draw_key
from sealegs.faults.fault import FaultSetting
from sealegs.faults.plan import Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import AllOf, Always, Matcher
from sealegs.inject.injection import NOTHING_DONE, safely_equal

KEYS = 64  # arguments whose keys are remembered
MEMORY = 16  # earlier outcomes kept of a tool for faults that serve old answers


class ToolState:
    """A tool under the rules of a plan.

    Args:
        tool: its name.
        rules: all rules of the plan.
        spec: what is known of it.
        key: (plan seed, episode), part of the key of every random decision.
    """

    __slots__ = (
        "_keys",
        "calls",
        "counted",
        "counts",
        "earlier",
        "effects",
        "groups",
        "idle",
        "keyed",
        "missed",
        "never_dry",
        "rules",
        "same",
        "spec",
        "tool",
    )

    def __init__(self, tool: str, rules: Iterable[Rule], spec: ToolSpec | None, key: tuple[object, ...]) -> None:
        tags = spec.tags if spec is not None else frozenset()
        self.tool = tool
        self.spec = spec
        self.effects = spec is None or spec.effects is not False  # where nothing is declared, any call may have one
        self.never_dry = False  # known once the tool has refused to run without effect
        matching = [rule for rule in rules if rule.match.may_match(tool, tags)]
        self.rules = tuple(
            RuleState(rule, tool, spec, tags, (*key, tool, rule.id)) for rule in matching if not rule.misses(spec)
        )
        self.missed = tuple(rule for rule in matching if rule.misses(spec))
        # Also of rules on other tools: who is touched first decides for all.
        self.groups = tuple({rule.when.group for rule in rules if tool in rule.when.group})
        # Without rules of its own, a tool in a group is not idle: a call of it decides who is struck.
        self.idle = not self.rules and not self.groups
        self.counts = any(one.counts or not one.by_order for one in self.rules)  # so that calls are taken one by one
        self.calls = itertools.count()
        self.counted = False  # whether a call was
        self.keyed = any(one.by_arguments for one in self.rules)
        self.same: dict[str, Iterator[int]] = {}  # by arguments: the calls with these, counted where a rule asks
        self._keys: dict[tuple[Any, ...], str] = {}
        stale = any(one.rule.fault.remembers for one in self.rules)
        # Keeping outcomes means copying them, so it is done only for kinds that serve old answers.
        self.earlier: deque[tuple[Mapping[str, Any], Outcome]] | None = deque(maxlen=MEMORY) if stale else None

    def drawn_key(self, arguments: Mapping[str, Any]) -> str:
        """The arguments, as draws are named by them. Those that come again, as in a retry, are looked up."""
        given = (*arguments.items(), *map(type, arguments.values()))  # 1 and true are equal, and not the same here
        try:
            key = self._keys.get(given)
        except TypeError:  # a list or an object among them
            return draw_key(arguments, self.spec)  # unhashable, so it cannot be looked up
        if key is None:
            # Cleared rather than evicted one by one: a retry comes soon, so what is old is hardly needed again.
            if len(self._keys) == KEYS:
                self._keys.clear()
            key = self._keys[given] = draw_key(arguments, self.spec)
        return key

    def setting(self, fired: TriggeredFault, call: Call) -> FaultSetting:
        """The setting that a rule's fault strikes in. A permanent fault draws the same on every call."""
        moments = fired.rule_state.moments
        moment = moments[0] if moments else None
        if len(moments) > 1:
            # By digest rather than from `draw`, so that faults that draw nothing never seed a stream.
            moment = moments[seeds.digest(*fired.key, "moment") % len(moments)]
        draw: Any = LateStream(fired.key)
        if not self.earlier:  # none of the tool's faults asks for them, or nothing was answered yet
            return FaultSetting(self.spec, draw, (), moment)
        earlier = tuple(self.earlier)
        same = tuple(outcome for given, outcome in earlier if safely_equal(given, call.arguments))
        outcomes = tuple(outcome for _, outcome in earlier)
        return FaultSetting(self.spec, draw, outcomes, moment, same)

    def timed(self, fired: TriggeredFault, call: Call, moment: Moment | None) -> Call:
        """The call as a fault that strikes at this moment has the tool run."""
        if moment == "before":
            return call.as_dry(True)
        if moment == "during" and self.spec is not None:
            # From 1 to parts - 1: cutting at 0 or at all parts would be "before" or "after".
            return replace(call, cut=1 + seeds.digest(*fired.key, "cut") % (self.spec.parts - 1))
        return call

    def remember(self, call: Call, outcome: Outcome) -> None:
        """Keep a true outcome as it is now, whatever the agent then does to it, and what it answered."""
        if self.earlier is not None:
            self.earlier.append((_copied_arguments(call.arguments), _copied(outcome)))


class RuleState:
    """A rule on one tool, and how often it has struck it. `open`: what only a call's arguments can decide."""

    __slots__ = (
        "after",
        "at_most",
        "built_in",
        "by_arguments",
        "by_order",
        "counts",
        "drawn_key",
        "group",
        "key",
        "moments",
        "open",
        "permanent",
        "rule",
        "same",
        "simple",
        "since",
        "tags",
        "taken",
        "unconditional",
        "why_never",
    )

    def __init__(
        self, rule: Rule, tool: str, spec: ToolSpec | None, tags: frozenset[str], key: tuple[object, ...]
    ) -> None:
        # `possible()[1]` says that the part may also fail to match, so arguments must decide.
        self.open = tuple(part for part in _parts(rule.match) if part.possible(tool, tags)[1])
        self.rule = rule
        self.tags = tags
        self.key = key
        self.drawn_key = (seeds.joined(*key),)  # what the names of all its draws begin with
        self.by_arguments = rule.fires_by_arguments
        self.by_order = not rule.draws_by_arguments
        # How often it struck the same arguments, where it fires by order but draws by arguments: counting no more than
        # that, it need not look at the arguments of every call.
        self.same: dict[str, Iterator[int]] = {}
        self.why_never = rule.why_never(spec)
        self.moments = rule.possible_moments(spec)
        self.built_in = is_built_in(rule.fault)
        self.after = rule.after
        self.at_most = rule.at_most
        self.permanent = rule.persistence == "permanent"
        self.counts = self.permanent or rule.at_most is not None
        self.group = rule.when.group
        # Most rules strike whatever they match: then there is nothing to ask of a single call.
        self.unconditional = type(rule.when) is Always and self.after is None and not self.open
        # Of most others its condition alone decides, and the condition needs no more than the stream's name.
        self.simple = not (self.counts or self.open or self.group) and self.after is None
        self.taken = 0
        self.since: int | None = None  # the number of the call from which on it strikes for good

    def drawn_at(self, nth: int) -> tuple[object, ...]:
        """The name of its draws on a call of this number, where the call's arguments play no part in them.

        Permanent faults draw once: by order with the number of the first call that they struck, else without any.
        """
        if not self.by_order:
            return self.drawn_key
        return (*self.drawn_key, nth if self.since is None else self.since)


class TriggeredFault:
    """A rule that fires on one call, and whether anything came of it. `key`: the name of its draws on this call."""

    __slots__ = ("delivered", "key", "reported", "rule_state")

    def __init__(self, rule_state: RuleState, key: tuple[object, ...]) -> None:
        self.rule_state = rule_state
        self.key = key
        self.delivered = False
        self.reported = False


class TriggeredFaults:
    """All that strikes one call, the first of the plan outermost.

    Attributes:
        nth: the calls of the tool before it.
        work: what the tool itself has done for it so far. Answers from below do not show that to an outer fault, since
            an inner one may have answered in the tool's place.
    """

    __slots__ = ("faults", "nth", "target", "work")

    def __init__(self, target: ToolState, nth: int, faults: list[TriggeredFault]) -> None:
        self.target = target
        self.nth = nth
        self.faults = faults
        self.work = NOTHING_DONE


class LateStream:
    """A stream of random numbers that is seeded when first drawn from: most faults never draw."""

    __slots__ = ("_key", "_stream")

    def __init__(self, key: tuple[object, ...]) -> None:
        self._key = key
        self._stream: random.Random | None = None

    def __getattr__(self, name: str) -> Any:
        if self._stream is None:
            self._stream = seeds.stream(*self._key, "act")
        return getattr(self._stream, name)


def count_same(counts: dict[str, Iterator[int]], arguments: str) -> int:
    """Count a call with these arguments, and return the number of those before it; safe among threads."""
    # `setdefault` and `next` are each atomic in CPython, so no lock is needed.
    return next(counts.get(arguments) or counts.setdefault(arguments, itertools.count()))


def _parts(match: Matcher) -> tuple[Matcher, ...]:
    return match.all if isinstance(match, AllOf) else (match,)


def _copied_arguments(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        return deepcopy(dict(arguments))
    except Exception:  # what cannot be copied
        return dict(arguments)


def _copied(outcome: Outcome) -> Outcome:
    if isinstance(outcome, Failure):
        # The exception holds its frames, and they hold whatever the tool worked on.
        return replace(outcome, exception=None)
    try:
        return Value(deepcopy(outcome.value))
    except Exception:  # what cannot be copied (a file, a lock) is kept as it is
        return outcome
