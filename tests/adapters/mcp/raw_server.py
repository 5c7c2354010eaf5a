"""A real MCP server over pipes, by hand: odd in its spacing and order, so that a relay that makes JSON anew shows.

Writes every byte that it gets to the file named first. Tools: `echo` its arguments as data, `slow` after `seconds` (and
word of its progress), `big` text of `size` characters, `ask` the client for a sample, `count` of the calls so far,
`fail` as a tool, `protest` as a protocol error, `exit` with a code. A call that asks for a task is one.
"""

import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

LOCK = threading.Lock()
WAITING: dict[str, tuple[threading.Event, list[Any]]] = {}
COUNT = [0]


def write(line: str) -> None:
    with LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def answer(id: Any, result: Any) -> None:
    write(f'{{ "result" : {json.dumps(result)},  "caf\\u00e9":1e2, "jsonrpc":"2.0","id":{json.dumps(id)}}}  ')


def text(content: str, **more: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": content}], **more}


def call(id: Any, name: str, arguments: dict[str, Any], params: dict[str, Any]) -> None:
    COUNT[0] += 1
    if name == "slow":
        token = params.get("_meta", {}).get("progressToken")
        if token is not None:
            progress = {"progressToken": token, "progress": 1}
            write(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress}))
        time.sleep(arguments["seconds"])
        answer(id, text("slow"))
    elif name == "big":
        answer(id, text("x" * arguments["size"]))
    elif name == "count":
        answer(id, text(str(COUNT[0])))
    elif name == "fail":
        answer(id, text("no such thing", isError=True))
    elif name == "protest":
        error = {"code": -32602, "message": "Unknown tool: protest", "data": {"tool": name}}
        write(json.dumps({"jsonrpc": "2.0", "id": id, "error": error}))
    elif name == "ask":
        event, results = WAITING.setdefault("sample", (threading.Event(), []))
        write(json.dumps({"jsonrpc": "2.0", "id": "sample", "method": "sampling/createMessage", "params": {}}))
        event.wait()
        answer(id, text(json.dumps(results[0])))
    elif name == "exit":
        sys.stdout.flush()
        import os

        os._exit(arguments["code"])
    else:
        answer(id, text(json.dumps(arguments), structuredContent=arguments))


TASKS: dict[str, Any] = {}


def start(id: Any, params: dict[str, Any]) -> None:
    """Answer with a task, whose result is there at once."""
    task = f"task-{id}"
    TASKS[task] = text(json.dumps(params["arguments"]), structuredContent=params["arguments"])
    answer(id, {"task": {"taskId": task, "status": "working", "ttl": 1000}})


def fetch(id: Any, method: str, task: str) -> None:
    if method == "tasks/get":
        answer(id, {"taskId": task, "status": "completed", "result": TASKS[task]})
    else:
        related = {"io.modelcontextprotocol/related-task": {"taskId": task}}
        answer(id, {**TASKS[task], "_meta": related})


TOOLS = [
    {"name": "echo", "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}},
    {"name": "count", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
]


def main() -> None:
    with Path(sys.argv[1]).open("ab", buffering=0) as log:
        while line := sys.stdin.buffer.readline():
            log.write(line)
            message = json.loads(line)
            if message.get("method") == "tools/call":
                params = message["params"]
                if "task" in params:
                    start(message["id"], params)
                    continue
                given = (message["id"], params["name"], params.get("arguments", {}), params)
                threading.Thread(target=call, args=given, daemon=True).start()
            elif message.get("method") == "tools/list":
                answer(message["id"], {"tools": TOOLS})
            elif message.get("method") in ("tasks/result", "tasks/get"):
                fetch(message["id"], message["method"], message["params"]["taskId"])
            elif message.get("id") == "sample":
                event, results = WAITING["sample"]
                results.append(message["result"])
                event.set()
            elif "id" in message:
                answer(message["id"], {"heard": message["method"]})


main()
