"""Every form of failure is read to the signature that stands beside it, and no text breaks the reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.call import Call, Failure, Outcome, Value
from sealegs.faults.user_error import UserError
from sealegs.inject import Session, VirtualClock
from sealegs.recovery.causes import read_shipped_yaml
from sealegs.recovery.forms import FailureReading, read_failure, read_json_failure
from sealegs.recovery.signature import Signature
from sealegs.traces import Recorder
from sealegs.traces.events import outcome_data
from sealegs.traces.store import line

FORMS: list[dict[str, Any]] = read_shipped_yaml("forms.yaml")


@pytest.mark.parametrize("form", FORMS, ids=[form["form"] for form in FORMS])
def test_a_form(form: dict[str, Any]) -> None:
    reading = read_failure(form["text"])
    found = reading.signature
    assert found is not None
    assert json.loads(json.dumps(found.data())) == form["signature"]
    assert (reading.shape, reading.call.tool) == (form["shape"], form.get("tool", ""))


def test_there_are_the_eleven_of_the_paper_and_sixty_more() -> None:
    names = [form["form"] for form in FORMS]
    assert len(set(names)) == len(names)
    assert sum(name.startswith("paper-") for name in names) == 11
    assert len(names) >= 71


def test_what_else_a_failure_tells_is_kept() -> None:
    reading = read_failure('{"error": {"status": 429, "type": "Busy", "message": "wait", "retry_after": 20}}')
    assert reading.outcome == Failure("wait", "Busy", 429, 20.0)
    reading = read_failure("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\n\r\n")
    assert isinstance(reading.outcome, Failure)
    assert reading.outcome.retry_after == 7


def test_an_error_in_an_error_is_read_through() -> None:
    inner = json.dumps({"error": {"code": 503, "message": "down"}})
    text = json.dumps({"role": "tool", "content": json.dumps({"isError": True, "content": [{"text": inner}]})})
    found = read_failure(text).signature
    assert found is not None
    assert (found.status, found.message) == (503, "down")


@pytest.mark.parametrize("outcome", [Failure("no", "Gone", 410), Failure("slow", "Busy", 429, 3.0), Value({"a": 1})])
def test_outcomes_of_records_are_read_as_they_were(outcome: Outcome) -> None:
    data = {"call": {"tool": "price", "arguments": {"item": "pen"}}, "outcome": outcome_data(outcome)}
    reading = read_json_failure(data)
    assert reading.outcome == outcome
    assert (reading.call.tool, reading.call.arguments) == ("price", {"item": "pen"})


def recorded(*outcomes: Outcome) -> str:
    recorder = Recorder(VirtualClock())
    recorder.start("one", {})
    session = Session(clock=VirtualClock(), watcher=recorder)
    for outcome in outcomes:
        session.call("price", {"item": "pen"}, lambda call, outcome=outcome: outcome)  # type: ignore[misc]
    recorder.finish("answered", answer="done")
    return "".join(line(event) for event in recorder.events)


def test_of_a_record_the_last_failure_is_read_with_its_repeats() -> None:
    busy = Failure("Service Unavailable", "ServiceUnavailable", 503)
    reading = read_failure(recorded(busy, busy, busy, Value({"price": 2})))
    assert reading.shape == "record"
    assert reading.call.tool == "price"
    assert reading.signature == Signature(503, "ServiceUnavailable", "Service Unavailable", repeated=2)


def test_a_record_without_a_failure_is_a_mistake() -> None:
    with pytest.raises(UserError, match="no call of this record failed"):
        read_failure(recorded(Value({"price": 2})))
    with pytest.raises(UserError, match="line 2 is not an event"):
        read_failure(recorded(Value(1)).splitlines()[0] + "\nnonsense")


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_is_a_mistake(text: str) -> None:
    with pytest.raises(UserError, match="empty"):
        read_failure(text)


@pytest.mark.parametrize("data", [{"price": 2.5}, {"items": [1, 2]}, [1, 2], {"status": "ok", "message": "sent"}, []])
def test_a_right_answer_is_no_failure(data: Any) -> None:
    reading = read_failure(json.dumps(data))
    assert reading.outcome == Value(data)
    assert reading.signature is None


@pytest.mark.parametrize("data", [{"partial": True}, {"items": [], "hasMore": True}, {"status": "PARTIAL", "done": 3}])
def test_a_partial_answer_is_recognised(data: Any) -> None:
    assert read_failure(json.dumps(data)).signature is not None


BEGINNINGS = (
    "Error: ",
    "503 ",
    "Traceback (most recent call last):\n",
    "KeyError('x')",
    "{",
    '"error": ',
    "ORA-00001: ",
)
OTHERS = ("(1205, 'x')", "\n", "curl: (6) ", "StatusCode.X", "Caused by: a.B", "Error code: 400 - {", "}", "\x00", "é")
PIECES = st.sampled_from([*BEGINNINGS, *OTHERS])


@given(st.lists(PIECES, max_size=8).map("".join) | st.text(max_size=40))
def test_every_text_is_read(text: str) -> None:
    if not text.strip().removeprefix("\ufeff"):
        return
    reading = read_failure(text)
    assert isinstance(reading, FailureReading)
    assert reading.call == Call(reading.call.tool, reading.call.arguments, reading.call.id)
    if isinstance(reading.outcome, Failure):
        assert reading.signature is not None


FIELDS = "error errors code status message type isError content detail value tool failure outcome call jsonrpc result"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-40000, 600) | st.sampled_from(["error", "failed", "503", "x: y"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*FIELDS.split(), "role", "loc", "msg", "invariants", "__type"]), inner, max_size=4
        )
    ),
    max_leaves=10,
)


@given(JSON)
def test_all_data_is_read(data: Any) -> None:
    reading = read_json_failure(data)
    assert isinstance(reading.outcome, (Failure, Value))
    assert reading.signature is None or isinstance(reading.signature.data(), dict)


def test_the_end_of_a_long_trace_is_read() -> None:
    frames = "".join(f'  File "/srv/a.py", line {n}, in f{n}\n    f{n + 1}()\n' for n in range(2000))
    found = read_failure(f"Traceback (most recent call last):\n{frames}RecursionError: too deep").signature
    assert found is not None
    assert (found.type, found.message) == ("RecursionError", "too deep")
