"""Answers that Sealegs makes in place of a tool's: clients take them, whether or not they have listed the tools."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("mcp_types", reason=needs.module("mcp_types"))
pytest.importorskip("fastmcp", reason=needs.module("fastmcp"))

from sealegs.adapters.mcp import Gate, listed_tools
from sealegs.adapters.mcp.answers import UNKNOWN, OutputSchema, call_answer
from sealegs.adapters.mcp.framing import RequestId
from sealegs.adapters.mcp.mcp_exchange import ServerReply
from sealegs.adapters.mcp.mcp_request import McpRequest
from sealegs.faults.call import Value
from sealegs.traces.store import read_episodes
from tests.adapters.mcp.piping import SEALEGS, piped, request, text_of
from tests.adapters.mcp.test_clients import called, connected

SERVER = str(Path(__file__).parent / "lost_answer_server.py")
VERIFY = (
    "verify: {tool: list_payments, settles: 0, done: {entries: payments, where: {reference: {given: reference}}}%s}"
)
PLAN = f"""
policies: [verify]
tools:
  "pay*": {{effects: true, {VERIFY % ""}}}
  pay_fully: {{effects: true, {VERIFY % ", answer: {number: {entry: number}}"}}}
"""
NOTE = "was done, though it did not say so: list_payments shows it."


def made(value: Any, schema: OutputSchema) -> dict[str, Any]:
    result: dict[str, Any] = call_answer(Value(value), 1, None, False, schema)["result"]
    return result


def wrapped(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"result": {"type": kind}}, "required": ["result"]}


PRICE = {"type": "object", "properties": {"price": {"type": "number"}}, "required": ["price"]}
STRICT = {**PRICE, "additionalProperties": False}


@pytest.mark.parametrize(
    ("value", "schema", "structured"),
    [
        ({"price": 2}, UNKNOWN, {"price": 2}),
        ({"price": 2}, {}, {"price": 2}),
        ({"price": 2}, PRICE, {"price": 2}),
        ({"price": 2, "recovery_note": "by another tool"}, PRICE, {"price": 2, "recovery_note": "by another tool"}),
        ({"price": 2, "recovery_note": "by another tool"}, STRICT, {"price": 2}),
        ({"price": 2}, wrapped("object"), {"result": {"price": 2}}),
        ([1], wrapped("array"), {"result": [1]}),
        ("paid", wrapped("string"), {"result": "paid"}),
        ({"price": 2}, wrapped("string"), {"result": '{"price": 2}'}),
        ([1], {"type": "array"}, [1]),  # allowed since 2026-07-28
        ({"price": 2}, {"type": "no such type"}, {"price": 2}),
    ],
)
def test_an_answer_has_the_form_that_the_tool_announces(value: Any, schema: OutputSchema, structured: Any) -> None:
    result = made(value, schema)
    assert result["structuredContent"] == structured
    assert "isError" not in result


@pytest.mark.parametrize(("value", "schema"), [({"price": 2}, None), ("paid", None), ("paid", UNKNOWN), ([1], UNKNOWN)])
def test_an_answer_is_text_alone_where_no_form_is_known(value: Any, schema: OutputSchema) -> None:
    assert made(value, schema).keys() == {"content"}


def test_an_answer_that_no_schema_takes_is_an_error_that_says_it() -> None:
    result = made({"done": True}, PRICE)
    assert result == {"content": [{"type": "text", "text": '{"done": true}'}], "isError": True}


@pytest.mark.parametrize("listed", [False, True], ids=["not listed", "listed"])
@pytest.mark.parametrize("client", ["official 2025-11-25", "official 2026-07-28", "fastmcp"])
def test_a_client_takes_what_recovery_answers(tmp_path: Path, client: str, listed: bool) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN, encoding="utf-8")
    command = [*SEALEGS, "--recovery", str(tmp_path / "plan.yaml"), "--records", str(tmp_path / "records.jsonl")]

    async def play() -> list[Any]:
        async with connected(client, [*command, "--", sys.executable, SERVER]) as far:
            if listed:
                await far.list_tools()
            tools = ("pay", "pay_briefly", "pay_fully", "pay_plainly")
            return [await called(far, tool, reference=tool) for tool in tools]

    answers = asyncio.run(play())
    pay, briefly, fully, plainly = (answer["structured_content"] for answer in answers)
    assert not any(answer["is_error"] for answer in answers)
    assert pay["recovery_note"] == f"pay {NOTE}"
    assert json.loads(briefly["result"])["recovery_note"] == f"pay_briefly {NOTE}"
    assert fully == {"number": 2}
    assert plainly is None
    assert f"pay_plainly {NOTE}" in answers[3]["content"][0]["text"]
    assert next(iter(read_episodes(tmp_path / "records.jsonl")))  # and the episode is recorded


def test_the_client_sees_nothing_of_the_list_that_is_asked_for(tmp_path: Path) -> None:
    plan = "policies: [switch]\ntools: {'*': {effects: false}}\n"
    plan += "alternatives: [{tool: fail, steps: [{tool: echo, arguments: {a: {given: a}}}], "
    plan += "answer: {b: {step: 0, path: a}}}]\n"
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    with piped(tmp_path, None, "--recovery", str(tmp_path / "plan.yaml")) as pipes:
        answer = pipes.answer(1, "fail", a=5)
        assert answer == {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {"content": [{"type": "text", "text": '{"b": 5}'}], "structuredContent": {"b": 5}},
        }
        assert text_of(pipes.answer(2, "count")) == "3"  # the line that comes next answers the next call
        assert pipes.end() == 0
    got = [json.loads(line) for line in pipes.got().splitlines()]
    assert [one["method"] for one in got] == ["tools/call", "tools/call", "tools/list", "tools/call"]
    assert len({one["id"] for one in got}) == 4


def test_data_of_another_tool_takes_the_form_of_the_one_that_was_called(tmp_path: Path) -> None:
    plan = "policies: [switch]\ntools: {'*': {effects: false}}\n"
    plan += "alternatives: [{tool: fail, steps: [{tool: echo, arguments: {a: {given: a}}}], "
    plan += "answer: {a: {step: 0, path: a}}}]\n"
    (tmp_path / "plan.yaml").write_text(plan, encoding="utf-8")
    with piped(tmp_path, None, "--recovery", str(tmp_path / "plan.yaml")) as pipes:
        assert "café" not in pipes.answer(1, "fail", a=5)  # which the server writes into each of its answers


class Pages:
    """A server's list of tools in pages, one tool each; `None` is a page that never comes."""

    def __init__(self, *pages: dict[str, Any] | None) -> None:
        self.pages = pages
        self.asked: list[dict[str, Any]] = []

    async def ask(self, raw: bytes, id: RequestId) -> ServerReply:
        message = json.loads(raw)
        assert message["id"] == id
        self.asked.append(message)
        page = int(message["params"].get("cursor", 0))
        found = self.pages[page]
        if found is None:
            await asyncio.sleep(60)
        result = {"tools": [found], **({"nextCursor": str(page + 1)} if page + 1 < len(self.pages) else {})}
        return ServerReply({"jsonrpc": "2.0", "id": id, "result": result}, b"")


async def broken(raw: bytes, id: RequestId) -> ServerReply:
    raise ConnectionResetError


async def refused(raw: bytes, id: RequestId) -> ServerReply:
    return ServerReply({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "Method not found"}}, b"")


def paying() -> McpRequest:
    message = request(7, "pay")
    message["params"]["_meta"] = {"progressToken": 1, "trace": "x"}
    return McpRequest(b"", message, 7, "pay", {})


async def test_the_list_is_read_to_the_tool_and_once() -> None:
    tools = Gate().tools
    server = Pages({"name": "other"}, {"name": "pay", "outputSchema": PRICE}, None)
    for _ in range(2):
        assert await tools.output_schema(paying(), server.ask) == PRICE
    assert [one["params"] for one in server.asked] == [
        {"_meta": {"trace": "x"}},
        {"_meta": {"trace": "x"}, "cursor": "1"},
    ]
    assert len({one["id"] for one in server.asked}) == 2
    assert not tools.specs  # or what strikes later calls would depend on this one


@pytest.mark.parametrize("ask", [broken, refused, Pages(None).ask, Pages({"name": "other"}).ask])
async def test_without_a_list_the_schema_is_unknown(ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listed_tools, "LISTING", 0.05)
    assert await Gate().tools.output_schema(paying(), ask) == UNKNOWN
