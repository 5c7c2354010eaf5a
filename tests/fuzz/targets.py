"""Whatever reads what comes from outside, as functions of bytes: nothing but a `UserError` may come out.

Each target reads a file as a command does that is given one. Python files, which a command imports and so trusts, are
left out.
"""

from __future__ import annotations

import asyncio
import io
import json
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sealegs.faults.user_error import UserError

PLACE = Path("/dev/shm") if Path("/dev/shm").is_dir() else Path(tempfile.gettempdir())


@cache
def folder() -> Path:
    """A folder of this process, in memory where there is one."""
    return Path(tempfile.mkdtemp(prefix="sealegs-fuzz-", dir=PLACE))


def written(name: str, data: bytes) -> Path:
    file = folder() / name
    file.write_bytes(data)
    return file


def as_data(name: str, data: bytes) -> Path:
    """The file, as YAML; most of what looks like JSON as that, which is read many times faster."""
    return written(f"{name}.{'json' if data[:1] in (b'{', b'[') and len(data) % 8 else 'yaml'}", data)


def plan(data: bytes) -> None:
    from sealegs.faults.plan_files import plan_from, read_data_file

    plan_from(read_data_file(as_data("plan", data)), imports=False)


def recovery_plan(data: bytes) -> None:
    from sealegs.recovery.recovery_plan import read_recovery_plan

    read_recovery_plan(as_data("recovery", data))


def campaign(data: bytes) -> None:
    from sealegs.suites.micro.campaign.campaign_check import check_campaign

    check_campaign(str(written("a.campaign", data)), "", jobs=1, budget=60)


def task_folder(data: bytes) -> None:
    """Tasks and recorded tools, parted by a form feed."""
    from sealegs.scenarios import task_sets

    tasks, _, tools = data.partition(b"\f")
    written(task_sets.TASKS, tasks)
    written(task_sets.TOOLS, tools)
    found = task_sets.task_set.__wrapped__(str(folder()))  # anew each time: it is cached by its folder
    for name in list(found.tasks)[:1]:
        found.corpus(name)


def published_tasks(data: bytes) -> None:
    from sealegs.scenarios.exchange.toolmaze_format import read_task_forms
    from sealegs.scenarios.exchange.toolmaze_import import import_all

    import_all(read_task_forms(written("task.json", data)))


def published_traces(data: bytes) -> None:
    from sealegs.scenarios.exchange.toolmaze_format import read_trace_forms

    read_trace_forms(written("trace.json", data))


def records(data: bytes) -> None:
    from sealegs.suites.maze.maze_logs import read_maze_runs

    for run in read_maze_runs(written("episodes.jsonl", data)):
        run.results()


def inspect_log(data: bytes) -> None:
    """A log as it is, or one that is packed of a JSON object with a text or an object for each name."""
    from sealegs.suites.maze.maze_logs import read_maze_runs

    for run in read_maze_runs(written("log.eval", packed(data))):
        run.results()


def spans(data: bytes) -> None:
    from sealegs.traces.sources import read_traces

    read_traces([written("spans.json", data)])


def script(data: bytes) -> None:
    from sealegs.adapters.mock_model.script import read_script

    read_script(as_data("script", data))


def knowledge(data: bytes) -> None:
    from sealegs.suites.inspect_eval.knowledge import read_knowledge

    read_knowledge(as_data("tools", data))


def openapi(data: bytes) -> None:
    from sealegs.adapters.http_proxy.operations import read_operations

    read_operations(as_data("openapi", data), "shop.example")


def mcp_frames(data: bytes) -> None:
    """What a client writes, and what a server writes, parted by a form feed; whole lines or not."""
    from sealegs.adapters.mcp import framing

    requests, _, reply = data.partition(b"\f")
    gate = mcp_gate()
    for line in framing.split_lines(requests):
        message = framing.parse_message(line)
        framing.glimpsed_id(line)
        if message is None:
            gate.batch(line)
        else:
            framing.cancelled_id(message)
            exchange = gate.exchange(line, message)
            if exchange is not None:
                answered(exchange, reply)


def answered(exchange: Any, line: bytes) -> None:
    """Play an exchange whose server gives this line."""
    from sealegs.adapters.mcp import framing
    from sealegs.adapters.mcp.mcp_exchange import ServerReply

    message = framing.parse_message(line)
    if message is None or not framing.is_answer(message):
        message = {"jsonrpc": "2.0", "id": exchange.request.id, "result": message or {}}

    async def ask(raw: bytes, id: Any) -> Any:
        return ServerReply({**message, "id": id}, line + b"\n")

    loop().run_until_complete(exchange.through(ask, lambda reply: None))


@cache
def loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def mcp_gate() -> Any:
    """A gate with rules of several kinds on every tool and on the list."""
    from sealegs.adapters.mcp.gate import Gate
    from sealegs.inject import VirtualClock

    return Gate(mcp_plan(), clock=VirtualClock())


@cache
def mcp_plan() -> Any:
    from sealegs.faults import plan_from

    rules = [
        {"match": {"tool": "*"}, "when": {"probability": 0.3}, "fault": {"kind": kind}}
        for kind in ("malformed", "partial", "stale", "scramble", "schema_drift", "duplicate", "wrong_entity")
    ]
    listed = {"match": {"tool": "tools/list"}, "when": {"probability": 0.5}, "fault": {"kind": "error"}}
    return plan_from({"name": "fuzz", "rules": [*rules, listed]})


def packed(data: bytes) -> bytes:
    """A zip of a JSON object's members; the data itself where it is no such object."""
    try:
        members = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(members, Mapping):
        return data
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name, content in members.items():
            text = content if isinstance(content, str) else json.dumps(content)
            archive.writestr(name or "_", text.encode("utf-8", "surrogatepass"))
    return out.getvalue()


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    one.__name__.replace("_", "-"): one
    for one in (
        plan,
        recovery_plan,
        campaign,
        task_folder,
        published_tasks,
        published_traces,
        records,
        inspect_log,
        spans,
        script,
        knowledge,
        openapi,
        mcp_frames,
    )
}


def read(target: str, data: bytes) -> bool:
    """Have a target read this. Whether it found nothing wrong with it; whatever else than a `UserError` is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            TARGETS[target](data)
        except UserError:
            return False
    return True
