"""Fits find the parameters that data were made with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults import Failure, Outcome, Plan, Rule, Value, plan_from
from sealegs.faults.kinds import AnyFault, Connection, Delay, Error, Lognormal, Quantiles, RateLimit, Timeout
from sealegs.faults.triggers import Always, AnyCondition, Outage, Probability, Tool
from sealegs.traces.fitted import fitted_plan
from sealegs.traces.fitting import FailureMode, ToolFit, fit_tools, quantiles, run_length
from sealegs.traces.observed import ABANDONED, NOT_KEPT, Observation, Trace, trace_from_events
from tests import needs

np = pytest.importorskip("numpy", reason=needs.module("numpy"))


def chain(rate: float, length: float, calls: int, draw: random.Random) -> list[bool]:
    """A two-state chain by the textbook, made without any code of ours."""
    begins, ends = rate / ((1 - rate) * length), 1 / length
    states = [draw.random() < rate]
    while len(states) < calls:
        states.append(draw.random() >= ends if states[-1] else draw.random() < begins)
    return states


def observed(outcomes: Sequence[Outcome | None], tool: str = "search", seconds: float | None = None) -> Trace:
    calls = [Observation(tool, at, seconds, None, outcome, outcome) for at, outcome in enumerate(outcomes)]
    return Trace("e", tuple(calls), kept=False)


@pytest.mark.parametrize(("rate", "length"), [(0.03, 2.0), (0.1, 5.0), (0.4, 8.0), (0.2, 25.0), (0.45, 1.2)])
def test_a_chain_s_rate_and_length_are_found(rate: float, length: float) -> None:
    draw = random.Random(7)
    down = Failure("down", type="Down", status=503)
    episodes = [observed([down if bad else NOT_KEPT for bad in chain(rate, length, 40, draw)]) for _ in range(1500)]
    (fit,) = fit_tools(episodes)
    (failing,) = fit.failing
    assert failing.rate == pytest.approx(rate, rel=0.08)
    assert failing.length == pytest.approx(length, rel=0.12)
    (rule,) = fitted_plan([fit], "x").rules
    assert isinstance(rule.when, Outage)
    assert rule.when.rate == pytest.approx(failing.rate, rel=1e-3)
    assert rule.when.length == pytest.approx(failing.length, rel=1e-3)


def test_short_episodes_do_not_shorten_the_runs() -> None:
    draw = random.Random(1)
    episodes = [chain(0.2, 10, 3, draw) for _ in range(20_000)]
    assert run_length(episodes) == pytest.approx(10, rel=0.08)


@pytest.mark.parametrize("rate", [0.02, 0.2, 0.7])
def test_independent_failures_are_a_probability(rate: float) -> None:
    draw = random.Random(3)
    hits = 0
    for _ in range(20):
        outcome = [Failure("x", type="Odd") if draw.random() < rate else NOT_KEPT for _ in range(2000)]
        (rule,) = fitted_plan(fit_tools([observed(outcome)]), "x").rules
        assert isinstance(rule.when, (Probability, Outage))
        hits += isinstance(rule.when, Probability)
        if isinstance(rule.when, Probability):
            assert rule.when.probability == pytest.approx(rate, rel=0.4)
    assert hits >= 17  # the test of independence errs once in a hundred


def planned(*rules: tuple[str, str, AnyCondition, AnyFault]) -> Plan:
    made = [Rule(id=id, match=Tool(tool), when=when, fault=fault, moment="before") for id, tool, when, fault in rules]
    return Plan(name="true", seed=11, rules=tuple(made))


def test_a_plan_that_was_played_inside_the_tools_is_found_again() -> None:
    """Several classes of one tool, of which the outer ones hide the inner ones, and latency below them all."""
    from .production import record_of

    true = planned(
        ("down", "search", Outage(rate=0.12, length=6), Error(status=503)),
        ("quota", "search", Outage(rate=0.05, length=2), RateLimit(retry_after=7)),
        ("late", "search", Probability(0.02), Timeout(seconds=20)),
        ("slow", "search", Always(), Delay(seconds=Lognormal(median=0.4, sigma=0.5))),
        ("reset", "pay", Probability(0.3), Connection(mode="reset")),
        ("bug", "pay", Outage(rate=0.1, length=3), Error(exception="KeyError", message="order 7 of Mr. Lee")),
    )
    traces = [trace_from_events(record_of(true, f"e{n}", {"search": 60, "pay": 60, "list": 5})) for n in range(300)]
    found = fitted_plan(fit_tools(traces), "found")
    rules = {rule.id: rule for rule in found.rules}
    assert list(rules) == [
        "pay: ConnectionResetError",
        "pay: KeyError",
        "search: 503 ServiceUnavailable",
        "search: 429 RateLimitExceeded",
        "search: TimeoutError",
        "search: latency",
    ]
    assert rules["pay: ConnectionResetError"].fault == Connection(mode="reset")
    assert rules["pay: KeyError"].fault == Error(exception="KeyError")  # its message may be confidential
    assert rules["search: 503 ServiceUnavailable"].fault == Error(status=503, type="ServiceUnavailable")
    assert rules["search: 429 RateLimitExceeded"].fault == RateLimit(retry_after=7)
    assert rules["search: TimeoutError"].fault == Timeout(seconds=20)
    for id, rate, length in (
        ("search: 503 ServiceUnavailable", 0.12, 6),
        ("search: 429 RateLimitExceeded", 0.05, 2),
        ("pay: KeyError", 0.1, 3),
    ):
        when = rules[id].when
        assert isinstance(when, Outage), id
        assert when.rate == pytest.approx(rate, rel=0.12), id
        assert when.length == pytest.approx(length, rel=0.15), id
    for id, rate in (("search: TimeoutError", 0.02), ("pay: ConnectionResetError", 0.3)):
        when = rules[id].when
        assert isinstance(when, Probability), id
        assert when.probability == pytest.approx(rate, rel=0.2), id
    delay = rules["search: latency"].fault
    assert isinstance(delay, Delay)
    assert isinstance(delay.seconds, Quantiles)
    points = dict(delay.seconds.points)
    for share, z in ((0.1, -1.2816), (0.5, 0.0), (0.9, 1.2816), (0.99, 2.3263)):
        assert points[share] == pytest.approx(0.4 * np.exp(0.5 * z), rel=0.08), share
    assert plan_from(found.as_data()) == found


def test_what_a_fitted_plan_does_is_fitted_to_the_same_plan() -> None:
    from .production import record_of

    first = fitted_plan(
        [
            ToolFit(
                "a",
                100,
                (
                    FailureMode(
                        fit_tools([observed([Failure("", type="T")])])[0].failing[0].error, 100, 10, 4.0, None, None
                    ),
                ),
                (),
            )
        ],
        "first",
    )
    again = fit_tools([trace_from_events(record_of(first, f"e{n}", {"a": 80})) for n in range(200)])
    assert again[0].failing[0].rate == pytest.approx(0.1, rel=0.1)
    assert again[0].failing[0].length == pytest.approx(4, rel=0.1)


def test_our_own_faults_are_not_taken_for_the_tools() -> None:
    from sealegs.inject import Session, VirtualClock
    from sealegs.traces import Recorder

    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    plan = planned(("ours", "*", Probability(0.5), Error(status=503)), ("late", "*", Always(), Delay(seconds=9)))
    session = Session(plan, clock=clock, watcher=recorder)
    for number in range(200):
        failed = Failure("no", type="Theirs") if number % 10 == 0 else Value(number)
        session.call("search", {}, lambda call, failed=failed: failed)  # type: ignore[misc]
    recorder.finish("answered")
    trace = trace_from_events(recorder.events)
    (true,), (shown,) = fit_tools([trace]), fit_tools([trace], shown=True)
    assert [failing.error.type for failing in true.failing] == ["Theirs"]
    assert true.calls < 130
    assert true.latency == ()
    assert {str(failing.error) for failing in shown.failing} == {"503 ServiceUnavailable", "Theirs"}
    assert shown.calls == 200


@pytest.mark.parametrize(
    ("failure", "fault"),
    [
        (Failure("", type="Unavailable", status=503), Error(status=503, type="Unavailable")),
        (Failure("", type="503", status=503), Error(status=503)),
        (Failure("", type="requests.exceptions.HTTPError", status=404), Error(status=404, type="HTTPError")),
        (Failure("", type="ValueError"), Error(exception="ValueError")),
        (Failure("", type="tool_error"), Error(type="tool_error")),
        (Failure("", type="_OTHER"), Error()),
        (Failure("", type="openai.RateLimitError"), RateLimit()),
        (Failure("", type="X", status=429, retry_after=3), RateLimit(retry_after=3)),
        (Failure("", type="httpx.ReadTimeout"), Timeout(seconds=12)),
        (Failure("", type="DEADLINE_EXCEEDED"), Timeout(seconds=12)),
        (Failure("", type="Timeout", status=408), Timeout(seconds=12)),
        (Failure("", type="GatewayTimeout", status=504), Error(status=504, type="GatewayTimeout")),
        (ABANDONED, Timeout(seconds=12)),
        (Failure("", type="gaierror"), Connection(mode="dns")),
        (Failure("", type="X", status=503, retry_after=2), Error(status=503, type="X", retry_after=2)),
    ],
)
def test_an_error_class_becomes_the_fault_that_it_is(failure: Failure, fault: AnyFault) -> None:
    (rule, *_) = fitted_plan(fit_tools([observed([failure, NOT_KEPT, NOT_KEPT], seconds=12)]), "x", latency=False).rules
    assert rule.fault == fault


def test_names_of_tools_are_names_and_no_globs() -> None:
    failure = Failure("", type="Odd")
    (rule,) = fitted_plan(fit_tools([observed([failure], tool="read[1]*")]), "x").rules
    assert rule.match.matches("read[1]*", frozenset(), {})
    assert not rule.match.matches("read1x", frozenset(), {})


def test_rare_errors_and_latency_are_left_out_where_it_is_asked_for() -> None:
    failures: list[Outcome | None] = [Failure("", type="Odd"), *([Failure("", type="Usual")] * 3), NOT_KEPT]
    fit = fit_tools([observed(failures, seconds=1)])
    assert [rule.id for rule in fitted_plan(fit, "x").rules] == ["search: Usual", "search: Odd", "search: latency"]
    assert [rule.id for rule in fitted_plan(fit, "x", least=2, latency=False).rules] == ["search: Usual"]


@given(st.lists(st.lists(st.sampled_from([True, False, None]), max_size=12), max_size=12))
def test_any_data_give_a_valid_plan(chains: list[list[bool | None]]) -> None:
    outcomes = {True: Failure("", type="Odd"), False: NOT_KEPT, None: None}
    traces = [observed([outcomes[state] for state in states], seconds=0.5) for states in chains]
    found = fitted_plan(fit_tools(traces), "x")
    assert plan_from(found.as_data()) == found
    length = run_length(chains)
    assert length is None or 1 <= length <= 1000


@given(st.lists(st.floats(0, 100), min_size=1, max_size=300))
def test_quantiles_are_those_of_numpy(values: list[float]) -> None:
    found = quantiles(values)
    assert [seconds for _, seconds in found] == pytest.approx(list(np.quantile(values, [share for share, _ in found])))
    assert all(one[1] <= two[1] + 1e-9 for one, two in pairwise(found))
