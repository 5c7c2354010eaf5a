"""Spans say what happened, by the conventions, and change nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults import Call, Failure, Outcome, Plan, Rule, Value
from sealegs.faults.kinds import AnyFault, Delta, Error, Hang, RateLimit
from sealegs.faults.spec import ToolSpec
from sealegs.faults.triggers import Always, AnyCondition, First, Nth, Tool
from sealegs.inject import RealClock, Session, VirtualClock
from sealegs.recovery.layer import RecoveryLayer
from sealegs.traces import Recorder, Watchers, build_record
from sealegs.traces.fitting import fit_tools
from sealegs.traces.observed import trace_from_events
from sealegs.traces.sources import read_traces
from tests import needs

pytest.importorskip("opentelemetry.sdk", reason=needs.module("opentelemetry.sdk"))

from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai
from opentelemetry.semconv.attributes import error_attributes, http_attributes
from opentelemetry.trace import SpanKind, StatusCode

from sealegs.traces.spans import Spans

from .production import attributes, slow

BUSY = Failure("Service Unavailable", "ServiceUnavailable", 503)


class Tracing:
    """An SDK that keeps its spans in memory."""

    def __init__(self) -> None:
        self._kept = InMemorySpanExporter()
        self._provider = TracerProvider()
        self._provider.add_span_processor(SimpleSpanProcessor(self._kept))
        self.tracer = self._provider.get_tracer("test")

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._kept.get_finished_spans())

    @property
    def named(self) -> dict[str, ReadableSpan]:
        return {span.name: span for span in self.spans}


@pytest.fixture
def tracing() -> Tracing:
    return Tracing()


def plan(fault: AnyFault, when: AnyCondition | None = None, **more: Any) -> Plan:
    return Plan(name="p", rules=(Rule(id="r", match=Tool("*"), when=when or Always(), fault=fault, **more),))


def answer(call: Call) -> Outcome:
    return Value({"price": 5, **call.arguments})


def test_a_call_is_a_span_by_the_conventions(tracing: Tracing) -> None:
    session = Session(watcher=Spans(tracing.tracer, episode="e", attributes={"plan": "none"}))
    assert session.call("search", {"q": "x"}, answer) == Value({"price": 5, "q": "x"})
    (span,) = tracing.spans
    assert span.name == "execute_tool search"
    assert span.kind is SpanKind.INTERNAL
    assert span.status.status_code is StatusCode.UNSET
    assert attributes(span) == {
        gen_ai.GEN_AI_OPERATION_NAME: gen_ai.GenAiOperationNameValues.EXECUTE_TOOL.value,
        gen_ai.GEN_AI_TOOL_NAME: "search",
        gen_ai.GEN_AI_TOOL_TYPE: "function",
        gen_ai.GEN_AI_TOOL_CALL_ID: "call-1",
        "sealegs.episode": "e",
        "sealegs.struck": False,
        "plan": "none",
    }


def test_content_is_noted_only_where_it_is_asked_for(tracing: Tracing) -> None:
    session = Session(watcher=Spans(tracing.tracer, content=True))
    session.call("search", {"q": {"b": b"x"}}, answer)
    given = attributes(tracing.spans[0])
    assert given[gen_ai.GEN_AI_TOOL_CALL_ARGUMENTS] == '{"q": {"b": "x"}}'
    assert given[gen_ai.GEN_AI_TOOL_CALL_RESULT] == '{"price": 5, "q": {"b": "x"}}'


@pytest.mark.parametrize("content", [False, True])
def test_an_error_that_was_shown_is_the_span_s_error(tracing: Tracing, content: bool) -> None:
    session = Session(plan(RateLimit(retry_after=2.5)), watcher=Spans(tracing.tracer, content=content))
    session.call("search", {}, answer)
    (span,) = tracing.spans
    given = attributes(span)
    assert given[error_attributes.ERROR_TYPE] == "RateLimitExceeded"
    assert given[http_attributes.HTTP_RESPONSE_STATUS_CODE] == 429
    assert given["http.response.header.retry-after"] == ["2.5"]
    assert given["sealegs.struck"] is True
    assert given["sealegs.fault.rules"] == ["r"]
    assert given["sealegs.fault.kinds"] == ["rate_limit"]
    assert given["sealegs.fault.delivered"] == [True]
    assert given["sealegs.fault.cut_off"] == [False]
    assert span.status.status_code is StatusCode.ERROR
    assert (span.status.description is not None) is content


def test_an_implicit_fault_is_no_error_and_still_noted(tracing: Tracing) -> None:
    session = Session(plan(Delta(offset=1, fields=("price",)), Nth(2)), watcher=Spans(tracing.tracer))
    session.call("search", {}, answer)
    session.call("search", {}, answer)
    first, second = map(attributes, tracing.spans)
    assert not first["sealegs.struck"]
    assert second["sealegs.struck"]
    assert second["sealegs.fault.kinds"] == ["delta"]
    assert "error.type" not in second


def test_a_fault_that_came_to_nothing_is_noted_as_such(tracing: Tracing) -> None:
    session = Session(plan(Delta(offset=1)), watcher=Spans(tracing.tracer))
    session.call("search", {}, lambda call: Failure("no", type="NotFound"))
    given = attributes(tracing.spans[0])
    assert given["sealegs.struck"] is False
    assert given["sealegs.fault.delivered"] == [False]
    assert given["error.type"] == "NotFound"


def test_what_the_tool_traces_lies_inside_and_the_agent_s_span_around(tracing: Tracing) -> None:
    def tool(call: Call) -> Outcome:
        with tracing.tracer.start_as_current_span("GET"):
            return Value(1)

    session = Session(watcher=Spans(tracing.tracer))
    with tracing.tracer.start_as_current_span("agent"):
        session.call("search", {}, tool)
        assert trace.get_current_span().get_span_context().span_id == _id(trace.get_current_span())
        with tracing.tracer.start_as_current_span("after"):
            pass
    spans = tracing.named
    assert _parent(spans["GET"]) == _id(spans["execute_tool search"])
    assert _parent(spans["execute_tool search"]) == _id(spans["agent"])
    assert _parent(spans["after"]) == _id(spans["agent"])


async def test_calls_in_parallel_keep_apart(tracing: Tracing) -> None:
    async def tool(call: Call) -> Outcome:
        await asyncio.sleep(0)
        with tracing.tracer.start_as_current_span(f"inside {call.arguments['n']}"):
            return await slow(call)

    session = Session(plan(Error(status=500), Nth(3)), clock=VirtualClock(), watcher=Spans(tracing.tracer))
    with tracing.tracer.start_as_current_span("agent"):
        await asyncio.gather(*(session.call_async(f"t{n}", {"n": n}, tool) for n in range(20)))
        assert trace.get_current_span().name == "agent"  # type: ignore[attr-defined]
    spans = tracing.named
    for n in range(20):
        assert _parent(spans[f"inside {n}"]) == _id(spans[f"execute_tool t{n}"])
        assert _parent(spans[f"execute_tool t{n}"]) == _id(spans["agent"])


def test_a_hang_that_is_let_go_of_ends_its_span(tracing: Tracing, caplog: pytest.LogCaptureFixture) -> None:
    clock = RealClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    watcher = Watchers(recorder, Spans(tracing.tracer))
    with Session(plan(Hang()), clock=clock, watcher=watcher) as session:
        hanging = threading.Thread(target=_swallowed, args=(session,))
        hanging.start()
        while recorder.events[-1].type != "waited":
            time.sleep(0.001)
    hanging.join(60)
    recorder.finish("hung")
    (span,) = tracing.spans
    assert attributes(span)["error.type"] == "abandoned"
    assert attributes(span)["sealegs.struck"] is True
    assert build_record(recorder.events).turns[0].shown is None
    assert not caplog.records  # nothing was detached in the wrong place


async def test_a_cancelled_call_ends_its_span(tracing: Tracing, caplog: pytest.LogCaptureFixture) -> None:
    async def endless(call: Call) -> Outcome:
        await asyncio.Event().wait()
        raise AssertionError

    session = Session(watcher=Spans(tracing.tracer))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(session.call_async("search", {}, endless), 0.01)
    assert attributes(tracing.spans[0])["error.type"] == "abandoned"
    assert trace.get_current_span() is trace.INVALID_SPAN
    assert not caplog.records


def test_virtual_time_is_the_episode_s(tracing: Tracing) -> None:
    clock = VirtualClock()
    session = Session(plan(Hang(seconds=60)), clock=clock, watcher=Spans(tracing.tracer, clock=clock, began=5 * 10**9))
    session.call("search", {}, answer)
    (span,) = tracing.spans
    assert (span.start_time, span.end_time) == (5 * 10**9, 65 * 10**9)


def test_without_an_sdk_nothing_happens() -> None:
    session = Session(plan(Error(status=500), Nth(2)), watcher=Spans())
    assert session.call("search", {}, answer) == Value({"price": 5})
    assert isinstance(session.call("search", {}, answer), Failure)


def test_several_watchers_see_the_same(tracing: Tracing) -> None:
    clock = VirtualClock()
    one, two = Recorder(clock), Recorder(clock)
    session = Session(plan(Error(status=500)), clock=clock, watcher=Watchers(one, Spans(tracing.tracer), two))
    session.call("search", {}, answer)
    assert one.events == two.events
    assert len(tracing.spans) == 1


def _id(span: Any) -> int:
    return int(span.get_span_context().span_id)


def _parent(span: ReadableSpan) -> int | None:
    return None if span.parent is None else span.parent.span_id


def _swallowed(session: Session) -> None:
    try:
        session.call("search", {}, answer)
    except BaseException:
        return


def test_what_recovery_did_stands_on_the_span_of_the_agents_call(tracing: Tracing) -> None:
    spans = Spans(tracing.tracer)
    recorder = Recorder(VirtualClock())
    session = Session(
        plan(Error(status=503), First(2)),
        layers=[RecoveryLayer()],
        specs=[ToolSpec("price", effects=False)],
        clock=VirtualClock(),
        watcher=Watchers(recorder, spans),
    )
    session.call("price", {}, answer)
    session.call("price", {}, answer)
    first, second, third, helped, untouched = tracing.spans
    assert helped.attributes is not None
    assert helped.attributes["sealegs.recovery.policies"] == ("retry", "retry")
    assert helped.attributes["sealegs.recovery.actions"] == ("retried", "retried")
    assert helped.attributes["sealegs.fault.rules"] == ("r", "r")
    assert helped.status.status_code is StatusCode.UNSET
    assert untouched.attributes is not None
    assert not [name for name in untouched.attributes if "recovery" in name]
    tried = [attributes(span) for span in (first, second, third)]
    assert [(each["sealegs.recovery.by"], each["sealegs.struck"]) for each in tried] == [
        ("agent", True),
        ("retry", True),
        ("retry", False),
    ]
    assert helped.context is not None
    assert all(span.parent is not None and span.parent.span_id == helped.context.span_id for span in (first, third))
    assert not any("gen_ai.operation.name" in each for each in tried)


def test_from_records_and_from_spans_a_tool_under_recovery_is_fitted_alike(tmp_path: Path) -> None:
    export = pytest.importorskip(
        "opentelemetry.exporter.otlp.json.file.trace_exporter",
        reason=needs.module("opentelemetry.exporter.otlp.json.file.trace_exporter"),
    )
    sdk = TracerProvider()
    sdk.add_span_processor(SimpleSpanProcessor(export.FileSpanExporter(tmp_path / "spans.jsonl")))
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    watcher = Watchers(recorder, Spans(sdk.get_tracer("test"), episode="e", clock=clock, began=10**18, content=True))
    session = Session(layers=[RecoveryLayer()], specs=[ToolSpec("price", effects=False)], clock=clock, watcher=watcher)
    answers: list[Outcome] = [BUSY, BUSY, Value({"n": 1}), Value({"n": 2}), BUSY, Value({"n": 3})]

    def run(call: Call) -> Outcome:
        clock.sleep(2.0, lambda: None)
        return answers.pop(0)

    for number in range(3):
        assert isinstance(session.call("price", {"number": number}, run), Value)
    recorder.finish("answered", answer="done")
    sdk.shutdown()
    (seen,) = read_traces([tmp_path / "spans.jsonl"])
    known = trace_from_events(recorder.events)
    for trace_ in (seen, known):
        assert [call.by for call in trace_.calls] == ["", "retry", "retry", "", "", "retry"]
        assert [isinstance(call.said, Failure) for call in trace_.calls] == [True, True, False, False, True, False]
        assert [call.seconds for call in trace_.calls] == [pytest.approx(2.0)] * 6  # no wait is the tool's own time
    (of_spans,), (of_record,) = fit_tools([seen]), fit_tools([known])
    assert (of_spans.calls, of_spans.failing[0].failed) == (of_record.calls, of_record.failing[0].failed) == (6, 3)
