"""A recovery plan that the server's list of tools contradicts: one line and exit 2 before any call, a log line after.

Over HTTP it is a log line always, since there may be other clients. The lists have `echo`, which takes `city`, and
`count`.
"""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from sealegs.traces import build_record, read_episodes
from tests import needs
from tests.adapters.mcp.piping import SEALEGS, piped

aiohttp = pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

from aiohttp import web  # noqa: E402

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
DONE = "done: {path: a, exists: true}"
MISFITS = {
    "tools: {echo: {effects: true, key: token}}": "echo has no parameter 'token' for its idempotency key; it has city",
    f"tools: {{echo: {{effects: true, verify: {{tool: lookup, {DONE}}}}}}}": "the recovery plan names lookup to verify "
    "echo, but there is no such tool here. The tools are: count, echo",
    "alternatives: [{tool: echo, steps: [{tool: other}], answer: {a: {step: 0, path: a}}}]": "the recovery plan names "
    "other to stand in for echo, but there is no such tool here. The tools are: count, echo",
}
misfits = pytest.mark.parametrize("plan", MISFITS)


def recovery(folder: Path, plan: str) -> list[str]:
    """The options."""
    (folder / "recovery.yaml").write_text(plan + "\n", "utf-8")
    return ["--recovery", str(folder / "recovery.yaml"), "--records", str(folder / "records.jsonl")]


def check_end(folder: Path, plan: str, code: int | None, errors: bytes) -> None:
    lines = [line for line in errors.decode().splitlines() if not line.startswith("listening on")]
    assert (code, lines) == (2, [f"sealegs: {MISFITS[plan]}"])
    record = build_record(next(iter(read_episodes(folder / "records.jsonl"))))
    assert not record.turns
    assert record.end is not None
    assert record.end.detail == "what was declared does not fit the server's tools"


@misfits
def test_over_pipes(tmp_path: Path, plan: str) -> None:
    with piped(tmp_path, None, *recovery(tmp_path, plan)) as pipes:
        pipes.write(LIST)
        code = pipes.process.wait(60)
        assert pipes.line() == b"", "the client sees that the connection ends, and no list"
        assert pipes.process.stderr is not None
        check_end(tmp_path, plan, code, pipes.process.stderr.read())
    assert b"tools/call" not in pipes.got()


@misfits
def test_a_list_that_comes_after_a_call_is_logged(tmp_path: Path, plan: str) -> None:
    with piped(tmp_path, None, *recovery(tmp_path, plan)) as pipes:
        assert "result" in pipes.answer(1, "count")
        pipes.write({**LIST, "id": 2})
        assert [tool["name"] for tool in pipes.message()["result"]["tools"]] == ["echo", "count"]
        assert "result" in pipes.answer(3, "echo", city="Oslo")
        assert pipes.end() == 0
        assert pipes.process.stderr is not None
        (line,) = pipes.process.stderr.read().decode().splitlines()
    assert MISFITS[plan].partition(". The tools are")[0] in line


@misfits
def test_over_http_one_clients_list_ends_nothing(tmp_path: Path, plan: str) -> None:
    async def listed(request: web.BaseRequest) -> web.StreamResponse:
        message = json.loads(await request.read())
        tools = [{"name": "echo", "inputSchema": SCHEMA}, {"name": "count", "inputSchema": {"type": "object"}}]
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}})

    async def play() -> tuple[int | None, bytes]:
        runner = web.ServerRunner(web.Server(listed))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://127.0.0.1:{runner.addresses[0][1]}/mcp"
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *SEALEGS[1:],
            *("--url", url, "--port", "0", *recovery(tmp_path, plan)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        address = (await process.stdout.readline()).decode().removeprefix("listening on ").strip()
        try:
            async with aiohttp.ClientSession() as client:
                for _ in range(2):
                    async with client.post(address, json=LIST) as response:
                        assert len((await response.json())["result"]["tools"]) == 2
            process.terminate()
            _, errors = await asyncio.wait_for(process.communicate(), 60)
            return process.returncode, errors
        finally:
            if process.returncode is None:
                process.kill()
            await runner.cleanup()

    code, errors = asyncio.run(play())
    assert code == 0
    assert errors.decode().count(MISFITS[plan].partition(". The tools are")[0]) == 1
