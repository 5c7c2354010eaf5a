"""One object for many sessions, threads and tasks: what is a session's is its own, what is of the tools is shared."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.spec import ToolSpec
from sealegs.faults.user_error import UserError
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.recovery.budget import Budget, BudgetTracker, Meter, ServiceRates
from sealegs.recovery.layer import RecoveryLayer, active_policy
from sealegs.recovery.policies import (
    Alternative,
    AlternativeStep,
    Breaker,
    CallArgument,
    EarlierAnswer,
    Retry,
    StepField,
    Switch,
)
from sealegs.recovery.recovery_plan import read_recovery_plan
from sealegs.recovery.service import RecoveryService
from sealegs.traces import LayerActionTaken, Recorder
from sealegs.traces.record import build_record
from tests import needs
from tests.recovery.stage import ACTS, BUSY, FINE, READS

THREADS = 64
SESSIONS = 256
QUICK = Retry(base=0.0005)


def recorded(service: RecoveryService, name: str, clock: Any = None) -> tuple[Session, Recorder]:
    clock = clock or VirtualClock()
    recorder = Recorder(clock)
    recorder.start(name, {})
    specs = [READS, ToolSpec("quote", effects=False), ACTS]
    return Session(layers=[service], episode=name, specs=specs, others=None, clock=clock, watcher=recorder), recorder


WAY = Alternative(
    "pay",
    (AlternativeStep("quote", {"of": EarlierAnswer("price", "id"), "by": CallArgument("by")}),),
    {"id": StepField(0, "id")},
)


def shown_to(session: Session, n: int) -> list[Outcome]:
    """What a conversation of two calls comes to, each of which fails first; every value names the conversation."""
    failed: set[str] = set()

    def run(call: Call) -> Outcome:
        if call.tool == "pay":
            return Failure("Gone", "Gone", 410, unsent=True)
        if call.tool == "price" and "price" not in failed:
            failed.add("price")
            return BUSY
        return Value({"price": float(n), "id": call.arguments.get("of", n)})

    return [session.call("price", {"n": n}, run), session.call("pay", {"by": n}, run)]


def check(recorder: Recorder, shown: Sequence[Outcome], n: int) -> None:
    """The conversation's own actions stand in its record, and nobody else's."""
    assert shown == [Value({"price": float(n), "id": n}), Value({"id": n})]
    recorder.finish("answered")
    turns = build_record(recorder.events).turns
    assert [(turn.call.tool, turn.by) for turn in turns] == [
        ("price", ""),
        ("price", "retry"),
        ("pay", ""),
        ("quote", "switch"),
    ]
    assert [dict(turn.call.arguments) for turn in turns] == [{"n": n}, {"n": n}, {"by": n}, {"of": n, "by": n}]


def test_no_record_of_one_session_holds_another_s_acts_in_threads() -> None:
    service = RecoveryService(QUICK | Breaker() | Switch([WAY]))
    start = threading.Barrier(THREADS)

    def play(worker: int) -> None:
        start.wait()
        for n in range(worker, SESSIONS, THREADS):
            session, recorder = recorded(service, str(n), RealClock())
            check(recorder, shown_to(session, n), n)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(play, range(THREADS)))


def test_no_record_of_one_session_holds_another_s_acts_in_tasks() -> None:
    service = RecoveryService(QUICK | Breaker(failures=10**6) | Switch([WAY]))

    async def play(n: int) -> None:
        session, recorder = recorded(service, str(n), RealClock())
        failed: set[str] = set()

        async def run(call: Call) -> Outcome:
            await asyncio.sleep(0.0005 * (n % 7))
            if call.tool == "pay":
                return Failure("Gone", "Gone", 410, unsent=True)
            if call.tool == "price" and "price" not in failed:
                failed.add("price")
                return BUSY
            return Value({"price": float(n), "id": call.arguments.get("of", n)})

        shown = [await session.call_async("price", {"n": n}, run), await session.call_async("pay", {"by": n}, run)]
        check(recorder, shown, n)

    async def all_of_them() -> None:
        await asyncio.gather(*(play(n) for n in range(SESSIONS)))

    asyncio.run(all_of_them())


def test_a_circuit_that_one_session_opens_is_open_for_all_and_closes_for_all() -> None:
    clock = VirtualClock()
    service = RecoveryService(Breaker(failures=3, seconds=10), clock=clock)
    sessions = [recorded(service, str(n)) for n in range(4)]
    for session, _ in sessions[:3]:
        session.call("price", {}, lambda call: BUSY)
    made: list[str] = []

    def run(call: Call) -> Outcome:
        made.append(call.tool)
        return FINE

    refused = [session.call("price", {}, run) for session, _ in sessions]
    assert all(isinstance(one, Failure) and one.type == "CircuitOpen" for one in refused)
    assert made == []
    clock.sleep(10, lambda: None)
    assert [session.call("price", {}, run) for session, _ in sessions] == [FINE] * 4
    opened = [
        e
        for _, recorder in sessions
        for e in recorder.events
        if isinstance(e, LayerActionTaken) and e.action == "opened"
    ]
    assert len(opened) == 1


def test_calls_that_were_under_way_open_a_circuit_only_once() -> None:
    service = RecoveryService(Breaker(failures=1, seconds=60))
    together = threading.Barrier(THREADS)
    records: list[Recorder] = []

    def play(n: int) -> None:
        session, recorder = recorded(service, str(n), RealClock())
        records.append(recorder)

        def run(call: Call) -> Outcome:
            together.wait()
            return BUSY

        session.call("price", {}, run)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(play, range(THREADS)))
    assert sum(isinstance(e, LayerActionTaken) and e.action == "opened" for r in records for e in r.events) == 1


def test_a_probe_that_fails_opens_the_circuit_again() -> None:
    clock = VirtualClock()
    service = RecoveryService(Breaker(failures=1, seconds=10), clock=clock)
    session, recorder = recorded(service, "one")
    for _ in range(3):
        session.call("price", {}, lambda call: BUSY)
        clock.sleep(10, lambda: None)
    assert [e.action for e in recorder.events if isinstance(e, LayerActionTaken)].count("opened") == 3


def tries(session: Session, tool: str = "price") -> int:
    made = 0

    def run(call: Call) -> Outcome:
        nonlocal made
        made += 1
        return BUSY

    session.call(tool, {}, run)
    return made - 1


def test_rates_hold_over_all_sessions_on_a_virtual_clock() -> None:
    clock = VirtualClock()
    service = RecoveryService(Retry(), rates=ServiceRates(tries=6), clock=clock)
    fresh = iter(range(100))

    def spent() -> list[int]:
        return [tries(recorded(service, str(next(fresh)))[0]) for _ in range(4)]

    assert spent() == [3, 3, 0, 0]
    clock.sleep(10, lambda: None)  # one comes back in ten seconds
    assert spent() == [1, 0, 0, 0]
    clock.sleep(3600, lambda: None)
    assert spent() == [3, 3, 0, 0]


def test_rates_of_one_tool_leave_the_others_theirs() -> None:
    service = RecoveryService(Retry(), rates=ServiceRates(tries_each=3), clock=VirtualClock())
    session, _ = recorded(service, "one")
    assert [tries(session, tool) for tool in ("price", "price", "quote", "quote")] == [3, 0, 3, 0]


def test_threads_cannot_overdraw_rates() -> None:
    meter = Meter(ServiceRates(tries=500, tries_each=400), lambda: 0.0)
    with ThreadPoolExecutor(8) as pool:
        had = list(pool.map(lambda n: not meter.claim([f"tool{n % 2}"]), range(4000)))
    assert sum(had) == 500
    assert max(sum(had[0::2]), sum(had[1::2])) <= 400


@given(st.lists(st.tuples(st.integers(1, 3), st.floats(0, 40), st.booleans()), max_size=30), st.floats(0.5, 20))
@settings(deadline=None)
def test_no_minute_has_more_than_two_minutes_worth(claims: Sequence[tuple[int, float, bool]], rate: float) -> None:
    now = 0.0
    meter = Meter(ServiceRates(tries=rate), lambda: now)
    spent: list[tuple[float, int]] = []
    for count, after, back in claims:
        now += after
        if not meter.claim(["t"] * count):
            if back:
                meter.give_back(["t"] * count)
            else:
                spent.append((now, count))
        assert sum(c for at, c in spent if at > now - 60) <= 2 * rate + 1e-6


def test_a_purse_says_what_it_is_short_of() -> None:
    tracker = BudgetTracker(
        Budget(calls=2, calls_each=1, seconds=3, money=0.5, prices={"t": 0.4}), Meter(ServiceRates(1), lambda: 0.0)
    )
    assert "calls for this one" in tracker.short(["t"], 1)
    assert "s of waiting" in tracker.short(["t"], 0, 4)
    assert tracker.claim(["t"], 0)
    assert "0.4 of 0.5" in tracker.short(["t"], 0)
    assert "in a minute" in tracker.short(["u"], 0)
    assert tracker.calls == 1


def test_what_was_given_up_is_an_event_and_a_text() -> None:
    service = RecoveryService(Retry(), rates=ServiceRates(tries=3), clock=VirtualClock())
    (first, recorder), (second, _) = recorded(service, "one"), recorded(service, "two")
    first.call("price", {}, lambda call: BUSY)
    shown = second.call("price", {}, lambda call: BUSY)
    assert isinstance(shown, Failure)
    assert shown.message.endswith("Recovery gave up: more than 3 further calls in a minute.")
    assert [e.action for e in recorder.events if isinstance(e, LayerActionTaken)][-1] == "gave_up"


def test_a_session_s_budget_is_its_own() -> None:
    service = RecoveryService(Retry(), budget=Budget(calls=3))
    assert [tries(recorded(service, str(n))[0]) for n in range(3)] == [3, 3, 3]
    session, _ = recorded(service, "one")
    assert [tries(session), tries(session)] == [3, 0]


def test_a_service_keeps_nothing_of_a_session_that_is_over() -> None:
    service = RecoveryService(active_policy([WAY]), rates=ServiceRates(tries=100))
    session, recorder = recorded(service, "one")
    shown_to(session, 1)
    gone = weakref.ref(session)
    del session, recorder
    gc.collect()
    assert gone() is None


def test_what_cannot_be_is_refused() -> None:
    service = RecoveryService()
    with pytest.raises(ValueError, match="appears twice"):
        Session(layers=[service, service])
    with pytest.raises(RuntimeError, match=r"Session\(layers"):
        service(Call("price", {}))
    layer = RecoveryLayer()
    Session(layers=[layer])
    with pytest.raises(RuntimeError, match="RecoveryService for all of them"):
        Session(layers=[layer])


def test_the_log_says_what_was_done_and_quotes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    secret = Failure("card 4111 refused for Ann", "Unavailable", 503)
    session, _ = recorded(RecoveryService(active_policy()), "talk-7")
    with caplog.at_level(logging.DEBUG, "sealegs.recovery"):
        session.call("price", {"card": "4111"}, lambda call: secret)
    lines = [one.getMessage() for one in caplog.records]
    assert any(line.startswith("talk-7: price call-1: retried by retry, Unavailable (a transient") for line in lines)
    assert any("gave up" in line for line in lines)
    assert "4111" not in caplog.text
    assert "Ann" not in caplog.text


def test_metrics_count_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.metrics", reason=needs.module("opentelemetry.sdk.metrics"))
    export = pytest.importorskip(
        "opentelemetry.sdk.metrics.export", reason=needs.module("opentelemetry.sdk.metrics.export")
    )
    from sealegs.recovery import notification, otel_metrics

    reader = export.InMemoryMetricReader()
    own = otel_metrics.Meters(sdk.MeterProvider([reader]).get_meter("test"))
    monkeypatch.setattr(notification, "meters", lambda: own)
    session, _ = recorded(RecoveryService(QUICK | Switch([WAY])), "one", RealClock())
    shown_to(session, 1)
    session.call("quote", {}, lambda call: BUSY)
    session.call("mystery", {}, lambda call: BUSY)
    found: dict[str, list[tuple[dict[str, Any], Any]]] = {}
    for metric in reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics:
        points = [(dict(p.attributes), getattr(p, "value", getattr(p, "count", None))) for p in metric.data.data_points]
        found[metric.name.removeprefix("sealegs.recovery.")] = points
    assert ({"tool": "price", "policy": "retry"}, 1) in found["tries"]
    assert found["switches"] == [({"tool": "pay"}, 1)]
    assert found["gave_up"] == [({"tool": "quote"}, 1)]
    assert found["left_alone"] == [({"tool": "mystery"}, 1)]
    assert ({"tool": "quote", "helped": False}, 1) in found["added"]
    assert ({"tool": "price", "helped": True}, 1) in found["added"]


def test_without_opentelemetry_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from sealegs.recovery.otel_metrics import meters

    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    meters.cache_clear()
    try:
        assert meters() is None
        assert tries(recorded(RecoveryService(QUICK), "one")[0]) == 3
    finally:
        meters.cache_clear()


def test_a_plan_makes_a_service(tmp_path: Path) -> None:
    file = tmp_path / "recovery.yaml"
    file.write_text("policies: [retry, {breaker: {failures: 9}}]\nrates: {tries: 3}\ndeadline: 30\n", encoding="utf-8")
    service = read_recovery_plan(file).service()
    assert service.deadline == 30
    assert [tries(recorded(service, str(n))[0]) for n in range(2)] == [3, 0]
    assert read_recovery_plan(file).layer().deadline == 30


@pytest.mark.parametrize("wrong", ["deadline: 0", "rates: {tries: -1}", "rates: {calls: 3}"])
def test_a_wrong_plan_is_reported(wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "recovery.yaml"
    file.write_text(wrong, encoding="utf-8")
    with pytest.raises(UserError, match="is not a recovery plan"):
        read_recovery_plan(file)
