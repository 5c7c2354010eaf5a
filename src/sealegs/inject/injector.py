"""The layer that injects a plan's faults.

What is drawn depends on the plan and on the call: on its arguments and how often they came, never on the order in which
calls arrive. What counts calls depends on each tool's own sequence of them, never on how the calls of different tools
interleave; of calls that a model asked for at once, a `ModelTurn` tells the sequence. The exception is what is about
order by its meaning: `first_touch` (who was first in a group), `after` (a cascade), `stale` (what was answered before),
and the places of `at_most` that a fault which came to nothing gives back while other calls of its tool are under way.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sealegs.faults.call import MORE_TO_COME, Call, Layer, Outcome, Wait
from sealegs.faults.equal import KnownArguments
from sealegs.faults.fault import Steps, checked_steps
from sealegs.faults.plan import Plan, Rule
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import really_waited
from sealegs.inject.injection import NOTHING_DONE, FaultEvidence, Injection, WorkDone, safely_equal
from sealegs.inject.seam import NO_DRY_RUN
from sealegs.inject.tool_state import RuleState, Substitution, ToolState, TriggeredFault, TriggeredFaults
from sealegs.inject.turn import PlaceInTurn, TurnNumbers, place_in_turn


class MisfireWarning(UserWarning):
    """A rule matched a call of a tool on which its fault can never be delivered."""


class Injector:
    """The faults of one episode.

    Args:
        plan: what to inject.
        episode: part of the key of every random decision.
        specs: what is known of the tools.
        on_injection: called with each fault that fired, delivered or not.
        now: the seconds of the episode's clock.

    Attributes:
        states: the tools that were called, each under the plan's rules; only read it, and ask `state` for another.
        unheard: whether nobody is told of faults.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        episode: str = "",
        specs: Iterable[ToolSpec] = (),
        on_injection: Callable[[Injection], None] | None = None,
        now: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._plan = plan
        self._episode = episode
        self._specs = {spec.name: spec for spec in specs}
        self._on_injection = on_injection
        self.unheard = on_injection is None
        self._now = now
        self.states: dict[str, ToolState] = {}
        self._victims: dict[frozenset[str], str] = {}
        self._delivered: set[str] = set()
        self._warned: set[str] = set()
        self._lock = threading.RLock()  # garbage collection may close an abandoned call in the midst of another
        self._groups = {rule.when.group for rule in plan.rules if rule.when.group}
        self._turns = TurnNumbers(self._groups, self._victims, self._lock)

    def know(self, specs: Iterable[ToolSpec]) -> None:
        """Learn of tools that are announced late; one of which a call was counted already stays as it was."""
        with self._lock:
            for spec in specs:
                self._specs[spec.name] = spec
                # Nothing of it is fixed: adapters ask whether a tool is idle, and declare it, on the way to its call.
                if (state := self.states.get(spec.name)) is not None and not state.counted:
                    del self.states[spec.name]

    def state(self, tool: str) -> ToolState:
        """The tool under the plan's rules in this episode."""
        return self.states.get(tool) or self._target(tool)

    def aim(
        self, target: ToolState, arguments: Mapping[str, Any], same: KnownArguments | None = None
    ) -> TriggeredFaults | None:
        """Count a call of the tool that is made now, and say what strikes it; None where it passes as it is.

        `same`: the arguments as the tool knows them, where they were looked up already.
        """
        if target.idle:
            return None
        if not target.counted:
            target = self._begun(target.tool)
        # Without rules that count, `itertools.count` alone is atomic enough and the lock is saved.
        if not target.counts:
            return self._aimed(target, arguments, same)
        with self._lock:  # what rules have counted and taken must go together, call by call
            return self._aimed(target, arguments, same)

    def number(self, target: ToolState, place: PlaceInTurn) -> int:
        """Count a call of the tool that a model asked for with others, and return its number."""
        return self._turns.number(target.tool, target.calls, place)

    def delivery_marker(self, rule_state: RuleState) -> Callable[[], None]:
        """Return a function that marks a rule's fault as delivered, so that rules after it can strike."""
        return partial(self._delivered.add, rule_state.rule.id)

    def _begun(self, tool: str) -> ToolState:
        """The tool as it stays from its first call on. A declaration may have replaced what the caller has in hand."""
        with self._lock:
            target = self.state(tool)
            target.begin()
            return target

    def _aimed(
        self, target: ToolState, arguments: Mapping[str, Any], same: KnownArguments | None
    ) -> TriggeredFaults | None:
        tool, place = target.tool, place_in_turn.get()
        nth = next(target.calls) if place is None else self.number(target, place)
        # Done even if no rule of this tool fires: the first tool touched in a group is the victim for all of them.
        for group in target.groups:
            self._victims.setdefault(group, tool)
        # Drawing reads all arguments, so it is done only if a rule of this tool is keyed by them.
        known, times = "", 0
        if target.keyed:
            same = same or target.arguments.known(arguments)
            known, times = same.key, next(same.calls)
        faults: list[TriggeredFault] = []
        for rule_state in target.rules:
            count = times if rule_state.by_arguments else nth
            stream = rule_state.fired_by(known)
            if rule_state.simple:  # asked here, since to ask `_fires` costs as much as the draw
                fires = rule_state.unconditional or rule_state.rule.when.fires(count, stream)
            else:
                fires = self._fires(rule_state, nth, count, stream, tool, arguments)
            if fires:
                if not known and rule_state.draws_by_arguments:
                    known = target.arguments.known(arguments).key
                faults.append(TriggeredFault(rule_state, rule_state.drawn_by(nth, times, known)))
                # The warning comes only when the rule would have struck, since a rule that never matches harms nothing.
                if rule_state.why_never:
                    self._warn_never(rule_state.rule, tool, rule_state.why_never)
        return TriggeredFaults(target, nth, faults) if faults or target.earlier is not None else None

    def layer(self, call: Call) -> Steps:
        """The seam's layer."""
        triggered = self.aim(self.state(call.tool), call.arguments)
        if triggered is None:
            return (yield call)
        return (yield from self.inject(triggered, call))

    def layer_of(self, triggered: TriggeredFaults) -> Layer:
        """The layer of what strikes a call; a `Substitution` where it need not be driven."""
        if triggered.substituted:
            return Substitution(triggered, self.inject, self._settle)
        return partial(self.inject, triggered)

    def inject(self, triggered: TriggeredFaults, call: Call) -> Steps:
        """The call under what strikes it; afterwards, the places of faults that came to nothing are free again."""
        # One fault that needs the whole answer is enough to hold back all chunks.
        chunks = call.chunks
        if chunks is not None and not all(fired.rule_state.rule.fault.streamed for fired in triggered.faults):
            chunks = None
        # A call that came with its number, as those do that only the injector sees, can be taken as it is.
        if call.nth != triggered.nth or chunks is not call.chunks or call.buffered or call.cut or call.retry:
            call = Call(call.tool, call.arguments, call.id, triggered.nth, call.dry, chunks)
        try:
            outcome = yield from self._below(triggered, triggered.faults, call, call)
        finally:  # also where the caller gives up or is cancelled
            for fired in triggered.faults:
                # Faults further in are never reached if an outer one answers without a call. They are still reported.
                if not fired.reported:
                    self._report(fired, FaultEvidence(call, triggered.target.effects), None, triggered, NOTHING_DONE)
                self._give_back(fired)
        # Only the run itself shows that a tool refuses a dry run, hence a check after the fact.
        if triggered.target.never_dry:
            self._look_back(triggered)
        return outcome

    def _settle(self, triggered: TriggeredFaults, evidence: FaultEvidence, shown: Outcome | None) -> None:
        """Report a fault that answered by itself."""
        fired = triggered.faults[0]
        try:
            self._report(fired, evidence, shown, triggered, NOTHING_DONE)
        finally:
            self._give_back(fired)

    def _give_back(self, fired: TriggeredFault) -> None:
        """Free the place of `at_most` that a fault took, unless it was delivered."""
        if fired.rule_state.counts and not fired.delivered:
            with self._lock:
                fired.rule_state.taken -= 1

    def _target(self, tool: str) -> ToolState:
        with self._lock:
            # Looked up again under the lock: another thread may have made it since `state` looked.
            target = self.states.get(tool)
            if target is None:
                spec = self._specs.get(tool)
                target = ToolState(tool, self._plan.rules, spec, (self._plan.seed, self._episode), self._groups)
                self.states[tool] = target
                for rule in target.missed:
                    if not rule.match.possible(tool, spec.tags if spec is not None else frozenset())[1]:
                        self._warn_never(rule, tool, rule.why_never(spec))
            return target

    def _fires(
        self,
        rule_state: RuleState,
        nth: int,
        count: int,
        stream: str,
        tool: str,
        arguments: Mapping[str, Any],
    ) -> bool:
        """Return whether the rule strikes this call. A place under `at_most` is taken, and permanence begins, at once.

        `nth` is the call's number among the tool's; `count` and `stream` are what the rule draws by.
        """
        # Checked first: `at_most` ends a permanent fault too, after it has begun.
        if rule_state.at_most is not None and rule_state.taken >= rule_state.at_most:
            return False
        if rule_state.since is None:
            if not rule_state.unconditional and not self._due(rule_state, count, stream, tool, arguments):
                return False
            if rule_state.permanent:
                rule_state.since = nth
        rule_state.taken += rule_state.counts  # a bool: rules that need no count stay at 0 and need no lock
        return True

    def _due(self, rule_state: RuleState, count: int, stream: str, tool: str, arguments: Mapping[str, Any]) -> bool:
        if rule_state.after is not None and rule_state.after not in self._delivered:
            return False
        # Only the parts that depend on arguments; the name and tags were matched once for the tool.
        for part in rule_state.open:
            if not part.matches(tool, rule_state.tags, arguments):
                return False
        victim = bool(rule_state.group) and self._victims.get(rule_state.group) == tool
        return rule_state.rule.when.fires(count, stream, victim)

    def _below(self, triggered: TriggeredFaults, faults: list[TriggeredFault], call: Call, own: Call) -> Steps:
        """A call under the rules that are left, or the tool itself where none is."""
        return self._under(triggered, faults, call, own) if faults else _run(triggered, call, own)

    def _under(self, triggered: TriggeredFaults, faults: list[TriggeredFault], call: Call, own: Call) -> Steps:
        """A call under these rules, the first of the plan outermost. `own` is the call as the agent made it."""
        target, work = triggered.target, triggered.work
        fired, rest = faults[0], faults[1:]
        evidence = FaultEvidence(call, target.effects, acts=True)
        shown: Outcome | None = None
        ran: Outcome | None = None  # answered by a run with effect in place of one without
        sent, real = call, True
        setting = target.setting(fired, call)
        fault, moment = fired.rule_state.rule.fault, setting.moment
        generator = fault.act(call, setting) if fired.rule_state.built_in else checked_steps(fault.act(call, setting))
        try:
            if fault.instead and moment in ("during", "after") and not call.dry:
                answer = yield from self._below(triggered, rest, target.timed(fired, call, moment), own)
                evidence.answered(call, answer, True)
            request = next(generator)
            while True:
                if not isinstance(request, Call):
                    answer = yield from self._waiting(request, evidence)
                    if request.chunks and evidence.said is MORE_TO_COME:
                        _note_end(triggered, evidence, sent, answer, real)
                # The tool could not run dry and has run with its effect already: a second run would double it.
                elif ran is not None and not request.dry:
                    answer, ran = ran, None
                else:
                    if fault.rewrites and not request.dry:
                        request = target.timed(fired, request, moment)
                    answer = yield from self._below(triggered, rest, request, own)
                    sent = request
                    # `_run` makes a dry call for the agent's own arguments a real one where the tool cannot run dry.
                    real = not request.dry or (target.never_dry and safely_equal(request.arguments, own.arguments))
                    evidence.answered(request, answer, real)
                    ran = answer if real and request.dry else None
                request = generator.send(answer)
        except StopIteration as stop:
            shown = stop.value
            if moment in ("before", "during") and fault.rewrites and not call.dry and evidence.falls_short(shown):
                # Nothing came of the fault, so the work is done.
                shown = yield from self._below(triggered, rest, call, own)
                evidence.answered(call, shown, True)
        except Exception as error:  # the tools of others answer with objects that no fault was made for
            _warn(fired.rule_state.rule, call.tool, error)
            shown = evidence.last
            if not evidence.runs:
                shown = yield from self._below(triggered, rest, call, own)
                evidence.answered(call, shown, not call.dry)
        finally:  # a fault that arrived must not go unreported
            generator.close()
            self._report(fired, evidence, shown, triggered, work)
        assert shown is not None
        return shown

    def _waiting(self, request: Wait, evidence: FaultEvidence) -> Steps:
        """A wait, which may be cut off: the caller gives up or is cancelled, or the episode ends."""
        before, began, over = evidence.waited, self._now(), False
        evidence.waited += request.seconds
        try:
            answer = yield request
            over = True
        finally:
            if not over:
                evidence.waited = before + really_waited(request.seconds, self._now() - began)
        return answer

    def _look_back(self, triggered: TriggeredFaults) -> None:
        """Warn where nothing came of a fault because the tool, as has turned out, cannot run without its effect."""
        for rule in [fired.rule_state.rule for fired in triggered.faults if not fired.delivered]:
            why = rule.why_never(triggered.target.spec, dry=False)
            if why:
                self._warn_never(rule, triggered.target.tool, why)

    def _warn_never(self, rule: Rule, tool: str, why: str) -> None:
        """Warn, once for a rule and episode, that its fault can never come to anything on a tool that it matches."""
        if rule.id not in self._warned:
            self._warned.add(rule.id)
            message = f"rule {rule.id!r} can never deliver {rule.fault.kind!r} on {tool!r}: {why}"
            warnings.warn(
                f"{message}; `sealegs plan check PLAN --tools MODULE` shows every such rule", MisfireWarning, 2
            )

    def _report(
        self,
        fired: TriggeredFault,
        evidence: FaultEvidence,
        shown: Outcome | None,
        triggered: TriggeredFaults,
        before: WorkDone,
    ) -> None:
        """Settle whether a fault was delivered, and tell the listener. `before`: the work done when it began to act."""
        rule = fired.rule_state.rule
        delivered = evidence.delivered(shown)
        fired.reported = True
        if delivered:
            fired.delivered = True
            self._delivered.add(rule.id)
        if self._on_injection is not None:
            self._on_injection(
                Injection(  # by place, which costs a third of what names do
                    evidence.call,
                    rule.id,
                    rule.fault.kind,
                    rule.fault.implicit,
                    delivered,
                    None if evidence.said is MORE_TO_COME else evidence.said,
                    None if shown is MORE_TO_COME else shown,
                    evidence.runs,
                    evidence.waited,
                    triggered.work.since(before).moment if evidence.effects else "",
                    evidence.acts and shown is None,  # cut off
                )
            )


def _note_end(triggered: TriggeredFaults, evidence: FaultEvidence, sent: Call, answer: Outcome, real: bool) -> None:
    """Note what came of a run after its first chunks: only then is it known what its tool returned."""
    evidence.answered(sent, answer, real)
    if real:
        triggered.work = triggered.work.with_end(answer)


def _warn(rule: Rule, tool: str, error: Exception) -> None:
    reason = f"{type(error).__name__}: {error}"
    text = f"fault {rule.fault.kind!r} of rule {rule.id!r} cannot work on an answer of {tool!r} and leaves it as it is"
    warnings.warn(f"{text} ({reason})", RuntimeWarning, stacklevel=2)


def _run(triggered: TriggeredFaults, call: Call, own: Call) -> Steps:
    """The tool itself, below all rules.

    Where it cannot run dry and has effects, the agent's own call runs as usual, and no other call is made: nobody asked
    for that effect. An answer that is to be remembered is not buffered.
    """
    target = triggered.target
    # A fault that serves old answers needs the whole one to remember.
    if call.buffered and target.earlier is not None:
        call = replace(call, chunks=None, buffered=False)
    try:
        outcome = yield call
    except GeneratorExit:  # whoever takes the chunks has had enough, or was cancelled
        if call.chunks is not None and not call.dry:
            triggered.work = triggered.work.with_answer(MORE_TO_COME)
        raise
    if outcome is NO_DRY_RUN:
        # For a tool without effects a dry run and a real one are the same, so nothing was missed.
        target.never_dry = target.effects
        if not target.effects or safely_equal(call.arguments, own.arguments):
            outcome = yield call.as_dry(False)
            triggered.work = triggered.work.with_answer(outcome)
    elif not call.dry:
        target.remember(call, outcome)
        triggered.work = triggered.work.with_answer(outcome)
    return outcome
