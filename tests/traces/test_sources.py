"""Traces are read from what others write: OpenTelemetry's own exporter, other instrumentations, damaged files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults import Failure, Outcome, Plan, Rule, Value
from sealegs.faults.kinds import Delay, Duplicate, Error, RateLimit
from sealegs.faults.triggers import Always, Nth, Outage, Tool
from sealegs.inject import Session, VirtualClock
from sealegs.traces import Recorder, Store
from sealegs.traces.fitting import fit_tools
from sealegs.traces.observed import ABANDONED, NOT_KEPT, Trace, trace_from_events
from sealegs.traces.sources import TraceError, read_traces
from tests import needs
from tests.traces.instrumented import NEEDS

DATA = Path(__file__).parent / "data"


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def span(name: str, *, id: str = "", parent: str = "", trace: str = "t", at: int = 0, **more: Any) -> dict[str, Any]:
    """A span in OTLP's form; attributes under names with `__` for dots."""
    given = {key.replace("__", "."): value for key, value in more.pop("given", {}).items()}
    return {
        "traceId": trace,
        "spanId": id or f"{name}-{at}",
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(at * 10**9),
        "endTimeUnixNano": str(at * 10**9 + 250_000_000),
        "attributes": [{"key": key, "value": _typed(value)} for key, value in given.items()],
        **more,
    }


def _typed(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_typed(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": [{"key": key, "value": _typed(one)} for key, one in value.items()]}}
    return {"stringValue": value}


def tool(name: str, at: int = 0, /, **given: Any) -> dict[str, Any]:
    more = {key: given.pop(key) for key in ("id", "parent", "trace", "status", "events") if key in given}
    known = {"gen_ai__operation__name": "execute_tool", "gen_ai__tool__name": name}
    return span(f"execute_tool {name}", at=at, given={**known, **given}, **more)


def written(path: Path, *spans: dict[str, Any]) -> Path:
    path.write_text(json.dumps(otlp(*spans)))
    return path


def one(path: Path, *spans: dict[str, Any]) -> Trace:
    (trace,) = read_traces([written(path, *spans)])
    return trace


def test_a_call_is_read_with_what_it_says(tmp_path: Path) -> None:
    trace = one(
        tmp_path / "a.json",
        tool("search", 3, gen_ai__tool__call__arguments='{"q": "x"}', gen_ai__tool__call__result='{"n": [1, 2]}'),
        tool("search", 2, gen_ai__tool__call__arguments={"q": "y", "n": 3}, gen_ai__tool__call__result="so so"),
    )
    assert trace.name == "t"
    assert trace.kept
    first, second = trace.calls
    assert (first.tool, first.at, first.seconds) == ("search", 2.0, 0.25)
    assert (first.arguments, first.said) == ({"q": "y", "n": 3}, Value("so so"))
    assert (second.arguments, second.said) == ({"q": "x"}, Value({"n": [1, 2]}))


def test_without_content_success_is_known_and_the_answer_is_not(tmp_path: Path) -> None:
    trace = one(tmp_path / "a.json", tool("search"))
    assert not trace.kept
    assert trace.calls[0].said is NOT_KEPT


@pytest.mark.parametrize(
    ("more", "failure"),
    [
        ({"error__type": "TimeoutError"}, Failure("", type="TimeoutError")),
        ({"error__type": "503"}, Failure("", type="503", status=503)),
        ({"error__type": "Down", "http__response__status_code": 503}, Failure("", type="Down", status=503)),
        ({"error__type": "Odd", "http__response__status_code": 302}, Failure("", type="Odd")),
        ({"status": {"code": 2, "message": "no"}}, Failure("no", type="_OTHER")),
        ({"status": {"code": "STATUS_CODE_ERROR"}}, Failure("", type="_OTHER")),
        (
            {"error__type": "X", "http__status_code": 429, "http__response__header__retry-after": ["4"]},
            Failure("", type="X", status=429, retry_after=4.0),
        ),
        (
            {
                "status": {"code": 2},
                "events": [
                    {
                        "name": "exception",
                        "attributes": [
                            {"key": "exception.type", "value": {"stringValue": "builtins.KeyError"}},
                            {"key": "exception.message", "value": {"stringValue": "'id'"}},
                        ],
                    }
                ],
            },
            Failure("'id'", type="builtins.KeyError"),
        ),
    ],
)
def test_errors_are_known_by_type_and_status(tmp_path: Path, more: dict[str, Any], failure: Failure) -> None:
    assert one(tmp_path / "a.json", tool("search", **more)).calls[0].said == failure


def test_other_forms_of_tool_spans_are_known(tmp_path: Path) -> None:
    trace = one(
        tmp_path / "a.json",
        span("chat gpt", at=1, given={"gen_ai__operation__name": "chat"}),
        span("running tool", at=2, given={"gen_ai__tool__name": "old_pydantic", "tool_arguments": '{"a": 1}'}),
        span("tools/call via_mcp", at=3, given={"mcp__method__name": "tools/call"}),
        span("oi", at=4, given={"openinference__span__kind": "TOOL", "tool__name": "phoenix", "output.value": "5"}),
        span("execute_tool unnamed", at=5, given={"gen_ai__operation__name": "execute_tool"}),
        span("GET /", at=6),
    )
    assert [call.tool for call in trace.calls] == ["old_pydantic", "via_mcp", "phoenix", "unnamed"]
    assert trace.calls[0].arguments == {"a": 1}
    assert trace.calls[2].said == Value(5)


def test_spans_of_one_call_inside_one_another_count_once(tmp_path: Path) -> None:
    trace = one(
        tmp_path / "a.json",
        tool("search", 1, id="agent"),
        span("POST", id="http", parent="agent"),
        tool("search", 2, id="client", parent="http"),
        tool("search", 3, id="server", parent="client"),
        tool("rank", 4, id="inner", parent="agent"),
        tool("search", 5, id="nested", parent="inner"),
        tool("search", 6, id="circle", parent="circle"),
    )
    assert [(call.tool, call.at) for call in trace.calls] == [
        ("search", 1.0),
        ("rank", 4.0),
        ("search", 5.0),
        ("search", 6.0),
    ]


def test_a_trace_may_be_spread_over_lines_and_files_and_exported_twice(tmp_path: Path) -> None:
    first, second, third = (
        json.dumps(otlp(tool("a", at, trace=trace))) for at, trace in ((1, "x"), (2, "y"), (3, "x"))
    )
    (tmp_path / "1.jsonl").write_text(f"{first}\n\n{second}\n")
    (tmp_path / "2.json").write_text(f"[{third}, {first}]")
    traces = read_traces([tmp_path / "1.jsonl", tmp_path / "2.json"])
    assert {trace.name: [call.at for call in trace.calls] for trace in traces} == {"x": [1.0, 3.0], "y": [2.0]}


def test_empty_ids_keep_spans_apart(tmp_path: Path) -> None:
    spans = [{**tool("a", at), "spanId": "", "traceId": ""} for at in range(3)]
    assert len(one(tmp_path / "a.json", *spans).calls) == 3


def test_a_fault_of_ours_is_known_by_its_attribute(tmp_path: Path) -> None:
    trace = one(tmp_path / "a.json", tool("a", error__type="X", sealegs__struck=True, sealegs__episode="e"))
    assert trace.name == "e"
    (call,) = trace.calls
    assert (call.said, call.seconds, call.shown) == (None, None, Failure("", type="X"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no tool call"),
        ("[]", "no tool call"),
        (json.dumps(otlp(span("GET"))), "no tool call"),
        ('{"spans": []}', "neither a record's event nor an OTLP export"),
        ('{"resourceSpans": 5}', "is not OTLP JSON"),
        ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": "soon"}]}]}]}', "is not OTLP JSON"),
        ('{"type": "started", "episode": "e", "about": {}, "version": 9}\n', "version 9"),
        ("hello\nyou\n", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        (f"{json.dumps(otlp(tool('a')))}\n{{]\n[]\n", "line 2 is not JSON"),
        ("[]\n5\n", "line 2 is neither a record's event"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(TraceError, match=message) as caught:
        read_traces([path])
    assert "a.json" in str(caught.value)


def test_protobuf_and_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.pb").write_bytes(b"\n\xff\xfe\x00")
    with pytest.raises(TraceError, match="not in protobuf"):
        read_traces([tmp_path / "a.pb"])
    with pytest.raises(TraceError, match="cannot be read"):
        read_traces([tmp_path / "nowhere.json"])


def test_a_last_line_that_was_cut_off_is_lost_alone(tmp_path: Path) -> None:
    line = json.dumps(otlp(tool("a", gen_ai__tool__call__result="two\u2028lines")), ensure_ascii=False)
    (tmp_path / "a.jsonl").write_text(f"{line}\n{line[:50]}", encoding="utf-8")
    notes: list[str] = []
    assert len(read_traces([tmp_path / "a.jsonl"], notes)) == 1
    assert notes == ["a.jsonl: line 2, the last, is damaged and is left out"]


def test_records_and_spans_may_be_mixed(tmp_path: Path) -> None:
    recorder = _recorded(Plan(name="none"), lambda: Value(1))
    store = Store(tmp_path / "r.jsonl")
    store.append(recorder.events)
    store.close()
    found = read_traces([written(tmp_path / "a.json", tool("a")), tmp_path / "r.jsonl"])
    assert sorted(trace.name for trace in found) == ["e", "t"]


def _recorded(plan: Plan, answer: Any, calls: int = 1) -> Recorder:
    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    session = Session(plan, clock=clock, timeout=5, watcher=recorder)
    for _ in range(calls):
        session.call("a", {"n": 1}, lambda call: answer())
    recorder.finish("answered")
    return recorder


def _plan(fault: Any, when: Any = None) -> Plan:
    moment = fault.simplest_moment()
    return Plan(name="p", rules=(Rule(match=Tool("*"), when=when or Always(), fault=fault, moment=moment),))


def test_a_record_keeps_apart_the_tools_answer_and_the_one_shown() -> None:
    (faulted, plain) = trace_from_events(
        _recorded(_plan(Error(status=500), Nth(1)), lambda: Value(1), calls=2).events
    ).calls
    assert (faulted.said, faulted.seconds, faulted.faulted) == (None, None, True)
    assert (plain.said, plain.seconds, plain.faulted) == (Value(1), 0.0, False)
    (late,) = trace_from_events(_recorded(_plan(Delay(seconds=2)), lambda: Value(1)).events).calls
    assert (late.said, late.seconds) == (Value(1), None)


def test_of_a_duplicate_the_first_answer_counts() -> None:
    answers: list[Outcome] = [Value("booked"), Failure("booked already", type="Conflict")]
    (call,) = trace_from_events(_recorded(_plan(Duplicate()), lambda: answers.pop(0)).events).calls
    assert call.said == Value("booked")


def test_a_call_that_was_given_up_without_a_fault_is_abandoned() -> None:
    class Gone(BaseException):
        pass

    def answer() -> Outcome:
        raise Gone

    clock = VirtualClock()
    recorder = Recorder(clock)
    recorder.start("e", {})
    with pytest.raises(Gone):
        Session(clock=clock, watcher=recorder).call("a", {}, lambda call: answer())
    recorder.finish("crashed")
    (call,) = trace_from_events(recorder.events).calls
    assert call.said is ABANDONED
    assert call.shown is None


def test_opentelemetry_s_own_exporter_is_read_and_fitted(tmp_path: Path) -> None:
    """Through the SDK and its OTLP JSON file exporter, with failures of known parameters."""
    pytest.importorskip(
        "opentelemetry.exporter.otlp.json.file", reason=needs.module("opentelemetry.exporter.otlp.json.file")
    )
    from .production import spans_of

    true = Plan(
        name="true",
        seed=5,
        rules=(
            Rule(match=Tool("search"), when=Outage(rate=0.15, length=5), fault=Error(status=503, retry_after=2)),
            Rule(match=Tool("pay"), when=Nth(2), fault=RateLimit(retry_after=30)),
            Rule(match=Tool("search"), fault=Delay(seconds=0.5)),
        ),
    )
    path = tmp_path / "spans.jsonl"
    spans_of(true, 60, {"search": 40, "pay": 4}, path)
    traces = read_traces([path])
    assert len(traces) == 60
    assert all(len(trace.calls) == 44 for trace in traces)
    pay, search = fit_tools(traces)
    (limited,) = pay.failing
    assert (limited.rate, limited.retry_after, limited.error.status) == (0.25, 30, 429)
    (down,) = search.failing
    assert (down.error.status, down.retry_after) == (503, 2)
    assert down.rate == pytest.approx(0.15, rel=0.15)
    assert down.length == pytest.approx(5, rel=0.2)
    assert dict(search.latency)[0.5] == pytest.approx(0.5)


@pytest.mark.parametrize("name", NEEDS)
@pytest.mark.parametrize("fresh", [False, True], ids=["as kept", "fresh"])
def test_the_spans_of_real_frameworks_are_read(name: str, fresh: bool, tmp_path: Path) -> None:
    path = DATA / f"{name}.jsonl"
    if fresh:
        pytest.importorskip(NEEDS[name], reason=needs.module(NEEDS[name]))
        path = tmp_path / "spans.jsonl"
        command = [sys.executable, "-m", "tests.traces.instrumented", name, str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=1800, cwd=DATA.parents[2])
    (trace,) = read_traces([path])
    assert [call.tool for call in trace.calls] == ["search", "search", "buy"]
    first, second, third = trace.calls
    assert isinstance(third.said, Failure)
    assert third.said.type == ("tool_error" if name == "fastmcp" else "TimeoutError")
    assert all(call.seconds is not None and 0 < call.seconds < 60 for call in trace.calls)
    assert trace.kept is (name != "fastmcp")  # its spans hold no content
    if trace.kept:
        assert second.arguments == {"q": "table", "page": 2}
        assert second.said == Value([{"id": 7, "q": "table", "page": 2}])
        assert third.arguments == {"id": 7}
        # OpenInference writes a lone text without the name of its argument.
        assert first.arguments == (None if name == "langchain" else {"q": "lamp"})


def test_a_message_of_langchain_is_opened(tmp_path: Path) -> None:
    def message(status: str) -> str:
        return json.dumps({"type": "tool", "data": {"content": "[1]", "status": status}})

    given = {"openinference__span__kind": "TOOL", "tool__name": "a"}
    trace = one(
        tmp_path / "a.json",
        span("a", at=1, given={**given, "output__value": message("success")}),
        span("a", at=2, given={**given, "output__value": message("error")}),
    )
    assert [call.said for call in trace.calls] == [Value([1]), Failure("[1]")]
