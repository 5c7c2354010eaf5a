"""Claude Agent SDK: the bundled Claude Code with a server beside it that speaks the Messages API from a script."""

from __future__ import annotations

import atexit
import json
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, query, tool

from sealegs.adapters.claude_agent_sdk import wrap
from sealegs.adapters.conformance import ConformanceCase, Harness

PREFIX = "mcp__desk__"
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)  # of the time, and what is left
LASTING = ExitStack()
atexit.register(LASTING.close)


class ClaudeAgentSDK(Harness):
    framework = "Claude Agent SDK"
    package = "claude-agent-sdk"
    modes = ("async",)

    def play(self, case: ConformanceCase) -> None:
        raise NotImplementedError("the SDK is async")

    async def play_async(self, case: ConformanceCase) -> None:
        with served(case) as url, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            async for message in query(prompt="What is the weather?", options=options(case, url, home)):
                case.note(type(message).__name__)

    def agent(self, case: ConformanceCase) -> ClaudeAgentOptions:
        """With a server that lasts as long as the process."""
        home = LASTING.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        return options(case, LASTING.enter_context(served(case)), home)

    def others(self, case: ConformanceCase) -> dict[str, Any]:
        return {"client": ClaudeSDKClient(self.agent(case))}


def options(case: ConformanceCase, url: str, home: str) -> ClaudeAgentOptions:
    """The agent of a case, whose model is at an address."""
    tools: list[Any] = [_tool(name, function) for name, function in case.tools.items()]
    if case.armed:
        tools = wrap(tools, case.session)
    patience = "" if case.patience is None else str(int(case.patience * 1000))
    return ClaudeAgentOptions(
        mcp_servers={"desk": create_sdk_mcp_server("desk", tools=tools)},
        allowed_tools=[PREFIX + name for name in case.tools],
        tools=[],
        setting_sources=[],
        model="claude-sonnet-4-5",
        cwd=home,
        env={
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CONFIG_DIR": home,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **({"MCP_TOOL_TIMEOUT": patience} if patience else {}),
        },
    )


def _tool(name: str, function: Callable[..., Any]) -> Any:
    @tool(name, function.__doc__ or "", {"city": str})
    async def handler(arguments: dict[str, Any]) -> dict[str, Any]:
        value = await function(**arguments)
        return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}

    return handler


@contextmanager
def served(case: ConformanceCase) -> Iterator[str]:
    """A server of the Messages API on the loopback, for one case."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            offered = any(one.get("name", "").startswith(PREFIX) for one in body.get("tools") or ())
            blocks = turn(case, body) if offered else [{"type": "text", "text": "{}"}]
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for kind, data in events(blocks):
                self.wfile.write(f"event: {kind}\ndata: {json.dumps({'type': kind, **data})}\n\n".encode())

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def turn(case: ConformanceCase, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the script does next, as content blocks."""
    texts = [json.dumps(one) for one in body["tools"] if one["name"].startswith(PREFIX)]
    results: dict[str, str] = {}
    for message in body["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                texts.append(REMINDER.sub("", part["text"]))
            if part["type"] == "tool_result":
                results[part["tool_use_id"]] = _text(part["content"])
                texts.append(f"{part['tool_use_id']} {part.get('is_error')}")
    asks = case.script.turn("\n".join([*texts, *results.values()]), results)
    calls = [{"type": "tool_use", "id": a.id, "name": PREFIX + a.tool, "input": dict(a.arguments)} for a in asks]
    return calls or [{"type": "text", "text": case.script.last_words}]


def events(blocks: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The stream of a message."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "msg", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": []}
    yield "message_start", {"message": {**head, "stop_reason": None, "stop_sequence": None, "usage": usage}}
    for index, block in enumerate(blocks):
        called = block["type"] == "tool_use"
        empty = {"input": {}} if called else {"text": ""}
        delta = (
            {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            if called
            else {"type": "text_delta", "text": block["text"]}
        )
        yield "content_block_start", {"index": index, "content_block": {**block, **empty}}
        yield "content_block_delta", {"index": index, "delta": delta}
        yield "content_block_stop", {"index": index}
    reason = "tool_use" if blocks[0]["type"] == "tool_use" else "end_turn"
    yield "message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield "message_stop", {}


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text")) for part in content)
