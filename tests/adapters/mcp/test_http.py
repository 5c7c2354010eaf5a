"""The relay over HTTP, against a server and clients by hand that see every byte."""

import asyncio
import io
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sealegs.faults.spec import ToolSpec
from sealegs.traces import build_record, read_episodes
from tests import needs
from tests.adapters.mcp.piping import SEALEGS, cancel, request, text_of, written

aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from aiohttp import web  # noqa: E402
from multidict import CIMultiDict  # noqa: E402
from yarl import URL  # noqa: E402

from sealegs.adapters.mcp.mcp_request import route_by  # noqa: E402

MODERN = {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}


class Server:
    """The server: keeps the requests, and answers as the tool's name says."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.left = asyncio.Event()  # a client hung up
        self.go_on = asyncio.Event()
        self.task: dict[str, Any] = {}
        self.left_off: dict[str, bytes] = {}  # by the last event's id, what comes when its stream is taken up again

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        body = await request.content.read()
        self.requests.append((request.method, request.raw_path, dict(request.headers), body))
        if request.method == "GET" and request.headers.get("Last-Event-ID") in self.left_off:
            answers = self.left_off[request.headers["Last-Event-ID"]]
            return await self.streamed(request, [b"id: 20\ndata:\n\n", answers])
        if request.method == "GET":
            return await self.streamed(request, [b": hello\n\n", b"id: 1\ndata:\n\n"])
        message = json.loads(body) if body else {}
        if message.get("method") == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "other")]
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}})
        if message.get("method") == "tasks/get":
            done = {"status": "completed", "result": self.task} if message["id"] > 2 else {"status": "working"}
            return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"taskId": "t1", **done}})
        if message.get("method") != "tools/call":
            return web.Response(status=202, headers={"X-Odd": "1", "Mcp-Session-Id": "s1"}, body=b'{ "as" : "it is" }')
        id, params = message["id"], message["params"]
        result = {"content": [{"type": "text", "text": json.dumps(params["arguments"])}]}
        answer = json.dumps({"result": result, "jsonrpc": "2.0", "id": id}, indent=1).encode()
        if params["name"] == "denied":
            return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"}, body=b"who are you?")
        if params["name"] == "breaks":
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            await response.write(b"id: 1\ndata:\n\n")
            assert request.transport is not None
            request.transport.abort()
            return response
        if params["name"] == "task":
            self.task = result
            handle = {"resultType": "task", "taskId": "t1", "status": "working"}
            return web.json_response({"jsonrpc": "2.0", "id": id, "result": handle})
        if params["name"] == "hangs":
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                self.left.set()
                raise
        if params["name"] in ("ends", "drops", "stays"):
            line = json.dumps(json.loads(answer)).encode()
            self.left_off[f"last-{id}"] = b"event: message\r\nid: 21\r\ndata: " + line + b"\r\n\r\n"
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            await response.write(f"id: last-{id}\nretry: 10\ndata:\n\n".encode())
            assert request.transport is not None
            if params["name"] == "stays":
                await asyncio.sleep(30)
            if params["name"] == "drops":
                request.transport.abort()
            return response
        if params["name"] in ("stream", "held"):
            line = json.dumps(json.loads(answer)).encode()
            note = b'event: message\r\nid: 7\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'
            last = b"event: message\r\nid: 8\r\ndata: " + line + b"\r\n\r\n"
            return await self.streamed(request, [b"id: 6\r\ndata: \r\n\r\n" + note, last])
        return web.Response(body=answer, headers={"Content-Type": "application/json", "X-Odd": "3"})

    async def streamed(self, request: web.BaseRequest, chunks: list[bytes]) -> web.StreamResponse:
        """The chunks; the last one when the test says so."""
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Odd": "2"})
        await response.prepare(request)
        try:
            for chunk in chunks[:-1]:
                await response.write(chunk)
            await self.go_on.wait()
            await response.write(chunks[-1])
        except asyncio.CancelledError:
            self.left.set()
            raise
        return response


@asynccontextmanager
async def proxied(folder: Path, rules: list[dict[str, Any]], *options: str) -> AsyncIterator[tuple[Server, str, Any]]:
    """A server, the address of a proxy before it, and a client."""
    server = Server()
    runner = web.ServerRunner(
        web.Server(server.handle, handler_cancellation=True, access_log=None), shutdown_timeout=0.1
    )
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    plan = written(folder, rules)
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp?key=1%2F2"
    process = await asyncio.create_subprocess_exec(
        sys.executable, *SEALEGS[1:], "--plan", str(plan), "--url", url, *options, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().split()[-1]
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as client:
            yield server, address, client
    finally:
        if process.returncode is None:
            process.terminate()
        assert await process.wait() == 0
        await runner.cleanup()


def rule(tool: str, fault: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"match": {"tool": tool}, "fault": fault, **more}


async def test_what_is_no_call_passes_as_it_is(tmp_path: Path) -> None:
    async with proxied(tmp_path, [rule("echo", {"kind": "error"})]) as (server, url, client):
        assert url.endswith("/mcp?key=1%2F2")
        sent = b'{ "jsonrpc":"2.0", "id" : 1, "method":"initialize" }'
        headers = {"Authorization": "Bearer x", "Mcp-Method": "initialize", "User-Agent": "me"}
        async with client.post(URL(url, encoded=True), data=sent, headers=headers) as answer:
            assert (answer.status, answer.headers["X-Odd"], answer.headers["Mcp-Session-Id"]) == (202, "1", "s1")
            assert await answer.read() == b'{ "as" : "it is" }'
        method, path, seen, body = server.requests[0]
        assert (method, path, body) == ("POST", "/mcp?key=1%2F2", sent)
        assert seen["Host"].split(":")[1] not in url
        assert {name: seen[name] for name in headers} == headers
        other = url.replace("/mcp?key=1%2F2", "//elsewhere/.well-known/oauth?x=%41")
        async with client.delete(URL(other, encoded=True)):
            assert server.requests[1][:2] == ("DELETE", "//elsewhere/.well-known/oauth?x=%41")


async def test_a_stream_passes_piece_by_chunk_and_its_end_reaches_the_server(tmp_path: Path) -> None:
    async with proxied(tmp_path, []) as (server, url, client):
        async with client.get(url) as answer:
            assert answer.headers["X-Odd"] == "2"
            assert await answer.content.readany() == b": hello\n\n"
            assert not server.left.is_set()
        await asyncio.wait_for(server.left.wait(), 60)


async def test_answers_are_struck_alike_as_json_and_as_events(tmp_path: Path) -> None:
    rules = [rule("*", {"kind": "delta", "offset": 1.0}, when={"every": 2})]
    async with proxied(tmp_path, rules) as (server, url, client):
        async with client.post(url, json=request(1, "echo", price=2.0)) as answer:
            assert (await answer.read()).startswith(b'{\n "result"')  # as the server wrote it
        async with client.post(url, json=request(2, "echo", price=2.0)) as answer:
            message = await answer.json()
            assert message["id"] == 2
            assert json.loads(text_of(message))["price"] != 2.0
            assert answer.headers["X-Odd"] == "3"
        for id in (3, 4):
            server.go_on.clear()
            async with client.post(url, json=request(id, "stream", price=2.0)) as answer:
                first = b""
                while b"notifications/progress" not in first:  # before the answer
                    first += await answer.content.readany()
                assert first.startswith(b"id: 6\r\ndata: \r\n\r\nevent: message\r\nid: 7\r\n")
                server.go_on.set()
                last = await answer.content.read()
                assert answer.headers["X-Odd"] == "2"
                assert last.startswith(b"event: message\r\nid: 8\r\ndata: {")
                price = json.loads(text_of(json.loads(last.split(b"data: ")[1])))["price"]
                assert (price != 2.0) == (id == 4)


async def test_a_call_that_is_not_run(tmp_path: Path) -> None:
    code = {"kind": "error", "message": "no such tool", "body": {"code": -32602}}
    rules = [rule("echo", {"kind": "error", "status": 503}), rule("odd", code)]
    async with proxied(tmp_path, rules) as (server, url, client):
        async with client.post(url, json=request(1, "echo")) as answer:
            assert (answer.status, answer.content_type) == (200, "application/json")
            assert json.loads(text_of(await answer.json()))["error"]["status"] == 503
        call = request(2, "odd")
        async with client.post(url, json=call) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (200, -32602)
        call["params"].update(MODERN)
        async with client.post(url, json=call) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (400, -32602)
        assert not server.requests


@pytest.mark.parametrize("fault", [{"kind": "hang"}, {"kind": "delay", "seconds": 600.0}], ids=lambda one: one["kind"])
async def test_a_wait_holds_up_nothing_and_ends_when_the_client_hangs_up(tmp_path: Path, fault: dict[str, Any]) -> None:
    records = tmp_path / "records.jsonl"
    rules = [rule("echo", fault, when={"first": 1})]
    async with proxied(tmp_path, rules, "--records", str(records)) as (server, url, client):
        hanging = asyncio.create_task(client.post(url, json=request(1, "echo")))
        await asyncio.sleep(0.3)
        for id in range(20):
            async with client.post(url, json=request(id, "other")) as answer:
                assert (await answer.json())["id"] == id
        assert not hanging.done()
        hanging.cancel()
        await asyncio.sleep(0.3)
        assert len(server.requests) == 20
    (events,) = read_episodes(records)
    turn = build_record(events).turns[0]
    assert turn.faulted
    assert turn.shown is None
    waited = turn.injections[0].waited
    assert waited is not None  # how long the client bore it, not the wait that was planned
    assert 0.3 <= waited < 60
    assert (turn.injections[0].shown, turn.injections[0].cut_off) == (None, True)


@pytest.mark.parametrize("ignored", [False, True])
async def test_a_cancel_is_honoured_or_ignored_as_the_plan_says(tmp_path: Path, ignored: bool) -> None:
    rules = [rule("echo", {"kind": "hang", "seconds": 6.0 if ignored else 600.0, "ignores_cancel": ignored})]
    async with proxied(tmp_path, rules) as (server, url, client):
        headers = {"Mcp-Session-Id": "a"}
        hanging = asyncio.create_task(client.post(url, json=request(1, "echo"), headers=headers))
        for id in range(2, 7):  # when these are back, the proxy has the call
            async with client.post(url, json=request(id, "other")) as answer:
                assert answer.status == 200
        async with client.post(url, json=cancel(1), headers={"Mcp-Session-Id": "another"}) as answer:
            assert answer.status == 202
        assert len(server.requests) == 6  # of another session: passed on
        async with client.post(url, json=cancel(1), headers=headers) as answer:
            assert answer.status == 202
        assert len(server.requests) == 6  # the server never heard of the call
        if ignored:
            await asyncio.wait([hanging], timeout=0.5)
            assert not hanging.done()
            with pytest.raises(aiohttp.ClientError):  # in the end the connection is cut
                await hanging
        else:
            answer = await asyncio.wait_for(hanging, 60)
            assert (answer.status, await answer.read()) == (200, b"")


async def test_a_client_that_hangs_up_ends_the_call_of_the_server(tmp_path: Path) -> None:
    rules = [rule("hangs", {"kind": "malformed"}, when={"first": 1})]
    async with proxied(tmp_path, rules) as (server, url, client):
        for id in (1, 2):  # struck, and passing
            server.left.clear()
            calling = asyncio.create_task(client.post(url, json=request(id, "hangs")))
            while len(server.requests) < id:
                await asyncio.sleep(0.02)
            calling.cancel()
            await asyncio.wait_for(server.left.wait(), 60)


async def test_a_reset_cuts_this_connection_alone(tmp_path: Path) -> None:
    rules = [rule("echo", {"kind": "connection", "mode": "reset"})]
    async with proxied(tmp_path, rules) as (_, url, client):
        with pytest.raises(aiohttp.ClientError):
            await client.post(url, json=request(1, "echo"))
        async with client.post(url, json=request(2, "other")) as answer:
            assert answer.status == 200


async def test_what_is_no_message_passes_a_fault_unchanged(tmp_path: Path) -> None:
    async with (
        proxied(tmp_path, [rule("denied", {"kind": "malformed"})]) as (_, url, client),
        client.post(url, json=request(1, "denied")) as answer,
    ):
        assert (answer.status, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert await answer.read() == b"who are you?"


async def test_a_server_that_breaks_off_is_seen_to_break_off(tmp_path: Path) -> None:
    rules = [rule("breaks", {"kind": "malformed"}, when={"first": 1})]
    async with proxied(tmp_path, rules) as (_, url, client):
        for id in (1, 2):  # struck, and passing
            async with client.post(url, json=request(id, "breaks")) as answer:
                assert await answer.content.readany() == b"id: 1\ndata:\n\n"
                with pytest.raises(aiohttp.ClientError):
                    await answer.content.readany()


async def test_a_duplicate_asks_twice(tmp_path: Path) -> None:
    async with proxied(tmp_path, [rule("echo", {"kind": "duplicate"})]) as (server, url, client):
        call = request("x", "echo", price=1)
        call["params"]["_meta"] = {"progressToken": 3, "kept": 1}
        async with client.post(url, json=call) as answer:
            assert (await answer.json())["id"] == "x"
        first, second = (json.loads(body) for *_, body in server.requests)
        assert first == call
        assert second["id"] != "x"
        assert second["params"] == {**call["params"], "_meta": {"kept": 1}}


async def test_ten_megabytes(tmp_path: Path) -> None:
    rules = [rule("*", {"kind": "delta", "offset": 1.0, "fields": ["price"]}, when={"every": 2})]
    filler = "y" * 10_000_000

    def long(tool: str, id: int) -> io.BytesIO:
        return io.BytesIO(json.dumps(request(id, tool, price=1.0, filler=filler)).encode())

    async with proxied(tmp_path, rules) as (server, url, client):
        server.go_on.set()
        for id in (1, 2):
            async with client.post(url, data=long("echo", id)) as answer:
                content = json.loads(text_of(await answer.json()))
                assert (content["filler"] == filler, content["price"] == 1.0) == (True, id == 1)
        for id in (3, 4):
            async with client.post(url, data=long("stream", id)) as answer:
                last = (await answer.content.read()).split(b"data: ")[-1]
                content = json.loads(text_of(json.loads(last)))
                assert (content["filler"] == filler, content["price"] == 1.0) == (True, id == 3)


async def test_only_names_of_this_machine_are_answered(tmp_path: Path) -> None:
    """A page may lead its own name here; the server behind could not tell."""
    async with proxied(tmp_path, []) as (server, url, client):
        for host, status in (("evil.example:80", 421), ("localhost:1", 202), ("[::1]", 202)):
            async with client.post(url, data=b"{}", headers={"Host": host}) as answer:
                assert answer.status == status, host
        assert len(server.requests) == 2
        port = int(url.split(":")[2].split("/")[0])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET http://127.0.0.1:9/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert b" 400 " in await reader.readline()
        writer.close()


async def test_a_server_that_is_not_there_is_reported(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *SEALEGS, "--url", "http://127.0.0.1:9/mcp", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await process.stdout.readline()).decode().split()[-1]
    async with aiohttp.ClientSession() as client, client.post(url, data=b"{}") as answer:
        assert answer.status == 502
        assert "cannot be reached" in await answer.text()
    second = await asyncio.create_subprocess_exec(
        *SEALEGS, "--url", "http://127.0.0.1:9/mcp", "--port", url.split(":")[2].split("/")[0],
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, stderr = await second.communicate()
    assert second.returncode == 2
    assert b"in use" in stderr
    process.terminate()
    assert await process.wait() == 0


async def taken_up(client: Any, url: str, last: str) -> dict[str, Any]:
    """The answer on a stream that is taken up again after this event."""
    async with client.get(url, headers={"Last-Event-ID": last, "Mcp-Session-Id": "s"}) as answer:
        *_, data = (await answer.content.read()).split(b"data: ")
    found: dict[str, Any] = json.loads(data)
    return found


RESUMED: list[dict[str, Any]] = [
    {"match": {"argument": {"name": "way", "equals": way}}, "fault": fault}
    for way, fault in {
        "wrong": {"kind": "delta", "offset": 1.0, "fields": ["price"]},
        "lost": {"kind": "lost_ack", "seconds": 0.2},
        "never": {"kind": "delta", "fields": ["no such field"]},
    }.items()
]


@pytest.mark.parametrize("how", ["ends", "drops", "stays"])
async def test_an_answer_on_a_stream_that_is_taken_up_again_is_struck(tmp_path: Path, how: str) -> None:
    """The server ends or breaks the first stream; or the client does."""
    options = ("--records", str(tmp_path / "records.jsonl"))
    async with proxied(tmp_path, RESUMED, *options) as (server, url, client):
        server.go_on.set()
        for id, way in enumerate(("wrong", "lost", "never", "none")):
            call = request(id, how, way=way, price=10.0)
            async with client.post(url, json=call, headers={"Mcp-Session-Id": "s"}) as answer:
                assert f"id: last-{id}".encode() in await answer.content.readany()
                if how == "ends":
                    assert await answer.content.read() == b""
                elif how == "drops":
                    with pytest.raises(aiohttp.ClientError):
                        await answer.content.readany()
                else:
                    answer.close()
            message = await taken_up(client, url, f"last-{id}")
            assert message["id"] == id
            if way == "lost":
                assert message["result"]["isError"]
            else:
                price = json.loads(text_of(message))["price"]
                assert (price == 10.0) is (way != "wrong")
            assert await taken_up(client, url, f"last-{id}") == message  # once more, where the answer was lost again
    (events,) = read_episodes(tmp_path / "records.jsonl")
    assert [turn.faulted for turn in build_record(events).turns] == [True, True, False, False]


async def test_streams_of_other_calls_are_taken_up_as_they_are(tmp_path: Path) -> None:
    async with proxied(tmp_path, RESUMED) as (server, url, client):
        server.go_on.set()
        server.left_off["x"] = b'id: 22\ndata: {"odd" : 1}\n\n'
        async with client.get(url, headers={"Last-Event-ID": "x"}) as answer:
            assert await answer.content.read() == b'id: 20\ndata:\n\nid: 22\ndata: {"odd" : 1}\n\n'


async def test_a_list_that_a_fault_changed_is_announced(tmp_path: Path) -> None:
    rules = [rule("tools/list", {"kind": "schema_drift", "mode": "dropped", "field": "echo"}, when={"nth": 2})]
    async with proxied(tmp_path, rules) as (server, url, client):
        listed = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        async with client.get(url, headers={"Mcp-Session-Id": "s"}) as mine, client.get(url) as others:
            for stream in (mine, others):
                assert await stream.content.readany() == b": hello\n\n"
            for count in (2, 1):
                async with client.post(url, json=listed, headers={"Mcp-Session-Id": "s"}) as answer:
                    assert len((await answer.json())["result"]["tools"]) == count
            data = (await mine.content.readuntil(b"\r\n\r\n")).split(b"data: ")[1]
            assert json.loads(data) == {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
            server.go_on.set()
            assert await mine.content.read() == b"id: 1\ndata:\n\n"
            assert await others.content.read() == b"id: 1\ndata:\n\n"


async def test_a_task_s_result_is_struck_when_it_is_fetched(tmp_path: Path) -> None:
    async with proxied(tmp_path, RESUMED) as (_, url, client):
        call = request(1, "task", way="wrong", price=10.0)
        async with client.post(url, json=call) as answer:
            handle = (await answer.json())["result"]
        assert (handle["resultType"], handle["taskId"]) == ("task", "t1")
        fetch = {"jsonrpc": "2.0", "id": 2, "method": "tasks/get", "params": {"taskId": "t1"}}
        for id in (2, 3, 4):  # not there yet, there, and once more
            async with client.post(url, json={**fetch, "id": id}) as answer:
                task = (await answer.json())["result"]
            assert task["status"] == ("working" if id == 2 else "completed")
            if id > 2:
                assert json.loads(task["result"]["content"][0]["text"])["price"] != 10.0


LOST: list[dict[str, Any]] = [
    {"kind": "error", "status": 503},
    {"kind": "timeout", "seconds": 0.1},
    {"kind": "connection", "mode": "reset"},
]


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: fault["kind"])
@pytest.mark.parametrize("tool", ["echo", "stream"])
async def test_a_failure_comes_before_the_server_s_work_or_after_it(
    tool: str, fault: dict[str, Any], tmp_path: Path
) -> None:
    """Whether it answers at once or in a stream, which is read to its end."""
    rules = [
        {"match": {"argument": {"name": "moment", "equals": moment}}, "fault": fault, "moment": moment}
        for moment in ("before", "after")
    ]
    async with proxied(tmp_path, rules, "--records", str(tmp_path / "records.jsonl")) as (server, url, client):
        server.go_on.set()
        shown = []
        for id, moment in enumerate(("before", "before", "after", "after")):
            try:
                async with client.post(url, json=request(id, tool, moment=moment)) as answer:
                    (line,) = (line for line in (await answer.read()).split(b"\n") if b'"result"' in line)
                    shown.append(json.dumps(json.loads(line.removeprefix(b"data: "))["result"]))
            except aiohttp.ClientError:
                shown.append("cut off")
        ran = [json.loads(body)["params"]["arguments"]["moment"] for *_, body in server.requests]
    assert ran == ["after", "after"]
    assert len(set(shown)) == 1
    turns = [turn for events in read_episodes(tmp_path / "records.jsonl") for turn in build_record(events).turns]
    assert [injection.moment for turn in turns for injection in turn.injections] == [
        "before",
        "before",
        "after",
        "after",
    ]


SWITCH = """
policies: [switch]
tools: {"*": {effects: false}}
alternatives: [{tool: denied, steps: [{tool: echo, arguments: {to: {given: to}}}], answer: {sent: {step: 0, path: to}}}]
"""


async def test_the_headers_of_each_request_say_what_its_body_asks_for(tmp_path: Path) -> None:
    (tmp_path / "recovery.yaml").write_text(SWITCH, encoding="utf-8")
    call = request(1, "denied", to="Bob")
    call["params"] |= MODERN
    headers = {"Mcp-Method": "tools/call", "Mcp-Name": "denied", "Mcp-Param-To": "Bob"}
    async with proxied(tmp_path, [], "--recovery", str(tmp_path / "recovery.yaml")) as (server, url, client):
        async with client.post(URL(url, encoded=True), json=call, headers=headers) as answer:
            assert text_of(await answer.json()) == '{"sent": "Bob"}'
        own, *ours = ((seen, json.loads(body)) for _, _, seen, body in server.requests)
    assert own[0].items() >= headers.items()
    assert ours[0][1]["params"]["name"] == "echo"
    for seen, body in ours:
        assert (seen["Mcp-Method"], seen.get("Mcp-Name")) == (body["method"], body["params"].get("name"))
        assert "Mcp-Param-To" not in seen


@pytest.mark.parametrize(
    ("tool", "arguments", "headers"),
    [
        (
            "pay",
            {"to": "Zoë", "fast": True, "from": {"branch": 7}, "amount": 5},
            {
                "Mcp-Name": "pay",
                "Mcp-Param-To": "=?base64?Wm/Dqw==?=",
                "Mcp-Param-Fast": "true",
                "Mcp-Param-Branch": "7",
            },
        ),
        ("pay", {"to": None}, {"Mcp-Name": "pay"}),
        ("pray", {"to": "Bob"}, {"Mcp-Name": "pray", "Mcp-Param-To": "Ann"}),  # its parameters are not known
        (" a", {}, {"Mcp-Name": "=?base64?IGE=?="}),
    ],
)
def test_headers_follow_the_arguments(tool: str, arguments: dict[str, Any], headers: dict[str, str]) -> None:
    def named(name: str, **more: Any) -> dict[str, Any]:
        return {"x-mcp-header": name, **more}

    inner = {"type": "object", "properties": {"branch": named("Branch")}}
    fields = {"to": named("To"), "fast": named("Fast"), "from": inner, "amount": {}}
    found: CIMultiDict[str] = CIMultiDict({"Mcp-Method": "tools/call", "Mcp-Name": "pray", "mcp-param-to": "Ann"})
    route_by(found, request(1, tool, **arguments), {"pay": ToolSpec("pay", parameters={"properties": fields})})
    whole = {"Mcp-Method": "tools/call", **headers}
    assert {name.title(): value for name, value in found.items()} == whole


def test_headers_of_the_handshake_era_stay() -> None:
    found: CIMultiDict[str] = CIMultiDict({"Mcp-Session-Id": "s1"})
    route_by(found, request(1, "pay"), {})
    assert found == CIMultiDict({"Mcp-Session-Id": "s1"})
