"""An injector's state for a tool in one episode, and for one call: the rules that may strike it, and those that do."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any, cast

from sealegs.faults import seeds
from sealegs.faults.built_in_kinds import is_built_in
from sealegs.faults.call import Call, Failure, Moment, Outcome, Value
from sealegs.faults.equal import ArgumentMemory
from sealegs.faults.fault import FaultSetting, Steps, Substitute
from sealegs.faults.plan import Rule
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import AllOf, Always
from sealegs.inject.call_context import run_as_current, run_as_current_async
from sealegs.inject.injection import NOTHING_DONE, FaultEvidence, safely_equal

SOON = 8  # calls of a tool: for fewer, to make another way in costs more than it saves
MEMORY = 16  # earlier outcomes kept of a tool for faults that serve old answers


class ToolState:
    """A tool under the rules of a plan.

    Args:
        tool: its name.
        rules: all rules of the plan.
        spec: what is known of it.
        key: (plan seed, episode), part of the key of every random decision.
        groups: of tools of which the first to be called counts, for any rule of the plan.
    """

    __slots__ = (
        "_asked",
        "arguments",
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
        "quick",
        "rules",
        "spec",
        "tool",
    )

    def __init__(
        self,
        tool: str,
        rules: Iterable[Rule],
        spec: ToolSpec | None,
        key: tuple[object, ...],
        groups: Iterable[frozenset[str]],
    ) -> None:
        tags = spec.tags if spec is not None else frozenset()
        self.tool = tool
        self.spec = spec
        self.effects = spec is None or spec.effects is not False  # where nothing is declared, any call may have one
        self.never_dry = False  # known once the tool has refused to run without effect
        matching = [rule for rule in rules if rule.match.may_match(tool, tags)]
        # Lists rather than generators: most tools have no rules, and lists of nothing cost less.
        self.rules = tuple(
            [RuleState(rule, tool, spec, tags, (*key, tool, rule.id)) for rule in matching if not rule.misses(spec)]
        )
        self.missed = tuple([rule for rule in matching if rule.misses(spec)])
        # Also of rules on other tools: who is touched first decides for all.
        self.groups = tuple([group for group in groups if tool in group])
        # Without rules of its own, a tool in a group is not idle: a call of it decides who is struck.
        self.idle = not self.rules and not self.groups
        self.counts = bool(self.rules) and any(one.counts or not one.by_order for one in self.rules)  # then one by one
        self.calls = itertools.count()
        self.counted = False  # whether a call was
        self.keyed = bool(self.rules) and any(one.by_arguments for one in self.rules)
        self.arguments = ArgumentMemory(spec)
        stale = bool(self.rules) and any(one.rule.fault.remembers for one in self.rules)
        # Keeping outcomes means copying them, so it is done only for kinds that serve old answers.
        self.earlier: deque[tuple[Mapping[str, Any], Outcome]] | None = deque(maxlen=MEMORY) if stale else None
        # Whether the conditions of its rules alone decide what strikes a call, the first one aside.
        self.quick = False
        self._asked = 0

    def begin(self) -> None:
        """Take the tool as it is from now on: its first call is counted."""
        self.counted = True
        self.quick = self.earlier is None and all(one.quick for one in self.rules)

    def asked_often(self) -> bool:
        """Count a call of a plain function without a way in of its own, and return whether one is worth while."""
        self._asked += 1
        return self._asked > SOON

    def setting(self, fired: TriggeredFault, call: Call) -> FaultSetting:
        """The setting that a rule's fault strikes in. A permanent fault draws the same on every call."""
        draw: Any = LateStream(fired.stream)
        moment = self.moment(fired)
        if not self.earlier:  # none of the tool's faults asks for them, or nothing was answered yet
            return FaultSetting(self.spec, draw, (), moment)
        earlier = tuple(self.earlier)
        same = tuple(outcome for given, outcome in earlier if safely_equal(given, call.arguments))
        outcomes = tuple(outcome for _, outcome in earlier)
        return FaultSetting(self.spec, draw, outcomes, moment, same)

    def moment(self, fired: TriggeredFault) -> Moment | None:
        """The moment of the tool's work at which a rule's fault strikes; None where the tool has no effects."""
        if fired.moment is None:
            fired.moment = fired.rule_state.moment_of(fired.stream)
        return fired.moment

    def timed(self, fired: TriggeredFault, call: Call, moment: Moment | None) -> Call:
        """The call as a fault that strikes at this moment has the tool run."""
        if moment == "before":
            return call.as_dry(True)
        if moment == "during" and self.spec is not None:
            # From 1 to parts - 1: cutting at 0 or at all parts would be "before" or "after".
            return replace(call, cut=1 + seeds.digest(fired.stream, "cut") % (self.spec.parts - 1))
        return call

    def remember(self, call: Call, outcome: Outcome) -> None:
        """Keep a true outcome as it is now, whatever the agent then does to it, and what it answered."""
        if self.earlier is not None:
            self.earlier.append((_copied_arguments(call.arguments), _copied(outcome)))


class RuleState:
    """A rule on one tool, and how often it has struck it. `open`: what only a call's arguments can decide."""

    __slots__ = (
        "after",
        "answers_before",
        "at_most",
        "built_in",
        "by_arguments",
        "by_order",
        "counts",
        "draws_by_arguments",
        "draws_nothing",
        "group",
        "moments",
        "open",
        "permanent",
        "quick",
        "rule",
        "same",
        "simple",
        "since",
        "stream",
        "substitutes",
        "tags",
        "taken",
        "unconditional",
        "why_never",
    )

    def __init__(
        self, rule: Rule, tool: str, spec: ToolSpec | None, tags: frozenset[str], key: tuple[object, ...]
    ) -> None:
        # By exact type, since `isinstance` is slow with an abstract class.
        parts = rule.match.all if type(rule.match) is AllOf else (rule.match,)
        # `possible()[1]` says that the part may also fail to match, so arguments must decide.
        self.open = tuple(part for part in parts if part.possible(tool, tags)[1])
        self.rule = rule
        self.tags = tags
        self.stream = seeds.joined(*key)  # what the names of all its draws begin with
        self.by_arguments = rule.fires_by_arguments
        self.by_order = not rule.draws_by_arguments
        # How often it struck the same arguments, where it fires by order but draws by arguments: counting no more than
        # that, it need not look at the arguments of every call.
        self.same: dict[str, Iterator[int]] = {}
        self.why_never = rule.why_never(spec)
        self.moments = rule.possible_moments(spec)
        self.built_in = is_built_in(rule.fault)
        self.substitutes = self.built_in and isinstance(rule.fault, Substitute)
        # Such a fault draws its moment alone, and where it cuts the work off.
        self.draws_nothing = self.substitutes and self.moments in ((), ("before",), ("after",))
        self.after = rule.after
        self.at_most = rule.at_most
        self.permanent = rule.persistence == "permanent"
        self.counts = self.permanent or rule.at_most is not None
        self.draws_by_arguments = not (self.draws_nothing or self.by_order or self.permanent)
        self.group = rule.when.group
        # Most rules strike whatever they match: then there is nothing to ask of a single call.
        self.unconditional = type(rule.when) is Always and self.after is None and not self.open
        # Of most others its condition alone decides, and the condition needs no more than the stream's name.
        self.simple = not (self.counts or self.open or self.group) and self.after is None
        self.quick = self.simple and not self.why_never
        self.answers_before = self.draws_nothing and self.moments in ((), ("before",))
        self.taken = 0
        self.since: int | None = None  # the number of the call from which on it strikes for good

    @property
    def answer(self) -> Callable[[], Outcome]:
        """Its fault's own function, of a kind that answers at once (`substitutes`)."""
        return cast(Substitute, self.rule.fault).answer

    def fired_by(self, key: str) -> str:
        """The name of what decides whether it strikes calls with the arguments of this key."""
        return f"{self.stream}{seeds.SEPARATOR}{key}" if self.by_arguments else self.stream

    def drawn_by(self, nth: int, times: int, key: str) -> str:
        """The name of its fault's draws on a call that it strikes.

        They depend on the call, in whatever order calls come, unless the rule goes by order. A permanent fault draws
        once, so that it always looks the same: by order with the number of the first call that it struck.

        Args:
            nth: the calls of the tool before.
            times: the calls with these arguments before, for a rule that goes by them.
            key: of the arguments; unused where not `draws_by_arguments`.
        """
        if self.by_order and not self.draws_nothing:
            return seeds.joined(self.stream, nth if self.since is None else self.since)
        if not self.draws_by_arguments:
            return self.stream
        count = times if self.by_arguments else next(self._counter(key))
        return f"{self.stream}{seeds.SEPARATOR}{key}{seeds.SEPARATOR}{count}"

    def draw_moments(self, key: str) -> Callable[[], Moment]:
        """A function that draws the moments of one call after another with these arguments, as `moment_of` does."""
        count = self._counter(key)
        draw = seeds.numbered_digests(f"{self.stream}{seeds.SEPARATOR}{key}", "moment")
        moments, several = self.moments, len(self.moments)
        return lambda: moments[draw(next(count)) % several]

    def _counter(self, key: str) -> Iterator[int]:
        # `setdefault` and `next` are each atomic in CPython, so no lock is needed.
        return self.same.get(key) or self.same.setdefault(key, itertools.count())

    def moment_of(self, stream: str) -> Moment | None:
        """The moment of the tool's work at which it strikes the call whose draws have this name; see `drawn_by`."""
        if len(self.moments) > 1:
            # By digest rather than from `draw`, so that faults that draw nothing never seed a stream.
            return self.moments[seeds.joined_digest(f"{stream}{seeds.SEPARATOR}moment") % len(self.moments)]
        return self.moments[0] if self.moments else None


class TriggeredFault:
    """A rule that fires on one call, and whether anything came of it.

    Attributes:
        stream: the name of its draws on this call.
        moment: the one that was drawn of several; None before that (`ToolState.moment`).
    """

    __slots__ = ("delivered", "moment", "reported", "rule_state", "stream")

    def __init__(self, rule_state: RuleState, stream: str) -> None:
        self.rule_state = rule_state
        self.stream = stream
        self.moment: Moment | None = None
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

    @property
    def substituted(self) -> bool:
        """Whether one fault alone strikes, of a kind that answers at once."""
        return len(self.faults) == 1 and self.faults[0].rule_state.substitutes


class Substitution:
    """The one fault that strikes a call, of a kind that answers at once: no generator need be driven for it.

    As a layer it is what `Injector.inject` makes of the fault. Where nothing else has to see the call, it is asked to
    `answer`, which does the same and costs a third less.

    Args:
        triggered: the fault.
        inject: makes the generator of it.
        settle: takes what became of it: the evidence, and what was shown, None where it was cut off.
    """

    __slots__ = ("_inject", "_settle", "_triggered")

    def __init__(
        self,
        triggered: TriggeredFaults,
        inject: Callable[[TriggeredFaults, Call], Steps],
        settle: Callable[[TriggeredFaults, FaultEvidence, Outcome | None], None],
    ) -> None:
        self._triggered = triggered
        self._inject = inject
        self._settle = settle

    def __call__(self, call: Call) -> Steps:
        """The layer."""
        return self._inject(self._triggered, call)

    def answer(self, call: Call, run: Callable[[Call], Outcome]) -> Outcome:
        """Answer the call in this thread; `run` runs the tool, where the fault strikes after its work or during it."""
        call, evidence = self._begin(call)
        shown: Outcome | None = None
        try:
            request = self._work(call)
            if request is not None:
                self._worked(request, run_as_current(request, run), evidence)
            shown = self._shown()
        except StopIteration as error:  # as `drive` has it, for whose generators it would be an end
            raise RuntimeError("the tool raised StopIteration") from error
        finally:  # a fault that arrived must not go unreported
            self._settle(self._triggered, evidence, shown)
            del evidence  # the exception of an answer in it and this frame would hold one another
        return shown

    async def answer_async(self, call: Call, run: Callable[[Call], Awaitable[Outcome]]) -> Outcome:
        """Do the same in this task."""
        call, evidence = self._begin(call)
        shown: Outcome | None = None
        try:
            request = self._work(call)
            if request is not None:
                self._worked(request, await run_as_current_async(request, run), evidence)
            shown = self._shown()
        finally:
            self._settle(self._triggered, evidence, shown)
            del evidence
        return shown

    def _begin(self, call: Call) -> tuple[Call, FaultEvidence]:
        """The call with its number among those of the tool, and the evidence of what becomes of it."""
        if call.nth != self._triggered.nth:
            call = replace(call, nth=self._triggered.nth)
        return call, FaultEvidence(call, self._triggered.target.effects, acts=True)

    def _work(self, call: Call) -> Call | None:
        """The call as the tool is to work on it; None where the fault comes before."""
        target, fired = self._triggered.target, self._triggered.faults[0]
        moment = target.moment(fired)
        return target.timed(fired, call, moment) if moment in ("during", "after") else None

    def _worked(self, request: Call, answer: Outcome, evidence: FaultEvidence) -> None:
        triggered = self._triggered
        triggered.target.remember(request, answer)
        triggered.work = triggered.work.with_answer(answer)
        evidence.answered(request, answer, True)

    def _shown(self) -> Outcome:
        return self._triggered.faults[0].rule_state.answer()


class LateStream:
    """A stream of random numbers that is seeded when first drawn from: most faults never draw."""

    __slots__ = ("_name", "_stream")

    def __init__(self, name: str) -> None:
        self._name = name
        self._stream: random.Random | None = None

    def __getattr__(self, name: str) -> Any:
        if self._stream is None:
            self._stream = seeds.stream(self._name, "act")
        return getattr(self._stream, name)


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
