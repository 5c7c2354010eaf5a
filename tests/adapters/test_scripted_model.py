"""The scripted model through the real clients of OpenAI and Anthropic, streaming and not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sealegs.adapters.mock_model import ScriptError, ScriptServer, read_script, script_from
from sealegs.faults.user_error import UserError
from sealegs.traces.chain_check import check_chain
from tests import needs

openai = pytest.importorskip("openai", reason=needs.module("openai"))
SECRET = "sk-proj-abcdefghijklmnopqrstuvwx1234567890"
SCRIPT = {
    "name": "weather",
    "turns": [
        {"say": "Let me look.", "calls": [{"tool": "weather", "arguments": {"city": "Oslo"}}, {"tool": "time"}]},
        {
            "either": [
                {"when": "error|503", "call": {"tool": "weather", "arguments": "{broken"}},
                {"say": "I heard {{heard}}"},
            ]
        },
        {"say": "It is sunny in Oslo."},
    ],
}
TOOLS: list[Any] = [
    {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}},
]
CALLS = [("weather", '{"city": "Oslo"}'), ("time", "{}")]


@pytest.fixture
def server() -> Iterator[ScriptServer]:
    with ScriptServer(script_from(SCRIPT)) as server:
        yield server


def client(server: ScriptServer) -> Any:
    return openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)


def chat(server: ScriptServer, messages: list[Any], streamed: bool) -> Any:
    """One turn of a chat: the message."""
    given: dict[str, Any] = {"model": "m", "messages": messages, "tools": TOOLS}
    with client(server) as mine:
        if not streamed:
            return mine.chat.completions.create(**given).choices[0].message
        with mine.chat.completions.stream(**given, stream_options={"include_usage": True}) as events:
            for _ in events:
                pass
            final = events.get_final_completion()
            assert final.usage.total_tokens == final.usage.prompt_tokens + final.usage.completion_tokens
            return final.choices[0].message


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("result", ["sunny", '{"error": {"status": 503}}'])
def test_a_chat(server: ScriptServer, streamed: bool, result: str) -> None:
    messages: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
    first = chat(server, messages, streamed)
    assert first.content == "Let me look."
    assert [(call.function.name, call.function.arguments) for call in first.tool_calls] == CALLS
    messages.append(first.model_dump(exclude_none=True))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": result} for call in first.tool_calls]
    second = chat(server, messages, streamed)
    if result == "sunny":
        assert (second.content, second.tool_calls) == ("I heard sunny\nsunny", None)
    else:
        assert [call.function.arguments for call in second.tool_calls] == ["{broken"]
    messages += [{"role": "assistant", "content": "."}, {"role": "user", "content": "And?"}]
    assert chat(server, messages, streamed).content == "It is sunny in Oslo."
    assert server.requests[1].body["messages"][3]["content"] == result


def respond(server: ScriptServer, streamed: bool, **given: Any) -> Any:
    with client(server) as mine:
        if not streamed:
            return mine.responses.create(model="m", **given)
        with mine.responses.stream(model="m", **given) as events:
            texts = [event.delta for event in events if event.type == "response.output_text.delta"]
            final = events.get_final_response()
            assert "".join(texts) == final.output_text
            return final


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("kept", [False, True])
def test_a_response(server: ScriptServer, streamed: bool, kept: bool) -> None:
    messages: list[Any] = [{"role": "user", "content": "Weather?"}]
    first = respond(server, streamed, input=messages)
    assert first.output_text == "Let me look."
    calls = [item for item in first.output if item.type == "function_call"]
    assert [(call.name, call.arguments) for call in calls] == CALLS
    outputs = [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"} for call in calls]
    if kept:
        second = respond(server, streamed, input=outputs, previous_response_id=first.id)
    else:
        messages += [item.model_dump(exclude_none=True, exclude={"parsed_arguments"}) for item in first.output]
        second = respond(server, streamed, input=[*messages, *outputs])
    assert second.output_text == "I heard sunny\nsunny"
    assert respond(server, streamed, input="And?", previous_response_id=second.id).output_text == "It is sunny in Oslo."


@pytest.mark.parametrize("streamed", [False, True])
def test_an_anthropic_message(server: ScriptServer, streamed: bool) -> None:
    anthropic = pytest.importorskip("anthropic", reason=needs.module("anthropic"))

    def message(messages: list[Any]) -> Any:
        with anthropic.Anthropic(base_url=server.root, api_key="none", max_retries=0) as mine:
            given: dict[str, Any] = {"model": "m", "max_tokens": 100, "messages": messages}
            if not streamed:
                return mine.messages.create(**given)
            with mine.messages.stream(**given) as events:
                return events.get_final_message()

    messages: list[Any] = [{"role": "user", "content": "Weather?"}]
    first = message(messages)
    assert (first.content[0].text, first.stop_reason) == ("Let me look.", "tool_use")
    uses = [block for block in first.content if block.type == "tool_use"]
    assert [(use.name, use.input) for use in uses] == [("weather", {"city": "Oslo"}), ("time", {})]
    results = [{"type": "tool_result", "tool_use_id": use.id, "content": "sunny"} for use in uses]
    messages += [{"role": "assistant", "content": first.content}, {"role": "user", "content": results}]
    second = message(messages)
    assert (second.content[0].text, second.stop_reason) == ("I heard sunny\nsunny", "end_turn")


async def test_async_clients_stream_too(server: ScriptServer) -> None:
    async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as mine:
        stream = await mine.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "Weather?"}], stream=True
        )
        chunks = [chunk.choices[0].delta.content or "" async for chunk in stream]
        assert "".join(chunks) == "Let me look."
        assert [model.id async for model in mine.models.list()] == ["scripted"]


def test_conversations_side_by_side(server: ScriptServer) -> None:
    def conversation(number: int) -> str:
        messages: list[Any] = [{"role": "user", "content": "Weather?"}]
        first = chat(server, messages, False)
        messages.append(first.model_dump(exclude_none=True))
        messages += [
            {"role": "tool", "tool_call_id": call.id, "content": f"n{number}"} for call in first.tool_calls[:1]
        ]
        return str(chat(server, messages, False).content)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(conversation, range(8))) == [f"I heard n{number}" for number in range(8)]


def test_an_exhausted_script_is_refused_without_retries(server: ScriptServer) -> None:
    ended = [{"role": role, "content": "x"} for role in ("user", "assistant") * 3]
    with openai.OpenAI(base_url=server.url, api_key="none", max_retries=3) as mine:
        with pytest.raises(openai.BadRequestError, match=r"has 3 turn\(s\), and turn 4 was requested"):
            mine.chat.completions.create(model="m", messages=ended)
        with pytest.raises(openai.NotFoundError, match="nothing is served"):
            mine.embeddings.create(model="m", input="x")
    assert len(server.requests) == 1


def test_a_loop_goes_on() -> None:
    script = script_from({"turns": [{"call": {"tool": "try"}}, {"say": "Again."}], "loop": True})
    assert [bool(script.play(number, "").uses) for number in range(5)] == [True, False, True, False, True]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, "turns: field required"),
        ({"turns": []}, "turns: "),
        ({"turns": [{"say": "x"}, {"sing": "x"}]}, "turns[1].sing: "),
        ({"turns": [{}]}, "turns[0]: {} has neither text nor calls"),
        ({"turns": [{"either": [{"when": "(", "say": "x"}]}]}, "turns[0].either[0].when: "),
        ({"turns": [{"call": {"tool": "x"}, "calls": [{"tool": "y"}]}]}, "has both call and calls"),
        ({"turns": [{"calls": [{"tool": ""}]}]}, "turns[0].calls[0].tool: "),
    ],
)
def test_mistakes_are_reported_with_their_place(data: Any, message: str) -> None:
    with pytest.raises(ScriptError) as raised:
        script_from(data)
    assert message in str(raised.value)


def test_a_turn_that_fits_nothing_says_so() -> None:
    script = script_from({"name": "s", "turns": [{"either": [{"when": "rain", "say": "x"}]}]})
    with pytest.raises(ScriptError, match=r"turn 1 of the script 's' has nothing for \"sun\""):
        script.play(0, "sun")


def test_a_taken_port_is_reported(server: ScriptServer) -> None:
    with pytest.raises(UserError, match="name another, or 0 for a free one"):
        ScriptServer(script_from(SCRIPT), port=int(server.root.rsplit(":")[-1]))


def test_the_command_serves_a_file(tmp_path: Path) -> None:
    script, log = tmp_path / "script.yaml", tmp_path / "log.jsonl"
    script.write_text("turns:\n  - say: yes\n", encoding="utf-8")
    assert read_script(script).play(0, "").say == "yes"
    command = [sys.executable, "-m", "sealegs", "serve-script", str(script), "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:")
        with openai.OpenAI(base_url=url, api_key="none") as mine:
            said = f"Hello? My key is {SECRET}"
            answer = mine.chat.completions.create(model="m", messages=[{"role": "user", "content": said}])
        assert answer.choices[0].message.content == "yes"
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(60) == 0
    (line,) = log.read_text(encoding="utf-8").splitlines()
    asked = json.loads(line)["body"]["messages"][0]["content"]
    assert asked.startswith("Hello? My key is [redacted:")
    assert SECRET not in line
    assert log.stat().st_mode & 0o777 == 0o600
    assert check_chain(log).state == "whole"


@pytest.mark.skipif(sys.platform != "linux", reason=needs.FILE_LIMITS)
def test_requests_that_cannot_be_logged_are_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # compiled files that are cut short would stay

    script, log, records = tmp_path / "script.yaml", tmp_path / "log.jsonl", tmp_path / "records.jsonl"
    script.write_text("turns:\n  - say: yes\n", encoding="utf-8")
    command = [sys.executable, "-m", "sealegs", "serve-script", str(script), "--log", str(log)]
    command += ["--records", str(records)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        with openai.OpenAI(base_url=process.stdout.readline().strip(), api_key="none", max_retries=0) as mine:
            answers = []
            for number in range(3):
                answers.append(mine.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}]))
                if not number:
                    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (200, 200))
        os.kill(process.pid, signal.SIGINT)
        code, said = process.wait(60), process.stderr.read()
    assert [one.choices[0].message.content for one in answers] == ["yes"] * 3
    assert code == 2
    assert said.count("requests are still answered") == said.count("calls continue without it") == 1
    assert "Traceback" not in said
    assert len(log.read_text(encoding="utf-8").splitlines()) <= 1


@pytest.mark.parametrize(("text", "message"), [("turns: [", "is not valid YAML"), ("turns: 3", "turns: 3")])
def test_the_command_reports_mistakes(tmp_path: Path, text: str, message: str) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "sealegs", "serve-script", str(script)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert message in run.stderr
