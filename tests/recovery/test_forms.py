"""Every form of failure is read to the signature that stands beside it, and no text breaks the reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
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


ANSWERS_LIKE_FAILURES: list[Any] = [
    {"status": 202, "message": "accepted", "title": "Order 7"},
    {"code": 200, "message": "done"},
    {"status": 404, "message": "two beds", "room": 404, "floor": 4, "free": True, "price": 90},
    {"status": 409, "reason": "moved by the owner", "meeting": "M-4"},
    {"detail": "Three chairs, delivered on Friday"},
    {"detail": "Sunny side of the street", "status": "free"},
    [{"message": "hello again", "path": "sent/4"}, {"message": "lunch?", "path": "sent/5"}],
    [{"msg": "tidy up", "path": ["docs", "index.md"]}],
    {"house": ["Visitors must ring", "Keys are required at night"], "garden": ["Dogs may not be left here"]},
    {"errors": [{"message": "line too long", "column": 121}], "checked_files": 12, "tool": "lint", "seconds": 3},
    {"__type": "Event", "message": "new season", "tickets": 90},
    {"failure": {"message": "belt worn", "place": "left"}, "machine": "press"},
    {"type": "tool_result", "content": "Four trains leave before noon"},
    {"role": "tool", "content": "The cat sleeps"},
    {"type": "tool_result", "is_error": False, "content": "Error: this line is from the log that you asked for"},
    {"type": "tool", "status": "success", "content": "HTTP 503: what the page says"},
    {"errorCode": "0", "message": "OK"},
    {"error_code": 0, "message": "booked"},
    {"success": True, "message": "sent"},
    {"ok": False, "lamp": "kitchen", "watts": 0, "since": "noon", "message": "off", "floor": 1},
    {"code": "SPRING_OFFER", "message": "a tenth off all chairs"},
    {"message": "Welcome to the club", "documentation_url": "https://club.test/docs"},
    {"data": {"order": {"id": 1, "userErrors": []}}},
    {"timed_out": False, "_shards": {"total": 3, "failed": 0}, "hits": {"hits": []}},
]


@pytest.mark.parametrize("data", ANSWERS_LIKE_FAILURES, ids=str)
def test_an_answer_in_the_form_of_a_failure_is_none(data: Any) -> None:
    reading = read_failure(json.dumps(data))
    assert reading.outcome == Value(data)
    assert reading.signature is None


FAILURES_LIKE_ANSWERS: list[tuple[Any, tuple[str, int | None, str]]] = [
    ({"ok": False, "description": "Bad Request: chat is closed"}, ("ToolError", None, "Bad Request: chat is closed")),
    ({"success": False, "message": "it did not work"}, ("ToolError", None, "it did not work")),
    ({"error_code": 403, "description": "bot was blocked"}, ("ToolError", 403, "bot was blocked")),
    ({"status": "INVALID_KEY", "error_message": "bad key", "results": []}, ("InvalidKey", None, "bad key")),
    ({"cod": "429", "message": "account is blocked"}, ("ToolError", 429, "account is blocked")),
    ({"errorCode": "ROW_GONE", "message": "was deleted"}, ("RowGone", None, "was deleted")),
    ([{"errorCode": "ROW_GONE", "message": "was deleted", "fields": []}], ("RowGone", None, "was deleted")),
    (
        {"name": "RESOURCE_NOT_FOUND", "message": "The resource does not exist.", "debug_id": "d1"},
        ("ResourceNotFound", None, "The resource does not exist."),
    ),
    (
        {"message": "API rate limit exceeded", "documentation_url": "https://docs.test/limits"},
        ("ToolError", None, "API rate limit exceeded"),
    ),
    (
        {"data": {"orderUpdate": {"order": None, "userErrors": [{"field": ["note"], "message": "is too long"}]}}},
        ("UserError", None, "is too long"),
    ),
    ({"role": "tool", "content": "Error: connection refused"}, ("ToolError", None, "connection refused")),
    ({"detail": "User is inactive or not known"}, ("ToolError", None, "User is inactive or not known")),
    (
        {"type": "https://x.test/credit", "title": "Out of credit", "status": 403, "balance": 30, "accounts": ["a"]},
        ("ToolError", 403, "Out of credit"),
    ),
    (
        {"isError": True, "content": [{"text": '{"detail": "Two chairs"}'}]},
        ("ToolError", None, '{"detail": "Two chairs"}'),
    ),
]


@pytest.mark.parametrize(("data", "expected"), FAILURES_LIKE_ANSWERS, ids=str)
def test_a_failure_in_the_form_of_an_answer_is_read(data: Any, expected: tuple[str, int | None, str]) -> None:
    outcome = read_failure(json.dumps(data)).outcome
    assert isinstance(outcome, Failure)
    assert (outcome.type, outcome.status, outcome.message) == expected


def test_a_search_of_which_parts_did_not_answer_is_a_part() -> None:
    for more in ({"timed_out": True}, {"timed_out": False, "_shards": {"total": 5, "failed": 2}}):
        found = read_failure(json.dumps({"_shards": {"total": 5, "failed": 0}, "hits": {"hits": []}, **more})).signature
        assert found is not None
        assert found.message.startswith("partial: ")


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
@example({"value": None, "tool": None, "invariants": True, "reasons": 3})
def test_all_data_is_read(data: Any) -> None:
    reading = read_json_failure(data)
    assert isinstance(reading.outcome, (Failure, Value))
    assert reading.signature is None or isinstance(reading.signature.data(), dict)


def test_the_end_of_a_long_trace_is_read() -> None:
    frames = "".join(f'  File "/srv/a.py", line {n}, in f{n}\n    f{n + 1}()\n' for n in range(2000))
    found = read_failure(f"Traceback (most recent call last):\n{frames}RecursionError: too deep").signature
    assert found is not None
    assert (found.type, found.message) == ("RecursionError", "too deep")
