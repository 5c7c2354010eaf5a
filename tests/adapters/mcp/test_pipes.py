"""The relay over pipes: what passes untouched, what a fault does, and what holds nothing up."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sealegs.traces import build_record, read_episodes
from sealegs.traces.observed import trace_from_events
from sealegs.traces.specs import specs_of
from tests import needs
from tests.adapters.mcp.piping import RAW, SEALEGS, Pipes, cancel, piped, request, text_of, waited_for

CLIENT = [
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"caf\\u00e9":"\xc3\xa9","n":1e2}}\n',
    b'{ "method" : "ping", "id" : "seven" , "jsonrpc":"2.0" }\r\n',
    b'{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}\n',
    b'{"id":3,"jsonrpc":"2.0","method":"tools\\/call","params":{"name":"echo","arguments":{"city":"Oslo"}}}\n',
    b'{"id":4,"jsonrpc":"2.0","method":"resources/list"}\n',
]


def direct(folder: Path) -> list[bytes]:
    """What the server answers to these without us."""
    with subprocess.Popen([*RAW, str(folder / "direct")], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        pipes = Pipes(process, folder)
        pipes.read()
        pipes.write(*CLIENT)
        found = [pipes.line() for _ in range(4)]
        pipes.end()
    return sorted(found)


NEVER: list[dict[str, Any]] = [{"match": {"tool": "echo"}, "when": {"nth": 1000}, "fault": {"kind": "error"}}]


@pytest.mark.parametrize(
    ("rules", "options"), [(None, ()), (NEVER, ()), (NEVER, ("--records", "records.jsonl"))], ids=str
)
def test_bytes_pass_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rules: list[dict[str, Any]] | None, options: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    with piped(tmp_path, rules, *options) as pipes:
        pipes.write(b"".join(CLIENT))
        assert sorted(pipes.line() for _ in range(4)) == direct(tmp_path)
        assert pipes.got() == b"".join(CLIENT)
        assert pipes.end() == 0


@pytest.fixture(scope="module")
def faulted(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A proxy whose tools are each struck in a way of their own."""
    folder = tmp_path_factory.mktemp("struck")
    rules = [
        {"match": {"argument": {"name": "way", "equals": way}}, "fault": fault}
        for way, fault in {
            "error": {"kind": "error", "status": 503, "retry_after": 2},
            "plain": {"kind": "error", "message": "out of paper"},
            "protocol": {"kind": "error", "message": "Unknown tool", "body": {"code": -32602, "data": {"a": 1}}},
            "delta": {"kind": "delta", "offset": 1.0, "fields": ["price"]},
            "malformed": {"kind": "malformed"},
            "duplicate": {"kind": "duplicate"},
            "slow": {"kind": "delay", "seconds": 6},
            "hang": {"kind": "hang"},
            "deaf": {"kind": "hang", "seconds": 1.0, "ignores_cancel": True},
            "late": {"kind": "delay", "seconds": 1.5},
            "refused": {"kind": "connection"},
        }.items()
    ]
    with piped(folder, rules) as pipes:
        yield pipes


def test_an_error_is_a_tool_error(faulted: Pipes) -> None:
    message = faulted.answer(1, "echo", way="error")
    assert message["id"] == 1
    assert message["result"]["isError"] is True
    assert json.loads(text_of(message))["error"] == {
        "status": 503,
        "type": "ServiceUnavailable",
        "message": "Service Unavailable",
        "retry_after": 2.0,
    }
    assert text_of(faulted.answer(2, "echo", way="plain")) == "out of paper"
    assert b'"error"' not in faulted.got()  # the server was not called


def test_an_error_with_a_code_is_a_protocol_error(faulted: Pipes) -> None:
    message = faulted.answer("p", "echo", way="protocol")
    assert message == {
        "jsonrpc": "2.0",
        "id": "p",
        "error": {"code": -32602, "message": "Unknown tool", "data": {"a": 1}},
    }


def test_a_connection_refused_behind_the_tool_is_a_tool_error(faulted: Pipes) -> None:
    assert text_of(faulted.answer(1, "echo", way="refused")) == "[Errno 111] Connection refused"


def test_data_changes_in_both_its_forms(faulted: Pipes) -> None:
    result = faulted.answer(1, "echo", way="delta", price=10.0)["result"]
    changed = result["structuredContent"]["price"]
    assert changed != 10.0
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"] == {"way": "delta", "price": changed}


def test_a_malformed_answer_is_broken_text_alone(faulted: Pipes) -> None:
    result = faulted.answer(1, "echo", way="malformed", price=10.0)["result"]
    assert "structuredContent" not in result
    with pytest.raises(ValueError, match=r"."):
        json.loads(result["content"][0]["text"])


def test_a_duplicate_runs_twice_and_answers_once(faulted: Pipes) -> None:
    before = int(text_of(faulted.answer(1, "count")))
    assert faulted.answer("twice", "echo", way="duplicate")["id"] == "twice"
    assert int(text_of(faulted.answer(2, "count"))) == before + 3
    assert faulted.silent(0.2)


@pytest.mark.parametrize(("tool", "way"), [("echo", "slow"), ("slow", "none")])
def test_a_slow_call_holds_up_no_other(faulted: Pipes, tool: str, way: str) -> None:
    began = time.monotonic()
    faulted.call("slow", tool, way=way, seconds=6)
    for id in range(20):
        assert faulted.answer(id, "echo", city="Oslo")["id"] == id
    assert faulted.message()["id"] == "slow"
    assert time.monotonic() - began >= 6


def test_a_hang_ends_with_a_cancel_that_the_server_never_hears(faulted: Pipes) -> None:
    faulted.call("h", "echo", way="hang")
    assert faulted.silent(0.3)
    faulted.write(cancel("h"))
    assert faulted.silent(0.2)
    assert faulted.answer(1, "echo")["id"] == 1
    log = faulted.got()
    assert b'"h"' not in log


def test_a_delay_that_is_cancelled_never_runs_the_tool(faulted: Pipes) -> None:
    faulted.write(request("late", "echo", way="late"), cancel("late"))
    assert faulted.silent(1.8)
    assert b'"late"}' not in faulted.got()


def test_what_comes_with_its_cancel_in_one_chunk_is_cancelled(faulted: Pipes) -> None:
    faulted.write(request("a", "echo", way="hang"), cancel("a"), request("b", "echo"))
    assert faulted.message()["id"] == "b"


def test_the_order_of_requests_is_kept(faulted: Pipes) -> None:
    """Also past one that goes through the session."""
    calls = [request(f"o{n}", "echo", **({"way": "delta", "price": 1.0} if n % 3 == 0 else {})) for n in range(50)]
    faulted.write(*calls)
    answered = {faulted.message()["id"] for _ in calls}
    assert answered == {one["id"] for one in calls}
    arrived = [json.loads(line)["id"] for line in faulted.got().splitlines()]
    assert [id for id in arrived if str(id).startswith("o")] == [one["id"] for one in calls]


def test_a_request_of_the_server_and_its_answer_pass_while_a_call_is_held(faulted: Pipes) -> None:
    faulted.call("h2", "echo", way="hang")
    faulted.call(1, "ask")
    assert faulted.message()["method"] == "sampling/createMessage"
    faulted.write({"jsonrpc": "2.0", "id": "sample", "result": {"answer": "yes"}})
    assert json.loads(text_of(faulted.message())) == {"answer": "yes"}
    faulted.write(cancel("h2"))


def test_ten_megabytes_pass_and_are_struck(faulted: Pipes) -> None:
    faulted.call("h3", "echo", way="hang")  # so that every line is looked at
    assert len(text_of(faulted.answer(1, "big", size=10_000_000))) == 10_000_000
    message = faulted.answer(2, "echo", way="delta", price=1.0, filler="y" * 10_000_000)
    assert message["result"]["structuredContent"]["price"] != 1.0
    assert len(message["result"]["structuredContent"]["filler"]) == 10_000_000
    faulted.write(cancel("h3"))


def test_a_cancel_that_is_ignored_is_answered_in_the_end(tmp_path: Path) -> None:
    """A hang with an end cuts the connection; nothing else is heard before."""
    rules = [{"match": {"tool": "echo"}, "fault": {"kind": "hang", "seconds": 1.0, "ignores_cancel": True}}]
    with piped(tmp_path, rules) as pipes:
        began = time.monotonic()
        pipes.call(1, "echo")
        pipes.write(cancel(1))
        assert pipes.answer(2, "count")["id"] == 2
        assert pipes.line() == b""
        assert time.monotonic() - began >= 1.0
        assert pipes.process.wait(60) == 1


def test_a_reset_cuts_the_connection(tmp_path: Path) -> None:
    rules = [{"match": {"tool": "echo"}, "when": {"nth": 2}, "fault": {"kind": "connection", "mode": "reset"}}]
    with piped(tmp_path, rules) as pipes:
        assert pipes.answer(1, "echo")["id"] == 1
        pipes.call(2, "echo")
        assert pipes.line() == b""
        assert pipes.process.wait(60) == 1


def test_the_server_s_end_is_ours(tmp_path: Path) -> None:
    with piped(tmp_path, None) as pipes:
        pipes.call(1, "exit", code=7)
        assert pipes.line() == b""
        assert pipes.process.wait(60) == 7


def test_a_signal_reaches_the_server_and_the_record_is_written(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    rules = [{"match": {"tool": "echo"}, "fault": {"kind": "hang"}}]
    with piped(tmp_path, rules, "--records", str(records), "--episode", "one") as pipes:
        assert text_of(pipes.answer(1, "count")) == "1"
        pipes.call(2, "echo", city="Oslo")
        assert pipes.silent(0.2)
        pipes.process.send_signal(signal.SIGTERM)
        assert pipes.process.wait(60) == 128 + signal.SIGTERM
    (events,) = read_episodes(records)
    seen = build_record(events)
    assert seen.episode == "one"
    assert [(turn.call.tool, turn.faulted) for turn in seen.turns] == [("count", False), ("echo", True)]
    assert seen.turns[1].shown is None


def test_events_are_written_at_once_and_outlive_a_kill(tmp_path: Path) -> None:
    events = tmp_path / "events.jsonl"
    events.write_text("an older run\n", encoding="utf-8")
    rules = [{"match": {"tool": "echo"}, "fault": {"kind": "hang"}}]
    with piped(tmp_path, rules, "--events", str(events)) as pipes:
        assert text_of(pipes.answer(1, "count")) == "1"
        pipes.call(2, "echo", city="Oslo")
        assert waited_for(lambda: b'"waited"' in events.read_bytes())
        pipes.process.kill()
        pipes.process.wait(60)
    types = [json.loads(line)["type"] for line in events.read_text(encoding="utf-8").splitlines()]
    assert types == ["started", "called", "shown", "called", "waited"]


def test_when_the_client_leaves_the_record_says_what_happened(tmp_path: Path) -> None:
    records = tmp_path / "records.jsonl"
    rules = [
        {"match": {"argument": {"name": "price", "above": 0}}, "fault": {"kind": "delta", "offset": 1.0}},
        {"match": {"tool": "echo"}, "when": {"nth": 2}, "fault": {"kind": "hang"}},
    ]
    with piped(tmp_path, rules, "--records", str(records)) as pipes:
        shown = pipes.answer(1, "echo", price=3.0)["result"]["structuredContent"]
        pipes.call(2, "echo")
        assert pipes.answer(3, "fail")["result"]["isError"] is True
        assert pipes.answer(4, "protest")["error"]["data"] == {"tool": "protest"}
        assert pipes.end() == 0
    (events,) = read_episodes(records)
    turns = build_record(events).turns
    assert [turn.faulted for turn in turns] == [True, True, False, False]
    assert turns[0].said is not None
    assert turns[0].said.value == {"price": 3.0}  # type: ignore[union-attr]
    assert turns[0].shown.value == shown != {"price": 3.0}  # type: ignore[union-attr]
    assert turns[2].shown.message == "no such thing"  # type: ignore[union-attr]
    assert turns[3].shown.body == {"code": -32602, "data": {"tool": "protest"}}  # type: ignore[union-attr]


def test_a_client_that_does_not_read_holds_the_server_up_and_fills_no_memory(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip(needs.PROC)
    with piped(tmp_path, None, reading=False) as pipes:
        for id in range(20):
            pipes.call(id, "big", size=10_000_000)
        assert waited_for(lambda: pipes.got().count(b"big") == 20)
        time.sleep(1.0)
        status = Path(f"/proc/{pipes.process.pid}/status").read_text(encoding="utf-8")
        pipes.read()
        assert sorted(len(text_of(pipes.message())) for _ in range(20)) == [10_000_000] * 20
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    assert int(peak.split()[1]) < 150_000  # KiB


LISTING = [
    {
        "match": {"tool": "tools/list"},
        "when": {"nth": 2},
        "fault": {"kind": "schema_drift", "mode": "dropped", "field": "echo"},
    },
    {
        "match": {"tool": "tools/list"},
        "when": {"nth": 3},
        "fault": {"kind": "schema_drift", "field": "echo.inputSchema.properties.city"},
    },
    {"match": {"tool": "tools/list"}, "when": {"nth": 4}, "fault": {"kind": "error", "status": 500}},
    {"match": {"tool": "*"}, "fault": {"kind": "error", "message": "all tools fail"}},
]


CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


def test_tools_vanish_and_change_in_the_list(tmp_path: Path) -> None:
    listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    with piped(tmp_path, LISTING) as pipes:
        pipes.write(listed)
        raw = pipes.line()
        assert b'1e2, "jsonrpc"' in raw  # as the server wrote it: `*` is not about the list
        echo, count = json.loads(raw)["result"]["tools"]
        pipes.write(listed)
        assert pipes.message() == CHANGED
        assert pipes.message()["result"]["tools"] == [count]
        pipes.write(listed)
        assert pipes.message() == CHANGED
        changed = pipes.message()["result"]["tools"]
        assert changed[0]["inputSchema"]["properties"] == {"city_value": {"type": "string"}}
        assert changed[0] != echo
        assert changed[1] == count
        pipes.write(listed)
        assert pipes.message()["error"]["code"] == -32603
        assert text_of(pipes.answer(2, "echo")) == "all tools fail"


def test_a_tool_s_hints_are_tags(tmp_path: Path) -> None:
    rules = [{"match": {"tag": "read_only"}, "fault": {"kind": "error", "message": "struck"}}]
    with piped(tmp_path, rules) as pipes:
        pipes.write({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        pipes.line()
        assert text_of(pipes.answer(2, "count")) == "struck"
        assert "isError" not in pipes.answer(3, "echo")["result"]


def test_the_stateless_era_gets_its_result_type(tmp_path: Path) -> None:
    rules = [{"match": {"tool": "echo"}, "fault": {"kind": "error"}}]
    call = request(1, "echo")
    call["params"]["_meta"] = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    with piped(tmp_path, rules) as pipes:
        pipes.write(call)
        assert pipes.message()["result"]["resultType"] == "complete"
        assert "resultType" not in pipes.answer(2, "echo")["result"]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--", "no-such-server-anywhere"], "cannot start 'no-such-server-anywhere'"),
        ([], "neither is given"),
        (["--url", "http://127.0.0.1:1/mcp", "--", "cat"], "both are given"),
        (["--url", "ftp://x"], "is not the address of a server"),
        (["--url", "http://127.0.0.1:1/mcp", "--plan", "none.yaml"], "does not exist"),
    ],
)
def test_mistakes(tmp_path: Path, options: list[str], word: str) -> None:
    done = subprocess.run([*SEALEGS, *options], cwd=tmp_path, capture_output=True, text=True, timeout=1800, input="")
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_cancel_reaches_a_server_that_knows_the_call(tmp_path: Path) -> None:
    rules = [{"match": {"tool": "slow"}, "fault": {"kind": "malformed"}}]
    with piped(tmp_path, rules) as pipes:
        pipes.call(1, "slow", seconds=0.5)
        assert waited_for(lambda: b'"slow"' in pipes.got())
        pipes.write(cancel(1))
        assert waited_for(lambda: b"notifications/cancelled" in pipes.got())


VANISHED: list[dict[str, Any]] = [
    {
        "match": {"tool": "tools/list"},
        "when": {"nth": 2},
        "fault": {"kind": "schema_drift", "mode": "dropped", "field": "echo"},
    }
]


def test_word_of_a_changed_list_goes_to_those_who_asked_for_it(tmp_path: Path) -> None:
    """In the stateless era a subscription says who wants it; what the server itself says of its list is its own."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}

    def stateless_request(id: int, method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta, **params}}

    def wants(id: int, wanted: bool) -> dict[str, Any]:
        return stateless_request(id, "subscriptions/listen", notifications={"toolsListChanged": wanted})

    with piped(tmp_path, VANISHED) as pipes:
        for message in (
            wants(7, wanted=True),
            wants(8, wanted=False),
            wants(9, wanted=True),
            stateless_request(1, "tools/list"),
        ):
            pipes.write(message)
            pipes.message()
        pipes.write(cancel(9), stateless_request(2, "tools/list"))
        notice = pipes.message()
        assert notice["method"] == CHANGED["method"]
        assert notice["params"] == {"_meta": {"io.modelcontextprotocol/subscriptionId": 7}}
        assert [tool["name"] for tool in pipes.message()["result"]["tools"]] == ["count"]
        pipes.write(stateless_request(3, "tools/list"))  # it is back, and no fault changed it
        assert len(pipes.message()["result"]["tools"]) == 2


def test_a_list_that_was_never_otherwise_has_not_changed(tmp_path: Path) -> None:
    rules = [{**VANISHED[0], "when": "always"}]
    with piped(tmp_path, rules) as pipes:
        for id in (1, 2):
            pipes.write({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
            assert [tool["name"] for tool in pipes.message()["result"]["tools"]] == ["count"]


@pytest.mark.parametrize("kind", ["delay", "timeout", "lost_ack"])
def test_a_wait_that_ignores_a_cancel_goes_on(tmp_path: Path, kind: str) -> None:
    rules = [
        {
            "match": {"argument": {"name": "deaf", "equals": deaf}},
            "fault": {"kind": kind, "seconds": 0.4, "ignores_cancel": deaf},
        }
        for deaf in (True, False)
    ]
    with piped(tmp_path, rules) as pipes:
        assert pipes.answer(0, "count")["id"] == 0  # all is up
        for id, deaf in ((1, False), (2, True)):
            call = request(id, "echo", deaf=deaf)
            if kind == "lost_ack":
                pipes.write(call)
                assert waited_for(lambda: pipes.got().count(b'"echo"') == id)  # noqa: B023 - called at once
                time.sleep(0.05)
                pipes.write(cancel(id))
            else:
                pipes.write(call, cancel(id))
        assert pipes.message()["id"] == 2
        assert pipes.silent(0.1)


def test_a_task_s_result_is_struck_when_it_is_fetched(tmp_path: Path) -> None:
    rules = [
        {"match": {"argument": {"name": "way", "equals": way}}, "fault": fault}
        for way, fault in {
            "wrong": {"kind": "delta", "offset": 1.0, "fields": ["price"]},
            "lost": {"kind": "lost_ack", "seconds": 0.1},
            "twice": {"kind": "duplicate"},
            "code": {"kind": "error", "message": "no", "body": {"code": -32602}},
        }.items()
    ]
    with piped(tmp_path, rules, "--records", str(tmp_path / "records.jsonl")) as pipes:

        def fetched(way: str, method: str = "tasks/result") -> dict[str, Any]:
            call = request(way, "echo", way=way, price=10.0)
            pipes.write({**call, "params": {**call["params"], "task": {"ttl": 1000}}})
            handle = pipes.message()
            if way == "code":
                return handle
            task = handle["result"]["task"]["taskId"]
            for id in ("a", "b"):  # a second look shows the same
                pipes.write({"jsonrpc": "2.0", "id": f"{way}-{id}", "method": method, "params": {"taskId": task}})
                message = pipes.message()
                assert message["id"] == f"{way}-{id}"
            return message

        true = fetched("none")["result"]
        assert true["structuredContent"]["price"] == 10.0
        wrong = fetched("wrong")["result"]
        assert wrong["structuredContent"]["price"] != 10.0
        assert wrong["_meta"] == true["_meta"] | {"io.modelcontextprotocol/related-task": {"taskId": "task-wrong"}}
        lost = fetched("lost")["result"]
        assert lost["isError"]
        assert lost["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": "task-lost"}}
        assert fetched("twice")["result"]["structuredContent"]["price"] == 10.0
        assert fetched("code")["error"]["code"] == -32602
        polled = fetched("wrong", "tasks/get")["result"]
        assert (polled["status"], polled["taskId"]) == ("completed", "task-wrong")
        assert polled["result"]["structuredContent"]["price"] != 10.0
        assert fetched("lost", "tasks/get")["result"]["result"]["isError"]
        assert pipes.end() == 0
    (events,) = read_episodes(tmp_path / "records.jsonl")
    turns = build_record(events).turns
    assert [turn.faulted for turn in turns] == [False, True, True, True, True, True, True]
    assert pipes.got().count(b'"tools/call"') == 7  # the duplicate's second; the one with a code never ran


def test_records_tell_of_the_tools_that_the_server_listed(tmp_path: Path) -> None:
    with piped(tmp_path, [], "--records", str(tmp_path / "records.jsonl")) as pipes:
        pipes.write({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        pipes.message()
        pipes.answer(2, "echo", city="Oslo")
        assert pipes.end() == 0
    (events,) = read_episodes(tmp_path / "records.jsonl")
    echo = specs_of(trace_from_events(events))["echo"]
    assert echo.parameters["properties"] == {"city": {"type": "string"}}
    assert echo.examples == ({"city": "Oslo"},)


def test_a_batch_passes_as_it_is_and_that_is_reported_once(tmp_path: Path) -> None:
    rules = [{"match": {"tool": "echo"}, "fault": {"kind": "error"}}]
    batch = json.dumps([request(1, "echo"), request(2, "echo")]).encode() + b"\n"
    server = [sys.executable, "-c", "import sys\nfor line in sys.stdin.buffer: sys.stdout.buffer.write(line)"]
    with piped(tmp_path, rules, command=server) as pipes:
        pipes.write(batch, batch)
        assert pipes.end() == 0
        assert [pipes.line(), pipes.line()] == [batch, batch]
        assert pipes.process.stderr is not None
        assert pipes.process.stderr.read().count(b"without faults") == 1


LOST: list[dict[str, Any]] = [
    {"kind": "error", "status": 503},
    {"kind": "error", "message": "Unknown tool", "body": {"code": -32602}},
    {"kind": "timeout", "seconds": 0.1},
    {"kind": "connection"},
    {"kind": "rate_limit"},
]


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: "-".join(map(str, fault.values())))
def test_a_failure_comes_before_the_server_s_work_or_after_it(fault: dict[str, Any], tmp_path: Path) -> None:
    """The server's own log says how often it was called; the client cannot tell the two apart."""
    rules = [
        {"match": {"argument": {"name": "moment", "equals": moment}}, "fault": fault, "moment": moment}
        for moment in ("before", "after")
    ]
    records = tmp_path / "records.jsonl"
    with piped(tmp_path, rules, "--records", str(records)) as pipes:
        shown = [pipes.answer(f"{moment} {n}", "echo", moment=moment) for moment in ("before", "after") for n in (1, 2)]
        assert pipes.end() == 0
        messages = [json.loads(line) for line in pipes.got().splitlines()]
    ran = [one["params"]["arguments"]["moment"] for one in messages if one["method"] == "tools/call"]
    assert ran == ["after", "after"]
    assert len({json.dumps({**one, "id": 0}) for one in shown}) == 1
    (events,) = read_episodes(records)
    injections = [injection for turn in build_record(events).turns for injection in turn.injections]
    assert [(one.moment, one.runs, one.delivered) for one in injections] == [
        *[("before", 0, True)] * 2,
        *[("after", 1, True)] * 2,
    ]
