"""Models and recovery behind the proxy: official clients raise what they raise for the real thing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.faults import Failure
from tests import needs
from tests.adapters.http_proxy.proxying import Proxy, proxying, raw
from tests.adapters.http_server import serving

pytest.importorskip("aiohttp", reason=needs.module("aiohttp"))

REPLY = "Hello there, and welcome to the shop."
REQUEST: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hello?"}]}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with ScriptServer(script_from({"turns": [{"say": REPLY}]})) as model:
        folder = tmp_path_factory.mktemp("proxy")
        with proxying(model.url.removesuffix("/v1"), folder) as one:
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


CLIENT = """
import OpenAI from "openai";
import Anthropic from "@anthropic-ai/sdk";
const url = process.argv[2];
const messages = [{ role: "user", content: "Hello?" }];
const openai = new OpenAI({ baseURL: url + "/v1", apiKey: "none", maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });
const chat = (stream) => openai.chat.completions.create({ model: "gpt-5", messages, stream });
const words = (stream) => anthropic.messages.create({ model: "claude-5", max_tokens: 99, messages, stream });
const report = async (ask, stream) => {
  let events = 0;
  try {
    const answer = await ask(stream);
    if (stream) for await (const event of answer) events += 1;
    console.log("answered", answer.choices?.[0].message.content ?? answer.content?.[0].text);
  } catch (error) {
    const type = error.error?.error?.type ?? error.error?.type;
    console.log(error.constructor.name, error.status, type, error.headers?.get("retry-after"), events > 0);
  }
};
for (const ask of [chat, words]) {
  for (let turn = 0; turn < 4; turn += 1) await report(ask, false);
  await report(ask, true);
  await report(ask, false);
}
"""
PACKAGES = ("openai@6.49.0", "@anthropic-ai/sdk@1.14.0")
PROBLEMS: list[dict[str, Any]] = [
    {"error": "token_limit", "retry_after": 2},
    {"error": "overloaded"},
    {"error": "context_length"},
    {"error": "server_error"},
    {"error": "overloaded", "after": 2},  # in the middle of a stream
]
RAISED = [
    "RateLimitError 429 tokens 2 false",
    "InternalServerError 503 server_error null false",
    "BadRequestError 400 invalid_request_error null false",
    "InternalServerError 500 server_error null false",
    "APIError undefined server_error null true",
    f"answered {REPLY}",
    "RateLimitError 429 rate_limit_error 2 false",
    "OverloadedError 529 overloaded_error null false",
    "BadRequestError 400 invalid_request_error null false",
    "InternalServerError 500 api_error null false",
    "APIError undefined overloaded_error null true",
    f"answered {REPLY}",
]


@pytest.mark.slow
def test_the_official_clients_of_node(proxy: Proxy) -> None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip(needs.NODE)
    mark = "-".join(one.replace("/", "-") for one in PACKAGES)
    home = Path(tempfile.gettempdir()) / f"sealegs-{mark}-{os.getuid()}"
    if not (home / "complete").exists():
        command = [npm, "install", "--prefix", str(home), "--no-audit", "--no-fund", *PACKAGES]
        command += ["--cache", str(home / "cache"), "--fetch-retries", "1", "--fetch-retry-mintimeout", "500"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            pytest.skip(f"{needs.MODELS_NODE} ({' '.join(done.stderr[-200:].split())})")
        (home / "complete").touch()
    script = home / "client.mjs"
    script.write_text(CLIENT, encoding="utf-8")
    proxy.load(
        [
            {"match": {"model": model}, "when": {"nth": number}, "fault": {"kind": "model_error", **problem}}
            for model in ("gpt-*", "claude-*")
            for number, problem in enumerate(PROBLEMS, 1)
        ]
    )
    run = subprocess.run([node, str(script), proxy.url], capture_output=True, text=True, check=True, timeout=120)
    assert run.stdout.splitlines() == RAISED
