"""A kernel that lies: every line that may come, and talks with one that says anything at all."""

import json
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sealegs.faults.call import Failure, Value
from sealegs.faults.spec import ToolSpec
from sealegs.sandbox.conversation import CodeTurn, Conversation, HostCall, Read, Request, StartFailed, Write
from sealegs.sandbox.kernel_protocol import (
    Done,
    FunctionCallRequest,
    ProtocolViolation,
    answer_line,
    parse_line,
    read_kernel_message,
)
from sealegs.sandbox.limits import Limits

LIMITS = Limits(output=100, message=2000)
FUNCTIONS = {"price": frozenset({"item"})}
PRICE = ToolSpec("price", parameters={"properties": {"item": {}}})


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


CALL = {"call": 3, "tool": "price", "arguments": {"item": "pen"}}
DONE = {"done": 2, "how": "finished", "output": "x", "error": None}


def test_what_is_believed() -> None:
    assert read_kernel_message(parse_line(line(**CALL)), 2, 3, FUNCTIONS, LIMITS) == FunctionCallRequest(
        "price", {"item": "pen"}
    )
    assert read_kernel_message(parse_line(line(**DONE)), 2, 3, FUNCTIONS, LIMITS) == Done("finished", "x", None)
    raised = {**DONE, "how": "raised", "error": "\0 \ud800"}
    assert read_kernel_message(parse_line(line(**raised)), 2, 3, FUNCTIONS, LIMITS) == Done(
        "raised", "x", "\\x00 \\ud800"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"[]",
        b"3",
        b"null",
        b"\xff{}",
        b"[" * 100_000,
        b"1" * 10_000,
        b'{"call": NaN}',
        b"\x80\x04\x95",
        line(),
        line(ready=True),
        line(**{**CALL, "extra": 1}),
        line(**CALL, **DONE),
        line(**{**CALL, "call": 4}),
        line(**{**CALL, "call": True}),
        line(**{**CALL, "call": "3"}),
        line(**{**CALL, "call": 3.0}),
        line(**{**CALL, "tool": "other"}),
        line(**{**CALL, "tool": ["price"]}),
        line(**{**CALL, "arguments": []}),
        line(**{**CALL, "arguments": {"other": 1}}),
        line(**{**CALL, "arguments": {"item": "\ud800"}}),
        line(**{**CALL, "arguments": {"item": {"\ud800": 1}}}),
        line(**CALL).replace(b'"pen"', b"1e999"),
        line(**CALL).replace(b'"pen"', b"-Infinity"),
        line(**CALL).replace(b'"pen"', b"[" * 40 + b"]" * 40),
        line(**CALL).replace(b'"pen"', b"9" * 5000),
        line(**{**DONE, "done": 1}),
        line(**{**DONE, "done": True}),
        line(**{**DONE, "how": "won"}),
        line(**{**DONE, "how": ["finished"]}),
        line(**{**DONE, "output": None}),
        line(**{**DONE, "error": "x"}),
        line(**{**DONE, "how": "raised"}),
        line(**{**DONE, "output": "x" * 5000}),
    ],
)
def test_what_is_not(data: bytes) -> None:
    with pytest.raises(ProtocolViolation):
        read_kernel_message(parse_line(data), 2, 3, FUNCTIONS, LIMITS)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_answers_arrive_as_they_are_or_are_reported_as_too_long(value: Any) -> None:
    answer, shown = answer_line(Value(value), LIMITS)
    assert answer.endswith(b"\n")
    assert len(answer) <= LIMITS.message
    assert answer.count(b"\n") == 1
    if shown == Value(value):
        assert json.loads(answer) == {"value": value}
    else:
        assert isinstance(shown, Failure)


@given(st.text(), st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
def test_failures_fit(message: str, kind: str, body: dict[str, str]) -> None:
    answer, _ = answer_line(Failure(message * 50, type=kind, body=body), LIMITS)
    assert len(answer) <= LIMITS.message
    assert json.loads(answer)["error"]["type"].isidentifier()


class Liar:
    """Plays a kernel that says the given pieces, whatever it is asked, and then is silent or gone."""

    def __init__(self, pieces: list[bytes], silent: bool) -> None:
        self.now = 0.0
        self.calls: list[HostCall] = []
        self._pieces = pieces
        self._silent = silent

    def play(self, talk: Generator[Request, Any, Any]) -> Any:
        came: Any = None
        while True:
            try:
                request = talk.send(came)
            except StopIteration as stop:
                return stop.value
            if isinstance(request, Write):
                came = len(request.data)
            elif isinstance(request, HostCall):
                self.calls.append(request)
                came = Value("x" * 50)
            else:
                assert isinstance(request, Read)
                self.now += 0.001
                came = self._pieces.pop(0) if self._pieces else self._end(request.seconds)

    def _end(self, seconds: float) -> bytes | None:
        if self._silent:
            self.now += max(0.0, seconds)
        return None if self._silent else b""


LINES = st.sampled_from(
    [json.dumps({**CALL, "call": n}).encode() + b"\n" for n in (1, 2, 3)]
    + [json.dumps({**DONE, "done": n}).encode() + b"\n" for n in (1, 2)]
    + [b"\n", b"{}\n", b'{"call"', b"x" * 500, b"\x00\n"]
)


@given(pieces=st.lists(LINES | st.binary(min_size=1, max_size=50), max_size=12), silent=st.booleans())
def test_a_turn_always_ends_and_logs_its_calls(pieces: list[bytes], silent: bool) -> None:
    liar = Liar(pieces, silent)
    talk = Conversation(LIMITS, lambda: liar.now, lambda: "it is gone")
    liar.play(talk.introduce([PRICE]))
    for number in (1, 2):
        before = len(liar.calls)
        turn = liar.play(talk.turn("x"))
        assert isinstance(turn, CodeTurn)
        assert [(made.tool, made.arguments) for made in turn.calls] == [
            (call.tool, call.arguments) for call in liar.calls[before:]
        ]
        assert turn.alive == (
            turn.how in ("finished", "raised", "timeout", "memory") and "interpreter" not in (turn.error or "")
        )
        assert turn.seconds <= LIMITS.seconds + LIMITS.grace + 0.1
        if not turn.alive:
            break
        assert number == 1 or turn.alive


def test_a_turn_may_have_a_time_of_its_own() -> None:
    liar = Liar([], silent=True)
    talk = Conversation(LIMITS, lambda: liar.now, lambda: "")
    turn = liar.play(talk.turn("x", 60))
    assert turn.how == "timeout"
    assert turn.seconds == pytest.approx(60 + LIMITS.grace, abs=0.1)
    assert "longer than 60 s" in (turn.error or "")
    assert liar.play(talk.turn("x")).seconds == pytest.approx(LIMITS.seconds + LIMITS.grace, abs=0.1)


def test_a_flood_is_cut_off() -> None:
    liar = Liar([b"x" * 1500] * 10_000, silent=False)
    turn = liar.play(Conversation(LIMITS, lambda: liar.now, lambda: "").turn("x"))
    assert turn.how == "violated"
    assert liar.now < 0.01, "no more was read than fits a message"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x\n",
        b"{}\n",
        b'{"hello": 1}\n',
        b'{"hello": {"machine": "m", "pid": 1, "landlock": 0}}\n{"refused": "no"}\n',
    ],
)
def test_a_kernel_that_does_not_come_up(data: bytes) -> None:
    liar = Liar([data] if data else [], silent=False)
    with pytest.raises(StartFailed):
        liar.play(Conversation(LIMITS, lambda: liar.now, lambda: "it is gone").greet(lambda hello: {}))
