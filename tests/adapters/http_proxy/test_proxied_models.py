"""Models and recovery behind the proxy: official clients raise what they raise for the real thing."""

from __future__ import annotations

import glob
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.faults import Failure
from tests import needs
from tests.adapters.http_proxy.proxying import Proxy, proxying, raw
from tests.adapters.http_server import serving
from tests.adapters.model_outcomes import SCRIPT, Case, cases, outcome
from tests.npm import installed

pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

NODE_CLIENTS = Path(__file__).parent / "node_clients.mjs"
PACKAGES = ("openai@6.49.0", "@anthropic-ai/sdk@1.14.0")
AT_ONCE = 40
REPLY = "Hello there, and welcome to the shop."
REQUEST: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello?"}]}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with ScriptServer(script_from({"turns": [{"say": REPLY}]})) as model:
        folder = tmp_path_factory.mktemp("proxy")
        with proxying(model.url.removesuffix("/v1"), folder) as one:
            yield one


@pytest.fixture(scope="module")
def agentic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """A proxy before a model that calls a tool and then says something."""
    with (
        ScriptServer(script_from(SCRIPT)) as model,
        proxying(model.root, tmp_path_factory.mktemp("proxy")) as one,
    ):
        yield one


def rule(fault: dict[str, Any], **when: Any) -> list[dict[str, Any]]:
    return [{"match": {"model": "gpt-*"}, "fault": fault, **({"when": when} if when else {})}]


def test_the_official_client_meets_typed_faults(proxy: Proxy) -> None:
    openai = pytest.importorskip("openai", reason=needs.module("openai"))
    with openai.OpenAI(base_url=proxy.url + "/v1", api_key="a secret key", max_retries=0) as client:
        proxy.load(rule({"kind": "model_error", "error": "token_limit", "retry_after": 0.01}, first=1), "limit")
        with pytest.raises(openai.RateLimitError) as limit:
            client.chat.completions.create(**REQUEST)
        assert limit.value.type == "tokens"
        headers = limit.value.response.headers
        assert int(headers["x-ratelimit-remaining-tokens"]) < int(headers["x-ratelimit-limit-tokens"])
        assert client.chat.completions.create(**REQUEST).choices[0].message.content == REPLY

        proxy.load(rule({"kind": "altered_reply", "form": "length"}))
        cut = client.chat.completions.create(**REQUEST).choices[0]
        assert cut.finish_reason == "length"
        assert REPLY.startswith(cut.message.content)
        assert len(cut.message.content) < len(REPLY)

        proxy.load(rule({"kind": "model_error", "error": "overloaded", "after": 3}), "stream")
        heard: list[Any] = []
        with pytest.raises(openai.APIError, match="overloaded"):
            heard.extend(client.chat.completions.create(**REQUEST, stream=True))
        assert len(heard) == 3

        proxy.load(rule({"kind": "interrupted", "after": 2, "mode": "closed"}))
        with pytest.raises(openai.APIConnectionError):
            list(client.chat.completions.create(**REQUEST, stream=True))
    with openai.OpenAI(base_url=proxy.url + "/v1", api_key="a secret key", max_retries=2) as client:
        proxy.load(rule({"kind": "model_error", "error": "server_error"}, first=1), "retry")
        assert client.chat.completions.create(**REQUEST).choices[0].message.content == REPLY
    proxy.load([])
    assert [(turn.call.retry, turn.faulted) for turn in proxy.record("retry").turns] == [(0, True), (1, False)]
    assert [turn.faulted for turn in proxy.record("limit").turns] == [True, False]
    assert proxy.record("stream").turns[0].faulted
    assert b"a secret key" not in proxy.records.read_bytes()


def test_a_model_fails_where_nothing_is_recorded(tmp_path: Path) -> None:
    """Nothing but the model's own rule then gives a reason to read a request."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(json.dumps({"name": "one", "rules": rule({"kind": "model_error"}, first=1)}), "utf-8")
    body = json.dumps(REQUEST).encode()
    with (
        ScriptServer(script_from({"turns": [{"say": REPLY}]})) as model,
        proxying(model.root, tmp_path, "--plan", str(plan), recorded=False) as proxy,
    ):
        request = partial(raw, proxy.url, "/v1/chat/completions", "POST", body, Content_Type="application/json")
        assert [request().status for _ in range(2)] == [503, 200]
        assert proxy.state()["rules"]["rule-1"] == {"fired": 1, "delivered": 1}


def test_recovery_mends_a_call_before_the_client_sees_it(tmp_path: Path) -> None:
    recovery = tmp_path / "recovery.yaml"
    recovery.write_text("policies: [{retry: {base: 0.01}}, stop]\n", encoding="utf-8")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "name: one\nrules: [{match: {tool: '*/prices'}, when: {first: 1}, fault: {kind: error, status: 503}}]\n",
        "utf-8",
    )
    with serving() as server:
        served = server.served
        given = ("--plan", str(plan), "--recovery", str(recovery), "--episode", "mended")
        with proxying(served.url, tmp_path, *given) as proxy:
            assert raw(proxy.url, "/prices").body == raw(served.url, "/prices").body
            posted = raw(proxy.url, "/prices", "POST", b"{}")  # an action is not repeated
            assert posted.status == 503
            assert raw(proxy.url, "/missing").status == 404
            assert raw(proxy.url, "/events") == raw(served.url, "/events")
            methods = [method for method, path, _ in served.requests if path == "/prices"]
        record = proxy.record("mended")
    assert methods.count("POST") <= 1
    turns = [turn for turn in record.turns if not turn.by]
    assert not isinstance(turns[0].final, Failure)


def test_the_official_clients_of_python(agentic: Proxy) -> None:
    openai = pytest.importorskip("openai", reason=needs.module("openai"))
    anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))

    given: dict[str, Any] = {"api_key": "none", "max_retries": 1}
    with (
        openai.OpenAI(base_url=f"{agentic.url}/v1", **given) as of_openai,
        anthropic.Anthropic(base_url=agentic.url, **given) as of_anthropic,
    ):
        asked = {
            "chat": of_openai.chat.completions.create,
            "responses": of_openai.responses.create,
            "messages": of_anthropic.messages.create,
        }

        def made(case: Case) -> dict[str, Any]:
            seen: dict[str, Any] = {"events": []}
            try:
                answer = asked[case.api](**case.body, timeout=case.patience)
                if not case.body["stream"]:
                    return {**seen, "answer": answer.model_dump(mode="json")}
                for event in answer:
                    seen["events"].append(event.model_dump(mode="json"))
            except Exception as error:
                headers = getattr(getattr(error, "response", None), "headers", {})
                facts = {"status": getattr(error, "status_code", None), "body": getattr(error, "body", None)}
                seen["error"] = {"raised": type(error).__name__, **facts, "wait": headers.get("retry-after")}
            return seen

        with ThreadPoolExecutor(AT_ONCE) as workers:
            check("python", agentic, lambda found: list(workers.map(made, found)))


@pytest.mark.slow
def test_the_official_clients_of_node(agentic: Proxy, tmp_path: Path) -> None:
    home = installed(*PACKAGES)
    script = shutil.copy(NODE_CLIENTS, home)  # where it finds them

    def made(found: list[Case]) -> list[dict[str, Any]]:
        requests, seen = tmp_path / "requests.json", tmp_path / "seen.json"
        requests.write_text(json.dumps([asdict(case) for case in found]), encoding="utf-8")
        subprocess.run(["node", script, agentic.url, str(requests), str(seen)], check=True, timeout=300)
        results: list[dict[str, Any]] = json.loads(seen.read_text(encoding="utf-8"))
        return results

    check("node", agentic, made)


def check(client: str, proxy: Proxy, made: Callable[[list[Case]], list[dict[str, Any]]]) -> None:
    """Let a client make all requests at a proxy, and compare what it makes of them, and how often it tries."""
    found = cases()
    proxy.load([{"match": {"model": glob.escape(case.name)}, "fault": case.fault} for case in found], client)
    seen = made(found)
    proxy.load([])
    tries: dict[str, list[int]] = {case.name: [] for case in found}
    for turn in proxy.record(client).turns:
        tries[turn.call.arguments["body"]["model"]].append(turn.call.retry)
    assert len(seen) == len(found) == len(tries)
    results = {
        case.name: ((outcome(case.api, one), tries[case.name]), (case.expected[client], list(range(case.tries))))
        for case, one in zip(found, seen, strict=True)
    }
    assert {name: both for name, both in results.items() if both[0] != both[1]} == {}
    begun = {case.name for case, one in zip(found, seen, strict=True) if one["events"]}
    assert begun >= {case.name for case in found if "after" in case.fault}
