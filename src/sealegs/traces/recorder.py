"""Watching a session: every call, what the tool said, what the agent was shown, and what really happened."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import Any

from sealegs.faults.call import GOES_ON, Call, Effect, Failure, Layer, Outcome, Wait
from sealegs.faults.spec import ToolSpec
from sealegs.inject.clock import Clock
from sealegs.inject.seam import NOT_DRY
from sealegs.inject.seat import Act
from sealegs.inject.strike import Strike, same
from sealegs.traces.events import (
    Acted,
    Answered,
    Called,
    Effected,
    Ended,
    Event,
    Ran,
    Reason,
    Shown,
    Started,
    Struck,
    Waited,
    Wrote,
    outcome_data,
    seconds,
)
from sealegs.traces.plain import plain_object
from sealegs.traces.specs import TOOLS, effects_data


class Recorder:
    """The record of one episode, as it happens. What comes after the end is not kept: the record is closed.

    Args:
        clock: stamps calls and outcomes, in seconds since the episode began.
        sink: told each event at once, besides being kept.
    """

    def __init__(self, clock: Clock, sink: Callable[[Event], None] | None = None) -> None:
        self.events: list[Event] = []
        self._clock = clock
        self._sink = sink
        self._closed = False
        self._specs: Mapping[str, ToolSpec] = {}

    def knows(self, specs: Mapping[str, ToolSpec]) -> None:
        """What is known of the tools, and will be; what was said of the effects of called ones is noted at the end."""
        self._specs = specs

    def add(self, event: Event) -> None:
        """Enter an event."""
        if self._closed:
            return
        self.events.append(event)
        if self._sink is not None:
            self._sink(event)

    def start(self, episode: str, about: Mapping[str, Any]) -> None:
        """The episode begins."""
        self.add(Started(episode, plain_object(about)))

    def note(self, facts: Mapping[str, Any]) -> None:
        """What is learnt of the episode after its beginning, and belongs there. No sink is told."""
        first = self.events[0]
        if isinstance(first, Started) and not self._closed:
            self.events[0] = replace(first, about={**first.about, **plain_object(facts)})

    def finish(self, reason: Reason, *, answer: str | None = None, detail: str = "") -> None:
        """The episode ends, with the agent's final words if it had any."""
        self._note_effects()
        if answer is not None:
            self.add(Answered(answer))
        self.add(Ended(reason, detail, self._clock.now()))
        self._closed = True

    def _note_effects(self) -> None:
        first = self.events[0] if self.events else None
        if not isinstance(first, Started) or TOOLS in first.about:
            return
        called = dict.fromkeys(one.tool for one in self.events if isinstance(one, (Called, Acted)) and one.tool)
        said = [spec for tool in called if (spec := self._specs.get(tool)) is not None and spec.effects is not None]
        if said:
            self.note({TOOLS: [effects_data(spec) for spec in said]})

    def wrote(self, text: str) -> None:
        """The agent wrote a message that is not its answer."""
        self.add(Wrote(text, self._clock.now()))

    def effect(self, effect: Effect) -> None:
        """The world's ledger has a new line."""
        self.add(Effected(effect.call, effect.action, effect.subject, plain_object(effect.details)))

    def struck(self, strike: Strike) -> None:
        """A fault fired."""
        self.add(
            Struck(
                strike.call.id,
                strike.rule,
                strike.kind,
                strike.implicit,
                strike.delivered,
                strike.runs,
                seconds(strike.waited),
                None if strike.said is None else outcome_data(strike.said),
                None if strike.shown is None else outcome_data(strike.shown),
                strike.moment,
            )
        )

    def acted(self, act: Act) -> None:
        """A layer did something on a call besides passing it on."""
        attempt = act.attempt
        self.add(
            Acted(
                act.call.id,
                act.policy,
                act.action,
                None if attempt is None else attempt.id,
                None if attempt is None else attempt.tool,
                None if attempt is None else plain_object(attempt.arguments),
                None if act.outcome is None else outcome_data(act.outcome),
                act.detail,
                act.mended,
                act.began,
                self._clock.now(),
            )
        )

    def refused(self, call: Call, failure: Failure) -> None:
        """A call that never reached the seam: what carries the tools refused it."""
        self.add(Called(call.id, call.tool, plain_object(call.arguments), self._clock.now()))
        self.add(Shown(call.id, outcome_data(failure), 0, False, self._clock.now()))

    def around(self, layer: Layer) -> Layer:
        """The layer with this recorder outside it."""

        def recorded(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            self.add(Called(call.id, call.tool, plain_object(call.arguments), self._clock.now()))
            runs: list[tuple[Call, Outcome]] = []
            shown: Outcome | None = None
            held: Call | None = None  # its run is under way
            generator = layer(call)
            try:
                request = next(generator)
                while True:
                    if isinstance(request, Call):
                        held = request
                    else:
                        self.add(Waited(call.id, seconds(request.seconds)))
                    answer = yield request
                    if held is not None and answer is not GOES_ON and (request is held or request.pieces):
                        if answer is not NOT_DRY:
                            runs.append((held, answer))
                        held = None
                    request = generator.send(answer)
            except StopIteration as stop:
                shown = stop.value
            finally:
                generator.close()
                self._showed(call, runs, shown)
            assert shown is not None
            return shown

        return recorded

    def _showed(self, call: Call, runs: list[tuple[Call, Outcome]], shown: Outcome | None) -> None:
        true = shown is not None and len(runs) == 1 and _own(runs[0][0], call) and same(runs[0][1], shown)
        if not true:
            for run, said in runs:
                self.add(Ran(run.id, outcome_data(said), run.dry))
        outcome = None if shown is None else outcome_data(shown)
        self.add(Shown(call.id, outcome, len(runs), true, self._clock.now()))


def _own(run: Call, call: Call) -> bool:
    """Whether the tool ran for the agent's own call, with its effect."""
    return run.id == call.id and not run.dry
