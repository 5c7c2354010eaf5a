"""Watching a session: every call, what the tool returned, what the agent was shown, and what really happened."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.call import MORE_TO_COME, Call, Effect, Failure, Layer, Outcome, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject.call_context import run_as_current, run_as_current_async
from sealegs.inject.clock import Clock
from sealegs.inject.injection import Injection, safely_equal
from sealegs.inject.layer_context import (
    Following,
    FollowingWatcher,
    LayerAction,
    ReadArguments,
    ToolRunner,
    ToolRunnerAsync,
)
from sealegs.inject.seam import NO_DRY_RUN
from sealegs.traces.events import (
    AnswerGiven,
    EffectHappened,
    EpisodeEnded,
    EpisodeStarted,
    Event,
    FactsNoted,
    FaultInjected,
    LayerActionTaken,
    MessageWritten,
    OutcomeShown,
    Reason,
    TimePassed,
    ToolCalled,
    ToolRan,
    finite_seconds,
    outcome_data,
)
from sealegs.traces.json_data import to_json_object
from sealegs.traces.kept_events import KeptEvents
from sealegs.traces.recorded_calls import FollowedTool
from sealegs.traces.redaction import SECRET
from sealegs.traces.reported_effects import ledger, restore_ledger
from sealegs.traces.specs import TOOLS, declared_effects

MOST = 10_000  # events of an episode that are kept in memory


class Recorder(FollowingWatcher):
    """The record of one episode, as it happens. What comes after the end is not kept: the record is closed.

    Args:
        clock: stamps calls and outcomes, in seconds since the episode began.
        sink: called with each event at once, besides keeping it.
        keep: whether events are kept; if not, `events` stays empty.
        most: events, or notes of them, that are kept in memory; earlier ones go to a temporary file, and back where
            `events` is read.
    """

    def __init__(
        self, clock: Clock, sink: Callable[[Event], None] | None = None, *, keep: bool = True, most: int = MOST
    ) -> None:
        self._kept = KeptEvents(most)
        self._keep = keep
        self._called: dict[str, None] = {}  # the tools that were called
        self._about: set[str] = set()  # the names of what is known of the episode
        self._now = clock.now
        self._sink = sink
        self._closed = False
        self._specs: Mapping[str, ToolSpec] = {}
        # Enters an event that is no call: every call has some, and mostly they are only kept.
        self._enter: Callable[[Any], None] = self._kept.append if keep and sink is None else self.add
        self._failed: tuple[Failure | None, dict[str, Any]] = (None, {})  # the failure that was noted last

    @property
    def events(self) -> list[Event]:
        """The events so far, in a list of its own."""
        return self._kept.events()

    def knows(self, specs: Mapping[str, ToolSpec]) -> None:
        """Take what is known of the tools, now and later; what called ones declare is noted at the end."""
        self._specs = specs

    def add(self, event: Event) -> None:
        """Enter an event."""
        if self._closed:
            return
        if self._keep:
            self._kept.append(event)
        if isinstance(event, (ToolCalled, LayerActionTaken)) and event.tool and event.tool not in self._called:
            self._meet(event.tool)
        if self._sink is not None:
            self._sink(event)

    def _meet(self, tool: str) -> None:
        """Note that a tool was called, before the sink sees the call: it must know which arguments are secret."""
        self._called[tool] = None
        self._warn_of_secrets(tool)

    def start(self, episode: str, about: Mapping[str, Any]) -> None:
        """Begin the episode."""
        self._about |= set(about)
        self.add(EpisodeStarted(episode, to_json_object(about)))

    def note(self, facts: Mapping[str, Any]) -> None:
        """Note what is learnt after the episode's beginning but belongs there.

        The sink is not called, unless the beginning is not kept.
        """
        self._note_data(to_json_object(facts))

    def _note_data(self, facts: dict[str, Any]) -> None:
        """Note facts that are JSON data, which nobody changes any more."""
        self._about |= set(facts)
        # The beginning was given to the sink already and cannot be changed.
        if not self._keep:
            self.add(FactsNoted(facts))
            return
        first = self._kept.first
        if isinstance(first, EpisodeStarted) and not self._closed:
            self._kept.replace_first(replace(first, about={**first.about, **facts}))

    def finish(self, reason: Reason, *, answer: str | None = None, detail: str = "") -> None:
        """End the episode, with the agent's final words if there were any."""
        # While the record is open; after the end nothing is taken.
        self.note_effects()
        if answer is not None:
            self.add(AnswerGiven(answer))
        self.add(EpisodeEnded(reason, detail, self._now()))
        self._closed = True
        self._kept.close()
        self._enter = self.add

    def note_effects(self) -> None:
        """Note what is declared of the effects and secrets of the tools that were called; `finish` does so too."""
        if TOOLS in self._about or (self._keep and self._kept.first is None):
            return
        if declarations := self._declarations():
            self._note_data({TOOLS: declarations})

    def _declarations(self) -> list[dict[str, Any]]:
        """The declarations of the tools that were called, if they say more than names."""
        found = [declared_effects(spec) for tool in self._called if (spec := self._specs.get(tool)) is not None]
        return [data for data in found if data["effects"] is not None or SECRET in data]

    def _warn_of_secrets(self, tool: str) -> None:
        """Tell the sink which fields of a tool are secret before it gets the tool's first call."""
        spec = self._specs.get(tool)
        if self._sink is not None and TOOLS not in self._about and spec and any(spec.secrets):
            self._sink(FactsNoted({TOOLS: self._declarations()}))

    def wrote(self, text: str) -> None:
        """Enter a message of the agent's that is not its answer."""
        self.add(MessageWritten(text, self._now()))

    def effect(self, effect: Effect) -> None:
        """Enter a new line of the world's ledger."""
        self.add(EffectHappened(effect.call, effect.action, effect.subject, to_json_object(effect.details)))

    def injected(self, injection: Injection) -> None:
        """Enter a fault that fired."""
        said, shown = injection.said, injection.shown
        self._enter(
            FaultInjected(
                injection.call.id,
                injection.rule,
                injection.kind,
                injection.implicit,
                injection.delivered,
                injection.runs,
                finite_seconds(injection.waited),
                None if said is None else self._data(said),
                None if shown is None else self._data(shown),
                injection.moment,
                injection.cut_off,
            )
        )

    def layer_action(self, action: LayerAction) -> None:
        """Enter what a layer did on a call besides passing it on."""
        attempt = action.attempt
        self.add(
            LayerActionTaken(
                action.call.id,
                action.policy,
                action.name,
                None if attempt is None else attempt.id,
                None if attempt is None else attempt.tool,
                None if attempt is None else to_json_object(attempt.arguments),
                None if action.outcome is None else outcome_data(action.outcome),
                action.detail,
                action.repaired,
                action.began,
                self._now(),
            )
        )

    def refused(self, call: Call, failure: Failure) -> None:
        """Enter a call that never reached the seam because whatever carries the tools refused it."""
        self._note_call(call)
        self.add(OutcomeShown(call.id, outcome_data(failure), 0, False, self._now()))

    def following(self, tool: str, read: ReadArguments, numbers: Iterator[int]) -> Following | None:
        """Give the ways to follow calls of this tool that an adapter makes; None where events are passed on at once."""
        if self._sink is not None or not self._keep or type(self) is not Recorder:  # a subclass may want to see all
            return None
        return FollowedTool((tool, read), self._kept, self.effect, self._data, self._now, numbers).following()

    def follow(self, call: Call, run: Callable[[Call], Outcome]) -> Outcome:
        """Run the tool for a call that nothing strikes, and record what `around` would."""
        self._note_call(call)
        before = ledger.get()
        ledger.set(self.effect)
        outcome: Outcome | None = None
        try:
            outcome = run_as_current(call, run)
            return outcome
        finally:
            ledger.set(before)
            self._answered(call, outcome)
            del outcome  # its exception and this frame would hold one another

    async def follow_async(self, call: Call, run: Callable[[Call], Awaitable[Outcome]]) -> Outcome:
        """The same in a task."""
        self._note_call(call)
        before, own = ledger.get(), self.effect
        ledger.set(own)
        outcome: Outcome | None = None
        try:
            outcome = await run_as_current_async(call, run)
            return outcome
        finally:
            restore_ledger(before, own)
            self._answered(call, outcome)
            del outcome

    def follow_struck(self, call: Call, run: ToolRunner, answer: Callable[[Call, ToolRunner], Outcome]) -> Outcome:
        """Have a fault answer the call, and record what `around` would."""
        self._note_call(call)
        runs: list[tuple[Call, Outcome]] = []

        def noted(request: Call) -> Outcome:
            before = ledger.get()
            ledger.set(self.effect)
            try:
                runs.append((request, run(request)))
            finally:
                ledger.set(before)
            return runs[-1][1]

        shown: Outcome | None = None
        try:
            shown = answer(call, noted)
            return shown
        finally:
            self._showed(call, runs, shown)
            runs.clear()  # their exceptions and this frame would hold one another
            del shown

    async def follow_struck_async(
        self, call: Call, run: ToolRunnerAsync, answer: Callable[[Call, ToolRunnerAsync], Awaitable[Outcome]]
    ) -> Outcome:
        """The same in a task."""
        self._note_call(call)
        runs: list[tuple[Call, Outcome]] = []

        async def noted(request: Call) -> Outcome:
            before, own = ledger.get(), self.effect
            ledger.set(own)
            try:
                runs.append((request, await run(request)))
            finally:
                restore_ledger(before, own)
            return runs[-1][1]

        shown: Outcome | None = None
        try:
            shown = await answer(call, noted)
            return shown
        finally:
            self._showed(call, runs, shown)
            runs.clear()
            del shown

    def around(self, layer: Layer) -> Layer:
        """The layer with this recorder outside it."""

        def recorded(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            self._note_call(call)
            runs: list[tuple[Call, Outcome]] = []
            shown: Outcome | None = None
            held: Call | None = None  # its run is under way
            generator = layer(call)
            try:
                request = next(generator)
                while True:
                    if isinstance(request, Call):
                        held = request
                    else:  # written before: who reads the record of a killed process sees why a call did not end
                        self.add(TimePassed(call.id, finite_seconds(request.seconds)))
                    # Set around each yield only: the generator runs in the context of the code that drives it.
                    token = ledger.set(self.effect)
                    try:
                        answer = yield request
                    finally:
                        try:  # noqa: SIM105  # `suppress` would cost every run of a tool
                            ledger.reset(token)
                        except ValueError:  # garbage collection may close this in another context
                            pass
                    # A wait in between is not an answer unless it requested chunks of the run under way.
                    if held is not None and answer is not MORE_TO_COME and (request is held or request.chunks):
                        if answer is not NO_DRY_RUN:
                            runs.append((held, answer))
                        held = None
                    request = generator.send(answer)
            except StopIteration as stop:
                shown = stop.value
            finally:
                # Layers are closed before the outcome is noted: a fault that is cut off reports its injection then.
                generator.close()
                self._showed(call, runs, shown)
            assert shown is not None
            return shown

        return recorded

    def _note_call(self, call: Call) -> None:
        if len(self._kept.recent) >= self._kept.most:
            self._kept.make_room()
        # Copied now: the tool may change its arguments while it runs.
        event = ToolCalled(call.id, call.tool, to_json_object(call.arguments), self._now(), call.retry)
        # Only the first call of a tool needs more than being kept.
        (self._enter if call.tool in self._called else self.add)(event)

    def _answered(self, call: Call, outcome: Outcome | None) -> None:
        """Note the outcome of a call that nothing struck; None where it was cut off."""
        if outcome is None or call.dry:
            self._showed(call, [] if outcome is None else [(call, outcome)], outcome)
            return
        self._enter(OutcomeShown(call.id, self._data(outcome), 1, True, self._now()))

    def _data(self, outcome: Outcome) -> dict[str, Any]:
        """An outcome as JSON, as it is now. A fault shows the same failure again and again: it is written out once."""
        # A failure with an exception holds frames, and all that they hold, so it is not remembered.
        if not isinstance(outcome, Failure) or outcome.exception is not None:
            return outcome_data(outcome)
        known, data = self._failed  # read once: another thread may note another failure meanwhile
        if outcome is not known:
            data = outcome_data(outcome)
            self._failed = (outcome, data)
        return data

    def _showed(self, call: Call, runs: list[tuple[Call, Outcome]], shown: Outcome | None) -> None:
        true = shown is not None and len(runs) == 1 and _own(runs[0][0], call) and safely_equal(runs[0][1], shown)
        # The usual case needs no event for the run, which would only repeat what was shown.
        if not true:
            for run, answer in runs:
                self._enter(ToolRan(run.id, self._data(answer), run.dry))
        outcome = None if shown is None else self._data(shown)
        self._enter(OutcomeShown(call.id, outcome, len(runs), true, self._now()))


def _own(run: Call, call: Call) -> bool:
    """Return whether the tool ran for the agent's own call, with its effect."""
    return run.id == call.id and not run.dry
