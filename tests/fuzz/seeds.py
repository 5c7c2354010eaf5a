"""Sound input of every form, from which the fuzzer departs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from sealegs.engines.direct import play_scenario
from sealegs.faults.kinds import KINDS
from sealegs.scenarios.scenario import Scenario
from sealegs.traces.events import encode_event
from tests.scenarios.test_exchange import foreign

TRACES = Path(__file__).parents[1] / "traces" / "data"
MATCHES: tuple[dict[str, Any], ...] = (
    {"tool": "get_*"},
    {"tag": "read"},
    {"all": [{"tool": "pay"}, {"argument": {"name": "order.id", "equals": "A-1"}}]},
    {"any": [{"not": {"tool": "a"}}, {"argument": {"name": "n", "above": 3}}]},
    {"method": "POST"},
    {"header": {"name": "X-Who", "contains": "me"}},
)
TRIGGERS: tuple[Any, ...] = (
    "always",
    {"probability": 0.3},
    {"first": 2},
    {"nth": 3},
    {"window": [1, 4]},
    {"burst": {"probability": 0.2, "length": 3}},
    {"outage": {"rate": 0.2, "length": 4}},
    {"first_touch": ["a", "b"]},
)


def plans() -> Iterator[str]:
    for index, kind in enumerate(KINDS):
        rule = {
            "match": MATCHES[index % len(MATCHES)],
            "when": TRIGGERS[index % len(TRIGGERS)],
            "fault": {"kind": kind},
        }
        moment = KINDS[kind].simplest_moment()
        more = {"persistence": "permanent", "at_most": 3, "moment": moment} if index % 3 == 0 else {}
        yield json.dumps({"name": f"plan {index}", "seed": index, "rules": [{"id": "one", **rule, **more}]})
    delays = {"kind": "delay", "seconds": {"quantiles": {"points": [[0, 1], [0.5, 2], [1, 9]]}}}
    late = {"id": "late", "match": {"tool": "*"}, "fault": delays, "after": "first"}
    first = {"id": "first", "match": {"tool": "*"}, "fault": {"kind": "hang"}}
    yield json.dumps({"name": "two", "rules": [late, first]})
    yield "name: yaml\nrules:\n- match: {tool: x}\n  fault: &f {kind: error}\n- {match: {tool: y}, fault: *f}\n"
    tagged = 'name: !!str "\\u00e9\\U0001F600"\nseed: !!int 3\n'
    yield tagged + "rules:\n- match: &m {tool: x}\n  fault: {<<: {kind: error}}\n"


def _blocks_of(page: str) -> Iterator[str]:
    """Each block of YAML on a page of the documentation, as it stands there and as JSON."""
    text = (Path(__file__).parents[2] / "docs" / page).read_text(encoding="utf-8")
    for block in text.split("```yaml\n")[1:]:
        document = block.partition("```")[0]
        yield document
        yield json.dumps(yaml.safe_load(document))


def recovery_plans() -> Iterator[str]:
    yield from _blocks_of("recovery.md")
    yield json.dumps({"policies": ["retry", {"breaker": {"failures": 5}}, "stop"], "budget": {"calls": 3}})


def campaigns() -> Iterator[str]:
    for file in resources.files("sealegs.suites.micro.campaign.files").iterdir():
        if file.name.endswith(".campaign"):
            yield file.read_text(encoding="utf-8")
    yield "default model=scripted/naive\ntip unreachable,incorrect\n"


RECORDED = {
    "task": "c1-01",
    "name": "price",
    "description": "gives a price",
    "defaults": {"currency": "EUR"},
    "free_text": ["note"],
    "recordings": [{"arguments": {"item": "pen"}, "output": {"price": 2.5}, "effects": []}],
}


def task_folders() -> Iterator[str]:
    for level in ("c1", "c4"):
        folder = resources.files("sealegs.scenarios.shipped_tasks") / level
        file = min(folder.iterdir(), key=lambda one: one.name)
        tasks = yaml.safe_load(file.read_text(encoding="utf-8"))[:2]
        yield "\n".join(json.dumps(task, default=str) for task in tasks) + "\f" + json.dumps(RECORDED)


def published_tasks() -> Iterator[str]:
    yield json.dumps(foreign("P1"))
    yield json.dumps([foreign("P1"), foreign("NP")])


def published_traces() -> Iterator[str]:
    call = {"id": "1", "name": "find", "arguments": {"name": "Brandt"}}
    answer = {"role": "tool", "call_id": "1", "name": "find", "content": {"customer": "CU-7"}}
    asks = {"role": "assistant", "type": "tool_call", "tool_call": call}
    ends = {"role": "assistant", "type": "final_answer", "content": "CU-7"}
    yield json.dumps({"task_id": "f-1", "mode": "P1", "messages": [asks, answer, ends]})


def _events(modes: str) -> list[list[dict[str, Any]]]:
    return [
        [encode_event(event) for event in play_scenario(Scenario("c1-01", mode), "planner")] for mode in modes.split()
    ]


def records() -> Iterator[str]:
    for events in _events("NP P1 P3"):
        yield "".join(json.dumps(event) + "\n" for event in events)


def inspect_logs() -> Iterator[str]:
    started = {"eval": {"task": "maze", "dataset": {"sample_ids": ["a"]}, "config": {"epochs": 1}, "model": "m"}}
    for events in _events("NP P1"):
        note = {"event": "info", "source": "sealegs record", "data": events}
        sample = {"id": "a", "epoch": 1, "error": None, "limit": None, "events": [note], "attachments": {"x": "text"}}
        yield json.dumps({"_journal/start.json": started, "samples/a_epoch_1.json": sample})


def spans() -> Iterator[str]:
    for file in sorted(TRACES.glob("*.jsonl")):
        yield file.read_text(encoding="utf-8")


def scripts() -> Iterator[str]:
    yield from _blocks_of("serve-script.md")


def knowledge_files() -> Iterator[str]:
    for file in (resources.files("sealegs.suites.inspect_eval") / "known_evals").iterdir():
        if file.name.endswith(".yaml"):
            known = yaml.safe_load(file.read_text(encoding="utf-8"))
            known["tools"] = dict(list(known["tools"].items())[:4])
            yield json.dumps(known)


def openapi() -> Iterator[str]:
    user = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "boss": {"$ref": "#/u"}}}
    answer = {"200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/u"}}}}}
    place = {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}
    asks = {"operationId": "get_user", "tags": ["users"], "parameters": [{"$ref": "#/p"}], "responses": answer}
    server = {"url": "https://api.example/{stage}", "variables": {"stage": {"default": "v1"}}}
    yield json.dumps(
        {"openapi": "3.0.3", "servers": [server], "paths": {"/users/{id}": {"get": asks}}, "u": user, "p": place}
    )


def mcp_frames() -> Iterator[str]:
    asks = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "pay", "arguments": {"a": 1}}}
    text = {"content": [{"type": "text", "text": '{"a": [1, 2, {"b": "c"}]}'}], "structuredContent": {"a": 1}}
    tool = {"name": "pay", "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}
    for request, result in (
        (asks, text),
        ({**asks, "id": "x"}, {"content": [{"type": "text", "text": "no"}], "isError": True}),
        ({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}, {"tools": [tool], "nextCursor": "2"}),
        ({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}, {}),
        (asks, {"resultType": "input_required", "inputRequests": {}}),
    ):
        yield json.dumps(request) + "\n\f" + json.dumps({"jsonrpc": "2.0", "id": request.get("id"), "result": result})


SEEDS = {
    "plan": plans,
    "recovery-plan": recovery_plans,
    "campaign": campaigns,
    "task-folder": task_folders,
    "published-tasks": published_tasks,
    "published-traces": published_traces,
    "records": records,
    "inspect-log": inspect_logs,
    "spans": spans,
    "script": scripts,
    "knowledge": knowledge_files,
    "openapi": openapi,
    "mcp-frames": mcp_frames,
}
