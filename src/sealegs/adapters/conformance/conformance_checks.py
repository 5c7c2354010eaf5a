"""The checks of the kit, by name.

Each compares the adapter with the framework itself: what the model reads under a fault must be what it reads, without
the adapter, of a tool that does the same by itself. What a fault makes of an answer is taken from the plain Python
adapter. A check that cannot fail under some harness says so by `NotApplicable`.
"""

from __future__ import annotations

import asyncio
import builtins
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from sealegs.adapters.conformance.case_runner import CaseResult, CaseRunner, case_plan, case_rule, scripted_calls
from sealegs.adapters.conformance.expectations import CheckFailed, expect, expect_alike
from sealegs.adapters.conformance.fixtures import Act, WeatherTools
from sealegs.adapters.python import ToolFault, wrap
from sealegs.faults import Plan
from sealegs.faults.kinds import Connection, Delay, Delta, Empty, Error, Hang, Malformed, Partial, SchemaDrift, Timeout
from sealegs.faults.triggers import Argument, Probability, Tool
from sealegs.inject import EndlessWait, Session, VirtualClock

OURS = re.compile(r"sealegs|tool_?fault|fault[ _-]?inject|\binjector|\bchaos", re.IGNORECASE)
BOTH = (scripted_calls("forecast Oslo"), scripted_calls("advice Oslo"))
ONE = (scripted_calls("forecast Oslo"),)
PAUSE = 0.25  # seconds of a delay
PATIENCE = 0.5  # seconds after which a hanging call is given up
SOON = 10.0  # seconds within which it must then be over; generous, for busy machines
TWICE_AT_ONCE = 1.0  # seconds that a tool waits for another to run at the same time


class NotApplicable(Exception):
    """There is nothing to check here; the text says why."""


def value_replaced(stage: CaseRunner) -> None:
    """The model reads what the fault made of the answer, in the form in which the framework shows answers."""
    for faults in (case_plan(("forecast", Partial()), ("advice", Delta())), case_plan(("forecast", SchemaDrift()))):
        expect_alike(stage.bare(*BOTH, acts=_answers(stage, faults)), stage.armed(faults, *BOTH))
    faults = case_plan(("forecast", Empty()), ("advice", Empty()))
    expect_alike(stage.bare(*BOTH, acts=_answers(stage, faults)), stage.armed(faults, *BOTH))


def malformed_text(stage: CaseRunner) -> None:
    """An answer that is broken text reaches the model as it is."""
    for mode in ("invalid_json", "cut"):
        faults = case_plan(("*", Malformed(mode=mode)))
        expect_alike(stage.bare(*BOTH, acts=_answers(stage, faults)), stage.armed(faults, *BOTH))


def error_raised(stage: CaseRunner) -> None:
    """A failure is treated as the framework treats a tool that raises it; the tool itself does not run."""
    for fault in (Error(status=503), Error(exception="KeyError", message="city"), Timeout(seconds=0.0)):
        faults = case_plan(("forecast", fault))
        played = stage.armed(faults, *BOTH)
        expect_alike(stage.bare(*BOTH, acts=_answers(stage, faults)), played, runs=False)
        expect("forecast" not in played.weather.begun, "the tool ran although the call failed before it")


def error_after_work(stage: CaseRunner) -> None:
    """A failure whose moment is after the work looks as any, and the tool did its work once, for this very call."""
    for fault in (Error(status=503), Connection(mode="reset"), Timeout(seconds=0.0)):
        faults = case_plan(case_rule(Tool("forecast"), fault, moment="after"))
        played = stage.armed(faults, *BOTH)
        expect_alike(stage.bare(*BOTH, acts=_answers(stage, faults)), played, runs=False)
        _did(played, "after", 1)
        _did(stage.armed(case_plan(("forecast", fault)), *BOTH), "before", 0)


def permanent_after_work(stage: CaseRunner) -> None:
    """Each call under a permanent fault does its work, and the model reads of none."""
    cities = (scripted_calls("forecast Oslo"), scripted_calls("forecast Rome"))
    lasting = case_rule(Tool("forecast"), Error(status=503), moment="after", persistence="permanent")
    played = stage.armed(case_plan(lasting), *cities, shows=True)
    expect(played.finished, f"the run did not continue: {played.surface[1] or 'it is stuck'}")
    _did(played, "after", 2)


def error_shown(stage: CaseRunner) -> None:
    """The model reads of a failure in the framework's own way of telling it of errors, and the run continues."""
    faults = case_plan(("forecast", Error(status=503)))
    text = str(_truth(stage, faults, "forecast", {"city": "Oslo"}))
    played = stage.armed(faults, *BOTH, shows=True)
    expect(played.finished, f"the run did not continue: {played.surface[1] or 'it is stuck'}")
    complaint = stage.harness.complaint
    acts = _answers(stage, faults) if complaint is None else {"forecast": _raises(complaint, text)}
    expect_alike(stage.bare(*BOTH, acts=acts), played, runs=False)


def own_exception_kept(stage: CaseRunner) -> None:
    """The tool's own exception is shown or passes as without the adapter, the very exception."""
    acts = {"forecast": _raises(LookupError, "No city of that name.")}
    bare = stage.bare(*BOTH, acts=acts)
    for faults in (case_plan(("forecast", Delay(seconds=0.01))), case_plan()):
        for shows in (False, True):
            played = stage.armed(faults, *BOTH, acts=acts, shows=shows)
            expect_alike(bare, played)
            if bare.raised is not None:
                expect(_chain(played.raised, played.weather), "another exception was raised in place of the tool's own")


def delay(stage: CaseRunner) -> None:
    """The answer comes late and unchanged; an event loop runs on meanwhile."""
    bare = stage.bare(*BOTH)
    played = stage.armed(case_plan(("forecast", Delay(seconds=PAUSE))), *BOTH)
    expect_alike(bare, played)
    expect(played.seconds >= PAUSE, f"the run should last at least {PAUSE} s; it lasted {played.seconds:.2f} s")
    if stage.mode != "sync":
        expect(played.witness.beats >= 3, "the event loop was held up by the delay")


def hang_cancelled(stage: CaseRunner) -> None:
    """A call that hangs ends with the cancellation of the run, as that of a tool that hangs by itself."""
    if stage.mode == "sync":
        raise NotApplicable("a sync run cannot be cancelled")
    played = stage.armed(case_plan(("forecast", Hang())), *BOTH, cancel=PATIENCE)
    _gave_up(played)
    if played.shown:  # some tell the model
        bare = stage.cancelled(*BOTH, after=PATIENCE).shown
        expect(played.shown == bare, f"the model should read {bare} after the cancellation; it read {played.shown}")
    expect(isinstance(played.raised, TimeoutError), f"the cancelled run ended with {played.surface[1] or 'nothing'}")
    expect(played.witness.beats >= 3, "the event loop was held up by the hang")


def hang_timed_out(stage: CaseRunner) -> None:
    """The framework's own timeout ends a call that hangs, and shows what it shows of any tool that hangs."""
    hangs: Mapping[str, Act] = {"forecast": lambda _: asyncio.Event().wait()}
    if stage.mode != "async":
        ever = threading.Event()
        hangs = {"forecast": lambda _: ever.wait(2 * PATIENCE)}
    played = stage.armed(case_plan(("forecast", Hang())), *BOTH, patience=PATIENCE)
    _gave_up(played)
    expect_alike(stage.bare(*BOTH, acts=hangs, patience=PATIENCE), played, runs=False)


def hang_let_go(stage: CaseRunner) -> None:
    """A call that still hangs when the session ends is let go of: it ends as the framework ends a cancelled tool."""
    played = stage.armed(case_plan(("forecast", Hang())), *BOTH, ends=True)
    expect(played.witness.calls, "the call never reached the session")
    _gave_up(played)
    if not played.shown:
        return
    cancelled = [stage.cut_off(*BOTH, error=error).shown for error in (asyncio.CancelledError(), EndlessWait("over"))]
    expect(played.shown in cancelled, f"the model read an answer to a call that never came back: {played.shown}")


def parallel(stage: CaseRunner) -> None:
    """Calls of one turn keep their own results, and run at the same time where they do without the adapter."""
    turn = scripted_calls("forecast Oslo", "advice Oslo", "forecast Rome")
    rome = case_rule(Tool("forecast") & Argument(name="city", equals="Rome"), Partial())
    faults = case_plan(rome, ("advice", Delta()))
    acts = _answers(stage, faults)
    only_rome: Act = lambda given: (acts if given["city"] == "Rome" else stage.usual)["forecast"](given)  # noqa: E731
    expect_alike(stage.bare(turn, acts={**acts, "forecast": only_rome}), stage.armed(faults, turn))
    pair = scripted_calls("forecast Oslo", "advice Oslo")
    together = stage.bare(pair, acts=_meeting(stage))
    expect_alike(together, stage.armed(case_plan(), pair, acts=_meeting(stage)))
    if all("alone" not in text for text in together.shown.values()):
        late = stage.armed(case_plan(("forecast", Delay(seconds=PAUSE))), pair)
        order = late.weather.ended
        expect(order == ["advice", "forecast"], f"a late call held up another: they ended in the order {order}")


def same_faults(stage: CaseRunner) -> None:
    """The same plan strikes the same calls in the same way, here and in plain Python; another seed strikes others."""
    turns = [
        scripted_calls(f"{tool} {city}") for city in ("Oslo", "Rome", "Bonn", "Graz") for tool in ("forecast", "advice")
    ]
    half = case_rule(Tool("*"), Delta(), when=Probability(0.5))
    first, second = (stage.armed(case_plan(half), *turns) for _ in range(2))
    expect_alike(first, second)
    session = Session(case_plan(half), episode="scene", clock=VirtualClock())
    python = wrap({name: _plain(act) for name, act in stage.usual.items()}, session)
    expect_alike(stage.bare(*turns, acts={name: _named(tool) for name, tool in python.items()}), first)
    other = stage.armed(case_plan(half, seed=8), *turns)
    expect(other.shown != first.shown, "another seed makes no difference")


def invisible(stage: CaseRunner) -> None:
    """No text that the model reads, and no message of what the run raises, tells that faults are injected."""
    declared = stage.bare(*BOTH).prompts[:1]
    own = {"forecast": _raises(LookupError, "No city of that name.")}
    for fault in (Error(status=503), Error(exception="ValueError", message="no"), Malformed(), Timeout(seconds=0.01)):
        for shows in (False, True):
            _hides(stage.armed(case_plan(("*", fault)), *BOTH, shows=shows), declared, f"{fault.kind} fault")
    for faults in (case_plan(), case_plan(("*", Delay(seconds=0.01)))):
        _hides(stage.armed(faults, *BOTH, acts=own), declared, "tool that fails by itself")
    _hides(stage.idle(*BOTH, acts=own), declared, "tool that fails by itself, without a session")


def _hides(played: CaseResult, declared: tuple[str, ...], under: str) -> None:
    found = OURS.search(played.read)
    if found:
        around = played.read[max(0, found.start() - 80) : found.end() + 40]
        raise CheckFailed(f"the model reads {around!r} of a {under}")
    expect(played.prompts[:1] == declared, "the model reads other tool declarations than without the adapter")


def streaming(stage: CaseRunner) -> None:
    """The framework's stream, and the reports of a tool while it runs, pass as without the adapter."""

    def reports(given: Mapping[str, Any]) -> Any:
        stage.harness.progress("looking")
        return stage.usual["forecast"](given)

    bare = stage.bare(*BOTH, acts={"forecast": reports})
    if not bare.events:
        raise NotApplicable("the harness notes no events")
    another = case_plan(("forecast", Partial()))  # of an answer that is itself streamed, the fault is in the stream
    for faults in (
        case_plan(),
        case_plan(("forecast", Delay(seconds=0.01))),
        *([another] if stage.harness.chunks is None else []),
    ):
        events = stage.armed(faults, *BOTH, acts={"forecast": reports}).events
        expect(events == bare.events, f"should stream {bare.events}; streams {events}")


def nothing_armed(stage: CaseRunner) -> None:
    """Everything is as without the adapter if there is no plan, watched or not, or no session."""
    failing = {"advice": _raises(LookupError, "No city of that name.")}
    for acts in ({}, failing):
        bare = stage.bare(*BOTH, acts=acts)
        for watched in (True, False):
            _untouched(bare, stage.armed(case_plan(), *BOTH, acts=acts, watched=watched))
        _untouched(bare, stage.armed(case_plan(("other", Error())), *BOTH, acts=acts, watched=False))
        _untouched(bare, stage.idle(*BOTH, acts=acts))


def active_session(stage: CaseRunner) -> None:
    """An adapter that is handed no session finds the active one."""
    faults = case_plan(("forecast", Partial()), ("advice", Error(status=503)))
    handed, found = stage.armed(faults, *BOTH), stage.armed(faults, *BOTH, active=True)
    expect_alike(handed, found)
    expect(len(found.witness.injections) == 2, f"2 faults should strike; {len(found.witness.injections)} did")


CHECKS: Mapping[str, Callable[[CaseRunner], None]] = {
    check.__name__: check
    for check in (
        value_replaced,
        malformed_text,
        error_raised,
        error_after_work,
        permanent_after_work,
        error_shown,
        own_exception_kept,
        delay,
        hang_cancelled,
        hang_timed_out,
        hang_let_go,
        parallel,
        same_faults,
        invisible,
        streaming,
        nothing_armed,
        active_session,
    )
}


def _truth(stage: CaseRunner, faults: Plan, tool: str, arguments: Mapping[str, Any]) -> Any:
    """The result that the plain Python adapter shows of a first call: a value, or the exception that it raises."""
    session = Session(faults, episode="scene", clock=VirtualClock())
    try:
        return wrap(_plain(stage.usual[tool]), session, name=tool)(**arguments)
    except Exception as error:
        return error


def _answers(stage: CaseRunner, faults: Plan) -> dict[str, Act]:
    """Tools that do by themselves what the plan makes of a first call."""

    def act(tool: str) -> Act:
        def acted(arguments: Mapping[str, Any]) -> Any:
            truth = _truth(stage, faults, tool, arguments)
            if isinstance(truth, Exception):
                raise _foreign(truth)
            return truth

        return acted

    return {tool: act(tool) for tool in stage.usual}


def _foreign(error: Exception) -> Exception:
    """The exception as a tool's own author would have made it: a built-in one, or a class of the same name."""
    if not isinstance(error, ToolFault):
        assert hasattr(builtins, type(error).__name__)
        return error.with_traceback(None)
    made: Exception = type(type(error).__name__, (Exception,), {"__module__": "desk"})(str(error))
    return made


def _raises(make: Callable[[str], Any], text: str) -> Act:
    """A tool that raises what is made of the text, or answers with it where it is not an exception."""

    def act(arguments: Mapping[str, Any]) -> Any:
        made = make(text)
        if isinstance(made, Exception):
            raise made
        return made

    return act


def _plain(act: Act) -> Callable[..., Any]:
    return lambda city: act({"city": city})


def _named(tool: Callable[..., Any]) -> Act:
    return lambda arguments: tool(**arguments)


def _meeting(stage: CaseRunner) -> dict[str, Act]:
    """Tools that each wait a moment for the other one to begin, and say whether it did."""
    here: list[str] = []

    def report() -> str:
        return "in company" if len(here) > 1 else "alone"

    # With a limit, as a framework that makes the calls one after the other must not hang.
    def act(arguments: Mapping[str, Any]) -> Any:
        here.append(arguments["city"])
        until = time.monotonic() + TWICE_AT_ONCE
        while len(here) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        return report()

    async def act_async(arguments: Mapping[str, Any]) -> Any:
        here.append(arguments["city"])
        until = time.monotonic() + TWICE_AT_ONCE
        while len(here) < 2 and time.monotonic() < until:
            await asyncio.sleep(0.01)
        return report()

    chosen: Act = act_async if stage.mode == "async" else act
    return {"forecast": chosen, "advice": chosen}


def _did(played: CaseResult, moment: str, times: int) -> None:
    """The tool `forecast` began and ended so often, and every injection says at which moment it came."""
    done = played.weather.ended.count("forecast")
    begun = played.weather.begun.count("forecast")
    expect(begun == done == times, f"struck {moment} its work, the tool should run {times} times; it ran {done} times")
    moments = {injection.moment for injection in played.witness.injections}
    expect(moments == {moment}, f"the fault should strike {moment} the work; its injections say {sorted(moments)}")


def _gave_up(played: CaseResult) -> None:
    expect(not played.stuck and played.seconds < SOON, f"the run still hung after {played.seconds:.1f} s")
    expect("forecast" not in played.weather.begun, "the tool ran although the call hung before it")
    injections = [injection for injection in played.witness.injections if injection.kind == "hang"]
    expect(injections and all(one.shown is None for one in injections), "the hang was not struck, or it was answered")


def _untouched(bare: CaseResult, played: CaseResult) -> None:
    expect_alike(bare, played)
    expect(played.events == bare.events, f"should stream {bare.events}; streams {played.events}")


def _chain(error: BaseException | None, weather: WeatherTools) -> bool:
    """Return whether the tool's own exception is what was raised, or a cause of it."""
    seen: list[BaseException] = []
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]
    return any(own in seen for own in weather.raised)
