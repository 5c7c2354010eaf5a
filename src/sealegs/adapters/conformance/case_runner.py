"""Cases run to their end, whatever the adapter does: in a thread of their own, which is left behind if it hangs."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sealegs.adapters.conformance.fixtures import USUAL, Act, Mode, WeatherTools
from sealegs.adapters.conformance.harness import ConformanceCase, Harness, ModelScript, ScriptedToolCall
from sealegs.faults import AnyFault, Call, Outcome, Plan, Rule, Wait
from sealegs.faults.call import Layer
from sealegs.faults.triggers import Matcher, Tool
from sealegs.inject import Injection, Session

LIMIT = 30.0  # seconds after which a case counts as stuck
BEAT = 0.01  # seconds between two beats of the event loop's heart


def scripted_calls(*calls: str) -> tuple[ScriptedToolCall, ...]:
    """The calls of one turn, each as `tool city`."""
    return tuple(
        ScriptedToolCall(f"{tool}_{city}", tool, {"city": city}) for tool, city in (call.split() for call in calls)
    )


def case_plan(*rules: tuple[str, AnyFault] | Rule, seed: int = 7) -> Plan:
    """A plan of rules, each whole or as a tool and what strikes all its calls."""
    whole = [rule if isinstance(rule, Rule) else case_rule(Tool(rule[0]), rule[1]) for rule in rules]
    return Plan(name="conformance", seed=seed, rules=tuple(whole))


def case_rule(match: Matcher, fault: AnyFault, **more: Any) -> Rule:
    """A rule that strikes at the fault's simplest moment, unless it names one."""
    return Rule(match=match, fault=fault, **{"moment": fault.simplest_moment(), **more})


class SessionProbe:
    """Watches a session: its injections, and how often the event loop's heart beat while a call waited."""

    def __init__(self) -> None:
        self.injections: list[Injection] = []
        self.waiting = threading.Event()  # set when the first wait begins
        self.beats = 0
        self.calls = 0

    def injected(self, injection: Injection) -> None:
        """A fault fired."""
        self.injections.append(injection)

    def around(self, layer: Layer) -> Layer:
        """The layer, watched."""

        def watched(call: Call) -> Generator[Call | Wait, Outcome, Outcome]:
            self.calls += 1
            generator = layer(call)
            try:
                request = next(generator)
                while True:
                    if isinstance(request, Wait):
                        self.waiting.set()
                    request = generator.send((yield request))
            except StopIteration as stop:
                result: Outcome = stop.value
                return result
            finally:
                self.waiting.clear()
                generator.close()

        return watched


@dataclass(frozen=True)
class CaseResult:
    """The result of a case.

    Attributes:
        shown: the text that the model read of each call, by the call's id.
        prompts: all that it read, a text a turn.
        finished: whether it could say its last words.
        raised: the exception that the run raised, if any.
        seconds: the time that it took.
        events: the events that the framework streamed.
        weather: the tools, and the work that was done at them.
        witness: the calls and injections that were seen at the seam.
        stuck: whether the run had not ended after `LIMIT`.
    """

    shown: Mapping[str, str]
    prompts: tuple[str, ...]
    finished: bool
    raised: BaseException | None
    seconds: float
    events: tuple[str, ...]
    weather: WeatherTools
    witness: SessionProbe
    stuck: bool

    @property
    def read(self) -> str:
        """All that the model read, and the text of what the run raised."""
        return "\n".join((*self.prompts, *self.shown.values(), *([str(self.raised)] if self.raised else [])))

    @property
    def surface(self) -> tuple[Mapping[str, str], str]:
        """The texts that the model read of the calls, and the exception that ended the run; empty where none did."""
        return self.shown, "" if self.raised is None else f"{type(self.raised).__name__}: {self.raised}"


@dataclass(frozen=True)
class CaseRunner:
    """Runs cases of one harness in one mode."""

    harness: Harness
    mode: Mode

    @property
    def usual(self) -> Mapping[str, Act]:
        """The acts of the tools by default."""
        chunks = self.harness.chunks
        return USUAL if chunks is None else {name: _chunked(act, chunks) for name, act in USUAL.items()}

    def bare(
        self, *turns: Sequence[ScriptedToolCall], acts: Mapping[str, Act] | None = None, **more: Any
    ) -> CaseResult:
        """The framework alone, without the adapter.

        Raises:
            RuntimeError: it does not run even so, although no tool failed; then nothing can be compared with it.
        """
        played = self._play(turns, acts, armed=False, **more)
        # Where a tool raised or the client had little patience, a framework may end the run by its own rules.
        quiet = not played.weather.raised and more.get("patience") is None
        if played.stuck or (quiet and not played.finished):
            ended = "nothing" if played.raised is None else f"{type(played.raised).__name__}: {played.raised}"
            raise RuntimeError(f"without the adapter the run ends with {ended}")
        missing = [ask.id for turn in turns for ask in turn if ask.id not in played.shown] if played.finished else []
        if missing:
            raise RuntimeError(f"without the adapter the model reads no result of {', '.join(missing)}")
        return played

    def cut_off(self, *turns: Sequence[ScriptedToolCall], error: BaseException) -> CaseResult:
        """The framework alone, whose first tool is cut off by this, which is not an `Exception`."""

        def act(arguments: Mapping[str, Any]) -> Any:
            raise error

        return self._play(turns, {turns[0][0].tool: act}, armed=False)

    def cancelled(self, *turns: Sequence[ScriptedToolCall], after: float) -> CaseResult:
        """The framework alone in its async way, cancelled so many seconds after its first tool began and hung."""

        def act(arguments: Mapping[str, Any]) -> Any:
            return asyncio.Event().wait() if self.mode == "async" else time.sleep(2 * after)

        return self._play(turns, {turns[0][0].tool: act}, armed=False, cancel=after)

    def armed(
        self, plan: Plan, *turns: Sequence[ScriptedToolCall], acts: Mapping[str, Act] | None = None, **more: Any
    ) -> CaseResult:
        """The framework with the adapter under a plan."""
        return self._play(turns, acts, armed=True, plan=plan, **more)

    def idle(self, *turns: Sequence[ScriptedToolCall], acts: Mapping[str, Act] | None = None) -> CaseResult:
        """The framework with the adapter, and no session anywhere."""
        return self._play(turns, acts, armed=True)

    def _play(
        self,
        turns: Sequence[Sequence[ScriptedToolCall]],
        acts: Mapping[str, Act] | None,
        *,
        armed: bool,
        plan: Plan | None = None,
        watched: bool = True,
        active: bool = False,
        ends: bool = False,
        cancel: float | None = None,
        shows: bool = False,
        patience: float | None = None,
    ) -> CaseResult:
        """Run a case.

        Args:
            turns: what the model asks.
            acts: what the tools do instead of the usual.
            armed: whether the adapter is in place.
            plan: of the session; without one there is no session.
            watched: whether a witness follows every call; without one, calls that nothing strikes take a short cut.
            active: the adapter is not handed the session, and has to find the active one.
            ends: the session ends as soon as a call waits.
            cancel: seconds after which the run is cancelled, counted from the first call that waits.
            shows: see `ConformanceCase`.
            patience: see `ConformanceCase`.
        """
        weather = WeatherTools(self.mode, {**self.usual, **(acts or {})})
        witness, script = SessionProbe(), ModelScript(turns)
        session = None if plan is None else Session(plan, episode="scene", watcher=witness if watched else None)
        handed = None if active else session
        case = ConformanceCase(self.mode, weather.tools(), script, armed, handed, shows, patience)
        raised: list[BaseException] = []

        def run() -> None:
            try:
                if self.mode == "sync":
                    self.harness.play(case)
                else:
                    hangs = witness.waiting.is_set if armed else lambda: bool(weather.begun)
                    asyncio.run(_played(self.harness.play_async(case), witness, hangs, cancel))
            except BaseException as error:  # whatever it is, it is what came of the run
                raised.append(error)

        began = time.monotonic()
        with session or contextlib.nullcontext():
            # In a thread of its own, as a daemon: a case that hangs must end neither the kit nor the process.
            runner = threading.Thread(target=run, daemon=True)
            runner.start()
            if ends:
                while runner.is_alive() and not witness.waiting.wait(BEAT) and time.monotonic() < began + LIMIT:
                    pass
            else:
                runner.join(LIMIT)
        runner.join(LIMIT if ends else 1.0)  # the end of the session releases threads that still wait
        seconds = time.monotonic() - began
        stuck = runner.is_alive() or seconds >= LIMIT
        weather.over.set()
        error = raised[0] if raised else None
        shown, events = dict(script.shown), tuple(case.events)
        return CaseResult(
            shown, tuple(script.prompts), script.finished, error, seconds, events, weather, witness, stuck
        )


def _chunked(act: Act, chunks: Callable[[Any], list[Any]]) -> Act:
    return lambda arguments: chunks(act(arguments))


async def _played(
    run: Coroutine[Any, Any, None], witness: SessionProbe, hangs: Callable[[], bool], cancel: float | None
) -> None:
    heart, task = asyncio.create_task(_beat(witness)), asyncio.create_task(run)
    try:
        while cancel is not None and not (task.done() or hangs()):
            await asyncio.sleep(BEAT)
        await asyncio.wait_for(task, cancel)
    finally:
        heart.cancel()


async def _beat(witness: SessionProbe) -> None:
    while True:
        await asyncio.sleep(BEAT)
        witness.beats += witness.waiting.is_set()
