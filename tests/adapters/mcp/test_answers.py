"""The pure parts: bytes are cut where they should be, and what is shown is what would be heard."""

import asyncio
import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sealegs.adapters.mcp.answers import call_answer, call_outcome, cuts_connection, list_answer, list_outcome
from sealegs.adapters.mcp.framing import (
    Events,
    LineBuffer,
    encode_message,
    glimpsed_id,
    id_of,
    parse_message,
    split_lines,
    stream_event_data,
    with_data,
)
from sealegs.faults.call import Failure, Value

SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    SCALARS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
IDS = st.integers() | st.text()
IMAGE = {"type": "image", "data": "aGk=", "mimeType": "image/png"}


def response(id: int | str, result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def text(value: Any) -> dict[str, Any]:
    return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}


@given(JSON, JSON, st.booleans(), IDS)
def test_what_is_shown_is_what_would_be_heard(before: Any, after: Any, image: bool, id: int | str) -> None:
    """In each form that servers use. Text that looks like other data is data to whoever reads it."""
    assume(isinstance(after, (dict, list)))
    blocks = [text(before), *([IMAGE] if image else [])]
    forms: list[dict[str, Any]] = [{"content": blocks}]
    if isinstance(before, dict):
        forms.append({"content": blocks, "structuredContent": before})
    forms.append({"content": blocks, "structuredContent": {"result": before}})
    for form in forms:
        answer = call_answer(Value(after), id, response(id, form), False)
        assert answer["id"] == id
        assert parse_message(encode_message(answer)) is not None
        assert (IMAGE in answer["result"]["content"]) == image
        found = call_outcome(answer)
        if "structuredContent" in answer["result"]:
            assert found == Value(after)
        elif not image:
            assert json.loads(answer["result"]["content"][0]["text"]) == after


@given(st.lists(st.dictionaries(st.text(max_size=5), SCALARS, min_size=1), min_size=2, max_size=5), st.integers(0, 5))
def test_an_answer_in_several_texts_keeps_its_form(items: list[Any], kept: int) -> None:
    truth = response(1, {"content": [text(item) for item in items]})
    assert call_outcome(truth) == Value(items)
    answer = call_answer(Value(items[:kept]), 1, truth, False)
    assert [json.loads(block["text"]) for block in answer["result"]["content"]] == items[:kept]


@given(st.text(), st.integers(-32800, -1), JSON)
def test_a_protocol_error_goes_round(message: str, code: int, data: Any) -> None:
    answer = {"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": message, "data": data}}
    assert call_answer(call_outcome(answer), 1, None, True) == answer


def test_a_list_goes_round_by_name() -> None:
    tools = [{"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {"type": "object"}}]
    answer = response(1, {"tools": tools, "nextCursor": "2"})
    found = list_outcome(answer)
    assert found == Value({"a": tools[0], "b": tools[1]})
    assert list_answer(found, 1, answer, False) == answer
    assert list_answer(Value({"c": tools[0]}), 1, answer, False)["result"]["tools"] == [
        {"name": "c", "inputSchema": {}}
    ]
    assert list_answer(Value("{brok"), 1, answer, True)["result"] == {
        "tools": "{brok",
        "nextCursor": "2",
        "resultType": "complete",
    }


def test_what_is_not_final_is_no_data() -> None:
    for result in ({"resultType": "input_required", "content": []}, {"task": {}}, None, []):
        outcome = call_outcome(response(1, result))
        assert isinstance(outcome, Failure)
        assert outcome.type == "Unfinished"
        assert not cuts_connection(outcome)


@given(IDS, JSON, st.permutations(["jsonrpc", "id", "result"]), st.sampled_from([(",", ":"), (", ", ": ")]))
def test_an_id_that_is_glimpsed_is_the_id(id: int | str, result: Any, order: list[str], marks: tuple[str, str]) -> None:
    message = {"jsonrpc": "2.0", "id": id, "result": {"id": 5, "in": result}}
    line = json.dumps({key: message[key] for key in order}, separators=marks).encode() + b"\n"
    known, found = glimpsed_id(line)
    if known:
        assert found == id
        assert type(found) is type(id)
    assert id_of(parse_message(line) or {}) == id


def test_an_id_inside_is_not_taken_for_the_message_s() -> None:
    for line in (
        b'{"id":1,"jsonrpc":"2.0","result":{"id":2}}',
        b'{"id":1,"result":[{"jsonrpc":"2.0","id":2}]}',
        b'{"id":1,"a":",\\"id\\":2}"}',
    ):
        assert glimpsed_id(line) in ((False, None), (True, 1))


@given(st.lists(st.binary(max_size=20).map(lambda data: data.replace(b"\n", b"") + b"\n"), max_size=8), st.data())
def test_lines_are_cut_wherever_chunks_end(sent: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(sent) + b"rest"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    got: list[bytes] = []
    ended: list[bool] = []
    protocol = LineBuffer(lambda block: got.extend(split_lines(block)), lambda: ended.append(True))
    assert isinstance(protocol, asyncio.Protocol)
    for start, end in zip([0, *cuts], [*cuts, len(whole)]):
        protocol.data_received(whole[start:end])
    assert got == sent
    protocol.connection_lost(None)
    assert got == [*sent, b"rest"]
    assert ended == [True]


@given(st.sampled_from(["\n", "\r\n"]), st.lists(JSON, max_size=5), st.data())
def test_events_are_cut_wherever_chunks_end(mark: str, values: list[Any], data: st.DataObject) -> None:
    sent = [f"id: {n}{mark}data: {json.dumps(value)}{mark}{mark}".encode() for n, value in enumerate(values)]
    whole = b"".join(sent) + b"id: 9"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    events = Events()
    got = [event for start, end in zip([0, *cuts], [*cuts, len(whole)]) for event in events.fed(whole[start:end])]
    assert got == sent
    assert events.rest == b"id: 9"
    assert [json.loads(stream_event_data(event)) for event in got] == values
    assert all(
        stream_event_data(with_data(event, b"{}")) == b"{}" and event[:5] in with_data(event, b"{}") for event in got
    )


def test_half_a_surrogate_pair_passes() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\ud800"}]}}'
    message = parse_message(line)
    assert message is not None
    assert parse_message(encode_message(message)) == message
