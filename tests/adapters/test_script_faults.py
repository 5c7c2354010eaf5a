"""A scripted model that fails: by its script, by a plan, and by both, over real sockets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptServer, script_from
from sealegs.faults import Fault, Plan, Rule
from sealegs.faults.kinds import AlteredReply, Connection, Delay, Error, Hang, Interrupted, ModelError
from sealegs.faults.triggers import Argument, First, Model
from sealegs.inject import VirtualClock
from sealegs.traces import Recorder, build_record, read_episodes
from tests import needs

openai = pytest.importorskip("openai", reason=needs.module("openai"))
anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))
WORDS = "It is sunny in Oslo and 21 degrees warm."
TURNS: list[Any] = [{"say": WORDS}]
MESSAGES: list[Any] = [{"role": "user", "content": "Weather?"}]


def failing(fault: Fault, **more: Any) -> Plan:
    return Plan(name="stormy", rules=(Rule(match=Model("m*"), fault=fault, **more),))  # type: ignore[arg-type]


def chat(server: ScriptServer, retries: int = 0, timeout: float = 5.0, **more: Any) -> Any:
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=retries, timeout=timeout) as client:
        found = client.chat.completions.create(model="m", messages=MESSAGES, **more)
        return list(found) if more.get("stream") else found.choices[0]


def test_a_turn_fails_as_often_as_it_says_in_each_conversation() -> None:
    turns = [{"say": WORDS, "fault": {"kind": "model_error", "error": "overloaded"}, "times": 2}, {"say": "Bye."}]
    with ScriptServer(script_from({"turns": turns})) as server:
        for _ in range(2):
            with pytest.raises(openai.InternalServerError, match="overloaded"):
                chat(server)
        assert chat(server).message.content == WORDS
        assert chat(server).message.content == WORDS
        with anthropic.Anthropic(base_url=server.root, api_key="none", max_retries=0) as client:
            given: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": MESSAGES}
            with pytest.raises(anthropic.OverloadedError):
                client.messages.create(**given)
            with pytest.raises(anthropic.OverloadedError):
                client.messages.create(**given)
            assert client.messages.create(**given).content[0].text == WORDS


def test_an_alternative_fails_and_the_others_do_not() -> None:
    either = [{"when": "Rome", "say": "Rain.", "fault": {"kind": "altered_reply", "form": "refusal"}}, {"say": WORDS}]
    with ScriptServer(script_from({"turns": [{"either": either}]})) as server:
        assert chat(server).message.content == WORDS
        with openai.OpenAI(base_url=server.url, api_key="none") as client:
            rome: list[Any] = [{"role": "user", "content": "Rome?"}]
            found = client.chat.completions.create(model="m", messages=rome).choices[0].message
        assert (found.content, bool(found.refusal)) == (None, True)


def test_a_plan_and_the_record_of_who_tried_again() -> None:
    recorder = Recorder(VirtualClock())
    recorder.start("e", {})
    plan = failing(ModelError(error="server_error"), when=First(2))
    with ScriptServer(script_from({"turns": TURNS}), plan=plan, watcher=recorder) as server:
        assert chat(server, retries=2).message.content == WORDS
    recorder.finish("answered")
    turns = build_record(recorder.events).turns
    assert [(turn.call.retry, turn.faulted) for turn in turns] == [(0, True), (1, True), (2, False)]
    assert turns[0].call.arguments["turn"] == "1"


def test_a_rule_may_name_a_turn() -> None:
    plan = Plan(name="p", rules=(Rule(match=Argument(name="turn", equals="2"), fault=Error(status=503)),))
    with ScriptServer(script_from({"turns": [{"say": "One."}, {"say": "Two."}]}), plan=plan) as server:
        assert chat(server).message.content == "One."
        with openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            more: list[Any] = [*MESSAGES, {"role": "assistant", "content": "One."}, *MESSAGES]
            with pytest.raises(openai.InternalServerError):
                client.chat.completions.create(model="m", messages=more)


@pytest.mark.parametrize("mode", ["reset", "refused"])
def test_a_connection_breaks_without_an_answer(mode: Any) -> None:
    with ScriptServer(script_from({"turns": TURNS}), plan=failing(Connection(mode=mode))) as server:
        with pytest.raises(openai.APIConnectionError) as raised:
            chat(server)
        assert not isinstance(raised.value, openai.APITimeoutError)


def test_an_answer_hangs_until_the_client_gives_up_and_the_server_still_closes() -> None:
    plan = failing(Hang())
    with ScriptServer(script_from({"turns": TURNS}), plan=plan) as server, pytest.raises(openai.APITimeoutError):
        chat(server, timeout=0.3)


def test_an_answer_is_late() -> None:
    clock = VirtualClock()
    plan = failing(Delay(seconds=40.0))
    with ScriptServer(script_from({"turns": TURNS}), plan=plan, clock=clock) as server:
        assert chat(server).message.content == WORDS
    assert clock.now() == 40.0


@pytest.mark.parametrize(("mode", "name"), [("reset", "ReadError"), ("hang", "Timeout")])
def test_a_stream_stops_or_stalls(mode: Any, name: str) -> None:
    httpx2 = pytest.importorskip("httpx2", reason=needs.module("httpx2"))
    with ScriptServer(script_from({"turns": TURNS}), plan=failing(Interrupted(after=4, mode=mode))) as server:
        with pytest.raises((httpx2.TransportError, openai.APIConnectionError)) as raised:
            chat(server, stream=True, timeout=0.5)
        causes = [type(raised.value).__name__, type(raised.value.__cause__).__name__]
        assert any(name in cause for cause in causes)


def test_a_stream_brings_an_error() -> None:
    with ScriptServer(script_from({"turns": TURNS}), plan=failing(ModelError(after=4))) as server:
        with pytest.raises(openai.APIError, match="overloaded"):
            chat(server, stream=True)
        with pytest.raises(openai.InternalServerError):  # a whole answer fails before its first byte
            chat(server)


def test_an_altered_reply_streams_alike() -> None:
    with ScriptServer(script_from({"turns": TURNS}), plan=failing(AlteredReply(form="length"))) as server:
        whole = chat(server)
        chunks = chat(server, stream=True)
    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert whole.message.content == streamed == WORDS[: len(streamed)]
    assert whole.finish_reason == chunks[-1].choices[0].finish_reason == "length"


def test_the_command_takes_a_plan_and_keeps_its_record_through_a_kill(tmp_path: Path) -> None:
    script, plan, records = tmp_path / "script.yaml", tmp_path / "plan.yaml", tmp_path / "records.jsonl"
    script.write_text("turns:\n  - say: yes\n", encoding="utf-8")
    rule = {"match": {"model": "*"}, "when": {"first": 1}, "fault": {"kind": "model_error", "error": "quota"}}
    plan.write_text(json.dumps({"name": "no money", "rules": [rule]}), encoding="utf-8")
    command = [sys.executable, "-m", "sealegs", "serve-script", str(script), "--plan", str(plan)]
    for number, how in enumerate([signal.SIGKILL, signal.SIGINT], start=1):
        given = [*command, "--records", str(records)]
        with subprocess.Popen(given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            with openai.OpenAI(base_url=process.stdout.readline().strip(), api_key="none", max_retries=0) as client:
                with pytest.raises(openai.RateLimitError, match="quota"):
                    client.chat.completions.create(model="m", messages=MESSAGES)
                assert client.chat.completions.create(model="m", messages=MESSAGES).choices[0].message.content == "yes"
            process.send_signal(how)
            assert process.wait(60) == (0 if how == signal.SIGINT else -signal.SIGKILL)
        episodes = [build_record(events) for events in read_episodes(records)]
        assert len(episodes) == number
        assert [turn.faulted for turn in episodes[-1].turns] == [True, False]
    assert [episode.end.reason for episode in episodes] == ["crashed", "answered"]
