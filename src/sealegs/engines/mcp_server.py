"""A task's tools as an MCP server over standard input and output: `python -m sealegs.engines.mcp_server`.

Arguments: LEDGER TASK TASKS TOOL... Every effect is a line of JSON in the file LEDGER, under the id of the request that
had it. Tools say that they can be run without their effect (`sealegs/dry` in `_meta`). One episode, one server; it
speaks the handshake era of the protocol (2025-11-25) as far as tools go.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from sealegs.faults.call import Call, Effect, Failure, Outcome, render
from sealegs.faults.spec import ToolSpec
from sealegs.world.corpus import Corpus, load_corpus
from sealegs.world.state import World

VERSION = "2025-11-25"
DRY = "sealegs/dry"
NO_METHOD = -32601


class Server:
    """The tools of one episode.

    Args:
        corpus: holds them.
        tools: their names.
        ledger: where effects are noted.
    """

    def __init__(self, corpus: Corpus, tools: Sequence[str], ledger: Path) -> None:
        self._specs = [corpus.spec(tool) for tool in tools]
        self._corpus = corpus
        self._world = World(self._note)
        self._ledger = ledger

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """The answer to a message; None where it asks for none."""
        # A notification: JSON-RPC allows no answer to it, not even an error.
        if "id" not in message:
            return None
        params = message.get("params") or {}
        result: dict[str, Any]
        match message.get("method"):
            case "initialize":
                # Whatever version the client names: a server without it answers with its own, and the client decides.
                about = {"name": "sealegs-maze", "version": "1"}
                result = {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": about}
            case "ping":
                result = {}
            case "tools/list":
                result = {"tools": [_listed(spec) for spec in self._specs]}
            case "tools/call":
                dry = (params.get("_meta") or {}).get(DRY) is True
                # The id goes into the ledger with each effect: it tells apart the further requests that the gate makes
                # for one call.
                call = Call(params["name"], params.get("arguments") or {}, str(message["id"]), dry=dry)
                result = _shown(self._corpus.run(call, self._world))
            case method:
                error = {"code": NO_METHOD, "message": f"There is no method {method!r}."}
                return {"jsonrpc": "2.0", "id": message["id"], "error": error}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result}

    def _note(self, effect: Effect) -> None:
        with self._ledger.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(effect), default=str) + "\n")


def _listed(spec: ToolSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "description": spec.description,
        "inputSchema": dict(spec.parameters),
        "outputSchema": dict(spec.returns),
        "annotations": {"readOnlyHint": spec.effects is False, "idempotentHint": spec.idempotent},
        "_meta": {DRY: True},
    }


def _shown(outcome: Outcome) -> dict[str, Any]:
    content = [{"type": "text", "text": render(outcome)}]
    if isinstance(outcome, Failure):
        return {"content": content, "isError": True}
    structured = {"structuredContent": outcome.value} if isinstance(outcome.value, Mapping) else {}
    return {"content": content, **structured}


def _corpus(task: str, tasks: str) -> Corpus:
    if not tasks:
        return load_corpus()
    from sealegs.scenarios.task_sets import task_set  # which reads every task there is

    return task_set(tasks).corpus(task)


def serve_episode_tools(arguments: Sequence[str], reading: TextIO, writing: TextIO) -> None:
    """Serve until the pipe is closed; for the arguments see above."""
    ledger, task, tasks, *tools = arguments
    server = Server(_corpus(task, tasks), tools, Path(ledger))
    for line in reading:
        answer = server.answer(json.loads(line))
        if answer is not None:
            writing.write(json.dumps(answer, default=str) + "\n")
            writing.flush()


if __name__ == "__main__":
    serve_episode_tools(sys.argv[1:], sys.stdin, sys.stdout)
