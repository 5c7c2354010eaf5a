"""`sealegs proxy --recovery`: a real client and a real server, and the calls that the layer has made between them."""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import needs

pytest.importorskip("mcp_types", reason=needs.module("mcp_types"))
pytest.importorskip("fastmcp", reason=needs.module("fastmcp"))

from sealegs.adapters.mcp import Gate
from sealegs.adapters.mcp.answers import call_outcome
from sealegs.faults.call import Failure, render
from sealegs.traces.record import Record, build_record
from sealegs.traces.store import read_episodes
from tests.adapters.mcp.piping import SEALEGS, piped, text_of
from tests.adapters.mcp.test_clients import called, connected

SERVER = str(Path(__file__).parent / "flaky_server.py")
RECOVERY = """
policies: [mend_arguments, {retry: {base: 0.01}}, switch, stop]
alternatives:
  - tool: closed
    steps: [{tool: quote, arguments: {article: {given: item}}}]
    answer: {price: {step: 0, path: amounts.net}}
"""
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("price", {"item": "pen"}),
    ("price", {"items": "pen", "count": "2"}),
    ("closed", {"item": "pen"}),
    ("pay", {"amount": 5}),
    ("put", {"amount": 5}),
]


def played(folder: Path, client: str, *more: str) -> tuple[list[Any], Counter[str], Record | None]:
    """What the client sees of the calls, what the server did, and the record."""
    folder.mkdir(exist_ok=True)
    (folder / "recovery.yaml").write_text(RECOVERY, encoding="utf-8")
    command = [*SEALEGS, *more, "--", sys.executable, SERVER, str(folder / "ledger")]

    async def play() -> list[Any]:
        async with connected(client, command) as far:
            await far.list_tools()
            return [await called(far, tool, **arguments) for tool, arguments in CALLS]

    seen = asyncio.run(play())
    store = folder / "records.jsonl"
    found = build_record(next(iter(read_episodes(store)))) if store.exists() else None
    return seen, Counter((folder / "ledger").read_text().split()), found


@pytest.mark.parametrize("client", ["official 2025-11-25", "official 2026-07-28"])
def test_what_fails_is_recovered_between_client_and_server(tmp_path: Path, client: str) -> None:
    recovery = ["--recovery", str(tmp_path / "recovery.yaml"), "--records", str(tmp_path / "records.jsonl")]
    seen, ran, found = played(tmp_path, client, *recovery)
    price, mended, switched, pay, put = seen
    assert price["structured_content"] == {"price": 2.5}
    assert mended["structured_content"] == {"price": 5.0}
    assert switched["structured_content"] == {"price": 2.25}  # as the tool that was called would have it
    assert not any(one["is_error"] for one in (price, mended, switched, put))
    assert pay["is_error"]
    assert ran == Counter({"price": 3, "closed": 2, "quote": 1, "pay": 1, "put": 2})
    assert found is not None
    assert [(turn.call.tool, turn.by) for turn in found.turns if turn.by] == [
        ("price", "retry"),
        ("price", "mend_arguments"),
        ("closed", "retry"),  # the SDK hides what the tool raised
        ("quote", "switch"),
        ("put", "retry"),
    ]


BANK = """
exemplars:
  - name: our-busy-price
    cause: server_error
    looks: ["Error executing tool price"]
    tools: [price]
    diagnosis: Our price service is being restarted.
    steps: [Wait for the restart and make the same call again.]
    stop: it fails a third time
"""


@pytest.mark.parametrize("own", [False, True], ids=["shipped bank", "bank of one's own"])
def test_advice_reaches_the_client_and_nothing_is_repeated(tmp_path: Path, own: bool) -> None:
    (tmp_path / "advice.yaml").write_text(f"policies: [advise]\n{'bank: bank.yaml' if own else ''}\n", encoding="utf-8")
    (tmp_path / "bank.yaml").write_text(BANK, encoding="utf-8")
    recovery = ["--recovery", str(tmp_path / "advice.yaml"), "--records", str(tmp_path / "records.jsonl")]
    seen, ran, found = played(tmp_path, "official 2026-07-28", *recovery)
    price, *_ = seen
    assert price["is_error"]
    assert ran == Counter({"price": 1, "closed": 1, "pay": 1, "put": 1})
    assert ("Our price service is being restarted." in json.dumps(price)) is own
    assert found is not None
    advised = [turn for turn in found.turns if turn.final is not None]
    assert len(advised) == len(found.turns) == len(CALLS)
    assert all(isinstance(turn.final, Failure) and turn.final.message != turn.shown.message for turn in advised)  # type: ignore[union-attr]
    assert json.dumps(advised[0].final.message)[1:-1] in json.dumps(price)  # type: ignore[union-attr]


def test_without_a_plan_it_fails_as_the_server_does(tmp_path: Path) -> None:
    seen, ran, _ = played(tmp_path, "official 2025-11-25")
    assert [one["is_error"] for one in seen] == [True, True, True, True, True]
    assert ran == Counter({"price": 1, "closed": 1, "pay": 1, "put": 1})


def test_injected_faults_are_recovered_too(tmp_path: Path) -> None:
    (tmp_path / "recovery.yaml").write_text(RECOVERY + "tools: {say: {effects: false}}\n", encoding="utf-8")
    rules = [{"match": {"tool": "say"}, "when": {"first": 2}, "fault": {"kind": "error", "status": 503}}]
    hang = {"match": {"tool": "say"}, "when": {"nth": 4}, "fault": {"kind": "hang"}}
    options = ["--recovery", str(tmp_path / "recovery.yaml"), "--timeout", "0.2"]
    with piped(tmp_path, [*rules, hang], *options) as pipes:
        assert text_of(pipes.answer(1, "say", text="hello")) == text_of(pipes.answer(2, "say", text="hello"))
        assert pipes.end() == 0
    got = [json.loads(line) for line in pipes.got().splitlines()]
    assert len([one for one in got if one.get("method") == "tools/call"]) == 2


def test_an_invalid_recovery_plan_is_reported(tmp_path: Path) -> None:
    (tmp_path / "recovery.yaml").write_text("policies: [sleep]\n", encoding="utf-8")
    with piped(tmp_path, None, "--recovery", str(tmp_path / "recovery.yaml")) as pipes:
        assert pipes.process.wait(60) == 2
        assert pipes.process.stderr is not None
        assert b"sleep" in pipes.process.stderr.read()


def test_what_a_server_tells_of_its_tools() -> None:
    gate = Gate()
    tools = [
        {"name": "put", "annotations": {"idempotentHint": True}},
        {"name": "get", "annotations": {"readOnlyHint": True}},
        {"name": "add", "outputSchema": {"type": "object", "properties": {"result": {"type": "integer"}}}},
        {"name": "try", "_meta": {"sealegs/dry": True}},
    ]
    gate.tools.learn({"result": {"tools": tools}})
    put, get, add = (gate.tools.specs[name] for name in ("put", "get", "add"))
    assert (put.effects, put.idempotent, get.effects, get.idempotent) == (True, True, False, False)
    assert add.present is not None
    assert [add.present.validator.is_valid(value) for value in (3, {"result": 3}, "x")] == [True, True, False]
    assert gate.tools.dry == {"try"}


def test_an_error_given_as_json_is_read_with_its_status() -> None:
    failure = Failure("slow down", "RateLimit", 429, 7.0, {"limit": 5})
    block = {"type": "text", "text": render(failure)}
    assert call_outcome({"result": {"content": [block], "isError": True}}) == failure
    plain = {"type": "text", "text": '{"error": "no"}'}
    assert call_outcome({"result": {"content": [plain], "isError": True}}) == Failure('{"error": "no"}')
